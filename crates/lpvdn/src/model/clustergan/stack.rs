//! Layers in a row.
//!
//! Unlike [`lpvdn_nn::Mlp`], a stack knows convolutions and normalisation, and it can be followed along a
//! tangent. With leaky units nothing is silent, so it need not look for units to leave out.

use std::ops::Range;

use lpvdn_core::{Matrix, Real, StreamKey};
use lpvdn_nn::{Activation, Layout};

use super::batch_norm::Normalize;
use super::layer::{Layer, LayerWorkspace, Plan, Spread};
use super::map::Map;

/// A network without branches. It holds no parameters, only where they lie; all slices of parameters and
/// gradients are whole ones, not its part of them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stack {
    layers: Vec<Layer>,
}

/// The memory of a stack.
#[derive(Clone, Debug)]
pub(super) struct StackWorkspace<T> {
    layers: Vec<LayerWorkspace<T>>,
}

impl Stack {
    /// Adds its parameters to `layout` as `name.0.weight`, …, and the running means of its normalised
    /// layers to `statistics`.
    pub(super) fn new(layout: &mut Layout, statistics: &mut Layout, name: &str, plans: &[Plan]) -> Stack {
        let layer = |(i, &plan)| Layer::new(layout, statistics, &format!("{name}.{i}"), plan);
        Stack { layers: plans.iter().enumerate().map(layer).collect() }
    }

    /// Where all its parameters lie: layer after layer, nothing between.
    pub(super) fn range(&self) -> Range<usize> {
        self.layers[0].start()..self.layers[self.layers.len() - 1].end()
    }

    /// Multiply-adds of a row that passes it.
    pub(super) fn multiplications(&self) -> usize {
        self.layers.iter().map(Layer::multiplications).sum()
    }

    /// Draws starting values; each layer has a random stream of its own.
    pub(super) fn init<T: Real>(&self, params: &mut [T], spread: Spread, key: StreamKey) {
        for (i, layer) in self.layers.iter().enumerate() {
            layer.init(params, spread, &mut key.at(key.phase, key.epoch, i as u64).open());
        }
    }

    pub(super) fn init_statistics<T: Real>(&self, statistics: &mut [T]) {
        self.layers.iter().for_each(|layer| layer.init_statistics(statistics));
    }

    /// Memory that grows to its size in use.
    pub(super) fn workspace<T: Real>(&self) -> StackWorkspace<T> {
        StackWorkspace { layers: self.layers.iter().map(Layer::workspace).collect() }
    }

    /// Runs the stack; the result is [`StackWorkspace::output`].
    pub(super) fn forward<T: Real>(
        &self,
        params: &[T],
        x: &Matrix<T>,
        ws: &mut StackWorkspace<T>,
        normalize: Normalize<'_, T>,
    ) {
        for (l, layer) in self.layers.iter().enumerate() {
            let (before, rest) = ws.layers.split_at_mut(l);
            let input = before.last().map_or(x, |layer| &layer.output);
            layer.forward(params, input, &mut rest[0], normalize);
        }
    }

    /// Given the gradient of the output in [`StackWorkspace::output_and_gradient`], writes those of the
    /// parameters where `grads` asks for them, and that of the input where `dx` does. `forward` must have
    /// run on the same `x`.
    pub(super) fn backward<T: Real>(
        &self,
        params: &[T],
        x: &Matrix<T>,
        ws: &mut StackWorkspace<T>,
        mut grads: Option<&mut [T]>,
        mut dx: Option<&mut Matrix<T>>,
    ) {
        for (l, layer) in self.layers.iter().enumerate().rev() {
            let (before, rest) = ws.layers.split_at_mut(l);
            let (input, d_input) = match before.last_mut() {
                Some(before) => (&before.output, Some(&mut before.gradient)),
                None => (x, dx.take()),
            };
            layer.backward(params, input, &mut rest[0], grads.as_deref_mut(), d_input);
        }
    }

    /// Follows the tangent `v` of the input through the stack after a pass back, adding to the gradients
    /// of all weights on the way. See [`super::penalty`].
    pub(super) fn tangent<T: Real>(
        &self,
        params: &[T],
        v: &Matrix<T>,
        ws: &mut StackWorkspace<T>,
        grads: &mut [T],
    ) {
        for (l, layer) in self.layers.iter().enumerate() {
            let (before, rest) = ws.layers.split_at_mut(l);
            let t = before.last().map_or(v, |layer| &layer.gradient);
            layer.tangent(params, t, &mut rest[0], grads);
        }
    }

    /// Moves the running means toward those of the last batch.
    pub(super) fn track<T: Real>(&self, ws: &StackWorkspace<T>, statistics: &mut [T]) {
        self.layers.iter().zip(&ws.layers).for_each(|(layer, ws)| layer.track(ws, statistics));
    }
}

impl<T: Real> StackWorkspace<T> {
    /// The result of the last `forward`.
    pub(super) fn output(&self) -> &Matrix<T> {
        &self.layers[self.layers.len() - 1].output
    }

    /// The output, and where its gradient goes before `backward`, of the same shape.
    pub(super) fn output_and_gradient(&mut self) -> (&Matrix<T>, &mut Matrix<T>) {
        let last = self.layers.len() - 1;
        let LayerWorkspace { output, gradient, .. } = &mut self.layers[last];
        gradient.set_rows(output.rows());
        (output, gradient)
    }
}

/// Dense layers between the given widths.
pub(super) fn dense(widths: &[usize], hidden: Activation, output: Activation) -> Vec<Plan> {
    let plan = |w: &[usize]| Plan {
        map: Map::Dense { inputs: w[0], outputs: w[1] },
        normalized: false,
        activation: hidden,
    };
    let mut plans: Vec<Plan> = widths.windows(2).map(plan).collect();
    plans.last_mut().into_iter().for_each(|last| last.activation = output);
    plans
}
