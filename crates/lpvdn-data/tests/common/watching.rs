//! How much memory a reader asks for.
#![allow(dead_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use lpvdn_data::{OpenOptions, open};

use crate::common::{Folder, says};

/// The system's allocator, which remembers the largest block a thread asked for.
struct Watching;

thread_local! {
    pub(crate) static LARGEST: Cell<usize> = const { Cell::new(0) };
}

fn note(size: usize) {
    let _ = LARGEST.try_with(|largest| largest.set(largest.get().max(size)));
}

// SAFETY: every call goes to the system's allocator unchanged; noting a size allocates nothing.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(block, layout) }
    }
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

/// The refusal, for which no block above 4 MiB may be asked.
pub(crate) fn modest_refusal(folder: &Folder, name: &str, content: &[u8]) -> String {
    let path = folder.file(name, content);
    LARGEST.set(0);
    let message = open(path, &OpenOptions::default()).expect_err("must be refused").to_string();
    assert!(LARGEST.get() <= 4 << 20, "{} bytes for {name}: {message}", LARGEST.get());
    says(&message, &[name]);
    message
}
