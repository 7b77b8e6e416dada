//! Whether most clusters hold next to nothing.

/// A cluster below this share of the mean size is nearly empty, whatever its size.
const NEXT_TO_NOTHING: f64 = 0.01;
/// And below this share, if it has only a few rows.
const LITTLE: f64 = 0.05;
const A_FEW: usize = 5;

/// How clusters are formed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Formed {
    /// By steps with a learning rate.
    BySteps,
    /// Without.
    AtOnce,
}

/// A warning where most clusters are empty or nearly so, or all rows are in one. Clusters of unequal sizes are none: a rare
/// group is small, but it is there.
pub(crate) fn collapse(labels: &[u32], clusters: usize, formed: Formed) -> Option<String> {
    let mut sizes = vec![0_usize; clusters];
    labels.iter().for_each(|&label| sizes[label as usize] += 1);
    let mean = labels.len() as f64 / clusters as f64;
    let nearly_empty = |&size: &usize| {
        size == 0
            || (size as f64) < NEXT_TO_NOTHING * mean
            || (size <= A_FEW && (size as f64) < LITTLE * mean)
    };
    let filled = clusters - sizes.iter().filter(|size| nearly_empty(size)).count();
    let collapsed = clusters > 1 && (filled <= 1 || 2 * filled < clusters);
    let remedy = match formed {
        Formed::BySteps => "try another seed, fewer clusters or a smaller learning rate",
        Formed::AtOnce => "try another seed or fewer clusters",
    };
    collapsed.then(|| {
        format!(
            "the clusters have collapsed: all but {filled} of {clusters} are empty or nearly so; {remedy}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(sizes: &[usize]) -> Option<String> {
        let labels: Vec<u32> =
            (0..).zip(sizes).flat_map(|(label, &size)| std::iter::repeat_n(label, size)).collect();
        collapse(&labels, sizes.len(), Formed::BySteps)
    }

    #[test]
    fn unequal_clusters_are_no_collapse() {
        for sizes in [
            &[4_810, 30][..],
            &[4_000, 500, 310, 30],
            &[9_000, 300, 300, 200, 100, 50, 20, 15, 10, 5],
            &[2, 2, 2, 2, 1, 1],
            &[10, 1, 1, 1],
            &[1, 1, 1],
            &[100],
            &[90, 9, 1],
        ] {
            assert_eq!(told(sizes), None, "{sizes:?}");
        }
    }

    #[test]
    fn a_collapse_is_told_with_how_many_clusters_are_left() {
        for (sizes, filled) in [
            (&[5_620, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], 1),
            (&[3_000, 2_600, 10, 10, 0, 0, 0, 0, 0, 0], 4),
            (&[3_000, 2_610, 1, 1, 1, 2, 1, 2, 1, 1], 2),
            (&[195, 1, 1, 1, 1, 1], 1),
            (&[4_840, 0], 1),
            (&[4_830, 10], 1),
        ] {
            let warning = told(sizes).unwrap_or_else(|| panic!("{sizes:?}"));
            assert!(warning.contains(&format!("all but {filled} of {}", sizes.len())), "{warning}");
        }
    }

    #[test]
    fn a_method_without_a_learning_rate_is_not_advised_a_smaller_one() {
        let labels = [0; 50];
        let told = |formed| collapse(&labels, 3, formed).expect("a collapse");
        assert!(told(Formed::BySteps).contains("learning rate"));
        assert!(!told(Formed::AtOnce).contains("learning rate"));
    }
}
