//! The blocks that were asked for last.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Blocks by their number. When it is full, the one goes that was asked for longest ago.
#[derive(Debug)]
pub(super) struct Cache {
    capacity: usize,
    blocks: HashMap<usize, (u64, Arc<Vec<u8>>)>,
    /// When a block was asked for last, and which.
    uses: BTreeMap<u64, usize>,
    now: u64,
}

impl Cache {
    pub(super) fn new(capacity: usize) -> Cache {
        Cache { capacity, blocks: HashMap::new(), uses: BTreeMap::new(), now: 0 }
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
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
        if let Some((used, _)) = self.blocks.insert(block, (self.now, bytes)) {
            self.uses.remove(&used);
        }
        self.uses.insert(self.now, block);
        while self.blocks.len() > self.capacity {
            let Some((_, oldest)) = self.uses.pop_first() else { return };
            self.blocks.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_goes_that_was_asked_for_longest_ago() {
        let mut cache = Cache::new(2);
        let bytes = |n: u8| Arc::new(vec![n]);
        let here = |cache: &mut Cache| -> Vec<bool> {
            (0..4).map(|block| cache.blocks.contains_key(&block)).collect()
        };
        cache.keep(0, bytes(0));
        cache.keep(1, bytes(1));
        assert_eq!(cache.find(&[0, 3]), [Some(bytes(0)), None]);
        cache.keep(2, bytes(2));
        assert_eq!(here(&mut cache), [true, false, true, false]);
        cache.keep(2, bytes(9));
        cache.keep(3, bytes(3));
        assert_eq!(here(&mut cache), [false, false, true, true]);
        assert_eq!((cache.find(&[2]), cache.uses.len()), (vec![Some(bytes(9))], 2));
    }
}
