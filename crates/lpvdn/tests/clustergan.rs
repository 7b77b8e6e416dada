//! The steps of ClusterGAN against PyTorch autograd (fixture), on several threads, and on data.

use std::collections::HashMap;

use lpvdn::model::clustergan::{CycleWeights, Form, Network, Output, Shape, Workspace};
use lpvdn_core::{Matrix, Pool, StreamKey};
use lpvdn_nn::optimizer::{Adam, AdamSettings};
use serde::Deserialize;

#[derive(Deserialize)]
struct Fixture {
    batch: usize,
    noise: usize,
    clusters: usize,
    beta_n: f64,
    beta_c: f64,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    form: String,
    columns: usize,
    output: String,
    hidden: Vec<usize>,
    #[serde(default)]
    height: usize,
    #[serde(default)]
    width: usize,
    #[serde(default)]
    channels: usize,
    #[serde(default)]
    filters: [usize; 2],
    parameters: HashMap<String, Vec<f64>>,
    x: Vec<f64>,
    z: Vec<f64>,
    epsilon: Vec<f64>,
    critic: Step,
    generator: Step,
    /// After the generator's step.
    statistics: HashMap<String, Vec<f64>>,
}

#[derive(Deserialize)]
struct Step {
    terms: [f64; 3],
    gradients: HashMap<String, Vec<f64>>,
}

fn network(fixture: &Fixture, case: &Case) -> Network {
    let form = match case.form.as_str() {
        "dense" => Form::Dense { hidden: case.hidden.clone(), normalized: false },
        _ => Form::Convolutional {
            height: case.height,
            width: case.width,
            channels: case.channels,
            filters: case.filters,
            hidden: case.hidden[0],
        },
    };
    let output = if case.output == "sigmoid" { Output::Sigmoid } else { Output::Identity };
    let (noise, clusters) = (fixture.noise, fixture.clusters);
    Network::new(Shape { columns: case.columns, noise, clusters, form }, output).expect("a good shape")
}

fn assert_near(what: &str, ours: f64, theirs: f64, largest: f64) {
    let scale = theirs.abs().max(1e-3 * largest);
    assert!((ours - theirs).abs() <= 1e-9 * scale, "{what}: {ours} against {theirs}");
}

/// Compares the gradients that the step wrote, and asserts that they are all that the fixture has.
fn assert_step(network: &Network, step: &Step, terms: [f64; 3], grads: &[f64]) {
    for (i, (ours, theirs)) in terms.into_iter().zip(step.terms).enumerate() {
        assert_near(&format!("term {i}"), ours, theirs, theirs.abs());
    }
    let written = network.layout().entries().iter().filter(|e| !e.span.of(grads)[0].is_nan());
    let mut compared = 0;
    for entry in written {
        let theirs = &step.gradients[&entry.name];
        let largest = theirs.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
        // Half of the rows true and half made: a shift of all values of the critic changes nothing.
        let no_gradient = entry.name.starts_with("critic.") && entry.span.range().len() == 1;
        assert!(largest > 1e-6 || no_gradient, "{} has no gradient: this would show nothing", entry.name);
        for (i, (&ours, &theirs)) in entry.span.of(grads).iter().zip(theirs).enumerate() {
            assert_near(&format!("{} [{i}]", entry.name), ours, theirs, largest.max(1e-3));
        }
        compared += 1;
    }
    assert_eq!(compared, step.gradients.len());
}

#[test]
fn both_steps_have_the_values_and_gradients_that_pytorch_finds() {
    let fixture: Fixture =
        serde_json::from_str(include_str!("fixtures/clustergan.json")).expect("the fixture");
    assert_eq!(fixture.cases.len(), 2);
    let weights = CycleWeights { noise: fixture.beta_n, class: fixture.beta_c };
    for case in &fixture.cases {
        let network = network(&fixture, case);
        let mut params = vec![f64::NAN; network.layout().len()];
        for entry in network.layout().entries() {
            entry.span.of_mut(&mut params).copy_from_slice(&case.parameters[&entry.name]);
        }
        let x = Matrix::from_vec(case.x.clone(), fixture.batch, case.columns);
        let z = Matrix::from_vec(case.z.clone(), fixture.batch, fixture.noise + fixture.clusters);
        let mut ws = network.workspace();

        let mut grads = vec![f64::NAN; params.len()];
        let v = network.critic_step(&params, &x, &z, &case.epsilon, &mut ws, &mut grads);
        assert_step(&network, &case.critic, [v.real, v.fake, v.penalty], &grads);

        let (mut grads, mut statistics) = (vec![f64::NAN; params.len()], network.init_statistics());
        let v = network.generator_step(&params, &z, weights, &mut statistics, &mut ws, &mut grads);
        assert_step(&network, &case.generator, [v.adversarial, v.noise, v.class], &grads);
        for entry in network.statistics().entries() {
            for (ours, theirs) in entry.span.of(&statistics).iter().zip(&case.statistics[&entry.name]) {
                assert_near(&entry.name, *ours, *theirs, 1.0);
            }
        }
    }
}

/// What a training needs, in single precision.
struct Run {
    network: Network,
    params: Vec<f32>,
    statistics: Vec<f32>,
    ws: Workspace<f32>,
    grads: Vec<f32>,
    critic: Adam<f32>,
    generator: Adam<f32>,
}

const WEIGHTS: CycleWeights = CycleWeights { noise: 10.0, class: 10.0 };

impl Run {
    fn new(columns: usize, form: Form, output: Output) -> Run {
        let network =
            Network::new(Shape { columns, noise: 3, clusters: 2, form }, output).expect("a good shape");
        let params: Vec<f32> = network.init(1);
        let settings = AdamSettings { beta1: 0.5, beta2: 0.9, ..AdamSettings::default() };
        Run {
            statistics: network.init_statistics(),
            ws: network.workspace(),
            grads: vec![0.0; params.len()],
            critic: Adam::new(settings, params.len()),
            generator: Adam::new(settings, params.len()),
            params,
            network,
        }
    }

    fn codes(&self, rows: usize, phase: u32, step: u64) -> Matrix<f32> {
        let mut z = Matrix::zeros(rows, self.network.shape().code());
        self.network.latent(StreamKey::new(2, "latent").at(phase, 0, step), &mut z);
        z
    }

    fn critic_step(&mut self, x: &Matrix<f32>, step: u64, rate: f64) {
        let (z, mut epsilon) = (self.codes(x.rows(), 0, step), vec![0.0; x.rows()]);
        self.network.shares(StreamKey::new(2, "shares").at(0, 0, step), &mut epsilon);
        self.network.critic_step(&self.params, x, &z, &epsilon, &mut self.ws, &mut self.grads);
        self.critic.step(&mut self.params, &self.grads, self.network.critic(), rate);
    }

    fn generator_step(&mut self, rows: usize, step: u64, rate: f64) {
        let z = self.codes(rows, 1, step);
        let statistics = &mut self.statistics;
        self.network.generator_step(&self.params, &z, WEIGHTS, statistics, &mut self.ws, &mut self.grads);
        let moved = self.network.generator_and_encoder();
        self.generator.step(&mut self.params, &self.grads, moved, rate);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let convolutional =
        Form::Convolutional { height: 12, width: 16, channels: 3, filters: [24, 40], hidden: 120 };
    for form in [Form::Dense { hidden: vec![200, 150], normalized: true }, convolutional] {
        let run = |threads| {
            let pool = Pool::new(threads).expect("a pool");
            pool.run(|| {
                let mut run = Run::new(576, form.clone(), Output::Sigmoid);
                let mut s = StreamKey::new(3, "rows").open();
                let x = Matrix::from_fn(150, 576, |_, _| s.uniform() as f32);
                for step in 0..2 {
                    run.critic_step(&x, step, 1e-3);
                    run.generator_step(150, step, 1e-3);
                }
                let codes = run.network.encode(&run.params, &x, &mut run.ws).clone();
                let all = [run.params.as_slice(), &run.statistics, codes.as_slice()].concat();
                all.iter().map(|v| v.to_bits()).collect::<Vec<u32>>()
            })
        };
        assert!(run(1) == run(3), "{form:?}");
    }
}

/// Rows of two blobs, 4 apart.
fn blobs(rows: usize, step: u64) -> Matrix<f32> {
    let mut s = StreamKey::new(4, "blobs").at(0, 0, step).open();
    let centers: Vec<f64> = (0..rows).map(|_| if s.below(2) == 0 { -2.0 } else { 2.0 }).collect();
    Matrix::from_fn(rows, 2, |i, j| (if j == 0 { centers[i] } else { 1.0 } + 0.2 * s.normal()) as f32)
}

/// The mean distance of generated rows to the nearer center, and how many are near either.
fn how_near(run: &mut Run) -> (f64, [usize; 2]) {
    let z = run.codes(200, 2, 0);
    let made = run.network.generate(&run.params, &run.statistics, &z, &mut run.ws);
    let (mut total, mut near) = (0.0, [0; 2]);
    for row in made.iter_rows() {
        let side = usize::from(row[0] > 0.0);
        let center = [-2.0, 2.0][side];
        total += f64::from((row[0] - center).hypot(row[1] - 1.0)) / 200.0;
        near[side] += 1;
    }
    (total, near)
}

/// How many of 200 rows of the blobs have a code that tells on which side they are.
fn told_apart(run: &mut Run) -> usize {
    let x = blobs(200, 1 << 40);
    let codes = run.network.encode(&run.params, &x, &mut run.ws);
    let first = codes.iter_rows().map(|code| code[3] > code[4]);
    let agree = first.zip(x.iter_rows()).filter(|(first, row)| *first == (row[0] > 0.0)).count();
    agree.max(200 - agree)
}

/// 0.25 is the mean distance of the data itself. A generator and a critic circle around each other, so a
/// mean over the last steps is looked at.
#[test]
fn generated_rows_move_to_the_data_and_codes_tell_its_clusters_apart() {
    Pool::new(1).expect("a pool").run(|| {
        let mut run = Run::new(2, Form::Dense { hidden: vec![32, 32], normalized: false }, Output::Identity);
        let (before, mut after, mut told) = (how_near(&mut run).0, 0.0, 0.0);
        for step in 0..600 {
            for k in 5 * step..5 * step + 5 {
                run.critic_step(&blobs(64, k), k, 3e-3);
            }
            run.generator_step(64, step, 1e-3);
            if step >= 500 && step % 10 == 0 {
                let (distance, near) = how_near(&mut run);
                after += distance / 10.0;
                told += told_apart(&mut run) as f64 / 2_000.0;
                assert!(near.iter().all(|&n| n > 50), "{near:?} of 200 near either center");
            }
        }
        assert!(before > 1.5 && after < 0.8, "{before} before, {after} after");
        assert!(told > 0.9, "{told} of the rows have their side in their code");
    });
}
