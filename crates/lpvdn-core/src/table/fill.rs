//! What stands for missing numbers, where it is not the mean.

use super::content::Content;
use super::reading::Missing;
use crate::matrix::Matrix;
use crate::source::{Batch, RowSource, SourceError};

/// In a table of more rows, median and most frequent number are those of as many rows at equal distances. So the memory
/// has a bound, and the result does not depend on where the rows are kept.
pub const SAMPLED: usize = 65_536;

/// In columns without holes, what would stand for a later one is found among fewer rows: the passes over all sampled
/// rows follow from the columns with holes.
const SAMPLED_WHOLE: usize = 4_096;
/// Cells that are kept at a time: what they take of memory has a bound.
const TOGETHER: usize = 64 * SAMPLED;
/// Rows read in one go.
const BLOCK: usize = 1024;

/// A column whose missing numbers something may stand for.
#[derive(Debug)]
pub struct Fillable<'a> {
    /// The place of its cells in the rows.
    pub place: usize,
    /// What it holds.
    pub content: &'a mut Content,
    /// Whether numbers are missing.
    pub has_holes: bool,
}

/// Sets the median or the most frequent number as what stands for missing ones, if `missing` asks for it.
///
/// # Errors
/// If rows cannot be read.
pub fn fill_in(raw: &dyn RowSource, columns: Vec<Fillable<'_>>, missing: Missing) -> Result<(), SourceError> {
    let of: fn(&mut [f32]) -> Option<f32> = match missing {
        Missing::Median => median,
        Missing::MostFrequent => most_frequent,
        Missing::Error | Missing::Mean | Missing::Category => return Ok(()),
    };
    let numbers = columns.into_iter().filter(|column| is_number(column.content));
    let (mut holed, mut whole): (Vec<Fillable<'_>>, Vec<Fillable<'_>>) =
        numbers.partition(|column| column.has_holes);
    for (columns, most) in [(&mut holed, SAMPLED), (&mut whole, SAMPLED_WHOLE)] {
        for some in columns.chunks_mut(TOGETHER / most) {
            let places: Vec<usize> = some.iter().map(|column| column.place).collect();
            let cells = sample(raw, &places, most)?;
            for (column, mut cells) in some.iter_mut().zip(cells) {
                if let Some(number) = of(&mut cells) {
                    column.content.set_fill(number);
                }
            }
        }
    }
    Ok(())
}

fn is_number(content: &Content) -> bool {
    matches!(content, Content::Numbers { .. } | Content::Dates { .. })
}

/// The finite numbers at some places of the rows, or of as many rows at equal distances.
fn sample(raw: &dyn RowSource, places: &[usize], most: usize) -> Result<Vec<Vec<f32>>, SourceError> {
    let (rows, taken) = (raw.rows(), raw.rows().min(most));
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
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// What stands for missing numbers of a column.
    fn filled(raw: &dyn RowSource, place: usize, missing: Missing, has_holes: bool) -> Option<f32> {
        let mut content = Content::numbers(4.0);
        fill_in(raw, vec![Fillable { place, content: &mut content, has_holes }], missing).expect("rows");
        match content {
            Content::Numbers { fill, .. } => fill,
            _ => None,
        }
    }

    #[test]
    fn median_and_most_frequent_number_are_those_of_finite_numbers() {
        let nan = f32::NAN;
        let cells = [1.0, nan, 9.0, 9.0, 5.0, 2.0, f32::INFINITY, 2.0];
        let raw = Matrix::from_fn(8, 2, |i, j| if j == 0 { 0.0 } else { cells[i] });
        for (missing, expected) in
            [(Missing::Median, Some(3.5)), (Missing::MostFrequent, Some(2.0)), (Missing::Mean, None)]
        {
            assert_eq!(filled(&raw, 1, missing, true), expected, "{missing:?}");
        }
    }

    #[test]
    fn of_many_rows_some_at_equal_distances_are_looked_at() {
        let rows = 3 * SAMPLED;
        // Every third row is looked at.
        let raw = Matrix::from_fn(rows, 1, |i, _| if i.is_multiple_of(3) { 1.0 } else { 2.0_f32 });
        assert_eq!(filled(&raw, 0, Missing::MostFrequent, true), Some(1.0));
        assert_eq!(filled(&raw, 0, Missing::MostFrequent, false), Some(1.0), "of fewer, again every third");
    }

    #[test]
    fn a_column_of_nothing_keeps_its_mean() {
        let raw = Matrix::from_vec(vec![f32::NAN; 3], 3, 1);
        assert_eq!(filled(&raw, 0, Missing::Median, true), None);
    }

    /// Rows that count how many of them are read.
    struct Counted(Matrix<f32>, AtomicUsize);

    impl RowSource for Counted {
        fn rows(&self) -> usize {
            self.0.rows()
        }
        fn cols(&self) -> usize {
            self.0.cols()
        }
        fn gather(&self, indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
            self.1.fetch_add(indices.len(), Ordering::Relaxed);
            self.0.gather(indices, batch)
        }
        fn memory(&self) -> usize {
            self.0.memory()
        }
    }

    #[test]
    fn the_rows_that_are_read_follow_from_the_columns_with_holes() {
        let (rows, columns) = (10_000, 200);
        let cell =
            |i: usize, j: usize| if j == 7 && i.is_multiple_of(2) { f32::NAN } else { (i / 100 + j) as f32 };
        let raw = Counted(Matrix::from_fn(rows, columns, cell), AtomicUsize::new(0));
        let mut contents = vec![Content::numbers(0.0); columns];
        let all = contents.iter_mut().enumerate();
        let all = all.map(|(place, content)| Fillable { place, content, has_holes: place == 7 });
        fill_in(&raw, all.collect(), Missing::Median).expect("rows");
        assert_eq!(raw.1.into_inner(), rows + SAMPLED_WHOLE, "one pass, and one over fewer rows");
        // A model may meet holes in any column.
        for (j, content) in contents.iter().enumerate() {
            let Content::Numbers { fill: Some(fill), .. } = content else { panic!("{j}: {content:?}") };
            assert!((fill - 49.5 - j as f32).abs() <= 1.0, "{j}: {fill}");
        }
    }
}
