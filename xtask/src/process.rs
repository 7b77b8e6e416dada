//! Other programs, and where things are.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::skips;

/// Runs a command with its output shown; an error where it fails.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<()> {
    run_with(program, arguments, &[])
}

/// The same with additions to the environment.
pub(crate) fn run_with(program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    eprintln!("$ {program} {}", arguments.join(" "));
    let mut command = Command::new(program);
    command.args(arguments).envs(environment.iter().copied()).envs(skips::variable());
    let status = command.status().with_context(|| format!("{program} could not be started"))?;
    if !status.success() {
        bail!("{program} {} failed ({status})", arguments.join(" "));
    }
    Ok(())
}

/// Runs a command and returns what it wrote to standard output.
pub(crate) fn output(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program).args(arguments).output();
    let output = output.with_context(|| format!("{program} could not be started"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("{program} {} failed ({}): {stderr}", arguments.join(" "), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Waits for the end, and gives the highest memory in bytes; no status where it took too long and was ended. How often
/// the memory is looked at matters little: the system keeps the highest value.
pub(crate) fn watch(
    child: &mut Child,
    longest: Duration,
    look: Duration,
) -> Result<(Option<ExitStatus>, u64)> {
    let started = Instant::now();
    let place = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        peak = peak.max(highest_memory(&place).unwrap_or(0));
        if let Some(status) = child.try_wait()? {
            return Ok((Some(status), peak));
        }
        if started.elapsed() > longest {
            child.kill()?;
            child.wait()?;
            return Ok((None, peak));
        }
        std::thread::sleep(look);
    }
}

fn highest_memory(status: &str) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// Cargo's folder of what it builds.
pub(crate) fn target() -> Result<PathBuf> {
    Ok(std::path::absolute(std::env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into()))?)
}

/// A new, empty folder for what a chore makes and nobody keeps.
pub(crate) fn scratch(name: &str) -> Result<PathBuf> {
    let folder = target()?.join("tmp").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder)
}

/// The program as the tests have it. `test` has built it already, with the features that its tests share.
pub(crate) fn program() -> Result<PathBuf> {
    if !skips::collecting() {
        run("cargo", &["build", "--locked", "--package", "lpvdn-cli"])?;
    }
    Ok(target()?.join("debug/lpvdn"))
}

pub(crate) fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Flags of `fit` for networks that are trained at once.
pub(crate) const QUICK: [&str; 10] = [
    "--layers",
    "32",
    "--latent-dim",
    "5",
    "--pretrain-epochs",
    "3",
    "--epochs",
    "4",
    "--settle-epochs",
    "5",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_does_not_end_is_ended_and_one_that_does_has_its_status_and_memory() {
        let (long, look) = (Duration::from_secs(60), Duration::from_millis(1));
        let mut endless = Command::new("sleep").arg("60").spawn().expect("sleep");
        let (status, _) = watch(&mut endless, Duration::from_millis(50), look).expect("watched");
        assert!(status.is_none());
        let mut short = Command::new("sh").args(["-c", "sleep 0.2; exit 3"]).spawn().expect("sh");
        let (status, peak) = watch(&mut short, long, look).expect("watched");
        assert_eq!(status.and_then(|status| status.code()), Some(3));
        assert!(peak > 10_000, "{peak} bytes");
    }
}
