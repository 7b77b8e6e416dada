//! The clusters of the rows as they are, before any training: the result of a quick fit, and where others begin.

use lpvdn_cluster::{KMeans, LeidenK};

use super::choice::{self, Stability, Verdict};
use super::hyperparams::GraphParams;
use super::landmarks::Landmarks;
use super::partitions::{self, Partition, PartitionOf, Partitions, Points, Search, Way, agreements};
use super::places::Projection;
use super::whitening::{Whitened, Whitening};
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
    /// The space of the landmarks, where it is not that of the neighbourhood.
    whitening: Option<Whitening>,
}

/// The rows, divided in all ways, and the place of the one that is kept.
struct Found {
    ways: Vec<(Way, Vec<u32>)>,
    k_means: KMeans,
    stability: Option<Stability>,
    whitened: Option<Whitened>,
    kept: usize,
}

impl Found {
    fn of(params: &GraphParams, points: &Points, control: &mut FitControl<'_>) -> Result<Found, FitError> {
        control.say(&Event::Working("communities of the neighbour graph"));
        let stop = control.stop;
        let stopped = || stop.is_some_and(|stop| stop.load(std::sync::atomic::Ordering::Relaxed));
        let LeidenK { labels, resolution, .. } = partitions::leiden(points, params, Search::Whole, &stopped)?;
        let mut ways = vec![(Way::Leiden, labels)];
        control.say(&Event::Working("K-means and a mixture of the rows"));
        let k_means = partitions::k_means(points, params)?;
        ways.push((Way::KMeans, k_means.labels.clone()));
        ensure_wanted(control)?;
        ways.extend(
            partitions::mixture(&points.places, params, &k_means.labels).map(|labels| (Way::Mixture, labels)),
        );
        ensure_wanted(control)?;
        control.say(&Event::Working("choosing a partition"));
        let Verdict { preferred, stability } =
            choice::verdict(points, &ways, (params, resolution), &stopped)?;
        let mut wanted = params.partition.forced().unwrap_or(preferred);
        let either =
            wanted == Way::Leiden && params.partition.forced().is_none() && choice::is_whitened(points);
        let mut whitened = None;
        if either || wanted == Way::LeidenWhitened {
            control.say(&Event::Working("communities in the space in which clusters are round"));
            whitened = Whitened::of(points, (&ways[0].1, resolution), params, &stopped)?;
            if let (true, Some(second)) = (either, &whitened) {
                wanted = choice::of_both_spaces((points, &ways[0].1), second);
            }
            ways.extend(whitened.iter().map(|second| (Way::LeidenWhitened, second.labels.clone())));
        }
        let kept = ways.iter().position(|(way, _)| *way == wanted).unwrap_or(0);
        Ok(Found { ways, k_means, stability, whitened, kept })
    }
}

impl Initial {
    /// Divides the rows in all ways, and keeps one.
    pub(crate) fn of(
        params: &GraphParams,
        points: &Points,
        rows: &[u32],
        control: &mut FitControl<'_>,
    ) -> Result<Initial, FitError> {
        let Found { ways, k_means, stability, whitened, kept } = Found::of(params, points, control)?;
        let agreements = agreements(&ways);
        let (way, labels) = &ways[kept];
        let settings = (params.clusters, params.landmarks, params.seed);
        let whitened = whitened.filter(|_| *way == Way::LeidenWhitened);
        let landmarks = match (way, &whitened) {
            (Way::KMeans, _) => Landmarks::of_centers(k_means.centers, k_means.inertia, points.places.rows()),
            (_, Some(second)) => Landmarks::of(&second.points.places, labels, settings)?,
            (_, None) => Landmarks::of(&points.places, labels, settings)?,
        };
        let partition = |((way, labels), agreement): ((Way, Vec<u32>), f64)| Partition {
            modularity: choice::modularity(&points.graph, &labels),
            stability: stability.and_then(|stability| stability.of(way)),
            of: PartitionOf::Rows,
            way,
            labels,
            agreement,
        };
        let all = ways.into_iter().zip(agreements).map(partition).collect();
        let partitions = Partitions { rows: rows.to_vec(), all, kept, reproduced: 0.0 };
        Ok(Initial { partitions, landmarks, whitening: whitened.map(|second| second.whitening) })
    }

    /// What takes rows to the space of the landmarks; `projection` takes them to that of the neighbourhood.
    pub(crate) fn projection(&self, projection: &Projection) -> Projection {
        match &self.whitening {
            Some(whitening) => whitening.after(projection),
            None => projection.clone(),
        }
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
