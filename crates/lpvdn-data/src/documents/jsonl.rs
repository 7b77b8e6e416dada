//! JSON Lines: an object a line, with a text or a vector in one of its fields.

use std::fmt;
use std::path::Path;

use lpvdn_core::RowLines;
use lpvdn_core::table::{self, Tally};
use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value};

use super::{Documents, EmptyTexts, Texts};
use crate::budget::Account;
use crate::described::{ChargedLabels, ChargedNames};
use crate::disk::{GrowingRows, Limit};
use crate::error::{NOT_UTF8, quoted};
use crate::input::Input;
use crate::lines::Lines;
use crate::open::no_text_options;
use crate::reading::Reading;
use crate::similar::did_you_mean;
use crate::table::Table;
use crate::{DataError, Note, OpenOptions};

/// Fields that hold the text, where nobody names one, and those that hold a vector.
const TEXT_FIELDS: [&str; 8] =
    ["text", "body", "content", "document", "abstract", "review", "message", "title"];
const VECTOR_FIELDS: [&str; 6] = ["embedding", "embeddings", "vector", "values", "features", "x"];

/// What is read of each line.
enum Content {
    Texts,
    Vectors(Box<Vectors>),
}

struct Vectors {
    rows: GrowingRows,
    /// The one of this line.
    row: Vec<f32>,
    width: usize,
    /// Of each number.
    tallies: Vec<Tally>,
    /// On which line each row stands.
    lines: RowLines,
    /// For the lines.
    account: Account,
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
            let number = table::Number::from(number);
            self.tallies[j].add(number);
            self.row.push(number.kept);
        }
        Ok(())
    }

    fn keep(&mut self, line: u64) -> Result<(), DataError> {
        self.lines.push(line);
        self.account.set(2 * self.lines.memory() as u64, "on which line each row stands")?;
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
    texts: Texts,
    empty: EmptyTexts,
    labels: ChargedLabels,
    ids: ChargedNames,
}

/// Whether text that begins so is an object a line. A `.json` may be a single one, which is none.
pub(crate) fn recognises(sample: &[u8], extension: &str) -> bool {
    let mut lines = sample.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let first = lines.next().is_some_and(|line| line.starts_with(b"{") && is_json(line));
    first && (extension != "json" || lines.next().is_some_and(|line| line.starts_with(b"{")))
}

/// Reads texts or vectors, whichever the first line has.
pub(crate) fn read(input: Input<'static>, options: &OpenOptions) -> Result<Table, DataError> {
    let mut lines = Lines::new(input);
    let mut reader: Option<Reader<'_>> = None;
    let mut parsed = options.budget.account(lines.path());
    while lines.advance()? {
        if lines.line().is_empty() {
            continue;
        }
        parsed.set(parsed_bytes(lines.line()), format_args!("the values of line {}", lines.number()))?;
        let object = object(lines.line()).map_err(|problem| lines.wrong(problem))?;
        if reader.is_none() {
            let first = Reader::for_first(lines.path(), &object, options);
            let is_named = options.text_field.is_some() || options.text_column.is_some();
            let first = first?.map_err(|problem| match is_named {
                true => lines.wrong(problem),
                false => DataError::NoTextField {
                    path: lines.path().to_owned(),
                    line: lines.number(),
                    found: problem,
                },
            })?;
            if matches!(first.content, Content::Vectors(_)) {
                // The field may be named; how words are counted says nothing here.
                no_text_options(lines.path(), &OpenOptions { text_field: None, ..options.clone() })?;
            }
            reader = Some(first);
        }
        if let Some(reader) = &mut reader {
            if !reader.admits(&object, lines.number())? {
                continue;
            }
            reader.push(&object)?.map_err(|problem| lines.wrong(problem))?;
            if let Content::Vectors(vectors) = &mut reader.content {
                vectors.keep(lines.number())?;
            }
        }
    }
    let nothing = || DataError::Nothing { path: lines.path().to_owned(), what: "objects", hint: "" };
    reader.ok_or_else(nothing)?.finish(&lines)
}

/// What the values of a line take at most: each list, object and element has a place in a vector or a map, however
/// few letters it has.
fn parsed_bytes(line: &[u8]) -> u64 {
    let place = |byte: &u8| match byte {
        b',' | b':' => 2 * size_of::<Value>() as u64 + size_of::<String>() as u64,
        b'[' => 5 * size_of::<Value>() as u64,
        // A node of a map has room for eleven fields.
        b'{' => 12 * (size_of::<Value>() + size_of::<String>()) as u64,
        _ => 0,
    };
    line.iter().map(place).sum::<u64>() + 2 * line.len() as u64
}

fn is_json(line: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

fn object(line: &[u8]) -> Result<Map<String, Value>, String> {
    if std::str::from_utf8(line).is_err() {
        return Err(NOT_UTF8.to_owned());
    }
    // Its line is always the first.
    let shown = |error: serde_json::Error| error.to_string().replace("line 1 ", "");
    match serde_json::from_slice(line) {
        Ok(Object(object)) => Ok(object),
        Err(_) if !line.starts_with(b"{") && is_json(line) => {
            Err(format!("{} is no object; accepted is such as {{\"text\": \"…\"}}", quoted(line)))
        }
        Err(error) if error.is_data() => Err(shown(error)),
        Err(error) => Err(format!("it is no JSON object of one line ({})", shown(error))),
    }
}

/// An object each of whose fields stands there once: of two, nobody knows which is meant.
struct Object(Map<String, Value>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Object, D::Error> {
        from.deserialize_map(Fields).map(Object)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Map<String, Value>, A::Error> {
        let mut object = Map::new();
        while let Some((name, value)) = fields.next_entry::<String, Value>()? {
            if object.contains_key(&name) {
                let name = quoted(name.as_bytes());
                return Err(A::Error::custom(format!("the field {name} stands there twice; remove the one")));
            }
            object.insert(name, value);
        }
        Ok(object)
    }
}

impl<'a> Reader<'a> {
    /// By the field that is named, or one that is usually called so. Else what is wrong with the one that is named, or
    /// which fields there are.
    fn for_first(
        path: &Path,
        object: &Map<String, Value>,
        options: &'a OpenOptions,
    ) -> Result<Result<Reader<'a>, String>, DataError> {
        let budget = &options.budget;
        let of = |field: &str, content| {
            let (labels, ids) = (ChargedLabels::new(path, budget), ChargedNames::new(path, budget));
            let (texts, empty) = (Texts::new(path, options), EmptyTexts::new(path, options));
            Ok(Ok(Reader { options, field: field.to_owned(), content, texts, empty, labels, ids }))
        };
        let vectors = |width: usize| {
            let bytes = (width * (size_of::<Tally>() + 2 * size_of::<f32>())) as u64;
            budget.charge(path, bytes, format_args!("vectors of {width} numbers"))?;
            let rows = GrowingRows::new(Limit::of(path, options), width);
            let (row, tallies, lines) = (Vec::new(), vec![Tally::default(); width], RowLines::default());
            let account = budget.account(path);
            Ok::<_, DataError>(Content::Vectors(Box::new(Vectors {
                rows,
                row,
                width,
                tallies,
                lines,
                account,
            })))
        };
        let known = match &options.reading {
            Some(Reading::Text(known)) => known.field.as_ref(),
            _ => None,
        };
        let asked = options.text_field.as_ref().or(options.text_column.as_ref());
        let fields = match asked.or(known) {
            Some(field) => vec![field.as_str()],
            None => TEXT_FIELDS.iter().chain(&VECTOR_FIELDS).copied().collect(),
        };
        for &field in &fields {
            match object.get(field) {
                Some(Value::String(_)) => return of(field, Content::Texts),
                Some(Value::Array(array)) if !array.is_empty() => return of(field, vectors(array.len())?),
                _ => {}
            }
        }
        // A null may stand for a text where texts are sure to follow.
        let texts = options.empty_text.is_some() || matches!(options.reading, Some(Reading::Text(_)));
        if let Some(field) = fields.iter().find(|field| texts && object.get(**field) == Some(&Value::Null)) {
            return of(field, Content::Texts);
        }
        let found: Vec<String> = object.keys().take(12).map(|key| quoted(key.as_bytes())).collect();
        Ok(Err(match asked {
            Some(field) => {
                let meant = did_you_mean(field, object.keys().map(String::as_str));
                format!("there is no text or vector in {field:?}{meant}it has {}", found.join(", "))
            }
            None => found.join(", "),
        }))
    }

    /// Whether a line is to be read, by its text. Where nobody says what is done about rows without a text, `""` is one
    /// without words, and only a null is an error.
    fn admits(&mut self, object: &Map<String, Value>, line: u64) -> Result<bool, DataError> {
        let is_empty = match (&self.content, object.get(&self.field)) {
            (Content::Vectors(_), _) => false,
            (Content::Texts, None | Some(Value::Null)) => true,
            (Content::Texts, Some(Value::String(text))) => {
                self.options.empty_text.is_some() && text.trim().is_empty()
            }
            (Content::Texts, Some(_)) => false,
        };
        let field = &self.field;
        self.empty.admit(is_empty, || format!("line {line}, field {}", quoted(field.as_bytes())))
    }

    /// Takes in a line; an error in words is one of this line.
    fn push(&mut self, object: &Map<String, Value>) -> Result<Result<(), String>, DataError> {
        let (label, id) = match self.take(object) {
            Ok(named) => named,
            Err(problem) => return Ok(Err(problem)),
        };
        match (&self.content, object.get(&self.field)) {
            (Content::Texts, Some(Value::String(text))) => self.texts.push(text)?,
            (Content::Texts, _) => self.texts.push("")?,
            (Content::Vectors(_), _) => {}
        }
        label.iter().try_for_each(|label| self.labels.push(label))?;
        id.iter().try_for_each(|id| self.ids.push(id))?;
        Ok(Ok(()))
    }

    /// Reads a vector, and what class and what name the row has.
    fn take(&mut self, object: &Map<String, Value>) -> Result<(Option<String>, Option<String>), String> {
        let field = &self.field;
        match (&mut self.content, object.get(field)) {
            // A null has been admitted.
            (Content::Texts, Some(Value::String(_) | Value::Null) | None) => {}
            (Content::Vectors(vectors), Some(Value::Array(array))) => vectors.read(field, array)?,
            (Content::Texts, _) => return Err(format!("{field:?} is no text, as it is on the first line")),
            (Content::Vectors(_), _) => {
                return Err(format!("{field:?} is no list of numbers, as it is on the first line"));
            }
        }
        let label = self.options.label_column.as_ref().map(|field| match word(object, field)? {
            label if label.trim().is_empty() => {
                Err(format!("{field:?} is empty; fill in the class, or remove the line"))
            }
            label => Ok(label),
        });
        let id = self.options.id_column.as_ref().map(|field| word(object, field));
        Ok((label.transpose()?, id.transpose()?))
    }

    fn finish(self, lines: &Lines) -> Result<Table, DataError> {
        let labels = (!self.labels.is_empty()).then(|| self.labels.finish());
        let ids = (!self.ids.is_empty()).then(|| self.ids.finish());
        match self.content {
            Content::Texts => {
                let (texts, ids, field) = (self.texts, self.empty.names(ids)?, Some(self.field));
                let documents = Documents { texts, labels, ids, field, others: None };
                let mut table = documents.into_table(lines.path(), self.options)?;
                table.notes.extend(self.empty.note());
                Ok(table)
            }
            Content::Vectors(vectors) => {
                let doubts = vectors.tallies.iter().map(Tally::doubt).enumerate();
                let note =
                    |(j, doubt): (usize, Option<String>)| Some(format!("{:?}[{j}]: {}", self.field, doubt?));
                let notes = doubts.filter_map(note).map(Note::from).collect();
                let rows = vectors.rows.finish(vectors.width)?.into_rows();
                Ok(Table { labels, ids, lines: Some(vectors.lines), notes, ..rows.into() })
            }
        }
    }
}

/// A field that names something: text, a number or a truth.
fn word(object: &Map<String, Value>, field: &str) -> Result<String, String> {
    match object.get(field) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Number(number)) => Ok(shown(number)),
        Some(Value::Bool(truth)) => Ok(truth.to_string()),
        Some(_) => Err(format!("{field:?} is neither a word nor a number")),
        None => Err(format!("there is no {field:?}")),
    }
}

/// A number in one way, however it is written: 1 and 1.0 name the same.
fn shown(number: &Number) -> String {
    /// From here on, 64-bit numbers leave out some whole ones.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        Some(value) if number.is_f64() && value.fract() == 0.0 && value.abs() < EXACT => {
            (value as i64).to_string()
        }
        _ => number.to_string(),
    }
}
