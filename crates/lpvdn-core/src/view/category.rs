//! One column of categories, one-hot encoded: z_c = (x_c − p_c) · factor, p_c being the share of category c.
//!
//! The factor makes the variance of the whole block, Σ p_c (1 − p_c), that of one standardised column of numbers,
//! however many categories there are. Standardised one by one, forty cities would outweigh everything else.

use serde::{Deserialize, Serialize};

use super::asked::Asked;

/// A block of categories.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Categories {
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub(super) name: String,
    /// Of each category.
    pub(super) shares: Vec<f32>,
    /// 0 where all rows have the same category.
    pub(super) factor: f32,
    /// What was asked for.
    #[serde(skip_serializing_if = "Asked::is_nothing", default)]
    pub(super) asked: Asked,
}

impl Categories {
    /// Of categories with these shares of the rows. Rows without any are allowed.
    pub(super) fn fit(name: &str, shares: &[f64], weight: f32) -> Categories {
        let variance: f64 = shares.iter().map(|p| p * (1.0 - p)).sum();
        let factor = if variance > 1e-9 { (f64::from(weight) / variance).sqrt() } else { 0.0 };
        let shares = shares.iter().map(|p| *p as f32).collect();
        Categories { name: name.to_owned(), shares, factor: factor as f32, asked: Asked::default() }
    }

    pub(super) fn width(&self) -> usize {
        self.shares.len()
    }

    pub(super) fn is_finite(&self) -> bool {
        self.factor.is_finite() && self.asked.is_finite() && self.shares.iter().all(|share| share.is_finite())
    }

    pub(super) fn apply(&self, row: &[f32], out: &mut [f32]) {
        let both = row.iter().zip(&self.shares);
        out.iter_mut().zip(both).for_each(|(out, (x, share))| *out = (x - share) * self.factor);
    }

    /// The shares of the categories, where a row of the view is a mean of several.
    pub(super) fn invert(&self, seen: &[f32], out: &mut [f64]) {
        let both = seen.iter().zip(&self.shares);
        out.iter_mut().zip(both).for_each(|(out, (z, share))| {
            *out = f64::from(if self.factor > 0.0 { z / self.factor + share } else { *share });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_the_variance_of_one_column_however_many_categories_it_has() {
        for categories in [2_usize, 5, 40] {
            let shares = vec![1.0 / categories as f64; categories];
            let block = Categories::fit("city", &shares, 1.0);
            let mut out = vec![0.0; categories];
            let mut row = vec![0.0; categories];
            row[1] = 1.0;
            block.apply(&row, &mut out);
            // All categories are alike, so the squared length of one is the variance.
            let squared: f32 = out.iter().map(|z| z * z).sum();
            assert!((squared - 1.0).abs() < 1e-5, "{categories}: {squared}");
            let mut back = vec![0.0; categories];
            block.invert(&out, &mut back);
            assert!(back.iter().zip(&row).all(|(a, b)| (a - f64::from(*b)).abs() < 1e-6));
        }
    }

    #[test]
    fn a_category_that_all_rows_have_says_nothing() {
        let block = Categories::fit("", &[1.0, 0.0], 1.0);
        let mut out = [9.0; 2];
        block.apply(&[0.0, 1.0], &mut out);
        assert_eq!(out, [0.0, 0.0]);
    }
}
