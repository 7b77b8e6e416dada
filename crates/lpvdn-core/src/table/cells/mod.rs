//! Cells, read as what their column holds.
//!
//! A file or a data frame gives each cell as what it is there ([`Given`]): text, a number, a date, a truth. The first
//! rows of a column decide what it holds ([`Profile`]), and every cell is then read as that ([`Column`]). So a table
//! becomes the same values whether a file or a frame holds it.

mod column;
mod dates;
mod decide;
mod given;
mod numbers;
mod read;

pub use column::{Cell, Column, Rules};
pub use dates::written as written_date;
pub use decide::{DECIDING, Profile, Remark, beyond, decimal_of, unseen};
pub use given::{Given, quoted};
pub use numbers::{parse as parse_number, written as written_number};
