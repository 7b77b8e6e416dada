//! What a fit is expected to take of memory, and what it takes.
//!
//! One test, and no other in this file: the bytes are those of the whole process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use lpvdn::model::k_means::KMeansParams;
use lpvdn::model::lpvdn::Search;
use lpvdn::{Event, FitControl, Lpvdn};
use lpvdn_core::{CsrMatrix, Dataset, StreamKey};

/// Counts the bytes that are held, and the most of them.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(held, Ordering::Relaxed);
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Rows of 200 terms each, of two topics.
fn texts(rows: usize) -> Dataset {
    let mut stream = StreamKey::new(1, "memory").open();
    let mut sparse = CsrMatrix::new(2_000);
    for i in 0..rows {
        let topic = 800 * (i % 2);
        let mut words: Vec<u32> = (0..210).map(|_| (topic as u64 + stream.below(1_200)) as u32).collect();
        words.sort_unstable();
        words.dedup();
        sparse.push_row(words.into_iter().map(|word| (word, 0.25 + (word % 3) as f32)));
    }
    Dataset::new("texts", sparse)
}

/// The bytes that a fit announces, those that are held then, and the most that were held in the whole fit.
fn observed(fit: impl FnOnce(&mut FitControl<'_>)) -> (usize, usize, usize) {
    let (mut expected, mut held) = (0, 0);
    PEAK.store(HELD.load(Ordering::Relaxed), Ordering::Relaxed);
    let mut observer = |event: &Event<'_>| {
        let bytes = match event {
            Event::Planned(plan) => plan.memory_bytes,
            Event::Searching(search) => search.plan.memory_bytes,
            _ => return,
        };
        if expected == 0 {
            (expected, held) = (bytes as usize, HELD.load(Ordering::Relaxed));
        }
    };
    fit(&mut FitControl { threads: 2, observer: Some(&mut observer), ..FitControl::default() });
    (expected, held, PEAK.load(Ordering::Relaxed))
}

#[test]
fn a_fit_takes_no_more_than_it_announces_with_the_data_and_its_view() {
    let data = texts(12_000);
    assert!(data.memory() > 15 << 20, "{}", data.memory());
    let k_means = KMeansParams { starts: 1, ..KMeansParams::new(2) }.check().expect("good");
    let (expected, held, peak) = observed(|control| {
        k_means.fit(&data, control).expect("a fit");
    });
    // The rows as they were given, and the rows of the view.
    assert!(held > data.memory() + 12_000 * 100 * 4, "{held}");
    assert!(peak <= expected && expected < 3 * peak, "K-means: {expected} expected, {peak} taken");

    let small = Lpvdn::params(2).layers(vec![16]).latent_dim(4).output_dim(3).batch(200);
    let small = small.pretrain_epochs(1).epochs(1).check().expect("good");
    let search = Search { restarts: 2, clusters: None };
    let (expected, _, peak) = observed(|control| {
        small.search(&data, &search, control).expect("a search");
    });
    assert!(peak <= expected && expected < 3 * peak, "a search: {expected} expected, {peak} taken");
}
