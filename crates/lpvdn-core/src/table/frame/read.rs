//! From the columns of a frame to rows.

use std::sync::Arc;

use super::errors::FrameError;
use super::{Frame, FrameCells};
use crate::columns::ColumnGroup;
use crate::matrix::Matrix;
use crate::source::{RowSource, SourceError};
use crate::table::cells::{Cell, Column, DECIDING, Given, Profile, Remark, Rules, beyond, quoted, unseen};
use crate::table::{
    Choice, ColumnType, Content, Decimal, Expanded, Expansion, Fillable, GRID, Missing, TableColumn,
    TableReading, Tally, Verdict, fill_in, groups, is_id_name, value_names,
};

/// What a user says about the columns of a frame.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// What is done about missing values.
    pub missing: Missing,
    /// Columns, by their names or as places where they have none, and what each is to be read as.
    pub kinds: Vec<(String, ColumnType)>,
    /// Columns, and how much each counts.
    pub weights: Vec<(String, f32)>,
    /// Whether columns stay that say nothing about their rows, as those of an array do.
    pub keep_all: bool,
}

/// The rows of a frame.
pub struct FrameTable {
    /// The values of each row.
    pub rows: Arc<dyn RowSource>,
    /// How the columns became values: what a model must remember.
    pub reading: TableReading,
    /// What is to be said about the columns.
    pub notes: Vec<String>,
    /// Of columns with missing values, what they are called and how many there are.
    pub missing: Vec<(String, usize)>,
    /// The columns that were left out.
    pub left_out: Vec<String>,
}

impl FrameTable {
    /// The names of the values.
    pub fn names(&self) -> Vec<String> {
        value_names(&self.reading.columns)
    }

    /// What the values stand for.
    pub fn groups(&self) -> Vec<ColumnGroup> {
        groups(&self.reading.columns)
    }
}

impl Frame {
    /// The rows, and how they are made of the columns.
    pub fn read(&self, wanted: &Wanted) -> Result<FrameTable, FrameError> {
        let choices = self.choices(wanted)?;
        let ignored = |place: &usize| choices[*place].kind == Some(ColumnType::Ignore);
        let (ignored, places): (Vec<usize>, Vec<usize>) = (0..self.columns.len()).partition(ignored);
        let rules = Rules { missing: wanted.missing, decimal: Decimal::Point };
        let mut read = Reader::new(self, rules, places.len());
        for &place in &places {
            let (column, remark) = self.decided(place, choices[place], rules)?;
            read.notes.extend(remark.map(|remark| remark.sentence(&self.show(place))));
            read.take(place, column, choices[place])?;
        }
        let mut table = read.finish(&choices, wanted.keep_all)?;
        table.left_out.splice(0..0, ignored.into_iter().map(|place| self.name(place)));
        Ok(table)
    }

    /// The rows, as a model's columns say. Columns are found by their names where they have some, else by their places;
    /// others are not looked at.
    pub fn read_like(&self, reading: &TableReading) -> Result<FrameTable, FrameError> {
        let rules = Rules { missing: reading.missing, decimal: reading.decimal };
        let mut read = Reader::new(self, rules, reading.columns.len());
        for known in &reading.columns {
            let place = self.find(known)?;
            read.take(place, Column::Known(known.content.clone()), Choice::default())?;
        }
        read.finish_like(reading)
    }

    /// Where a column of a model is: of several with its name, the one at its place.
    fn find(&self, known: &TableColumn) -> Result<usize, FrameError> {
        let named = |place: usize| self.columns.get(place).is_some_and(|column| column.name == known.name);
        let unnamed = self.columns.iter().all(|column| column.name.is_none());
        let place = match &known.name {
            Some(_) if named(known.place) => Some(known.place),
            Some(_) if !unnamed => (0..self.columns.len()).find(|&place| named(place)),
            _ => Some(known.place).filter(|place| *place < self.columns.len()),
        };
        let shown =
            || known.name.as_ref().map_or_else(|| known.place.to_string(), |name| quoted(name.as_bytes()));
        place.ok_or_else(|| FrameError::Absent { column: shown() })
    }

    /// What is said about each column.
    fn choices(&self, wanted: &Wanted) -> Result<Vec<Choice>, FrameError> {
        let mut choices = vec![Choice::default(); self.columns.len()];
        for (column, kind) in &wanted.kinds {
            choices[self.place_of(column)?].kind = Some(*kind);
        }
        for (column, weight) in &wanted.weights {
            choices[self.place_of(column)?].weight = Some(*weight);
        }
        Ok(choices)
    }

    fn place_of(&self, asked: &str) -> Result<usize, FrameError> {
        const LISTED: usize = 12;
        let is_it = |place: &usize| match &self.columns[*place].name {
            Some(name) => name == asked,
            None => asked.parse() == Ok(*place),
        };
        (0..self.columns.len()).find(is_it).ok_or_else(|| {
            let known = (0..self.columns.len().min(LISTED)).map(|place| self.show(place));
            let more = if self.columns.len() > LISTED { ", …" } else { "" };
            let known = known.collect::<Vec<_>>().join(", ") + more;
            FrameError::NoColumn { column: quoted(asked.as_bytes()), known }
        })
    }

    /// What a column holds, by what is said of it, by its type and by its first cells.
    fn decided(
        &self,
        place: usize,
        choice: Choice,
        rules: Rules,
    ) -> Result<(Column, Option<Remark>), FrameError> {
        let column = &self.columns[place];
        if let FrameCells::Vectors(rows) = &column.cells {
            if let Some(kind) = choice.kind {
                return Err(FrameError::Vectors { column: self.show(place), kind: kind.name() });
            }
            return Ok((Column::Vectors { tallies: vec![Tally::default(); rows.cols()] }, None));
        }
        Ok(match Column::chosen(choice) {
            Column::Undecided { .. } => {
                let first = (0..self.rows.min(DECIDING)).map(|row| column.cells.get(row));
                let ids = column.name.as_deref().is_some_and(is_id_name);
                Profile::of(first, rules.missing).decide(choice, rules, ids)
            }
            chosen => (chosen, None),
        })
    }
}

/// A column whose cells were read.
struct Taken {
    place: usize,
    column: Column,
    holes: usize,
}

/// The columns of a frame while they are read.
struct Reader<'a> {
    frame: &'a Frame,
    rules: Rules,
    /// A number for each cell, for a vector several; for a word its code, for what is missing no number.
    raw: Vec<Vec<f64>>,
    taken: Vec<Taken>,
    notes: Vec<String>,
}

/// Cells of one kind in a column, which a note is about.
#[derive(Default)]
struct Noticed {
    count: usize,
    first: Option<String>,
}

impl Noticed {
    fn push(&mut self, given: &Given<'_>) {
        self.count += 1;
        self.first.get_or_insert_with(|| given.shown());
    }
}

impl<'a> Reader<'a> {
    fn new(frame: &'a Frame, rules: Rules, columns: usize) -> Reader<'a> {
        Reader { frame, rules, raw: Vec::new(), taken: Vec::with_capacity(columns), notes: Vec::new() }
    }

    /// Reads the cells of a column.
    fn take(&mut self, place: usize, mut column: Column, choice: Choice) -> Result<(), FrameError> {
        let (frame, rules) = (self.frame, self.rules);
        let width = column.raw_width();
        let mut raw = vec![f64::NAN; frame.rows * width];
        let (mut holes, mut first_hole) = (0, None);
        let (mut new, mut far) = (Noticed::default(), Noticed::default());
        let mut out = vec![f32::NAN; width];
        for (row, raw) in raw.chunks_exact_mut(width.max(1)).enumerate() {
            let given = frame.columns[place].cells.get(row);
            out.fill(f32::NAN);
            match column.push(&given, rules, &mut out) {
                Cell::Taken => {}
                Cell::Beyond => far.push(&given),
                Cell::Unseen => new.push(&given),
                Cell::Missing => {
                    holes += 1;
                    first_hole.get_or_insert(row);
                }
                Cell::TooManyWords if choice.kind.is_none() => {
                    let Column::Words(words) = &column else { break };
                    let verdict = if words.all_differ() { Verdict::Ids } else { Verdict::ManyWords };
                    column = Column::Left(verdict);
                    break;
                }
                refused => return Err(self.refused(refused, place, row, &given)),
            }
            raw.iter_mut().zip(&out).for_each(|(raw, out)| *raw = f64::from(*out));
            // A number keeps the digits that 32 bits do not hold.
            if let (Given::Number(number), Column::Numbers(_) | Column::Known(Content::Numbers { .. })) =
                (&given, &column)
            {
                raw[0] = *number;
            }
        }
        // Where every value is missing, the column is left out.
        let refuses = !rules.missing.fills() && !column.is_blank() && !matches!(column, Column::Left(_));
        if let Some(row) = first_hole.filter(|_| refuses) {
            return Err(FrameError::Missing { column: frame.show(place), row });
        }
        for (noticed, sentence) in [(far, beyond as fn(_, _, &str, &str) -> String), (new, unseen)] {
            let Noticed { count, first: Some(first) } = noticed else { continue };
            self.notes.push(sentence(count, frame.rows, &frame.show(place), &first));
        }
        self.raw.push(raw);
        self.taken.push(Taken { place, column, holes });
        Ok(())
    }

    fn refused(&self, cell: Cell, place: usize, row: usize, given: &Given<'_>) -> FrameError {
        let column = self.frame.show(place);
        let wanted = match cell {
            Cell::TooManyWords => return FrameError::TooManyWords { column },
            Cell::NotADate => "date".to_owned(),
            Cell::NotAVector { width } => format!("vector of {width} numbers"),
            _ => "number".to_owned(),
        };
        FrameError::Cell { column, row, found: given.shown(), wanted }
    }

    /// The rows of the columns that say something about them.
    fn finish(mut self, choices: &[Choice], keep_all: bool) -> Result<FrameTable, FrameError> {
        let is_grid =
            self.taken.len() >= GRID && self.taken.iter().all(|t| matches!(t.column, Column::Numbers(_)));
        let (mut kept, mut left_out) = (Vec::new(), Vec::new());
        for (from, taken) in std::mem::take(&mut self.taken).into_iter().enumerate() {
            let choice = choices[taken.place];
            let verdict = taken.column.verdict(choice, self.rules.missing);
            if let Some(verdict) =
                verdict.filter(|v| !(keep_all || is_grid && matches!(v, Verdict::Constant(_))))
            {
                left_out.push((taken.place, verdict));
                continue;
            }
            self.notes.extend(self.doubt(&taken));
            let fine = match &taken.column {
                Column::Numbers(column) if column.tally().needs_digits() => Some(column.tally().exact_mean()),
                _ => None,
            };
            // A column of an array in which all is missing.
            let empty = keep_all && taken.column.is_blank();
            let finished = if empty {
                Some((Content::numbers(0.0), Vec::new()))
            } else {
                taken.column.finish(choice, self.rules.missing)
            };
            let column = || self.frame.show(taken.place);
            let (content, codes) = finished.ok_or_else(|| FrameError::NoTruth { column: column() })?;
            let name = self.frame.columns[taken.place].name.clone();
            let mut column = TableColumn::new(taken.place, name, content);
            column.transform = choice.kind.and_then(ColumnType::transform);
            column.weight = choice.weight;
            if let Some(mean) = fine {
                column.content.set_exact(self.exact_fill(from, mean));
            }
            kept.push(Kept { from, place: taken.place, column, codes, holes: taken.holes });
        }
        if kept.is_empty() {
            let shown =
                |(place, verdict): &(usize, Verdict)| format!("column {} {verdict}", self.frame.show(*place));
            let columns = left_out.iter().map(shown).collect::<Vec<_>>().join("; ");
            return Err(FrameError::NothingLeft { columns });
        }
        let names = left_out.iter().map(|(place, _)| self.frame.name(*place)).collect();
        let reasons = Verdict::together(left_out).into_iter().map(|(verdict, places)| {
            verdict.left_out(&places.into_iter().map(|place| self.frame.show(place)).collect::<Vec<_>>())
        });
        let notes: Vec<String> = reasons.chain(std::mem::take(&mut self.notes)).collect();
        Ok(FrameTable { notes, left_out: names, ..self.table(kept, None) })
    }

    /// The rows of a model's columns.
    fn finish_like(mut self, reading: &TableReading) -> Result<FrameTable, FrameError> {
        let taken = std::mem::take(&mut self.taken).into_iter().zip(&reading.columns).enumerate();
        let kept = taken.filter_map(|(from, (taken, known))| {
            let (_, codes) = taken.column.finish(Choice::default(), self.rules.missing)?;
            Some(Kept { from, place: taken.place, column: known.clone(), codes, holes: taken.holes })
        });
        let kept = kept.collect();
        let notes = std::mem::take(&mut self.notes);
        Ok(FrameTable { notes, ..self.table(kept, Some(reading)) })
    }

    /// What stands for missing numbers of a column whose digits 32 bits do not hold.
    fn exact_fill(&self, from: usize, mean: f64) -> f64 {
        let mut numbers: Vec<f64> =
            self.raw[from].iter().copied().filter(|number| number.is_finite()).collect();
        numbers.sort_unstable_by(f64::total_cmp);
        match self.rules.missing {
            Missing::Median if !numbers.is_empty() => {
                f64::midpoint(numbers[(numbers.len() - 1) / 2], numbers[numbers.len() / 2])
            }
            Missing::MostFrequent => {
                let runs = numbers.chunk_by(|a, b| a == b);
                let longest = runs.fold(&[][..], |best, run| if run.len() > best.len() { run } else { best });
                longest.first().copied().unwrap_or(mean)
            }
            _ => mean,
        }
    }

    /// What is wrong with a column's digits, where the column cannot keep them.
    fn doubt(&self, taken: &Taken) -> Option<String> {
        // Numbers of a frame keep their digits; those of words do not.
        let numbers = matches!(self.frame.columns[taken.place].cells, FrameCells::Numbers(_));
        let doubt = taken.column.doubt().filter(|_| !numbers)?;
        Some(format!("column {}: {doubt}", self.frame.show(taken.place)))
    }

    fn table(self, mut kept: Vec<Kept>, known: Option<&TableReading>) -> FrameTable {
        let (frame, missing) = (self.frame, self.rules.missing);
        let (raw, starts) = side_by_side(&self.raw, frame.rows);
        if known.is_none() {
            let columns = kept.iter_mut().map(|kept| Fillable {
                place: starts[kept.from],
                has_holes: kept.holes > 0,
                content: &mut kept.column.content,
            });
            let filled: Result<(), SourceError> = fill_in(&raw, columns.collect(), missing);
            debug_assert!(filled.is_ok(), "rows in memory can be read");
        }
        let is_fine = |kept: &Kept| matches!(kept.column.content, Content::Numbers { exact: Some(_), .. });
        // A model knows for itself which digits it needs.
        let fine = known.is_some() || kept.iter().any(is_fine);
        let holes = kept.iter().filter(|kept| kept.holes > 0);
        let holes = holes.map(|kept| (frame.name(kept.place), kept.holes)).collect();
        let parts = kept
            .iter_mut()
            .map(|kept| (starts[kept.from], kept.column.content.clone(), std::mem::take(&mut kept.codes)));
        let expansion = Expansion::new(parts, missing);
        // As the rows of a file, unless that loses digits.
        let raw: Arc<dyn RowSource> = if fine { Arc::new(raw) } else { Arc::new(in_32_bits(&raw)) };
        let rows: Arc<dyn RowSource> = Arc::new(Expanded::new(raw, expansion));
        let columns = kept.into_iter().map(|kept| kept.column).collect();
        let own = || TableReading {
            width: frame.columns.len(),
            columns,
            label: None,
            label_place: None,
            missing,
            decimal: Decimal::Point,
        };
        let reading = known.cloned().unwrap_or_else(own);
        FrameTable { rows, reading, notes: Vec::new(), missing: holes, left_out: Vec::new() }
    }
}

/// A column that becomes values.
struct Kept {
    /// Its place among the columns that were read.
    from: usize,
    /// Its place in the frame.
    place: usize,
    column: TableColumn,
    /// For words, the place of each code among the values.
    codes: Vec<usize>,
    holes: usize,
}

fn in_32_bits(raw: &Matrix<f64>) -> Matrix<f32> {
    Matrix::from_vec(raw.as_slice().iter().map(|number| *number as f32).collect(), raw.rows(), raw.cols())
}

/// Columns as rows, and where in a row each begins.
fn side_by_side(columns: &[Vec<f64>], rows: usize) -> (Matrix<f64>, Vec<usize>) {
    let widths = columns.iter().map(|column| column.len() / rows.max(1));
    let mut starts = Vec::with_capacity(columns.len());
    let width = widths.fold(0, |start, width| {
        starts.push(start);
        start + width
    });
    let mut raw = Matrix::zeros(rows, width);
    for (column, &start) in columns.iter().zip(&starts) {
        let wide = column.len() / rows.max(1);
        for (row, cells) in column.chunks_exact(wide.max(1)).enumerate() {
            raw.row_mut(row)[start..start + wide].copy_from_slice(cells);
        }
    }
    (raw, starts)
}
