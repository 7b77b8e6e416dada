//! What a fit would do, without doing it.

use lpvdn_core::{Dataset, Pool, Preprocessor};
use serde::Serialize;

use super::hyperparams::{LpvdnParams, LpvdnValidParams};
use super::network::Shape;
use super::prepare::Prepared;
use crate::error::FitError;
use crate::loss::reconstruction::Likelihood;
use crate::train::events::Plan;

/// What a fit would do.
#[derive(Clone, Debug, Serialize)]
pub struct Outlook {
    /// What it would take.
    pub plan: Plan,
    /// How values would be scaled.
    pub preprocessor: Preprocessor,
    /// How reconstructions would be compared with rows.
    pub likelihood: Likelihood,
    /// The networks.
    #[serde(skip)]
    pub shape: Shape,
    /// The parameters, with nothing left to the data.
    pub params: LpvdnParams,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl LpvdnValidParams {
    /// Reads the data once and says what a fit with so many threads (0 for one a core) would do.
    ///
    /// # Errors
    /// Where the fit would refuse the data.
    pub fn outlook(&self, data: &Dataset, threads: usize) -> Result<Outlook, FitError> {
        let pool = Pool::new(threads).map_err(FitError::Threads)?;
        pool.run(|| {
            let prepared = Prepared::of(self, data)?;
            let plan = prepared.plan(data, pool.threads());
            let shape = prepared.network.shape().clone();
            let Prepared { params, preprocessor, likelihood, warnings, .. } = prepared;
            Ok(Outlook { plan, preprocessor, likelihood, shape, params, warnings })
        })
    }
}
