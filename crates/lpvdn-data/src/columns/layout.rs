//! Which column of a table is what.

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use crate::reading::{Reading, TableReading};
use crate::{DataError, OpenOptions, label_column};

/// What the cells of a column are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The value with this number.
    Value(usize),
    /// The true class.
    Label,
    /// What the row is called.
    Id,
    /// Nothing.
    Ignored,
}

/// The columns of a file.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) roles: Vec<Role>,
    pub(crate) names: Option<Vec<String>>,
    /// Nobody asked for the labels: where one is missing, there are none.
    pub(crate) labels_may_be_missing: bool,
}

impl Layout {
    /// From the names of the columns, where they have any, and what is asked for. `idle` columns are left
    /// out unless somebody asks for them.
    pub(crate) fn new(
        path: &Path,
        width: usize,
        names: Option<Vec<String>>,
        idle: impl Fn(&str) -> bool,
        options: &OpenOptions,
    ) -> Result<Layout, DataError> {
        let mut roles = vec![Role::Value(0); width];
        for (role, name) in roles.iter_mut().zip(names.iter().flatten()) {
            if idle(name) {
                *role = Role::Ignored;
            }
        }
        let mut layout = Layout { roles, names, labels_may_be_missing: false };
        let asked = [(&options.label_column, Role::Label), (&options.id_column, Role::Id)];
        let asked = asked.into_iter().filter_map(|(column, role)| Some((column.as_ref()?, role)));
        let ignored = options.ignore.iter().map(|column| (column, Role::Ignored));
        for (column, role) in asked.chain(ignored) {
            let place = label_column::resolve(path, column, layout.names.as_deref(), width)?;
            layout.roles[place] = role;
        }
        match &options.reading {
            Some(Reading::Table(reading)) => {
                if options.label_column.is_none() {
                    layout.find_labels(reading);
                }
                layout.follow(path, reading)?;
            }
            _ => layout.number_values(),
        }
        if !layout.roles.iter().any(|role| matches!(role, Role::Value(_))) {
            let hint = if width == 1 { " besides the labels" } else { " besides those that were set aside" };
            return Err(DataError::Nothing { path: path.to_owned(), what: "columns of values", hint });
        }
        Ok(layout)
    }

    fn number_values(&mut self) {
        let values = self.roles.iter_mut().filter(|role| matches!(role, Role::Value(_)));
        values.enumerate().for_each(|(i, role)| *role = Role::Value(i));
    }

    /// The column of classes of the model's own data, where nobody named another.
    fn find_labels(&mut self, reading: &TableReading) {
        let names = self.names.iter().flatten();
        let known = names.zip(&mut self.roles).find(|(name, _)| Some(*name) == reading.label.as_ref());
        if let Some((_, role)) = known {
            *role = Role::Label;
            self.labels_may_be_missing = true;
        }
    }

    /// The columns that a model was fitted to: by name where both have names, else by place.
    fn follow(&mut self, path: &Path, reading: &TableReading) -> Result<(), DataError> {
        let places = self.places(path, reading)?;
        for &place in &places {
            if matches!(self.roles[place], Role::Label | Role::Id) {
                return Err(DataError::LabelColumn {
                    path: path.to_owned(),
                    asked: self.name(place).unwrap_or_else(|| place.to_string()),
                    problem: "the model was fitted to the values of this column; name another".to_owned(),
                });
            }
        }
        for role in &mut self.roles {
            if matches!(role, Role::Value(_)) {
                *role = Role::Ignored;
            }
        }
        for (value, &place) in places.iter().enumerate() {
            self.roles[place] = Role::Value(value);
        }
        Ok(())
    }

    fn places(&self, path: &Path, reading: &TableReading) -> Result<Vec<usize>, DataError> {
        let wanted: Option<Vec<&String>> = reading.columns.iter().map(|c| c.name.as_ref()).collect();
        if let (Some(names), Some(wanted)) = (&self.names, wanted) {
            // Of columns with one name, each takes the next.
            let mut free: HashMap<&String, VecDeque<usize>> = HashMap::new();
            names.iter().enumerate().for_each(|(place, name)| free.entry(name).or_default().push_back(place));
            let place = |name: &String| {
                let missing = || DataError::MissingColumn { path: path.to_owned(), name: name.clone() };
                free.get_mut(name).and_then(VecDeque::pop_front).ok_or_else(missing)
            };
            return wanted.into_iter().map(place).collect();
        }
        let width = self.roles.len();
        if width == reading.width && places_differ(reading) {
            return Ok(reading.columns.iter().map(|c| c.place).collect());
        }
        let free = |(_, role): &(usize, &Role)| matches!(role, Role::Value(_));
        let free: Vec<usize> = self.roles.iter().enumerate().filter(free).map(|(place, _)| place).collect();
        if free.len() == reading.columns.len() {
            return Ok(free);
        }
        Err(DataError::Width {
            path: path.to_owned(),
            found: width,
            whole: reading.width,
            values: reading.columns.len(),
        })
    }

    /// A column as messages name it.
    pub(crate) fn show(&self, place: usize) -> String {
        match self.names.as_ref().map(|names| &names[place]) {
            Some(name) => format!("{place} ({})", crate::error::quoted(name.as_bytes())),
            None => format!("{place} (counted from 0)"),
        }
    }

    pub(crate) fn name(&self, place: usize) -> Option<String> {
        self.names.as_ref().and_then(|names| names.get(place)).cloned()
    }
}

/// Whether the columns of a model are columns of its table, each another.
fn places_differ(reading: &TableReading) -> bool {
    let mut seen = vec![false; reading.width];
    reading.columns.iter().all(|c| c.place < seen.len() && !std::mem::replace(&mut seen[c.place], true))
}
