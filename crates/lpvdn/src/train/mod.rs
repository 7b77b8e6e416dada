//! The training loop and what surrounds it.

pub mod batches;
pub mod checkpoint;
pub mod control;
pub mod districts;
pub mod events;
pub(crate) mod runner;
pub(crate) mod sharing;
pub mod store;

pub use control::FitControl;
pub use events::{EpochReport, Evaluation, Event, Phase, Plan};
pub use store::RunStore;
