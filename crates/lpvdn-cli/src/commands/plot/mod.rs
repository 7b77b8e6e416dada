//! `lpvdn plot`

mod made;
mod measured;

use std::io::Write;
use std::path::{Path, PathBuf};

use lpvdn_data::atomic_write;
use lpvdn_report::Figure;

use super::model_file;
use super::subject::Subject;
use crate::console::{self, shell};
use crate::failure::Failure;
use crate::interrupt;
use crate::map;
use crate::model_args::{PlotArgs, PlotKind};

pub(crate) fn run(args: &PlotArgs) -> Result<(), Failure> {
    let places = places(args)?;
    interrupt::listen_for("stopping; once more stops at once", args.quiet)?;
    let figure = figure(args)?;
    interrupt::check()?;
    for (path, ending) in &places {
        let bytes = ending.bytes(&figure)?;
        atomic_write(path, |out| out.write_all(&bytes))?;
    }
    if !args.quiet {
        let names: Vec<String> = places.iter().map(|(path, _)| shell(path)).collect();
        console::stderr_line(&format!("the figure is in {}", names.join(" and ")));
    }
    Ok(())
}

fn figure(args: &PlotArgs) -> Result<Figure, Failure> {
    let loaded = || Subject::load(&args.on, None);
    match args.what {
        // The log alone tells of it, and the rows may be gone.
        PlotKind::Training => measured::training(&args.on.model),
        PlotKind::Map => {
            let mut subject = loaded()?;
            interrupt::check()?;
            map::ensure(&mut subject, Some(2), &model_file(&args.on.model)?, args.quiet)?;
            measured::map(&subject, args)
        }
        PlotKind::Confusion => measured::confusion(&loaded()?),
        PlotKind::Samples => made::samples(&loaded()?, args),
        PlotKind::Reconstructions => made::reconstructions(&loaded()?, args),
        PlotKind::Between => made::between(&loaded()?, args),
    }
}

/// A kind of picture file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Svg,
    Png,
}

impl Ending {
    pub(crate) fn bytes(self, figure: &Figure) -> Result<Vec<u8>, Failure> {
        match self {
            Ending::Svg => Ok(figure.svg().into_bytes()),
            Ending::Png => {
                figure.png().map_err(|e| Failure::Failed(format!("the figure cannot be painted: {e}")))
            }
        }
    }
}

/// What a name asks for.
pub(crate) fn ending_of(path: &Path) -> Result<Ending, Failure> {
    match path.extension().and_then(|e| e.to_str()).map(str::to_lowercase).as_deref() {
        Some("svg") => Ok(Ending::Svg),
        Some("png") => Ok(Ending::Png),
        _ => Err(Failure::Usage(format!(
            "{}: the name must end in .svg or .png, which decides the format",
            path.display()
        ))),
    }
}

/// Where the figure goes: to a name with an ending once, to one without twice.
fn places(args: &PlotArgs) -> Result<Vec<(PathBuf, Ending)>, Failure> {
    let name = match args.what {
        PlotKind::Map => "map",
        PlotKind::Training => "training",
        PlotKind::Confusion => "confusion",
        PlotKind::Samples => "samples",
        PlotKind::Reconstructions => "reconstructions",
        PlotKind::Between => "between",
    };
    let out = match &args.out {
        Some(out) if out.extension().is_some() => return Ok(vec![(out.clone(), ending_of(out)?)]),
        Some(out) => out.clone(),
        None => model_file(&args.on.model)?.with_file_name(name),
    };
    Ok(vec![(out.with_extension("svg"), Ending::Svg), (out.with_extension("png"), Ending::Png)])
}
