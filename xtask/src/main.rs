//! Every chore of a contributor: `cargo xtask help` lists them.
#![allow(clippy::print_stdout, clippy::print_stderr)] // Talking is what a chore does.

mod accuracy;
mod attack;
mod bench;
mod browser;
mod chores;
mod environment;
mod fuzz;
mod generate;
mod integration;
mod peer;
mod process;
mod python;
mod ranking;
mod results;
mod rivals;
mod screens;
mod skips;
mod supply;
mod test;
mod verdict;

use std::process::ExitCode;

pub(crate) use process::{output, run, run_with};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match chores::dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("xtask: {e:#}");
            ExitCode::FAILURE
        }
    }
}
