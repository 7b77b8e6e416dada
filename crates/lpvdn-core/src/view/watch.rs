//! Who is told of work that takes long, and is asked whether it is still wanted.

use crate::subspace::Stopped;

/// Whoever waits for a view.
pub trait Watch {
    /// Something begins that takes more than a moment.
    fn working(&mut self, what: &str);
    /// Whether it is not wanted any more.
    fn stopped(&self) -> bool;
}

/// Nobody waits.
impl Watch for () {
    fn working(&mut self, _: &str) {}

    fn stopped(&self) -> bool {
        false
    }
}

/// Whether to go on.
pub(super) fn go_on(watch: &dyn Watch) -> Result<(), Stopped> {
    if watch.stopped() { Err(Stopped) } else { Ok(()) }
}
