//! The training loop and what surrounds it.

pub mod batches;
pub mod checkpoint;
pub mod control;
pub mod events;

pub use control::FitControl;
pub use events::{EpochReport, Evaluation, Event, Phase, Plan};
