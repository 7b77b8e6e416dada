//! Python, and virtual environments under `target`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::process::{output, run as command, text};

/// The oldest version that our scripts and the wheel are for.
pub(crate) const OLDEST: &str = "3.11";
/// Names under which such a Python may be found.
const PYTHONS: [&str; 6] = ["python3", "python3.15", "python3.14", "python3.13", "python3.12", "python3.11"];

/// A Python that is new enough.
pub(crate) fn python() -> Option<String> {
    let enough = format!("import sys; assert sys.version_info >= ({})", OLDEST.replace('.', ", "));
    let found = PYTHONS.iter().find(|python| output(python, &["-c", &enough]).is_ok());
    found.map(|python| (*python).to_owned())
}

/// A virtual environment.
pub(crate) struct Environment(PathBuf);

impl Environment {
    /// One with a Python in it, made where it is not there yet.
    pub(crate) fn at(python: &str, folder: &Path) -> Result<Environment> {
        let environment = Environment(folder.to_owned());
        if output(&environment.program("python"), &["-m", "pip", "--version"]).is_err() {
            command(python, &["-m", "venv", "--clear", &text(folder)])?;
        }
        Ok(environment)
    }

    /// One with the packages of a file, installed with some options. It is made anew where the file has changed.
    pub(crate) fn with(
        python: &str,
        folder: &Path,
        requirements: &str,
        options: &[&str],
    ) -> Result<Environment> {
        if let Some(made) = Environment::made(folder, requirements) {
            return Ok(made);
        }
        let _ = fs::remove_dir_all(folder);
        let environment = Environment::at(python, folder)?;
        environment.pip(&[&["install"][..], options, &["--requirement", requirements]].concat())?;
        fs::copy(requirements, folder.join(RECORD))?;
        Ok(environment)
    }

    /// One that was made from the same file before.
    pub(crate) fn made(folder: &Path, requirements: &str) -> Option<Environment> {
        let (wanted, made) = (fs::read(requirements).ok()?, fs::read(folder.join(RECORD)).ok()?);
        let environment = Environment(folder.to_owned());
        let works = || output(&environment.program("python"), &["--version"]).is_ok();
        (wanted == made && works()).then_some(environment)
    }

    /// The path of a program in it.
    pub(crate) fn program(&self, name: &str) -> String {
        text(&self.0.join("bin").join(name))
    }

    pub(crate) fn pip(&self, arguments: &[&str]) -> Result<()> {
        let quietly = ["-m", "pip", "--quiet", "--disable-pip-version-check"];
        command(&self.program("python"), &[&quietly[..], arguments].concat())
    }

    /// Installs this very wheel, whatever is there of the same version.
    pub(crate) fn install(&self, wheel: &Path) -> Result<()> {
        self.pip(&["install", "--force-reinstall", "--no-deps", &text(wheel)])
    }
}

/// The copy of the requirements that an environment was made from.
const RECORD: &str = "requirements.txt";
