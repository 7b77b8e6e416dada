//! Rows and small estimators of every method, for files and bits that must not change unnoticed.
//!
//! Nothing here may change: the stored files were made from it.
#![allow(dead_code)] // Each user needs a part of it.

use lpvdn::map::MapParams;
use lpvdn::model::autoencoder::Refinement;
use lpvdn::{Estimator, FitControl, Fitted, Method, Model, Recipe};
use lpvdn_core::{ColumnGroup, ColumnKind, CsrMatrix, Dataset, Matrix};

/// K of every stored model.
pub(crate) const CLUSTERS: usize = 3;

/// A kind of data: each takes another way through the scaling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Dense values in [0, 1], which stay as they are.
    Pixels,
    /// A table whose columns have different scales, which are standardised.
    Table,
    /// Sparse counts, which are scaled by their norm.
    Sparse,
}

impl Kind {
    pub(crate) const ALL: [Kind; 3] = [Kind::Pixels, Kind::Table, Kind::Sparse];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Pixels => "pixels",
            Kind::Table => "table",
            Kind::Sparse => "sparse",
        }
    }

    /// Three groups of rows.
    pub(crate) fn rows(self) -> Dataset {
        let pixels = pixels();
        match self {
            Kind::Pixels => Dataset::from(pixels),
            Kind::Table => Dataset::from(Matrix::from_fn(pixels.rows(), pixels.cols(), |i, j| {
                // Powers of two and small whole numbers: every value is exact.
                let scale = [1.0, 64.0, 0.125, 1024.0][j % 4];
                (pixels.row(i)[j] - 0.5) * scale + j as f32 * 3.0
            })),
            Kind::Sparse => {
                let counts = Matrix::from_fn(pixels.rows(), pixels.cols(), |i, j| {
                    let bright = pixels.row(i)[j] > 0.5;
                    if bright || (i * 5 + j) % 7 == 0 { (1 + (i + j) % 4) as f32 } else { 0.0 }
                });
                Dataset::new("counts", CsrMatrix::from_dense(&counts))
            }
        }
    }
}

fn pixels() -> Matrix<f32> {
    Matrix::from_fn(90, 8, |i, j| {
        let bright = (i % 3) * 3 <= j && j < (i % 3) * 3 + 3;
        (if bright { 0.8 } else { 0.1 }) + 0.02 * ((i * 7 + j * 3) % 5) as f32
    })
}

/// Rows that have a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Numbers, an amount and a column of categories.
    Columns,
    /// Counts of terms, of which ten occur in no row.
    Terms,
}

impl Seen {
    pub(crate) const ALL: [Seen; 2] = [Seen::Columns, Seen::Terms];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Seen::Columns => "columns",
            Seen::Terms => "terms",
        }
    }

    /// Three groups of rows.
    pub(crate) fn rows(self) -> Dataset {
        match self {
            Seen::Columns => {
                let cell = |i: usize, j: usize| match j {
                    0 => ((i % 3) * 8 + i * 5 % 7) as f32 * 0.5,
                    1 => ((1 + i % 3) * (1 << (i * 7 % 10))) as f32,
                    _ => f32::from(u8::from((i + i / 9) % 3 == j - 2)),
                };
                let mut data = Dataset::from(Matrix::from_fn(90, 5, cell));
                let number = |name: &str| ColumnGroup::new(name, ColumnKind::Number, 1);
                let plan = ColumnGroup::new("plan", ColumnKind::Category, 3);
                data.groups = Some(vec![number("age"), number("income"), plan]);
                data
            }
            Seen::Terms => {
                let mut counts = CsrMatrix::new(80);
                for i in 0..90_usize {
                    let mut terms: Vec<u32> =
                        (0..8).map(|t| (i % 3 * 20 + (i * t + t) % 20) as u32).collect();
                    terms.extend((0..3).map(|t| 60 + ((i + 3 * t) % 10) as u32));
                    terms.sort_unstable();
                    terms.dedup();
                    counts
                        .push_row(terms.into_iter().map(|term| (term, (1 + (i + term as usize) % 3) as f32)));
                }
                Dataset::new("counts", counts)
            }
        }
    }
}

/// The values of a recipe, with networks and a training so small that a fit takes no time.
pub(crate) fn small(method: Method, recipe: Recipe) -> Estimator {
    let mut estimator = Estimator::of(method, recipe, CLUSTERS);
    match &mut estimator {
        Estimator::KMeans(params) => params.seed = 1,
        Estimator::Graph(params) => {
            params.seed = 1;
            params.neighbors = 5;
            params.landmarks = 12;
        }
        Estimator::Encoder(params) => {
            params.seed = 1;
            params.layers = Some(vec![12, 7]);
            params.latent_dim = 3;
            params.batch = Some(45);
            match &mut params.refinement {
                Refinement::None => params.pretrain_epochs = Some(30),
                Refinement::Variational { epochs, .. } => *epochs = Some(30),
                Refinement::SelfTraining { interval, steps, batch, .. } => {
                    params.pretrain_epochs = Some(30);
                    (*interval, *steps, *batch) = (Some(5), 20, 30);
                }
            }
        }
        Estimator::ClusterGan(params) => {
            params.seed = 1;
            params.layers = vec![12, 7];
            params.noise_dim = 3;
            params.batch = 30;
            params.steps = 60;
            params.pretrain_epochs = Some(10);
        }
        Estimator::Lpvdn(params) => {
            params.seed = 1;
            params.layers = Some(vec![12, 7]);
            params.latent_dim = 3;
            params.output_dim = 3;
            params.discriminator_layers = vec![6];
            params.locality_layers = Some(vec![8]);
            params.batch = Some(45);
            params.pretrain_epochs = Some(30);
            params.epochs = Some(10);
            // The paper's share of a batch this small would be less than one neighbour.
            params.perplexity = params.perplexity.max(0.05);
        }
    }
    estimator
}

/// The fit of a small estimator.
pub(crate) fn fit(method: Method, recipe: Recipe, kind: Kind) -> Fitted<Model> {
    let estimator = small(method, recipe).check().expect("good parameters");
    estimator.fit(&kind.rows(), &mut FitControl::default()).unwrap_or_else(|e| panic!("{method}: {e}"))
}

/// A model with everything that a file can hold: a scaling of each column, a reading and a map.
pub(crate) fn whole_model(method: Method) -> Model {
    let mut model = fit(method, Recipe::Robust, Kind::Table).model;
    model.set_reading(serde_json::json!({ "kind": "table", "columns": ["a", "b"], "missing": null }));
    let map = MapParams { layers: vec![5], batch: 30, epochs: 1, ..MapParams::new(2, 1) };
    model.fit_map(&Kind::Table.rows(), &map, &mut |_| true).expect("a map");
    model
}

/// Labels as a line of digits.
pub(crate) fn line_of(labels: &[u32]) -> String {
    labels.iter().map(u32::to_string).collect()
}
