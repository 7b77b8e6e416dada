//! The outputs of a layer for a batch, without the units that are silent in all of it.
//!
//! A trained ReLU network has many units that are zero for a whole batch: on MNIST about a third. Such
//! a unit adds nothing to the next layer, and its weights get no gradient. So only the columns of the
//! others, the live ones, are kept side by side, and every product is that much smaller. No bit
//! of a result depends on it, as long as weights are finite: a left-out term would have added zero.

use std::sync::atomic::{AtomicBool, Ordering};

use lpvdn_core::product::Tile;
use lpvdn_core::{Matrix, MatrixView, MatrixViewMut, Real, Select, kernel};
use rayon::prelude::*;

/// Moving columns costs about as much as this share of units saves.
const WORTHWHILE: f64 = 0.05;
/// Rows handled by one task.
const ROWS: usize = 16;

/// The outputs of one layer for a batch.
#[derive(Debug)]
pub struct Units<T> {
    /// The live columns stand in front; what is behind them is of no use.
    values: Matrix<T>,
    live: Live,
}

/// Which columns are live.
#[derive(Debug)]
struct Live {
    /// Whether a unit was seen to be other than zero.
    seen: Vec<AtomicBool>,
    /// The live units; in use only where some are silent.
    columns: Vec<u32>,
    all: bool,
}

/// Columns of a matrix and which ones they are.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a, T> {
    /// Their values.
    pub values: MatrixView<'a, T>,
    /// Their places among all.
    pub places: Select<'a>,
}

impl<'a, T> From<&'a Matrix<T>> for Columns<'a, T> {
    fn from(m: &'a Matrix<T>) -> Columns<'a, T> {
        Columns { values: m.view(), places: Select::All }
    }
}

impl<T: Real> Units<T> {
    /// Memory for `width` units and batches of up to `rows` rows.
    pub fn new(rows: usize, width: usize) -> Units<T> {
        let seen = (0..width).map(|_| AtomicBool::new(false)).collect();
        let live = Live { seen, columns: Vec::with_capacity(width), all: true };
        Units { values: Matrix::zeros(rows, width), live }
    }

    /// All columns, to be written; none counts as silent.
    pub(crate) fn unwatched(&mut self, rows: usize) -> &mut Matrix<T> {
        self.start(rows, false);
        &mut self.values
    }

    /// All columns, to be written by a product that shows each tile to the [`Watch`]. Unless `silence`
    /// is possible, all count as live.
    pub(crate) fn start(&mut self, rows: usize, silence: bool) -> (MatrixViewMut<'_, T>, Watch<'_>) {
        self.values.set_rows(rows);
        self.live.seen.iter_mut().for_each(|s| *s.get_mut() = !silence);
        self.live.all = true;
        (self.values.view_mut(), Watch { seen: &self.live.seen, awake: silence })
    }

    /// Keeps only the columns that were seen alive, if there are enough others.
    pub(crate) fn drop_silent(&mut self) {
        let (live, width) = (&mut self.live, self.values.cols());
        live.columns.clear();
        let alive = live.seen.iter_mut().enumerate().filter_map(|(j, s)| s.get_mut().then_some(j as u32));
        live.columns.extend(alive);
        live.all = live.columns.len() as f64 > (1.0 - WORTHWHILE) * width as f64;
        if live.all {
            return;
        }
        let columns = &live.columns;
        self.values.as_mut_slice().par_chunks_mut(ROWS * width).for_each(|rows| {
            rows.chunks_mut(width).for_each(|row| bring_forward(row, columns));
        });
    }

    /// Which columns are live.
    pub fn places(&self) -> Select<'_> {
        if self.live.all { Select::All } else { Select::Some(&self.live.columns) }
    }

    /// The number of live columns.
    pub fn live(&self) -> usize {
        if self.live.all { self.values.cols() } else { self.live.columns.len() }
    }

    /// The live columns.
    pub fn columns(&self) -> Columns<'_, T> {
        Columns { values: self.values.view().first_columns(self.live()), places: self.places() }
    }

    /// The live part of a row.
    #[inline]
    pub fn row(&self, i: usize) -> &[T] {
        &self.values.row(i)[..self.live()]
    }

    /// All columns, of an output layer.
    ///
    /// # Panics
    /// When silent ones were dropped.
    pub fn all(&self) -> &Matrix<T> {
        assert!(self.live.all, "silent units were dropped");
        &self.values
    }
}

impl<T: Clone> Clone for Units<T> {
    fn clone(&self) -> Units<T> {
        let seen = self.live.seen.iter().map(|s| AtomicBool::new(s.load(Ordering::Relaxed))).collect();
        let live = Live { seen, columns: self.live.columns.clone(), all: self.live.all };
        Units { values: self.values.clone(), live }
    }
}

/// Sees which columns of a product have a value other than zero.
#[derive(Clone, Copy)]
pub(crate) struct Watch<'a> {
    seen: &'a [AtomicBool],
    awake: bool,
}

impl Watch<'_> {
    /// Looks at a tile whose values are not negative.
    pub(crate) fn look<T: Real>(self, tile: &mut Tile<T>) {
        const WIDTH: usize = 64;
        if !self.awake {
            return;
        }
        let cols = tile.cols();
        for start in cols.clone().step_by(WIDTH) {
            let mut sums = [T::ZERO; WIDTH];
            for i in tile.rows() {
                let row = &tile.row_mut(i)[start - cols.start..];
                add_to(&mut sums, row);
            }
            for (seen, &sum) in self.seen[start..cols.end].iter().zip(&sums) {
                // NaN is alive too.
                if sum != T::ZERO {
                    seen.store(true, Ordering::Relaxed);
                }
            }
        }
    }
}

kernel! {
    /// sums ← sums + the start of `row`
    pub(crate) fn add_to<T>(sums: &mut [T], row: &[T]) {
        sums.iter_mut().zip(row).for_each(|(s, &v)| *s += v);
    }
}

/// Moves the given columns, in rising order, to the front.
fn bring_forward<T: Real>(row: &mut [T], columns: &[u32]) {
    for (to, &from) in columns.iter().enumerate() {
        row[to] = row[from as usize];
    }
}
