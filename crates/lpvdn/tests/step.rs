//! One joint step against PyTorch autograd (fixture) and against finite differences.

use lpvdn::loss::affinities::AffinitySource;
use lpvdn::loss::reconstruction::Likelihood;
use lpvdn::model::lpvdn::Negatives;
use lpvdn::model::lpvdn::network::{Network, Shape};
use lpvdn::model::lpvdn::step::{StepBatch, TermValues, TermWeights};
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
        let batch = StepBatch { x, target: &self.x, negatives, noise: &self.noise, joint: None };
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
            let largest = step.gradients[&entry.name].iter().fold(0.0_f64, |m, g| m.max(g.abs()));
            // A shift of all of o' changes no distance, so its last bias has no gradient.
            let shift = entry.name == "locality.2.bias";
            assert!(largest > 1e-4 || shift, "{} has no gradient: this would show nothing", entry.name);
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
    assert_differences(&setup, &grads, |name| !name.starts_with("locality"), |params| value(params, &setup));
}

/// Asserts that `grads` is the derivative of `value` for every parameter whose name is `wanted`.
fn assert_differences(
    setup: &Setup,
    grads: &[f64],
    wanted: impl Fn(&str) -> bool,
    value: impl Fn(&[f64]) -> f64,
) {
    let mut at = setup.params.clone();
    for entry in setup.network.layout().entries().iter().filter(|e| wanted(&e.name)) {
        let largest = entry.span.of(grads).iter().fold(0.0_f64, |m, g| m.max(g.abs()));
        for i in entry.span.range() {
            let h = 1e-5;
            let mut f = |d: f64| {
                at[i] = setup.params[i] + d;
                value(&at)
            };
            let numeric = (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h);
            at[i] = setup.params[i];
            let scale = grads[i].abs().max(numeric.abs()).max(1e-2 * largest).max(1e-3);
            let error = (grads[i] - numeric).abs() / scale;
            assert!(error < 1e-6, "{} [{i}]: {} against {numeric}", entry.name, grads[i]);
        }
    }
}

/// One row whose log σ̃² lies outside the bound, on either side: a gradient that would lead it further
/// out is cut, one that leads back is passed on whole.
#[test]
fn a_bounded_variance_passes_only_gradients_that_lead_back_inside() {
    let mut setup = setup();
    let (bound, latent) = (3.0, setup.fixture.latent);
    let head = |suffix: &str| {
        let name = format!("encoder.2.{suffix}");
        setup.network.layout().entries().iter().find(|e| e.name == name).expect("the head").span
    };
    let (weight, bias) = (head("weight"), head("bias"));
    let (mut cut, mut passed) = (0, 0);
    for side in [-1.0, 1.0] {
        // Without weights the head is its bias: every row has the same code.
        weight.of_mut(&mut setup.params).fill(0.0);
        bias.of_mut(&mut setup.params)[latent..].fill(side * (bound + 1.0));
        for row in 0..setup.fixture.batch {
            let one = |m: &Matrix<f64>| Matrix::from_vec(m.row(row).to_vec(), 1, m.cols());
            let (x, noise) = (one(&setup.x), one(&setup.noise));
            let gradient = |params: &[f64], bound: f64| {
                let weights = TermWeights { log_variance_bound: bound, ..setup.weights };
                let mut ws = setup.network.workspace(1, &weights);
                let mut grads = vec![f64::NAN; params.len()];
                let negatives = Negatives::Shift;
                let batch =
                    StepBatch { x: Input::Dense(&x), target: &x, negatives, noise: &noise, joint: None };
                setup.network.step(params, batch, Likelihood::Bernoulli, &weights, &mut ws, &mut grads);
                bias.of(&grads)[latent..].to_vec()
            };
            // The bounded value is what a free one at the bound would be.
            let mut at_bound = setup.params.clone();
            bias.of_mut(&mut at_bound)[latent..].fill(side * bound);
            for (g, free) in gradient(&setup.params, bound).iter().zip(gradient(&at_bound, 100.0)) {
                // Descent moves against the gradient: side · free < 0 leads further out.
                if side * free < 0.0 {
                    assert_eq!(*g, 0.0, "outward on side {side}");
                    cut += 1;
                } else {
                    assert_near("inward", *g, free, free.abs());
                    passed += 1;
                }
            }
        }
    }
    assert!(cut > 0 && passed > 0, "both kinds must occur: {cut} cut, {passed} passed");
}

/// Between rows, P does not depend on the parameters, so the whole objective can be differenced.
#[test]
fn with_affinities_of_the_rows_every_parameter_has_the_gradient_of_the_whole_objective() {
    let mut setup = setup();
    setup.weights.affinities = AffinitySource::Rows;
    let value = |params: &[f64]| {
        let (v, _) = setup.run(params, Likelihood::Bernoulli, Input::Dense(&setup.x), true);
        let w = &setup.weights;
        v.reconstruction
            + w.divergence * v.divergence
            + w.alpha0 * v.mutual_information
            + w.alpha1 * v.locality
    };
    let (_, grads) = setup.run(&setup.params, Likelihood::Bernoulli, Input::Dense(&setup.x), true);
    assert_differences(&setup, &grads, |_| true, value);
}

#[test]
fn a_locality_net_left_unscaled_differs_only_in_its_own_gradient() {
    let mut setup = setup();
    let run = |setup: &Setup| setup.run(&setup.params, Likelihood::Bernoulli, Input::Dense(&setup.x), true).1;
    let scaled = run(&setup);
    setup.weights.scale_locality_net = false;
    let unscaled = run(&setup);
    for entry in setup.network.layout().entries() {
        let factor = if entry.name.starts_with("locality") { setup.weights.alpha1 } else { 1.0 };
        for (a, b) in entry.span.of(&scaled).iter().zip(entry.span.of(&unscaled)) {
            assert_near(&entry.name, *a, factor * b, a.abs());
        }
    }
}

#[test]
fn both_affinities_are_the_mean_of_the_two() {
    let mut setup = setup();
    let mut locality_gradient = |source| {
        setup.weights.affinities = source;
        setup.run(&setup.params, Likelihood::Bernoulli, Input::Dense(&setup.x), true).1
    };
    let latent = locality_gradient(AffinitySource::Latent);
    let rows = locality_gradient(AffinitySource::Rows);
    let both = locality_gradient(AffinitySource::Both);
    // M = (P − Q)∘W is linear in P, and so is every gradient.
    for ((l, r), b) in latent.iter().zip(&rows).zip(&both) {
        assert_near("gradient", *b, 0.5 * (l + r), b.abs());
    }
    assert!(latent.iter().zip(&rows).any(|(l, r)| (l - r).abs() > 1e-6));
}

#[test]
fn pre_training_has_the_gradient_of_its_objective() {
    let setup = setup();
    let penalty = 0.2;
    let run = |params: &[f64], ws: &mut _, grads: &mut [f64]| {
        let x = Input::Dense(&setup.x);
        setup.network.autoencoder_step(params, x, &setup.x, Likelihood::Bernoulli, penalty, ws, grads)
    };
    let mut grads = vec![0.0; setup.params.len()];
    let mut ws = setup.network.workspace(setup.fixture.batch, &setup.weights);
    run(&setup.params, &mut ws, &mut grads);
    let value = |params: &[f64]| {
        let mut ws = setup.network.workspace(setup.fixture.batch, &setup.weights);
        let error = run(params, &mut ws, &mut vec![0.0; params.len()]);
        // ½ penalty ‖μ̃‖², mean over rows.
        let mut encoder = setup.network.encoder().workspace(setup.fixture.batch, false);
        setup.network.encoder().forward(params, Input::Dense(&setup.x), &mut encoder);
        let means = encoder.output().iter_rows().flat_map(|r| &r[..setup.fixture.latent]);
        let squares: f64 = means.map(|m| m * m).sum();
        error + 0.5 * penalty * squares / setup.fixture.batch as f64
    };
    let moved = |name: &str| name.starts_with("encoder") || name.starts_with("decoder");
    assert_differences(&setup, &grads, moved, value);
}
