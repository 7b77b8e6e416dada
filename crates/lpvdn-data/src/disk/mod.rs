//! Rows that stay on the disk and are read as they are asked for.
//!
//! They are read by position, not through a mapping: mapped pages count as memory of the process until
//! the system takes them back. What is kept are blocks of successive rows, as many as the cache has room
//! for. The order in which training asks for rows goes by the same blocks, so that each is read about
//! once an epoch; whatever order is asked for, the rows are the same.
//!
//! A plain `.npy` is read where it lies ([`DenseRows`]). What must be unpacked or parsed first, and is
//! more than may be held, goes to a temporary file as it arrives ([`GrowingRows`], [`GrowingSparse`]).

mod blocks;
mod cache;
mod dense;
mod growing;
mod sparse;
mod temporary;

pub(crate) use self::dense::{DenseRows, Layout};
pub(crate) use self::growing::{GrowingRows, GrowingSparse, Grown, Limit};
pub(crate) use self::temporary::{TempFile, cannot_keep, left_there, spool, spooled};
