//! The screenshots of README and docs.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use crate::chores::{Chore, Smoke};
use crate::process::{program, run_with, scratch, text};
use crate::{browser, skips};

pub(crate) const CHORE: Chore = Chore {
    name: "screens",
    about: "the screenshots of README and docs",
    help: "\
Usage: cargo xtask screens DIGITS_OUT [MNIST_OUT [REUTERS_OUT]]

Takes them from the folders of models of digits, mnist and Reuters-21578, each with an explore.html, and writes them
to docs/images.
",
    run,
    smoke: Smoke::Form(smoke),
};

/// Which looks of which model are shown.
const SHOWN: [(&str, &[&str]); 3] =
    [("digits", &["light", "phone"]), ("mnist", &["light"]), ("reuters", &["dark"])];

fn run(arguments: &[String]) -> Result<()> {
    if arguments.is_empty() || arguments.len() > SHOWN.len() {
        bail!("which models? cargo xtask screens DIGITS_OUT [MNIST_OUT [REUTERS_OUT]]");
    }
    let chromium = browser::ready()?;
    for ((name, looks), model) in SHOWN.iter().zip(arguments) {
        take(&chromium, Path::new(model), looks, &Path::new("docs/images").join(name))?;
    }
    Ok(())
}

/// Writes OUT-LOOK.png of a model's page for each look.
fn take(chromium: &str, model: &Path, looks: &[&str], out: &Path) -> Result<()> {
    let (page, out) = (std::path::absolute(model.join("explore.html"))?, std::path::absolute(out)?);
    if let Some(folder) = out.parent() {
        fs::create_dir_all(folder)?;
    }
    let (script, page, out) = (format!("{}/screenshots.js", browser::FOLDER), text(&page), text(&out));
    let mut all = vec![script.as_str()];
    all.extend(looks.iter().flat_map(|look| ["--look", look]));
    all.extend([page.as_str(), out.as_str()]);
    run_with("node", &all, &[("LPVDN_CHROMIUM", chromium)])
}

/// A picture of a page that the browser's tests have made, or that is made now.
fn smoke() -> Result<()> {
    let chromium = match browser::ready() {
        Ok(chromium) => chromium,
        Err(e) => return skips::skip("screens", &format!("{e:#}")),
    };
    let (model, out) = (browser::pages()?.join("table"), scratch("screens")?.join("table"));
    if !model.join("explore.html").exists() {
        browser::make_pages(&program()?, &browser::pages()?, &["table"])?;
    }
    take(&chromium, &model, &["phone"], &out)?;
    let picture = out.with_file_name("table-phone.png");
    match fs::read(&picture) {
        Ok(bytes) if bytes.starts_with(b"\x89PNG") => Ok(()),
        _ => bail!("{} is no picture", picture.display()),
    }
}
