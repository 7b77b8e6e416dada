//! The robust embedding discriminator D(x, z; ρ) of L_MI.
//!
//! Its first layer is z·W_z + x·W_x + b. True pairs (x_i, z_i) and false pairs (x_j, z_i) share
//! z·W_z, and when the false rows are a cyclic shift of the batch they share x·W_x too, forward and
//! backward: half the work of two passes.

use std::ops::Range;

use lpvdn_core::product::Store;
use lpvdn_core::source::Input;
use lpvdn_core::{Matrix, Real, StreamKey};
use lpvdn_nn::activation::{bias_then_activate, times_derivative};
use lpvdn_nn::linear::{times_weight, weight_gradient};
use lpvdn_nn::{Activation, Init, Layout, Linear, Mlp, MlpWorkspace, Span, SparseScratch};
use rayon::prelude::*;

use crate::loss::mutual_information::mutual_information;

/// Rows handled by one task.
const ROWS: usize = 32;

/// Where the discriminator's parameters lie.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Discriminator {
    /// W_z and the first bias.
    code: Linear,
    /// W_x
    row_weight: Span,
    columns: usize,
    /// Everything after the first layer.
    rest: Mlp,
}

/// The false rows of a batch.
#[derive(Clone, Copy, Debug)]
pub enum Negatives<'a, T> {
    /// Row i's false partner is row i + 1 of the same shuffled batch.
    Shift,
    /// As many rows drawn independently.
    Rows(Input<'a, T>),
}

#[derive(Clone, Debug)]
pub(crate) struct DiscriminatorWorkspace<T> {
    /// z·W_z
    from_code: Matrix<T>,
    /// x·W_x
    from_rows: Matrix<T>,
    /// x·W_x of the false rows, when they are not a shift.
    from_negatives: Matrix<T>,
    /// First activations: true pairs above, false pairs below.
    hidden: Matrix<T>,
    hidden_gradient: Matrix<T>,
    rest: MlpWorkspace<T>,
    scratch: SparseScratch<T>,
}

impl Discriminator {
    /// Layers `latent + columns → hidden… → 1`.
    pub(crate) fn new(layout: &mut Layout, columns: usize, latent: usize, hidden: &[usize]) -> Discriminator {
        let code = Linear::new(layout, "discriminator.code", latent, hidden[0]);
        let row_weight = layout.add("discriminator.rows.weight", &[columns, hidden[0]]);
        let mut widths = hidden.to_vec();
        widths.push(1);
        let rest = Mlp::new(layout, "discriminator", &widths, Activation::Relu, Activation::Identity);
        Discriminator { code, row_weight, columns, rest }
    }

    /// Where all its parameters lie: those of the code, of the rows, of the rest.
    pub(crate) fn range(&self) -> Range<usize> {
        self.code.range().start..self.rest.range().end
    }

    fn width(&self) -> usize {
        self.code.outputs()
    }

    /// Multiply-adds a row costs forward; shifted false rows share their product with the true ones.
    pub(crate) fn multiplications(&self, shifted: bool) -> usize {
        let rows = if shifted { self.columns } else { 2 * self.columns };
        (self.code.inputs() + rows) * self.width() + 2 * self.rest.multiplications()
    }

    pub(crate) fn init<T: Real>(&self, params: &mut [T], init: Init, seed: u64) {
        // One layer of `latent + columns` inputs, drawn as such.
        let mut stream = StreamKey::new(seed, "init discriminator input").open();
        let fan_in = self.code.inputs() + self.columns;
        init.fill(fan_in, self.width(), self.row_weight.of_mut(params), &mut [], &mut stream);
        init.fill(fan_in, self.width(), self.code.weight().of_mut(params), &mut [], &mut stream);
        init.fill(fan_in, self.width(), &mut [], self.code.bias().of_mut(params), &mut stream);
        self.rest.init(params, init, StreamKey::new(seed, "init discriminator"));
    }

    pub(crate) fn workspace<T: Real>(&self, rows: usize) -> DiscriminatorWorkspace<T> {
        DiscriminatorWorkspace {
            from_code: Matrix::zeros(rows, self.width()),
            from_rows: Matrix::zeros(rows, self.width()),
            from_negatives: Matrix::zeros(0, self.width()),
            hidden: Matrix::zeros(2 * rows, self.width()),
            hidden_gradient: Matrix::zeros(2 * rows, self.width()),
            rest: self.rest.workspace(2 * rows, true),
            scratch: SparseScratch::default(),
        }
    }

    /// D(x, z; ρ) of the true pairs, and below of the false ones, whose rows are the next of the batch.
    pub(crate) fn values<'w, T: Real>(
        &self,
        params: &[T],
        x: Input<'_, T>,
        z: &Matrix<T>,
        ws: &'w mut DiscriminatorWorkspace<T>,
    ) -> &'w Matrix<T> {
        self.first_layer(params, x, z, Negatives::Shift, ws);
        self.rest.forward(params, Input::Dense(&ws.hidden), &mut ws.rest);
        ws.rest.output()
    }

    /// The value of L_MI; writes weight × the gradients of ρ to `grads`, the part
    /// [`Discriminator::range`] of the whole, and weight × the gradient of z to `d_z`.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn loss<T: Real>(
        &self,
        params: &[T],
        x: Input<'_, T>,
        z: &Matrix<T>,
        negatives: Negatives<'_, T>,
        weight: f64,
        grads: &mut [T],
        d_z: &mut Matrix<T>,
        ws: &mut DiscriminatorWorkspace<T>,
    ) -> f64 {
        self.first_layer(params, x, z, negatives, ws);
        self.rest.forward(params, Input::Dense(&ws.hidden), &mut ws.rest);
        let (output, gradient) = ws.rest.output_and_gradient();
        let value = mutual_information(output, weight, gradient);
        let (hidden, hidden_gradient) = (&ws.hidden, &mut ws.hidden_gradient);
        let (first, rest) = grads.split_at_mut(grads.len() - self.rest.range().len());
        self.rest.backward(params, Input::Dense(hidden), &mut ws.rest, rest, Some(hidden_gradient));
        self.first_layer_backward(params, x, z, negatives, first, d_z, ws);
        value
    }

    fn first_layer<T: Real>(
        &self,
        params: &[T],
        x: Input<'_, T>,
        z: &Matrix<T>,
        negatives: Negatives<'_, T>,
        ws: &mut DiscriminatorWorkspace<T>,
    ) {
        let (n, width) = (z.rows(), self.width());
        times_weight(Input::Dense(z), self.code.weight().of(params), &mut ws.from_code);
        times_weight(x, self.row_weight.of(params), &mut ws.from_rows);
        if let Negatives::Rows(rows) = negatives {
            times_weight(rows, self.row_weight.of(params), &mut ws.from_negatives);
        }
        ws.hidden.set_rows(2 * n);
        let bias = self.code.bias().of(params);
        let (from_code, from_rows, from_negatives) = (&ws.from_code, &ws.from_rows, &ws.from_negatives);
        let (is_true, is_false) = ws.hidden.as_mut_slice().split_at_mut(n * width);
        let sum = |out: &mut [T], a: &[T], b: &[T]| {
            out.iter_mut().zip(a.iter().zip(b)).for_each(|(o, (&a, &b))| *o = a + b);
            bias_then_activate(out, bias, Activation::Relu);
        };
        let both = is_true.par_chunks_mut(ROWS * width).zip(is_false.par_chunks_mut(ROWS * width));
        both.enumerate().for_each(|(chunk, (is_true, is_false))| {
            for (k, (t, f)) in is_true.chunks_mut(width).zip(is_false.chunks_mut(width)).enumerate() {
                let i = chunk * ROWS + k;
                sum(t, from_code.row(i), from_rows.row(i));
                let partner = match negatives {
                    Negatives::Shift => from_rows.row((i + 1) % n),
                    Negatives::Rows(_) => from_negatives.row(i),
                };
                sum(f, from_code.row(i), partner);
            }
        });
    }

    #[allow(clippy::too_many_arguments)]
    fn first_layer_backward<T: Real>(
        &self,
        params: &[T],
        x: Input<'_, T>,
        z: &Matrix<T>,
        negatives: Negatives<'_, T>,
        grads: &mut [T],
        d_z: &mut Matrix<T>,
        ws: &mut DiscriminatorWorkspace<T>,
    ) {
        let (n, width) = (z.rows(), self.width());
        let hidden = &ws.hidden;
        ws.hidden_gradient.as_mut_slice().par_chunks_mut(ROWS * width).enumerate().for_each(|(chunk, g)| {
            times_derivative(g, &hidden.as_slice()[chunk * ROWS * width..][..g.len()], Activation::Relu);
        });
        // The memory of the forward sums now takes their gradients.
        let g = &ws.hidden_gradient;
        let add = |out: &mut Matrix<T>, partner: &(dyn Fn(usize) -> Option<usize> + Sync)| {
            out.as_mut_slice().par_chunks_mut(width).enumerate().for_each(|(i, out)| {
                out.copy_from_slice(g.row(i));
                if let Some(j) = partner(i) {
                    out.iter_mut().zip(g.row(j)).for_each(|(o, &g)| *o += g);
                }
            });
        };
        // z_i stands in true pair i and false pair i.
        add(&mut ws.from_code, &|i| Some(n + i));
        let (code_grads, row_grads) = grads.split_at_mut(self.code.range().len());
        match negatives {
            Negatives::Shift => {
                // x_i stands in true pair i and in the false pair of row i − 1.
                add(&mut ws.from_rows, &|i| Some(n + (i + n - 1) % n));
                weight_gradient(x, &ws.from_rows, row_grads, Store::Replace, &mut ws.scratch);
            }
            Negatives::Rows(rows) => {
                add(&mut ws.from_rows, &|_| None);
                weight_gradient(x, &ws.from_rows, row_grads, Store::Replace, &mut ws.scratch);
                let false_rows = &g.as_slice()[n * width..2 * n * width];
                ws.from_negatives.as_mut_slice().copy_from_slice(false_rows);
                weight_gradient(rows, &ws.from_negatives, row_grads, Store::Add, &mut ws.scratch);
            }
        }
        let from_code = &ws.from_code;
        self.code.backward(Input::Dense(z).into(), from_code.into(), code_grads, &mut ws.scratch);
        self.code.input_gradient(params, from_code.into(), d_z, None);
    }
}
