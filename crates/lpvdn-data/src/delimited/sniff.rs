//! Guesses about text: where cells end, and whether the first line names them.

use lpvdn_core::table::Decimal;

use super::records::Record;
use crate::columns::parse_number;

/// Candidates, surest first: decimal commas occur in files of semicolons, not the other way round.
const DELIMITERS: [u8; 4] = [b'\t', b';', b',', b'|'];
/// How many lines are looked at.
const LINES: usize = 50;

/// The delimiter that stands equally often on most lines and leaves the most numbers between; of equals the
/// one that the first line has more often; else a comma.
pub(super) fn delimiter(sample: &[u8]) -> u8 {
    let mut lines: Vec<&[u8]> = sample.split(|&b| b == b'\n' || b == b'\r').collect();
    // The sample may end in the middle of a line.
    if lines.len() > 1 {
        lines.pop();
    }
    lines.retain(|line| !line.trim_ascii().is_empty());
    lines.truncate(LINES);
    let Some(first) = lines.first() else { return b',' };
    let candidates = DELIMITERS.into_iter().rev().filter(|&d| count(first, d) > 0);
    let fits = candidates.map(|d| (d, fit(&lines, d), count(first, d)));
    // The last of equals.
    let best = fits.max_by(|a, b| a.1.total_cmp(&b.1).then(a.2.cmp(&b.2)));
    best.map_or(b',', |(delimiter, ..)| delimiter)
}

/// How well a delimiter fits: the part of the lines that have it as often as the first one, and more so the
/// more cells are numbers. A letter `a;b` in every row must not outdo the commas between numbers.
fn fit(lines: &[&[u8]], delimiter: u8) -> f64 {
    let expected = count(lines[0], delimiter);
    let agreeing = lines.iter().filter(|line| count(line, delimiter) == expected).count();
    let cells = || lines.iter().flat_map(|line| cells(line, delimiter));
    let numbers = cells().filter(|cell| may_be_number(cell, delimiter)).count();
    agreeing as f64 / lines.len() as f64 * (1.0 + numbers as f64 / cells().count() as f64)
}

/// The cells of a line, as they stand there.
fn cells(line: &[u8], delimiter: u8) -> impl Iterator<Item = &[u8]> {
    let mut quoted = false;
    line.split(move |&byte| {
        quoted ^= byte == b'"';
        !quoted && byte == delimiter
    })
}

/// Whether a cell is a number, in quotes or not. Between other delimiters it may have a decimal comma.
fn may_be_number(cell: &[u8], delimiter: u8) -> bool {
    let cell = cell.trim_ascii();
    let cell = cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\"")).unwrap_or(cell);
    let decimal = |&byte: &u8| if byte == b',' && delimiter != b',' { b'.' } else { byte };
    is_number(cell) || is_number(&cell.iter().map(decimal).collect::<Vec<u8>>())
}

/// How often `delimiter` occurs outside quotes.
fn count(line: &[u8], delimiter: u8) -> usize {
    cells(line, delimiter).count() - 1
}

/// Whether the first line names the columns.
///
/// It does when all its cells are words; or when at least one is a word above a number or a usual
/// name of a label column, and its numbers are whole and rise, as those of numbered columns do
/// (`0,1,2,label`). A row of values with one bad cell is thus reported rather than taken for names.
pub(super) fn is_header(first: &Record, second: Option<&Record>) -> bool {
    let words: Vec<bool> = first.cells.iter().map(is_word).collect();
    if words.iter().all(|&w| w) {
        return true;
    }
    let above_number = |j: usize| second.and_then(|r| r.cells.get(j)).is_some_and(is_number);
    let named =
        first.cells.iter().enumerate().any(|(j, cell)| words[j] && (above_number(j) || is_label_name(cell)));
    let numbers: Vec<f64> = first.cells.iter().filter_map(number).collect();
    let numbered = numbers.iter().all(|n| *n >= 0.0 && n.fract() == 0.0);
    named && numbered && numbers.windows(2).all(|two| two[0] < two[1])
}

/// Whether no cell of the line is a number or empty, as in a header.
pub(super) fn is_all_words(line: &Record) -> bool {
    line.cells.iter().all(is_word)
}

fn number(cell: &[u8]) -> Option<f64> {
    std::str::from_utf8(cell.trim_ascii()).ok()?.parse().ok()
}

/// Whether a cell is a number in any form.
pub(super) fn is_number(cell: &[u8]) -> bool {
    let text = std::str::from_utf8(cell.trim_ascii());
    text.is_ok_and(|text| {
        parse_number(text, Decimal::Point).is_some() || parse_number(text, Decimal::Comma).is_some()
    })
}

/// Text that begins like a word and is neither a number nor a usual mark for a missing one.
fn is_word(cell: &[u8]) -> bool {
    let missing = [&b"?"[..], b"na", b"n/a", b"#n/a", b"null", b"none", b"missing"];
    let cell = cell.trim_ascii().to_ascii_lowercase();
    // `1,5` and `1.0 2.0` are numbers written in another way.
    let like_a_number = |first: &u8| first.is_ascii_digit() || b"+-.,".contains(first);
    cell.first().is_some_and(|first| !like_a_number(first))
        && !is_number(&cell)
        && !missing.contains(&&cell[..])
}

fn is_label_name(cell: &[u8]) -> bool {
    let names = [&b"label"[..], b"labels", b"class", b"target", b"species"];
    names.contains(&&cell.trim_ascii().to_ascii_lowercase()[..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiter_is_the_one_that_every_line_agrees_on() {
        assert_eq!(delimiter(b"1,2,3\n4,5,6\n"), b',');
        assert_eq!(delimiter(b"1;2\n3;4\n"), b';');
        assert_eq!(delimiter(b"1\t2\r\n3\t4\r\n"), b'\t');
        assert_eq!(delimiter(b"1,5;2,5\n3,5;4,5\n"), b';');
        assert_eq!(delimiter(b"a;b,c\n1,2\n3,4\n"), b',');
        assert_eq!(delimiter(b"\"a;b\",\"c\"\n1,2\n"), b',');
        assert_eq!(delimiter(b"0.5,0,a;b\n1.5,1,a;b\n"), b',', "numbers go before words");
        assert_eq!(delimiter(b"0.5,0,a;b\n1.5,1,a;b\n2,3,c,a;b\n"), b',', "in spite of a wrong line");
        assert_eq!(delimiter(b"a|b\n0.5|0\n1.5|1\n"), b'|');
        assert_eq!(delimiter(b"\"1,5\";2\n\"3,5\";4\n"), b';');
        assert_eq!(delimiter(b"x,y|z\nu,v|w\n"), b',', "a bar is the last to be thought of");
        assert_eq!(delimiter(b"1\n2\n3\n"), b',');
        assert_eq!(delimiter(b""), b',');
    }

    #[test]
    fn names_above_numbers_are_a_header() {
        let header = |text: &[&str]| {
            let mut records = text.iter().map(|line| Record::of(line.split(',').collect()));
            let first = records.next().expect("a line");
            is_header(&first, records.next().as_ref())
        };
        assert!(header(&["a,b", "1,2"]));
        assert!(header(&["a,b,c", "1,2,setosa"]));
        assert!(header(&["0,1,label", "5,4,cat"]));
        assert!(header(&["0,1,x", "5,4,3"]));
        assert!(header(&["a,b"]));
        assert!(!header(&["1,2", "3,4"]));
        assert!(!header(&["5.1,3.5,setosa", "4.9,3.0,setosa"]));
        assert!(!header(&["5,4,?", "5,4,3"]));
        assert!(!header(&["5,4,x", "5,4,3"]), "a bad cell among values that are no column numbers");
        assert!(!header(&["3.2,x", "5,4"]), "a bad cell beside a value that is no column number");
        assert!(!header(&["nan,inf", "3,4"]));
        assert!(!header(&["1.0 2.0", "3.0 4.0"]));
        assert!(header(&["400,402,target", "0.1,0.3,rye"]));
    }
}
