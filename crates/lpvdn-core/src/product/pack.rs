//! Operands copied into the order in which the innermost loop reads them.

use std::cell::RefCell;
use std::ops::Range;

use rayon::prelude::*;

use super::kernel::{self, MR, NR, PanelCut, RowCut, Target};
use super::{DEPTH, SERIAL, part_of_depth};
use crate::matrix::MatrixView;
use crate::real::Real;
use crate::select::{Select, Selected};
use crate::simd::Level;

/// Both operands of a product, ready to be multiplied.
pub(super) struct Packed<'a, T> {
    left: LeftOperand<'a, T>,
    /// Panels of [`NR`] columns, padded with zeros, all their values for one l side by side.
    right: Panels<T>,
    inner: Inner<'a>,
}

/// Panels in aligned memory, cut after cut.
struct Panels<T> {
    memory: Aligned<T>,
    /// The rows, or columns, of all panels together.
    width: usize,
}

/// The inner dimension: how long it is, and which of its indices take part.
#[derive(Clone, Copy)]
struct Inner<'a> {
    whole: usize,
    chosen: Select<'a>,
}

impl Inner<'_> {
    fn cuts(self) -> usize {
        self.whole.div_ceil(DEPTH)
    }

    /// The `cut`-th stretch, counted in chosen indices. Its ends are those of the whole dimension, so
    /// that leaving out indices where an operand is zero leaves every bit of the sums as it is.
    #[inline]
    fn cut(self, cut: usize) -> Range<usize> {
        let part = part_of_depth(self.whole, cut);
        self.chosen.below(part.start)..self.chosen.below(part.end)
    }

    fn len(self) -> usize {
        self.chosen.below(self.whole)
    }
}

enum LeftOperand<'a, T> {
    /// Row-major: used as it is.
    Rows(MatrixView<'a, T>),
    /// The transpose of a row-major matrix, or one with ones below it: panels of [`MR`] rows.
    Panels(Panels<T>),
}

impl<'a, T: Real> Packed<'a, T> {
    /// Packs the operands into memory taken from this thread's store. The left one, which has only
    /// the columns that take part, gets rows of ones below it until it has `rows` rows.
    pub(super) fn new(a: MatrixView<'a, T>, rows: usize, b: Selected<'a, T>) -> Packed<'a, T> {
        let inner = Inner { whole: b.matrix.rows(), chosen: b.rows };
        let right = Panels::<T>::pack::<NR>(b.t(), b.cols(), inner);
        let left = if a.col_stride == 1 && rows == a.rows() {
            LeftOperand::Rows(a)
        } else {
            LeftOperand::Panels(Panels::pack::<MR>(a.into(), rows, inner))
        };
        Packed { left, right, inner }
    }

    /// Gives the memory back.
    pub(super) fn release(self) {
        if let LeftOperand::Panels(panels) = self.left {
            panels.memory.into_store();
        }
        self.right.memory.into_store();
    }

    /// The number of cuts.
    pub(super) fn cuts(&self) -> usize {
        self.inner.cuts()
    }

    /// Writes the given blocks of the output for one cut and the panels of the right operand from the j-th on,
    /// as many as the column needs: at most [`kernel::panels_at_once`].
    ///
    /// # Safety
    /// `column` must describe the cells of these blocks.
    pub(super) unsafe fn multiply(&self, blocks: Range<usize>, j: usize, cut: usize, column: Target<T>) {
        let range = self.inner.cut(cut);
        let (first, depth) = (range.start, range.len());
        let panels = column.cols.div_ceil(NR);
        let right = &self.right.cut(range.clone())[j * NR * depth..][..panels * NR * depth];
        // SAFETY: both sides are as deep as the cut; the caller's promise is passed on.
        unsafe {
            match &self.left {
                LeftOperand::Panels(left) => {
                    kernel::multiply(PanelCut { panels: left.cut(range), depth }, blocks, right, column);
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

    pub(super) fn from_store() -> Aligned<T> {
        T::with_pack_store(|store| store.borrow_mut().pop().unwrap_or_default())
    }

    pub(super) fn into_store(self) {
        T::with_pack_store(|store| store.borrow_mut().push(self));
    }

    pub(super) fn resize(&mut self, len: usize) -> &mut [T] {
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

impl<T: Real> Panels<T> {
    /// Copies the rows of `m`, and rows of ones below them up to `rows` in all, into panels of
    /// `WIDTH` rows; what is left of the last panel is filled with zeros.
    fn pack<const WIDTH: usize>(m: Selected<'_, T>, rows: usize, inner: Inner<'_>) -> Panels<T> {
        let mut panels = Panels { memory: Aligned::from_store(), width: rows.next_multiple_of(WIDTH) };
        let ones = rows - m.rows();
        let mut rest = panels.memory.resize(panels.width * inner.len());
        for cut in 0..inner.cuts() {
            let range = inner.cut(cut);
            if range.is_empty() {
                continue;
            }
            let (panels, after) = rest.split_at_mut(panels.width * range.len());
            rest = after;
            let size = WIDTH * range.len();
            let one = |(p, panel): (usize, &mut [T])| {
                pack_panel::<T, WIDTH>(m, ones, p * WIDTH, range.clone(), panel);
            };
            if panels.len() <= SERIAL {
                panels.chunks_mut(size).enumerate().for_each(one);
            } else {
                panels.par_chunks_mut(size).with_min_len(4).enumerate().for_each(one);
            }
        }
        panels
    }

    /// All panels of a cut: they lie side by side, so that the innermost loop reads straight on.
    #[inline]
    fn cut(&self, cut: Range<usize>) -> &[T] {
        &self.memory.get()[cut.start * self.width..cut.end * self.width]
    }
}

/// Fills the panel that starts at row `first`, at this process's instruction-set level.
fn pack_panel<T: Real, const WIDTH: usize>(
    m: Selected<'_, T>,
    ones: usize,
    first: usize,
    depth: Range<usize>,
    panel: &mut [T],
) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn avx2<T: Real, const WIDTH: usize>(
        m: Selected<'_, T>,
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
    m: Selected<'_, T>,
    ones: usize,
    first: usize,
    depth: Range<usize>,
    panel: &mut [T],
) {
    if m.matrix.row_stride == 1 {
        pack_columns::<T, WIDTH>(m, ones, first, depth, panel);
    } else {
        pack_rows::<T, WIDTH>(m, ones, first, depth, panel);
    }
}

/// The values for one l already lie side by side.
#[inline(always)]
fn pack_columns<T: Real, const WIDTH: usize>(
    m: Selected<'_, T>,
    ones: usize,
    first: usize,
    depth: Range<usize>,
    panel: &mut [T],
) {
    let rows = WIDTH.min(m.rows().saturating_sub(first));
    let edge = edge::<T, WIDTH>(m.rows(), ones, first);
    let Selected { matrix, rows: chosen, cols } = m;
    for (l, out) in depth.zip(panel.chunks_exact_mut(WIDTH)) {
        let start = cols.at(l) * matrix.col_stride;
        if let Select::Some(chosen) = chosen {
            out.copy_from_slice(&edge);
            let row = &matrix.data[start..];
            out.iter_mut().zip(&chosen[first..][..rows]).for_each(|(o, &i)| *o = row[i as usize]);
            continue;
        }
        let from = &matrix.data[start + first..][..rows];
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
    m: Selected<'_, T>,
    ones: usize,
    first: usize,
    depth: Range<usize>,
    panel: &mut [T],
) {
    let Selected { matrix, rows: chosen, cols } = m;
    assert_eq!(matrix.col_stride, 1, "a view is row-major or the transpose of one that is");
    let rows = WIDTH.min(m.rows().saturating_sub(first));
    let row = |r: usize| &matrix.data[chosen.at(first + r) * matrix.row_stride..][..matrix.cols()];
    if rows == WIDTH {
        let streams: [&[T]; WIDTH] = std::array::from_fn(row);
        let from = |out: &mut [T], l: usize| (0..WIDTH).for_each(|r| out[r] = streams[r][l]);
        let outs = panel.chunks_exact_mut(WIDTH);
        match cols {
            Select::All => outs.zip(depth).for_each(|(out, l)| from(out, l)),
            Select::Some(cols) => outs.zip(&cols[depth]).for_each(|(out, &l)| from(out, l as usize)),
        }
    } else {
        let edge = edge::<T, WIDTH>(m.rows(), ones, first);
        for (l, out) in depth.zip(panel.chunks_exact_mut(WIDTH)) {
            out.copy_from_slice(&edge);
            (0..rows).for_each(|r| out[r] = row(r)[cols.at(l)]);
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
