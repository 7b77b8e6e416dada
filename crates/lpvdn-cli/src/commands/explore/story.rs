//! What the folder of a fit tells beside its model.

use std::collections::BTreeMap;
use std::path::Path;

use lpvdn::model::lpvdn::Choice;
use lpvdn_report::explorer::{Candidate, ClusterVerdict, Stability, Story, Training};
use serde_json::Value;

use crate::commands::subject::Subject;
use crate::console::shell;
use crate::output::{Folder, RUN};

/// What is missing in the folder is missing in the story.
pub(super) fn of(subject: &Subject, model: &Path, texts: Option<Vec<String>>) -> Story {
    let mut story = Story { texts, notes: notes(subject), ..Story::default() };
    let Some(path) = &subject.folder else { return story };
    let folder = Folder::at(path);
    if let Ok(Some(report)) = folder.finished() {
        story.warnings = report.metrics.warnings;
        story.verdict = report.metrics.verdict.as_ref().map(ClusterVerdict::from);
        story.stability = report.metrics.search.as_ref().map(stability);
    }
    story.training = std::fs::read_to_string(folder.log()).ok().map(|text| training(&text).thinned());
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
            Some("epoch") => training.epochs.push(line),
            Some("evaluation") => training.evaluations.push(line),
            _ => {}
        }
    }
    training
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_and_evaluations_are_taken_from_a_log_and_torn_lines_are_passed_over() {
        let log = "{\"event\":\"plan\"}\n{\"event\":\"epoch\",\"epoch\":1,\"loss\":1.5}\n\
                   {\"event\":\"evaluation\",\"epoch\":3,\"acc\":0.5}\n{\"event\":\"epo";
        let training = training(log);
        assert_eq!((training.epochs.len(), training.evaluations.len()), (1, 1));
        assert!(!training.epochs[0].contains_key("event"));
    }
}
