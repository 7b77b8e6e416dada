//! The methods, one folder each.

pub mod lpvdn;
