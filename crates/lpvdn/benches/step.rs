//! The time of one full joint training step, as `fit` runs it: gathering the rows, drawing the noise,
//! all terms forward and backward, the perplexity search, Adam.
//!
//! `cargo bench --locked -p lpvdn --bench step -- [--data DATA] [--store DIR] [--threads N] [--batch N]
//! [--alpha0 X] [--alpha1 X] [--steps N] [--pretrain N] [--rows N] [--smoke]` prints one JSON line.
//!
//! How long a step takes depends on how many units are silent for a whole batch, so the network must
//! be one that occurs: on random rows nearly all units fall silent within a few steps, and a step is
//! several times faster than on any real data. So steps are timed on real rows, after `pretrain` epochs of
//! pre-training: those of `DATA`, or the built-in digits enlarged to the size of MNIST's images.
//!
//! `--store` keeps the pre-training, and nothing else: the fit is stopped after its last timed step, and a fit
//! that is stopped keeps no training. A run that found a training would have no steps to time.

use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use lpvdn::model::lpvdn::NegativeRows;
use lpvdn::{Event, FitControl, FitError, LpvdnParams, Phase, Recipe, RunStore};
use lpvdn_core::product::{Store, product};
use lpvdn_core::{Batch, Dataset, Matrix, Pool, StreamKey, kernel};

/// Steps at the start of the joint training that are not timed.
const WARM_UP: usize = 3;

struct Options {
    data: Option<String>,
    store: Option<String>,
    threads: usize,
    batch: usize,
    alpha0: f64,
    alpha1: f64,
    steps: usize,
    pretrain: usize,
    /// Of the enlarged digits: enough different batches that the network does not learn them by heart.
    rows: usize,
}

impl Options {
    fn read() -> Result<Options, Box<dyn Error>> {
        let mut options = Options {
            data: None,
            store: None,
            threads: 2,
            batch: 800,
            alpha0: 1.0,
            alpha1: 1e-4,
            steps: 40,
            pretrain: 10,
            rows: 16_000,
        };
        // Cargo adds `--bench`.
        let mut args = std::env::args().skip(1).filter(|a| a != "--bench");
        while let Some(name) = args.next() {
            if name == "--smoke" {
                options = Options { batch: 50, steps: 2, pretrain: 1, rows: 150, ..options };
                continue;
            }
            let text = args.next().ok_or_else(|| format!("{name} needs a value"))?;
            options.set(&name, text).map_err(|e| format!("{name}: {e}"))?;
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, text: String) -> Result<(), Box<dyn Error>> {
        match name {
            "--data" => self.data = Some(text),
            "--store" => self.store = Some(text),
            "--threads" => self.threads = text.parse()?,
            "--batch" => self.batch = text.parse()?,
            "--alpha0" => self.alpha0 = text.parse()?,
            "--alpha1" => self.alpha1 = text.parse()?,
            "--steps" => self.steps = text.parse()?,
            "--pretrain" => self.pretrain = text.parse()?,
            "--rows" => self.rows = text.parse()?,
            _ => return Err("there is no such option".into()),
        }
        Ok(())
    }
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

/// Pixels of an image's side.
const SIDE: usize = 28;
/// Pixels of a digit's box, in the middle of the image but for a random shift of up to [`SHIFT`].
const BOX: usize = 20;
const SHIFT: u64 = 3;

/// The built-in digits, 8 × 8 pixels from 0 to 16, in the manner of MNIST: enlarged by linear
/// interpolation and put somewhere near the middle of an image of `side` × `side` bytes.
fn enlarged_digits(rows: usize, side: usize) -> Matrix<u8> {
    let digits = lpvdn_data::digits();
    let mut batch = Batch::for_source(&*digits.source);
    let indices: Vec<u32> = (0..rows).map(|i| (i % digits.rows()) as u32).collect();
    digits.source.gather(&indices, &mut batch).expect("rows");
    let Batch::Dense(small) = &batch else { panic!("dense rows") };
    let mut stream = StreamKey::new(1, "bench").open();
    let mut images = Matrix::zeros(rows, side * side);
    for i in 0..rows {
        let mut corner = || (side - BOX) / 2 + stream.below(2 * SHIFT + 1) as usize - SHIFT as usize;
        let (top, left) = (corner(), corner());
        for y in 0..BOX {
            for x in 0..BOX {
                let value = 255.0 / 16.0 * interpolated(small.row(i), y, x);
                images.row_mut(i)[(top + y) * side + left + x] = value.round() as u8;
            }
        }
    }
    images
}

/// The value of an 8 × 8 image at pixel (y, x) of its enlargement.
fn interpolated(image: &[f32], y: usize, x: usize) -> f32 {
    let place = |p: usize| {
        let x = ((p as f32 + 0.5) * 8.0 / BOX as f32 - 0.5).clamp(0.0, 7.0);
        (x as usize, (x as usize + 1).min(7), x.fract())
    };
    let ((top, bottom, down), (left, right, across)) = (place(y), place(x));
    let line = |y: usize| image[8 * y + left] * (1.0 - across) + image[8 * y + right] * across;
    line(top) * (1.0 - down) + line(bottom) * down
}

/// Milliseconds between the ends of steps, the first few left out: the median, and what one step in
/// ten stays below, which a noisy machine disturbs less.
fn step_milliseconds(o: &Options, data: &Dataset) -> Result<(f64, f64), Box<dyn Error>> {
    let wanted = WARM_UP + o.steps.max(1);
    let enough = AtomicBool::new(false);
    let mut times = Vec::with_capacity(wanted);
    let mut last = Instant::now();
    let mut observer = |event: &Event<'_>| match event {
        Event::Phase { .. } => last = Instant::now(),
        Event::Step { phase: Phase::Joint, .. } => {
            times.push(last.elapsed().as_secs_f64());
            enough.store(times.len() >= wanted, Ordering::Relaxed);
            last = Instant::now();
        }
        _ => {}
    };
    // One epoch more than the steps need, so that the fit is always stopped and never ends.
    let epochs = 1 + wanted.div_ceil(data.rows().div_ceil(o.batch));
    let params =
        params(o).batch(o.batch).pretrain_epochs(o.pretrain).epochs(epochs).settle_epochs(0).check()?;
    let mut control = FitControl {
        threads: o.threads,
        observer: Some(&mut observer),
        stop: Some(&enough),
        store: o.store.as_ref().map(RunStore::at),
        ..FitControl::default()
    };
    match params.fit(data, &mut control) {
        Err(FitError::Interrupted { .. }) => {}
        Err(e) => return Err(e.into()),
        Ok(_) => return Err("the training was not stopped: the time of its steps is not known".into()),
    }
    let timed = &mut times[WARM_UP..];
    timed.sort_by(f64::total_cmp);
    Ok((1e3 * timed[timed.len() / 2], 1e3 * timed[timed.len() / 10]))
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

/// The arithmetic of a step, in 10⁹ operations: products only, the discriminator's shared, and as if no
/// unit were silent.
fn step_gflop(o: &Options, data: &Dataset) -> f64 {
    let params = params(o).batch(o.batch).check().expect("good parameters");
    let [_, joint, _] = params.multiplications(data.rows(), data.cols());
    2e-9 * joint * o.batch as f64
}

/// Multiply-adds in AVX2's registers on all threads, in 10⁹ operations a second: no program without AVX-512
/// gives more.
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
fn main() -> Result<(), Box<dyn Error>> {
    let o = Options::read()?;
    let data = match &o.data {
        Some(name) => lpvdn_data::open(name, &lpvdn_data::OpenOptions::default())?,
        None => Dataset::from(enlarged_digits(o.rows, SIDE)),
    };
    let (step_ms, fast_ms) = step_milliseconds(&o, &data)?;
    println!(
        "{{\"step_ms\": {step_ms:.2}, \"fast_ms\": {fast_ms:.2}, \"samples_per_s\": {:.0}, \"step_gflop\": {:.2}, \"product_gflops\": {:.1}, \"peak_gflops\": {:.1}}}",
        1e3 * o.batch as f64 / step_ms,
        step_gflop(&o, &data),
        product_gflops(o.threads),
        peak_gflops(o.threads),
    );
    Ok(())
}
