//! The blocks that were asked for last.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Blocks by their number. When it is full, those go that were asked for longest ago.
#[derive(Debug)]
pub(super) struct Cache {
    /// Bytes that may be kept; one block may always.
    capacity: u64,
    held: u64,
    blocks: HashMap<usize, (u64, Arc<Vec<u8>>)>,
    /// When a block was asked for last, and which.
    uses: BTreeMap<u64, usize>,
    now: u64,
}

impl Cache {
    pub(super) fn new(capacity: u64) -> Cache {
        Cache { capacity, held: 0, blocks: HashMap::new(), uses: BTreeMap::new(), now: 0 }
    }

    /// Those of `wanted` that are here.
    pub(super) fn find(&mut self, wanted: &[usize]) -> Vec<Option<Arc<Vec<u8>>>> {
        wanted.iter().map(|&block| self.touch(block)).collect()
    }

    fn touch(&mut self, block: usize) -> Option<Arc<Vec<u8>>> {
        let (used, bytes) = self.blocks.get_mut(&block)?;
        self.uses.remove(used);
        self.now += 1;
        *used = self.now;
        self.uses.insert(self.now, block);
        Some(Arc::clone(bytes))
    }

    /// Keeps a block, in the place of others if need be.
    pub(super) fn keep(&mut self, block: usize, bytes: Arc<Vec<u8>>) {
        self.now += 1;
        self.held += bytes.len() as u64;
        if let Some((used, before)) = self.blocks.insert(block, (self.now, bytes)) {
            self.uses.remove(&used);
            self.held -= before.len() as u64;
        }
        self.uses.insert(self.now, block);
        while self.held > self.capacity && self.blocks.len() > 1 {
            let Some((_, oldest)) = self.uses.pop_first() else { return };
            self.held -= self.blocks.remove(&oldest).map_or(0, |(_, bytes)| bytes.len() as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here(cache: &Cache) -> Vec<usize> {
        let mut blocks: Vec<usize> = cache.blocks.keys().copied().collect();
        blocks.sort_unstable();
        blocks
    }

    #[test]
    fn the_block_goes_that_was_asked_for_longest_ago() {
        let mut cache = Cache::new(2);
        let bytes = |n: u8| Arc::new(vec![n]);
        cache.keep(0, bytes(0));
        cache.keep(1, bytes(1));
        assert_eq!(cache.find(&[0, 3]), [Some(bytes(0)), None]);
        cache.keep(2, bytes(2));
        assert_eq!(here(&cache), [0, 2]);
        cache.keep(2, bytes(9));
        cache.keep(3, bytes(3));
        assert_eq!(here(&cache), [2, 3]);
        assert_eq!((cache.find(&[2]), cache.uses.len(), cache.held), (vec![Some(bytes(9))], 2, 2));
    }

    #[test]
    fn blocks_count_by_their_bytes_and_one_may_always_stay() {
        let mut cache = Cache::new(10);
        (0..4).for_each(|block| cache.keep(block, Arc::new(vec![0; 3])));
        assert_eq!((here(&cache), cache.held), (vec![1, 2, 3], 9));
        cache.keep(7, Arc::new(vec![0; 30]));
        assert_eq!((here(&cache), cache.held), (vec![7], 30));
        cache.keep(8, Arc::new(vec![0; 10]));
        assert_eq!((here(&cache), cache.held), (vec![8], 10));
    }
}
