//! What the folder of a fit tells beside its model.

use std::collections::BTreeMap;
use std::path::Path;

use lpvdn::model::lpvdn::Choice;
use lpvdn_report::explorer::{Candidate, Stability, Story, Training};
use serde_json::Value;

use crate::commands::subject::Subject;
use crate::console::shell;
use crate::output::{Folder, RUN};

/// Epochs on a page, at most; of more, every so many.
const EPOCHS: usize = 1_000;

/// What an epoch says that is no part of its course: how many there will be, and how fast the machine was.
const UNTOLD: [&str; 4] = ["epochs", "rows_per_second", "seconds", "seconds_left"];

/// What is missing in the folder is missing in the story.
pub(super) fn of(subject: &Subject, model: &Path, texts: Option<Vec<String>>) -> Story {
    let mut story = Story { texts, notes: notes(subject), ..Story::default() };
    let Some(path) = &subject.folder else { return story };
    let folder = Folder::at(path);
    if let Ok(Some(report)) = folder.finished() {
        story.warnings = report.metrics.warnings;
        story.stability = report.metrics.search.as_ref().map(stability);
    }
    story.training = std::fs::read_to_string(folder.log()).ok().map(|text| training(&text));
    if path.join(RUN).is_file() {
        story.command = format!("lpvdn fit --config {} --out again", shell(&model.join(RUN)));
    }
    story
}

fn notes(subject: &Subject) -> Vec<String> {
    let mut notes = subject.notes.clone();
    if !subject.fitted {
        let rows = subject.model.data().rows;
        notes.push(format!("These are other rows than the {rows} that the model was fitted to."));
    }
    notes
}

fn stability(choice: &Choice) -> Stability {
    let candidate = |c: &lpvdn::model::lpvdn::Candidate| Candidate {
        seed: c.seed,
        score: c.quality.silhouette,
        chosen: c.seed == choice.seed,
        agreement: c.agreement,
    };
    Stability { agreement: choice.agreement, candidates: choice.candidates.iter().map(candidate).collect() }
}

/// Epochs and evaluations of a log. A line that is none of these, or that is torn, is passed over.
pub(crate) fn training(log: &str) -> Training {
    let mut training = Training::default();
    for line in log.lines() {
        let Ok(mut line) = serde_json::from_str::<BTreeMap<String, Value>>(line) else { continue };
        match line.remove("event").as_ref().and_then(Value::as_str) {
            Some("epoch") => {
                UNTOLD.iter().for_each(|key| drop(line.remove(*key)));
                training.epochs.push(line);
            }
            Some("evaluation") => training.evaluations.push(line),
            _ => {}
        }
    }
    let step = training.epochs.len().div_ceil(EPOCHS).max(1);
    let last = training.epochs.len().saturating_sub(1);
    let kept = training.epochs.into_iter().enumerate().filter(|(i, _)| i % step == 0 || *i == last);
    training.epochs = kept.map(|(_, epoch)| epoch).collect();
    training
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_log_is_thinned_and_torn_lines_are_passed_over() {
        let epoch = |i: usize| format!("{{\"event\":\"epoch\",\"epoch\":{i},\"epochs\":9,\"loss\":1.5}}\n");
        let mut log: String = (1..=2_500).map(epoch).collect();
        log.push_str("{\"event\":\"evaluation\",\"epoch\":3,\"acc\":0.5}\n{\"event\":\"epo");
        let training = training(&log);
        assert!(training.epochs.len() <= EPOCHS && training.epochs.len() > 800);
        assert_eq!(training.epochs.last().map(|e| e["epoch"].clone()), Some(2_500.into()));
        assert!(!training.epochs[0].contains_key("epochs") && !training.epochs[0].contains_key("event"));
        assert_eq!(training.evaluations.len(), 1);
    }
}
