//! Damaged and hostile files for the built program, under a limit of memory.
//!
//! Every file begins as a valid one of some format, is mutated, and is given to `data inspect` or to a small fit. What
//! counts as a failure: a panic, a signal, an exit code that is not documented, more memory than allowed, no end.

mod bombs;
mod mutate;
mod seeds;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use self::mutate::Random;
use self::seeds::Seed;
use crate::process;

pub(crate) const HELP: &str = "\
  attack   mutated files of every format and compressed bombs, read by the built program under ulimit -v:
             cargo xtask attack [--files 10000] [--seed 1] [--jobs N] [--smoke]
           fails on a panic, a signal, another exit code than 0 to 2, more than 120 % of --memory, or no end;
           what failed stays in target/attack/found; --smoke: 150 files, some seconds
";

/// What the program may take, as it is told, and by how much it may be more.
const MEMORY: &str = "256MB";
const MEMORY_BYTES: u64 = 256_000_000;
const TOLERANCE: f64 = 1.2;
const TEMP_LIMIT: &str = "1GB";
/// The address space, in KiB.
const ADDRESSES: &str = "4000000";
const LONGEST: Duration = Duration::from_secs(120);
/// How often the memory of the program is looked at. The system keeps the highest value.
const LOOK: Duration = Duration::from_millis(2);

/// What was asked for.
struct Asked {
    files: usize,
    seed: u64,
    jobs: usize,
    smoke: bool,
}

/// One run of the program.
struct Attempt {
    /// The file or folder that it reads.
    path: PathBuf,
    /// How the file was made.
    story: String,
    fit: bool,
}

/// What a run came to.
struct Outcome {
    code: Option<i32>,
    stderr: String,
    peak: u64,
    timed_out: bool,
}

pub(crate) fn run_attack(arguments: &[String]) -> Result<()> {
    let asked = asked(arguments)?;
    let (program, work) = (process::program()?, process::target()?.join("attack"));
    let found = work.join("found");
    if work.exists() {
        fs::remove_dir_all(&work)?;
    }
    fs::create_dir_all(&found)?;
    let seeds = seeds::all(Path::new("crates/lpvdn-data/tests/fixtures"))?;
    let bombs = bombs::all(if asked.smoke { 400 << 20 } else { 1500 << 20 });
    let field = Field { program, found, work, seeds, bombs };
    let report = field.run(&asked)?;
    println!("{report}");
    if report.failures.is_empty() { Ok(()) } else { bail!("{} files did harm", report.failures.len()) }
}

fn asked(arguments: &[String]) -> Result<Asked> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut asked = Asked { files: 10_000, seed: 1, jobs: cores, smoke: false };
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        let mut value = || rest.next().with_context(|| format!("{flag} needs a number"));
        match flag.as_str() {
            "--files" => asked.files = value()?.parse().context("--files")?,
            "--seed" => asked.seed = value()?.parse().context("--seed")?,
            "--jobs" => asked.jobs = value()?.parse::<usize>().context("--jobs")?.max(1),
            "--smoke" => (asked.smoke, asked.files) = (true, 150),
            other => bail!("there is no option {other:?} of attack\n{HELP}"),
        }
    }
    Ok(asked)
}

/// Everything that runs share.
struct Field {
    program: PathBuf,
    found: PathBuf,
    work: PathBuf,
    seeds: Vec<Seed>,
    bombs: Vec<Seed>,
}

/// What all runs came to.
#[derive(Default)]
struct Report {
    runs: usize,
    accepted: usize,
    refused: usize,
    out_of_budget: usize,
    peak: u64,
    slowest: Duration,
    failures: Vec<String>,
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "{} files: {} accepted, {} refused ({} of them because of --memory or --temp-limit), {} failures",
            self.runs,
            self.accepted,
            self.refused,
            self.out_of_budget,
            self.failures.len()
        )?;
        write!(
            f,
            "highest memory {} MB of {MEMORY}, slowest {:.1} s",
            self.peak / 1_000_000,
            self.slowest.as_secs_f64()
        )?;
        self.failures.iter().try_for_each(|failure| write!(f, "\n  {failure}"))
    }
}

impl Field {
    fn run(&self, asked: &Asked) -> Result<Report> {
        let (next, report) = (AtomicUsize::new(0), Mutex::new(Report::default()));
        let worker = |job: usize| -> Result<()> {
            let folder = self.work.join(format!("job-{job}"));
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= asked.files.max(self.bombs.len()) {
                    return Ok(());
                }
                fs::create_dir_all(&folder)?;
                let attempt = self.attempt(asked, number, &folder)?;
                let started = Instant::now();
                let outcome = self.start(&attempt, &folder)?;
                let failure = failure(&outcome);
                let mut report = report.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                report.add(&outcome, started.elapsed());
                if let Some(failure) = failure {
                    let kept = self.keep(&attempt, number)?;
                    report.failures.push(format!("{failure}: {}, {}", attempt.story, kept.display()));
                }
                if report.runs.is_multiple_of(500) {
                    eprintln!("{} files, {} failures", report.runs, report.failures.len());
                }
                drop(report);
                fs::remove_dir_all(&folder)?;
            }
        };
        std::thread::scope(|scope| {
            let worker = &worker;
            let workers: Vec<_> = (0..asked.jobs).map(|job| scope.spawn(move || worker(job))).collect();
            workers
                .into_iter()
                .try_for_each(|w| w.join().map_err(|_| anyhow::anyhow!("a worker panicked"))?)
        })?;
        Ok(report.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// Writes the file of a number, which follows from it and the seed alone.
    fn attempt(&self, asked: &Asked, number: usize, folder: &Path) -> Result<Attempt> {
        let mut random = Random::new(asked.seed, number as u64);
        let (seed, bytes, story) = match self.bombs.get(number) {
            Some(bomb) => (bomb, bomb.bytes.clone(), format!("bomb {}", bomb.name)),
            None => {
                let seed = random.pick(&self.seeds);
                let (bytes, story) = mutate::mutated(seed, &self.seeds, &mut random);
                (seed, bytes, format!("{} of seed {}, file {number}: {story}", seed.name, asked.seed))
            }
        };
        let fit = random.below(3) == 0;
        let mut path = folder.join(&seed.name);
        if seed.in_folder {
            // A picture is read as one of a folder.
            let pictures = folder.join("pictures");
            fs::create_dir_all(&pictures)?;
            fs::write(pictures.join(format!("intact-{}", seed.name)), &seed.bytes)?;
            fs::write(pictures.join(&seed.name), &bytes)?;
            path = pictures;
        } else {
            fs::write(&path, &bytes)?;
        }
        Ok(Attempt { path, story, fit })
    }

    fn start(&self, attempt: &Attempt, folder: &Path) -> Result<Outcome> {
        let limited = format!("ulimit -v {ADDRESSES}; exec \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &limited, "sh"]).arg(&self.program);
        match attempt.fit {
            false => command.args(["data", "inspect"]).arg(&attempt.path),
            true => {
                let fit = ["--method", "kmeans", "-k", "2", "--threads", "1", "--quiet"];
                command.arg("fit").arg(&attempt.path).args(fit).arg("-o").arg(folder.join("out"))
            }
        };
        command.args(["--memory", MEMORY, "--temp-limit", TEMP_LIMIT]);
        let stderr = folder.join("stderr");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(fs::File::create(&stderr)?);
        let mut child = command.spawn().context("the program could not be started")?;
        let (status, peak) = process::watch(&mut child, LONGEST, LOOK)?;
        let stderr = String::from_utf8_lossy(&fs::read(stderr)?).into_owned();
        Ok(Outcome { code: status.and_then(|s| s.code()), stderr, peak, timed_out: status.is_none() })
    }

    /// Keeps what failed, and gives its place.
    fn keep(&self, attempt: &Attempt, number: usize) -> Result<PathBuf> {
        let name = attempt.path.file_name().context("a name")?.to_string_lossy().into_owned();
        let kept = self.found.join(format!("{number}-{name}"));
        fs::rename(&attempt.path, &kept)?;
        Ok(kept)
    }
}

/// What is wrong with a run, if anything is.
fn failure(outcome: &Outcome) -> Option<String> {
    let last = outcome.stderr.lines().last().unwrap_or_default();
    if outcome.timed_out {
        return Some(format!("no end after {} s", LONGEST.as_secs()));
    }
    if outcome.stderr.contains("panicked") {
        return Some(format!("panic ({last})"));
    }
    match outcome.code {
        None => return Some(format!("ended by a signal ({last})")),
        Some(0..=2) => {}
        Some(code) => return Some(format!("exit code {code} ({last})")),
    }
    let most = (MEMORY_BYTES as f64 * TOLERANCE) as u64;
    (outcome.peak > most).then(|| format!("{} MB of memory ({last})", outcome.peak / 1_000_000))
}

impl Report {
    fn add(&mut self, outcome: &Outcome, took: Duration) {
        self.runs += 1;
        match outcome.code {
            Some(0) => self.accepted += 1,
            _ => self.refused += 1,
        }
        let budget = ["--memory", "--temp-limit"].iter().any(|flag| outcome.stderr.contains(flag));
        self.out_of_budget += usize::from(budget && outcome.code == Some(1));
        (self.peak, self.slowest) = (self.peak.max(outcome.peak), self.slowest.max(took));
    }
}
