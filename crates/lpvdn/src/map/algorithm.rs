//! Training a map.

use lpvdn_core::source::Input;
use lpvdn_core::{Matrix, StreamKey};
use lpvdn_nn::optimizer::AdamSettings;
use lpvdn_nn::{Adam, Init, Schedule};

use super::{MapShape, RowMap};
use crate::error::ModelError;
use crate::loss::graph::{NeighborGraph, Neighborhoods};
use crate::loss::locality::{LocalityScratch, locality};

/// Fewer rows have no neighbourhoods: they keep the places of a net that is not trained.
const FEWEST_ROWS: usize = 16;
/// Of more rows so many are drawn to train on. The others get their places from the net.
const MOST_ROWS: usize = 100_000;
/// Between these a map is trained for so many steps, in proportion to its rows.
const STEPS: (usize, usize) = (600, 4_000);

/// How a map is trained.
#[derive(Clone, Debug, PartialEq)]
pub struct MapParams {
    /// The numbers of a place: 2 or 3.
    pub axes: usize,
    /// The widths of the hidden layers.
    pub layers: Vec<usize>,
    /// Neighbours of a row that count.
    pub neighbors: usize,
    /// Rows of a step.
    pub batch: usize,
    /// Neighbours that a row brings into a step.
    pub company: usize,
    /// How often every row is seen with its neighbours.
    pub epochs: usize,
    /// The learning rate at the start; it falls to nothing.
    pub learning_rate: f64,
    /// What chance follows from.
    pub seed: u64,
}

impl MapParams {
    /// The usual ones.
    pub fn new(axes: usize, seed: u64) -> MapParams {
        MapParams {
            axes,
            layers: vec![256, 256, 256],
            neighbors: 15,
            batch: 1_000,
            company: 3,
            epochs: 12,
            learning_rate: 2e-3,
            seed,
        }
    }

    fn steps(&self, rows: usize) -> usize {
        (self.epochs * rows).div_ceil(self.anchors().max(1)).clamp(STEPS.0, STEPS.1)
    }

    /// Rows of a step that bring company.
    fn anchors(&self) -> usize {
        self.batch / (1 + self.company)
    }
}

/// Why there is no map.
#[derive(Debug, thiserror::Error)]
pub enum MapError {
    /// The number of axes is not one that can be shown.
    #[error("a map has 2 or 3 axes, not {0}")]
    Axes(usize),
    /// The codes have no neighbours.
    #[error("the codes have no neighbours to draw a map by: {0}")]
    Codes(String),
    /// The rows could not be encoded.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl RowMap {
    /// Trains a map of codes, on the threads of the pool that this runs in. `go_on` hears the share that is done, and
    /// says whether to go on.
    ///
    /// # Errors
    /// Codes that are not numbers; an interruption.
    pub fn fit(
        codes: &Matrix<f32>,
        params: &MapParams,
        go_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<RowMap, MapError> {
        if !(2..=3).contains(&params.axes) {
            return Err(MapError::Axes(params.axes));
        }
        let drawn = draw(codes, params.seed);
        let codes = drawn.as_ref().unwrap_or(codes);
        let shape = MapShape { inputs: codes.cols(), layers: params.layers.clone(), axes: params.axes };
        let mut map = RowMap::of_shape(shape);
        (map.center, map.factor) = scaling(codes);
        map.weights.resize(map.layout.len(), 0.0);
        map.net.init(&mut map.weights, Init::FanIn, StreamKey::new(params.seed, "map weights"));
        if codes.rows() >= FEWEST_ROWS {
            train(&mut map, codes, params, go_on)?;
        }
        Ok(map)
    }
}

/// The rows to train on, where they are not all.
fn draw(codes: &Matrix<f32>, seed: u64) -> Option<Matrix<f32>> {
    (codes.rows() > MOST_ROWS).then(|| {
        let mut rows: Vec<u32> = (0..codes.rows() as u32).collect();
        StreamKey::new(seed, "map rows").open().shuffle(&mut rows);
        Matrix::from_fn(MOST_ROWS, codes.cols(), |i, j| codes.row(rows[i] as usize)[j])
    })
}

/// The mean of codes, and one factor that gives them a variance of 1.
fn scaling(codes: &Matrix<f32>) -> (Vec<f32>, f32) {
    let n = codes.rows().max(1) as f64;
    let mut mean = vec![0.0_f64; codes.cols()];
    codes.iter_rows().for_each(|row| mean.iter_mut().zip(row).for_each(|(m, &x)| *m += f64::from(x) / n));
    let square = |row: &[f32]| row.iter().zip(&mean).map(|(&x, m)| (f64::from(x) - m).powi(2)).sum::<f64>();
    let variance = codes.iter_rows().map(square).sum::<f64>() / (n * codes.cols().max(1) as f64);
    let factor = if variance > 0.0 { 1.0 / variance.sqrt() } else { 1.0 };
    (mean.into_iter().map(|m| m as f32).collect(), factor as f32)
}

fn train(
    map: &mut RowMap,
    codes: &Matrix<f32>,
    params: &MapParams,
    go_on: &mut dyn FnMut(f64) -> bool,
) -> Result<(), MapError> {
    let seen = map.seen(codes);
    let rows = seen.rows();
    let graph = NeighborGraph::new(&seen, params.neighbors.min(rows - 1))
        .map_err(|e| MapError::Codes(e.to_string()))?;
    let batch = params.batch.min(rows);
    let mut neighborhoods = Neighborhoods::new(rows);
    let mut points = Matrix::zeros(batch, seen.cols());
    let mut net = map.net.workspace(batch, true);
    let mut scratch = LocalityScratch::new(batch, params.axes);
    let mut gradient = vec![0.0_f32; map.weights.len()];
    let mut adam = Adam::new(AdamSettings::default(), map.weights.len());
    let steps = params.steps(rows);
    let mut anchors = Anchors::new(rows, params);
    for step in 0..steps {
        if !go_on(step as f64 / steps as f64) {
            return Err(MapError::Interrupted);
        }
        let mut chance = StreamKey::new(params.seed, "map company").at(0, 0, step as u64).open();
        neighborhoods.compose(&graph, anchors.next(), params.company, batch, &mut chance);
        neighborhoods.measure(&graph);
        points.set_rows(neighborhoods.batch().len());
        for (i, &row) in neighborhoods.batch().iter().enumerate() {
            points.row_mut(i).copy_from_slice(seen.row(row as usize));
        }
        map.net.forward(&map.weights, Input::Dense(&points), &mut net);
        let (places, d_places) = net.output_and_gradient();
        locality(neighborhoods.joint(), places, 1.0, d_places, &mut scratch);
        map.net.backward(&map.weights, Input::Dense(&points), &mut net, &mut gradient, None);
        let falling = Schedule::Cosine { floor: 0.0 }.factor(0, step as f64 / steps as f64);
        let all = 0..map.weights.len();
        adam.step(&mut map.weights, &gradient, all, params.learning_rate * falling);
    }
    Ok(())
}

/// Rows that bring company: each of them once before one comes again.
struct Anchors {
    order: Vec<u32>,
    /// Of a step.
    count: usize,
    seed: u64,
    next: usize,
    epoch: u32,
}

impl Anchors {
    fn new(rows: usize, params: &MapParams) -> Anchors {
        let count = params.anchors().clamp(1, rows);
        // As if an epoch had just ended: the first call shuffles.
        Anchors { order: (0..rows as u32).collect(), count, seed: params.seed, next: rows, epoch: 0 }
    }

    fn next(&mut self) -> &[u32] {
        if self.next + self.count > self.order.len() {
            StreamKey::new(self.seed, "map anchors").at(0, self.epoch, 0).open().shuffle(&mut self.order);
            self.epoch += 1;
            self.next = 0;
        }
        let start = self.next;
        self.next += self.count;
        &self.order[start..self.next]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four groups far apart in five dimensions.
    fn groups(rows: usize) -> Matrix<f32> {
        let mut s = StreamKey::new(3, "groups").open();
        Matrix::from_fn(rows, 5, |i, j| (s.normal() + if i % 4 == j { 12.0 } else { 0.0 }) as f32)
    }

    fn quick() -> MapParams {
        MapParams { layers: vec![32, 32], batch: 200, ..MapParams::new(2, 1) }
    }

    #[test]
    fn rows_of_a_group_are_together_on_the_map_and_so_is_one_that_comes_later() {
        let codes = groups(400);
        let map = RowMap::fit(&codes, &quick(), &mut |_| true).expect("a map");
        let places = map.place(&codes);
        let square = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f32>();
        let nearest = |place: &[f32], without: usize| {
            (0..400)
                .filter(|&j| j != without)
                .min_by(|&a, &b| square(place, places.row(a)).total_cmp(&square(place, places.row(b))))
        };
        let right = (0..400).filter(|&i| nearest(places.row(i), i).is_some_and(|j| j % 4 == i % 4)).count();
        assert!(right > 390, "{right} of 400");
        let later = map.place(&Matrix::from_fn(1, 5, |_, j| if j == 2 { 12.0 } else { 0.0 }));
        assert_eq!(nearest(later.row(0), usize::MAX).map(|j| j % 4), Some(2));
    }

    #[test]
    fn a_map_is_the_same_on_any_number_of_threads_and_another_for_another_seed() {
        let codes = groups(150);
        let fit = |threads: usize, seed: u64| {
            let pool = lpvdn_core::Pool::new(threads).expect("threads");
            let params = MapParams { seed, ..quick() };
            pool.run(|| RowMap::fit(&codes, &params, &mut |_| true)).expect("a map")
        };
        assert_eq!(fit(1, 1), fit(3, 1));
        assert_ne!(fit(1, 1), fit(1, 2));
    }

    #[test]
    fn few_rows_and_equal_rows_have_places_too() {
        for codes in [Matrix::zeros(1, 3), Matrix::zeros(100, 3), groups(5)] {
            let map = RowMap::fit(&codes, &quick(), &mut |_| true).expect("a map");
            assert!(map.place(&codes).as_slice().iter().all(|x| x.is_finite()));
        }
    }

    #[test]
    fn a_map_that_cannot_be_shown_and_one_that_is_stopped_are_errors() {
        let codes = groups(100);
        let four = MapParams { axes: 4, ..quick() };
        assert!(matches!(RowMap::fit(&codes, &four, &mut |_| true), Err(MapError::Axes(4))));
        let mut calls = 0;
        let stopped = RowMap::fit(&codes, &quick(), &mut |_| {
            calls += 1;
            calls < 3
        });
        assert!(matches!(stopped, Err(MapError::Interrupted)) && calls == 3);
    }
}
