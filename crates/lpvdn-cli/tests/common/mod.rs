//! Runs of the real program.
// Each test file uses its part.
#![allow(dead_code, unreachable_pub)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of a test's own.
pub struct Place(tempfile::TempDir);

/// How a command ended.
#[derive(Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// A network so small that a fit takes a second.
pub const TINY: [&str; 16] = [
    "--layers",
    "32,32",
    "--discriminator-layers",
    "32",
    "--locality-layers",
    "32",
    "--latent-dim",
    "5",
    "--pretrain-epochs",
    "2",
    "--epochs",
    "3",
    "--batch",
    "200",
    "--starts",
    "1",
];

impl Place {
    pub fn new() -> Place {
        Place(tempfile::tempdir().expect("a folder"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("text")
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).expect("written");
    }

    /// The program, in this folder.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lpvdn"));
        command.current_dir(self.0.path()).args(args).env_remove("LPVDN_SIMD").stdin(Stdio::null());
        command
    }

    pub fn run(&self, args: &[&str]) -> Outcome {
        Outcome::from(self.command(args).output().expect("the program runs"))
    }

    /// A fit of the digits with a tiny network that must succeed.
    pub fn fit(&self, args: &[&str]) -> Outcome {
        self.run(&[&["fit"], &TINY[..], args].concat()).succeeded()
    }

    /// 40 rows in two groups, with a line changed.
    pub fn csv(&self, name: &str, change: impl Fn(usize, String) -> String) {
        let line = |i: usize| {
            let cells: Vec<String> = (0..4)
                .map(|j| format!("{}", (i % 2 * 5) as f32 + ((i * 7 + j * 3) % 11) as f32 * 0.1))
                .collect();
            change(i, cells.join(",")) + "\n"
        };
        self.write(name, (0..40).map(line).collect::<String>());
    }
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Outcome {
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }
}

impl Outcome {
    #[track_caller]
    pub fn succeeded(self) -> Outcome {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    /// It failed with this code, and its last words are one sentence with all these parts.
    #[track_caller]
    pub fn failed(self, code: i32, parts: &[&str]) -> Outcome {
        assert_eq!(self.code, Some(code), "{self:?}");
        let last = self.stderr.trim_end().lines().last().unwrap_or("");
        assert!(last.starts_with("lpvdn: "), "{:?}", self.stderr);
        let sentences = self.stderr.lines().filter(|line| line.starts_with("lpvdn: ")).count();
        assert_eq!(sentences, 1, "{}", self.stderr);
        for part in parts {
            assert!(last.contains(part), "{last:?} does not say {part:?}");
        }
        for noise in ["panicked", "backtrace", "Error:", "error:", "RUST_"] {
            assert!(!self.stderr.contains(noise), "{}", self.stderr);
        }
        self
    }

    /// The last line of standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        let line = self.stdout.lines().last().expect("a line");
        serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))
    }
}

/// The same program at another instruction-set level.
pub fn at_level(mut command: Command, level: &str) -> Command {
    command.env("LPVDN_SIMD", level);
    command
}

/// The levels that this processor has.
pub fn levels() -> Vec<&'static str> {
    let place = Place::new();
    let avx2 = at_level(place.command(&["info", "none"]), "avx2").output().expect("the program runs");
    // The level is checked before anything else, with the exit code of a usage error.
    if avx2.status.code() == Some(2) {
        lpvdn_testing::skip("this processor has no AVX2 with FMA, so only the scalar path is tested");
        return vec!["scalar"];
    }
    vec!["scalar", "avx2"]
}

pub fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
