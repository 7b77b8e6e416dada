//! Decoders of other libraries.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether this thread is in such a decoder.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder of another library. Their authors harden them against damaged files, but do not promise
/// that they never panic on one: then what the decoder held is dropped, and the file is refused. What the
/// panic would print is for the decoder's authors, not for who gave the file.
pub(crate) fn contained<T, E: ToString>(decode: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| set_hook(quiet_inside(take_hook())));
    let outside = INSIDE.replace(true);
    let result = catch_unwind(AssertUnwindSafe(decode));
    INSIDE.set(outside);
    match result {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err("its parts contradict each other".to_owned()),
    }
}

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send>;

/// What is said of a panic: what was said before, but of those inside nothing.
fn quiet_inside(before: Hook) -> Hook {
    Box::new(move |panic| {
        if !INSIDE.get() {
            before(panic);
        }
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_panic_is_told_outside_of_a_decoder_and_not_inside() {
        let told = Arc::new(AtomicUsize::new(0));
        let (count, this) = (Arc::clone(&told), std::thread::current().id());
        // First, or the hook of `contained` would lie over that of the test.
        assert_eq!(contained(|| Ok::<_, String>(1)), Ok(1));
        let before = take_hook();
        set_hook(quiet_inside(Box::new(move |_| {
            // Other tests may panic meanwhile.
            count.fetch_add(usize::from(std::thread::current().id() == this), Ordering::Relaxed);
        })));
        let inside = contained(|| -> Result<(), String> { panic!("inside") });
        let told_inside = told.load(Ordering::Relaxed);
        let outside = catch_unwind(|| panic!("outside"));
        set_hook(before);
        assert!(inside.is_err_and(|problem| problem.contains("contradict")) && outside.is_err());
        assert_eq!((told_inside, told.load(Ordering::Relaxed)), (0, 1));
    }
}
