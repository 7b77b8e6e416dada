//! Tables and figures of results.
//!
//! A [`Table`] is written as Markdown, CSV and JSON; a [`Figure`] as SVG, and as PNG for whatever shows no SVG.
//! Both are drawn from numbers alone and know nothing of models.

mod csv;
mod drawing;
mod drawn;
pub mod explorer;
pub mod figure;
mod font;
mod palette;
mod picture;
mod png;
mod svg;
mod table;

pub use csv::csv_cell;
pub use drawn::{Drawn, dense_rows};
pub use figure::Figure;
pub use picture::Picture;
pub use table::{Cell, Spread, Table, in_markdown};
