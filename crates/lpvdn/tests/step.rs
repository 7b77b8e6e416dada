//! One joint step against PyTorch autograd (fixture) and against finite differences.

use lpvdn::loss::affinities::AffinitySource;
use lpvdn::loss::reconstruction::Likelihood;
use lpvdn::model::lpvdn::Negatives;
use lpvdn::model::lpvdn::network::{Network, Shape, StepBatch, TermValues, TermWeights};
use lpvdn_core::source::Input;
use lpvdn_core::{CsrMatrix, Matrix};
use serde::Deserialize;
use std::collections::HashMap;

#[derive(Deserialize)]
struct Fixture {
    batch: usize,
    columns: usize,
    latent: usize,
    clusters: usize,
    output: usize,
    layers: Vec<usize>,
    discriminator: Vec<usize>,
    locality: Vec<usize>,
    alpha0: f64,
    alpha1: f64,
    divergence: f64,
    perplexity: f64,
    parameters: HashMap<String, Vec<f64>>,
    x: Vec<f64>,
    negatives: Vec<f64>,
    noise: Vec<f64>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    likelihood: Likelihood,
    negatives: String,
    terms: [f64; 4],
    gradients: HashMap<String, Vec<f64>>,
}

struct Setup {
    fixture: Fixture,
    network: Network,
    params: Vec<f64>,
    x: Matrix<f64>,
    negatives: Matrix<f64>,
    noise: Matrix<f64>,
    weights: TermWeights,
}

fn setup() -> Setup {
    let fixture: Fixture = serde_json::from_str(include_str!("fixtures/step.json")).expect("the fixture");
    let f = &fixture;
    let network = Network::new(Shape {
        columns: f.columns,
        layers: f.layers.clone(),
        latent: f.latent,
        clusters: f.clusters,
        discriminator: f.discriminator.clone(),
        locality: f.locality.clone(),
        output: f.output,
    });
    let mut params = vec![0.0; network.layout().len()];
    assert_eq!(network.layout().entries().len(), f.parameters.len());
    for entry in network.layout().entries() {
        entry.span.of_mut(&mut params).copy_from_slice(&f.parameters[&entry.name]);
    }
    let weights = TermWeights {
        divergence: f.divergence,
        alpha0: f.alpha0,
        alpha1: f.alpha1,
        perplexity: f.perplexity,
        affinities: AffinitySource::Latent,
        scale_locality_net: true,
        log_variance_bound: 20.0,
    };
    let matrix = |v: &Vec<f64>, cols| Matrix::from_vec(v.clone(), f.batch, cols);
    let (x, negatives) = (matrix(&f.x, f.columns), matrix(&f.negatives, f.columns));
    let noise = matrix(&f.noise, f.latent);
    Setup { network, params, x, negatives, noise, weights, fixture }
}

impl Setup {
    fn run(
        &self,
        params: &[f64],
        likelihood: Likelihood,
        x: Input<'_, f64>,
        shift: bool,
    ) -> (TermValues, Vec<f64>) {
        let mut ws = self.network.workspace(self.fixture.batch, &self.weights);
        let mut grads = vec![f64::NAN; params.len()];
        let negatives = if shift { Negatives::Shift } else { Negatives::Rows(Input::Dense(&self.negatives)) };
        let batch = StepBatch { x, target: &self.x, negatives, noise: &self.noise };
        let values = self.network.step(params, batch, likelihood, &self.weights, &mut ws, &mut grads);
        (values, grads)
    }
}

fn assert_near(what: &str, a: f64, b: f64, scale: f64) {
    assert!((a - b).abs() <= 1e-8 * scale.max(1.0), "{what}: {a} against {b}");
}

#[test]
fn a_step_has_the_values_and_gradients_that_pytorch_finds() {
    let setup = setup();
    for step in &setup.fixture.steps {
        let shift = step.negatives == "shift";
        let (values, grads) = setup.run(&setup.params, step.likelihood, Input::Dense(&setup.x), shift);
        let ours = [values.reconstruction, values.divergence, values.mutual_information, values.locality];
        for (i, (a, b)) in ours.iter().zip(step.terms).enumerate() {
            assert_near(&format!("term {i}"), *a, b, b.abs());
        }
        for entry in setup.network.layout().entries() {
            for (i, (a, b)) in entry.span.of(&grads).iter().zip(&step.gradients[&entry.name]).enumerate() {
                assert_near(&format!("{} [{i}] ({})", entry.name, step.negatives), *a, *b, b.abs());
            }
        }
    }
}

#[test]
fn sparse_rows_give_the_step_that_dense_rows_give() {
    let mut setup = setup();
    setup.x.as_mut_slice().iter_mut().enumerate().filter(|(i, _)| i % 3 != 0).for_each(|(_, v)| *v = 0.0);
    let csr = CsrMatrix::from_dense(&setup.x);
    let (a, dense) = setup.run(&setup.params, Likelihood::Gaussian, Input::Dense(&setup.x), true);
    let (b, sparse) = setup.run(&setup.params, Likelihood::Gaussian, Input::Sparse(&csr), true);
    assert_near("value", a.reconstruction, b.reconstruction, 1.0);
    for (a, b) in dense.iter().zip(&sparse) {
        assert_near("gradient", *a, *b, 1.0);
    }
}

/// The gradient of everything but the locality term: that one holds P fixed, which a difference of
/// the whole cannot; it is tested by itself and by the fixture.
#[test]
fn every_parameter_has_the_gradient_of_the_objective() {
    let mut setup = setup();
    setup.weights.alpha1 = 0.0;
    let value = |params: &[f64], setup: &Setup| {
        let (v, _) = setup.run(params, Likelihood::Bernoulli, Input::Dense(&setup.x), true);
        v.reconstruction
            + setup.weights.divergence * v.divergence
            + setup.weights.alpha0 * v.mutual_information
    };
    let (_, grads) = setup.run(&setup.params, Likelihood::Bernoulli, Input::Dense(&setup.x), true);
    let mut at = setup.params.clone();
    for entry in setup.network.layout().entries() {
        if entry.name.starts_with("locality") {
            continue;
        }
        let largest = entry.span.of(&grads).iter().fold(0.0_f64, |m, g| m.max(g.abs()));
        for i in entry.span.range() {
            let h = 1e-5;
            let mut f = |d: f64| {
                at[i] = setup.params[i] + d;
                value(&at, &setup)
            };
            let numeric = (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h);
            at[i] = setup.params[i];
            let scale = grads[i].abs().max(numeric.abs()).max(1e-2 * largest).max(1e-3);
            let error = (grads[i] - numeric).abs() / scale;
            assert!(error < 1e-6, "{} [{i}]: {} against {numeric}", entry.name, grads[i]);
        }
    }
}

#[test]
fn a_bounded_variance_passes_only_gradients_that_lead_back_inside() {
    let mut setup = setup();
    setup.weights.log_variance_bound = 0.2;
    let (_, grads) = setup.run(&setup.params, Likelihood::Bernoulli, Input::Dense(&setup.x), true);
    assert!(grads.iter().all(|g| g.is_finite()));
    let head =
        setup.network.layout().entries().iter().find(|e| e.name == "encoder.2.bias").expect("the head");
    let free = {
        setup.weights.log_variance_bound = 20.0;
        setup.run(&setup.params, Likelihood::Bernoulli, Input::Dense(&setup.x), true).1
    };
    assert_ne!(head.span.of(&grads)[3..], head.span.of(&free)[3..]);
    assert!(head.span.of(&grads)[3..].iter().any(|g| *g != 0.0), "a hard clamp would kill all of them");
}
