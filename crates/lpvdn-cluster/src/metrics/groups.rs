//! The rows of each cluster.

use lpvdn_core::Matrix;
use rayon::prelude::*;

use super::contingency::{distinct, place};
use super::errors::MetricsError;
use crate::input;

/// Row numbers ordered by cluster, then by number.
pub(super) struct Groups {
    pub(super) order: Vec<u32>,
    /// Where in `order` each cluster begins, and the end.
    starts: Vec<usize>,
}

impl Groups {
    /// Groups checked rows; there must be from 2 to n − 1 clusters.
    pub(super) fn new(data: &Matrix<f32>, labels: &[u32]) -> Result<Groups, MetricsError> {
        if data.rows() != labels.len() {
            return Err(MetricsError::Lengths { first: data.rows(), second: labels.len() });
        }
        if labels.is_empty() {
            return Err(MetricsError::Empty);
        }
        input::check_rows(data)?;
        let names = distinct(labels);
        let (clusters, rows) = (names.len(), labels.len());
        if clusters < 2 || clusters >= rows {
            return Err(MetricsError::Clusters { clusters, rows });
        }
        let mut starts = vec![0; clusters + 1];
        let places: Vec<usize> = labels.iter().map(|&l| place(&names, l)).collect();
        places.iter().for_each(|&p| starts[p + 1] += 1);
        (0..clusters).for_each(|c| starts[c + 1] += starts[c]);
        let mut next = starts.clone();
        let mut order = vec![0; rows];
        for (i, &p) in (0..).zip(&places) {
            order[next[p]] = i;
            next[p] += 1;
        }
        Ok(Groups { order, starts })
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows of cluster `c`, ascending.
    pub(super) fn members(&self, c: usize) -> &[u32] {
        &self.order[self.range(c)]
    }

    /// Where in `order` cluster `c` stands.
    pub(super) fn range(&self, c: usize) -> std::ops::Range<usize> {
        self.starts[c]..self.starts[c + 1]
    }

    /// The mean of each cluster.
    pub(super) fn means(&self, data: &Matrix<f32>) -> Vec<Vec<f64>> {
        let mean = |c: usize| {
            let mut sum = vec![0.0; data.cols()];
            for &i in self.members(c) {
                sum.iter_mut().zip(data.row(i as usize)).for_each(|(s, &x)| *s += f64::from(x));
            }
            sum.iter_mut().for_each(|s| *s /= self.members(c).len() as f64);
            sum
        };
        (0..self.len()).into_par_iter().map(mean).collect()
    }
}
