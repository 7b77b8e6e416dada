//! Runs of the rivals in Python: one process for all seeds of a set, so that code is compiled once.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::ours::last_line;
use super::records::{Key, Record, failure};
use super::sets::Set;

/// Python, and how it is run.
pub(super) struct Python {
    pub(super) path: String,
    pub(super) threads: usize,
    pub(super) limit: Duration,
    /// Where errors are written.
    pub(super) work: PathBuf,
}

/// What a process did next.
enum News {
    Line(String),
    Ended,
    TooLate,
}

impl Python {
    /// Runs a rival with several seeds; `record` is given each run when it ends. A process that dies or takes too long
    /// has failed one seed, and another is started for the rest.
    pub(super) fn run(
        &self,
        rival: &str,
        set: &Set,
        path: &Path,
        seeds: &[u64],
        record: &mut dyn FnMut(Record) -> Result<()>,
    ) -> Result<()> {
        let mut left = seeds;
        while !left.is_empty() {
            let Attempt { ended, problem } = self.attempt(rival, set, path, left, record)?;
            left = &left[ended..];
            if let (Some(why), Some((&seed, rest))) = (problem, left.split_first()) {
                let key = Key { set: set.name.to_owned(), method: rival.to_owned(), label: None, seed };
                record(failure(&key, set.clusters, self.threads, &why))?;
                left = rest;
            }
        }
        Ok(())
    }

    /// Runs seeds in one process until one fails to end.
    fn attempt(
        &self,
        rival: &str,
        set: &Set,
        path: &Path,
        seeds: &[u64],
        record: &mut dyn FnMut(Record) -> Result<()>,
    ) -> Result<Attempt> {
        std::fs::create_dir_all(&self.work)?;
        let errors = self.work.join("stderr");
        let (mut child, lines) = self.start(rival, set, path, seeds, &errors)?;
        for ended in 0..seeds.len() {
            let problem = match next(&lines, self.limit) {
                News::Line(line) => {
                    record(self.record(rival, set, &line)?)?;
                    continue;
                }
                News::TooLate => {
                    child.kill()?;
                    child.wait()?;
                    format!("no end after {} s", self.limit.as_secs())
                }
                News::Ended => format!("{}: {}", child.wait()?, last_line(&errors)?),
            };
            return Ok(Attempt { ended, problem: Some(problem) });
        }
        child.wait()?;
        Ok(Attempt { ended: seeds.len(), problem: None })
    }

    fn start(
        &self,
        rival: &str,
        set: &Set,
        path: &Path,
        seeds: &[u64],
        errors: &Path,
    ) -> Result<(Child, Receiver<String>)> {
        let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
        let mut command = Command::new(&self.path);
        command.args(["-B", super::SCRIPT, "run", rival]).arg(path).args(set.rival_flags());
        command.arg(format!("--seeds={}", seeds.join(","))).arg(format!("--threads={}", self.threads));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(File::create(errors)?);
        let mut child = command.spawn().with_context(|| format!("{} cannot be started", self.path))?;
        let output = child.stdout.take().context("the output of a rival")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let read = BufReader::new(output).lines().map_while(Result::ok);
            // Packages may print too.
            let wanted = read.filter(|line| line.starts_with('{'));
            wanted.map(|line| sender.send(line)).take_while(Result::is_ok).for_each(drop);
        });
        Ok((child, lines))
    }

    /// The record of a line.
    fn record(&self, rival: &str, set: &Set, line: &str) -> Result<Record> {
        let mut line: Value =
            serde_json::from_str(line).with_context(|| format!("{rival} printed {line}"))?;
        let object = line.as_object_mut().context("a rival's line is no object")?;
        object.insert("set".to_owned(), json!(set.name));
        object.insert("method".to_owned(), json!(rival));
        object.insert("clusters".to_owned(), json!(set.clusters));
        object.insert("threads".to_owned(), json!(self.threads));
        serde_json::from_value(line).with_context(|| format!("the line of {rival} is no record"))
    }
}

/// What one process came to.
struct Attempt {
    /// Runs that are recorded.
    ended: usize,
    /// Why the next one is not.
    problem: Option<String>,
}

fn next(lines: &Receiver<String>, limit: Duration) -> News {
    match lines.recv_timeout(limit) {
        Ok(line) => News::Line(line),
        Err(RecvTimeoutError::Timeout) => News::TooLate,
        Err(RecvTimeoutError::Disconnected) => News::Ended,
    }
}

#[cfg(test)]
mod tests {
    use super::super::sets::SMOKE;
    use super::*;

    /// A program in the place of Python: it ignores its arguments.
    fn run(script: &str, limit: Duration) -> Vec<Record> {
        let work = std::env::temp_dir().join(format!("lpvdn-rivals-{}-{}", std::process::id(), script.len()));
        std::fs::create_dir_all(&work).expect("a folder");
        let program = work.join("program");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("a file");
        let allowed = Command::new("chmod").arg("+x").arg(&program).status().expect("chmod");
        assert!(allowed.success());
        let path = program.display().to_string();
        let python = Python { path, threads: 1, limit, work: work.clone() };
        let mut records = Vec::new();
        let mut record = |one| {
            records.push(one);
            Ok(())
        };
        python.run("leiden", &SMOKE, Path::new("x.csv"), &[1, 2], &mut record).expect("no error of ours");
        let _ = std::fs::remove_dir_all(work);
        records
    }

    #[test]
    fn a_process_that_dies_fails_its_seed_with_its_last_words_and_the_next_is_tried() {
        let records =
            run("echo '{\"seed\": 1, \"ari\": 0.5}'; echo 'no memory' >&2; exit 3", Duration::from_secs(20));
        let found: Vec<(u64, Option<f64>)> = records.iter().map(|r| (r.seed, r.ari)).collect();
        assert_eq!(found, [(1, Some(0.5)), (2, None)]);
        let why = records[1].failed.as_deref().expect("a reason");
        assert!(why.contains('3') && why.ends_with("no memory"), "{why}");
    }

    #[test]
    fn a_process_that_does_not_end_is_ended_and_each_seed_is_recorded_as_failed() {
        let records = run("exec sleep 60", Duration::from_millis(200));
        assert_eq!(records.iter().map(|r| r.seed).collect::<Vec<_>>(), [1, 2]);
        assert!(records.iter().all(|r| r.failed.as_deref() == Some("no end after 0 s")), "{records:?}");
    }
}
