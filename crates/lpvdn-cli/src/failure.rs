//! What went wrong: one sentence, and an exit code.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io;
use std::panic::PanicHookInfo;
use std::path::Path;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use lpvdn::{DataProblem, FitError, ModelError};
use lpvdn_core::source::SourceError;
use lpvdn_data::{DataError, Remedy};
use lpvdn_report::explorer::ExploreError;

use crate::{advice, console};

/// The exit code of a run that a signal stopped, as shells have it.
pub(crate) const INTERRUPTED: u8 = 130;

/// Why a command ends early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something failed: exit code 1.
    Failed(String),
    /// The command cannot be meant so: exit code 2.
    Usage(String),
    /// A signal stopped it, and what to do about it.
    Interrupted(String),
    /// Nobody reads the output any more, which is their right.
    BrokenPipe,
    /// Help, a version, or a command line that clap refused.
    CommandLine(clap::Error),
}

impl Failure {
    /// A file or stream could not be written.
    pub(crate) fn writing(place: impl std::fmt::Display, cause: io::Error) -> Failure {
        match cause.kind() {
            io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::Failed(format!("{place}: cannot be written: {cause}")),
        }
    }

    /// A file could not be read.
    pub(crate) fn reading(path: &Path, cause: impl std::fmt::Display) -> Failure {
        Failure::Failed(format!("{}: cannot be read: {cause}", path.display()))
    }

    /// The words alone, for a warning.
    pub(crate) fn into_sentence(self) -> String {
        match self {
            Failure::Failed(sentence) | Failure::Usage(sentence) | Failure::Interrupted(sentence) => sentence,
            Failure::BrokenPipe => "nobody reads it any more".to_owned(),
            Failure::CommandLine(error) => error.to_string(),
        }
    }

    /// Says it, and gives the exit code.
    pub(crate) fn report(self) -> ExitCode {
        let (sentence, code) = match self {
            Failure::Failed(sentence) => (sentence, 1),
            Failure::Usage(sentence) => (sentence, 2),
            Failure::Interrupted(sentence) => (sentence, INTERRUPTED),
            Failure::BrokenPipe => return ExitCode::SUCCESS,
            Failure::CommandLine(error) => match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                    let _ = error.print();
                    return ExitCode::SUCCESS;
                }
                ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                    let _ = error.print();
                    return ExitCode::from(2);
                }
                _ => (refused(&error, advice::running()), 2),
            },
        };
        console::stderr_line(&format!("lpvdn: {sentence}"));
        ExitCode::from(code)
    }
}

/// A fault of this program. What the message quotes of the data must not reach the terminal as it is.
pub(crate) fn report_panic(panic: &PanicHookInfo<'_>) {
    let what = panic.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    console::stderr_line(&format!("lpvdn: a fault of this program: {what}; please report it"));
    let trace = Backtrace::capture();
    if trace.status() == BacktraceStatus::Captured {
        trace.to_string().lines().for_each(console::stderr_line);
    }
}

/// What is wrong with a command line, and what may have been meant.
fn refused(error: &clap::Error, command: &clap::Command) -> String {
    let unknown = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(option))) => Some(option),
        _ => None,
    };
    let meant = unknown.and_then(|option| advice::meant(command, option));
    one_sentence(&error.render().to_string(), meant.as_deref(), &advice::path(command))
}

/// Clap's paragraphs as one line: the error, its tips or what is `meant` instead of them, and where to read on.
fn one_sentence(rendered: &str, meant: Option<&str>, command: &str) -> String {
    let joined = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut noise = vec!["Usage:", "For more information", "tip: to pass"];
    noise.extend(meant.map(|_| "tip:"));
    let paragraphs = rendered.split("\n\n").map(joined);
    let told = paragraphs.filter(|p| !p.is_empty() && !noise.iter().any(|n| p.starts_with(n)));
    let told: Vec<String> = told.map(|p| p.strip_prefix("error: ").unwrap_or(&p).to_owned()).collect();
    let meant = meant.map_or(String::new(), |option| format!("; did you mean {option}?"));
    format!("{}{meant}; see {command} --help", told.join("; "))
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Failure {
        Failure::CommandLine(error)
    }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Failure {
        Failure::Failed(advice::with(&error.to_string(), error.remedies(), advice::running()))
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Failure {
        Failure::Failed(error.to_string())
    }
}

impl From<ExploreError> for Failure {
    fn from(error: ExploreError) -> Failure {
        match error {
            ExploreError::Model(error) => error.into(),
            other => Failure::Failed(other.to_string()),
        }
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Failure {
        match error {
            ModelError::Columns { found, wanted, .. } if found == wanted + 1 => {
                let remedies = [Remedy::NameLabels];
                Failure::Failed(advice::with(&error.to_string(), &remedies, advice::running()))
            }
            ModelError::Columns { .. } => {
                Failure::Failed(format!("{error}; give rows like those it was fitted to"))
            }
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl From<FitError> for Failure {
    fn from(error: FitError) -> Failure {
        match error {
            FitError::Params(_) => Failure::Usage(error.to_string()),
            FitError::Memory { .. } => Failure::Failed(format!("{error} (--memory sets what may be taken)")),
            _ => Failure::Failed(fit_words(&error)),
        }
    }
}

/// Why a fit is refused, with the option that may help.
pub(crate) fn fit_words(error: &FitError) -> String {
    match error {
        FitError::Data(DataProblem::NegativeLogarithm { .. }) if advice::has(advice::running(), "kind") => {
            format!("{error} (--kind COLUMN=linear takes it as it is)")
        }
        FitError::Data(DataProblem::NoTerms { .. }) => format!("{error}; leave --components out"),
        FitError::Data(DataProblem::TooManyComponents { most, .. }) => {
            format!("{error}; give --components {most} or fewer, or leave it out")
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::one_sentence;

    #[test]
    fn a_refused_command_line_is_told_in_one_line() {
        let rendered = "error: invalid value 'x' for '--recipe <RECIPE>'\n  [possible values: robust, paper]\n\n  \
                        tip: a similar value exists\n\nUsage: lpvdn fit [OPTIONS]\n\nFor more information, try '--help'.\n";
        let expected = "invalid value 'x' for '--recipe <RECIPE>' [possible values: robust, paper]; \
                        tip: a similar value exists; see lpvdn fit --help";
        assert_eq!(one_sentence(rendered, None, "lpvdn fit"), expected);
        let expected = "invalid value 'x' for '--recipe <RECIPE>' [possible values: robust, paper]; \
                        did you mean --y?; see lpvdn fit --help";
        assert_eq!(one_sentence(rendered, Some("--y"), "lpvdn fit"), expected);
    }
}
