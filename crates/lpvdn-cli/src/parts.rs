//! Results that are written while they are made, so that only a part of them is ever in memory.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use lpvdn::ModelError;
use lpvdn_data::atomic_write;

use crate::console;
use crate::failure::Failure;

/// Rows of a part: so many that starting the threads for each is nothing beside the work.
const ROWS: usize = 64 * 1024;

/// All rows, part by part.
pub(crate) fn parts(rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows).step_by(ROWS).map(move |start| start..(start + ROWS).min(rows))
}

/// Why the writing ended early.
pub(crate) enum Ended {
    /// It failed itself.
    Writing(io::Error),
    /// There is nothing more to be written.
    Because(Failure),
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Ended {
        Ended::Writing(error)
    }
}

impl From<ModelError> for Ended {
    fn from(error: ModelError) -> Ended {
        Ended::Because(error.into())
    }
}

/// Writes to a file, which appears when it is complete, or to standard output.
pub(crate) fn write_to(
    place: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Ended>,
) -> Result<(), Failure> {
    let mut because = None;
    let guarded = |out: &mut dyn Write| {
        write(out).map_err(|ended| match ended {
            Ended::Writing(error) => error,
            Ended::Because(failure) => {
                because = Some(failure);
                io::Error::other("it ends before it is complete")
            }
        })
    };
    let written = match place {
        None => console::stdout(|out| guarded(out)),
        Some(path) => atomic_write(path, |out| guarded(out)).map_err(Failure::from),
    };
    because.map_or(written, Err)
}
