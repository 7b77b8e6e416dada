//! How the number of communities depends on the resolution.

use lpvdn_core::math;
use rayon::prelude::*;

use super::Leiden;
use super::algorithm::Prepared;
use super::errors::{LeidenError, LeidenParamsError};
use super::hyperparams::LeidenValidParams;
use crate::NeighborGraph;

/// What one resolution gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// γ.
    pub resolution: f64,
    /// The number of communities.
    pub communities: usize,
    /// What the objective says of them at γ.
    pub quality: f64,
}

impl Run {
    pub(super) fn of(found: &Leiden) -> Run {
        Run { resolution: found.resolution, communities: found.communities, quality: found.quality }
    }
}

/// Runs with several resolutions, ascending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    runs: Vec<Run>,
}

/// A range of resolutions that give one number of communities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plateau {
    /// The number of communities.
    pub communities: usize,
    /// The lowest resolution.
    pub from: f64,
    /// The highest resolution.
    pub to: f64,
}

impl Plateau {
    /// ln(to / from).
    pub fn width(&self) -> f64 {
        math::ln(self.to / self.from)
    }
}

impl Profile {
    /// A profile of runs in any order.
    pub fn new(mut runs: Vec<Run>) -> Profile {
        runs.sort_by(|a, b| a.resolution.total_cmp(&b.resolution));
        Profile { runs }
    }

    /// The runs, by ascending resolution.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Ranges of neighbouring runs with one number of communities. A range ends halfway (of the logarithm) between its
    /// last run and the next one, and at the ends of the profile.
    pub fn plateaus(&self) -> Vec<Plateau> {
        let mut plateaus: Vec<Plateau> = Vec::new();
        let mut before: Option<&Run> = None;
        for run in &self.runs {
            match plateaus.last_mut() {
                Some(last) if last.communities == run.communities => last.to = run.resolution,
                last => {
                    let from = before.map_or(run.resolution, |b| (b.resolution * run.resolution).sqrt());
                    if let Some(last) = last {
                        last.to = from;
                    }
                    plateaus.push(Plateau { communities: run.communities, from, to: run.resolution });
                }
            }
            before = Some(run);
        }
        plateaus
    }

    /// The widest range with `least` communities at least; of equals the one with the fewest. This is the number of clusters that
    /// depends least on the resolution.
    pub fn widest(&self, least: usize) -> Option<Plateau> {
        let enough = self.plateaus().into_iter().filter(|p| p.communities >= least);
        enough.reduce(|best, next| if next.width() > best.width() { next } else { best })
    }
}

impl LeidenValidParams {
    /// Runs with `runs` resolutions, evenly spaced by their logarithm over the range, on all threads.
    ///
    /// # Errors
    /// Where the range is not one of positive numbers, or `stopped` said to stop.
    pub fn sweep(
        &self,
        graph: &NeighborGraph,
        range: std::ops::RangeInclusive<f64>,
        runs: usize,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Profile, LeidenError> {
        let (from, to) = range.into_inner();
        if !(from > 0.0 && from <= to && to.is_finite()) {
            return Err(LeidenParamsError::Range { from, to }.into());
        }
        if runs == 0 {
            return Err(LeidenParamsError::NoRuns.into());
        }
        let prepared = Prepared::new(graph, self)?;
        let step = math::ln(to / from) / (runs.max(2) - 1) as f64;
        let run = |i: usize| {
            let found = prepared.fit(&self.at(from * math::exp(step * i as f64)), stopped)?;
            Ok(Run::of(&found))
        };
        let runs: Result<Vec<Run>, LeidenError> =
            (0..runs).into_par_iter().with_max_len(1).map(run).collect();
        Ok(Profile::new(runs?))
    }
}
