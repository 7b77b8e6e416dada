//! The `lpvdn` program: arguments in, calls to the library, words out.
//!
//! | file | what it holds |
//! |---|---|
//! | `args`, `data_args`, `settings` | arguments as they are typed |
//! | `config` | settings from flags, TOML file and recipe, checked |
//! | `commands/` | one file a command |
//! | `output`, `log`, `metrics` | the output folder of `fit` and what is in it |
//! | `progress`, `interrupt` | what happens on the screen and on Ctrl-C while `fit` runs |
//! | `console`, `failure` | words out, and the exit code |
//! | `advice` | which options of the running command may help |

mod advice;
mod args;
mod clusters;
mod commands;
mod config;
mod console;
mod data_args;
mod failure;
mod interrupt;
mod log;
mod map;
mod memory;
mod methods;
mod metrics;
mod model_args;
mod output;
mod parts;
mod progress;
mod readings;
mod runs;
mod server;
mod settings;

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};
use crate::failure::Failure;

/// Does what the command line says, and gives the exit code.
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(failure::report_panic));
    let words = advice::joined(std::env::args_os().collect());
    let outcome = Cli::try_parse_from(words).map_err(Failure::from).and_then(run);
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(cli: Cli) -> Result<(), Failure> {
    lpvdn_core::Level::requested().map_err(Failure::Usage)?;
    match cli.command {
        Command::Fit(args) => commands::fit::run(*args),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Experiment(args) => commands::experiment::run(&args),
        Command::Predict(args) => commands::predict::run(&args),
        Command::Transform(args) => commands::transform::run(&args),
        Command::Evaluate(args) => commands::evaluate::run(&args),
        Command::Explore(args) => commands::explore::run(&args),
        Command::Neighbors(args) => commands::neighbors::run(&args),
        Command::Plot(args) => commands::plot::run(&args),
        Command::Info(args) => commands::info::run(&args),
        Command::Data(args) => commands::data::run(args),
    }
}

/// Checks the text of a settings file as `fit --config` does before it reads any data.
///
/// # Errors
/// The sentence that the user would see.
pub fn check_settings(text: &str) -> Result<(), String> {
    let checked = || {
        let settings = config::parse(text, Path::new("settings.toml"))?;
        config::estimator(&config::overlay(&settings, &settings)?, 3)
    };
    match checked() {
        Ok(_) => Ok(()),
        Err(Failure::Failed(sentence) | Failure::Usage(sentence) | Failure::Interrupted(sentence)) => {
            Err(sentence)
        }
        Err(other) => Err(format!("{other:?}")),
    }
}
