//! One layer: a linear map, a bias or a normalisation, and an activation.
//!
//! A normalised layer has no bias: it would be taken away again with the mean. Its gradient would be
//! rounding and nothing else, which Adam would scale up to whole steps.

use lpvdn_core::product::Store;
use lpvdn_core::{Matrix, Real, Stream};
use lpvdn_nn::activation::{bias_then_activate, times_derivative};
use lpvdn_nn::{Activation, Layout, Span};
use rayon::prelude::*;

use super::batch_norm::{BatchNorm, NormWorkspace, Normalize, TASK};
use super::map::Map;
use super::sums::{ChannelSums, add_values};

/// The deviation of the weights at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spread {
    /// 0.02, as in the paper.
    Paper,
    /// √(2 / inputs): what a dense layer makes of its input is as large as that.
    FanIn,
}

const DEVIATION: f64 = 0.02;

/// What a layer is to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) map: Map,
    pub(super) normalized: bool,
    pub(super) activation: Activation,
}

/// A layer, and where its parameters lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Layer {
    map: Map,
    weight: Span,
    shift: Shift,
    activation: Activation,
}

/// What is done between map and activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shift {
    Bias(Span),
    Norm(BatchNorm),
}

/// The memory of a layer.
#[derive(Clone, Debug)]
pub(super) struct LayerWorkspace<T> {
    /// h, the output.
    pub(super) output: Matrix<T>,
    /// The gradient of the output. After the pass back, δ: that of the map's result.
    pub(super) gradient: Matrix<T>,
    patches: Matrix<T>,
    norm: Option<NormWorkspace<T>>,
    sums: ChannelSums,
}

impl Layer {
    pub(super) fn new(layout: &mut Layout, statistics: &mut Layout, name: &str, plan: Plan) -> Layer {
        let Plan { map, normalized, activation } = plan;
        let weight = layout.add(format!("{name}.weight"), &map.weight_shape());
        let shift = if normalized {
            Shift::Norm(BatchNorm::new(layout, statistics, name, map.channels()))
        } else {
            Shift::Bias(layout.add(format!("{name}.bias"), &[map.channels()]))
        };
        Layer { map, weight, shift, activation }
    }

    /// Where its parameters start.
    pub(super) fn start(&self) -> usize {
        self.weight.range().start
    }

    /// Where its parameters end.
    pub(super) fn end(&self) -> usize {
        match self.shift {
            Shift::Bias(bias) => bias.range().end,
            Shift::Norm(norm) => norm.end(),
        }
    }

    /// Multiply-adds of a row.
    pub(super) fn multiplications(&self) -> usize {
        self.map.multiplications()
    }

    /// Normal weights, no shift.
    pub(super) fn init<T: Real>(&self, params: &mut [T], spread: Spread, stream: &mut Stream) {
        let deviation = match spread {
            Spread::Paper => DEVIATION,
            Spread::FanIn => (2.0 / self.map.weight_shape()[0] as f64).sqrt(),
        };
        self.weight.of_mut(params).iter_mut().for_each(|w| *w = T::of(deviation * stream.normal()));
        match self.shift {
            Shift::Bias(bias) => bias.of_mut(params).fill(T::ZERO),
            Shift::Norm(norm) => norm.init(params),
        }
    }

    pub(super) fn init_statistics<T: Real>(&self, statistics: &mut [T]) {
        if let Shift::Norm(norm) = self.shift {
            norm.init_statistics(statistics);
        }
    }

    /// Memory that grows to its size in use.
    pub(super) fn workspace<T: Real>(&self) -> LayerWorkspace<T> {
        let outputs = self.map.outputs();
        LayerWorkspace {
            output: Matrix::zeros(0, outputs),
            gradient: Matrix::zeros(0, outputs),
            patches: self.map.memory(),
            norm: match self.shift {
                Shift::Bias(_) => None,
                Shift::Norm(norm) => Some(norm.workspace(outputs)),
            },
            sums: ChannelSums::default(),
        }
    }

    /// h ← activation(shift(map(x)))
    pub(super) fn forward<T: Real>(
        &self,
        params: &[T],
        x: &Matrix<T>,
        ws: &mut LayerWorkspace<T>,
        normalize: Normalize<'_, T>,
    ) {
        let LayerWorkspace { output, patches, norm, .. } = ws;
        self.map.unfold_input(x, patches);
        self.map.multiply(self.weight.of(params), x, patches, output);
        match (self.shift, norm) {
            (Shift::Norm(norm), Some(ws)) => norm.forward(params, output, ws, normalize, self.activation),
            (Shift::Norm(_), None) => unreachable!("a workspace of another layer"),
            (Shift::Bias(bias), _) => {
                let (bias, channels) = (bias.of(params), self.map.channels());
                let task = channels * (TASK / channels).max(1);
                output.as_mut_slice().par_chunks_mut(task).for_each(|points| {
                    points.chunks_mut(channels).for_each(|p| bias_then_activate(p, bias, self.activation));
                });
            }
        }
    }

    /// From the gradient of the output to δ, to those of the parameters where `grads` asks for them, and
    /// to that of the input where `dx` does.
    pub(super) fn backward<T: Real>(
        &self,
        params: &[T],
        x: &Matrix<T>,
        ws: &mut LayerWorkspace<T>,
        mut grads: Option<&mut [T]>,
        dx: Option<&mut Matrix<T>>,
    ) {
        let LayerWorkspace { output, gradient, patches, norm, sums } = ws;
        derive(gradient, output, self.activation);
        match (self.shift, norm, grads.as_deref_mut()) {
            (Shift::Norm(norm), Some(ws), grads) => norm.backward(params, gradient, ws, grads),
            (Shift::Norm(_), None, _) => unreachable!("a workspace of another layer"),
            (Shift::Bias(bias), _, Some(grads)) => {
                let (values, c) = (gradient.as_slice(), self.map.channels());
                let point = |i: usize| &values[i * c..(i + 1) * c];
                let total = sums.over(values.len() / c, c, |i, sums| add_values(sums, point(i)));
                bias.of_mut(grads).iter_mut().zip(total).for_each(|(g, &sum)| *g = T::of(sum));
            }
            (Shift::Bias(_), _, None) => {}
        }
        self.map.unfold_gradient(gradient, patches);
        if let Some(grads) = grads {
            self.map.weight_gradient(x, patches, gradient, self.weight.of_mut(grads), Store::Replace);
        }
        if let Some(dx) = dx {
            self.map.input_gradient(self.weight.of(params), gradient, patches, dx);
        }
    }

    /// Along the tangent `t` of the input: adds tᵀ·δ to the gradient of the weights, then replaces δ by
    /// the tangent of the output. The bias has none: it moves no slope. See [`super::penalty`].
    pub(super) fn tangent<T: Real>(
        &self,
        params: &[T],
        t: &Matrix<T>,
        ws: &mut LayerWorkspace<T>,
        grads: &mut [T],
    ) {
        let LayerWorkspace { output, gradient, patches, norm, .. } = ws;
        debug_assert!(norm.is_none(), "a normalised layer is not linear between its kinks");
        self.map.unfold_input(t, patches);
        self.map.unfold_gradient(gradient, patches);
        self.map.weight_gradient(t, patches, gradient, self.weight.of_mut(grads), Store::Add);
        self.map.multiply(self.weight.of(params), t, patches, gradient);
        derive(gradient, output, self.activation);
    }

    /// Moves the running means toward those of the last batch.
    pub(super) fn track<T: Real>(&self, ws: &LayerWorkspace<T>, statistics: &mut [T]) {
        if let (Shift::Norm(norm), Some(ws)) = (self.shift, &ws.norm) {
            norm.track(ws, statistics);
        }
    }
}

/// g ← g·activation′
fn derive<T: Real>(g: &mut Matrix<T>, output: &Matrix<T>, activation: Activation) {
    if activation == Activation::Identity {
        return;
    }
    let both = g.as_mut_slice().par_chunks_mut(TASK).zip(output.as_slice().par_chunks(TASK));
    both.for_each(|(g, output)| times_derivative(g, output, activation));
}
