//! The arguments of `lpvdn data`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::settings::Settings;

pub(crate) const DATA_EXAMPLES: &str = "\
Examples:
  lpvdn data list                          # the known sets, and which are here
  lpvdn data fetch mnist                   # download, check, keep in the cache
  lpvdn data fetch mnist --from /mnt/sets  # from a folder, or an address
  lpvdn data inspect flowers.csv           # what is in it, what fit would do
  lpvdn fit mnist                          # by its name, once it is here

LPVDN_CACHE names another folder for the cache. LPVDN_DATA names a folder, or the address of one, with a \
folder for each set in it (mnist, fashion-mnist, optdigits, rcv1): sets that are in such a folder are read \
right there, and fetch asks it before the public homes. A path that exists goes before a name.";

#[derive(Args, Debug)]
pub(crate) struct DataArgs {
    #[command(subcommand)]
    pub(crate) command: DataCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DataCommand {
    /// The sets that are known by name, and which of them are here
    List(ListArgs),
    /// Download known sets into the cache; what breaks off is continued
    Fetch(FetchArgs),
    /// What a data set holds, and what `fit` would do with it; takes the options of `fit`
    #[command(
        mut_arg("out", |arg| arg.hide(true)),
        mut_arg("force", |arg| arg.hide(true)),
        mut_arg("resume", |arg| arg.hide(true)),
        mut_arg("evaluate_every", |arg| arg.hide(true)),
        mut_arg("checkpoint_every", |arg| arg.hide(true)),
        mut_arg("store", |arg| arg.hide(true)),
        mut_arg("quiet", |arg| arg.hide(true)),
        mut_arg("restarts", |arg| arg.hide(true))
    )]
    Inspect(Box<InspectArgs>),
}

#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct FetchArgs {
    /// Names of sets: see lpvdn data list
    #[arg(required = true, value_name = "SET")]
    pub(crate) sets: Vec<String>,
    /// Take the files from this folder or address alone, and not from their public homes
    #[arg(long, value_name = "DIR_OR_URL")]
    pub(crate) from: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) settings: Settings,
}
