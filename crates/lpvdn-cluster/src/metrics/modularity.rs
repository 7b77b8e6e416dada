//! How well clusters keep neighbours together.

use lpvdn_core::Matrix;

use super::errors::MetricsError;

/// The modularity of clusters in a graph of neighbours: the share of edges inside clusters, less what it
/// would be if the edges were drawn by chance. Higher is better.
///
/// $$Q = \frac1m \sum_c \left( e_c - \frac{d_c^2}{m} \right)$$
///
/// with m edge ends in all, e_c of them on edges inside cluster c, and d_c at its rows. Row i of
/// `neighbors` has the rows that i has an edge to; directions do not count.
///
/// ```
/// use lpvdn_cluster::metrics::modularity;
/// use lpvdn_core::Matrix;
/// let pairs = Matrix::from_vec(vec![1, 0, 3, 2], 4, 1);
/// assert_eq!(modularity(&pairs, &[0, 0, 1, 1])?, 0.5);
/// assert_eq!(modularity(&pairs, &[0, 1, 1, 0])?, -0.5);
/// # Ok::<(), lpvdn_cluster::metrics::MetricsError>(())
/// ```
pub fn modularity(neighbors: &Matrix<u32>, labels: &[u32]) -> Result<f64, MetricsError> {
    let rows = neighbors.rows();
    if rows != labels.len() {
        return Err(MetricsError::Lengths { first: rows, second: labels.len() });
    }
    let clusters = labels.iter().max().map_or(0, |&last| last as usize + 1);
    let (mut inside, mut ends) = (0_u64, vec![0_u64; clusters]);
    for (row, &label) in neighbors.iter_rows().zip(labels) {
        for &other in row {
            let &of_other = labels
                .get(other as usize)
                .ok_or(MetricsError::Lengths { first: other as usize + 1, second: labels.len() })?;
            inside += 2 * u64::from(label == of_other);
            ends[label as usize] += 1;
            ends[of_other as usize] += 1;
        }
    }
    let all: u64 = ends.iter().sum();
    if all == 0 {
        return Err(MetricsError::Empty);
    }
    let by_chance: f64 = ends.iter().map(|&d| (d as f64 / all as f64).powi(2)).sum();
    Ok(inside as f64 / all as f64 - by_chance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cluster_has_none_and_neighbours_that_are_kept_together_have_much() {
        // Two rings of five.
        let rings = Matrix::from_fn(10, 1, |i, _| (i / 5 * 5 + (i + 1) % 5) as u32);
        assert_eq!(modularity(&rings, &[0; 10]), Ok(0.0));
        assert_eq!(modularity(&rings, &[0, 0, 0, 0, 0, 1, 1, 1, 1, 1]), Ok(0.5));
        let cut = modularity(&rings, &[0, 0, 0, 0, 1, 1, 1, 1, 1, 1]).expect("a number");
        // 8 of 10 edges inside; 4 and 6 tenths of the ends.
        assert!((cut - (0.8 - 0.16 - 0.36)).abs() < 1e-12, "{cut}");
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        let pairs = Matrix::from_vec(vec![1, 9], 2, 1);
        assert!(modularity(&pairs, &[0]).is_err());
        assert!(modularity(&pairs, &[0, 0]).is_err());
        assert_eq!(modularity(&Matrix::zeros(0, 1), &[]), Err(MetricsError::Empty));
    }
}
