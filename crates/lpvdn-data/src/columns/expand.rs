//! From a number a cell to the values of a row.

use lpvdn_core::Matrix;

use crate::reading::{Content, Missing, TableColumn};

/// How many numbers stand for a cell before it is expanded: a word is a single code.
pub(super) fn raw_width(content: &Content) -> usize {
    match content {
        Content::Numbers { .. } | Content::Words { .. } => 1,
        Content::Vectors { means } => means.len(),
    }
}

/// The names of the values: those of the columns, `column=word` for words, `column_0` … for vectors.
pub(super) fn value_names(columns: &[TableColumn]) -> Vec<String> {
    let mut names = Vec::new();
    for column in columns {
        let name = column.name.clone().unwrap_or_default();
        match &column.content {
            Content::Numbers { .. } => names.push(name),
            Content::Words { words } => names.extend(words.iter().map(|word| format!("{name}={word}"))),
            Content::Vectors { means } => names.extend((0..means.len()).map(|i| format!("{name}_{i}"))),
        }
    }
    names
}

/// Means in the place of missing numbers, and a 1 in the place of each word; the first `skipped` columns,
/// of a number each, are left out.
pub(super) fn expanded(
    raw: Matrix<f32>,
    columns: &[TableColumn],
    codes: &[Vec<usize>],
    skipped: usize,
    missing: Missing,
) -> Matrix<f32> {
    let plain = columns.iter().all(|c| !matches!(c.content, Content::Words { .. }));
    if plain && skipped == 0 && missing == Missing::Error {
        return raw;
    }
    let width = columns.iter().map(|c| c.content.width()).sum();
    let mut values = Matrix::zeros(raw.rows(), width);
    let filled = |cell: f32, mean: f32| if cell.is_nan() && missing == Missing::Mean { mean } else { cell };
    for i in 0..raw.rows() {
        let (mut from, mut rest) = (&raw.row(i)[skipped..], values.row_mut(i));
        for (column, codes) in columns.iter().zip(codes) {
            let (cells, after) = from.split_at(raw_width(&column.content));
            let (out, left) = rest.split_at_mut(column.content.width());
            (from, rest) = (after, left);
            match &column.content {
                Content::Numbers { mean } => out[0] = filled(cells[0], *mean),
                Content::Words { .. } if cells[0].is_nan() => {}
                Content::Words { .. } => out[codes[cells[0] as usize]] = 1.0,
                Content::Vectors { means } => {
                    let both = cells.iter().zip(means).map(|(&cell, &mean)| filled(cell, mean));
                    out.iter_mut().zip(both).for_each(|(out, value)| *out = value);
                }
            }
        }
    }
    values
}

/// Whether the first column is unnamed and counts rows from 0 or 1, as pandas and R write it: it
/// says nothing about a row, but would outweigh everything that does.
pub(super) fn counts_rows(values: &Matrix<f32>, columns: &[TableColumn]) -> bool {
    let unnamed = columns.len() > 1 && columns[0].place == 0 && columns[0].name.as_deref() == Some("");
    let numbers = matches!(columns[0].content, Content::Numbers { .. });
    let start = values.row(0)[0];
    let counts = || values.iter_rows().enumerate().all(|(i, row)| row[0] == start + i as f32);
    unnamed && numbers && (start == 0.0 || start == 1.0) && counts()
}
