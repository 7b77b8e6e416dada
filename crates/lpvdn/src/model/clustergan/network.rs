//! The three networks, and where their parameters lie: generator, encoder, critic, one after the other.
//!
//! | | dense | convolutional |
//! |---|---|---|
//! | G | z – hidden… – D | z – hidden – h/4 × w/4 × f₂ – h/2 × w/2 × f₁ – h × w × c |
//! | D, E | D – hidden… – 1, d_n + K | h × w × c – h/2 × w/2 × f₁ – h/4 × w/4 × f₂ – hidden – 1, d_n + K |
//!
//! All hidden layers have leaky units of slope 0.2, but for a generator whose layers are normalised over the
//! batch: they have ReLU. Critic and encoder are never normalised: the penalty asks for
//! the slope at each row, which must not depend on the other rows.

use std::ops::Range;

use lpvdn_core::{Matrix, Real, StreamKey};
use lpvdn_nn::{Activation, Layout};
use serde::{Deserialize, Serialize};

use super::layer::{Plan, Spread};
use super::map::Map;
use super::patches::Patches;
use super::penalty::PenaltyWorkspace;
use super::stack::{Stack, StackWorkspace, dense};

const LEAKY: Activation = Activation::LeakyRelu { slope: 0.2 };

/// The sizes of everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// D, the columns of the data.
    pub columns: usize,
    /// d_n, the values of z_n.
    pub noise: usize,
    /// K, the clusters of z_c.
    pub clusters: usize,
    /// The layers between.
    pub form: Form,
}

/// The layers of the networks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Fully connected, for rows of any kind.
    Dense {
        /// Hidden layers of each network.
        hidden: Vec<usize>,
        /// Whether those of the generator are normalised over the batch, as convolutional ones are: z_n is
        /// small, and what depends on it would else take long to grow.
        normalized: bool,
    },
    /// Convolutions, for images that lie line by line, the channels of a point side by side.
    Convolutional {
        /// Lines of an image; a multiple of 4.
        height: usize,
        /// Points of a line; a multiple of 4.
        width: usize,
        /// Channels of a point.
        channels: usize,
        /// f₁ and f₂, the channels at half and at a quarter of the size.
        filters: [usize; 2],
        /// Units of the fully connected layer.
        hidden: usize,
    },
}

/// How the generator ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Output {
    /// In a sigmoid, for data in [0, 1].
    Sigmoid,
    /// In its last sums, for all other data.
    Identity,
}

/// A shape that no network can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// A size is 0.
    #[error("{what} must be at least 1")]
    Zero {
        /// Which one.
        what: &'static str,
    },
    /// An image that cannot be halved twice.
    #[error("images of {height} × {width} points: height and width must be multiples of 4")]
    Quarters {
        /// Lines of an image.
        height: usize,
        /// Points of a line.
        width: usize,
    },
    /// An image that is no row of the data.
    #[error(
        "images of {height} × {width} points and {channels} channels do not fit rows of {columns} columns"
    )]
    Columns {
        /// Lines of an image.
        height: usize,
        /// Points of a line.
        width: usize,
        /// Channels of a point.
        channels: usize,
        /// The columns of the data.
        columns: usize,
    },
}

impl Form {
    /// Two hidden layers of 256.
    pub fn dense() -> Form {
        Form::Dense { hidden: vec![256, 256], normalized: true }
    }

    /// 64 and 128 channels and 1024 units, as in the paper.
    pub fn convolutional(height: usize, width: usize, channels: usize) -> Form {
        Form::Convolutional { height, width, channels, filters: [64, 128], hidden: 1024 }
    }
}

impl Shape {
    /// d_n + K, the values of a code.
    pub fn code(&self) -> usize {
        self.noise + self.clusters
    }

    /// Whether networks can have it.
    pub fn check(&self) -> Result<(), ShapeError> {
        let at_least_one =
            |size: usize, what| if size == 0 { Err(ShapeError::Zero { what }) } else { Ok(()) };
        at_least_one(self.columns, "the number of columns")?;
        at_least_one(self.noise, "the size of the noise z_n")?;
        at_least_one(self.clusters, "the number of clusters")?;
        match &self.form {
            Form::Dense { hidden, .. } => {
                hidden.iter().try_for_each(|&size| at_least_one(size, "the size of a hidden layer"))
            }
            &Form::Convolutional { height, width, channels, filters, hidden } => {
                let sizes = [height, width, channels, filters[0], filters[1], hidden];
                let names = ["the height", "the width", "channels", "filters", "filters", "hidden units"];
                sizes.into_iter().zip(names).try_for_each(|(size, name)| at_least_one(size, name))?;
                if !height.is_multiple_of(4) || !width.is_multiple_of(4) {
                    return Err(ShapeError::Quarters { height, width });
                }
                let values = height.checked_mul(width).and_then(|points| points.checked_mul(channels));
                let columns = self.columns;
                if values != Some(columns) {
                    return Err(ShapeError::Columns { height, width, channels, columns });
                }
                Ok(())
            }
        }
    }

    /// The layers of the generator.
    fn generator(&self, output: Activation) -> Vec<Plan> {
        match &self.form {
            Form::Dense { hidden, normalized: false } => {
                dense(&widths(self.code(), hidden, self.columns), LEAKY, output)
            }
            Form::Dense { hidden, normalized: true } => {
                let mut plans = dense(&widths(self.code(), hidden, self.columns), Activation::Relu, output);
                plans.iter_mut().rev().skip(1).for_each(|plan| plan.normalized = true);
                plans
            }
            &Form::Convolutional { height, width, channels, filters, hidden } => {
                let (h, w, [first, second]) = (height / 4, width / 4, filters);
                let layer = |map| Plan { map, normalized: true, activation: Activation::Relu };
                let to_half = Patches { height: h, width: w, channels: first };
                let to_whole = Patches { height: 2 * h, width: 2 * w, channels };
                let last = Map::Transposed { inputs: first, patches: to_whole };
                vec![
                    layer(Map::Dense { inputs: self.code(), outputs: hidden }),
                    layer(Map::Dense { inputs: hidden, outputs: h * w * second }),
                    layer(Map::Transposed { inputs: second, patches: to_half }),
                    Plan { map: last, normalized: false, activation: output },
                ]
            }
        }
    }

    /// The layers from a row to `outputs` values: those of the critic or of the encoder.
    fn reader(&self, outputs: usize) -> Vec<Plan> {
        match &self.form {
            Form::Dense { hidden, .. } => {
                dense(&widths(self.columns, hidden, outputs), LEAKY, Activation::Identity)
            }
            &Form::Convolutional { height, width, channels, filters, hidden } => {
                let (h, w, [first, second]) = (height / 4, width / 4, filters);
                let layer = |map| Plan { map, normalized: false, activation: LEAKY };
                let of_whole = Patches { height: 2 * h, width: 2 * w, channels };
                let of_half = Patches { height: h, width: w, channels: first };
                let mut plans = vec![
                    layer(Map::Convolution { patches: of_whole, outputs: first }),
                    layer(Map::Convolution { patches: of_half, outputs: second }),
                ];
                let rest = [h * w * second, hidden, outputs];
                plans.extend(dense(&rest, LEAKY, Activation::Identity));
                plans
            }
        }
    }
}

fn widths(first: usize, hidden: &[usize], last: usize) -> Vec<usize> {
    [&[first], hidden, &[last]].concat()
}

/// Where every parameter lies. The parameters themselves are one slice that is passed in, and so are the
/// statistics of the normalised layers.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    shape: Shape,
    output: Output,
    layout: Layout,
    statistics: Layout,
    generator: Stack,
    encoder: Stack,
    critic: Stack,
}

/// All memory of the steps, of [`Network::encode`] and of [`Network::generate`]. Each part grows to the size
/// of the largest batch in its first use; after that nothing is allocated.
#[derive(Clone, Debug)]
pub struct Workspace<T> {
    pub(super) generator: StackWorkspace<T>,
    pub(super) encoder: StackWorkspace<T>,
    /// The critic in a step of the generator.
    pub(super) judge: StackWorkspace<T>,
    /// The critic on true and made rows.
    pub(super) pairs_critic: StackWorkspace<T>,
    pub(super) penalty: PenaltyWorkspace<T>,
    /// Made rows above true ones.
    pub(super) pairs: Matrix<T>,
    /// x̂
    pub(super) mixed: Matrix<T>,
    /// The gradient of G(z) through the critic.
    pub(super) judge_slope: Matrix<T>,
    /// The gradient of G(z) through the encoder.
    pub(super) encoder_slope: Matrix<T>,
    /// [ẑ_n, softmax(ẑ_c)]
    pub(super) codes: Matrix<T>,
}

impl Network {
    /// Lays the parameters out.
    pub fn new(shape: Shape, output: Output) -> Result<Network, ShapeError> {
        shape.check()?;
        let (mut layout, mut statistics) = (Layout::default(), Layout::default());
        let activation = match output {
            Output::Sigmoid => Activation::Sigmoid,
            Output::Identity => Activation::Identity,
        };
        let mut stack = |name, plans: Vec<Plan>| Stack::new(&mut layout, &mut statistics, name, &plans);
        let generator = stack("generator", shape.generator(activation));
        let encoder = stack("encoder", shape.reader(shape.code()));
        let critic = stack("critic", shape.reader(1));
        Ok(Network { shape, output, layout, statistics, generator, encoder, critic })
    }

    /// The sizes of everything.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }
    /// How the generator ends.
    pub fn output(&self) -> Output {
        self.output
    }
    /// Names, shapes and places of all parameters.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
    /// Names, shapes and places of the running means and variances; empty where nothing is normalised.
    ///
    /// They are no parameters and have no gradient, so they are a slice of their own. A step of the
    /// generator moves them, [`Network::generate`] reads them, and a checkpoint holds both slices.
    pub fn statistics(&self) -> &Layout {
        &self.statistics
    }
    /// The generator's parameters.
    pub fn generator(&self) -> Range<usize> {
        self.generator.range()
    }
    /// The encoder's parameters.
    pub fn encoder(&self) -> Range<usize> {
        self.encoder.range()
    }
    /// The critic's parameters.
    pub fn critic(&self) -> Range<usize> {
        self.critic.range()
    }
    /// The parameters that a step of the generator moves: its own and the encoder's.
    pub fn generator_and_encoder(&self) -> Range<usize> {
        self.generator().start..self.encoder().end
    }

    pub(super) fn generator_stack(&self) -> &Stack {
        &self.generator
    }
    pub(super) fn encoder_stack(&self) -> &Stack {
        &self.encoder
    }
    pub(super) fn critic_stack(&self) -> &Stack {
        &self.critic
    }

    /// A convolution would take rows that are too long, and read their beginning.
    pub(super) fn check_rows<T>(&self, x: &Matrix<T>) {
        let columns = self.shape.columns;
        assert_eq!(x.cols(), columns, "rows have {columns} columns");
    }
    pub(super) fn check_codes<T>(&self, z: &Matrix<T>) {
        let values = self.shape.code();
        assert_eq!(z.cols(), values, "codes have {values} values");
    }

    /// Draws all starting values: weights from N(0, 0.02²), no bias; what is normalised has a scale of 1.
    pub fn init<T: Real>(&self, seed: u64) -> Vec<T> {
        let mut params = vec![T::ZERO; self.layout.len()];
        let spread = match self.shape.form {
            Form::Dense { .. } => Spread::FanIn,
            Form::Convolutional { .. } => Spread::Paper,
        };
        let parts = [
            (&self.generator, "init generator"),
            (&self.encoder, "init encoder"),
            (&self.critic, "init critic"),
        ];
        parts.iter().for_each(|(part, name)| part.init(&mut params, spread, StreamKey::new(seed, name)));
        params
    }

    /// The statistics before the first step: mean 0, variance 1.
    pub fn init_statistics<T: Real>(&self) -> Vec<T> {
        let mut statistics = vec![T::ZERO; self.statistics.len()];
        self.generator.init_statistics(&mut statistics);
        statistics
    }

    /// Memory for steps, codes and generated rows.
    pub fn workspace<T: Real>(&self) -> Workspace<T> {
        let rows = || Matrix::zeros(0, self.shape.columns);
        Workspace {
            generator: self.generator.workspace(),
            encoder: self.encoder.workspace(),
            judge: self.critic.workspace(),
            pairs_critic: self.critic.workspace(),
            penalty: PenaltyWorkspace::new(&self.critic, self.shape.columns),
            pairs: rows(),
            mixed: rows(),
            judge_slope: rows(),
            encoder_slope: rows(),
            codes: Matrix::zeros(0, self.shape.code()),
        }
    }
}

/// A small network of each form, with parameters at which it is neither flat nor near a kink.
#[cfg(test)]
pub(super) fn test_networks() -> Vec<(Network, Vec<f64>)> {
    let convolutional = Form::Convolutional { height: 8, width: 12, channels: 2, filters: [3, 4], hidden: 5 };
    let dense = |normalized| (6, Form::Dense { hidden: vec![7, 5], normalized });
    let network = |(columns, form), output, seed| {
        let network = Network::new(Shape { columns, noise: 2, clusters: 3, form }, output).expect("good");
        let mut stream = StreamKey::new(seed, "parameters").open();
        let mut params = network.init(0);
        params.iter_mut().for_each(|p| *p += 0.4 * stream.normal());
        (network, params)
    };
    vec![
        network(dense(false), Output::Identity, 1),
        network(dense(true), Output::Identity, 5),
        network((192, convolutional), Output::Sigmoid, 3),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(form: Form) -> Shape {
        Shape { columns: 784, noise: 30, clusters: 10, form }
    }

    #[test]
    fn the_parts_lie_one_after_the_other_and_fill_the_layout() {
        for form in [Form::dense(), Form::convolutional(28, 28, 1)] {
            let network = Network::new(shape(form), Output::Sigmoid).expect("a good shape");
            let (g, e, d) = (network.generator(), network.encoder(), network.critic());
            assert_eq!((g.start, g.end, e.end, d.end), (0, e.start, d.start, network.layout().len()));
            let named = |part: &str| {
                let entries = network.layout().entries().iter().filter(|e| e.name.starts_with(part));
                entries.map(|e| e.shape.iter().product::<usize>()).sum::<usize>()
            };
            assert_eq!((named("generator."), named("critic.")), (g.len(), d.len()));
        }
    }

    #[test]
    fn the_paper_s_networks_have_the_paper_s_sizes() {
        let network = Network::new(shape(Form::convolutional(28, 28, 1)), Output::Sigmoid).expect("good");
        let shapes = |part: &str| -> Vec<Vec<usize>> {
            let entries = network.layout().entries().iter();
            let weights = entries.filter(|e| e.name.starts_with(part) && e.name.ends_with("weight"));
            weights.map(|e| e.shape.clone()).collect()
        };
        let up = [vec![40, 1024], vec![1024, 6272], vec![128, 4, 4, 64], vec![64, 4, 4, 1]];
        assert_eq!(shapes("generator"), up);
        let down = [vec![4, 4, 1, 64], vec![4, 4, 64, 128], vec![6272, 1024], vec![1024, 1]];
        assert_eq!(shapes("critic"), down);
        assert_eq!(shapes("encoder")[3], [1024, 40]);
        // A convolution is applied at every point of what comes out.
        let work = 14 * 14 * 16 * 64 + 7 * 7 * 16 * 64 * 128 + 6272 * 1024 + 1024;
        assert_eq!(network.critic_stack().multiplications(), work);
        let names: Vec<&str> = network.statistics().entries().iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names[..2], ["generator.0.mean", "generator.0.variance"]);
        assert_eq!(network.statistics().len(), 2 * (1024 + 6272 + 64));
    }

    #[test]
    fn weights_start_as_their_form_has_them_and_biases_at_zero() {
        for form in [Form::dense(), Form::convolutional(28, 28, 1)] {
            let dense = form == Form::dense();
            let network = Network::new(shape(form), Output::Sigmoid).expect("a good shape");
            let params: Vec<f64> = network.init(3);
            for entry in network.layout().entries() {
                let values = entry.span.of(&params);
                if entry.name.ends_with("bias") {
                    assert!(values.iter().all(|&b| b == 0.0));
                } else if values.len() > 10_000 {
                    let square = values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64;
                    let wanted = if dense { (2.0 / entry.shape[0] as f64).sqrt() } else { 0.02 };
                    assert!((square.sqrt() / wanted - 1.0).abs() < 0.05, "{}", entry.name);
                }
            }
            assert_ne!(params, network.init::<f64>(4));
        }
    }

    #[test]
    fn impossible_shapes_are_refused_in_a_sentence() {
        let refused = |shape: Shape| Network::new(shape, Output::Sigmoid).expect_err("refused").to_string();
        let images = |h, w, c| refused(shape(Form::convolutional(h, w, c)));
        assert_eq!(images(30, 28, 1), "images of 30 × 28 points: height and width must be multiples of 4");
        assert_eq!(
            images(28, 28, 3),
            "images of 28 × 28 points and 3 channels do not fit rows of 784 columns"
        );
        assert_eq!(images(28, 0, 1), "the width must be at least 1");
        assert!(images(1 << 40, 1 << 40, 1).contains("do not fit"));
        let none = Shape { clusters: 0, ..shape(Form::dense()) };
        assert_eq!(refused(none), "the number of clusters must be at least 1");
        let empty = shape(Form::Dense { hidden: vec![5, 0], normalized: true });
        assert_eq!(refused(empty), "the size of a hidden layer must be at least 1");
    }
}
