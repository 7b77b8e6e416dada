//! Orders in which near points, or equal ones, stand side by side.

use std::cmp::Ordering;

use lpvdn_core::Matrix;
use rayon::prelude::*;

/// Points of a leaf of the k-d tree: a few cache lines, which are close enough as they are.
const LEAF: usize = 16;
/// Points of a part that is worth a task of its own.
const TASK: usize = 2048;

/// All rows, equal ones side by side and in the order of their indices.
pub(super) fn by_value(points: &Matrix<f32>) -> Vec<u32> {
    let mut order: Vec<u32> = (0..points.rows() as u32).collect();
    order.par_sort_unstable_by(|&a, &b| {
        compare(points.row(a as usize), points.row(b as usize)).then(a.cmp(&b))
    });
    order
}

/// By their first columns that differ. The values are finite; −0 and 0 are equal.
fn compare(a: &[f32], b: &[f32]) -> Ordering {
    a.partial_cmp(b).unwrap_or(Ordering::Equal)
}

/// Arranges `rows` as the leaves of a k-d tree: each part is halved at the median of the column in which
/// it is widest.
pub(super) fn by_place(points: &Matrix<f32>, rows: &mut [u32]) {
    if rows.len() <= LEAF {
        return rows.sort_unstable();
    }
    let column = widest_column(points, rows);
    let value = |row: u32| points.row(row as usize)[column];
    let middle = rows.len() / 2;
    rows.select_nth_unstable_by(middle, |&a, &b| value(a).total_cmp(&value(b)).then(a.cmp(&b)));
    let (low, high) = rows.split_at_mut(middle);
    if low.len() < TASK {
        by_place(points, low);
        by_place(points, high);
    } else {
        rayon::join(|| by_place(points, low), || by_place(points, high));
    }
}

fn widest_column(points: &Matrix<f32>, rows: &[u32]) -> usize {
    let first = points.row(rows[0] as usize);
    let (mut least, mut most) = (first.to_vec(), first.to_vec());
    for &row in rows {
        for ((least, most), &x) in least.iter_mut().zip(&mut most).zip(points.row(row as usize)) {
            (*least, *most) = (least.min(x), most.max(x));
        }
    }
    let widths = least.iter().zip(&most).map(|(least, most)| most - least);
    widths.enumerate().fold((0, 0.0), |best, (j, width)| if width > best.1 { (j, width) } else { best }).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_stand_side_by_side_in_the_order_of_their_indices() {
        let rows = Matrix::from_vec(vec![1.0, 5.0, 0.0, 2.0, 1.0, 5.0, -0.0, 2.0, 1.0, 4.0], 5, 2);
        assert_eq!(by_value(&rows), [1, 3, 4, 0, 2]);
    }

    #[test]
    fn every_leaf_of_a_square_is_a_small_square() {
        let square = Matrix::from_fn(1024, 2, |i, j| if j == 0 { (i % 32) as f32 } else { (i / 32) as f32 });
        let mut order: Vec<u32> = (0..1024).collect();
        by_place(&square, &mut order);
        for leaf in order.chunks(LEAF) {
            for j in 0..2 {
                let values = || leaf.iter().map(|&i| square.row(i as usize)[j] as u32);
                assert_eq!(values().max().zip(values().min()).map(|(max, min)| max - min), Some(3));
            }
        }
    }
}
