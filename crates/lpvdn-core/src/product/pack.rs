//! Operands copied into the order in which the innermost loop reads them.

use std::cell::RefCell;
use std::ops::Range;

use rayon::prelude::*;

use super::kernel::{self, MR, NR, PanelCut, RowCut, Target};
use super::{DEPTH, SERIAL, part_of_depth};
use crate::matrix::MatrixView;
use crate::real::Real;
use crate::simd::Level;

/// Both operands of a product, ready to be multiplied.
pub(super) struct Packed<'a, T> {
    left: LeftOperand<'a, T>,
    /// Panels of [`NR`] columns, padded with zeros, all their values for one l side by side.
    right: Aligned<T>,
    depth: usize,
}

enum LeftOperand<'a, T> {
    /// Row-major: used as it is.
    Rows(MatrixView<'a, T>),
    /// The transpose of a row-major matrix, or one with ones below it: panels of [`MR`] rows.
    Panels(Aligned<T>),
}

impl<'a, T: Real> Packed<'a, T> {
    /// Packs the operands into memory taken from this thread's store. The left one gets rows of ones
    /// below it until it has `rows` rows.
    pub(super) fn new(a: MatrixView<'a, T>, rows: usize, b: MatrixView<'_, T>) -> Packed<'a, T> {
        let depth = a.cols();
        let mut right = Aligned::from_store();
        pack::<T, NR>(b.t(), b.cols(), right.resize(b.cols().div_ceil(NR) * NR * depth));
        let left = if a.col_stride == 1 && rows == a.rows() {
            LeftOperand::Rows(a)
        } else {
            let mut panels = Aligned::from_store();
            pack::<T, MR>(a, rows, panels.resize(rows.div_ceil(MR) * MR * depth));
            LeftOperand::Panels(panels)
        };
        Packed { left, right, depth }
    }

    /// Gives the memory back.
    pub(super) fn release(self) {
        if let LeftOperand::Panels(panels) = self.left {
            panels.into_store();
        }
        self.right.into_store();
    }

    /// The number of cuts.
    pub(super) fn cuts(&self) -> usize {
        self.depth.div_ceil(DEPTH)
    }

    /// Writes the given blocks of column j of the output for one cut.
    ///
    /// # Safety
    /// `column` must describe the cells of these blocks.
    pub(super) unsafe fn multiply(&self, blocks: Range<usize>, j: usize, cut: usize, column: Target<T>) {
        let right = cut_of(self.right.get(), self.depth, cut);
        let Range { start: first, end } = part_of_depth(self.depth, cut);
        let depth = end - first;
        let right = &right[j * NR * depth..][..NR * depth];
        // SAFETY: both sides are as deep as the cut; the caller's promise is passed on.
        unsafe {
            match &self.left {
                LeftOperand::Panels(left) => {
                    let panels = cut_of(left.get(), self.depth, cut);
                    kernel::multiply(PanelCut { panels, depth }, blocks, right, column);
                }
                LeftOperand::Rows(m) => {
                    let cut = RowCut { data: m.data, stride: m.row_stride, rows: m.rows(), first, depth };
                    kernel::multiply(cut, blocks, right, column);
                }
            }
        }
    }
}

/// Memory that starts at a cache line: a row of a right panel is a whole line of `f32`, and a load
/// that straddles two costs double.
#[derive(Debug, Default)]
pub struct Aligned<T> {
    memory: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Real> Aligned<T> {
    const LINE: usize = 64;

    fn from_store() -> Aligned<T> {
        T::with_pack_store(|store| store.borrow_mut().pop().unwrap_or_default())
    }

    fn into_store(self) {
        T::with_pack_store(|store| store.borrow_mut().push(self));
    }

    fn resize(&mut self, len: usize) -> &mut [T] {
        let room = len + Self::LINE / size_of::<T>();
        if self.memory.len() < room {
            self.memory.resize(room, T::ZERO);
        }
        self.start = self.memory.as_ptr().align_offset(Self::LINE);
        self.len = len;
        &mut self.memory[self.start..self.start + len]
    }

    #[inline]
    fn get(&self) -> &[T] {
        &self.memory[self.start..self.start + self.len]
    }
}

/// All panels of a cut: they lie side by side, cut after cut, so that the innermost loop reads
/// straight on.
#[inline]
fn cut_of<T>(packed: &[T], depth: usize, cut: usize) -> &[T] {
    let cut = part_of_depth(depth, cut);
    let rows = packed.len() / depth;
    &packed[cut.start * rows..cut.end * rows]
}

/// Copies the rows of `m`, and rows of ones below them up to `rows` in all, into panels of `WIDTH`
/// rows; what is left of the last panel is filled with zeros.
fn pack<T: Real, const WIDTH: usize>(m: MatrixView<'_, T>, rows: usize, packed: &mut [T]) {
    let depth = m.cols();
    if depth == 0 {
        return;
    }
    let ones = rows - m.rows();
    let rows = packed.len() / depth;
    let mut rest = packed;
    for cut in 0..depth.div_ceil(DEPTH) {
        let range = part_of_depth(depth, cut);
        let (panels, after) = rest.split_at_mut(rows * range.len());
        rest = after;
        let size = WIDTH * range.len();
        let one =
            |(p, panel): (usize, &mut [T])| pack_panel::<T, WIDTH>(m, ones, p * WIDTH, range.clone(), panel);
        if panels.len() <= SERIAL {
            panels.chunks_mut(size).enumerate().for_each(one);
        } else {
            panels.par_chunks_mut(size).with_min_len(4).enumerate().for_each(one);
        }
    }
}

/// Fills the panel that starts at row `first`, at this process's instruction-set level.
fn pack_panel<T: Real, const WIDTH: usize>(
    m: MatrixView<'_, T>,
    ones: usize,
    first: usize,
    depth: Range<usize>,
    panel: &mut [T],
) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn avx2<T: Real, const WIDTH: usize>(
        m: MatrixView<'_, T>,
        ones: usize,
        first: usize,
        depth: Range<usize>,
        panel: &mut [T],
    ) {
        pack_panel_plain::<T, WIDTH>(m, ones, first, depth, panel);
    }
    match Level::current() {
        // SAFETY: `Level::Avx2` is only ever chosen where the processor has the feature.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::<T, WIDTH>(m, ones, first, depth, panel) },
        _ => pack_panel_plain::<T, WIDTH>(m, ones, first, depth, panel),
    }
}

#[inline(always)]
fn pack_panel_plain<T: Real, const WIDTH: usize>(
    m: MatrixView<'_, T>,
    ones: usize,
    first: usize,
    depth: Range<usize>,
    panel: &mut [T],
) {
    if m.row_stride == 1 {
        pack_columns::<T, WIDTH>(m, ones, first, depth, panel);
    } else {
        pack_rows::<T, WIDTH>(m, ones, first, depth, panel);
    }
}

/// The values for one l already lie side by side.
#[inline(always)]
fn pack_columns<T: Real, const WIDTH: usize>(
    m: MatrixView<'_, T>,
    ones: usize,
    first: usize,
    depth: Range<usize>,
    panel: &mut [T],
) {
    let rows = WIDTH.min(m.rows().saturating_sub(first));
    let edge = edge::<T, WIDTH>(m.rows(), ones, first);
    for (l, out) in depth.zip(panel.chunks_exact_mut(WIDTH)) {
        let start = l * m.col_stride + first;
        let from = &m.data[start..][..rows];
        // Arrays, so that a copy is a few moves of known width.
        if let (Ok(out), Ok(from)) = (<&mut [T; WIDTH]>::try_from(&mut *out), <&[T; WIDTH]>::try_from(from)) {
            *out = *from;
        } else {
            out[..rows].copy_from_slice(from);
            out[rows..].copy_from_slice(&edge[rows..]);
        }
    }
}

/// A transpose: `WIDTH` streams in, one out.
#[inline(always)]
fn pack_rows<T: Real, const WIDTH: usize>(
    m: MatrixView<'_, T>,
    ones: usize,
    first: usize,
    depth: Range<usize>,
    panel: &mut [T],
) {
    assert_eq!(m.col_stride, 1, "a view is row-major or the transpose of one that is");
    let rows = WIDTH.min(m.rows().saturating_sub(first));
    let row = |r: usize| &m.data[(first + r) * m.row_stride..][depth.clone()];
    if rows == WIDTH {
        let streams: [&[T]; WIDTH] = std::array::from_fn(row);
        for (l, out) in panel.chunks_exact_mut(WIDTH).enumerate() {
            for r in 0..WIDTH {
                out[r] = streams[r][l];
            }
        }
    } else {
        let edge = edge::<T, WIDTH>(m.rows(), ones, first);
        panel.chunks_exact_mut(WIDTH).for_each(|out| out.copy_from_slice(&edge));
        for r in 0..rows {
            panel[r..].iter_mut().step_by(WIDTH).zip(row(r)).for_each(|(o, &v)| *o = v);
        }
    }
}

/// What stands below row `m_rows` in the panel that starts at row `first`: ones, then zeros.
#[inline(always)]
fn edge<T: Real, const WIDTH: usize>(m_rows: usize, ones: usize, first: usize) -> [T; WIDTH] {
    std::array::from_fn(|r| if (m_rows..m_rows + ones).contains(&(first + r)) { T::ONE } else { T::ZERO })
}

/// This thread's store of packing memory, a stack: a thread that waits for its own product may be
/// given another one to work on, which then takes the next.
pub type PackStore<T> = RefCell<Vec<Aligned<T>>>;
