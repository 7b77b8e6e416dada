//! lpvdn
pub mod loss;
pub mod model;
