//! Squared Euclidean distances from many rows to a few points, by differences.
//!
//! $$d^2(x, c) = \sum_j (x_j - c_j)^2$$
//!
//! The expanded form $\|x\|^2 - 2x\cdot c + \|c\|^2$ turns this into a matrix product, but it
//! cancels: two rows that are equal come out at a distance of $10^{-6}\|x\|^2$, not at 0. The
//! differences do not cancel and need no centred copy of the rows, and a register-blocked loop over
//! them keeps up with the product: measured against `gemm`, faster at 10 columns, 15 % slower at
//! 784 columns and 10 points, 25 % slower at 784 columns and 100 points.
//!
//! Every distance is computed by the same sequence of operations wherever its row stands, so its
//! bits never depend on which other rows are in the call.

use lpvdn_core::{Matrix, Real, kernel};

/// Points side by side in a panel: one AVX register of `f32`.
pub(crate) const LANES: usize = 8;
/// Rows handled together: eight accumulators hide the latency of a multiply-add.
const GROUP: usize = 8;
/// Columns summed before their sum joins the total: in two levels, the rounding error of a sum over
/// a thousand columns stays that of a hundred.
const SEGMENT: usize = 128;

/// Values of panels that are used for all rows of a call before the next ones: 256 KiB, about half a
/// second-level cache.
const CACHED: usize = 1 << 16;

/// Points stored for [`Points::distances`]: transposed, in panels of [`LANES`].
#[derive(Clone, Debug)]
#[allow(unreachable_pub)] // A sealed trait names it.
pub struct Points {
    panels: Vec<f32>,
    /// ‖c‖² of each point, in panels too.
    squares: Vec<[f64; LANES]>,
    count: usize,
    cols: usize,
}

impl Points {
    /// Packs `rows`, each `cols` long.
    pub(crate) fn new<'a>(rows: impl ExactSizeIterator<Item = &'a [f32]>, cols: usize) -> Points {
        let count = rows.len();
        let mut panels = vec![0.0; count.div_ceil(LANES) * LANES * cols];
        let mut squares = vec![[0.0; LANES]; count.div_ceil(LANES)];
        for (i, row) in rows.enumerate() {
            let panel = &mut panels[(i / LANES) * LANES * cols..];
            row.iter().enumerate().for_each(|(j, &x)| panel[j * LANES + i % LANES] = x);
            squares[i / LANES][i % LANES] = row.iter().map(|&x| f64::from(x).powi(2)).sum();
        }
        Points { panels, squares, count, cols }
    }

    /// Packs all rows of a matrix.
    pub(crate) fn of(matrix: &Matrix<f32>) -> Points {
        Points::new(matrix.iter_rows(), matrix.cols())
    }

    /// How many points there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The length of a row of the output of [`distances`](Points::distances): [`len`](Points::len)
    /// rounded up to whole panels. The surplus cells hold no distance.
    pub(crate) fn stride(&self) -> usize {
        self.count.div_ceil(LANES) * LANES
    }

    /// ‖c‖² of the points of a panel.
    pub(crate) fn squares(&self, panel: usize) -> &[f64; LANES] {
        &self.squares[panel]
    }

    /// Column `j` of the points of a panel.
    pub(crate) fn column(&self, panel: usize, j: usize) -> &[f32] {
        &self.panels[(panel * self.cols + j) * LANES..][..LANES]
    }

    /// Writes the squared distances from rows `indices` of `data` to all points.
    pub(crate) fn distances(&self, data: &Matrix<f32>, indices: &[u32], out: &mut Vec<f32>) {
        debug_assert_eq!(data.cols(), self.cols);
        out.resize(indices.len() * self.stride(), 0.0);
        if self.cols == 0 {
            return out.fill(0.0);
        }
        squared_distances(data.as_slice(), self.cols, indices, &self.panels, self.stride(), out);
    }
}

kernel! {
    fn squared_distances<T>(
        data: &[T], cols: usize, indices: &[u32], panels: &[T], stride: usize, out: &mut [T]
    ) {
        let batch = (CACHED / (LANES * cols)).max(1);
        for (b, panels) in panels.chunks(batch * LANES * cols).enumerate() {
            let offset = b * batch * LANES;
            let mut groups = indices.chunks_exact(GROUP);
            let mut outs = out.chunks_exact_mut(GROUP * stride);
            for (group, out) in groups.by_ref().zip(outs.by_ref()) {
                let rows: [&[T]; GROUP] = std::array::from_fn(|r| row(data, cols, group[r]));
                group_distances::<T, FMA, GROUP>(rows, cols, panels, stride, &mut out[offset..]);
            }
            let rest = outs.into_remainder().chunks_exact_mut(stride);
            for (&index, out) in groups.remainder().iter().zip(rest) {
                group_distances::<T, FMA, 1>([row(data, cols, index)], cols, panels, stride, &mut out[offset..]);
            }
        }
    }
}

#[inline(always)]
fn row<T>(data: &[T], cols: usize, index: u32) -> &[T] {
    &data[index as usize * cols..][..cols]
}

/// The distances of `R` rows to the points of `panels`. For each cell the operations and their order do not
/// depend on `R`.
#[inline(always)]
#[allow(clippy::needless_range_loop)]
fn group_distances<T: Real, const FMA: bool, const R: usize>(
    rows: [&[T]; R],
    cols: usize,
    panels: &[T],
    stride: usize,
    out: &mut [T],
) {
    for (p, panel) in panels.chunks_exact(LANES * cols).enumerate() {
        let mut total = [[T::ZERO; LANES]; R];
        for start in (0..cols).step_by(SEGMENT) {
            let end = (start + SEGMENT).min(cols);
            let part: [&[T]; R] = std::array::from_fn(|r| &rows[r][start..end]);
            let sum = segment::<T, FMA, R>(part, &panel[start * LANES..end * LANES]);
            // By index: with iterators here the sums do not stay in registers, at a third of the speed.
            for r in 0..R {
                for l in 0..LANES {
                    total[r][l] += sum[r][l];
                }
            }
        }
        for (r, total) in total.iter().enumerate() {
            out[r * stride + p * LANES..][..LANES].copy_from_slice(total);
        }
    }
}

#[inline(always)]
#[allow(clippy::needless_range_loop)]
fn segment<T: Real, const FMA: bool, const R: usize>(rows: [&[T]; R], panel: &[T]) -> [[T; LANES]; R] {
    let mut sum = [[T::ZERO; LANES]; R];
    let len = panel.len() / LANES;
    let rows: [&[T]; R] = std::array::from_fn(|r| &rows[r][..len]);
    let (panel, _) = panel.as_chunks::<LANES>();
    for (j, point) in panel.iter().enumerate() {
        for r in 0..R {
            let x = rows[r][j];
            for l in 0..LANES {
                let d = x - point[l];
                sum[r][l] = d.fma::<FMA>(d, sum[r][l]);
            }
        }
    }
    sum
}

kernel! {
    /// The squared distance between two rows, by differences. It is symmetric to the bit.
    pub(crate) fn squared_distance<T>(a: &[T], b: &[T]) -> T {
        let mut total = T::ZERO;
        for (a, b) in a.chunks(SEGMENT * LANES).zip(b.chunks(SEGMENT * LANES)) {
            let ((a_lanes, a_rest), (b_lanes, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
            let mut sums = [T::ZERO; LANES];
            for (a, b) in a_lanes.iter().zip(b_lanes) {
                for l in 0..LANES {
                    let d = a[l] - b[l];
                    sums[l] = d.fma::<FMA>(d, sums[l]);
                }
            }
            for ((&a, &b), sum) in a_rest.iter().zip(b_rest).zip(&mut sums) {
                *sum = (a - b).fma::<FMA>(a - b, *sum);
            }
            total += sums.into_iter().sum::<T>();
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lpvdn_core::StreamKey;

    fn random(rows: usize, cols: usize, step: u64) -> Matrix<f32> {
        let mut s = StreamKey::new(1, "distance").at(0, 0, step).open();
        Matrix::from_fn(rows, cols, |_, _| s.normal() as f32)
    }

    #[test]
    fn distances_agree_with_plain_sums_for_every_shape() {
        for (rows, cols, points) in
            [(1, 1, 1), (7, 3, 9), (17, 130, 8), (20, 300, 17), (2, 1100, 3), (9, 5000, 20), (3, 0, 2)]
        {
            let (x, c) = (random(rows, cols, 1), random(points, cols, 2));
            let packed = Points::of(&c);
            let mut out = Vec::new();
            packed.distances(&x, &(0..rows as u32).collect::<Vec<_>>(), &mut out);
            for i in 0..rows {
                for k in 0..points {
                    let want: f64 =
                        x.row(i).iter().zip(c.row(k)).map(|(a, b)| f64::from(a - b).powi(2)).sum();
                    let got = f64::from(out[i * packed.stride() + k]);
                    assert!((got - want).abs() <= 2e-6 * want, "{rows} {cols} {points}: {got} {want}");
                    let pair = squared_distance(x.row(i), c.row(k));
                    assert!((f64::from(pair) - want).abs() <= 2e-6 * want, "pair: {pair} {want}");
                    assert_eq!(pair.to_bits(), squared_distance(c.row(k), x.row(i)).to_bits());
                }
            }
        }
    }

    #[test]
    fn the_bits_of_a_distance_do_not_depend_on_the_other_rows_of_the_call() {
        let (x, c) = (random(23, 200, 3), random(11, 200, 4));
        let packed = Points::of(&c);
        let (mut together, mut alone) = (Vec::new(), Vec::new());
        packed.distances(&x, &(0..23).collect::<Vec<_>>(), &mut together);
        for i in 0..23 {
            packed.distances(&x, &[i as u32], &mut alone);
            let same = &together[i * packed.stride()..][..packed.len()];
            assert!(same.iter().zip(&alone).all(|(a, b)| a.to_bits() == b.to_bits()), "row {i}");
        }
    }
}
