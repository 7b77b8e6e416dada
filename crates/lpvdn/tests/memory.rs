//! What a fit is expected to take of memory, and what it takes.
//!
//! One test, and no other in this file: the bytes are those of the whole process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use lpvdn::model::k_means::KMeansParams;
use lpvdn::model::lpvdn::Search;
use lpvdn::{Event, FitControl, FitError, Lpvdn};
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

/// Bytes of the rows of the view: a hundred components each.
const VIEW: usize = ROWS * 100 * 4;
const ROWS: usize = 12_000;

/// What a fit announces, and what it and the data take then.
#[derive(Debug, Default)]
struct Seen {
    announced: usize,
    held: usize,
}

/// Everything that is announced until `enough` of it was, and the most bytes that fit and data took.
fn observed(data: &Dataset, enough: usize, fit: impl FnOnce(&mut FitControl<'_>)) -> (Vec<Seen>, usize) {
    let others = HELD.load(Ordering::Relaxed) - data.memory();
    PEAK.store(0, Ordering::Relaxed);
    let (mut seen, stop) = (Vec::new(), AtomicBool::new(false));
    let mut observer = |event: &Event<'_>| {
        let announced = match event {
            Event::Planned(plan) | Event::Trying { event: Event::Planned(plan), .. } => plan.memory_bytes,
            Event::Searching(search) => search.plan.memory_bytes,
            _ => return,
        };
        let held = HELD.load(Ordering::Relaxed) - others;
        seen.push(Seen { announced: announced as usize, held });
        stop.store(seen.len() >= enough, Ordering::Relaxed);
    };
    let observer = Some(&mut observer as &mut (dyn FnMut(&Event<'_>) + Send));
    fit(&mut FitControl { threads: 2, observer, stop: Some(&stop), ..FitControl::default() });
    (seen, PEAK.load(Ordering::Relaxed) - others)
}

#[test]
fn a_fit_takes_no_more_than_it_announces_and_a_search_has_one_view_at_a_time() {
    let data = texts(ROWS);
    assert!(data.memory() > 15 << 20, "{}", data.memory());
    let k_means = KMeansParams { starts: 1, ..KMeansParams::new(2) }.check().expect("good");
    let (seen, peak) = observed(&data, usize::MAX, |control| {
        k_means.fit(&data, control).expect("a fit");
    });
    let Seen { announced, held } = seen[0];
    // The rows as they were given, and the rows of the view.
    assert!(held > data.memory() + VIEW, "{held}");
    assert!(peak <= announced && announced < 3 * peak, "{announced} announced, {peak} taken");

    let small = Lpvdn::params(2).layers(vec![16]).latent_dim(4).output_dim(3).batch(200);
    let small = small.pretrain_epochs(1).epochs(1).check().expect("good");
    let search = Search { restarts: 2, clusters: None };
    // The whole search, and its first candidate.
    let (seen, peak) = observed(&data, 2, |control| {
        let error = small.search(&data, &search, control).expect_err("it is stopped");
        assert!(matches!(error, FitError::Interrupted { .. }), "{error}");
    });
    assert_eq!(seen.len(), 2);
    for Seen { announced, held } in seen {
        assert!(held < data.memory() + VIEW + VIEW / 2 && peak <= announced, "{announced} {held} {peak}");
    }
}
