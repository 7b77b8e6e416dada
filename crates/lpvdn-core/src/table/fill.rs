//! What stands for missing numbers, where it is not the mean.

use super::content::Content;
use super::reading::Missing;
use crate::matrix::Matrix;
use crate::source::{Batch, RowSource, SourceError};

/// In a table of more rows, median and most frequent number are those of as many rows at equal distances. So the memory
/// has a bound, and the result does not depend on where the rows are kept.
pub const SAMPLED: usize = 65_536;

/// Columns that are looked at together: what they take of memory has a bound.
const TOGETHER: usize = 64;
/// Rows read in one go.
const BLOCK: usize = 1024;

/// Sets the median or the most frequent number as what stands for missing ones, if `missing` asks for it. Each content
/// has the place of its cells in the rows of `raw`.
///
/// # Errors
/// If rows cannot be read.
pub fn fill_in(
    raw: &dyn RowSource,
    contents: &mut [(usize, &mut Content)],
    missing: Missing,
) -> Result<(), SourceError> {
    let of: fn(&mut [f32]) -> Option<f32> = match missing {
        Missing::Median => median,
        Missing::MostFrequent => most_frequent,
        Missing::Error | Missing::Mean | Missing::Category => return Ok(()),
    };
    let mut numbers: Vec<&mut (usize, &mut Content)> =
        contents.iter_mut().filter(|(_, content)| is_number(content)).collect();
    for some in numbers.chunks_mut(TOGETHER) {
        let places: Vec<usize> = some.iter().map(|(place, _)| *place).collect();
        let mut cells = sample(raw, &places)?;
        for (i, (_, content)) in some.iter_mut().enumerate() {
            if let Some(number) = of(&mut cells[i]) {
                content.set_fill(number);
            }
        }
    }
    Ok(())
}

fn is_number(content: &Content) -> bool {
    matches!(content, Content::Numbers { .. } | Content::Dates { .. })
}

/// The finite numbers at some places of the rows, or of rows at equal distances.
fn sample(raw: &dyn RowSource, places: &[usize]) -> Result<Vec<Vec<f32>>, SourceError> {
    let (rows, taken) = (raw.rows(), raw.rows().min(SAMPLED));
    let at = |i: usize| (i as u64 * rows as u64 / taken as u64) as u32;
    let mut cells = vec![Vec::with_capacity(taken); places.len()];
    let mut batch = Batch::Dense(Matrix::zeros(0, raw.cols()));
    for start in (0..taken).step_by(BLOCK) {
        let indices: Vec<u32> = (start..taken.min(start + BLOCK)).map(at).collect();
        raw.gather(&indices, &mut batch)?;
        let Batch::Dense(rows) = &batch else { unreachable!("cells of a table are dense") };
        for row in rows.iter_rows() {
            let finite = |place: &usize| Some(row[*place]).filter(|cell| cell.is_finite());
            cells.iter_mut().zip(places).for_each(|(cells, place)| cells.extend(finite(place)));
        }
    }
    Ok(cells)
}

/// Of an even number, what lies halfway between the two in the middle.
fn median(numbers: &mut [f32]) -> Option<f32> {
    numbers.sort_unstable_by(f32::total_cmp);
    let upper = *numbers.get(numbers.len() / 2)?;
    let lower = numbers[(numbers.len() - 1) / 2];
    Some(((f64::from(lower) + f64::from(upper)) / 2.0) as f32)
}

/// The smallest of those that occur most often.
fn most_frequent(numbers: &mut [f32]) -> Option<f32> {
    numbers.sort_unstable_by(f32::total_cmp);
    let runs = numbers.chunk_by(|a, b| a == b);
    runs.fold(None, |best: Option<&[f32]>, run| match best {
        Some(best) if best.len() >= run.len() => Some(best),
        _ => Some(run),
    })
    .map(|run| run[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_most_frequent_number_are_those_of_finite_numbers() {
        let nan = f32::NAN;
        let cells = [1.0, nan, 9.0, 9.0, 5.0, 2.0, f32::INFINITY, 2.0];
        let raw = Matrix::from_fn(8, 2, |i, j| if j == 0 { 0.0 } else { cells[i] });
        for (missing, expected) in
            [(Missing::Median, Some(3.5)), (Missing::MostFrequent, Some(2.0)), (Missing::Mean, None)]
        {
            let mut content = Content::numbers(4.0);
            fill_in(&raw, &mut [(1, &mut content)], missing).expect("rows");
            assert_eq!(content, Content::Numbers { mean: 4.0, fill: expected }, "{missing:?}");
        }
    }

    #[test]
    fn of_many_rows_some_at_equal_distances_are_looked_at() {
        let rows = 3 * SAMPLED;
        // Every third row is looked at.
        let raw = Matrix::from_fn(rows, 1, |i, _| if i.is_multiple_of(3) { 1.0 } else { 2.0_f32 });
        let mut content = Content::numbers(0.0);
        fill_in(&raw, &mut [(0, &mut content)], Missing::MostFrequent).expect("rows");
        assert_eq!(content, Content::Numbers { mean: 0.0, fill: Some(1.0) });
    }

    #[test]
    fn a_column_of_nothing_keeps_its_mean() {
        let raw = Matrix::from_vec(vec![f32::NAN; 3], 3, 1);
        let mut content = Content::numbers(0.0);
        fill_in(&raw, &mut [(0, &mut content)], Missing::Median).expect("rows");
        assert_eq!(content, Content::numbers(0.0));
    }
}
