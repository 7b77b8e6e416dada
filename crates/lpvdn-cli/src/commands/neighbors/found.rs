//! The search.

use lpvdn_cluster::{Hnsw, HnswParams, Neighbors};
use lpvdn_core::Matrix;

use super::queries::Queries;
use crate::failure::Failure;
use crate::model_args::SearchKind;

/// An index is worth being built for more queries than this, among more rows than that: it costs as much as comparing
/// about a thousand queries with all rows.
const QUERIES: usize = 1_000;
const ROWS: usize = 1_000_000;
/// Rows by which the recall of an index is measured.
const MEASURED: usize = 100;

/// Neighbours where nobody says how many.
const COUNT: usize = 10;

/// A row, and how far it is.
pub(super) type Near = (u32, f32);

pub(super) struct Found {
    /// Of each query, the nearest first.
    pub(super) near: Vec<Vec<Near>>,
    /// The share of the nearest rows that the index finds, where there is one.
    pub(super) recall: Option<f64>,
}

/// A row that is asked for is not its own neighbour.
pub(super) fn find(
    codes: &Matrix<f32>,
    queries: &Queries,
    count: Option<usize>,
    kind: Option<SearchKind>,
) -> Result<Found, Failure> {
    let many = codes.rows() > ROWS && queries.names.len() > QUERIES;
    let kind = kind.unwrap_or(if many { SearchKind::Hnsw } else { SearchKind::Exact });
    let own = queries.rows.iter().any(Option::is_some);
    let available = codes.rows() - usize::from(own);
    let count = count.unwrap_or(COUNT.min(available));
    if available == 0 {
        return Err(Failure::Failed("there is no other row".to_owned()));
    }
    if count > available {
        return Err(Failure::Usage(format!("-k {count}: there are only {available} other rows")));
    }
    // One more than asked for, in case a query finds itself.
    let k = count + usize::from(own);
    let failed = |e: &dyn std::fmt::Display| Failure::Failed(e.to_string());
    let (found, recall) = match kind {
        SearchKind::Exact => (Neighbors::of(&queries.codes, codes, k).map_err(|e| failed(&e))?, None),
        SearchKind::Hnsw => {
            let index = Hnsw::new(codes, &HnswParams::new()).map_err(|e| failed(&e))?;
            // Of a row among all others, of which there may be one fewer.
            let count = count.min(codes.rows() - 1);
            let measure = || index.recall(count, MEASURED.min(codes.rows()), 0).map_err(|e| failed(&e));
            let recall = (count > 0).then(measure).transpose()?;
            (index.search(&queries.codes, k).map_err(|e| failed(&e))?, recall)
        }
    };
    let near = (0..queries.names.len()).map(|query| {
        let pairs = found.indices.row(query).iter().zip(found.distances.row(query));
        let others = pairs.filter(|(row, _)| queries.rows[query] != Some(**row));
        others.map(|(&row, &distance)| (row, distance)).take(count).collect()
    });
    Ok(Found { near: near.collect(), recall })
}
