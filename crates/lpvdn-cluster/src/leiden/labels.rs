//! Numbers of communities.

/// How many labels there are, where they are 0 to the largest.
pub(super) fn count(labels: &[u32]) -> usize {
    labels.iter().max().map_or(0, |&last| last as usize + 1)
}

/// Numbers labels, each below their number, from 0 in the order in which they first occur. Gives how many there are.
pub(super) fn compact(labels: &mut [u32]) -> usize {
    const UNSEEN: u32 = u32::MAX;
    let mut new = vec![UNSEEN; count(labels)];
    let mut next = 0;
    for label in labels {
        let place = &mut new[*label as usize];
        if *place == UNSEEN {
            *place = next;
            next += 1;
        }
        *label = *place;
    }
    next as usize
}

/// Numbers labels from 0 by the size of their groups, largest first; of equals, the one with the first node first.
pub(super) fn by_size(labels: &[u32]) -> Vec<u32> {
    let mut labels = labels.to_vec();
    let count = compact(&mut labels);
    let mut sizes = vec![0_usize; count];
    labels.iter().for_each(|&label| sizes[label as usize] += 1);
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.sort_by_key(|&label| std::cmp::Reverse(sizes[label as usize]));
    let mut rank = vec![0; count];
    order.iter().zip(0..).for_each(|(&label, place)| rank[label as usize] = place);
    labels.iter().map(|&label| rank[label as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_group_comes_first_and_of_equals_the_earlier() {
        assert_eq!(by_size(&[7, 3, 3, 0, 5, 5]), [2, 0, 0, 3, 1, 1]);
        assert_eq!(by_size(&[]), [] as [u32; 0]);
    }

    #[test]
    fn compact_labels_keep_the_order_of_their_first_nodes() {
        let mut labels = [4, 4, 1, 0, 1];
        assert_eq!(compact(&mut labels), 3);
        assert_eq!(labels, [0, 0, 1, 2, 1]);
    }
}
