//! `lpvdn explore`

pub(crate) mod story;

use std::io::Write;
use std::path::Path;

use lpvdn_data::{atomic_replace, atomic_write};
use lpvdn_report::explorer::{Explorer, Limits};

use super::model_file;
use super::subject::Subject;
use crate::console::{self, bytes, plural, shell};
use crate::failure::Failure;
use crate::interrupt;
use crate::map;
use crate::model_args::ExploreArgs;
use crate::output::overwrite;
use crate::server::Server;

/// What a page is called where nobody says.
pub(crate) const PAGE: &str = "explore.html";
/// The characters of a document that are shown.
pub(crate) const SNIPPET: usize = 1_200;

pub(crate) fn run(args: &ExploreArgs) -> Result<(), Failure> {
    // Before a map is drawn for nothing.
    let server = args.serve.as_deref().map(Server::bind).transpose()?;
    interrupt::listen_for("stopping; once more stops at once", args.quiet)?;
    let file = model_file(&args.on.model)?;
    overwrite::refuse(args.out.as_deref(), &[&file, args.on.data.as_deref().unwrap_or(&file)])?;
    let mut subject = Subject::load(&args.on, Some(SNIPPET))?;
    interrupt::check()?;
    map::ensure(&mut subject, args.map, &file, args.quiet)?;
    let mut limits = if server.is_some() { Limits::served() } else { Limits::file() };
    limits.rows = args.rows.map_or(limits.rows, |rows| rows as usize);
    let beside = file.with_file_name(page_name(&subject));
    let page = explorer(subject, &args.on.model, limits)?;
    match server {
        Some(server) => server.serve(page, args.quiet),
        None => {
            interrupt::check()?;
            let out = args.out.as_deref().unwrap_or(&beside);
            match &args.out {
                Some(out) => write(&page, out)?,
                None => write_next_to_model(&page, out)?,
            }
            if !args.quiet && out.as_os_str() != "-" {
                tell(&page, out);
            }
            Ok(())
        }
    }
}

/// That of other rows does not replace that of the fit.
fn page_name(subject: &Subject) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    match subject.fitted {
        true => PAGE.to_owned(),
        false => format!("explore-{}.html", subject.data.name.chars().map(plain).collect::<String>()),
    }
}

/// Writes the page of a model that has just been fitted to where its files are, which are going to be in `folder`.
pub(crate) fn write_for(subject: Subject, run: &Path, folder: &Path) -> Result<(), Failure> {
    let page = explorer(subject, folder, Limits::file())?;
    write_next_to_model(&page, &run.join(PAGE))
}

fn explorer(mut subject: Subject, model: &Path, limits: Limits) -> Result<Explorer, Failure> {
    let texts = subject.texts.take();
    let story = story::of(&subject, model, texts);
    Ok(Explorer::new(&subject.model, &subject.data, story, limits)?)
}

/// At a name that nobody asked for, a link is not followed.
fn write_next_to_model(page: &Explorer, out: &Path) -> Result<(), Failure> {
    Ok(atomic_replace(out, |file| page.write(file as &mut dyn Write))?)
}

fn write(page: &Explorer, out: &Path) -> Result<(), Failure> {
    if out.as_os_str() == "-" {
        return console::stdout(|out| page.write(out));
    }
    Ok(atomic_write(out, |file| page.write(file as &mut dyn Write))?)
}

/// What was written, and where.
fn tell(page: &Explorer, out: &Path) {
    let manifest = page.manifest();
    let size = std::fs::metadata(out).map_or(0, |file| file.len());
    let rows = match manifest.rows == manifest.rows_total {
        true => plural(manifest.rows, "row"),
        false => format!("{} of {}", console::grouped(manifest.rows), plural(manifest.rows_total, "row")),
    };
    let clusters = plural(manifest.clusters.len(), "cluster");
    console::stderr_line(&format!("{rows} in {clusters}, {}: open {} in a browser", bytes(size), shell(out)));
}
