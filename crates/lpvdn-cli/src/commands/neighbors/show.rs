//! Neighbours as a table, as JSON, or as pictures.

use std::io::{self, Write};
use std::path::Path;

use lpvdn_data::atomic_write;
use lpvdn_report::figure::{PictureRow, Pictures, Shown as Framed};
use lpvdn_report::{Drawn, Figure};
use serde_json::{Value, json};

use super::found::Found;
use super::queries::Queries;
use crate::commands::plot::ending_of;
use crate::commands::subject::Subject;
use crate::console::{self, Words, printable};
use crate::failure::Failure;

pub(super) struct Shown<'a> {
    pub(super) subject: &'a Subject,
    pub(super) queries: &'a Queries,
    pub(super) found: &'a Found,
    /// Of all rows.
    pub(super) clusters: &'a [u32],
}

/// What is known of a row.
struct Known<'a> {
    cluster: u32,
    id: Option<&'a str>,
    label: Option<&'a str>,
    text: Option<&'a str>,
}

impl Shown<'_> {
    fn known(&self, row: u32) -> Known<'_> {
        let cluster = self.clusters[row as usize];
        let (data, row) = (&self.subject.data, row as usize);
        let label = data.labels.as_ref().map(|labels| labels.names[labels.codes[row] as usize].as_str());
        let text = self.subject.texts.as_ref().and_then(|texts| texts.get(row)).map(String::as_str);
        Known { cluster, id: data.ids.as_ref().and_then(|ids| ids.get(row)), label, text }
    }

    pub(super) fn json(&self) -> Result<(), Failure> {
        let neighbor = |&(row, distance): &(u32, f32)| {
            let known = self.known(row);
            let mut entry = json!({ "row": row, "distance": distance, "cluster": known.cluster });
            for (key, value) in [("id", known.id), ("label", known.label), ("text", known.text)] {
                if let Some(value) = value {
                    entry[key] = Value::from(value);
                }
            }
            entry
        };
        let of = |query: usize| -> Value {
            let all: Vec<Value> = self.found.near[query].iter().map(neighbor).collect();
            json!({ "query": self.queries.names[query], "row": self.queries.rows[query], "neighbors": all })
        };
        let queries: Vec<Value> = (0..self.queries.names.len()).map(of).collect();
        let mut whole = json!({ "data": self.subject.data.name, "queries": queries });
        if let Some(recall) = self.found.recall {
            whole["recall"] = Value::from(recall);
        }
        console::stdout(|out| writeln!(out, "{whole}"))
    }

    pub(super) fn table(&self) -> Result<(), Failure> {
        let mut words = Words::new();
        self.write(&mut words).map_err(|e| Failure::writing("standard output", e))?;
        console::stdout_words(&words)?;
        if let Some(recall) = self.found.recall {
            console::stderr_line(&format!("the index finds {:.1} % of the nearest rows", 100.0 * recall));
        }
        Ok(())
    }

    fn write(&self, out: &mut Words) -> io::Result<()> {
        for (query, name) in self.queries.names.iter().enumerate() {
            if query > 0 {
                writeln!(out)?;
            }
            writeln!(out, "{name}")?;
            self.lines(query, out)?;
        }
        Ok(())
    }

    fn lines(&self, query: usize, out: &mut Words) -> io::Result<()> {
        let data = &self.subject.data;
        let more = [("id", data.ids.is_some()), ("label", data.labels.is_some())];
        write!(out, "{:>10}  {:>9}  {:>7}", "row", "distance", "cluster")?;
        let widths = self.widths(query);
        let names = more.iter().filter(|(_, known)| *known);
        names.zip(&widths).try_for_each(|((name, _), width)| write!(out, "  {name:<width$}"))?;
        writeln!(out)?;
        for &(row, distance) in &self.found.near[query] {
            let known = self.known(row);
            write!(out, "{row:>10}  {distance:>9.4}  {:>7}", known.cluster)?;
            let words = [known.id, known.label].into_iter().flatten();
            words.zip(&widths).try_for_each(|(word, width)| write!(out, "  {:<width$}", printable(word)))?;
            known.text.map_or(Ok(()), |text| write!(out, "  {}", printable(text)))?;
            writeln!(out)?;
        }
        Ok(())
    }

    /// How wide ids and labels are, as far as there are some.
    fn widths(&self, query: usize) -> Vec<usize> {
        let widest = |of: &dyn Fn(Known<'_>) -> Option<usize>| {
            let all = self.found.near[query].iter().map(|&(row, _)| of(self.known(row)));
            all.flatten().max().map(|width| width.clamp(5, 40))
        };
        let letters = |word: &str| printable(word).chars().count();
        [widest(&|known| known.id.map(letters)), widest(&|known| known.label.map(letters))]
            .into_iter()
            .flatten()
            .collect()
    }

    /// A line of pictures for each query; those of its class in a whole frame, others in a broken one.
    pub(super) fn sheet(&self, path: &Path) -> Result<(), Failure> {
        let ending = ending_of(path)?;
        let (data, model) = (&self.subject.data, &self.subject.model);
        let Some(drawn) = Drawn::of(data, model.pixels()) else {
            return Err(Failure::Failed(format!(
                "{}: its rows are no pictures; leave --sheet out",
                data.name
            )));
        };
        let mut from_files = Vec::new();
        for file in &self.queries.files {
            let rows: Vec<u32> = (0..file.rows() as u32).collect();
            from_files.extend(drawn.pictures(file, &rows)?);
        }
        let mut from_files = from_files.into_iter();
        let mut lines = Vec::new();
        for (query, near) in self.found.near.iter().enumerate() {
            let own = match self.queries.rows[query] {
                Some(row) => drawn.pictures(data, &[row])?.into_iter().next(),
                None => from_files.next(),
            };
            let rows: Vec<u32> = near.iter().map(|(row, _)| *row).collect();
            let frames = rows.iter().map(|&row| self.frame(query, row));
            let near = drawn.pictures(data, &rows)?.into_iter().zip(frames);
            let pictures = own.into_iter().map(|picture| (picture, Framed::Plain)).chain(near).collect();
            lines.push(PictureRow { name: self.queries.names[query].clone(), pictures });
        }
        let note = match data.labels {
            Some(_) => "Whole frames: the same class; broken: another.",
            None => "The row, then those nearest.",
        };
        let figure = Figure::new(format!("Nearest neighbours: {}", data.name))
            .note(note)
            .panel(Pictures::new("", Vec::new(), lines));
        let bytes = ending.bytes(&figure)?;
        Ok(atomic_write(path, |out| out.write_all(&bytes))?)
    }

    fn frame(&self, query: usize, row: u32) -> Framed {
        match (self.queries.rows[query], &self.subject.data.labels) {
            (Some(own), Some(labels)) if labels.codes[own as usize] == labels.codes[row as usize] => {
                Framed::Right
            }
            (Some(_), Some(_)) => Framed::Wrong,
            _ => Framed::Plain,
        }
    }
}
