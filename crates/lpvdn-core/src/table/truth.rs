//! Words for true and false.

/// Pairs of words that deny each other, the word for 0 first.
const PAIRS: [[&str; 2]; 4] = [["false", "true"], ["no", "yes"], ["n", "y"], ["f", "t"]];

/// Programs differ in how they write a truth: `true`, `True`, `TRUE`.
pub fn is_truth(text: &str) -> bool {
    PAIRS[0].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether a word means true or false, in any of the usual ways to write it.
pub fn truth_of(text: &str) -> Option<bool> {
    let place = |pair: &[&str; 2]| pair.iter().position(|word| text.eq_ignore_ascii_case(word));
    PAIRS.iter().find_map(place).map(|place| place == 1)
}

/// Which of two words means 0 and which 1, where they are such a pair.
pub(super) fn pair<'a>(one: &'a str, other: &'a str) -> Option<(&'a str, &'a str)> {
    let is = |word: &str, [no, yes]: &[&str; 2], denies: bool| {
        word.eq_ignore_ascii_case(if denies { no } else { yes })
    };
    PAIRS.iter().find_map(|pair| match () {
        () if is(one, pair, true) && is(other, pair, false) => Some((one, other)),
        () if is(other, pair, true) && is(one, pair, false) => Some((other, one)),
        () => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_words_are_a_pair_only_if_they_deny_each_other() {
        assert_eq!(pair("Yes", "No"), Some(("No", "Yes")));
        assert_eq!(pair("f", "t"), Some(("f", "t")));
        assert_eq!(pair("TRUE", "false"), Some(("false", "TRUE")));
        for (one, other) in [("yes", "yes"), ("y", "no"), ("m", "f"), ("true", "t"), ("yes", "maybe")] {
            assert_eq!(pair(one, other), None, "{one} {other}");
        }
        assert_eq!((truth_of("Y"), truth_of("FALSE"), truth_of("1")), (Some(true), Some(false), None));
    }
}
