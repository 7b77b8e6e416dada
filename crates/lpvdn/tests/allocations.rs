//! In steady state a training step allocates nothing.

#[path = "common/counting.rs"]
mod counting;

use std::sync::atomic::Ordering;

use counting::ALLOCATIONS;
use lpvdn::{Event, FitControl, Lpvdn, Phase};
use lpvdn_core::{Dataset, Matrix};

/// Steps of an epoch, counted between the second and the last: the ends of epochs report and shuffle.
#[test]
fn a_step_allocates_nothing_once_everything_has_its_size() {
    let rows = Matrix::from_fn(2_003, 40, |i, j| ((i * 31 + j * 17) % 101) as f32 / 101.0);
    let data = Dataset::from(rows);
    for (threads, allowed) in [(1, 0), (2, 2)] {
        let mut counts: Vec<(Phase, usize)> = Vec::with_capacity(4_096);
        let mut last = 0;
        let mut observer = |event: &Event<'_>| {
            let now = ALLOCATIONS.load(Ordering::Relaxed);
            if let Event::Step { phase, done } = event
                && *done > 60
                && done % 20 != 1
            {
                counts.push((*phase, now - last));
            }
            last = ALLOCATIONS.load(Ordering::Relaxed);
        };
        let params = Lpvdn::params(4).layers(vec![64, 32]).batch(101).pretrain_epochs(6).epochs(6);
        let params = params.check().expect("good");
        let mut control = FitControl { threads, observer: Some(&mut observer), ..FitControl::default() };
        params.fit(&data, &mut control).expect("a fit");
        assert!(counts.len() > 60);
        counts.sort_by_key(|c| c.1);
        // On several threads the work-stealing queues may still grow once in a while, and a thread
        // that works on two products at a time makes packing memory for the second.
        let (phase, median) = counts[counts.len() / 2];
        assert_eq!(median, 0, "{phase:?} on {threads} threads");
        let total: usize = counts.iter().map(|c| c.1).sum();
        assert!(total <= allowed * counts.len(), "{total} allocations in {} steps", counts.len());
    }
}
