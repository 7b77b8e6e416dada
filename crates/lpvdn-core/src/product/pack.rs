//! Operands copied into the order in which the innermost loop reads them.

use std::cell::RefCell;
use std::ops::Range;

use rayon::prelude::*;

use super::kernel::{self, MR, NR, Target};
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
    /// The transpose of a row-major matrix: panels of [`MR`] rows.
    Panels(Aligned<T>),
}

impl<'a, T: Real> Packed<'a, T> {
    /// Packs the operands into memory taken from this thread's store.
    pub(super) fn new(a: MatrixView<'a, T>, b: MatrixView<'_, T>) -> Packed<'a, T> {
        let depth = a.cols();
        let mut right = Aligned::from_store();
        pack::<T, NR>(b.t(), right.resize(b.cols().div_ceil(NR) * NR * depth));
        let left = if a.col_stride == 1 {
            LeftOperand::Rows(a)
        } else {
            let mut panels = Aligned::from_store();
            pack::<T, MR>(a, panels.resize(a.rows().div_ceil(MR) * MR * depth));
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

    /// Writes block (i, j) of the output for one cut.
    ///
    /// # Safety
    /// `target` must describe the cells of that block.
    #[inline]
    pub(super) unsafe fn multiply(&self, level: Level, i: usize, j: usize, cut: usize, target: Target<T>) {
        let right = panel::<T, NR>(self.right.get(), self.depth, j, cut);
        // SAFETY: both sides are as deep as the cut; the caller's promise is passed on.
        unsafe {
            match &self.left {
                LeftOperand::Panels(left) => {
                    let left = panel::<T, MR>(left.get(), self.depth, i, cut);
                    kernel::multiply(level, kernel::Panel(left), right, target);
                }
                LeftOperand::Rows(m) => {
                    let depth = part_of_depth(self.depth, cut);
                    // Below the last row it is read again; what comes of it is not written.
                    let row = |r: usize| {
                        let row = (i * MR + r).min(m.rows() - 1);
                        m.data[row * m.row_stride..][depth.clone()].as_ptr()
                    };
                    kernel::multiply(level, kernel::Rows(std::array::from_fn(row)), right, target);
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

/// All panels of a cut lie side by side, cut after cut: the innermost loop reads straight on.
#[inline]
fn panel<T, const WIDTH: usize>(packed: &[T], depth: usize, i: usize, cut: usize) -> &[T] {
    let cut = part_of_depth(depth, cut);
    let rows = packed.len() / depth;
    let start = cut.start * rows + i * WIDTH * cut.len();
    &packed[start..start + WIDTH * cut.len()]
}

/// Copies the rows of `m` into panels of `WIDTH` rows.
fn pack<T: Real, const WIDTH: usize>(m: MatrixView<'_, T>, packed: &mut [T]) {
    let depth = m.cols();
    if depth == 0 {
        return;
    }
    let rows = packed.len() / depth;
    let mut rest = packed;
    for cut in 0..depth.div_ceil(DEPTH) {
        let range = part_of_depth(depth, cut);
        let (panels, after) = rest.split_at_mut(rows * range.len());
        rest = after;
        let size = WIDTH * range.len();
        let one = |(p, panel): (usize, &mut [T])| pack_panel::<T, WIDTH>(m, p * WIDTH, range.clone(), panel);
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
    first: usize,
    depth: Range<usize>,
    panel: &mut [T],
) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn avx2<T: Real, const WIDTH: usize>(
        m: MatrixView<'_, T>,
        first: usize,
        depth: Range<usize>,
        panel: &mut [T],
    ) {
        pack_panel_plain::<T, WIDTH>(m, first, depth, panel);
    }
    match Level::current() {
        // SAFETY: `Level::Avx2` is only ever chosen where the processor has the feature.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::<T, WIDTH>(m, first, depth, panel) },
        _ => pack_panel_plain::<T, WIDTH>(m, first, depth, panel),
    }
}

#[inline(always)]
fn pack_panel_plain<T: Real, const WIDTH: usize>(
    m: MatrixView<'_, T>,
    first: usize,
    depth: Range<usize>,
    panel: &mut [T],
) {
    if m.row_stride == 1 {
        pack_columns::<T, WIDTH>(m, first, depth, panel);
    } else {
        pack_rows::<T, WIDTH>(m, first, depth, panel);
    }
}

/// The values for one l already lie side by side.
#[inline(always)]
fn pack_columns<T: Real, const WIDTH: usize>(
    m: MatrixView<'_, T>,
    first: usize,
    depth: Range<usize>,
    panel: &mut [T],
) {
    let rows = WIDTH.min(m.rows() - first);
    for (l, out) in depth.zip(panel.chunks_exact_mut(WIDTH)) {
        let from = &m.data[l * m.col_stride + first..][..rows];
        // Arrays, so that a copy is a few moves of known width.
        if let (Ok(out), Ok(from)) = (<&mut [T; WIDTH]>::try_from(&mut *out), <&[T; WIDTH]>::try_from(from)) {
            *out = *from;
        } else {
            out[..rows].copy_from_slice(from);
            out[rows..].fill(T::ZERO);
        }
    }
}

/// A transpose: `WIDTH` streams in, one out.
#[inline(always)]
fn pack_rows<T: Real, const WIDTH: usize>(
    m: MatrixView<'_, T>,
    first: usize,
    depth: Range<usize>,
    panel: &mut [T],
) {
    assert_eq!(m.col_stride, 1, "a view is row-major or the transpose of one that is");
    let rows = WIDTH.min(m.rows() - first);
    let row = |r: usize| &m.data[(first + r) * m.row_stride..][depth.clone()];
    if rows == WIDTH {
        let streams: [&[T]; WIDTH] = std::array::from_fn(row);
        for (l, out) in panel.chunks_exact_mut(WIDTH).enumerate() {
            for r in 0..WIDTH {
                out[r] = streams[r][l];
            }
        }
    } else {
        panel.fill(T::ZERO);
        for r in 0..rows {
            panel[r..].iter_mut().step_by(WIDTH).zip(row(r)).for_each(|(o, &v)| *o = v);
        }
    }
}

/// This thread's store of packing memory, a stack: a thread that waits for its own product may be
/// given another one to work on, which then takes the next.
pub type PackStore<T> = RefCell<Vec<Aligned<T>>>;
