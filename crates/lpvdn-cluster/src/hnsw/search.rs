//! Queries.

use lpvdn_core::Matrix;
use rayon::prelude::*;

use super::walk::{Walk, Walks};
use super::{Hnsw, order};
use crate::distance::squared_distance;
use crate::neighbors::NeighborsError;
use crate::{Neighbors, input};

/// Queries of a task.
const TASK: usize = 32;
/// Queries whose answers are put in their places together.
const BLOCK: usize = 1 << 14;

impl Hnsw {
    /// The `k` nearest points of each row of `queries`, up to a few that the search missed; nearest first, and
    /// of equally near ones the one with the lowest index first. The distances are those of
    /// [`Neighbors::of`], to the bit.
    ///
    /// # Errors
    /// Where `k` is 0 or there are fewer points, a value is not finite or too large, or the queries have
    /// another number of columns than the points.
    pub fn search(&self, queries: &Matrix<f32>, k: usize) -> Result<Neighbors, NeighborsError> {
        input::check_columns(queries, self.cols).map_err(NeighborsError::Queries)?;
        check_k(k, self.rows())?;
        let mut order: Vec<u32> = (0..queries.rows() as u32).collect();
        order::by_place(queries, &mut order);
        Ok(self.answer_all(&order, k, |place, query, walk| {
            query[..self.cols].copy_from_slice(queries.row(order[place] as usize));
            self.answer(query, k, None, walk)
        }))
    }

    /// The `k` nearest other points of each point. A point is not its own neighbour; a point equal to it is.
    ///
    /// # Errors
    /// Where `k` is 0 or there are fewer other points.
    pub fn among(&self, k: usize) -> Result<Neighbors, NeighborsError> {
        check_k(k, self.rows() - 1)?;
        let order = self.nodes.all_rows();
        Ok(self.answer_all(order, k, |place, _, walk| {
            self.answer(self.nodes.values(self.nodes.at(place)), k, Some(order[place]), walk)
        }))
    }

    /// The answers to all queries, of which `order` holds the rows; the query at each place of it is
    /// answered by `answer`, which gets memory for its values.
    fn answer_all(
        &self,
        order: &[u32],
        k: usize,
        answer: impl Fn(usize, &mut [f32], &mut Walk) -> Vec<(f32, u32)> + Sync,
    ) -> Neighbors {
        let walks = Walks::new(&self.nodes);
        let mut indices = Matrix::zeros(order.len(), k);
        let mut distances = Matrix::zeros(order.len(), k);
        for start in (0..order.len()).step_by(BLOCK) {
            let block = &order[start..(start + BLOCK).min(order.len())];
            let tasks = input::chunks(block.len(), TASK).map(|places| {
                let mut query = vec![0.0; self.nodes.width()];
                walks.lend(|walk| places.map(|p| answer(start + p, &mut query, walk)).collect())
            });
            let answers: Vec<Vec<Vec<(f32, u32)>>> = tasks.collect();
            for (&row, found) in block.iter().zip(answers.iter().flatten()) {
                let cells = indices.row_mut(row as usize).iter_mut().zip(distances.row_mut(row as usize));
                for ((index, distance), (square, found)) in cells.zip(found) {
                    (*index, *distance) = (*found, square.sqrt());
                }
            }
        }
        Neighbors { indices, distances }
    }

    /// The `k` nearest points as (squared distance, index), nearest first; not the point `without`.
    pub(super) fn answer(
        &self,
        query: &[f32],
        k: usize,
        without: Option<u32>,
        walk: &mut Walk,
    ) -> Vec<(f32, u32)> {
        let ef = self.ef(k);
        if self.nodes.len() > ef {
            walk.descend(&self.nodes, &self.graph, query, 1);
            walk.search(&self.nodes, &self.graph.layers[0], query, ef);
            let found = self.points_found(query, k, without, walk);
            if found.len() == k {
                return found;
            }
        }
        self.answer_by_trying_all(query, k, without, walk)
    }

    /// The same without the graph, and so without a miss.
    pub(super) fn answer_by_trying_all(
        &self,
        query: &[f32],
        k: usize,
        without: Option<u32>,
        walk: &mut Walk,
    ) -> Vec<(f32, u32)> {
        walk.try_all(&self.nodes, query, self.ef(k));
        self.points_found(query, k, without, walk)
    }

    /// How many nodes to find for `k` points. One may be the query itself.
    fn ef(&self, k: usize) -> usize {
        self.ef_search.max(k + 1).min(self.nodes.len())
    }

    /// The nearest points of the nodes that were found.
    fn points_found(&self, query: &[f32], k: usize, without: Option<u32>, walk: &Walk) -> Vec<(f32, u32)> {
        let mut found = Vec::with_capacity(self.ef(k));
        for node in walk.nearest.nodes() {
            let square = squared_distance(query, self.nodes.values(node));
            let rows = self.nodes.rows(node).iter().filter(|row| Some(**row) != without);
            found.extend(rows.take(k).map(|&row| (square, row)));
        }
        found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        found.truncate(k);
        found
    }
}

/// As the exact search does.
pub(super) fn check_k(k: usize, available: usize) -> Result<(), NeighborsError> {
    match k {
        0 => Err(NeighborsError::NoNeighbors),
        _ if k > available => Err(NeighborsError::TooFewRows { neighbors: k, available }),
        _ => Ok(()),
    }
}
