//! How a test that cannot run on this machine reports it, so that `cargo xtask test` can list it at its end.
//!
//! What a passed test prints is hidden; a line in a file is not.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

/// The environment variable that names the file for the reports.
pub const VARIABLE: &str = "LPVDN_SKIPS";

/// Reports that the test which calls this is skipped, and why. The caller then returns.
///
/// The name of the test is that of its thread, which the test harness gives it.
///
/// # Panics
///
/// Where the file cannot be written: a skip that nobody sees would be taken for a success.
#[allow(clippy::print_stderr)] // For `--nocapture`.
pub fn skip(reason: &str) {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("a test");
    eprintln!("SKIPPED: {name}: {reason}");
    if let Some(file) = std::env::var_os(VARIABLE) {
        append(Path::new(&file), name, reason).expect("the file of skips can be written");
    }
}

/// Appends a report to the file, as one write: tests run at the same time.
///
/// # Errors
///
/// When the file cannot be written.
pub fn append(file: &Path, name: &str, reason: &str) -> io::Result<()> {
    // A report is one line, and its name ends at the first colon with a space.
    let (name, reason) = (name.replace(": ", " "), reason.replace('\n', " "));
    let line = format!("SKIPPED: {}: {reason}\n", name.replace('\n', " "));
    OpenOptions::new().create(true).append(true).open(file)?.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_one_line_whose_name_ends_at_the_first_colon() {
        let file = std::env::temp_dir().join(format!("lpvdn-skips-{}", std::process::id()));
        append(&file, "a::b: c", "two\nlines: here").expect("written");
        append(&file, "second", "why").expect("written");
        let text = std::fs::read_to_string(&file).expect("a text");
        std::fs::remove_file(&file).expect("removed");
        assert_eq!(text, "SKIPPED: a::b c: two lines: here\nSKIPPED: second: why\n");
    }
}
