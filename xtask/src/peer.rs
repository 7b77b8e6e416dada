//! Our training step against the same step in PyTorch, alternately, so that a busy machine slows
//! both.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::bench::step;
use crate::{output, run as command};

/// Where the peer's source is looked for, from the workspace's root.
const SCRIPT: &str = "../shared/peer/lpvdn_torch.py";
/// MNIST's IDX files, looked for from there too: the time of our step depends on the rows.
const DATA: &str = "../shared/data/mnist";
const ENVIRONMENT: &str = "target/peer-venv";
/// Keeps the pre-training from one round to the next.
const STORE: &str = "target/peer-store";

/// PyPI's torch for Linux is built for CUDA and does not load without these, even on a machine without
/// a GPU; what else it declares (triton, cuSOLVER …) it loads only when used.
const TORCH: &[&str] = &[
    "torch==2.15.0",
    "nvidia-cuda-runtime==13.2.86",
    "nvidia-cuda-cupti==13.2.86",
    "nvidia-cuda-nvrtc==13.2.86",
    "nvidia-cublas==13.4.1.3",
    "nvidia-cufft==12.2.0.57",
    "nvidia-cusparse==12.7.10.12",
    "nvidia-cufile==1.17.1.22",
    "nvidia-cudnn-cu13==9.26.0.51",
    "nvidia-cusparselt-cu13==0.8.1",
    "nvidia-nccl-cu13==2.30.7",
    "nvidia-nvshmem-cu13==3.7.2",
];
const OTHERS: &[&str] = &[
    "numpy==2.4.6",
    "scipy==1.17.1",
    "scikit-learn==1.9.1",
    "joblib==1.6.0",
    "threadpoolctl==3.8.0",
    "narwhals==2.28.0",
    "cloudpickle==3.1.2",
    "filelock==4.2.10",
    "typing-extensions==4.16.0",
    "sympy==1.14.0",
    "mpmath==1.3.0",
    "networkx==3.6.1",
    "jinja2==3.1.6",
    "markupsafe==3.0.4",
    "fsspec==2026.9.0",
];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let Options { script, data, rounds } = parse(arguments)?;
    if !script.is_file() {
        bail!("{} is not there; name the peer's source with --script FILE", script.display());
    }
    let python = environment()?;
    let script = script.display().to_string();
    // A benchmark runs in the folder of its package.
    let absolute = |path: &Path| std::path::absolute(path).map(|p| p.display().to_string());
    let (data, store) = (absolute(&data)?, absolute(Path::new(STORE))?);
    let rows: &[&str] = if Path::new(&data).is_dir() { &["--data", &data, "--store", &store] } else { &[] };
    println!("one training step, 784 columns, batch 800, two threads; {rounds} rounds, alternately");
    println!(
        "our rows: {} (the peer's time does not depend on them)\n",
        rows.get(1).unwrap_or(&"enlarged digits")
    );
    if rows.is_empty() {
        println!("without MNIST (--data) more of our units are silent, and the ratio flatters us\n");
    }
    // The first run may have to pre-train, and warms the machine; it does not count.
    step(rows)?;
    let all = measure(&python, &script, rows, rounds, &[])?;
    println!();
    let without = measure(&python, &script, rows, rounds, &["0"])?;
    println!("\nmedians: peer {:.1} ms, lpvdn {:.1} ms", all.peer, all.ours);
    println!("medians with alpha1 = 0: peer {:.1} ms, lpvdn {:.1} ms", without.peer, without.ours);
    println!("ratio with alpha1 = 0 {:.2}", without.peer / without.ours);
    println!(
        "our step does the work of {:.0} % of the machine's peak of {:.0} GFLOP/s, silent units counted; \
         a large product {:.0} GFLOP/s",
        100.0 * all.share_of_peak,
        all.peak,
        all.product
    );
    println!("ratio {:.2}", all.peer / all.ours);
    Ok(())
}

struct Options {
    script: PathBuf,
    data: PathBuf,
    rounds: usize,
}

fn parse(arguments: &[String]) -> Result<Options> {
    let mut options = Options { script: SCRIPT.into(), data: DATA.into(), rounds: 5 };
    let mut arguments = arguments.iter();
    while let Some(name) = arguments.next() {
        let value = arguments.next().with_context(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--script" => options.script = value.into(),
            "--data" if !Path::new(value).is_dir() => bail!("{value} is no folder"),
            "--data" => options.data = value.into(),
            "--rounds" => options.rounds = value.parse().context("--rounds needs a whole number")?,
            other => bail!("unknown option {other}"),
        }
    }
    if options.rounds == 0 {
        bail!("--rounds must be at least 1");
    }
    Ok(options)
}

struct Medians {
    peer: f64,
    ours: f64,
    share_of_peak: f64,
    peak: f64,
    product: f64,
}

fn measure(python: &Path, script: &str, rows: &[&str], rounds: usize, alpha1: &[&str]) -> Result<Medians> {
    let python = python.display().to_string();
    let mut peer_arguments = vec![script, "bench", "--threads", "2"];
    let mut our_arguments = vec!["--threads", "2"];
    our_arguments.extend(rows);
    if let [value] = alpha1 {
        peer_arguments.extend(["--a1", value]);
        our_arguments.extend(["--alpha1", value]);
    }
    let (mut peer, mut ours, mut shares, mut peaks, mut products) = (vec![], vec![], vec![], vec![], vec![]);
    for round in 1..=rounds {
        let one = step(&our_arguments)?;
        ours.push(one.milliseconds);
        shares.push(one.share_of_peak());
        peaks.push(one.peak_gflops);
        products.push(one.product_gflops);
        let line = output(&python, &peer_arguments)?;
        let value: Value = serde_json::from_str(line.trim()).context("the peer printed no result")?;
        peer.push(value["step_ms"].as_f64().context("the peer's result has no step_ms")?);
        println!(
            "round {round}: peer {:.1} ms, lpvdn {:.1} ms (alpha1 {}, product {:.0} GFLOP/s)",
            peer[round - 1],
            ours[round - 1],
            alpha1.first().unwrap_or(&"1e-4"),
            products[round - 1]
        );
    }
    Ok(Medians {
        peer: median(peer),
        ours: median(ours),
        share_of_peak: median(shares),
        peak: median(peaks),
        product: median(products),
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A Python with PyTorch and scikit-learn under `target`, made where it is not there yet.
fn environment() -> Result<PathBuf> {
    let python = Path::new(ENVIRONMENT).join("bin/python");
    let works = || output(&python.display().to_string(), &["-c", "import torch, sklearn"]).is_ok();
    if works() {
        return Ok(python);
    }
    println!("setting up Python with PyTorch under {ENVIRONMENT} (about 2.5 GB, once)");
    command("python3", &["-m", "venv", "--clear", ENVIRONMENT])?;
    for packages in [TORCH, OTHERS] {
        let mut arguments =
            vec!["-m", "pip", "install", "--quiet", "--no-compile", "--only-binary=:all:", "--no-deps"];
        arguments.extend_from_slice(packages);
        command(&python.display().to_string(), &arguments)?;
    }
    if !works() {
        bail!("{ENVIRONMENT} was made, but torch does not load there");
    }
    Ok(python)
}
