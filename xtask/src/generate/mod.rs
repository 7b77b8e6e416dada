//! Large made-up sets, for runs that no real set at hand is large enough for.

mod blobs;
mod npz;
mod rcv1;

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::chores::{Chore, Smoke};
use crate::process::{program, run as command, scratch, text};

pub(crate) const CHORE: Chore = Chore {
    name: "generate",
    about: "large made-up sets, the same for the same seed",
    help: "\
Usage: cargo xtask generate rcv1 [--rows 685071] [--cols 2000] [--seed 0] -o FILE.npz
       cargo xtask generate npy [--rows 3000000] [--cols 1000] [--seed 0] -o FILE.npy

  rcv1  sparse rows like tf-idf of RCV1, about 59 values in each, with labels; about 0.5 GB
  npy   dense rows around 10 centres; about 12 GB

They are written row by row and never held in memory.
",
    run,
    smoke: Smoke::Form(smoke),
};

/// Small sets, which the program must be able to read.
fn smoke() -> Result<()> {
    let (folder, program) = (scratch("generate")?, text(&program()?));
    for (kind, name, cols) in [("rcv1", "rows.npz", "500"), ("npy", "rows.npy", "20")] {
        let file = text(&folder.join(name));
        run(&[kind, "--rows", "300", "--cols", cols, "-o", &file].map(str::to_owned))?;
        command(&program, &["data", "inspect", &file])?;
    }
    Ok(())
}

/// What is asked for.
struct Request {
    rows: usize,
    cols: usize,
    seed: u64,
    out: PathBuf,
}

fn run(arguments: &[String]) -> Result<()> {
    let (kind, flags) = arguments.split_first().context("generate what: rcv1 or npy?")?;
    match kind.as_str() {
        "rcv1" => {
            let request = Request::new(flags, (685_071, 2_000))?;
            // A value and a column for each entry, an offset and a class for each row.
            request.write(request.rows as u64 * (8 * 60 + 9), |file| rcv1::write(&request, file))
        }
        "npy" => {
            let request = Request::new(flags, (3_000_000, 1_000))?;
            let bytes = 4 * request.rows as u64 * request.cols as u64;
            request.write(bytes, |file| blobs::write(&request, file))
        }
        other => bail!("there is no set {other:?} to generate; rcv1 and npy are there"),
    }
}

impl Request {
    fn new(flags: &[String], (rows, cols): (usize, usize)) -> Result<Request> {
        let (mut rows, mut cols, mut seed, mut out) = (rows, cols, 0, None);
        for pair in flags.chunks(2) {
            let [flag, value] = pair else { bail!("{} needs a value", pair[0]) };
            let number = || value.parse::<u32>().with_context(|| format!("{flag} {value}: not a number"));
            match flag.as_str() {
                "--rows" => rows = number()? as usize,
                "--cols" => cols = number()? as usize,
                "--seed" => seed = number()?.into(),
                "-o" | "--out" => out = Some(PathBuf::from(value)),
                other => bail!("there is no flag {other}; --rows, --cols, --seed and -o are there"),
            }
        }
        if rows == 0 || cols == 0 {
            bail!("--rows and --cols must be at least 1");
        }
        Ok(Request { rows, cols, seed, out: out.context("where to? -o FILE is missing")? })
    }

    /// Writes a file that is there as a whole or not at all, if the disk has room for it.
    fn write(&self, bytes: u64, write: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
        let folder = self.out.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        match free(folder) {
            // A disk that is filled to the brim harms others.
            Some(free) if free < bytes + bytes / 20 => {
                let (free, bytes) = (free / 1_000_000, bytes / 1_000_000);
                bail!("{}: {bytes} MB are needed, and only {free} MB are free", folder.display());
            }
            Some(_) => {}
            None => eprintln!("how much room {} has is not known; going on", folder.display()),
        }
        let mut part = self.out.clone().into_os_string();
        part.push(".part");
        let part = PathBuf::from(part);
        let file = File::create(&part).with_context(|| part.display().to_string())?;
        let mut file = BufWriter::with_capacity(1 << 20, file);
        let written = write(&mut file).and_then(|()| Ok(file.into_inner()?.sync_all()?));
        if let Err(e) = written {
            let _ = fs::remove_file(&part);
            return Err(e.context(part.display().to_string()));
        }
        fs::rename(&part, &self.out).with_context(|| self.out.display().to_string())?;
        eprintln!("{}: {} rows of {} columns", self.out.display(), self.rows, self.cols);
        Ok(())
    }
}

/// The free bytes of the disk that has the folder, where `df` says so.
fn free(folder: &Path) -> Option<u64> {
    let output = Command::new("df").arg("-Pk").arg(folder).output().ok().filter(|o| o.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    let kilobytes: u64 = text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// The header of an array of NumPy's.
fn npy_header(descr: &str, shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // The values begin at a multiple of 64.
    let padding = 63 - (10 + text.len()) % 64;
    text.push_str(&" ".repeat(padding));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend_from_slice(&(text.len() as u16).to_le_bytes());
    header.extend_from_slice(text.as_bytes());
    header
}
