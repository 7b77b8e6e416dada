//! One fully connected layer.

use std::ops::Range;

use lpvdn_core::product::{Store, product, product_and_sum, product_then};
use lpvdn_core::source::Input;
use lpvdn_core::{CsrMatrix, Matrix, MatrixView, MatrixViewMut, Real, Select, Selected, Stream};
use rayon::prelude::*;

use crate::activation::{Activation, bias_then_activate, times_derivative};
use crate::init::Init;
use crate::layout::{Layout, Span};
use crate::sparse::{self, SparseScratch};
use crate::units::{Columns, Units, add_to};

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

    /// y ← activation(x·W + b), where x is the input of a network or the layer before.
    pub fn forward<T: Real>(
        &self,
        params: &[T],
        x: LayerInput<'_, T>,
        y: &mut Units<T>,
        activation: Activation,
    ) {
        let bias = self.bias.of(params);
        match x {
            LayerInput::Columns(x) => {
                let rows = x.values.rows();
                // Others are zero for a whole batch only by saturation: not worth a look.
                let (out, watch) = y.start(rows, activation == Activation::Relu);
                let weight = Selected { matrix: self.weight_view(params), rows: x.places, cols: Select::All };
                product_then(out, x.values, weight, Store::Replace, |tile| {
                    let bias = &bias[tile.cols()];
                    for i in tile.rows() {
                        bias_then_activate(tile.row_mut(i), bias, activation);
                    }
                    watch.look(tile);
                });
            }
            LayerInput::Sparse(x) => {
                let y = y.unwatched(x.rows());
                sparse::forward(x, self.weight.of(params), y, false, |row| {
                    bias_then_activate(row, bias, activation);
                });
            }
        }
    }

    /// Writes the gradients of weight and bias to `grads`, which has place for just these, given `dy`,
    /// the gradient with respect to x·W + b.
    pub fn backward<T: Real>(
        &self,
        x: LayerInput<'_, T>,
        dy: Columns<'_, T>,
        grads: &mut [T],
        scratch: &mut SparseScratch<T>,
    ) {
        match x {
            // The bias is the weight of an input that is always 1, and lies where its row would.
            LayerInput::Columns(x) => {
                let both = MatrixViewMut::new(grads, self.inputs + 1, self.outputs);
                product_and_sum(both, x.places, dy.places, x.values.t(), dy.values);
            }
            LayerInput::Sparse(x) => {
                let (weight, bias) = grads.split_at_mut(self.inputs * self.outputs);
                sparse::weight_gradient(x, dy.values, weight, false, scratch);
                column_sums(dy.values, bias);
            }
        }
    }

    /// dx ← (dy·Wᵀ) · activation′(x) in the live columns of `x`, the output of the layer before, which
    /// ended in `activation`; in all columns where there is no layer before.
    pub fn input_gradient<T: Real>(
        &self,
        params: &[T],
        dy: Columns<'_, T>,
        dx: &mut Matrix<T>,
        before: Option<(&Units<T>, Activation)>,
    ) {
        dx.set_rows(dy.values.rows());
        let places = before.map_or(Select::All, |(x, _)| x.places());
        let weight = Selected { matrix: self.weight_view(params), rows: places, cols: dy.places };
        let dx = dx.view_mut().first_columns(weight.rows());
        product_then(dx, dy.values, weight.t(), Store::Replace, |tile| {
            let Some((x, activation)) = before else { return };
            let cols = tile.cols();
            for i in tile.rows() {
                times_derivative(tile.row_mut(i), &x.row(i)[cols.clone()], activation);
            }
        });
    }
}

/// What a layer reads.
#[derive(Clone, Copy, Debug)]
pub enum LayerInput<'a, T> {
    /// Columns of dense rows.
    Columns(Columns<'a, T>),
    /// Sparse rows.
    Sparse(&'a CsrMatrix<T>),
}

impl<'a, T> From<Input<'a, T>> for LayerInput<'a, T> {
    fn from(x: Input<'a, T>) -> LayerInput<'a, T> {
        match x {
            Input::Dense(x) => LayerInput::Columns(x.into()),
            Input::Sparse(x) => LayerInput::Sparse(x),
        }
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
        Input::Sparse(x) => sparse::weight_gradient(x, dy.view(), out, store == Store::Add, scratch),
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
fn column_sums<T: Real>(m: MatrixView<'_, T>, sums: &mut [T]) {
    sums.par_chunks_mut(BIAS_COLUMNS).enumerate().for_each(|(chunk, sums)| {
        sums.fill(T::ZERO);
        (0..m.rows()).for_each(|i| add_to(sums, &m.row(i)[chunk * BIAS_COLUMNS..]));
    });
}
