//! What is linear in a layer.
//!
//! All three kinds are one matrix product L·W = R, so that dW = Lᵀ·dR and dL = dR·Wᵀ. They differ in what
//! lies before and behind it:
//!
//! | map | L | R |
//! |---|---|---|
//! | dense | x | y |
//! | convolution | the patches of x | y |
//! | transposed convolution | x | y = the sum of these patches |
//!
//! Images lie line by line, the channels of a point side by side. So a batch of images of h × w points is
//! also a matrix with h·w rows for each of them, one column a channel, and needs no copy to be one.

use lpvdn_core::product::{Store, product};
use lpvdn_core::{Matrix, MatrixView, MatrixViewMut, Real};

use super::patches::Patches;

/// A linear map of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Map {
    /// y = x·W
    Dense {
        /// Values of x.
        inputs: usize,
        /// Values of y.
        outputs: usize,
    },
    /// A convolution, 4 × 4 with stride 2 and padding 1: half as high and half as wide.
    Convolution {
        /// Of the image that goes in.
        patches: Patches,
        /// Channels of the image that comes out.
        outputs: usize,
    },
    /// The adjoint of such a convolution: twice as high and twice as wide.
    Transposed {
        /// Channels of the image that goes in.
        inputs: usize,
        /// Of the image that comes out.
        patches: Patches,
    },
}

impl Map {
    /// The rows and columns of W.
    pub(super) fn weight(&self) -> (usize, usize) {
        match *self {
            Map::Dense { inputs, outputs } => (inputs, outputs),
            Map::Convolution { patches, outputs } => (patches.values(), outputs),
            Map::Transposed { inputs, patches } => (inputs, patches.values()),
        }
    }

    /// Multiply-adds of a row: W is applied once, or at every point of the smaller image.
    pub(super) fn multiplications(&self) -> usize {
        let (inner, outer) = self.weight();
        let times = match self {
            Map::Dense { .. } => 1,
            Map::Convolution { patches, .. } | Map::Transposed { patches, .. } => patches.count(),
        };
        times * inner * outer
    }

    /// The shape of W as a tensor.
    pub(super) fn weight_shape(&self) -> Vec<usize> {
        match *self {
            Map::Dense { inputs, outputs } => vec![inputs, outputs],
            Map::Convolution { patches, outputs } => [&patches.shape()[..], &[outputs]].concat(),
            Map::Transposed { inputs, patches } => [&[inputs], &patches.shape()[..]].concat(),
        }
    }

    /// The values of a row of y.
    pub(super) fn outputs(&self) -> usize {
        match *self {
            Map::Dense { outputs, .. } => outputs,
            Map::Convolution { patches, outputs } => patches.count() * outputs,
            Map::Transposed { patches, .. } => patches.image(),
        }
    }

    /// The channels of y: every point of an image has the same biases.
    pub(super) fn channels(&self) -> usize {
        match *self {
            Map::Dense { outputs, .. } | Map::Convolution { outputs, .. } => outputs,
            Map::Transposed { patches, .. } => patches.channels,
        }
    }

    /// Memory for patches; it grows to its size in use.
    pub(super) fn memory<T: Real>(&self) -> Matrix<T> {
        match self {
            Map::Dense { .. } => Matrix::zeros(0, 0),
            Map::Convolution { patches, .. } | Map::Transposed { patches, .. } => {
                Matrix::zeros(0, patches.values())
            }
        }
    }

    /// What must stand in `patches` before [`multiply`](Map::multiply): L of a convolution.
    pub(super) fn unfold_input<T: Real>(&self, x: &Matrix<T>, patches: &mut Matrix<T>) {
        if let Map::Convolution { patches: geometry, .. } = self {
            geometry.unfold(x, patches);
        }
    }

    /// y ← the map of x; `patches` as [`unfold_input`](Map::unfold_input) left it.
    pub(super) fn multiply<T: Real>(
        &self,
        weight: &[T],
        x: &Matrix<T>,
        patches: &mut Matrix<T>,
        y: &mut Matrix<T>,
    ) {
        let (inner, outer) = self.weight();
        let weight = MatrixView::new(weight, inner, outer);
        match self {
            Map::Transposed { patches: geometry, .. } => {
                patches.set_rows(x.rows() * geometry.count());
                product(patches.view_mut(), points(x, inner), weight, Store::Replace);
                geometry.fold(patches, y);
            }
            _ => {
                y.set_rows(x.rows());
                product(points_mut(y, outer), self.left(x, patches), weight, Store::Replace);
            }
        }
    }

    /// What must stand in `patches` before [`weight_gradient`](Map::weight_gradient) and
    /// [`input_gradient`](Map::input_gradient): dR of a transposed convolution.
    pub(super) fn unfold_gradient<T: Real>(&self, dy: &Matrix<T>, patches: &mut Matrix<T>) {
        if let Map::Transposed { patches: geometry, .. } = self {
            geometry.unfold(dy, patches);
        }
    }

    /// Lᵀ·dR into `out`. `patches` holds L of a convolution, dR of a transposed one.
    pub(super) fn weight_gradient<T: Real>(
        &self,
        x: &Matrix<T>,
        patches: &Matrix<T>,
        dy: &Matrix<T>,
        out: &mut [T],
        store: Store,
    ) {
        let (inner, outer) = self.weight();
        let out = MatrixViewMut::new(out, inner, outer);
        product(out, self.left(x, patches).t(), self.right(dy, patches), store);
    }

    /// dx ← the adjoint map of dy. `patches` holds dR of a transposed convolution; a convolution loses
    /// its L there.
    pub(super) fn input_gradient<T: Real>(
        &self,
        weight: &[T],
        dy: &Matrix<T>,
        patches: &mut Matrix<T>,
        dx: &mut Matrix<T>,
    ) {
        let (inner, outer) = self.weight();
        let weight = MatrixView::new(weight, inner, outer).t();
        match self {
            Map::Convolution { patches: geometry, .. } => {
                patches.set_rows(dy.rows() * geometry.count());
                product(patches.view_mut(), points(dy, outer), weight, Store::Replace);
                geometry.fold(patches, dx);
            }
            _ => {
                dx.set_rows(dy.rows());
                product(points_mut(dx, inner), self.right(dy, patches), weight, Store::Replace);
            }
        }
    }

    /// L
    fn left<'a, T: Real>(&self, x: &'a Matrix<T>, patches: &'a Matrix<T>) -> MatrixView<'a, T> {
        match self {
            Map::Convolution { .. } => patches.view(),
            _ => points(x, self.weight().0),
        }
    }

    /// R, or its gradient.
    fn right<'a, T: Real>(&self, y: &'a Matrix<T>, patches: &'a Matrix<T>) -> MatrixView<'a, T> {
        match self {
            Map::Transposed { .. } => patches.view(),
            _ => points(y, self.weight().1),
        }
    }
}

/// Images as points: one row for each, of its channels.
fn points<T>(images: &Matrix<T>, channels: usize) -> MatrixView<'_, T> {
    let values = images.as_slice();
    MatrixView::new(values, values.len() / channels, channels)
}

fn points_mut<T>(images: &mut Matrix<T>, channels: usize) -> MatrixViewMut<'_, T> {
    let values = images.as_mut_slice();
    let rows = values.len() / channels;
    MatrixViewMut::new(values, rows, channels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lpvdn_core::StreamKey;

    const GRID: Patches = Patches { height: 3, width: 2, channels: 2 };
    const CONVOLUTION: Map = Map::Convolution { patches: GRID, outputs: 5 };
    const TRANSPOSED: Map = Map::Transposed { inputs: 5, patches: GRID };

    fn random(rows: usize, cols: usize, step: u64) -> Matrix<f64> {
        let mut s = StreamKey::new(2, "map").at(0, 0, step).open();
        Matrix::from_fn(rows, cols, |_, _| s.normal())
    }

    fn apply(map: Map, weight: &[f64], x: &Matrix<f64>) -> Matrix<f64> {
        let (mut patches, mut y) = (map.memory(), Matrix::zeros(0, map.outputs()));
        map.unfold_input(x, &mut patches);
        map.multiply(weight, x, &mut patches, &mut y);
        y
    }

    fn adjoint(map: Map, weight: &[f64], dy: &Matrix<f64>, inputs: usize) -> Matrix<f64> {
        let (mut patches, mut dx) = (map.memory(), Matrix::zeros(0, inputs));
        map.unfold_gradient(dy, &mut patches);
        map.input_gradient(weight, dy, &mut patches, &mut dx);
        dx
    }

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    /// The definition, term by term: y[i, j, o] = Σ x[2i + ky − 1, 2j + kx − 1, c] · W[ky, kx, c, o].
    #[test]
    fn a_convolution_is_the_sum_of_its_definition() {
        let (x, weight) = (random(2, GRID.image(), 1), random(GRID.values(), 5, 2));
        let y = apply(CONVOLUTION, weight.as_slice(), &x);
        let (h, w, c) = (2 * GRID.height, 2 * GRID.width, GRID.channels);
        for n in 0..2 {
            for (place, &y) in y.row(n).iter().enumerate() {
                let (i, j, o) = (place / 5 / GRID.width, place / 5 % GRID.width, place % 5);
                let mut sum = 0.0;
                for (ky, kx) in (0..4).flat_map(|ky| (0..4).map(move |kx| (ky, kx))) {
                    let (line, column) = (2 * i + ky, 2 * j + kx);
                    if !(1..=h).contains(&line) || !(1..=w).contains(&column) {
                        continue;
                    }
                    for k in 0..c {
                        let from = x.row(n)[((line - 1) * w + column - 1) * c + k];
                        sum += from * weight.row((ky * 4 + kx) * c + k)[o];
                    }
                }
                assert!((y - sum).abs() < 1e-12, "{place}: {y} against {sum}");
            }
        }
    }

    #[test]
    fn every_map_and_its_input_gradient_are_adjoint() {
        let dense = Map::Dense { inputs: 7, outputs: 3 };
        let small = GRID.count() * 5;
        for (map, inputs) in [(dense, 7), (CONVOLUTION, GRID.image()), (TRANSPOSED, small)] {
            let (rows, cols) = map.weight();
            let weight = random(rows, cols, 3);
            let (x, y) = (random(4, inputs, 4), random(4, map.outputs(), 5));
            let forward = dot(apply(map, weight.as_slice(), &x).as_slice(), y.as_slice());
            let backward = dot(x.as_slice(), adjoint(map, weight.as_slice(), &y, inputs).as_slice());
            assert!((forward - backward).abs() < 1e-11, "{map:?}: {forward} against {backward}");
        }
    }

    /// ⟨y, map of x⟩ is linear in W, so its gradient times W is its value.
    #[test]
    fn a_weight_gradient_is_that_of_the_map() {
        let small = GRID.count() * 5;
        for (map, inputs) in [(CONVOLUTION, GRID.image()), (TRANSPOSED, small)] {
            let (rows, cols) = map.weight();
            let (x, y) = (random(4, inputs, 6), random(4, map.outputs(), 7));
            let mut patches = map.memory();
            map.unfold_input(&x, &mut patches);
            map.unfold_gradient(&y, &mut patches);
            let mut gradient = vec![1.0; rows * cols];
            map.weight_gradient(&x, &patches, &y, &mut gradient, Store::Add);
            for step in 8..12 {
                let weight = random(rows, cols, step);
                let value = dot(apply(map, weight.as_slice(), &x).as_slice(), y.as_slice());
                let sum: f64 = weight.as_slice().iter().sum();
                let linear = dot(&gradient, weight.as_slice()) - sum;
                assert!((value - linear).abs() < 1e-10, "{map:?}: {value} against {linear}");
            }
        }
    }

    /// A transposed convolution has the weights of the convolution it is the adjoint of, transposed.
    #[test]
    fn a_transposed_convolution_is_the_adjoint_of_a_convolution() {
        let weight = random(5, GRID.values(), 12);
        let transposed = Matrix::from_fn(GRID.values(), 5, |i, j| weight.row(j)[i]);
        let x = random(3, GRID.count() * 5, 13);
        let up = apply(TRANSPOSED, weight.as_slice(), &x);
        let adjoint = adjoint(CONVOLUTION, transposed.as_slice(), &x, GRID.image());
        assert!(up.as_slice().iter().zip(adjoint.as_slice()).all(|(a, b)| (a - b).abs() < 1e-12));
    }
}
