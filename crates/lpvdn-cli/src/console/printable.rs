//! Text that comes from data, as it can be shown: characters that a terminal obeys, or that nobody sees, become visible.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

/// Lines for people. What is written into them may quote data: a line ends only where a call of `writeln!` ends it.
#[derive(Debug, Default)]
pub(crate) struct Words {
    pub(super) text: String,
}

impl Words {
    pub(crate) fn new() -> Words {
        Words::default()
    }

    /// For `write!` and `writeln!`.
    pub(crate) fn write_fmt(&mut self, words: fmt::Arguments<'_>) -> io::Result<()> {
        let words = words.to_string();
        let (line, end) = match words.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (words.as_str(), ""),
        };
        self.text.push_str(&printable(line));
        self.text.push_str(end);
        Ok(())
    }

    /// Text of several lines, which this program has made.
    pub(crate) fn of(text: &str) -> Words {
        let mut words = Words::new();
        words.lines(text);
        words
    }

    /// Adds such a text.
    pub(crate) fn lines(&mut self, text: &str) {
        for line in text.lines() {
            self.text.push_str(&printable(line));
            self.text.push('\n');
        }
    }
}

/// The text with what would act on a terminal, mislead a reader or end the line written as JSON writes it: `\u001b`.
/// Names of columns, classes, rows, words and files, and what other programs say about them, are shown like this.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    text.chars().for_each(|c| push(&mut shown, c));
    Cow::Owned(shown)
}

fn push(shown: &mut String, c: char) {
    match c {
        '\n' => shown.push_str("\\n"),
        '\r' => shown.push_str("\\r"),
        '\t' => shown.push_str("\\t"),
        c if is_hidden(c) => {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| shown.push_str(&format!("\\u{unit:04x}")));
        }
        c => shown.push(c),
    }
}

/// Control characters, those that reorder text, and those without a width.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}'
            // Zero-width characters and marks of direction; separators of lines; embeddings, overrides and isolates.
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            // Annotations and tags.
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Passes text on with everything but the ends of lines as [`printable`] shows it.
pub(super) struct Visible<W> {
    out: W,
    /// The beginning of a character.
    rest: Vec<u8>,
}

impl<W: Write> Visible<W> {
    pub(super) fn new(out: W) -> Visible<W> {
        Visible { out, rest: Vec::new() }
    }

    /// What is left of a character whose end never came is shown, too.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.rest);
        self.show(&String::from_utf8_lossy(&rest))?;
        self.out.flush()
    }

    fn show(&mut self, text: &str) -> io::Result<()> {
        for line in text.split_inclusive('\n') {
            let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
            self.out.write_all(printable(line).as_bytes())?;
            self.out.write_all(end.as_bytes())?;
        }
        Ok(())
    }
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.rest.extend_from_slice(bytes);
        let all = std::mem::take(&mut self.rest);
        let mut left = all.as_slice();
        loop {
            match std::str::from_utf8(left) {
                Ok(text) => {
                    self.show(text)?;
                    break;
                }
                Err(error) => {
                    let (good, bad) = left.split_at(error.valid_up_to());
                    self.show(&String::from_utf8_lossy(good))?;
                    match error.error_len() {
                        None => {
                            self.rest = bad.to_vec();
                            break;
                        }
                        Some(length) => {
                            self.show("\u{fffd}")?;
                            left = &bad[length..];
                        }
                    }
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What data may hold, and as what it is shown.
    const HOSTILE: [(&str, &str); 14] = [
        ("\u{1b}]0;title\u{7}", r"\u001b]0;title\u0007"),
        ("\u{1b}]52;c;bHM=\u{1b}\\", r"\u001b]52;c;bHM=\u001b\"),
        ("\u{1b}[2J\u{1b}[1;31m", r"\u001b[2J\u001b[1;31m"),
        ("\u{9b}2J\u{9d}0;t\u{9c}", r"\u009b2J\u009d0;t\u009c"),
        ("a\u{7f}b\u{8}c\0", r"a\u007fb\u0008c\u0000"),
        ("a\nlpvdn: done", r"a\nlpvdn: done"),
        ("a\r\nb\tc\u{b}\u{c}", r"a\r\nb\tc\u000b\u000c"),
        ("\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}", r"\u202a\u202b\u202c\u202d\u202e"),
        ("\u{2066}\u{2067}\u{2068}\u{2069}", r"\u2066\u2067\u2068\u2069"),
        ("\u{200e}\u{200f}\u{61c}", r"\u200e\u200f\u061c"),
        ("\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}\u{ad}", r"\u200b\u200c\u200d\u2060\ufeff\u00ad"),
        ("\u{2028}\u{2029}\u{85}", r"\u2028\u2029\u0085"),
        ("\u{e0041}", r"\udb40\udc41"),
        ("Grüße, 数据, é, 🦀", "Grüße, 数据, é, 🦀"),
    ];

    #[test]
    fn what_a_terminal_obeys_or_nobody_sees_is_shown_as_an_escape() {
        for (text, shown) in HOSTILE {
            assert_eq!(printable(text), shown);
        }
    }

    #[test]
    fn an_escape_inside_a_json_string_is_still_the_same_string() {
        for (text, _) in HOSTILE {
            let json = serde_json::to_string(text).expect("JSON");
            let again: String = serde_json::from_str(&printable(&json)).expect("JSON");
            assert_eq!(again, text);
        }
    }

    #[test]
    fn data_does_not_end_a_line() {
        let mut words = Words::new();
        let class = "a\nb\r";
        writeln!(words, "class {class}").expect("memory");
        write!(words, "{:>4}", "\u{1b}").expect("memory");
        words.lines("one\ntwo\u{7}\n");
        assert_eq!(words.text, "class a\\nb\\r\n   \\u001bone\ntwo\\u0007\n");
    }

    #[test]
    fn characters_that_come_in_pieces_are_put_together_and_bytes_that_are_none_are_replaced() {
        let all = HOSTILE.map(|(text, _)| text).concat();
        let shown = HOSTILE.map(|(_, shown)| shown).concat();
        // The ends of lines stay.
        let shown = shown.replacen("a\\nlpvdn", "a\nlpvdn", 1).replacen("a\\r\\nb", "a\\r\nb", 1);
        for size in 1..7 {
            let mut out = Vec::new();
            let mut visible = Visible::new(&mut out);
            all.as_bytes().chunks(size).for_each(|piece| visible.write_all(piece).expect("memory"));
            visible.finish().expect("memory");
            assert_eq!(String::from_utf8_lossy(&out), shown, "{size}");
        }
        let mut out = Vec::new();
        let mut visible = Visible::new(&mut out);
        visible.write_all(b"a\xff\x9bb\xe2\x80").expect("memory");
        visible.finish().expect("memory");
        assert_eq!(String::from_utf8_lossy(&out), "a\u{fffd}\u{fffd}b\u{fffd}");
    }
}
