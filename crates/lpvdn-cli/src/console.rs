//! Words out: results on standard output, everything else on standard error.
//!
//! Nothing else writes to the two streams. Words for people pass through [`printable`], because they quote names of
//! columns, classes, files and the like, which may hold what a terminal obeys.

mod printable;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use crate::failure::Failure;

use self::printable::Visible;
pub(crate) use self::printable::{Words, printable};

/// Writes results for programs to standard output, through a buffer: exactly as they are, unless a terminal would
/// interpret them. A reader that has gone away ends the program quietly.
pub(crate) fn stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    let written = match io::stdout().is_terminal() {
        true => {
            let mut visible = Visible::new(&mut out);
            write(&mut visible).and_then(|()| visible.finish())
        }
        false => write(&mut out),
    };
    written.and_then(|()| out.flush()).map_err(|e| Failure::writing("standard output", e))
}

/// Writes words for people to standard output.
pub(crate) fn stdout_words(words: &Words) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(words.text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|e| Failure::writing("standard output", e))
}

/// Writes one line to standard error, whatever is in it. If even that fails there is nobody left to tell.
pub(crate) fn stderr_line(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", printable(line));
}

/// Writes words for people to standard error.
pub(crate) fn stderr_words(words: &Words) {
    let _ = io::stderr().lock().write_all(words.text.as_bytes());
}

/// `5,620`
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `45 s`, `3 min 20 s`, `2 h 5 min`
pub(crate) fn duration(seconds: f64) -> String {
    // A duration that is not a number shows as 0 s.
    let whole = seconds.round() as u64;
    match whole {
        _ if seconds < 9.95 => format!("{:.1} s", seconds.max(0.0)),
        0..120 => format!("{whole} s"),
        120..7200 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// `7 kB`, `61 MB`, `1.2 GB`
pub(crate) fn bytes(count: u64) -> String {
    match count as f64 / 1e6 {
        mega if mega < 1.0 => format!("{:.0} kB", (1000.0 * mega).max(1.0)),
        mega if mega < 1000.0 => format!("{mega:.0} MB"),
        mega => format!("{:.1} GB", mega / 1000.0),
    }
}

/// `1 row`, `5,620 rows`
pub(crate) fn plural(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// A path as it can be pasted into a shell. What cannot be shown is written as Bash, Zsh and others read it: `$'\x1b'`.
pub(crate) fn shell(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.is_empty() && text.chars().all(plain) => text.to_owned(),
        Ok(text) if printable(text) == text => format!("'{}'", text.replace('\'', r"'\''")),
        _ => {
            let shown = |&byte: &u8| match byte {
                b'\'' | b'\\' => format!("\\{}", char::from(byte)),
                b' '..=b'~' => char::from(byte).to_string(),
                _ => format!("\\x{byte:02x}"),
            };
            format!("$'{}'", bytes.iter().map(shown).collect::<String>())
        }
    }
}

/// A name of the data in a list on the screen, in quotes where it needs them.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r', ';']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!([grouped(7), grouped(5620), grouped(1_234_567)], ["7", "5,620", "1,234,567"]);
        let times = [0.04, 45.2, 200.0, 7_500.0].map(duration);
        assert_eq!(times, ["0.0 s", "45 s", "3 min 20 s", "2 h 5 min"]);
        assert_eq!([bytes(61_400_000), bytes(1_230_000_000)], ["61 MB", "1.2 GB"]);
        assert_eq!([plural(1, "row"), plural(5620, "row")], ["1 row", "5,620 rows"]);
    }

    #[test]
    fn cells_and_paths_survive_quotes() {
        assert_eq!(quoted("a \"b\", c"), "\"a \"\"b\"\", c\"");
        assert_eq!(shell(Path::new("it's here")), r"'it'\''s here'");
        assert_eq!(shell(Path::new("out/a-1.csv")), "out/a-1.csv");
        assert_eq!(shell(Path::new("it's\n\u{202e}\\")), r"$'it\'s\x0a\xe2\x80\xae\\'");
    }
}
