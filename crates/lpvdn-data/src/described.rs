//! Classes and names of rows as they arrive, entered into the budget.

use std::path::Path;

use lpvdn_core::{GrowingLabels, Labels, RowNames};

use crate::DataError;
use crate::budget::{Account, Budget, PER_STRING};

/// Bytes of the code of a class, and of the end of a name.
const CODE: u64 = size_of::<u32>() as u64;
const END: u64 = size_of::<usize>() as u64;

/// The class of each row.
pub(crate) struct ChargedLabels {
    labels: GrowingLabels,
    account: Account,
}

impl ChargedLabels {
    pub(crate) fn new(path: &Path, budget: &Budget) -> ChargedLabels {
        ChargedLabels { labels: GrowingLabels::default(), account: budget.account(path) }
    }

    /// The class of the next row.
    pub(crate) fn push(&mut self, name: &str) -> Result<(), DataError> {
        let new = if self.labels.knows(name) { 0 } else { 2 * PER_STRING + name.len() as u64 };
        self.account.add(2 * CODE + new, "the classes of the rows")?;
        self.labels.push(name);
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.labels.names()
    }

    pub(crate) fn finish(self) -> Labels {
        self.account.keep();
        self.labels.finish()
    }
}

/// What each row is called.
pub(crate) struct ChargedNames {
    names: RowNames,
    account: Account,
}

impl ChargedNames {
    pub(crate) fn new(path: &Path, budget: &Budget) -> ChargedNames {
        ChargedNames { names: RowNames::default(), account: budget.account(path) }
    }

    /// The name of the next row.
    pub(crate) fn push(&mut self, name: &str) -> Result<(), DataError> {
        // Text and ends double as they grow.
        self.account.add(2 * (END + name.len() as u64), "the names of the rows")?;
        self.names.push(name);
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    pub(crate) fn finish(self) -> RowNames {
        self.account.keep();
        self.names
    }
}
