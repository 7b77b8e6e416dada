//! A search without labels: short fits are compared, and the best is repeated in full.
//!
//! Candidate i has the seed s + i, and its fit is an ordinary one with a part of the epochs. What is
//! returned is the ordinary fit of the chosen seed and number of clusters, so that whoever wants the same
//! model again needs no search.
//!
//! | file | what it holds |
//! |---|---|
//! | `candidate` | one short fit, and what is kept of it |
//! | `choice` | the comparison: scores, agreement, the curve over the number of clusters |

mod candidate;
mod choice;

use std::ops::RangeInclusive;
use std::sync::atomic::Ordering;

use lpvdn_core::{Dataset, Pool};
use serde::{Deserialize, Serialize};

use super::errors::ParamsError;
use super::hyperparams::{Budget, FinalClustering, LpvdnParams, LpvdnValidParams};
use super::prepare::Prepared;
use crate::error::FitError;
use crate::model::fitted::Fitted;
use crate::train::control::FitControl;
use crate::train::events::{Event, Plan};

use candidate::Scout;
pub use choice::{Candidate, Choice, CurvePoint};

/// A candidate has the epochs of a full fit divided by this.
pub const SHORTENING: usize = 5;
/// More candidates than this are a slip of the hand.
const MOST_RESTARTS: usize = 1_000;
/// More clusters than this are not compared with each other.
const MOST_CLUSTERS: usize = 1_000;
/// Candidates that agree less than this (mean ARI) say that the clusters are a matter of the seed.
const LITTLE_AGREEMENT: f64 = 0.5;

/// What is searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// How many candidates.
    pub restarts: usize,
    /// From which numbers of clusters one is chosen; `None` leaves the one of the parameters.
    pub clusters: Option<RangeInclusive<usize>>,
}

/// What a search is going to do, said before it starts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchPlan {
    /// The full fit. With a choice of clusters, the one with most; its duration is that of the whole
    /// search.
    pub plan: Plan,
    /// How many candidates.
    pub candidates: usize,
    /// The numbers of clusters to choose from.
    pub clusters: Option<RangeInclusive<usize>>,
    /// Batch and epochs of a candidate.
    pub short: Budget,
}

/// What a search gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The chosen fit, in full. Its seconds are those of the whole search.
    pub fitted: Fitted,
    /// What it was chosen from.
    pub choice: Choice,
}

impl Search {
    /// Whether it can be searched so.
    pub fn check(&self) -> Result<(), ParamsError> {
        if !(1..=MOST_RESTARTS).contains(&self.restarts) {
            return Err(ParamsError::BadRestarts { value: self.restarts, most: MOST_RESTARTS });
        }
        match &self.clusters {
            Some(range) if *range.start() < 2 || range.is_empty() || *range.end() > MOST_CLUSTERS => {
                let (from, to) = (*range.start(), *range.end());
                Err(ParamsError::BadClusterRange { from, to, most: MOST_CLUSTERS })
            }
            _ => Ok(()),
        }
    }

    fn most_clusters(&self, params: &LpvdnParams) -> usize {
        self.clusters.as_ref().map_or(params.clusters, |range| *range.end())
    }
}

impl LpvdnValidParams {
    /// Trains candidates, chooses one without labels, and fits it in full.
    ///
    /// With a store in `control`, what has been finished of a search that was stopped is taken from there.
    pub fn search(
        &self,
        data: &Dataset,
        search: &Search,
        control: &mut FitControl<'_>,
    ) -> Result<Found, FitError> {
        search.check()?;
        let pool = Pool::new(control.threads).map_err(FitError::Threads)?;
        let params = LpvdnParams { clusters: search.most_clusters(self.get()), ..self.get().clone() };
        let short = pool.run(|| announce(&params, data, search, control, pool.threads()))?;
        let mut scouts = Vec::new();
        let mut failure = None;
        for i in 0..search.restarts {
            let params = LpvdnParams { seed: seed_of(self.get().seed, i), ..short.clone() };
            match Scout::find_or_train(params, data, (i + 1, search.restarts), control) {
                Ok(scout) => scouts.push(scout),
                // One seed that explodes is what the others are for.
                Err(error @ FitError::NonFinite { .. }) => {
                    control.say(&Event::Warning(&format!("candidate {}: {error}", i + 1)));
                    failure = Some(error);
                }
                Err(error) => return Err(error),
            }
        }
        if let (true, Some(failure)) = (scouts.is_empty(), failure) {
            return Err(failure);
        }
        control.say(&Event::Working("comparing the candidates"));
        let truth = data.labels.as_ref().map(|labels| labels.codes.as_slice());
        let stop = control.stop;
        let stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        let choice = pool.run(|| Choice::of(&scouts, truth, search.clusters.clone(), &short, &stopped))?;
        drop(scouts);
        control.say(&Event::Chosen(&choice));
        self.fit_chosen(data, choice, control)
    }

    fn fit_chosen(
        &self,
        data: &Dataset,
        choice: Choice,
        control: &mut FitControl<'_>,
    ) -> Result<Found, FitError> {
        let (seed, clusters) = (choice.seed, choice.clusters);
        let full = LpvdnParams { seed, clusters, ..self.get().clone() }.check()?;
        let mut fitted = full.fit(data, control)?;
        fitted.seconds += choice.candidates.iter().map(|c| c.seconds).sum::<f64>();
        if let Some(agreement) = choice.agreement.filter(|a| *a < LITTLE_AGREEMENT) {
            let warning = format!(
                "the candidates agree little (mean ARI {agreement:.2}): these clusters depend on the seed; try another number of clusters, or more epochs"
            );
            control.say(&Event::Warning(&warning));
            fitted.warnings.push(warning);
        }
        Ok(Found { fitted, choice })
    }
}

/// The seeds of the candidates follow each other; settings files hold no larger ones.
fn seed_of(first: u64, candidate: usize) -> u64 {
    first.wrapping_add(candidate as u64) & (i64::MAX as u64)
}

/// Says what is going to happen, and gives the parameters of a candidate.
fn announce(
    params: &LpvdnParams,
    data: &Dataset,
    search: &Search,
    control: &mut FitControl<'_>,
    threads: usize,
) -> Result<LpvdnParams, FitError> {
    let full = Prepared::of(&params.clone().check()?, data, control)?;
    let short_params = shortened(&full.params);
    let (mut plan, all) = (full.plan(threads), full.effort());
    // The same rows: two views of them would take twice the memory.
    let short = Prepared::with(&short_params.clone().check()?, full.ready)?;
    let one = short.effort();
    plan.seconds *= 1.0 + search.restarts as f64 * one / all;
    control.check_memory(plan.memory_bytes)?;
    control.say(&Event::Searching(&SearchPlan {
        plan,
        candidates: search.restarts,
        clusters: search.clusters.clone(),
        short: short.budget,
    }));
    if control.stopped() {
        return Err(FitError::Interrupted { checkpoint: None });
    }
    Ok(short_params)
}

/// Parameters from which nothing is left to the data, with fewer epochs.
fn shortened(full: &LpvdnParams) -> LpvdnParams {
    let part = |epochs: Option<usize>| epochs.map(|n| n.div_ceil(SHORTENING));
    LpvdnParams {
        pretrain_epochs: part(full.pretrain_epochs),
        epochs: part(full.epochs),
        settle_epochs: part(full.settle_epochs),
        // By which they are compared, for any number of clusters.
        clustering: FinalClustering::KMeans,
        ..full.clone()
    }
}
