//! LPVDN.
mod discriminator;
pub mod network;
pub use discriminator::Negatives;
