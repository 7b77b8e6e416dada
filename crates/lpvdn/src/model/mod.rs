//! The methods, one folder each.

pub mod clustergan;
pub mod lpvdn;
