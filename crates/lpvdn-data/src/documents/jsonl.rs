//! JSON Lines: an object a line, with a text or a vector in one of its fields.

use std::path::Path;

use lpvdn_core::{GrowingLabels, RowLines, RowNames};
use serde_json::{Map, Value};

use super::Documents;
use crate::disk::{GrowingRows, Limit};
use crate::error::quoted;
use crate::input::Input;
use crate::lines::Lines;
use crate::open::no_text_options;
use crate::reading::Reading;
use crate::table::Table;
use crate::{DataError, OpenOptions};

/// Fields that hold the text, where nobody names one, and those that hold a vector.
const TEXT_FIELDS: [&str; 8] =
    ["text", "body", "content", "document", "abstract", "review", "message", "title"];
const VECTOR_FIELDS: [&str; 6] = ["embedding", "embeddings", "vector", "values", "features", "x"];

/// What is read of each line.
enum Content {
    Texts,
    Vectors(Vectors),
}

struct Vectors {
    rows: GrowingRows,
    /// The one of this line.
    row: Vec<f32>,
    width: usize,
    /// On which line each row stands.
    lines: RowLines,
}

impl Vectors {
    fn read(&mut self, field: &str, array: &[Value]) -> Result<(), String> {
        let width = self.width;
        if array.len() != width {
            return Err(format!(
                "{field:?} is a vector of {}, on the first line of {width}; all must be of one length",
                array.len()
            ));
        }
        self.row.clear();
        for (j, value) in array.iter().enumerate() {
            let number = value.as_f64().ok_or_else(|| format!("{field:?}[{j}] is {value}, no number"))?;
            self.row.push(number as f32);
        }
        Ok(())
    }

    fn keep(&mut self, line: u64) -> Result<(), DataError> {
        self.lines.push(line);
        let row = self.rows.rows();
        self.rows.add(1, 0.0)?;
        self.rows.cells(row, 0..self.width).copy_from_slice(&self.row);
        Ok(())
    }
}

struct Reader<'a> {
    options: &'a OpenOptions,
    field: String,
    content: Content,
    texts: Vec<String>,
    labels: GrowingLabels,
    ids: RowNames,
}

/// Whether text that begins so is an object a line. A `.json` may be a single one, which is none.
pub(crate) fn recognises(sample: &[u8], extension: &str) -> bool {
    let mut lines = sample.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let first = lines.next().is_some_and(|line| line.starts_with(b"{") && object(line).is_ok());
    first && (extension != "json" || lines.next().is_some_and(|line| line.starts_with(b"{")))
}

/// Reads texts or vectors, whichever the first line has.
pub(crate) fn read(input: Input<'static>, options: &OpenOptions) -> Result<Table, DataError> {
    let mut lines = Lines::new(input);
    let mut reader: Option<Reader<'_>> = None;
    while lines.advance()? {
        if lines.line().is_empty() {
            continue;
        }
        let object = object(lines.line()).map_err(|problem| lines.wrong(problem))?;
        if reader.is_none() {
            let first = Reader::for_first(lines.path(), &object, options);
            let first = first.map_err(|problem| lines.wrong(problem))?;
            if matches!(first.content, Content::Vectors(_)) {
                // The field may be named; how words are counted says nothing here.
                no_text_options(lines.path(), &OpenOptions { text_field: None, ..options.clone() })?;
            }
            reader = Some(first);
        }
        if let Some(reader) = &mut reader {
            reader.push(&object).map_err(|problem| lines.wrong(problem))?;
            if let Content::Vectors(vectors) = &mut reader.content {
                vectors.keep(lines.number())?;
            }
        }
    }
    let nothing = || DataError::Nothing { path: lines.path().to_owned(), what: "objects", hint: "" };
    reader.ok_or_else(nothing)?.finish(&lines)
}

fn object(line: &[u8]) -> Result<Map<String, Value>, String> {
    match serde_json::from_slice(line) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(format!("{} is no object; accepted is such as {{\"text\": \"…\"}}", quoted(line))),
        // Its line is always the first.
        Err(e) => Err(format!("it is no JSON object of one line ({})", e.to_string().replace("line 1 ", ""))),
    }
}

impl<'a> Reader<'a> {
    /// By the field that is named, or one that is usually called so.
    fn for_first(
        path: &Path,
        object: &Map<String, Value>,
        options: &'a OpenOptions,
    ) -> Result<Reader<'a>, String> {
        let of = |field: &str, content| {
            let (texts, labels, ids) = (Vec::new(), GrowingLabels::default(), RowNames::default());
            Ok(Reader { options, field: field.to_owned(), content, texts, labels, ids })
        };
        let vectors = |width| {
            let rows = GrowingRows::new(Limit::of(path, options), width);
            Content::Vectors(Vectors { rows, row: Vec::new(), width, lines: RowLines::default() })
        };
        let known = match &options.reading {
            Some(Reading::Text(known)) => known.field.as_ref(),
            _ => None,
        };
        let fields = match options.text_field.as_ref().or(known) {
            Some(field) => vec![field.as_str()],
            None => TEXT_FIELDS.iter().chain(&VECTOR_FIELDS).copied().collect(),
        };
        for field in fields {
            match object.get(field) {
                Some(Value::String(_)) => return of(field, Content::Texts),
                Some(Value::Array(array)) if !array.is_empty() => return of(field, vectors(array.len())),
                _ => {}
            }
        }
        let found: Vec<String> = object.keys().take(12).map(|key| quoted(key.as_bytes())).collect();
        Err(match &options.text_field {
            Some(field) => format!("there is no text or vector in {field:?}; it has {}", found.join(", ")),
            None => format!(
                "which field holds the text or the vector is not known; name it with --text-field: it has {}",
                found.join(", ")
            ),
        })
    }

    fn push(&mut self, object: &Map<String, Value>) -> Result<(), String> {
        let field = &self.field;
        match (&mut self.content, object.get(field)) {
            (Content::Texts, Some(Value::String(text))) => self.texts.push(text.clone()),
            (Content::Vectors(vectors), Some(Value::Array(array))) => vectors.read(field, array)?,
            (Content::Texts, _) => return Err(format!("{field:?} is no text, as it is on the first line")),
            (Content::Vectors(_), _) => {
                return Err(format!("{field:?} is no list of numbers, as it is on the first line"));
            }
        }
        if let Some(field) = &self.options.label_column {
            self.labels.push(&word(object, field)?);
        }
        if let Some(field) = &self.options.id_column {
            self.ids.push(&word(object, field)?);
        }
        Ok(())
    }

    fn finish(self, lines: &Lines) -> Result<Table, DataError> {
        let labels = (!self.labels.is_empty()).then(|| self.labels.finish());
        let ids = (!self.ids.is_empty()).then_some(self.ids);
        match self.content {
            Content::Texts => Documents { texts: self.texts, labels, ids, field: Some(self.field) }
                .into_table(lines.path(), self.options),
            Content::Vectors(vectors) => {
                let rows = vectors.rows.finish(vectors.width)?.into_rows();
                Ok(Table { labels, ids, lines: Some(vectors.lines), ..rows.into() })
            }
        }
    }
}

/// A field that names something: text, a number or a truth.
fn word(object: &Map<String, Value>, field: &str) -> Result<String, String> {
    match object.get(field) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => Ok(value.to_string()),
        Some(_) => Err(format!("{field:?} is neither a word nor a number")),
        None => Err(format!("there is no {field:?}")),
    }
}
