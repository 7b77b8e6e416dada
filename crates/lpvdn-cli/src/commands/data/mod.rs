//! `lpvdn data`: sets that are known by name, and a look at any data.

mod column_kinds;
mod fetch;
mod inspect;
mod label_candidates;
mod list;
mod preview;

use crate::data_args::{DataArgs, DataCommand};
use crate::failure::Failure;

pub(crate) fn run(args: DataArgs) -> Result<(), Failure> {
    match args.command {
        DataCommand::List(args) => list::run(&args),
        DataCommand::Fetch(args) => fetch::run(&args),
        DataCommand::Inspect(args) => inspect::run(&args),
    }
}
