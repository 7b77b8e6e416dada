//! What is to be said about the columns of a table.

use lpvdn_core::table::{Content, Decimal, Verdict};

use super::cells::{Cells, Noticed};
use super::decide::Remark;
use super::finish::{Kept, LeftOut};
use crate::error::quoted;
use crate::{Note, Remedy};

/// More columns of one kind are not named.
const SHOWN: usize = 8;

impl Cells {
    /// What is to be said about the columns, whose places these are.
    pub(super) fn notes(
        &self,
        kept: &[Kept],
        left_out: &[LeftOut],
        doubts: &[Option<String>],
        places: &[usize],
    ) -> Vec<Note> {
        let mut notes = self.left_out(left_out);
        if self.known.is_none() && self.decimal.is_none() && self.rules.decimal == Decimal::Comma {
            notes.push(Note::new(
                "fractions of numbers are read with a decimal comma",
                &[Remedy::NameDecimal],
            ));
        }
        for (value, &place) in places.iter().enumerate() {
            notes.extend(self.remark(value, place));
        }
        for Kept { value, column, .. } in kept {
            if let Some(doubt) = &doubts[*value] {
                let text = format!("column {}: {doubt}", self.layout.show(column.place));
                notes.push(Note::new(text, &[Remedy::LeaveColumnOut]));
            }
            notes.extend(self.of_cells(*value, column.place));
        }
        notes
    }

    /// A note for each reason to leave columns out.
    fn left_out(&self, left_out: &[LeftOut]) -> Vec<Note> {
        let mut notes: Vec<Note> = Vec::new();
        let mut rest: Vec<&LeftOut> = left_out.iter().collect();
        while let Some(first) = rest.first() {
            let verdict = &first.verdict;
            let same =
                |other: &&LeftOut| std::mem::discriminant(&other.verdict) == std::mem::discriminant(verdict);
            let (alike, others): (Vec<&LeftOut>, Vec<&LeftOut>) = rest.iter().copied().partition(same);
            notes.push(self.left_out_alike(&alike));
            rest = others;
        }
        notes
    }

    fn left_out_alike(&self, alike: &[&LeftOut]) -> Note {
        let (verdict, count) = (&alike[0].verdict, alike.len());
        let remedies: &'static [Remedy] = match verdict {
            Verdict::Empty => &[],
            Verdict::Ids => &[Remedy::NameIds, Remedy::SayKind],
            Verdict::Text => &[Remedy::NameTextColumn, Remedy::SayKind],
            Verdict::ManyWords | Verdict::Constant(_) | Verdict::Counter => &[Remedy::SayKind],
        };
        let names: Vec<String> = alike.iter().take(SHOWN).map(|left| self.layout.show(left.place)).collect();
        let text = match count {
            1 => format!("column {} {verdict}, and is left out", names[0]),
            _ => {
                let more = if count > SHOWN { ", …" } else { "" };
                format!(
                    "{count} columns are left out, each of which {}: {}{more}",
                    several(verdict),
                    names.join(", ")
                )
            }
        };
        Note::new(text, remedies)
    }

    /// How a column was decided, if that is worth a word.
    fn remark(&self, value: usize, place: usize) -> Option<Note> {
        let column = self.layout.show(place);
        Some(match self.remarks[value].as_ref()? {
            Remark::Order(example) => Note::new(
                format!(
                    "column {column} holds dates such as {}, of which day and month cannot be told apart, and is read as \
                     words; write them as 2024-03-31",
                    quoted(example.as_bytes())
                ),
                &[Remedy::LeaveColumnOut],
            ),
            Remark::Thousands => Note::new(
                format!("column {column}: every comma in its numbers is taken to separate thousands"),
                &[Remedy::NameDecimal],
            ),
        })
    }

    /// What is to be said about single cells.
    fn of_cells(&self, value: usize, place: usize) -> Vec<Note> {
        let (rows, column) = (self.raw.rows(), self.layout.show(place));
        let mut notes = Vec::new();
        let Noticed { count, first } = &self.beyond[value];
        if *count > 0 {
            let text = format!(
                "{count} of {rows} cells of column {column} are beyond what 32-bit numbers hold (the first: {first}); \
                 write them in another unit"
            );
            notes.push(Note::new(text, &[Remedy::LeaveColumnOut]));
        }
        let Noticed { count, first } = &self.unseen[value];
        if *count > 0 {
            notes.push(Note::from(format!(
                "{count} of {rows} cells of column {column} hold words that the model has not seen (the first: {first})"
            )));
        }
        notes
    }

    /// Columns of words that may be meant as numbers, their first cells having decided otherwise.
    pub(super) fn doubts(&self, kept: &[Kept]) -> Vec<Note> {
        let doubt = |kept: &Kept| {
            let Content::Words { words, .. } = &kept.column.content else { return None };
            if self.choices[kept.value].kind.is_some() {
                return None;
            }
            let (numbers, others): (Vec<_>, Vec<_>) =
                words.iter().partition(|word| word.parse::<f32>().is_ok());
            let first = others.first().filter(|_| numbers.len() > others.len().max(2))?;
            let text = format!(
                "column {} is read as words, a value for each of its {}: {} is no number; if numbers are meant, \
                 correct it",
                self.layout.show(kept.column.place),
                words.len(),
                quoted(first.as_bytes())
            );
            Some(Note::new(text, &[Remedy::SayKind]))
        };
        kept.iter().filter_map(doubt).collect()
    }
}

/// Why several columns are left out.
fn several(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Constant(_) => "holds one value in every row".to_owned(),
        other => other.to_string(),
    }
}
