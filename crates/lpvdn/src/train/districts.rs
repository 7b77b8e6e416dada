//! Rows that are shuffled, searched for neighbours and clustered together.
//!
//! Up to [`DISTRICT_ROWS`] rows, or as many as the settings say, are one district, and everything is done among all rows. More rows are
//! divided: the search for neighbours grows with the square of its rows, and rows on a disk must be read
//! in pieces. A district is made of blocks of successive rows, drawn by chance from everywhere, so that
//! it is a sample of the data even where the rows are sorted, and still can be read block by block. The
//! districts follow from the shape of the data and the seed alone, wherever the rows are kept.

use std::borrow::Cow;

use lpvdn_core::product::part;
use lpvdn_core::source::block_rows;
use lpvdn_core::{Matrix, StreamKey};

/// The most rows of a district, where nobody says.
pub const DISTRICT_ROWS: usize = 100_000;

/// How many districts of at most `most` rows so many rows are divided into.
pub fn districts_of(rows: usize, most: usize) -> usize {
    rows.div_ceil(most).max(1)
}

/// All rows, in districts of nearly equal size.
#[derive(Clone, Debug)]
pub(crate) struct Districts {
    /// District after district, rising in each.
    rows: Vec<u32>,
    count: usize,
}

impl Districts {
    /// Of data with so many rows, and so many values a row.
    pub(crate) fn new((rows, values): (usize, usize), most: usize, seed: u64) -> Districts {
        let count = districts_of(rows, most);
        if count == 1 {
            return Districts { rows: (0..rows as u32).collect(), count };
        }
        let block = block_rows(values);
        let mut blocks: Vec<usize> = (0..rows.div_ceil(block)).collect();
        StreamKey::new(seed, "blocks").open().shuffle(&mut blocks);
        let rows_of = |b: usize| (b * block) as u32..((b + 1) * block).min(rows) as u32;
        let mut districts = Districts { rows: blocks.into_iter().flat_map(rows_of).collect(), count };
        for district in 0..count {
            let range = part(rows, count, district);
            districts.rows[range].sort_unstable();
        }
        districts
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The rows of a district.
    pub(crate) fn rows(&self, district: usize) -> &[u32] {
        &self.rows[part(self.rows.len(), self.count, district)]
    }

    /// The codes of the rows of a district, out of those of all rows.
    pub(crate) fn codes<'a>(&self, district: usize, all: &'a Matrix<f32>) -> Cow<'a, Matrix<f32>> {
        if self.count == 1 {
            return Cow::Borrowed(all);
        }
        let rows = self.rows(district);
        let mut some = Matrix::zeros(rows.len(), all.cols());
        for (i, &row) in rows.iter().enumerate() {
            some.row_mut(i).copy_from_slice(all.row(row as usize));
        }
        Cow::Owned(some)
    }

    /// The codes of the rows that speak for all: those of the first district.
    pub(crate) fn sample<'a>(&self, all: &'a Matrix<f32>) -> Cow<'a, Matrix<f32>> {
        self.codes(0, all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_are_one_district_in_their_own_order() {
        let all = Districts::new((700, 3), 700, 1);
        assert_eq!(all.count(), 1);
        assert!(all.rows(0).iter().copied().eq(0..700));
    }

    #[test]
    fn many_rows_are_divided_into_districts_of_blocks_from_everywhere() {
        let (most, rows) = (100_000, 200_077);
        let districts = Districts::new((rows, 1_000), most, 1);
        assert_eq!(districts.count(), 3);
        let mut seen: Vec<u32> = (0..3).flat_map(|d| districts.rows(d).to_vec()).collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..rows as u32));
        let block = block_rows(1_000) as u32;
        for district in 0..3 {
            let members = districts.rows(district);
            assert!(members.len().abs_diff(rows / 3) <= 1);
            // Whole blocks, but for those that are cut between districts and at the end.
            let breaks = members.windows(2).filter(|w| w[1] != w[0] + 1 && w[1] % block != 0).count();
            assert!(breaks <= 1, "{breaks}");
            let early = members.iter().filter(|&&row| row < rows as u32 / 2).count();
            assert!(early.abs_diff(members.len() / 2) < members.len() / 20, "{early}");
        }
        assert_ne!(districts.rows(0), Districts::new((rows, 1_000), most, 2).rows(0));
    }
}
