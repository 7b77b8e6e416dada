//! Whether text is svmlight, when its name does not say so.

use super::{index, split_label, split_pair, uncommented};
use crate::lines::{number, words};

/// How many lines are looked at.
const LINES: usize = 50;

/// Whether a file that begins so clearly is svmlight: each line is a number, or numbers with commas
/// between them, and then pairs `index:value` alone; and there is at least one pair.
pub(crate) fn recognises(sample: &[u8]) -> bool {
    let sample = sample.strip_prefix(b"\xef\xbb\xbf").unwrap_or(sample);
    let mut lines: Vec<&[u8]> = sample.split(|&byte| byte == b'\n').collect();
    // The sample may end in the middle of a line; if it has only one, in the middle of a pair.
    let last = lines.pop().unwrap_or_default();
    if lines.is_empty() {
        lines.push(without_last_word(last));
    }
    let lines = lines.into_iter().map(uncommented).filter(|line| words(line).next().is_some());
    let mut pairs = 0;
    for line in lines.take(LINES) {
        let (label, rest) = split_label(line);
        if !label.is_none_or(is_label) {
            return false;
        }
        for word in rest {
            if !is_pair(word) {
                return false;
            }
            pairs += 1;
        }
    }
    pairs > 0
}

fn without_last_word(line: &[u8]) -> &[u8] {
    if words(line).count() < 3 {
        return line;
    }
    let end = line.trim_ascii_end().iter().rposition(u8::is_ascii_whitespace);
    &line[..end.unwrap_or(line.len())]
}

fn is_label(word: &[u8]) -> bool {
    word.split(|&byte| byte == b',').all(|part| number::<f64>(part).is_some())
}

fn is_pair(word: &[u8]) -> bool {
    match split_pair(word) {
        Some((b"qid", value)) => index(value).is_some(),
        Some((place, value)) => index(place).is_some() && number::<f32>(value).is_some(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::recognises;

    #[test]
    fn labels_and_pairs_are_svmlight_and_nothing_else_is() {
        for yes in [
            "1 3:0.5",
            "+1 1:1 2:2\n-1\n-1 7:1e-3\n",
            "# a comment\n1,2 1:1 # another\n 4:1\n",
            "3:1 4:nan\n",
            "2 qid:1 1:0.1\n",
            "1 3:0.5 4:1 5:", // cut off in the middle of a pair
        ] {
            assert!(recognises(yes.as_bytes()), "{yes:?}");
        }
        for no in [
            "",
            "1\n2\n3\n",
            "1 2 3\n4 5 6\n",
            "time\n12:30\n",
            "2020-01-01 12:30\n2020-01-02 12:31\n",
            "12:30:00 1:5\n",
            "1,12:30\n2,12:31\n",
            "a 1:2\n",
            "1 -3:2\n",
            "1 3:x\n",
            "key: value\n",
        ] {
            assert!(!recognises(no.as_bytes()), "{no:?}");
        }
    }
}
