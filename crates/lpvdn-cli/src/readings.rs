//! How rows were made, for people and for programs.

use lpvdn_data::Reading;
use lpvdn_data::reading::{ImagesReading, TextReading};
use serde_json::{Value, json};

use crate::console::{grouped, plural, quoted};

/// What there is to say about pictures and texts: a word for the line, and the rest of it. `rows` were read so.
pub(crate) fn line(reading: Option<&Reading>, rows: usize) -> Option<(&'static str, String)> {
    match reading? {
        Reading::Images(images) => Some(("pictures", pictures(images, rows))),
        Reading::Text(text) => Some(("terms", terms(text))),
        Reading::Table(_) | Reading::Pairs(_) | Reading::Selected(_) => None,
    }
}

fn pictures(images: &ImagesReading, rows: usize) -> String {
    let ImagesReading { width, height, fit, resized, .. } = images;
    let shape = format!("{width}x{height} in {}", color(images));
    match resized {
        Some(0) => format!("{shape}, the size of all of them"),
        Some(resized) => {
            let (resized, all) = (grouped(*resized), plural(rows, "picture"));
            format!("{shape}; {resized} of {all} had another size and are brought to it {}", fit.in_words())
        }
        None => format!("{shape}; those of another size are brought to it {}", fit.in_words()),
    }
}

fn color(images: &ImagesReading) -> &'static str {
    if images.channels == 1 { "grey" } else { "colour" }
}

/// How many there are, the first of them, and where they come from.
fn terms(text: &TextReading) -> String {
    let terms = text.vectorizer.terms();
    let shown: Vec<&str> = terms.iter().take(8).map(String::as_str).collect();
    let more = if terms.len() > shown.len() { ", …" } else { "" };
    let others = text.table.as_ref().map_or(0, |table| table.others.columns.len());
    let after = match others {
        0 => String::new(),
        others => format!(", after the values of {}", plural(others, "other column")),
    };
    let of = match (&text.field, &text.table) {
        (Some(field), Some(_)) => format!(" (of column {}{after})", quoted(field)),
        (Some(field), None) => format!(" (of field {})", quoted(field)),
        (None, Some(table)) => format!(" (of column {}{after})", table.place),
        (None, None) => String::new(),
    };
    format!("{}: {}{more}{of}", grouped(terms.len()), shown.join(", "))
}

/// The same for programs.
pub(crate) fn facts(reading: Option<&Reading>) -> Value {
    match reading {
        Some(Reading::Images(images)) => json!({
            "kind": "images",
            "width": images.width,
            "height": images.height,
            "color": color(images),
            "fit": images.fit,
            "resized": images.resized,
        }),
        Some(Reading::Text(text)) => json!({
            "kind": "text",
            "terms": text.vectorizer.terms().len(),
            "field": text.field,
            "other_columns": text.table.as_ref().map(|table| table.others.columns.len()),
        }),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lpvdn_data::ImageFit;

    #[test]
    fn pictures_are_described_by_shape_colour_and_what_became_of_other_sizes() {
        let images =
            |resized| ImagesReading { width: 28, height: 20, channels: 3, fit: ImageFit::Crop, resized };
        let words = |resized| line(Some(&Reading::Images(images(resized))), 9).expect("a line").1;
        assert_eq!(words(Some(0)), "28x20 in colour, the size of all of them");
        assert!(words(Some(4)).starts_with("28x20 in colour; 4 of 9 pictures had another size"));
        assert!(words(Some(4)).contains("by their centre"));
        assert!(words(None).contains("those of another size are brought to it by their centre"));
        assert_eq!(facts(Some(&Reading::Images(images(Some(4)))))["fit"], "crop");
    }
}
