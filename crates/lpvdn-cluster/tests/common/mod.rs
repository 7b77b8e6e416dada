//! What the tests share: fixtures and rows.
#![allow(dead_code)] // Each test file uses a part.

use lpvdn_core::{Matrix, StreamKey};
use serde::de::DeserializeOwned;

/// Reads `tests/fixtures/{name}`.
pub(crate) fn fixture<T: DeserializeOwned>(name: &str) -> T {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("a fixture");
    serde_json::from_str(&text).expect("a fixture of the expected form")
}

/// A matrix from rows.
pub(crate) fn matrix<T: Copy + Default>(rows: &[Vec<T>]) -> Matrix<T> {
    Matrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

/// `k` blobs of normal rows around seeded centres; row i belongs to blob i mod k.
pub(crate) fn blobs(rows: usize, cols: usize, k: usize, seed: u64) -> Matrix<f32> {
    let mut s = StreamKey::new(seed, "test-blobs").open();
    let centers = Matrix::from_fn(k, cols, |_, _| 8.0 * s.uniform() as f32);
    Matrix::from_fn(rows, cols, |i, j| centers.row(i % k)[j] + s.normal() as f32)
}

/// Asserts that two numbers are equal to `1e-6`, relative to the larger of 1 and the expected.
#[track_caller]
pub(crate) fn close(got: f64, want: f64, what: &str) {
    assert!((got - want).abs() <= 1e-6 * want.abs().max(1.0), "{what}: {got}, expected {want}");
}

/// The rows of `data` in the order of `order`.
pub(crate) fn reordered(data: &Matrix<f32>, order: &[usize]) -> Matrix<f32> {
    Matrix::from_fn(order.len(), data.cols(), |i, j| data.row(order[i])[j])
}
