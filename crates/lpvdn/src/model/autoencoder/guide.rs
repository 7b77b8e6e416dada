//! A plain autoencoder that shows a method without one where its clusters start.

use lpvdn_core::{Dataset, Matrix, Preprocessor};

use super::algorithm::{numbers, pretrain};
use super::hyperparams::{AutoencoderParams, AutoencoderValidParams};
use super::network::EncoderNetwork;
use super::trainer::{Basis, Trainer};
use crate::error::FitError;
use crate::loss::reconstruction::Likelihood;
use crate::model::centers::{Centers, labels_by_k_means};
use crate::model::lpvdn::clustering::divided;
use crate::model::lpvdn::effort::{by_cells, by_k_means};
use crate::model::lpvdn::hyperparams::Budget;
use crate::train::checkpoint::State;
use crate::train::control::FitControl;
use crate::train::districts::{Districts, districts_of};
use crate::train::events::Event;
use crate::train::runner::Runner;

/// The autoencoder of AE + K-means, before its first step.
pub(crate) struct Guide {
    valid: AutoencoderValidParams,
    budget: Budget,
    network: EncoderNetwork,
    likelihood: Likelihood,
}

/// What it is trained on, and for which run.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) data: &'a Dataset,
    /// A hash of the rows, and of how they are seen.
    pub(crate) rows: u64,
    pub(crate) preprocessor: &'a Preprocessor,
    pub(crate) fingerprint: u64,
    /// Multiply-adds of what follows, by which the time left is told.
    pub(crate) later: f64,
}

impl Guide {
    pub(crate) fn new(
        valid: &AutoencoderValidParams,
        data: &Dataset,
        likelihood: Likelihood,
    ) -> Result<Guide, FitError> {
        // Of no refinement, nothing is left to the type of the columns.
        let valid = valid.resolved(data.rows(), likelihood, false)?;
        let budget = valid.budget(data.rows());
        Ok(Guide { network: valid.network(data.rows(), data.cols()), valid, budget, likelihood })
    }

    pub(crate) fn budget(&self) -> Budget {
        self.budget
    }

    pub(crate) fn parameters(&self) -> usize {
        self.network.layout().len()
    }

    pub(crate) fn start(&self) -> State {
        let params = self.valid.get();
        State::new(self.network.init(params.seed, params.init))
    }

    /// Trains it, from where the state is, and divides the rows into clusters that keep the nearest neighbours among
    /// its codes together.
    pub(crate) fn clusters(
        &self,
        ground: Ground<'_>,
        runner: &mut Runner,
        state: &mut State,
        control: &mut FitControl<'_>,
    ) -> Result<Vec<u32>, FitError> {
        let Ground { data, rows, preprocessor, fingerprint, later } = ground;
        let basis = Basis {
            valid: &self.valid,
            budget: self.budget,
            network: &self.network,
            preprocessor,
            likelihood: self.likelihood,
            fingerprint,
            later,
        };
        let mut trainer = Trainer::new(&basis, data);
        pretrain(&basis, rows, &mut trainer, runner, state, control)?;
        control.say(&Event::Working("clustering the pre-trained codes"));
        let codes = trainer.latent_means(state)?;
        clusters_of(self.valid.get(), trainer.districts(), &codes)
    }

    /// Multiply-adds of training and clustering.
    pub(crate) fn work(&self, rows: usize) -> f64 {
        let params = self.valid.get();
        let (clusters, latent) = (params.clusters, params.latent_dim);
        let together = rows.div_ceil(districts_of(rows, params.district));
        let clustering = by_cells(clusters, together, latent, latent)
            .unwrap_or_else(|| by_k_means(clusters, together, params.starts, latent));
        clustering + self.network.multiplications(false) * (self.budget.pretrain_epochs * rows) as f64
    }

    /// Numbers that it keeps in memory.
    pub(crate) fn numbers(&self, rows: usize, columns: usize) -> usize {
        let params = self.valid.get();
        let neighbors = params.shared().graph_neighbors(rows);
        numbers(&self.network, self.budget, columns) + rows * (3 * params.latent_dim + 2 * neighbors + 4)
    }
}

/// The cluster of every code, by the graph of those that speak for all; by K-means where that finds none, as among few
/// rows.
fn clusters_of(
    params: &AutoencoderParams,
    districts: &Districts,
    codes: &Matrix<f32>,
) -> Result<Vec<u32>, FitError> {
    let sample = districts.sample(codes);
    let Some((found, _)) = divided(&params.shared(), &sample, &sample)? else {
        return labels_by_k_means(codes, &sample, (params.clusters, params.starts, params.seed));
    };
    let cells = Centers::new(found.cells, 1.0).labels(codes);
    Ok(cells.into_iter().map(|cell| found.clusters[cell as usize]).collect())
}

#[cfg(test)]
mod tests {
    use lpvdn_core::StreamKey;

    use super::*;
    use crate::Recipe;

    /// Two groups, eight times as long as they are apart, and which of them a point is of.
    fn groups(rows: usize) -> (Matrix<f32>, Vec<u32>) {
        let mut stream = StreamKey::new(4, "groups").open();
        let codes = Matrix::from_fn(rows, 2, |i, j| {
            let place = [0.0, 4.0 * (i % 2) as f64][j];
            (place + [8.0, 0.5][j] * stream.normal()) as f32
        });
        (codes, (0..rows as u32).map(|i| i % 2).collect())
    }

    fn agreement(found: &[u32], truth: &[u32]) -> f64 {
        let same = found.iter().zip(truth).filter(|(a, b)| a == b).count();
        same.max(truth.len() - same) as f64 / truth.len() as f64
    }

    #[test]
    fn clusters_follow_the_neighbours_in_one_district_and_in_several() {
        let (codes, truth) = groups(3_000);
        let params = AutoencoderParams::plain(Recipe::Robust, 2);
        for district in [3_000, 1_500] {
            let districts = Districts::new((3_000, 2), district, 1);
            let found = clusters_of(&params, &districts, &codes).expect("clusters");
            assert!(agreement(&found, &truth) > 0.99, "{}", agreement(&found, &truth));
        }
    }

    #[test]
    fn rows_too_few_for_a_graph_are_clustered_by_k_means() {
        let (codes, _) = groups(40);
        let params = AutoencoderParams::plain(Recipe::Robust, 2);
        let districts = Districts::new((40, 2), 40, 1);
        let found = clusters_of(&params, &districts, &codes).expect("clusters");
        assert_eq!(found, labels_by_k_means(&codes, &codes, (2, params.starts, 0)).expect("clusters"));
    }
}
