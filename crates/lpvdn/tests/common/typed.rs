//! Rows of several types, and fits of them.
#![allow(dead_code)] // Each user needs a part of it.

use lpvdn::model::k_means::KMeansParams;
use lpvdn::{Estimator, FitControl, Fitted, Model};
use lpvdn_core::{ColumnGroup, ColumnKind, CsrMatrix, Dataset, Matrix, Stream, StreamKey};

pub(crate) fn fit(estimator: Estimator, data: &Dataset, threads: usize) -> Fitted<Model> {
    let mut control = FitControl { threads, ..FitControl::default() };
    estimator.check().expect("good parameters").fit(data, &mut control).expect("a fit")
}

pub(crate) fn k_means(data: &Dataset, clusters: usize) -> Fitted<Model> {
    fit(Estimator::KMeans(KMeansParams { seed: 1, ..KMeansParams::new(clusters) }), data, 0)
}

/// Two groups of rows that differ by an amount, a number and a category, and agree in forty cities.
pub(crate) fn table(rows: usize) -> (Dataset, Vec<u32>) {
    let mut stream = StreamKey::new(7, "table").open();
    let truth: Vec<u32> = (0..rows).map(|i| (i % 2) as u32).collect();
    let cell = |stream: &mut Stream, k: u32| {
        let amount = (9.0 + f64::from(k) * 2.0 + 0.7 * stream.normal()).exp();
        let number = f64::from(k) * 3.0 + stream.normal();
        let plan = if stream.uniform() < 0.9 { k as usize } else { 1 - k as usize };
        let city = stream.below(40) as usize;
        let mut row = vec![amount as f32, number as f32];
        row.extend((0..2).map(|c| f32::from(u8::from(c == plan))));
        row.extend((0..40).map(|c| f32::from(u8::from(c == city))));
        row
    };
    let values: Vec<f32> = truth.iter().flat_map(|&k| cell(&mut stream, k)).collect();
    let mut data = Dataset::new("table", Matrix::from_vec(values, rows, 44));
    data.groups = Some(vec![
        ColumnGroup::new("income", ColumnKind::Number, 1),
        ColumnGroup::new("age", ColumnKind::Number, 1),
        ColumnGroup::new("plan", ColumnKind::Category, 2),
        ColumnGroup::new("city", ColumnKind::Category, 40),
    ]);
    (data, truth)
}

/// Texts of two topics: a row has ten of the forty words of its topic, and five of sixty that all share.
pub(crate) fn texts(rows: usize) -> (Dataset, Vec<u32>) {
    let mut stream = StreamKey::new(8, "texts").open();
    let truth: Vec<u32> = (0..rows).map(|i| (i % 2) as u32).collect();
    let mut sparse = CsrMatrix::new(140);
    for &k in &truth {
        let mut words: Vec<u32> = (0..10).map(|_| 40 * k + stream.below(40) as u32).collect();
        words.extend((0..5).map(|_| 80 + stream.below(60) as u32));
        words.sort_unstable();
        words.dedup();
        let weight = 1.0 / (words.len() as f32).sqrt();
        sparse.push_row(words.into_iter().map(|word| (word, weight)));
    }
    (Dataset::new("texts", sparse), truth)
}

/// Three blobs in eight columns on very different scales.
pub(crate) fn blobs(rows: usize) -> (Matrix<f32>, Vec<u32>) {
    let mut stream = StreamKey::new(11, "blobs").open();
    let truth: Vec<u32> = (0..rows).map(|i| (i % 3) as u32).collect();
    let scales = [1.0, 1e-3, 100.0, 5.0, 1e4, 0.1, 20.0, 1.0];
    let values = Matrix::from_fn(rows, 8, |i, j| {
        let place = if (i + j) % 3 == 0 { 4.0 } else { 0.0 };
        (scales[j] * (place + stream.normal())) as f32
    });
    (values, truth)
}
