//! Where a token begins and ends.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Whether Python's `re` takes the character for `\w`: a letter, a number or an underscore.
///
/// `char::is_alphanumeric` will not do. It follows Unicode's property Alphabetic, which counts the
/// vowel signs of Indian scripts and circled letters among the letters; Python goes by the
/// category alone, for which they are marks and symbols.
fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    matches!(c.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
}

/// The longest runs of word characters, those shorter than `shortest` characters left out:
/// what the pattern `(?u)\b\w{shortest,}\b` finds.
pub(super) fn tokens(text: &str, shortest: usize) -> impl Iterator<Item = &str> {
    let last_needed = shortest.saturating_sub(1);
    text.split(|c| !is_word(c)).filter(move |run| run.chars().nth(last_needed).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_a_longest_run_of_word_characters() {
        let found: Vec<&str> = tokens("a-bc, d_e\0f9 \u{1F600}xy\u{301}z12", 2).collect();
        assert_eq!(found, ["bc", "d_e", "f9", "xy", "z12"]);
        assert_eq!(tokens("a 猫 in", 1).collect::<Vec<_>>(), ["a", "猫", "in"]);
        assert_eq!(tokens("", 1).count(), 0);
    }
}
