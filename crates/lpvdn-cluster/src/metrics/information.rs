//! Measures from pairs and from information: ARI, NMI, AMI.

use std::collections::BTreeMap;

use lpvdn_core::Real;

use super::contingency::Contingency;

fn ln(x: f64) -> f64 {
    Real::ln::<false>(x)
}

impl Contingency {
    /// The adjusted Rand index: 1 for equal partitions, 0 on average for random ones, never below
    /// −½. With pairs of rows counted by whether they are together in the classes and in the
    /// clusters,
    ///
    /// $$\frac{2(n_{11}n_{00} - n_{10}n_{01})}{(n_{11}+n_{10})(n_{10}+n_{00}) + (n_{11}+n_{01})(n_{01}+n_{00})}$$
    pub fn ari(&self) -> f64 {
        let squares =
            |sizes: &mut dyn Iterator<Item = u64>| sizes.map(|s| i128::from(s).pow(2)).sum::<i128>();
        let n = i128::from(self.rows());
        let cells = squares(&mut self.counts.iter().map(|c| c.2));
        // Ordered pairs: each unordered pair counts twice, which cancels.
        let n11 = cells - n;
        let n10 = squares(&mut self.class_sizes.iter().copied()) - cells;
        let n01 = squares(&mut self.cluster_sizes.iter().copied()) - cells;
        let n00 = n * n - n - n11 - n10 - n01;
        if n10 == 0 && n01 == 0 {
            return 1.0;
        }
        let numerator = 2 * (n11 * n00 - n10 * n01);
        numerator as f64 / ((n11 + n10) * (n10 + n00) + (n11 + n01) * (n01 + n00)) as f64
    }

    /// The mutual information of classes and clusters in nats.
    pub fn mutual_information(&self) -> f64 {
        if self.class_sizes.len() == 1 || self.cluster_sizes.len() == 1 {
            return 0.0;
        }
        let n = self.rows() as f64;
        let term = |&(class, cluster, count): &(usize, usize, u64)| {
            let (a, b) = (self.class_sizes[class] as f64, self.cluster_sizes[cluster] as f64);
            let term = count as f64 / n * (ln(count as f64) + ln(n) - ln(a) - ln(b));
            // The rounding of independent labelings is not information.
            if term.abs() < f64::EPSILON { 0.0 } else { term }
        };
        self.counts.iter().map(term).sum::<f64>().max(0.0)
    }

    /// The mutual information over the mean of the two entropies,
    ///
    /// $$\frac{2\,I(T; C)}{H(T) + H(C)},$$
    ///
    /// and 1 when classes and clusters both are a single one.
    pub fn nmi(&self) -> f64 {
        if self.class_sizes.len() == 1 && self.cluster_sizes.len() == 1 {
            return 1.0;
        }
        let information = self.mutual_information();
        if information == 0.0 { 0.0 } else { information / self.mean_entropy() }
    }

    /// The mutual information adjusted for chance,
    ///
    /// $$\frac{I(T; C) - \bar I}{\tfrac12(H(T) + H(C)) - \bar I},$$
    ///
    /// where $\bar I$ is the mean over all labelings with the same sizes.
    pub fn ami(&self) -> f64 {
        match (self.class_sizes.len(), self.cluster_sizes.len()) {
            (1, 1) => return 1.0,
            (1, _) | (_, 1) => return 0.0,
            _ => {}
        }
        // Where the expectation equals the maximum, both differences are rounding errors of 0.
        let away_from_0 = |x: f64| if x < 0.0 { x.min(-f64::EPSILON) } else { x.max(f64::EPSILON) };
        let expected = self.expected_information();
        away_from_0(self.mutual_information() - expected) / away_from_0(self.mean_entropy() - expected)
    }

    fn mean_entropy(&self) -> f64 {
        let n = self.rows() as f64;
        let entropy =
            |sizes: &[u64]| -sizes.iter().map(|&s| s as f64 / n * (ln(s as f64) - ln(n))).sum::<f64>();
        0.5 * (entropy(&self.class_sizes) + entropy(&self.cluster_sizes))
    }

    /// The mean information under the hypergeometric model (Vinh, Epps & Bailey 2010). Only distinct sizes matter,
    /// so n clusters of one row cost no more than one.
    fn expected_information(&self) -> f64 {
        let factorials = log_factorials(self.rows() as usize);
        let clusters = multiplicities(&self.cluster_sizes);
        let mut sum = 0.0;
        for (a, times_a) in multiplicities(&self.class_sizes) {
            for (&b, &times_b) in &clusters {
                sum += times_a * times_b * expected_cell(a as usize, b as usize, &factorials);
            }
        }
        sum
    }
}

/// What a class of `a` rows and a cluster of `b` rows add to the expectation.
fn expected_cell(a: usize, b: usize, log_factorials: &[f64]) -> f64 {
    let n = log_factorials.len() - 1;
    let f = |i: usize| log_factorials[i];
    let fixed = f(a) + f(b) + f(n - a) + f(n - b) - f(n);
    let shift = ln(n as f64) - ln(a as f64) - ln(b as f64);
    let term = |m: usize| {
        let log_probability = fixed - f(m) - f(a - m) - f(b - m) - f(n + m - a - b);
        let information = m as f64 / n as f64 * (ln(m as f64) + shift);
        information * Real::exp::<false>(log_probability)
    };
    ((a + b).saturating_sub(n).max(1)..=a.min(b)).map(term).sum()
}

/// ln 0! … ln n!, summed with compensation.
fn log_factorials(n: usize) -> Vec<f64> {
    let (mut sum, mut lost) = (0.0, 0.0);
    let mut table = vec![0.0];
    table.extend((1..=n).map(|i| {
        let term = ln(i as f64) - lost;
        let next = sum + term;
        lost = (next - sum) - term;
        sum = next;
        sum
    }));
    table
}

/// How often each size occurs.
fn multiplicities(sizes: &[u64]) -> BTreeMap<u64, f64> {
    let mut counts = BTreeMap::new();
    for &size in sizes {
        *counts.entry(size).or_insert(0.0) += 1.0;
    }
    counts
}
