//! Which of the documents become rows.

use lpvdn_core::stream::StreamKey;

/// The seed of the permutation whose first 10,000 documents are `reuters-10k`. It is part of what the
/// set is: another one would be another set.
const SEED: u64 = 10_000;
const TEN_THOUSAND: usize = 10_000;

/// Which of the documents become rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// All of them, in their order.
    All,
    /// The first 10,000 of a fixed permutation of all. The vocabulary and its weights are those of all.
    TenThousand,
}

impl Choice {
    /// The places of the chosen among `count` documents, in the order of the rows.
    pub(super) fn of(self, count: usize) -> Vec<u32> {
        let mut places: Vec<u32> = (0..count as u32).collect();
        if self == Choice::TenThousand {
            StreamKey::new(SEED, "reuters-10k").open().shuffle(&mut places);
            places.truncate(TEN_THOUSAND);
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_thousand_are_drawn_once_each_and_always_the_same() {
        let drawn = Choice::TenThousand.of(685_071);
        assert_eq!(drawn, Choice::TenThousand.of(685_071));
        // Written down, because results of other days must mean the same set.
        assert_eq!(drawn[..5], [124_028, 86_895, 122_392, 424_143, 249_887]);
        let mut sorted = drawn.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 10_000);
        assert_eq!(Choice::All.of(3), [0, 1, 2]);
        assert_eq!(Choice::TenThousand.of(30).len(), 30);
    }
}
