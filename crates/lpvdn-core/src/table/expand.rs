//! From a number for each cell to the values of a row.

use std::sync::Arc;

use rayon::prelude::*;

use super::content::Content;
use super::reading::Missing;
use crate::matrix::Matrix;
use crate::source::{Batch, RowSource, SourceError};

/// What becomes of the cells of a column.
#[derive(Clone, Debug)]
struct Piece {
    /// The place of its first number in a raw row.
    from: usize,
    /// How many numbers it has there.
    raw: usize,
    /// How many values it becomes.
    width: usize,
    rule: Rule,
}

#[derive(Clone, Debug)]
enum Rule {
    /// Each number is a value; a missing one becomes the other at its place, if there is any.
    Numbers(Vec<f64>),
    /// The code of a word: which value is 1 for it. Missing cells may have a value, too.
    OneHot { places: Vec<usize>, fill: Option<usize> },
    /// The code of a word: what it is as a number. Whatever else is there is `fill`.
    Truth { values: Vec<usize>, fill: f32 },
}

/// What becomes of the numbers of a row: others in the place of missing ones, and a 1 in the place of each word.
/// Columns that are not named are left out.
#[derive(Clone, Debug)]
pub struct Expansion {
    pieces: Vec<Piece>,
    width: usize,
}

impl Expansion {
    /// Of contents, each with the place of its cells in a raw row, and for words with the value of each code. Where
    /// `missing` is an error, missing numbers stay what they are.
    pub fn new(
        contents: impl IntoIterator<Item = (usize, Content, Vec<usize>)>,
        missing: Missing,
    ) -> Expansion {
        let pieces: Vec<Piece> = contents
            .into_iter()
            .map(|(from, content, codes)| piece(from, &content, codes, missing))
            .collect();
        let width = pieces.iter().map(|piece| piece.width).sum();
        Expansion { pieces, width }
    }

    /// How many values a row becomes.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Whether every number of a raw row of `raw` numbers is the value itself.
    pub fn changes_nothing(&self, raw: usize) -> bool {
        let same = |piece: &Piece| matches!(&piece.rule, Rule::Numbers(fills) if fills.is_empty());
        let mut end = 0;
        let in_order = self.pieces.iter().all(|piece| {
            let follows = piece.from == end;
            end = piece.from + piece.raw;
            follows
        });
        in_order && end == raw && self.pieces.iter().all(same)
    }

    /// The values of all rows at once.
    ///
    /// # Panics
    /// If the rows are shorter than the places of the columns say.
    pub fn matrix(&self, raw: &Matrix<f32>) -> Matrix<f32> {
        let mut values = Matrix::zeros(raw.rows(), self.width);
        (0..raw.rows()).for_each(|i| self.row(raw.row(i), None, values.row_mut(i)));
        values
    }

    /// `out` holds zeros before. With an origin, which is subtracted from the raw numbers already, so are all values.
    fn row(&self, raw: &[f32], origin: Option<&[f64]>, out: &mut [f32]) {
        let mut at = 0;
        for piece in &self.pieces {
            let cells = &raw[piece.from..piece.from + piece.raw];
            let values = &mut out[at..at + piece.width];
            let origin = origin.map(|origin| &origin[at..at + piece.width]);
            at += piece.width;
            piece.expand(cells, origin, values);
        }
    }

    /// What is to be subtracted from a raw row so that its numbers are those from `origin`.
    fn raw_origin(&self, origin: &[f64], width: usize) -> Vec<f64> {
        let mut raw = vec![0.0; width];
        let mut at = 0;
        for piece in &self.pieces {
            if let Rule::Numbers(_) = piece.rule {
                raw[piece.from..piece.from + piece.raw].copy_from_slice(&origin[at..at + piece.width]);
            }
            at += piece.width;
        }
        raw
    }

    fn memory(&self) -> usize {
        let bytes = |piece: &Piece| match &piece.rule {
            Rule::Numbers(fills) => size_of_val(fills.as_slice()),
            Rule::OneHot { places: codes, .. } | Rule::Truth { values: codes, .. } => {
                size_of_val(codes.as_slice())
            }
        };
        size_of_val(self.pieces.as_slice()) + self.pieces.iter().map(bytes).sum::<usize>()
    }
}

fn piece(from: usize, content: &Content, codes: Vec<usize>, missing: Missing) -> Piece {
    let rule = match content {
        Content::Words { fill, .. } => Rule::OneHot { places: codes, fill: fill.filter(|_| missing.fills()) },
        Content::Booleans { mean, .. } => {
            Rule::Truth { values: codes, fill: content.fill_number().map_or(*mean, |fill| fill as f32) }
        }
        _ if !missing.fills() => Rule::Numbers(Vec::new()),
        Content::Vectors { means } => Rule::Numbers(means.iter().copied().map(f64::from).collect()),
        Content::Numbers { .. } | Content::Dates { .. } => {
            Rule::Numbers(content.fill_number().into_iter().collect())
        }
    };
    Piece { from, raw: content.raw_width(), width: content.width(), rule }
}

impl Piece {
    fn expand(&self, cells: &[f32], origin: Option<&[f64]>, out: &mut [f32]) {
        let from = |j: usize| origin.map_or(0.0, |origin| origin[j]);
        match &self.rule {
            Rule::Numbers(fills) => {
                out.copy_from_slice(cells);
                let holes = out.iter_mut().zip(fills).enumerate().filter(|(_, (value, _))| value.is_nan());
                holes.for_each(|(j, (value, fill))| *value = (*fill - from(j)) as f32);
                return;
            }
            Rule::OneHot { places, fill } => {
                let place = if cells[0].is_nan() { *fill } else { code(cells[0], places) };
                if let Some(value) = place.and_then(|place| out.get_mut(place)) {
                    *value = 1.0;
                }
            }
            Rule::Truth { values, fill } => {
                out[0] = code(cells[0], values).map_or(*fill, |value| value as f32);
            }
        }
        if origin.is_some() {
            out.iter_mut().enumerate().for_each(|(j, value)| *value = (f64::from(*value) - from(j)) as f32);
        }
    }
}

/// What stands for a code; nothing for what is none.
fn code(cell: f32, codes: &[usize]) -> Option<usize> {
    // A cast of what is no number, or negative, gives 0.
    if cell >= 0.0 { codes.get(cell as usize).copied() } else { None }
}

/// Rows of cells that are expanded when they are asked for.
pub struct Expanded {
    raw: Arc<dyn RowSource>,
    expansion: Expansion,
}

impl Expanded {
    /// The values of `raw`, whose rows are dense and have the numbers that the expansion expects.
    ///
    /// # Panics
    /// If the rows are sparse or too short.
    pub fn new(raw: Arc<dyn RowSource>, expansion: Expansion) -> Expanded {
        let needed = expansion.pieces.iter().map(|piece| piece.from + piece.raw).max().unwrap_or(0);
        assert!(!raw.is_sparse() && raw.cols() >= needed, "rows that are no cells of this table");
        Expanded { raw, expansion }
    }

    fn expand(&self, raw: &Batch, origin: Option<&[f64]>, batch: &mut Batch) {
        let Batch::Dense(out) = batch else { unreachable!("a dense source got a sparse batch") };
        let Batch::Dense(raw) = raw else { unreachable!("numbers of cells are dense") };
        out.set_rows(raw.rows());
        out.fill(0.0);
        let rows = out.as_mut_slice().par_chunks_mut(self.expansion.width.max(1)).enumerate();
        rows.for_each(|(i, out)| self.expansion.row(raw.row(i), origin, out));
    }
}

impl RowSource for Expanded {
    fn rows(&self) -> usize {
        self.raw.rows()
    }
    fn cols(&self) -> usize {
        self.expansion.width
    }
    fn rounds(&self) -> bool {
        self.raw.rounds()
    }
    fn gather(&self, indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        let mut raw = Batch::for_source(self.raw.as_ref());
        self.raw.gather(indices, &mut raw)?;
        self.expand(&raw, None, batch);
        Ok(())
    }
    fn gather_from(&self, origin: &[f64], indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        let mut raw = Batch::for_source(self.raw.as_ref());
        let of_cells = self.expansion.raw_origin(origin, self.raw.cols());
        self.raw.gather_from(&of_cells, indices, &mut raw)?;
        self.expand(&raw, Some(origin), batch);
        Ok(())
    }
    fn memory(&self) -> usize {
        self.raw.memory() + self.expansion.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: f32 = f32::NAN;

    /// A number, a word of two with others, a truth, and a vector of two.
    fn expansion(missing: Missing) -> Expansion {
        let words = ["a", "b"].map(str::to_owned).to_vec();
        let words = Content::Words { words, other: Some("other".into()), missing: None, fill: Some(0) };
        let truth = Content::Booleans { no: "no".into(), yes: "yes".into(), mean: 0.25, fill: None };
        let vectors = Content::Vectors { means: vec![7.0, 8.0] };
        Expansion::new(
            [
                (0, Content::numbers(5.0), vec![]),
                (1, words, vec![1, 0, 2, 2]),
                (2, truth, vec![1, 0]),
                (4, vectors, vec![]),
            ],
            missing,
        )
    }

    #[test]
    fn cells_become_values_and_columns_that_are_not_named_are_left_out() {
        let raw = Matrix::from_vec(
            vec![
                1.0, 0.0, 0.0, 99.0, 1.0, 2.0, NONE, NONE, NONE, 99.0, NONE, 4.0, 3.0, 3.0, 1.0, 99.0, 5.0,
                6.0,
            ],
            3,
            6,
        );
        let filled = expansion(Missing::Mean).matrix(&raw);
        assert_eq!(filled.row(0), [1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 2.0]);
        assert_eq!(filled.row(1), [5.0, 1.0, 0.0, 0.0, 0.25, 7.0, 4.0]);
        assert_eq!(filled.row(2), [3.0, 0.0, 0.0, 1.0, 0.0, 5.0, 6.0]);
        let kept = expansion(Missing::Error).matrix(&raw);
        assert!(kept.row(1)[0].is_nan() && kept.row(1)[5].is_nan());
        assert_eq!(kept.row(1)[1..4], [0.0; 3], "no word");
    }

    #[test]
    fn codes_that_are_none_become_no_word() {
        let raw = Matrix::from_vec(vec![1.0, -1.0, 17.0, 0.0, 0.0, 0.0], 1, 6);
        let row = expansion(Missing::Mean).matrix(&raw);
        assert_eq!(row.row(0), [1.0, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0]);
    }

    #[test]
    fn rows_are_the_same_at_once_and_when_they_are_asked_for() {
        let cell = |i: usize, j: usize| match j {
            1 => (i % 4) as f32,
            2 => (i % 2) as f32,
            _ if (i + j).is_multiple_of(5) => NONE,
            _ => (i * j) as f32,
        };
        let raw = Matrix::from_fn(50, 6, cell);
        let at_once = expansion(Missing::Mean).matrix(&raw);
        let doubles = Matrix::from_fn(50, 6, |i, j| f64::from(cell(i, j)));
        for raw in [Arc::new(raw) as Arc<dyn RowSource>, Arc::new(doubles)] {
            let source = Expanded::new(raw, expansion(Missing::Mean));
            let mut batch = Batch::for_source(&source);
            source.gather(&[49, 3], &mut batch).expect("rows");
            let Batch::Dense(found) = &batch else { panic!("dense") };
            assert_eq!((found.row(0), found.row(1)), (at_once.row(49), at_once.row(3)));
        }
    }

    #[test]
    fn an_origin_is_subtracted_before_digits_are_lost() {
        let raw = Matrix::from_vec(vec![1.7e9 + 1.0, 0.0, f64::NAN, 1.0], 2, 2);
        let words = Content::words(vec!["a".into(), "b".into()]);
        let parts = [(0, Content::numbers(1.7e9), vec![]), (1, words, vec![0, 1])];
        let source = Expanded::new(Arc::new(raw), Expansion::new(parts, Missing::Mean));
        let mut batch = Batch::for_source(&source);
        source.gather_from(&[1.7e9, 0.5, 0.25], &[0, 1], &mut batch).expect("rows");
        let expected = vec![1.0, 0.5, -0.25, 0.0, -0.5, 0.75];
        assert_eq!(batch, Batch::Dense(Matrix::from_vec(expected, 2, 3)));
        assert!(source.rounds());
    }

    #[test]
    fn numbers_alone_change_nothing_unless_they_are_filled_in_or_left_out() {
        let numbers = |places: &[usize], missing| {
            Expansion::new(places.iter().map(|&at| (at, Content::numbers(0.0), vec![])), missing)
        };
        assert!(numbers(&[0, 1], Missing::Error).changes_nothing(2));
        assert!(!numbers(&[0, 1], Missing::Mean).changes_nothing(2));
        assert!(!numbers(&[0, 1], Missing::Error).changes_nothing(3));
        assert!(!numbers(&[1], Missing::Error).changes_nothing(2));
    }
}
