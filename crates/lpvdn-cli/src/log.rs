//! `log.jsonl`: one JSON object for each thing that happened.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use lpvdn::model::lpvdn::{Candidate, Choice, SearchPlan};
use lpvdn::verdict::NumberChoice;
use lpvdn::{EpochReport, Evaluation, Event, Phase, Plan};
use lpvdn_core::file::atomic_replace;
use serde::Serialize;
use serde_json::Value;

/// The lines.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Line<'a> {
    Search(&'a SearchPlan),
    Candidate(&'a Candidate),
    Choice(&'a Choice),
    Number(&'a NumberChoice),
    Plan(&'a Plan),
    Found { phase: Phase, seconds: f64 },
    Resumed { phase: Phase, epoch: usize, step: usize },
    Epoch(&'a EpochReport),
    Evaluation(&'a Evaluation),
    Warning { message: &'a str },
}

/// The log of a run, which may span several processes.
#[derive(Debug, Default)]
pub(crate) struct Log {
    path: PathBuf,
    file: Option<File>,
    /// Lines that wait until it is known whether the run starts or goes on.
    pending: Vec<u8>,
    /// All warnings of the run.
    pub(crate) warnings: Vec<String>,
}

impl Log {
    pub(crate) fn new(path: PathBuf) -> Log {
        Log { path, ..Log::default() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes what happened. After an error the log is closed, and what follows is only counted.
    pub(crate) fn record(&mut self, event: &Event<'_>) -> io::Result<()> {
        let outcome = self.try_record(event);
        if outcome.is_err() {
            self.file = None;
        }
        outcome
    }

    fn try_record(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Searching(plan) => self.defer(&Line::Search(plan))?,
            Event::Tried(candidate) => self.defer(&Line::Candidate(candidate))?,
            Event::Chosen(choice) => self.defer(&Line::Choice(choice))?,
            Event::NumberChosen(choice) => self.defer(&Line::Number(choice))?,
            Event::Planned(plan) => self.defer(&Line::Plan(plan))?,
            Event::Resumed { phase, epoch, step } => self.go_on(*phase, *epoch, *step)?,
            Event::Phase { .. } => self.start()?,
            Event::Epoch(report) => self.write(&Line::Epoch(report))?,
            Event::Evaluated(evaluation) => self.write(&Line::Evaluation(evaluation))?,
            Event::Warning(message) => {
                self.warn(message);
                match self.file {
                    Some(_) => self.write(&Line::Warning { message })?,
                    None => self.defer(&Line::Warning { message })?,
                }
            }
            Event::Found { phase, seconds, history } => {
                self.start()?;
                self.write(&Line::Found { phase: *phase, seconds: *seconds })?;
                history.iter().try_for_each(|report| self.write(&Line::Epoch(report)))?;
            }
            Event::Trying { .. }
            | Event::Initial { .. }
            | Event::Step { .. }
            | Event::Working(_)
            | Event::Viewed { .. }
            | Event::Checkpoint => {}
        }
        Ok(())
    }

    /// A new log, unless the run goes on with an old one.
    fn start(&mut self) -> io::Result<()> {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return Ok(());
        }
        atomic_replace(&self.path, |w| w.write_all(&pending))?;
        self.file = Some(OpenOptions::new().append(true).open(&self.path)?);
        Ok(())
    }

    fn defer(&mut self, line: &Line<'_>) -> io::Result<()> {
        self.pending.extend(text_of(line)?);
        Ok(())
    }

    /// Cuts the old log off where the checkpoint is.
    fn go_on(&mut self, phase: Phase, epoch: usize, step: usize) -> io::Result<()> {
        // Taken first: whatever fails below, the old log is not replaced.
        let pending = std::mem::take(&mut self.pending);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.path)?;
        let text = std::fs::read(&self.path)?;
        let kept = self.keep(&text, phase, epoch);
        file.set_len(kept)?;
        file.seek(SeekFrom::End(0))?;
        if kept == 0 {
            file.write_all(&pending)?;
        }
        self.file = Some(file);
        self.write(&Line::Resumed { phase, epoch, step })
    }

    /// How many bytes of an old log are of this run up to the checkpoint. A line that was torn in the
    /// middle ends them as well.
    fn keep(&mut self, text: &[u8], phase: Phase, epoch: usize) -> u64 {
        let mut kept = 0;
        for line in text.split_inclusive(|b| *b == b'\n') {
            let Ok(value) = serde_json::from_slice::<Value>(line) else { break };
            if !line.ends_with(b"\n") || is_later(&value, phase, epoch) {
                break;
            }
            self.remember(&value);
            kept += line.len() as u64;
        }
        kept
    }

    fn remember(&mut self, line: &Value) {
        if line["event"] == "warning" {
            line["message"].as_str().into_iter().for_each(|message| self.warn(message));
        }
    }

    /// A run that goes on may say again what it has said.
    fn warn(&mut self, message: &str) {
        if !self.warnings.iter().any(|known| known == message) {
            self.warnings.push(message.to_owned());
        }
    }

    /// One write for each line, so that a killed process leaves whole lines.
    fn write(&mut self, line: &Line<'_>) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.write_all(&text_of(line)?)
    }
}

fn text_of(line: &Line<'_>) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    Ok(text)
}

/// Whether a line tells of an epoch that a run at this checkpoint has not finished.
fn is_later(line: &Value, phase: Phase, epoch: usize) -> bool {
    let of = match line["event"].as_str() {
        Some("epoch") => serde_json::from_value(line["phase"].clone()).unwrap_or(Phase::Joint),
        Some("evaluation") => Phase::Joint,
        _ => return false,
    };
    let number = line["epoch"].as_u64().unwrap_or(0) as usize;
    (of.number(), number) > (phase.number(), epoch)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str, phase: Phase, epoch: usize) -> String {
        let kept = Log::default().keep(text.as_bytes(), phase, epoch);
        text[..kept as usize].to_owned()
    }

    #[test]
    fn a_log_is_cut_off_at_the_first_line_after_the_checkpoint() {
        let plan = "{\"event\":\"plan\"}\n";
        let early = "{\"event\":\"epoch\",\"phase\":\"pretrain\",\"epoch\":2}\n";
        let first = "{\"event\":\"epoch\",\"phase\":\"joint\",\"epoch\":1}\n";
        let score = "{\"event\":\"evaluation\",\"epoch\":1}\n";
        let second = "{\"event\":\"epoch\",\"phase\":\"joint\",\"epoch\":2}\n";
        let third = "{\"event\":\"epoch\",\"phase\":\"settle\",\"epoch\":1}\n";
        let late = "{\"event\":\"warning\",\"message\":\"late\"}\n";
        let all = [plan, early, first, score, second, third, late].concat();
        assert_eq!(kept(&all, Phase::Pretrain, 1), plan);
        assert_eq!(kept(&all, Phase::Pretrain, 2), [plan, early].concat());
        assert_eq!(kept(&all, Phase::Joint, 1), [plan, early, first, score].concat());
        assert_eq!(kept(&all, Phase::Joint, 2), [plan, early, first, score, second].concat());
        assert_eq!(kept(&all, Phase::Settle, 0), [plan, early, first, score, second].concat());
        assert_eq!(kept(&all, Phase::Settle, 1), all);
    }

    #[test]
    fn a_torn_last_line_is_dropped() {
        let whole = "{\"event\":\"plan\"}\n";
        for torn in ["{\"event\":\"epo", "{\"event\":\"plan\"}", "\0\0\0"] {
            assert_eq!(kept(&[whole, torn].concat(), Phase::Joint, 9), whole);
        }
    }
}
