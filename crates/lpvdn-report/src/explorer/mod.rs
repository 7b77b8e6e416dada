//! The explorer: a page on which people see their clusters.
//!
//! A page is the files in `explorer/` (HTML, CSS and JavaScript without any library), a [`Manifest`] with everything
//! small, and named blobs with what grows with the rows. In a single file the blobs stand in the page,
//! compressed; a server sends them when they are asked for. Nothing else differs.

mod blobs;
mod build;
mod cards;
mod error;
mod facts;
mod features;
mod manifest;
mod page;
mod rows;
mod scores;
mod story;
mod thumbnail;

pub use build::Explorer;
pub use error::ExploreError;

pub use manifest::{
    Candidate, Chunked, ClusterCard, ClusterVerdict, Column, Feature, Kind, Manifest, MapFacts, Metric,
    PictureChunks, Samples, Stability, Training, VERSION,
};
pub use page::served_policy;
pub use story::{Limits, Story};

use std::io;

/// What of a page grows with its rows, in parts that have names.
trait Blobs {
    /// All names, in the order in which they are first wanted.
    fn names(&self) -> Vec<String>;
    /// The bytes of one of them; `None` where there is no such name.
    ///
    /// # Errors
    /// What reading the rows brings.
    fn get(&self, name: &str) -> io::Result<Option<Vec<u8>>>;
}
