//! The clusters of the rows as they are, before any training: the result of a quick fit, and where others begin.

use std::time::Instant;

use lpvdn_cluster::{KMeans, LeidenK};
use lpvdn_core::Dataset;

use super::choice::{self, Stability, Verdict};
use super::hyperparams::GraphParams;
use super::landmarks::Landmarks;
use super::partitions::{self, Partition, PartitionOf, Partitions, Points, Search, Way, agreements};
use super::places::{Projection, width_of_places};
use super::whitening::{Whitened, Whitening};
use crate::error::FitError;
use crate::model::examine::Ready;
use crate::train::control::FitControl;
use crate::train::districts::{Districts, districts_of};
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

impl Initial {
    /// The cluster of each row that speaks for all, in the partition that is kept. None where a cluster is empty: then it is no
    /// start for as many.
    pub(crate) fn start(&self, clusters: usize) -> Option<&[u32]> {
        let labels = &self.partitions.kept().labels;
        let mut empty = vec![true; clusters];
        labels.iter().for_each(|&label| empty[label as usize] = false);
        (!empty.contains(&true)).then_some(labels)
    }
}

/// What is known of the rows before a training.
pub(crate) struct Start {
    pub(crate) neighborhood: Neighborhood,
    /// Their partitions, where they were asked for.
    pub(crate) initial: Option<Initial>,
}

/// What a fit wants to know of its rows before it trains.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// Whether they are to be divided, or only their neighbours found.
    pub(crate) divided: bool,
    /// Whether the fit goes on from a checkpoint.
    pub(crate) resumed: bool,
}

impl Start {
    /// Finds the neighbours of the rows, divides them if that is asked for, and announces it. Every fit of a trained method begins so
    /// in the robust recipe. It takes seconds, so it is not in a checkpoint: a fit that is resumed does it again.
    pub(crate) fn of(
        params: &GraphParams,
        ready: &Ready<'_>,
        asked: Asked,
        control: &mut FitControl<'_>,
    ) -> Result<Start, FitError> {
        Start::found(params, ready, asked.divided, control).map_err(|error| {
            match (error, &control.checkpoint) {
                // A run that was resumed keeps the checkpoint that it came from, whatever stops it before its next step.
                (FitError::Interrupted { checkpoint: None }, Some(policy)) if asked.resumed => {
                    FitError::Interrupted { checkpoint: Some(policy.path.clone()) }
                }
                (error, _) => error,
            }
        })
    }

    fn found(
        params: &GraphParams,
        ready: &Ready<'_>,
        divided: bool,
        control: &mut FitControl<'_>,
    ) -> Result<Start, FitError> {
        let began = Instant::now();
        let districts = districts(params, ready);
        let rows = districts.rows(0);
        let neighborhood = Neighborhood::of(params, ready, rows, control)?;
        if !divided {
            return Ok(Start { neighborhood, initial: None });
        }
        let initial = Initial::of(params, &neighborhood.points, rows, control)?;
        let seconds = began.elapsed().as_secs_f64();
        control.say(&Event::Initial { partitions: &initial.partitions, seconds });
        Ok(Start { neighborhood, initial: Some(initial) })
    }

    /// The cluster of every row: by the partition for the rows that speak for all, by what stands for it for the others.
    pub(crate) fn labels(&self, params: &GraphParams, ready: &Ready<'_>) -> Result<Vec<u32>, FitError> {
        let Some(initial) = &self.initial else { return Ok(Vec::new()) };
        let districts = districts(params, ready);
        let mut all = vec![0; ready.data.rows()];
        for district in 0..districts.count() {
            let rows = districts.rows(district);
            let labels = match district {
                0 => initial.partitions.kept().labels.clone(),
                _ => {
                    let places =
                        self.neighborhood.projection.places(&ready.data, &ready.preprocessor, rows)?;
                    initial.landmarks.labels(&places, params.clusters)
                }
            };
            rows.iter().zip(labels).for_each(|(&row, label)| all[row as usize] = label);
        }
        Ok(all)
    }
}

fn districts(params: &GraphParams, ready: &Ready<'_>) -> Districts {
    let data = ready.data.as_ref();
    Districts::new((data.rows(), data.source.row_values()), params.district, params.seed)
}

/// Numbers that it keeps in memory: the places of the rows that speak for all, their neighbours and weighted edges.
pub(crate) fn numbers(params: &GraphParams, data: &Dataset) -> usize {
    let together = data.rows().div_ceil(districts_of(data.rows(), params.district));
    let neighbors = params.neighbors.min(together.saturating_sub(1));
    together * (width_of_places(data, params.projection) + 20 * neighbors)
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
