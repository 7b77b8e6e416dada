//! What a word that is not known may have been meant as.

/// Longer words are not compared, nor more than so many.
const LONGEST: usize = 60;
const MOST: usize = 10_000;

/// The one of `known` that is most like `asked`: the same but for case, blanks and dashes, or with few letters changed.
pub(crate) fn similar<'a>(asked: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = plain(asked);
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    // A short word is like any other.
    let most = if wanted.len() < 3 { 0 } else { 1 + wanted.len() / 6 };
    let distance = |name: &&'a str| {
        let name = plain(name);
        (name.len().abs_diff(wanted.len()) <= most && name.len() <= LONGEST + most)
            .then(|| distance(&wanted, &name))
    };
    let all = known.into_iter().take(MOST).filter_map(|name| Some((distance(&name)?, name)));
    all.filter(|(distance, _)| *distance <= most).min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// `; did you mean "Species"? `, or only what stands before the rest of the sentence.
pub(crate) fn did_you_mean<'a>(asked: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let question = |name: &str| format!("; did you mean {}? ", crate::error::quoted(name.as_bytes()));
    similar(asked, known).map_or_else(|| "; ".to_owned(), question)
}

/// The letters that count.
fn plain(word: &str) -> Vec<char> {
    let counts = |c: &char| !c.is_whitespace() && !matches!(c, '_' | '-' | '.');
    word.chars().filter(counts).flat_map(char::to_lowercase).take(LONGEST + 20).collect()
}

/// How many letters must be changed, added, left out or swapped with the next one.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = [vec![0; b.len() + 1], (0..=b.len()).collect::<Vec<_>>(), vec![0; b.len() + 1]];
    for i in 1..=a.len() {
        rows[2][0] = i;
        for j in 1..=b.len() {
            let changed = rows[1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(rows[1][j] + 1).min(rows[2][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[0][j - 2] + 1);
            }
            rows[2][j] = least;
        }
        rows.rotate_left(1);
    }
    rows[1][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_hand_are_recognised_and_other_words_are_not() {
        let known = ["Species", "petal length", "petal_width", "a", "id", "Ort"];
        for (asked, meant) in [
            ("species", Some("Species")),
            ("specis", Some("Species")),
            ("spceies", Some("Species")),
            (" Species ", Some("Species")),
            ("petal_length", Some("petal length")),
            ("PetalWidth", Some("petal_width")),
            ("petal-widht", Some("petal_width")),
            ("A", Some("a")),
            ("b", None),
            ("ix", None),
            ("ort", Some("Ort")),
            ("colour", None),
            ("", None),
            ("   ", None),
        ] {
            assert_eq!(similar(asked, known), meant, "{asked:?}");
        }
        let long = "x".repeat(5_000);
        assert_eq!(similar(&long, [long.as_str()]), None);
    }
}
