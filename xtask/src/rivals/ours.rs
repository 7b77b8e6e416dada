//! Fits of the built program.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;

use super::methods::arguments_of;
use super::records::{Key, Record, failure};
use super::sets::Set;
use crate::process::{run as command, text, watch};

/// How often the memory of a fit is looked at, and its end noticed.
const LOOK: Duration = Duration::from_millis(10);

/// The program, and how it is run.
pub(super) struct Program {
    pub(super) path: PathBuf,
    pub(super) commit: String,
    pub(super) threads: usize,
    pub(super) limit: Duration,
    /// Where fits are written until they are recorded.
    pub(super) work: PathBuf,
}

impl Program {
    /// Fits, and gives what is to be recorded. `look` is shown the folder of a fit that ended.
    pub(super) fn fit(
        &self,
        set: &Set,
        path: &Path,
        key: &Key,
        look: &mut dyn FnMut(&Path) -> Result<()>,
    ) -> Result<Record> {
        let out = self.work.join(format!("{}-{}-{}", key.set, key.method, key.seed));
        let _ = fs::remove_dir_all(&out);
        fs::create_dir_all(&self.work)?;
        let errors = self.work.join("stderr");
        let mut command = Command::new(&self.path);
        command.arg("fit").args(set.fit_arguments(path)).args(arguments_of(&key.method));
        command.args(["-k", &set.clusters.to_string(), "--seed", &key.seed.to_string()]);
        command.args(["--threads", &self.threads.to_string(), "--quiet", "--force", "-o"]).arg(&out);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&errors)?);
        let start = Instant::now();
        let mut child =
            command.spawn().with_context(|| format!("{} cannot be started", self.path.display()))?;
        let (status, peak) = watch(&mut child, self.limit, LOOK)?;
        let seconds = start.elapsed().as_secs_f64();
        let why = match status {
            None => format!("no end after {} s", self.limit.as_secs()),
            Some(status) if !status.success() => format!("{status}: {}", last_line(&errors)?),
            Some(_) => {
                let mut record = self.ended(&out.join("metrics.json"), set, key)?;
                record.seconds = Some(rounded(seconds, 1e3));
                record.memory_mb = Some(rounded(peak as f64 / 1e6, 10.0));
                look(&out)?;
                fs::remove_dir_all(&out)?;
                return Ok(record);
            }
        };
        Ok(Record { commit: Some(self.commit.clone()), ..failure(key, set.clusters, self.threads, &why) })
    }

    /// The record of a fit that ended, from what it wrote.
    fn ended(&self, metrics: &Path, set: &Set, key: &Key) -> Result<Record> {
        let metrics: Value = serde_json::from_str(&fs::read_to_string(metrics)?)?;
        let number =
            |name: &str| metrics[name].as_f64().with_context(|| format!("metrics.json has no {name}"));
        let whole = |name: &str| metrics[name].as_u64().and_then(|value| usize::try_from(value).ok());
        let sizes = metrics["cluster_sizes"].as_array();
        let found = sizes.map(|sizes| sizes.iter().filter(|size| size.as_u64() != Some(0)).count());
        Ok(Record {
            acc: Some(number("acc")?),
            nmi: Some(number("nmi")?),
            ari: Some(number("ari")?),
            rows: whole("rows"),
            columns: whole("columns"),
            found,
            version: metrics["version"].as_str().map(|version| format!("lpvdn {version}")),
            commit: Some(self.commit.clone()),
            failed: None,
            ..failure(key, set.clusters, self.threads, "")
        })
    }
}

/// Whether scikit-learn and SciPy say of the labels of a fit what the program says of them.
pub(super) fn check(python: &str, out: &Path) -> Result<()> {
    command(python, &["-B", super::SCRIPT, "check", &text(out)])
        .context("the scores of the program are not scikit-learn's")
}

/// What a program said last before it failed.
pub(super) fn last_line(errors: &Path) -> Result<String> {
    let text = String::from_utf8_lossy(&fs::read(errors)?).into_owned();
    Ok(text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no message").trim().to_owned())
}

fn rounded(value: f64, unit: f64) -> f64 {
    (value * unit).round() / unit
}
