//! Runs of the program in which something fails.
#![allow(unreachable_pub)]

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::common::Outcome;

/// The smallest allocation that fails in [`Kind::Memory`]: smaller ones are many, and fail alike.
const ALLOCATION: &str = "512";

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// EIO, once.
    Error,
    /// ENOSPC from there on.
    Full,
    /// Half is written, then as [`Kind::Full`].
    Short,
    /// `kill -9`
    Kill,
    /// An allocation fails.
    Memory,
}

/// What happens, and at which call.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    pub kind: Kind,
    pub at: u32,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}-{}", self.kind, self.at)
    }
}

impl Fault {
    /// Every kind at each of these calls.
    pub fn at_every(calls: &[String]) -> Vec<Fault> {
        let kinds = |(at, call): (u32, &String)| {
            let short = (call == "write").then_some(Kind::Short);
            // A disk that is full at other calls is full at the next that takes room.
            let takes_room = ["write", "open64", "mkdir"].contains(&call.as_str());
            let full = takes_room.then_some(Kind::Full);
            let all = [Some(Kind::Error), Some(Kind::Kill), short, full].into_iter().flatten();
            all.map(move |kind| Fault { kind, at }).collect::<Vec<_>>()
        };
        (1..).zip(calls).flat_map(kinds).collect()
    }

    /// Some of the allocations, at equal distances.
    pub fn of_memory(allocations: usize, samples: usize) -> Vec<Fault> {
        let at = |i: usize| 1 + (i * allocations / samples) as u32;
        (0..samples).map(|i| Fault { kind: Kind::Memory, at: at(i) }).collect()
    }
}

/// The library that makes calls fail.
pub struct Lab {
    folder: tempfile::TempDir,
}

impl Lab {
    pub fn new() -> Lab {
        let folder = tempfile::tempdir().expect("a folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fault/preload.rs");
        let mut compiler = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        compiler.args(["--edition", "2024", "--crate-type", "cdylib", "-O", "-o"]);
        let output = compiler.arg(folder.path().join("fault.so")).arg(source).output().expect("rustc runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Lab { folder }
    }

    fn library(&self) -> PathBuf {
        self.folder.path().join("fault.so")
    }

    /// The program, with a fault in what it does below a folder.
    pub fn run(&self, arguments: &[String], fault: Option<(&Fault, &Path)>) -> Outcome {
        let mut command = program(arguments);
        if let Some((fault, below)) = fault {
            let kind = format!("{:?}", fault.kind).to_lowercase();
            command.env("LD_PRELOAD", self.library()).env("LPVDN_FAULT_FOLDER", below);
            command.env("LPVDN_FAULT_KIND", kind).env("LPVDN_FAULT_AT", fault.at.to_string());
            command.env("LPVDN_FAULT_SIZE", ALLOCATION);
        }
        Outcome::from(command.output().expect("the program runs"))
    }

    /// The calls of a command that change something below a folder.
    pub fn calls(&self, work: &Path, command: impl Fn(&Path) -> Vec<String>) -> Vec<String> {
        self.noted("count", work, &command(work))
    }

    /// How many large allocations a command makes.
    pub fn allocations(&self, work: &Path, command: impl Fn(&Path) -> Vec<String>) -> usize {
        self.noted("memory", work, &command(work)).len()
    }

    fn noted(&self, kind: &str, work: &Path, arguments: &[String]) -> Vec<String> {
        let log = self.folder.path().join("log");
        let _ = std::fs::remove_file(&log);
        let mut command = program(arguments);
        command.env("LD_PRELOAD", self.library()).env("LPVDN_FAULT_FOLDER", work);
        command.env("LPVDN_FAULT_KIND", kind).env("LPVDN_FAULT_LOG", &log);
        command.env("LPVDN_FAULT_SIZE", ALLOCATION);
        Outcome::from(command.output().expect("the program runs")).succeeded();
        let text = std::fs::read_to_string(log).expect("a log");
        text.lines().map(str::to_owned).collect()
    }
}

fn program(arguments: &[String]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lpvdn"));
    command.args(arguments).env_remove("LPVDN_SIMD").stdin(std::process::Stdio::null());
    command
}

impl Outcome {
    /// It succeeded, failed with one sentence, or was ended by what was meant to end it.
    #[track_caller]
    pub fn ended_well(&self, fault: &Fault) {
        let killed = match fault.kind {
            Kind::Kill | Kind::Memory => self.code.is_none(),
            _ => false,
        };
        assert!(killed || matches!(self.code, Some(0 | 1)), "{fault}: {self:?}");
        let expected = fault.kind == Kind::Memory;
        assert!(expected || !self.stderr.contains("panicked"), "{fault}: {self:?}");
        assert!(
            self.code != Some(1) || self.stderr.lines().any(|l| l.starts_with("lpvdn: ")),
            "{fault}: {self:?}"
        );
    }
}

/// Does something for each fault, on two threads.
pub fn each(faults: &[Fault], check: impl Fn(&Fault) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(fault) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(fault);
                }
            });
        }
    });
}

/// Copies a folder with the folders in it.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(path, target).expect("copied");
        }
    }
}
