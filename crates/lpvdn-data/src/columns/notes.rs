//! What is to be said about the columns of a table.

use lpvdn_core::table::cells::{Remark, beyond, unseen};
use lpvdn_core::table::{Content, Decimal, Verdict};

use super::cells::{Cells, Noticed};
use super::finish::{Kept, LeftOut};
use crate::error::quoted;
use crate::{Note, Remedy};

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
        let columns = left_out.iter().map(|left| (self.layout.show(left.place), left.verdict.clone()));
        let note = |(verdict, columns): (Verdict, Vec<String>)| {
            Note::new(verdict.left_out(&columns), remedies(&verdict))
        };
        Verdict::together(columns.collect()).into_iter().map(note).collect()
    }

    /// How a column was decided, if that is worth a word.
    fn remark(&self, value: usize, place: usize) -> Option<Note> {
        let column = self.layout.show(place);
        let remark = self.remarks[value].as_ref()?;
        let remedies: &'static [Remedy] = match remark {
            Remark::Order(_) => &[Remedy::LeaveColumnOut],
            Remark::Thousands | Remark::Fractions(_) => &[Remedy::NameDecimal],
        };
        Some(Note::new(remark.sentence(&column), remedies))
    }

    /// What is to be said about single cells.
    fn of_cells(&self, value: usize, place: usize) -> Vec<Note> {
        let (rows, column) = (self.raw.rows(), self.layout.show(place));
        let mut notes = Vec::new();
        let Noticed { count, first } = &self.beyond[value];
        if *count > 0 {
            let text = beyond(*count, rows, &column, first);
            notes.push(Note::new(text, &[Remedy::LeaveColumnOut]));
        }
        let Noticed { count, first } = &self.unseen[value];
        if *count > 0 {
            notes.push(Note::from(unseen(*count, rows, &column, first)));
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

/// What a user can do about columns that are left out.
fn remedies(verdict: &Verdict) -> &'static [Remedy] {
    match verdict {
        Verdict::Empty => &[],
        Verdict::Ids => &[Remedy::NameIds, Remedy::SayKind],
        Verdict::Text => &[Remedy::NameTextColumn, Remedy::SayKind],
        Verdict::ManyWords | Verdict::Constant(_) | Verdict::Counter => &[Remedy::SayKind],
    }
}
