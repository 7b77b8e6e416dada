//! The time of one full joint training step, as `fit` runs it: gathering the rows, drawing the noise,
//! all terms forward and backward, the perplexity search, Adam.
//!
//! `cargo bench -p lpvdn --bench step -- [--threads N] [--batch N] [--columns N] [--alpha0 X]
//! [--alpha1 X] [--steps N]` prints one JSON line. The rows are dense random bytes.

use std::time::Instant;

use lpvdn::model::lpvdn::NegativeRows;
use lpvdn::{Event, FitControl, LpvdnParams, Phase, Recipe};
use lpvdn_core::product::{Store, product};
use lpvdn_core::{Dataset, Matrix, Pool, StreamKey, kernel};

struct Options {
    threads: usize,
    batch: usize,
    columns: usize,
    alpha0: f64,
    alpha1: f64,
    steps: usize,
}

fn options() -> Options {
    let mut options = Options { threads: 2, batch: 800, columns: 784, alpha0: 1.0, alpha1: 1e-4, steps: 40 };
    let mut args = std::env::args().skip(1).filter(|a| a != "--bench");
    while let Some(name) = args.next() {
        let value: f64 = args.next().and_then(|v| v.parse().ok()).expect("a number after each option");
        match name.as_str() {
            "--threads" => options.threads = value as usize,
            "--batch" => options.batch = value as usize,
            "--columns" => options.columns = value as usize,
            "--alpha0" => options.alpha0 = value,
            "--alpha1" => options.alpha1 = value,
            "--steps" => options.steps = value as usize,
            other => panic!("unknown option {other}"),
        }
    }
    options
}

/// The paper's networks and terms; the false rows of L_MI are the shifted batch.
fn params(o: &Options) -> LpvdnParams {
    let mut params = LpvdnParams::of_recipe(Recipe::Paper, 10).alpha0(o.alpha0).alpha1(o.alpha1);
    params.negatives = NegativeRows::Shift;
    params
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Milliseconds between the ends of steps, the first few left out: the median, and what one step in
/// ten stays below, which a noisy machine disturbs less.
fn step_milliseconds(o: &Options) -> (f64, f64) {
    let mut stream = StreamKey::new(1, "bench").open();
    let rows = Matrix::from_fn(o.batch * 5, o.columns, |_, _| stream.below(256) as u8);
    let data = Dataset::from(rows);
    let mut times = Vec::new();
    let mut last = Instant::now();
    let mut observer = |event: &Event<'_>| match event {
        Event::Phase { .. } => last = Instant::now(),
        Event::Step { phase: Phase::Joint, .. } => {
            times.push(last.elapsed().as_secs_f64());
            last = Instant::now();
        }
        _ => {}
    };
    let epochs = (o.steps + 3).div_ceil(5);
    let params = params(o).batch(o.batch).pretrain_epochs(0).epochs(epochs).check().expect("good parameters");
    let mut control =
        FitControl { threads: o.threads, observer: Some(&mut observer), ..FitControl::default() };
    params.fit(&data, &mut control).expect("a fit");
    let mut times = times.split_off(3);
    times.sort_by(f64::total_cmp);
    (1e3 * times[times.len() / 2], 1e3 * times[times.len() / 10])
}

/// The speed of one large product, in 10⁹ operations a second: what the machine gives at best.
fn product_gflops(threads: usize) -> f64 {
    let (m, n, k) = (2048, 2048, 2048);
    let a = Matrix::<f32>::from_fn(m, k, |i, j| ((i * 3 + j) % 11) as f32 * 0.1);
    let mut out = Matrix::zeros(m, n);
    let pool = Pool::new(threads).expect("a pool");
    let times = pool.run(|| {
        let one = |_| {
            let start = Instant::now();
            product(out.view_mut(), a.view(), a.view(), Store::Replace);
            start.elapsed().as_secs_f64()
        };
        (0..7).map(one).collect::<Vec<f64>>()
    });
    2e-9 * (m * n * k) as f64 / median(times)
}

/// The arithmetic of a step, in 10⁹ operations: products only, the discriminator's shared.
fn step_gflop(o: &Options) -> f64 {
    let params = params(o).check().expect("good parameters");
    let (_, joint) = params.multiplications(o.columns, o.batch);
    2e-9 * joint * o.batch as f64
}

/// Multiply-adds in registers on all threads, in 10⁹ operations a second: no program gives more.
fn peak_gflops(threads: usize) -> f64 {
    const STEPS: usize = 2_000_000;
    let once = || {
        let start = Instant::now();
        let handles: Vec<_> = (0..threads).map(|_| std::thread::spawn(|| chains(STEPS))).collect();
        let results: Vec<f32> = handles.into_iter().map(|h| h.join().expect("a thread")).collect();
        let seconds = start.elapsed().as_secs_f64();
        assert!(results.iter().all(|r| r.is_finite()));
        2e-9 * (threads * STEPS * CHAINS) as f64 / seconds
    };
    (0..5).map(|_| once()).fold(0.0, f64::max)
}

/// Independent chains of multiply-adds: twelve AVX2 registers hide the latency of each.
const CHAINS: usize = 96;

fn chains(steps: usize) -> f32 {
    kernel! {
        fn run<T>(sums: &mut [T; CHAINS], steps: usize, factor: T, term: T) {
            for _ in 0..steps {
                for s in sums.iter_mut() {
                    *s = s.fma::<FMA>(factor, term);
                }
            }
        }
    }
    let mut sums = [1.0_f32; CHAINS];
    run(&mut sums, steps, std::hint::black_box(0.5), std::hint::black_box(0.25));
    sums.iter().sum()
}

#[allow(clippy::print_stdout)] // Printing is what a benchmark is for.
fn main() {
    let o = options();
    let (step_ms, fast_ms) = step_milliseconds(&o);
    println!(
        "{{\"step_ms\": {step_ms:.2}, \"fast_ms\": {fast_ms:.2}, \"samples_per_s\": {:.0}, \"step_gflop\": {:.2}, \"product_gflops\": {:.1}, \"peak_gflops\": {:.1}}}",
        1e3 * o.batch as f64 / step_ms,
        step_gflop(&o),
        product_gflops(o.threads),
        peak_gflops(o.threads),
    );
}
