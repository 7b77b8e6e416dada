//! Which column of a table is what.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;

use crate::reading::{Reading, TableReading, TextReading};
use crate::{ColumnRole, DataError, OpenOptions, Remedy, label_column};

/// What the cells of a column are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The value with this number.
    Value(usize),
    /// The true class.
    Label,
    /// What the row is called.
    Id,
    /// A text whose words are values.
    Text,
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
    /// The places of columns that texts without other columns leave out.
    pub(crate) unused: Vec<usize>,
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
        let mut layout = Layout { roles, names, labels_may_be_missing: false, unused: Vec::new() };
        layout.give_roles(path, options)?;
        match &options.reading {
            Some(Reading::Table(reading)) => {
                let places = layout.places(path, reading)?;
                if options.label_column.is_none() {
                    layout.find_labels(reading, &places);
                }
                layout.follow(path, &places)?;
            }
            Some(Reading::Text(reading)) => layout.follow_texts(path, reading, options)?,
            _ => {
                if layout.roles.contains(&Role::Text) && !options.keep_columns {
                    layout.leave_others_out();
                }
                layout.number_values();
            }
        }
        if !layout.roles.iter().any(|role| matches!(role, Role::Value(_) | Role::Text)) {
            let hint = if width == 1 { " besides the labels" } else { " besides those that were set aside" };
            return Err(DataError::Nothing { path: path.to_owned(), what: "columns of values", hint });
        }
        Ok(layout)
    }

    /// To the columns that are asked for.
    fn give_roles(&mut self, path: &Path, options: &OpenOptions) -> Result<(), DataError> {
        let asked = [
            (&options.label_column, Role::Label),
            (&options.id_column, Role::Id),
            (&options.text_column, Role::Text),
        ];
        let asked = asked.into_iter().filter_map(|(column, role)| Some((column.as_ref()?, role)));
        let ignored = options.ignore.iter().chain(options.columns.ignored());
        let ignored = ignored.map(|column| (column, Role::Ignored));
        let mut given: HashMap<usize, Role> = HashMap::new();
        for (column, role) in asked.chain(ignored) {
            let width = self.roles.len();
            let place = label_column::resolve(path, column, role_of(role), self.names.as_deref(), width)?;
            self.roles[place] = role;
            if let Some(other) = given.insert(place, role).filter(|other| *other != role) {
                let (other, role) = (role_of(other), role_of(role));
                let problem = format!("it is chosen as {other} and as {role}; choose it as one of them");
                let (path, column) = (path.to_owned(), self.show(place));
                return Err(DataError::Column { path, column, problem, remedies: &[] });
            }
        }
        Ok(())
    }

    fn number_values(&mut self) {
        let values = self.roles.iter_mut().filter(|role| matches!(role, Role::Value(_)));
        values.enumerate().for_each(|(i, role)| *role = Role::Value(i));
    }

    /// Texts alone make the rows.
    fn leave_others_out(&mut self) {
        for (place, role) in self.roles.iter_mut().enumerate() {
            if matches!(role, Role::Value(_)) {
                *role = Role::Ignored;
                // A column without a name counts the rows.
                if self.names.as_ref().is_none_or(|names| !names[place].is_empty()) {
                    self.unused.push(place);
                }
            }
        }
    }

    /// The columns that a model of texts was fitted to.
    fn follow_texts(
        &mut self,
        path: &Path,
        reading: &TextReading,
        options: &OpenOptions,
    ) -> Result<(), DataError> {
        if !self.roles.contains(&Role::Text) {
            let place = self.place_of_texts(path, reading)?;
            if matches!(self.roles[place], Role::Label | Role::Id) {
                return Err(self.taken(path, place));
            }
            self.roles[place] = Role::Text;
        }
        let Some(table) = &reading.table else { return self.follow(path, &[]) };
        let places = match table.others.columns.is_empty() {
            true => Vec::new(),
            false => self.places(path, &table.others)?,
        };
        if options.label_column.is_none() {
            self.find_labels(&table.others, &places);
        }
        self.follow(path, &places)
    }

    /// Where the texts are: by name where both have names, else by place.
    fn place_of_texts(&self, path: &Path, reading: &TextReading) -> Result<usize, DataError> {
        let width = self.roles.len();
        let unknown = || DataError::NoTextColumn { path: path.to_owned(), field: reading.field.clone() };
        match (&self.names, &reading.field, &reading.table) {
            (Some(names), Some(field), table) => {
                let mut called_so = (0..width).filter(|place| names[*place] == *field);
                // Of several columns of one name, the one that stands where it was.
                let there =
                    table.as_ref().map(|table| table.place).filter(|place| names.get(*place) == Some(field));
                let missing = || match table {
                    Some(_) => DataError::MissingColumn { path: path.to_owned(), name: field.clone() },
                    None => unknown(),
                };
                there.or_else(|| called_so.next()).ok_or_else(missing)
            }
            (_, _, Some(table)) if table.place < width && table.others.width == width => Ok(table.place),
            _ => Err(unknown()),
        }
    }

    /// The error about a column that is chosen as something else than what a model needs it for.
    fn taken(&self, path: &Path, place: usize) -> DataError {
        DataError::ChosenColumn {
            path: path.to_owned(),
            role: role_of(self.roles[place]),
            asked: self.name(place).unwrap_or_else(|| place.to_string()),
            problem: "the model was fitted to the values of this column; name another".to_owned(),
        }
    }

    /// The column of classes of the model's own data, where nobody named another. It is none of the columns
    /// of values, whose `places` are known; of several that are called so, it is the one where it was.
    fn find_labels(&mut self, reading: &TableReading, places: &[usize]) {
        let taken: HashSet<&usize> = places.iter().collect();
        let free = |place: &usize| matches!(self.roles[*place], Role::Value(_)) && !taken.contains(place);
        let called_so: Vec<usize> = match (&self.names, &reading.label) {
            (Some(names), Some(label)) => {
                (0..names.len()).filter(|place| names[*place] == *label).filter(free).collect()
            }
            _ => Vec::new(),
        };
        let there = reading.label_place.filter(|place| called_so.contains(place));
        let only = if let [only] = called_so[..] { Some(only) } else { None };
        if let Some(place) = there.or(only) {
            self.roles[place] = Role::Label;
            self.labels_may_be_missing = true;
        }
    }

    /// The columns that a model was fitted to are its values, in this order.
    fn follow(&mut self, path: &Path, places: &[usize]) -> Result<(), DataError> {
        for &place in places {
            if matches!(self.roles[place], Role::Label | Role::Id | Role::Text) {
                return Err(self.taken(path, place));
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

    /// Where the columns of a model are: by name where both have names, else by place.
    fn places(&self, path: &Path, reading: &TableReading) -> Result<Vec<usize>, DataError> {
        let wanted: Option<Vec<&String>> = reading.columns.iter().map(|c| c.name.as_ref()).collect();
        if let (Some(names), Some(wanted)) = (&self.names, wanted) {
            return self.places_by_name(path, names, &wanted, reading);
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

    fn places_by_name(
        &self,
        path: &Path,
        names: &[String],
        wanted: &[&String],
        reading: &TableReading,
    ) -> Result<Vec<usize>, DataError> {
        let mut here: HashMap<&String, Vec<usize>> = HashMap::new();
        let mut before: HashMap<&String, Vec<usize>> = HashMap::new();
        names.iter().enumerate().for_each(|(place, name)| here.entry(name).or_default().push(place));
        let stored = wanted.iter().zip(&reading.columns);
        stored.for_each(|(name, column)| before.entry(name).or_default().push(column.place));
        // Of columns with one name, each takes the next.
        let mut free: HashMap<&String, VecDeque<usize>> = HashMap::new();
        let mut places = Vec::new();
        for &name in wanted {
            let mut queue = match free.entry(name) {
                Entry::Occupied(queue) => queue,
                Entry::Vacant(none) => {
                    let here = here.get(name).map_or(&[][..], Vec::as_slice);
                    none.insert_entry(self.places_of(path, name, here, &before[name])?.into())
                }
            };
            let missing = || DataError::MissingColumn { path: path.to_owned(), name: name.clone() };
            places.push(queue.get_mut().pop_front().ok_or_else(missing)?);
        }
        Ok(places)
    }

    /// Which of the columns that are `here` under a name are those that the model had at the places `before`:
    /// the same, where they are called so; else all of them, or all that nobody set aside.
    fn places_of(
        &self,
        path: &Path,
        name: &str,
        here: &[usize],
        before: &[usize],
    ) -> Result<Vec<usize>, DataError> {
        let called_so = |place: &usize| self.name(*place).as_deref() == Some(name);
        if are_different(before) && before.iter().all(called_so) {
            return Ok(before.to_vec());
        }
        let free = here.iter().copied().filter(|place| matches!(self.roles[*place], Role::Value(_)));
        let free: Vec<usize> = free.collect();
        if free.len() == before.len() {
            return Ok(free);
        }
        if here.len() <= before.len() {
            return Ok(here.to_vec());
        }
        let problem = format!(
            "{} columns have that name, and not where the model's table had it (column {}); give all but the model's \
             other names",
            here.len(),
            before[0]
        );
        let (path, column) = (path.to_owned(), self.show(here[0]));
        Err(DataError::Column { path, column, problem, remedies: &[Remedy::LeaveColumnOut] })
    }

    /// Whether another column is called as the one at `place`.
    pub(crate) fn shares_its_name(&self, place: usize) -> bool {
        let names = self.names.as_deref().unwrap_or_default();
        names.iter().enumerate().any(|(other, name)| other != place && names.get(place) == Some(name))
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
    let places: Vec<usize> = reading.columns.iter().map(|column| column.place).collect();
    places.iter().all(|place| *place < reading.width) && are_different(&places)
}

fn are_different(places: &[usize]) -> bool {
    let mut seen = HashSet::new();
    places.iter().all(|place| seen.insert(place))
}

/// What a column is chosen as.
fn role_of(role: Role) -> ColumnRole {
    match role {
        Role::Label => ColumnRole::Labels,
        Role::Id => ColumnRole::Ids,
        Role::Text => ColumnRole::Texts,
        Role::Ignored | Role::Value(_) => ColumnRole::Ignored,
    }
}
