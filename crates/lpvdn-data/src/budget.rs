//! What reading may take: memory, and room for temporary files.
//!
//! One [`Budget`] is made for each reading and reaches every reader in [`OpenOptions`](crate::OpenOptions), and
//! through [`Input`](crate::input::Input) whoever has no options. Whoever keeps something whose size follows from
//! the data opens an [`Account`] and enters the bytes before they are allocated. Buffers of a constant size are not
//! entered. What is refused is refused with the figures, as [`DataError::Memory`] or [`DataError::TempLimit`].

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::DataError;

/// What may be taken of memory, where nobody says.
const MEMORY: u64 = 2 << 30;
/// What temporary files may take, where nobody says.
const TEMPORARY: u64 = 32 << 30;
/// With less memory than this nothing can be read: it is allowed whatever is said.
const LEAST: u64 = 32 << 20;
/// Accounts take at least this much at a time, so that they need not ask for every cell.
const QUANTUM: u64 = 64 << 10;
/// What the allocator and a map or vector keep for each small string, beside its bytes.
pub(crate) const PER_STRING: u64 = 64;

/// More than may be taken: what for, and the figures. It passes through readers that know only [`io::Error`].
#[derive(Debug, thiserror::Error)]
#[error("{what} needs {needed} bytes of memory, and {allowed} are allowed")]
pub(crate) struct OverBudget {
    pub(crate) what: String,
    pub(crate) needed: u64,
    pub(crate) allowed: u64,
}

impl From<OverBudget> for io::Error {
    fn from(over: OverBudget) -> io::Error {
        io::Error::new(io::ErrorKind::OutOfMemory, over)
    }
}

impl OverBudget {
    /// The figures, where such an error has passed as one of reading.
    pub(crate) fn of(error: io::Error) -> Result<OverBudget, io::Error> {
        error.downcast()
    }

    pub(crate) fn at(self, path: &Path) -> DataError {
        let OverBudget { what, needed, allowed } = self;
        DataError::Memory { path: path.to_owned(), what, needed, allowed }
    }
}

/// What one reading may take. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Budget(Arc<Both>);

#[derive(Debug)]
struct Both {
    /// As it was asked for: it decides where rows are kept.
    asked: u64,
    memory: Pool,
    disk: Pool,
}

#[derive(Debug)]
struct Pool {
    allowed: u64,
    taken: AtomicU64,
}

/// Options are compared by what they ask for, not by what a reading has taken.
impl PartialEq for Budget {
    fn eq(&self, _: &Budget) -> bool {
        true
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::new(None, None)
    }
}

impl Budget {
    /// Nothing taken yet. Both figures are in bytes.
    pub(crate) fn new(memory: Option<u64>, temporary: Option<u64>) -> Budget {
        let asked = memory.unwrap_or(MEMORY);
        let pool = |allowed| Pool { allowed, taken: AtomicU64::new(0) };
        Budget(Arc::new(Both {
            asked,
            memory: pool(asked.max(LEAST)),
            disk: pool(temporary.unwrap_or(TEMPORARY)),
        }))
    }

    /// Rows of up to as many bytes are held in memory.
    pub(crate) fn held_rows(&self) -> u64 {
        self.0.asked / 2
    }

    /// All that may be taken of memory.
    pub(crate) fn memory(&self) -> u64 {
        self.0.memory.allowed
    }

    /// What is left of the memory.
    pub(crate) fn left(&self) -> u64 {
        self.0.memory.allowed.saturating_sub(self.0.memory.taken.load(Relaxed))
    }

    /// An account for memory that is needed to read `path`.
    pub(crate) fn account(&self, path: &Path) -> Account {
        self.open(path, Kind::Memory)
    }

    /// An account for temporary files.
    pub(crate) fn disk_account(&self, path: &Path) -> Account {
        self.open(path, Kind::Disk)
    }

    /// Takes memory for as long as the reading lasts.
    pub(crate) fn charge(&self, path: &Path, bytes: u64, what: impl Display) -> Result<(), DataError> {
        let mut account = self.account(path);
        account.add(bytes, what)?;
        account.keep();
        Ok(())
    }

    fn open(&self, path: &Path, kind: Kind) -> Account {
        Account { budget: self.clone(), path: path.to_owned(), kind, used: 0, taken: 0 }
    }

    fn pool(&self, kind: Kind) -> &Pool {
        match kind {
            Kind::Memory => &self.0.memory,
            Kind::Disk => &self.0.disk,
        }
    }
}

impl Pool {
    /// Takes `bytes`, or says how many would be taken in all.
    fn take(&self, bytes: u64) -> Result<(), u64> {
        let within = |taken: u64| taken.checked_add(bytes).filter(|all| *all <= self.allowed);
        let before = self.taken.fetch_update(Relaxed, Relaxed, within);
        before.map(drop).map_err(|taken| taken.saturating_add(bytes))
    }

    fn give_back(&self, bytes: u64) {
        self.taken.fetch_sub(bytes, Relaxed);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Memory,
    Disk,
}

/// What one thing takes of a budget. It is given back when the account is dropped.
#[derive(Debug)]
pub(crate) struct Account {
    budget: Budget,
    path: PathBuf,
    kind: Kind,
    /// What was entered.
    used: u64,
    /// What was taken of the budget, which may be a little more.
    taken: u64,
}

impl Account {
    /// The budget that it takes from.
    #[cfg(feature = "parquet")]
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Enters `bytes` more. `what` names in the message what they are for.
    pub(crate) fn add(&mut self, bytes: u64, what: impl Display) -> Result<(), DataError> {
        self.take(bytes).map_err(|needed| self.refused(needed, what))
    }

    /// The same for memory, for readers whose errors are those of reading.
    pub(crate) fn add_io(&mut self, bytes: u64, what: impl Display) -> io::Result<()> {
        let allowed = self.budget.memory();
        let over = |needed| OverBudget { what: what.to_string(), needed, allowed };
        self.take(bytes).map_err(|needed| over(needed).into())
    }

    /// Enters `bytes` more, or says how many would be taken in all.
    fn take(&mut self, bytes: u64) -> Result<(), u64> {
        let used = self.used.saturating_add(bytes);
        if used > self.taken {
            let (more, pool) = (used - self.taken, self.budget.pool(self.kind));
            let quantum = more.max(QUANTUM);
            self.taken += pool.take(quantum).map(|()| quantum).or_else(|_| pool.take(more).map(|()| more))?;
        }
        self.used = used;
        Ok(())
    }

    /// Enters that `bytes` are held in all, whether that is more than before or less.
    pub(crate) fn set(&mut self, bytes: u64, what: impl Display) -> Result<(), DataError> {
        if bytes >= self.used {
            return self.add(bytes - self.used, what);
        }
        self.budget.pool(self.kind).give_back(self.taken - bytes);
        (self.used, self.taken) = (bytes, bytes);
        Ok(())
    }

    /// Room for `more` elements of a vector, which doubles as it grows, but not beyond `most` elements unless it
    /// must. The account is that of this vector alone.
    pub(crate) fn reserve<T>(
        &mut self,
        vector: &mut Vec<T>,
        more: usize,
        most: usize,
        what: impl Display,
    ) -> Result<(), DataError> {
        let needed = vector.len().saturating_add(more);
        if needed <= vector.capacity() {
            return Ok(());
        }
        let size = size_of::<T>().max(1) as u64;
        let doubled = (2 * vector.capacity()).min(most).max(needed);
        // Where there is no room for twice as many there may be for those that are needed.
        let affordable = ((self.budget.left() + self.taken) / size) as usize;
        let halfway = needed + affordable.saturating_sub(needed) / 2;
        let target = if doubled <= affordable { doubled } else { halfway };
        self.set((target as u64).saturating_mul(size), &what)?;
        let room = vector.try_reserve_exact(target - vector.len());
        room.map_err(|_| self.refused(self.budget.memory().saturating_sub(self.budget.left()), what))
    }

    /// Never gives back what was entered: it lives as long as the data.
    pub(crate) fn keep(mut self) {
        self.budget.pool(self.kind).give_back(self.taken - self.used);
        self.taken = 0;
    }

    fn refused(&self, needed: u64, what: impl Display) -> DataError {
        let (path, what) = (self.path.clone(), what.to_string());
        let allowed = self.budget.pool(self.kind).allowed;
        match self.kind {
            Kind::Memory => DataError::Memory { path, what, needed, allowed },
            Kind::Disk => DataError::TempLimit { path, what, needed, allowed },
        }
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.budget.pool(self.kind).give_back(self.taken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1_000_000;

    fn budget() -> Budget {
        Budget::new(Some(100 * MB), Some(MB))
    }

    #[test]
    fn many_small_charges_take_no_more_than_they_say() {
        let budget = Budget::new(Some(200_000_000), None);
        for _ in 0..100_000 {
            budget.charge(Path::new("a.png"), 1_000, "a picture").expect("100 MB in all");
        }
        assert!(budget.left() <= 100_000_000, "{}", budget.left());
    }

    #[test]
    fn what_is_given_back_can_be_taken_again() {
        let budget = budget();
        for _ in 0..3 {
            let mut account = budget.account(Path::new("a"));
            account.add(90 * MB, "all of it").expect("room");
            assert!(budget.account(Path::new("b")).add(20 * MB, "more").is_err());
            account.set(70 * MB, "less").expect("room");
            assert!(budget.account(Path::new("b")).add(20 * MB, "more").is_ok());
        }
        assert_eq!(budget.left(), 100 * MB);
        budget.charge(Path::new("a"), 60 * MB, "for good").expect("room");
        assert_eq!(budget.left(), 40 * MB);
    }

    #[test]
    fn a_refusal_has_the_figures_and_takes_nothing() {
        let budget = budget();
        let mut account = budget.account(Path::new("a.csv"));
        account.add(90 * MB, "lines").expect("room");
        let error = account.add(20 * MB, format_args!("line {}", 7)).expect_err("no room");
        assert!(
            matches!(&error, DataError::Memory { what, needed, allowed, .. }
                if what == "line 7" && *needed == 110 * MB && *allowed == 100 * MB),
            "{error:?}"
        );
        account.add(10 * MB, "lines").expect("the rest");
        let error = budget.disk_account(Path::new("a.csv")).add(2 * MB, "rows").expect_err("no room");
        assert!(matches!(error, DataError::TempLimit { needed, .. } if needed == 2 * MB), "{error:?}");
    }

    #[test]
    fn a_vector_takes_no_more_than_is_left() {
        let budget = budget();
        let (mut account, mut vector) = (budget.account(Path::new("a")), Vec::<u64>::new());
        let mut error = None;
        while error.is_none() && vector.len() < 1 << 30 {
            error = account.reserve(&mut vector, 1000, usize::MAX, "numbers").err();
            if error.is_none() {
                vector.resize(vector.len() + 1000, 0);
            }
        }
        assert!(matches!(error, Some(DataError::Memory { .. })), "{error:?}");
        assert!((vector.capacity() * 8) as u64 <= 100 * MB && vector.len() > 10_000_000, "{}", vector.len());
    }

    #[test]
    fn little_memory_is_enough_to_read_something() {
        assert!(Budget::new(Some(0), None).account(Path::new("a")).add(LEAST, "a little").is_ok());
        assert_eq!(Budget::new(Some(10), None).held_rows(), 5);
    }
}
