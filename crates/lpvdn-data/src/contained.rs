//! Decoders of other libraries.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a decoder of another library. Their authors harden them against damaged files, but do not promise
/// that they never panic on one: then what the decoder held is dropped, and the file is refused.
pub(crate) fn contained<T, E: ToString>(decode: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err("its parts contradict each other".to_owned()),
    }
}
