//! A stack of fully connected layers.

use std::ops::Range;

use lpvdn_core::source::Input;
use lpvdn_core::{Matrix, Real, StreamKey};

use crate::activation::{Activation, times_derivative};
use crate::init::Init;
use crate::layout::Layout;
use crate::linear::{LayerInput, Linear};
use crate::sparse::SparseScratch;
use crate::units::{Columns, Units};

/// A multi-layer perceptron. It holds no parameters, only where they lie.
#[derive(Clone, Debug, PartialEq)]
pub struct Mlp {
    layers: Vec<Linear>,
    hidden: Activation,
    output: Activation,
}

/// The activations of one pass and their gradients: allocated once, used in every step.
#[derive(Clone, Debug)]
pub struct MlpWorkspace<T> {
    activations: Vec<Units<T>>,
    /// Of the live columns of each, side by side like them.
    gradients: Vec<Matrix<T>>,
    scratch: SparseScratch<T>,
}

impl Mlp {
    /// A stack with the given widths: `[784, 500, 10]` has two layers. Adds its parameters to
    /// `layout` as `name.0.weight`, `name.0.bias`, …
    pub fn new(
        layout: &mut Layout,
        name: &str,
        widths: &[usize],
        hidden: Activation,
        output: Activation,
    ) -> Mlp {
        let layers = widths
            .windows(2)
            .enumerate()
            .map(|(i, w)| Linear::new(layout, &format!("{name}.{i}"), w[0], w[1]))
            .collect();
        Mlp { layers, hidden, output }
    }

    /// The layers in order.
    pub fn layers(&self) -> &[Linear] {
        &self.layers
    }

    /// Where all its parameters lie: layer after layer, nothing between.
    pub fn range(&self) -> Range<usize> {
        self.layers[0].range().start..self.layers[self.layers.len() - 1].range().end
    }

    /// The number of multiply-adds one row costs in `forward`.
    pub fn multiplications(&self) -> usize {
        self.layers.iter().map(|l| l.inputs() * l.outputs()).sum()
    }

    /// Draws starting values; each layer has a random stream of its own.
    pub fn init<T: Real>(&self, params: &mut [T], init: Init, key: StreamKey) {
        for (i, layer) in self.layers.iter().enumerate() {
            layer.init(params, init, &mut key.at(key.phase, key.epoch, i as u64).open());
        }
    }

    /// Memory for batches of up to `rows` rows. Without `backward`, only what `forward` needs.
    pub fn workspace<T: Real>(&self, rows: usize, backward: bool) -> MlpWorkspace<T> {
        let backward_rows = if backward { rows } else { 0 };
        MlpWorkspace {
            activations: self.layers.iter().map(|l| Units::new(rows, l.outputs())).collect(),
            gradients: self.layers.iter().map(|l| Matrix::zeros(backward_rows, l.outputs())).collect(),
            scratch: SparseScratch::default(),
        }
    }

    fn activation(&self, layer: usize) -> Activation {
        if layer + 1 == self.layers.len() { self.output } else { self.hidden }
    }

    /// Runs the stack; the result is [`MlpWorkspace::output`].
    pub fn forward<T: Real>(&self, params: &[T], x: Input<'_, T>, ws: &mut MlpWorkspace<T>) {
        for (l, layer) in self.layers.iter().enumerate() {
            let (before, rest) = ws.activations.split_at_mut(l);
            let input = before.last().map_or(x.into(), |units| LayerInput::Columns(units.columns()));
            layer.forward(params, input, &mut rest[0], self.activation(l));
            if l + 1 < self.layers.len() {
                rest[0].drop_silent();
            }
        }
    }

    /// Writes the gradients of all parameters to `grads`, the part [`Mlp::range`] of the whole, given
    /// in [`MlpWorkspace::output_gradient`] the gradient with respect to the output. The gradient
    /// with respect to the input is computed only when `input_gradient` asks for it.
    ///
    /// `forward` must have run on the same `x`. The output gradient is overwritten.
    pub fn backward<T: Real>(
        &self,
        params: &[T],
        x: Input<'_, T>,
        ws: &mut MlpWorkspace<T>,
        grads: &mut [T],
        input_gradient: Option<&mut Matrix<T>>,
    ) {
        assert_eq!(grads.len(), self.range().len());
        let last = self.layers.len() - 1;
        let MlpWorkspace { activations, gradients, scratch } = ws;
        if self.output != Activation::Identity {
            let output = activations[last].all().as_slice();
            times_derivative(gradients[last].as_mut_slice(), output, self.output);
        }
        let pass = BackwardPass { mlp: self, params, x, activations };
        pass.run(last, gradients, grads, input_gradient, scratch);
    }
}

/// What a backward pass only reads.
struct BackwardPass<'a, T> {
    mlp: &'a Mlp,
    params: &'a [T],
    x: Input<'a, T>,
    activations: &'a [Units<T>],
}

impl<T: Real> BackwardPass<'_, T> {
    /// From layer `l` down to the first. A layer's weight gradient only waits for its dy, and nothing
    /// waits for it: it stands open to an idle thread while this one goes on down the chain, so that
    /// threads meet once a pass and not once a layer.
    fn run(
        &self,
        l: usize,
        gradients: &mut [Matrix<T>],
        grads: &mut [T],
        input_gradient: Option<&mut Matrix<T>>,
        scratch: &mut SparseScratch<T>,
    ) {
        let layer = self.mlp.layers[l];
        let (below, own) = grads.split_at_mut(grads.len() - layer.range().len());
        let (before, dy) = gradients.split_at_mut(l);
        let units = &self.activations[l];
        let dy = Columns { values: dy[0].view().first_columns(units.live()), places: units.places() };
        if l == 0 {
            let onward = || {
                if let Some(dx) = input_gradient {
                    layer.input_gradient(self.params, dy, dx, None);
                }
            };
            rayon::join(onward, || layer.backward(self.x.into(), dy, own, scratch));
            return;
        }
        let input = &self.activations[l - 1];
        let onward = || {
            let activation = self.mlp.activation(l - 1);
            layer.input_gradient(self.params, dy, &mut before[l - 1], Some((input, activation)));
            self.run(l - 1, before, below, input_gradient, scratch);
        };
        let weight = || {
            layer.backward(LayerInput::Columns(input.columns()), dy, own, &mut SparseScratch::default());
        };
        rayon::join(onward, weight);
    }
}

impl<T: Real> MlpWorkspace<T> {
    /// The result of the last `forward`.
    pub fn output(&self) -> &Matrix<T> {
        self.activations.last().expect("a network has a layer").all()
    }

    /// Where the gradient with respect to the output goes before `backward`; it has the output's
    /// shape after this call.
    pub fn output_gradient(&mut self) -> &mut Matrix<T> {
        self.output_and_gradient().1
    }

    /// The output and its gradient together.
    pub fn output_and_gradient(&mut self) -> (&Matrix<T>, &mut Matrix<T>) {
        let output = self.activations.last().expect("a network has a layer").all();
        let gradient = self.gradients.last_mut().expect("a network has a layer");
        gradient.set_rows(output.rows());
        (output, gradient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lpvdn_core::CsrMatrix;

    const WIDTHS: [usize; 4] = [5, 7, 6, 3];

    fn network(hidden: Activation, output: Activation) -> (Mlp, Vec<f64>) {
        let mut layout = Layout::default();
        let mlp = Mlp::new(&mut layout, "net", &WIDTHS, hidden, output);
        let mut params = vec![0.0; layout.len()];
        mlp.init(&mut params, Init::FanIn, StreamKey::new(11, "test"));
        (mlp, params)
    }

    fn rows(sparse: bool) -> Matrix<f64> {
        let mut s = StreamKey::new(12, "rows").open();
        Matrix::from_fn(9, 5, |i, j| if sparse && (i + j) % 3 != 0 { 0.0 } else { s.normal() })
    }

    /// Σ wᵢⱼ yᵢⱼ with fixed weights w: its gradient with respect to y is w.
    fn objective(mlp: &Mlp, params: &[f64], x: &Matrix<f64>) -> f64 {
        let mut ws = mlp.workspace(x.rows(), false);
        mlp.forward(params, Input::Dense(x), &mut ws);
        ws.output().as_slice().iter().enumerate().map(|(i, y)| y * weight_of(i)).sum()
    }

    fn weight_of(i: usize) -> f64 {
        ((i * 7 + 3) % 11) as f64 / 5.0 - 1.0
    }

    fn analytic(mlp: &Mlp, params: &[f64], x: Input<'_, f64>) -> (Vec<f64>, Matrix<f64>) {
        let mut ws = mlp.workspace(x.rows(), true);
        mlp.forward(params, x, &mut ws);
        let gradient = ws.output_gradient();
        gradient.as_mut_slice().iter_mut().enumerate().for_each(|(i, g)| *g = weight_of(i));
        let mut grads = vec![f64::NAN; params.len()];
        let mut dx = Matrix::zeros(x.rows(), x.cols());
        mlp.backward(params, x, &mut ws, &mut grads, Some(&mut dx));
        (grads, dx)
    }

    fn assert_close(analytic: f64, numeric: f64, what: &str) {
        let scale = analytic.abs().max(numeric.abs()).max(1e-3);
        assert!((analytic - numeric).abs() / scale < 1e-6, "{what}: {analytic} against {numeric}");
    }

    /// Compares the gradient of every parameter with its central difference.
    fn assert_gradients(mlp: &Mlp, params: &mut [f64], x: &Matrix<f64>, grads: &[f64], what: &str) {
        let h = 1e-6;
        for i in 0..params.len() {
            let kept = params[i];
            params[i] = kept + h;
            let up = objective(mlp, params, x);
            params[i] = kept - h;
            let down = objective(mlp, params, x);
            params[i] = kept;
            assert_close(grads[i], (up - down) / (2.0 * h), &format!("{what} parameter {i}"));
        }
    }

    #[test]
    fn gradients_equal_finite_differences_for_every_activation() {
        let all = [
            Activation::Identity,
            Activation::Relu,
            Activation::LeakyRelu { slope: 0.2 },
            Activation::Sigmoid,
        ];
        for hidden in all {
            for output in all {
                let (mlp, mut params) = network(hidden, output);
                let mut x = rows(false);
                let (grads, dx) = analytic(&mlp, &params, Input::Dense(&x));
                assert_gradients(&mlp, &mut params, &x, &grads, &format!("{hidden:?} {output:?}"));
                let h = 1e-6;
                for i in 0..x.as_slice().len() {
                    let kept = x.as_slice()[i];
                    x.as_mut_slice()[i] = kept + h;
                    let up = objective(&mlp, &params, &x);
                    x.as_mut_slice()[i] = kept - h;
                    let down = objective(&mlp, &params, &x);
                    x.as_mut_slice()[i] = kept;
                    assert_close(dx.as_slice()[i], (up - down) / (2.0 * h), &format!("{hidden:?} input {i}"));
                }
            }
        }
    }

    /// A network most of whose hidden units are silent, or all if `whole`.
    fn mostly_silent(whole: bool) -> (Mlp, Vec<f64>) {
        let (mlp, mut params) = network(Activation::Relu, Activation::Identity);
        for layer in &mlp.layers()[..2] {
            let bias = layer.bias().of_mut(&mut params);
            bias.iter_mut().enumerate().filter(|(j, _)| whole || j % 3 != 1).for_each(|(_, b)| *b = -50.0);
            bias.iter_mut().enumerate().filter(|(j, _)| !whole && j % 3 == 1).for_each(|(_, b)| *b = 1.0);
        }
        (mlp, params)
    }

    #[test]
    fn silent_units_are_left_out_and_gradients_stay_right() {
        for whole in [false, true] {
            let (mlp, mut params) = mostly_silent(whole);
            let x = rows(false);
            let mut ws = mlp.workspace(9, false);
            mlp.forward(&params, Input::Dense(&x), &mut ws);
            let live: Vec<usize> = ws.activations.iter().map(Units::live).collect();
            assert_eq!(live, if whole { [0, 0, 3] } else { [2, 2, 3] });
            let (grads, _) = analytic(&mlp, &params, Input::Dense(&x));
            assert!(grads.iter().any(|&g| g != 0.0));
            assert_gradients(&mlp, &mut params, &x, &grads, "silent units");
        }
    }

    /// Outputs and gradients of a wide network with many silent units against those of the network from
    /// which these units were removed, in one workspace whose live units change, on dense and sparse rows.
    #[test]
    fn a_wide_network_works_like_the_one_without_its_silent_units() {
        const WIDE: [usize; 4] = [30, 700, 540, 4];
        let silent = |layer: usize, j: usize| layer < 2 && (j / 5 + layer).is_multiple_of(3);
        let kept =
            |layer: usize| (0..WIDE[layer + 1]).filter(move |&j| !silent(layer, j)).collect::<Vec<_>>();
        let widths = [30, kept(0).len(), kept(1).len(), 4];
        let build = |widths: &[usize]| {
            let mut layout = Layout::default();
            let mlp = Mlp::new(&mut layout, "net", widths, Activation::Relu, Activation::Relu);
            let params = vec![0.0_f32; layout.len()];
            (mlp, params)
        };
        let ((wide, mut params), (narrow, mut few)) = (build(&WIDE), build(&widths));
        wide.init(&mut params, Init::FanIn, StreamKey::new(3, "wide"));
        for l in 0..2 {
            let bias = wide.layers()[l].bias().of_mut(&mut params);
            bias.iter_mut().enumerate().for_each(|(j, b)| *b = if silent(l, j) { -90.0 } else { *b + 0.5 });
        }
        // Where parameter (i, j) of a layer of the narrow network lies in the wide one; the bias is row
        // `inputs`.
        let inputs = [(0..30).collect(), kept(0), kept(1)];
        let outputs = [kept(0), kept(1), (0..4).collect::<Vec<usize>>()];
        let mut origin = Vec::new();
        for l in 0..3 {
            let start = wide.layers()[l].range().start;
            let rows = inputs[l].iter().copied().chain([WIDE[l]]);
            origin.extend(rows.flat_map(|i| outputs[l].iter().map(move |j| start + i * WIDE[l + 1] + j)));
        }
        few.iter_mut().zip(&origin).for_each(|(p, &o)| *p = params[o]);

        let mut s = StreamKey::new(4, "rows").open();
        let x = Matrix::from_fn(70, 30, |i, j| if (i + j) % 3 == 0 { s.normal() as f32 } else { 0.0 });
        let csr = CsrMatrix::from_dense(&x);
        let all_positive = Matrix::from_fn(70, 30, |_, _| 1e4_f32);
        let run = |mlp: &Mlp, params: &[f32], x: Input<'_, f32>| {
            let mut ws = mlp.workspace(70, true);
            mlp.forward(params, Input::Dense(&all_positive), &mut ws);
            mlp.forward(params, x, &mut ws);
            let output = ws.output().clone();
            ws.output_gradient()
                .as_mut_slice()
                .iter_mut()
                .enumerate()
                .for_each(|(i, g)| *g = weight_of(i) as f32);
            let mut grads = vec![f32::NAN; params.len()];
            mlp.backward(params, x, &mut ws, &mut grads, None);
            let live: Vec<usize> = ws.activations.iter().map(Units::live).collect();
            (output, grads, live)
        };
        for x in [Input::Dense(&x), Input::Sparse(&csr)] {
            let ((y, grads, live), (want, some, _)) = (run(&wide, &params, x), run(&narrow, &few, x));
            let first = if matches!(x, Input::Dense(_)) { widths[1] } else { WIDE[1] };
            assert_eq!(live, [first, widths[2], 4]);
            assert!(want.as_slice().iter().any(|&v| v > 0.0));
            let near = |a: f32, b: f32| (a - b).abs() <= 1e-4 * a.abs().max(b.abs()).max(1.0);
            assert!(y.as_slice().iter().zip(want.as_slice()).all(|(&a, &b)| near(a, b)));
            let mut expected = vec![0.0; grads.len()];
            origin.iter().zip(&some).for_each(|(&o, &g)| expected[o] = g);
            assert!(grads.iter().zip(&expected).all(|(&a, &b)| near(a, b)));
            assert!(some.iter().filter(|g| **g != 0.0).count() > some.len() / 4);
        }
    }

    #[test]
    fn a_unit_that_is_not_a_number_is_not_silent() {
        let (mlp, mut params) = mostly_silent(false);
        mlp.layers()[0].bias().of_mut(&mut params)[0] = f64::NAN;
        let mut ws = mlp.workspace(9, false);
        mlp.forward(&params, Input::Dense(&rows(false)), &mut ws);
        assert!(ws.output().as_slice().iter().any(|y| y.is_nan()));
    }

    #[test]
    fn sparse_rows_give_what_dense_rows_give() {
        let (mlp, params) = network(Activation::Relu, Activation::Identity);
        let x = rows(true);
        let csr = CsrMatrix::from_dense(&x);
        let (dense, _) = analytic(&mlp, &params, Input::Dense(&x));
        let (sparse, _) = analytic(&mlp, &params, Input::Sparse(&csr));
        for (i, (a, b)) in dense.iter().zip(&sparse).enumerate() {
            assert!((a - b).abs() < 1e-12, "parameter {i}: {a} against {b}");
        }
        let mut ws = mlp.workspace(9, false);
        mlp.forward(&params, Input::Sparse(&csr), &mut ws);
        let from_sparse = ws.output().clone();
        mlp.forward(&params, Input::Dense(&x), &mut ws);
        for (a, b) in from_sparse.as_slice().iter().zip(ws.output().as_slice()) {
            assert!((a - b).abs() < 1e-12);
        }
    }

    #[test]
    fn a_smaller_batch_fits_into_the_workspace_of_a_larger_one() {
        let (mlp, params) = network(Activation::Relu, Activation::Sigmoid);
        let x = rows(false);
        let mut small = Matrix::zeros(0, 5);
        small.set_rows(4);
        (0..4).for_each(|i| small.row_mut(i).copy_from_slice(x.row(i)));
        let mut ws = mlp.workspace(9, true);
        mlp.forward(&params, Input::Dense(&x), &mut ws);
        let whole = ws.output().clone();
        mlp.forward(&params, Input::Dense(&small), &mut ws);
        assert_eq!(ws.output().rows(), 4);
        for i in 0..4 {
            for (a, b) in ws.output().row(i).iter().zip(whole.row(i)) {
                assert!((a - b).abs() < 1e-12);
            }
        }
    }
}
