//! What a fit would do, without doing it.

use lpvdn_core::view::Unknown;
use lpvdn_core::{Dataset, Pool, Preprocessor};
use serde::Serialize;

use super::hyperparams::{LpvdnParams, LpvdnValidParams};
use super::network::Shape;
use super::prepare::Prepared;
use crate::error::FitError;
use crate::loss::reconstruction::Likelihood;
use crate::model::examine::Ready;
use crate::train::control::FitControl;
use crate::train::events::Plan;

/// What a fit would do.
#[derive(Clone, Debug, Serialize)]
pub struct Outlook {
    /// What it would take.
    pub plan: Plan,
    /// How rows would be seen, a line for each kind of columns; none where values are only scaled.
    pub view: Option<Vec<String>>,
    /// The values that would be taken for unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<Unknown>,
    /// How values would be scaled, after that.
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
            let prepared = Prepared::of(self, data, &mut FitControl::default())?;
            let plan = prepared.plan(pool.threads());
            let shape = prepared.network.shape().clone();
            let Prepared { params, ready, likelihood, warnings, .. } = prepared;
            let Ready { view, preprocessor, unknown, .. } = ready;
            let view = view.map(|view| view.lines());
            Ok(Outlook { plan, view, unknown, preprocessor, likelihood, shape, params, warnings })
        })
    }
}
