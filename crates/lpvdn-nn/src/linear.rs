//! One fully connected layer.

use std::ops::Range;

use lpvdn_core::product::{Store, product, product_and_sum, product_then};
use lpvdn_core::source::Input;
use lpvdn_core::{Matrix, MatrixView, MatrixViewMut, Real, Stream, kernel};
use rayon::prelude::*;

use crate::activation::{Activation, bias_then_activate, times_derivative};
use crate::init::Init;
use crate::layout::{Layout, Span};
use crate::sparse::{self, SparseScratch};

/// Columns summed by one task in a bias gradient.
const BIAS_COLUMNS: usize = 128;

/// y = activation(x·W + b), with W stored as inputs × outputs, so that a sparse row of x adds whole
/// rows of W.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linear {
    inputs: usize,
    outputs: usize,
    weight: Span,
    bias: Span,
}

impl Linear {
    /// Adds the layer's parameters to `layout`.
    pub fn new(layout: &mut Layout, name: &str, inputs: usize, outputs: usize) -> Linear {
        let weight = layout.add(format!("{name}.weight"), &[inputs, outputs]);
        let bias = layout.add(format!("{name}.bias"), &[outputs]);
        Linear { inputs, outputs, weight, bias }
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }
    /// The number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs
    }
    /// Where the weights lie.
    pub fn weight(&self) -> Span {
        self.weight
    }
    /// Where the biases lie.
    pub fn bias(&self) -> Span {
        self.bias
    }

    /// Where all its parameters lie: the weights, directly followed by the biases.
    pub fn range(&self) -> Range<usize> {
        self.weight.range().start..self.bias.range().end
    }

    /// Draws starting values.
    pub fn init<T: Real>(&self, params: &mut [T], init: Init, stream: &mut Stream) {
        let (weight, bias) = params[self.range()].split_at_mut(self.inputs * self.outputs);
        init.fill(self.inputs, self.outputs, weight, bias, stream);
    }

    fn weight_view<'a, T>(&self, params: &'a [T]) -> MatrixView<'a, T> {
        MatrixView::new(self.weight.of(params), self.inputs, self.outputs)
    }

    /// y ← activation(x·W + b); `y` gets as many rows as `x`.
    pub fn forward<T: Real>(&self, params: &[T], x: Input<'_, T>, y: &mut Matrix<T>, activation: Activation) {
        y.set_rows(x.rows());
        let bias = self.bias.of(params);
        match x {
            Input::Dense(x) => {
                let weight = self.weight_view(params);
                product_then(y.view_mut(), x.view(), weight, Store::Replace, |tile| {
                    let bias = &bias[tile.cols()];
                    for i in tile.rows() {
                        bias_then_activate(tile.row_mut(i), bias, activation);
                    }
                });
            }
            Input::Sparse(x) => sparse::forward(x, self.weight.of(params), y, false, |row| {
                bias_then_activate(row, bias, activation);
            }),
        }
    }

    /// Writes the gradients of weight and bias to `grads`, which has place for just these, given `dy`,
    /// the gradient with respect to x·W + b.
    pub fn backward<T: Real>(
        &self,
        x: Input<'_, T>,
        dy: &Matrix<T>,
        grads: &mut [T],
        scratch: &mut SparseScratch<T>,
    ) {
        match x {
            // The bias is the weight of an input that is always 1, and lies where its row would.
            Input::Dense(x) => {
                let both = MatrixViewMut::new(grads, self.inputs + 1, self.outputs);
                product_and_sum(both, x.view().t(), dy.view());
            }
            Input::Sparse(_) => {
                let (weight, bias) = grads.split_at_mut(self.inputs * self.outputs);
                weight_gradient(x, dy, weight, Store::Replace, scratch);
                column_sums(dy, bias);
            }
        }
    }

    /// dx ← (dy·Wᵀ) · activation′(x), where `x` is the output of the layer before, which ended in
    /// `activation`.
    pub fn input_gradient<T: Real>(
        &self,
        params: &[T],
        dy: &Matrix<T>,
        dx: &mut Matrix<T>,
        before: Option<(&Matrix<T>, Activation)>,
    ) {
        dx.set_rows(dy.rows());
        let weight = self.weight_view(params).t();
        product_then(dx.view_mut(), dy.view(), weight, Store::Replace, |tile| {
            let Some((x, activation)) = before else { return };
            let cols = tile.cols();
            for i in tile.rows() {
                times_derivative(tile.row_mut(i), &x.row(i)[cols.clone()], activation);
            }
        });
    }
}

/// out ← xᵀ·dy, or added to it.
pub fn weight_gradient<T: Real>(
    x: Input<'_, T>,
    dy: &Matrix<T>,
    out: &mut [T],
    store: Store,
    scratch: &mut SparseScratch<T>,
) {
    match x {
        Input::Dense(x) => {
            product(MatrixViewMut::new(out, x.cols(), dy.cols()), x.view().t(), dy.view(), store);
        }
        Input::Sparse(x) => sparse::weight_gradient(x, dy, out, store == Store::Add, scratch),
    }
}

/// y ← x·weight, without bias or activation; `y` gets as many rows as `x`.
pub fn times_weight<T: Real>(x: Input<'_, T>, weight: &[T], y: &mut Matrix<T>) {
    y.set_rows(x.rows());
    match x {
        Input::Dense(x) => {
            let weight = MatrixView::new(weight, x.cols(), y.cols());
            product(y.view_mut(), x.view(), weight, Store::Replace);
        }
        Input::Sparse(x) => sparse::forward(x, weight, y, false, |_| {}),
    }
}

/// The sum of each column. Every column is summed by one task from top to bottom.
fn column_sums<T: Real>(m: &Matrix<T>, sums: &mut [T]) {
    sums.par_chunks_mut(BIAS_COLUMNS).enumerate().for_each(|(chunk, sums)| {
        add_columns(m.as_slice(), m.cols(), chunk * BIAS_COLUMNS, sums);
    });
}

kernel! {
    fn add_columns<T>(m: &[T], width: usize, first: usize, sums: &mut [T]) {
        sums.fill(T::ZERO);
        for row in m.chunks_exact(width) {
            sums.iter_mut().zip(&row[first..]).for_each(|(s, &v)| *s += v);
        }
    }
}
