//! What is wrong with a file of settings, in words that name the key and what would be accepted.

use std::ops::Range;
use std::path::Path;

use toml::de::{DeTable, Error};

/// What a kind of value is called, and how one is written.
const KINDS: [(&[&str], &str, &str); 6] = [
    (&["usize", "u64", "u32"], "a whole number, not below 0", "10"),
    (&["u16"], "a whole number from 0 to 1024", "2"),
    (&["f64", "f32"], "a number", "0.5"),
    (&["a boolean"], "true or false", "true"),
    (&["a sequence"], "a list", "[500, 2000]"),
    (&["a string", "path string", "string or table", "variant identifier"], "a text in quotes", "\"…\""),
];

/// Settings that are written in their own way.
const EXAMPLES: [(&str, &str); 13] = [
    ("clusters", "10"),
    ("layers", "[500, 2000]"),
    ("discriminator-layers", "[256]"),
    ("locality-layers", "[256, 256]"),
    ("memory", "\"2GB\""),
    ("temp-limit", "\"100GB\""),
    ("image-size", "\"28x28\""),
    ("convolutional", "\"28x28x1\""),
    ("ignore", "[\"name\", \"date\"]"),
    ("classes", "[\"earn\", \"acq\"]"),
    ("kind", "[\"age=number\", \"city=category\"]"),
    ("weight", "[\"age=2\"]"),
    ("decimal", "\",\""),
];

/// The sentence for an error in the file's text.
pub(super) fn complaint(path: &Path, text: &str, error: &Error) -> String {
    let span = error.span().unwrap_or(0..0);
    let line = 1 + text.get(..span.start).unwrap_or("").matches('\n').count();
    let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
    let problem = match key_at(text, &span) {
        Some(key) => of_value(&key, &message),
        None => format!("it is no TOML ({message}); write a setting a line, as epochs = 10"),
    };
    format!("{}, line {line}: {problem}", path.display())
}

/// The key in whose entry an error lies; nothing where the text is no TOML at all.
fn key_at(text: &str, span: &Range<usize>) -> Option<String> {
    let table = DeTable::parse(text).ok()?;
    let holds = |entry: Range<usize>| entry.contains(&span.start);
    let found = table.get_ref().iter().find(|(key, value)| holds(key.span()) || holds(value.span()));
    found.map(|(key, _)| key.get_ref().to_string())
}

/// From the words of the parser, `invalid type: string "ten", expected usize`.
fn of_value(key: &str, message: &str) -> String {
    if let Some((_, known)) = message.strip_prefix("unknown field ").and_then(|rest| split_expected(rest)) {
        return format!("there is no setting `{key}`; accepted are {known}");
    }
    if let Some((found, known)) =
        message.strip_prefix("unknown variant ").and_then(|rest| split_expected(rest))
    {
        return format!("{key} cannot be {found}; accepted are {known}");
    }
    let wrong = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    match wrong.and_then(split_expected) {
        // Said of a name that is chosen from several.
        None if message == "wanted string or table" => {
            format!("{key} must be a text in quotes; write it as {key} = \"…\"")
        }
        None => format!("{key}: {message}"),
        Some((found, expected)) => {
            let found = found.replace("floating point", "number").replace("sequence", "list");
            let kind = KINDS.iter().find(|(names, ..)| names.contains(&expected));
            let (kind, usual) = kind.map_or((expected, "…"), |(_, kind, example)| (kind, example));
            let own = EXAMPLES.iter().find(|(name, _)| *name == key).map(|(_, example)| *example);
            format!("{key} is the {found}, but must be {kind}; write it as {key} = {}", own.unwrap_or(usual))
        }
    }
}

fn split_expected(message: &str) -> Option<(&str, &str)> {
    let (found, expected) = message.rsplit_once(", expected ")?;
    Some((found, expected.trim_start_matches("one of ")))
}
