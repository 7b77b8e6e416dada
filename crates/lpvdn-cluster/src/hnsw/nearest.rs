//! The nearest nodes that a search has found.

/// A node and its squared distance in one number that sorts by the distance, then by the node. The lowest bit
/// says that its links have been followed. A squared distance has no sign, which makes room for it.
type Key = u64;
const FOLLOWED: Key = 1;

fn key(square: f32, node: u32) -> Key {
    u64::from(square.to_bits()) << 33 | u64::from(node) << 1
}

fn node(key: Key) -> u32 {
    (key >> 1) as u32
}

fn square(key: Key) -> f32 {
    f32::from_bits((key >> 33) as u32)
}

/// At most `limit` nodes, nearest first: both the candidates and the results of the paper's Algorithm 2.
/// What falls out of the list could only be followed after the search has ended.
#[derive(Debug, Default)]
pub(super) struct Nearest {
    keys: Vec<Key>,
    limit: usize,
    /// All before it have been followed.
    next: usize,
}

impl Nearest {
    /// Forgets all nodes.
    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.next = 0;
    }

    /// Keeps the nearest `limit` nodes, with the links of all of them to be followed anew.
    pub(super) fn restart(&mut self, limit: usize) {
        self.limit = limit;
        self.keys.truncate(limit);
        self.keys.iter_mut().for_each(|key| *key &= !FOLLOWED);
        self.next = 0;
    }

    /// Adds a node that has not been offered before, if it is near enough.
    pub(super) fn offer(&mut self, square: f32, node: u32) {
        let key = key(square, node);
        if self.keys.len() == self.limit {
            if self.keys.last().is_none_or(|&last| key > last) {
                return;
            }
            self.keys.pop();
        }
        let place = self.keys.partition_point(|&other| other < key);
        self.keys.insert(place, key);
        self.next = self.next.min(place);
    }

    /// The nearest node whose links have not been followed; now they are.
    pub(super) fn follow(&mut self) -> Option<u32> {
        let key = self.keys[self.next..].iter_mut().find(|key| **key & FOLLOWED == 0);
        let followed = key.map(|key| {
            *key |= FOLLOWED;
            node(*key)
        });
        self.next += self.keys[self.next..].iter().take_while(|&&key| key & FOLLOWED != 0).count();
        followed
    }

    /// The nodes, nearest first.
    pub(super) fn nodes(&self) -> impl Iterator<Item = u32> {
        self.keys.iter().map(|&key| node(key))
    }

    /// Their squared distances with them.
    pub(super) fn squares(&self) -> impl Iterator<Item = (f32, u32)> {
        self.keys.iter().map(|&key| (square(key), node(key)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_stay_sorted_and_each_is_followed_once() {
        let mut nearest = Nearest::default();
        nearest.restart(3);
        for (square, node) in [(4.0, 1), (1.0, u32::MAX - 1), (9.0, 2), (4.0, 0), (16.0, 5)] {
            nearest.offer(square, node);
        }
        let found: Vec<_> = nearest.squares().collect();
        assert_eq!(found, [(1.0, u32::MAX - 1), (4.0, 0), (4.0, 1)]);
        assert_eq!(nearest.follow(), Some(u32::MAX - 1));
        assert_eq!(nearest.follow(), Some(0));
        nearest.offer(0.5, 7);
        assert_eq!([nearest.follow(), nearest.follow()], [Some(7), None]);
        nearest.restart(1);
        assert_eq!([nearest.follow(), nearest.follow()], [Some(7), None]);
    }
}
