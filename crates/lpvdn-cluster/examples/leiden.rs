//! Times the graph of neighbours and Leiden on seeded clusters, on all threads.
//!
//! ```console
//! $ cargo run --release -p lpvdn-cluster --example leiden -- [rows [columns [index]]]
//! ```
#![allow(clippy::print_stdout)]

use std::time::Instant;

use lpvdn_cluster::graph::{NeighborSearch, Weighting};
use lpvdn_cluster::{GraphParams, Leiden, LeidenK, NeighborGraph, metrics};
use lpvdn_core::{Matrix, Pool, StreamKey};

/// Whatever went wrong, on whichever thread.
type Failure = Box<dyn std::error::Error + Send + Sync>;

const CLUSTERS: usize = 20;
const SEED: u64 = 7;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, or: usize| arguments.get(place).map_or(Ok(or), |text| text.parse());
    let rows = clusters(number(0, 70_000)?, number(1, 10)?);
    let search = match arguments.get(2).map(String::as_str) {
        None => NeighborSearch::Fastest,
        Some("index") => NeighborSearch::Index,
        Some(_) => NeighborSearch::Exact,
    };
    let pool = Pool::new(0)?;
    println!("{} rows, {} columns, {} threads", rows.rows(), rows.cols(), pool.threads());
    pool.run(|| measure(&rows, search))
}

fn measure(rows: &Matrix<f32>, search: NeighborSearch) -> Result<(), Failure> {
    let start = Instant::now();
    let neighbors = GraphParams::new().search(search).seed(SEED).search_rows(rows)?;
    println!("neighbours ({search:?}): {:.2} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let graph = NeighborGraph::from_neighbors(&neighbors, Weighting::default())?;
    println!("graph of {} edges: {:.2} s", graph.edges(), start.elapsed().as_secs_f64());
    let start = Instant::now();
    let found = Leiden::params().seed(SEED).fit(&graph)?;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} communities at resolution 1, {} passes: {seconds:.2} s",
        found.communities, found.iterations
    );
    let start = Instant::now();
    let found = LeidenK::params(CLUSTERS).seed(SEED).fit(&graph, Some(rows))?;
    let seconds = start.elapsed().as_secs_f64();
    let truth: Vec<u32> = (0..rows.rows()).map(|i| (i % CLUSTERS) as u32).collect();
    let ari = metrics::ari(&truth, &found.labels)?;
    println!("{CLUSTERS} communities, {} runs: {seconds:.2} s, ARI {ari:.3}", found.profile.runs().len());
    Ok(())
}

/// Normal clusters that touch: their centres are uniform in a cube, six standard deviations wide. Row i belongs to cluster
/// i mod 20.
fn clusters(rows: usize, columns: usize) -> Matrix<f32> {
    let mut stream = StreamKey::new(SEED, "centers").open();
    let centers = Matrix::from_fn(CLUSTERS, columns, |_, _| 6.0 * stream.uniform() as f32);
    let mut stream = StreamKey::new(SEED, "points").open();
    Matrix::from_fn(rows, columns, |i, j| centers.row(i % CLUSTERS)[j] + stream.normal() as f32)
}
