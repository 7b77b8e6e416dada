//! Times the index of nearest neighbours on seeded clusters in ten dimensions, on all threads.
//!
//! ```console
//! $ cargo run --release -p lpvdn-cluster --example hnsw -- [points [connections [ef_construction]]]
//! ```
#![allow(clippy::print_stdout)]

use std::time::Instant;

use lpvdn_cluster::{Hnsw, HnswParams};
use lpvdn_core::{Matrix, Pool, StreamKey};

/// Whatever went wrong, on whichever thread.
type Failure = Box<dyn std::error::Error + Send + Sync>;

const COLUMNS: usize = 10;
const CLUSTERS: usize = 100;
const SEED: u64 = 7;

fn main() -> Result<(), Failure> {
    let arguments: Vec<usize> = std::env::args().skip(1).map(|a| a.parse()).collect::<Result<_, _>>()?;
    let points = clusters(arguments.first().copied().unwrap_or(200_000), 0);
    let queries = clusters(100_000, 1);
    let mut params = HnswParams::new().seed(SEED);
    if let Some(&connections) = arguments.get(1) {
        params = params.connections(connections);
    }
    if let Some(&ef) = arguments.get(2) {
        params = params.ef_construction(ef);
    }
    let pool = Pool::new(0)?;
    pool.run(|| measure(&points, &queries, &params, pool.threads()))
}

fn measure(
    points: &Matrix<f32>,
    queries: &Matrix<f32>,
    params: &HnswParams,
    threads: usize,
) -> Result<(), Failure> {
    let start = Instant::now();
    let mut index = Hnsw::new(points, params)?;
    let built = start.elapsed().as_secs_f64();
    println!("{} points of {COLUMNS} dimensions, {threads} threads: built in {built:.1} s", points.rows());
    println!("ef_search   queries/s   recall@10");
    for ef in [16, 32, 64, 128] {
        index = index.with_ef_search(ef)?;
        let start = Instant::now();
        index.search(queries, 10)?;
        let speed = queries.rows() as f64 / start.elapsed().as_secs_f64();
        println!("{ef:9}   {speed:9.0}   {:9.4}", index.recall(10, 500, SEED)?);
    }
    Ok(())
}

/// Normal clusters that touch: their centres are uniform in a cube, eight standard deviations wide. Row i
/// belongs to cluster i mod 100.
fn clusters(rows: usize, draw: u64) -> Matrix<f32> {
    let mut stream = StreamKey::new(SEED, "centers").open();
    let centers = Matrix::from_fn(CLUSTERS, COLUMNS, |_, _| 8.0 * stream.uniform() as f32);
    let mut stream = StreamKey::new(SEED, "points").at(0, 0, draw).open();
    Matrix::from_fn(rows, COLUMNS, |i, j| centers.row(i % CLUSTERS)[j] + stream.normal() as f32)
}
