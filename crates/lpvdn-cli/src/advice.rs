//! Which options of the running command may help. The libraries say what can be done; whether there is an option for it
//! here, and what it is called, is looked up in the command itself, so that no command advises what it does not have.

use std::ffi::{OsStr, OsString};
use std::sync::OnceLock;

use clap::{Command, CommandFactory};
use lpvdn_data::{Note, Remedy};

use crate::args::Cli;

/// The option that a remedy needs, and what it does there.
fn option_of(remedy: Remedy) -> (&'static str, &'static str) {
    match remedy {
        Remedy::LeaveColumnOut => ("ignore", "leave the column out with --ignore"),
        Remedy::FillIn => ("missing", "have the mean of the column put there with --missing mean"),
        Remedy::NameIds => ("id-column", "name it with --id-column, if it holds what the rows are called"),
        Remedy::NameLabels => ("label-column", "name the column of the classes with --label-column"),
        Remedy::NameFormat => ("format", "name the format with --format, if the file only looks unusual"),
        Remedy::FirstLineIsNames => {
            ("header", "say --header yes, if the line holds the names of the columns")
        }
        Remedy::FirstLineIsRow => ("header", "say --header no, if it is a row"),
        Remedy::NameTextField => ("text-field", "name it with --text-field"),
        Remedy::NameTextColumn => {
            ("text-column", "name it with --text-column, if it holds texts whose words are to count")
        }
        Remedy::KeepColumns => ("keep-columns", "let them take part with --keep-columns"),
        Remedy::SkipEmptyTexts => (
            "empty-text",
            "leave such rows out with --empty-text skip, or keep them without words with --empty-text keep",
        ),
        Remedy::SkipBroken => ("on-error", "leave such files out with --on-error skip"),
        Remedy::AllowMemory => ("memory", "allow more with --memory"),
        Remedy::AllowTemporary => ("temp-limit", "allow larger temporary files with --temp-limit"),
        Remedy::SayKind => {
            ("kind", "say what the column holds with --kind COLUMN=KIND, if it is something else")
        }
        Remedy::NameDecimal => ("decimal", "say what separates the fraction of numbers with --decimal"),
        Remedy::KeepCommonWords => ("stop-words", "keep them with --stop-words none"),
        _ => ("", ""),
    }
}

/// Whether a command has an option that it shows in its help.
pub(crate) fn has(command: &Command, option: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_long() == Some(option) && !arg.is_hide_set())
}

/// A sentence with the remedies for which the command has an option.
pub(crate) fn with(sentence: &str, remedies: &[Remedy], command: &Command) -> String {
    let options = remedies.iter().map(|remedy| option_of(*remedy));
    let options: Vec<&str> =
        options.filter(|(option, _)| has(command, option)).map(|(_, words)| words).collect();
    match options.is_empty() {
        true => sentence.to_owned(),
        false => format!("{sentence}; {}", options.join(", or ")),
    }
}

/// Notes about data, with what the running command can do about them.
pub(crate) fn notes(notes: &[Note]) -> Vec<String> {
    notes.iter().map(|note| with(&note.text, note.remedies, running())).collect()
}

/// The command that is running, as it is typed: `fit`, or `inspect` of `data`.
pub(crate) fn running() -> &'static Command {
    static RUNNING: OnceLock<Command> = OnceLock::new();
    RUNNING.get_or_init(|| command_of(std::env::args_os().skip(1)))
}

/// The command that these words begin with.
fn command_of(words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Cli::command();
    command.build();
    for word in words {
        match command.find_subcommand(word.as_ref()) {
            Some(deeper) => command = deeper.clone(),
            None => break,
        }
    }
    command
}

/// `lpvdn data inspect`
pub(crate) fn path(command: &Command) -> String {
    command.get_bin_name().unwrap_or("lpvdn").to_owned()
}

/// What options are called elsewhere, and here.
const ELSEWHERE: [(&[&str], &[&str]); 18] = [
    (
        &["k", "n-clusters", "num-clusters", "nclusters", "number-of-clusters", "cluster", "n-components"],
        &["clusters", "count"],
    ),
    (&["epoch", "n-epochs", "num-epochs", "max-epochs", "max-iter"], &["epochs"]),
    (&["output", "output-dir", "out-dir", "outdir", "output-folder", "output-file", "o"], &["out"]),
    (&["labels", "label", "target", "class", "class-column", "label-col", "y"], &["label-column"]),
    (&["id", "ids", "index-col", "id-col", "index-column"], &["id-column"]),
    (&["text", "text-col", "texts", "document-column", "body"], &["text-column"]),
    (&["drop", "exclude", "ignore-columns", "ignore-column", "skip-columns"], &["ignore"]),
    (&["kinds", "type", "types", "dtype", "dtypes", "column-types", "categorical"], &["kind"]),
    (&["weights", "column-weights", "feature-weights"], &["weight"]),
    (&["random-state", "random-seed", "rng-seed", "seeds"], &["seed"]),
    (&["n-components", "svd-components", "num-components", "topics"], &["components"]),
    (&["seed", "random-state"], &["seeds"]),
    (&["learning-rate", "eta", "rate"], &["lr"]),
    (&["batch-size", "batchsize"], &["batch"]),
    (&["n-init", "restart", "inits"], &["starts"]),
    (&["n-jobs", "workers", "num-threads", "cores", "j"], &["threads", "jobs"]),
    (&["algorithm", "algo", "model"], &["method", "methods"]),
    (&["silent", "no-progress"], &["quiet"]),
];

/// The option of a command that is meant by one that it does not have, where that is known.
pub(crate) fn meant(command: &Command, option: &str) -> Option<String> {
    let bare = option.trim_start_matches('-').split('=').next()?.replace('_', "-").to_lowercase();
    let shown = |long: &str| {
        let arg = command.get_arguments().find(|arg| arg.get_long() == Some(long) && !arg.is_hide_set())?;
        // Who typed `--k` knows it by its letter.
        match arg.get_short().filter(|short| *short == 'k') {
            Some(short) => Some(format!("-{short}")),
            None => Some(format!("--{long}")),
        }
    };
    let elsewhere = ELSEWHERE.iter().filter(|(others, _)| others.contains(&bare.as_str()));
    let mut ours = elsewhere.flat_map(|(_, ours)| ours.iter());
    shown(&bare).or_else(|| ours.find_map(|long| shown(long)))
}

/// Options whose value is a list.
const LISTS: [&str; 12] = [
    "--kind",
    "--weight",
    "--ignore",
    "--classes",
    "--methods",
    "--seeds",
    "--sizes",
    "--layers",
    "--discriminator-layers",
    "--locality-layers",
    "--clusters",
    "--convolutional",
];

/// The words of a command line, with lists put together that have blanks after their commas: `--layers 500, 500`.
pub(crate) fn joined(words: Vec<OsString>) -> Vec<OsString> {
    let mut all: Vec<OsString> = Vec::with_capacity(words.len());
    let mut in_list = false;
    for word in words {
        let text = word.to_str().unwrap_or_default();
        let goes_on = in_list
            && all.last().and_then(|last| last.to_str()).is_some_and(|last| last.trim_end().ends_with(','))
            && (!text.starts_with('-') || text.trim_end_matches(',').parse::<i64>().is_ok());
        if let (true, Some(last)) = (goes_on, all.last_mut()) {
            last.push(&word);
            continue;
        }
        let before = all.last().and_then(|last| last.to_str());
        in_list = before.is_some_and(|before| LISTS.contains(&before))
            || text.split_once('=').is_some_and(|(option, _)| LISTS.contains(&option));
        all.push(word);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command, by the words that call it.
    fn commands() -> Vec<Command> {
        fn below(command: &Command, all: &mut Vec<Command>) {
            all.push(command.clone());
            command.get_subcommands().for_each(|deeper| below(deeper, all));
        }
        let (mut all, mut whole) = (Vec::new(), Cli::command());
        whole.build();
        below(&whole, &mut all);
        all
    }

    #[test]
    fn no_command_advises_an_option_that_it_does_not_have() {
        let mut advised = 0;
        for command in commands() {
            for remedy in Remedy::ALL {
                let told = with("x", &[remedy], &command);
                for word in told.split([' ', ',']).filter_map(|word| word.strip_prefix("--")) {
                    assert!(has(&command, word), "{} advises --{word}", path(&command));
                    advised += 1;
                }
                let (option, words) = option_of(remedy);
                assert!(words.contains(&format!("--{option}")), "{remedy:?}");
                assert_eq!(told != "x", has(&command, option), "{}: {remedy:?}", path(&command));
            }
        }
        assert!(advised > 30, "{advised}");
    }

    #[test]
    fn predict_advises_neither_ignore_nor_missing_and_fit_both() {
        let remedies = [Remedy::FillIn, Remedy::LeaveColumnOut, Remedy::NameLabels];
        let of = |words: &[&str]| with("x", &remedies, &command_of(words));
        assert_eq!(of(&["predict", "out"]), "x; name the column of the classes with --label-column");
        assert!(of(&["fit"]).contains("--missing mean") && of(&["fit"]).contains("--ignore"));
        assert!(of(&["data", "inspect", "a.csv"]).contains("--ignore"));
        assert_eq!(of(&["info"]), "x");
    }

    #[test]
    fn options_by_their_other_names_are_recognised_where_the_command_has_them() {
        let of = |command: &str, option: &str| meant(&command_of([command]), option);
        for name in ["--k", "--K", "--n-clusters", "--n_clusters", "--num-clusters", "--k=4"] {
            assert_eq!(of("fit", name).as_deref(), Some("-k"), "{name}");
        }
        for (command, name, expected) in [
            ("neighbors", "--k", Some("-k")),
            ("predict", "--k", None),
            ("fit", "--epoch", Some("--epochs")),
            ("fit", "--output", Some("--out")),
            ("fit", "--output_dir", Some("--out")),
            ("predict", "--output", Some("--out")),
            ("info", "--output", None),
            ("fit", "--label_column", Some("--label-column")),
            ("fit", "--random_state", Some("--seed")),
            ("compare", "--random-state", Some("--seeds")),
            ("predict", "--exclude", None),
            ("fit", "--learning-rate", Some("--lr")),
            ("fit", "--nonsense", None),
        ] {
            assert_eq!(of(command, name).as_deref(), expected, "{command} {name}");
        }
    }

    #[test]
    fn every_option_that_is_suggested_exists_somewhere() {
        let all = commands();
        for (others, ours) in ELSEWHERE {
            for long in ours {
                assert!(all.iter().any(|command| has(command, long)), "{long}");
            }
            assert!(!others.iter().any(|other| other.contains('_')), "{others:?}");
        }
        for list in LISTS {
            let exists =
                |command: &Command| command.get_arguments().any(|a| a.get_long() == Some(&list[2..]));
            assert!(all.iter().any(exists), "{list}");
        }
    }

    #[test]
    fn a_list_may_have_blanks_after_its_commas() {
        let split = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        for (typed, read) in [
            ("fit --layers 500, 500 a.csv", "fit --layers 500,500 a.csv"),
            ("fit --ignore a, b, c --seed 1", "fit --ignore a,b,c --seed 1"),
            ("fit --ignore -1, -2 a.csv", "fit --ignore -1,-2 a.csv"),
            ("compare --seeds=1, 2 digits", "compare --seeds=1,2 digits"),
            ("fit a, b.csv", "fit a, b.csv"),
            ("fit --out a, b", "fit --out a, b"),
            ("fit --ignore a, --seed 1", "fit --ignore a, --seed 1"),
            ("fit --ignore a b.csv", "fit --ignore a b.csv"),
        ] {
            assert_eq!(joined(split(typed)), split(read), "{typed}");
        }
    }
}
