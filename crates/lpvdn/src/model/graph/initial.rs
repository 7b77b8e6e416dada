//! The clusters of the rows as they are, before any training: the result of a quick fit, and where others begin.

use super::choice;
use super::hyperparams::GraphParams;
use super::landmarks::Landmarks;
use super::partitions::{self, Partition, PartitionOf, Partitions, Points, Way, agreements};
use super::places::Projection;
use crate::error::FitError;
use crate::model::examine::Ready;
use crate::train::control::FitControl;
use crate::train::events::Event;

/// The rows that speak for all, as they are compared, and their neighbours.
pub(crate) struct Neighborhood {
    pub(crate) projection: Projection,
    pub(crate) points: Points,
}

impl Neighborhood {
    /// Of the rows of a district.
    pub(crate) fn of(
        params: &GraphParams,
        ready: &Ready<'_>,
        rows: &[u32],
        control: &mut FitControl<'_>,
    ) -> Result<Neighborhood, FitError> {
        let projection = Projection::fit(ready, rows, params.projection, control)?;
        let places = projection.places(&ready.data, &ready.preprocessor, rows)?;
        control.say(&Event::Working("neighbours of the rows"));
        let points = Points::new(places, params)?;
        ensure_wanted(control)?;
        Ok(Neighborhood { projection, points })
    }
}

/// The partitions of the rows, and what stands in a model for the one that is kept.
pub(crate) struct Initial {
    pub(crate) partitions: Partitions,
    pub(crate) landmarks: Landmarks,
}

impl Initial {
    /// Divides the rows in three ways, and keeps one.
    pub(crate) fn of(
        params: &GraphParams,
        points: &Points,
        rows: &[u32],
        control: &mut FitControl<'_>,
    ) -> Result<Initial, FitError> {
        control.say(&Event::Working("communities of the neighbour graph"));
        let stop = control.stop;
        let stopped = || stop.is_some_and(|stop| stop.load(std::sync::atomic::Ordering::Relaxed));
        let mut ways = vec![(Way::Leiden, partitions::leiden(points, params, &stopped)?)];
        control.say(&Event::Working("K-means and a mixture of the rows"));
        let k_means = partitions::k_means(points, params)?;
        ways.push((Way::KMeans, k_means.labels.clone()));
        ensure_wanted(control)?;
        ways.extend(
            partitions::mixture(&points.places, params, &k_means.labels).map(|labels| (Way::Mixture, labels)),
        );
        ensure_wanted(control)?;
        let agreements = agreements(&ways);
        control.say(&Event::Working("choosing a partition"));
        let verdict = choice::verdict(points, &ways, params, &stopped)?;
        let wanted = params.partition.forced().unwrap_or(verdict.preferred);
        let kept = ways.iter().position(|(way, _)| *way == wanted).unwrap_or(0);
        let landmarks = match ways[kept].0 {
            Way::KMeans => {
                Landmarks::of_centers(k_means.centers.clone(), k_means.inertia, points.places.rows())
            }
            _ => {
                let settings = (params.clusters, params.landmarks, params.seed);
                Landmarks::of(&points.places, &ways[kept].1, settings)?
            }
        };
        let partition = |((way, labels), agreement): ((Way, Vec<u32>), f64)| Partition {
            modularity: choice::modularity(&points.graph, &labels),
            stability: verdict.stability.and_then(|stability| stability.of(way)),
            of: PartitionOf::Rows,
            way,
            labels,
            agreement,
        };
        let all = ways.into_iter().zip(agreements).map(partition).collect();
        Ok(Initial { partitions: Partitions { rows: rows.to_vec(), all, kept, reproduced: 0.0 }, landmarks })
    }
}

impl Partitions {
    /// Notes which share of the rows has the label that the model gives in place of the partition's.
    pub(crate) fn compare(&mut self, labels: &[u32]) {
        let kept = &self.all[self.kept].labels;
        let same =
            self.rows.iter().zip(kept).filter(|(row, label)| labels[**row as usize] == **label).count();
        self.reproduced = same as f64 / self.rows.len() as f64;
    }
}

/// An error where the fit is not wanted any more.
pub(crate) fn ensure_wanted(control: &FitControl<'_>) -> Result<(), FitError> {
    if control.stopped() { Err(FitError::Interrupted { checkpoint: None }) } else { Ok(()) }
}
