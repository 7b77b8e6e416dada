//! What a view refuses, takes for unknown and leaves out.

#[path = "common/typed.rs"]
mod typed;

use lpvdn::model::k_means::KMeansParams;
use lpvdn::{ClusterModel, Event, FitControl, Model};
use lpvdn_cluster::metrics::ari;
use lpvdn_core::{Batch, CsrMatrix, Dataset, Matrix, StreamKey, Transform};
use typed::{blobs, k_means, table, texts};

#[test]
fn a_logarithm_of_values_below_zero_is_refused_by_name() {
    let (mut data, _) = table(300);
    if let Some(groups) = &mut data.groups {
        groups[1].transform = Some(Transform::Log);
    }
    let params = KMeansParams { seed: 1, ..KMeansParams::new(2) };
    let error = params.fit(&data).expect_err("values below zero").to_string();
    let least = (0..300).map(|i| number(&data, i, 1)).fold(f32::INFINITY, f32::min);
    assert!(least < 0.0 && error.contains("\"age\"") && error.contains(&least.to_string()), "{error}");
    assert!(error.contains("linear") && error.contains(&format!("add {}", -least)), "{error}");
}

fn number(data: &Dataset, row: u32, column: usize) -> f32 {
    let mut batch = Batch::for_source(data.source.as_ref());
    data.source.gather(&[row], &mut batch).expect("a row");
    let mut value = 0.0;
    batch.for_each_in_row(0, |j, x| value = if j == column { x } else { value });
    value
}

#[test]
fn values_that_are_taken_for_unknown_are_told_with_their_columns() {
    let (mut rows, _) = blobs(600);
    [3, 100, 222].iter().for_each(|&i| rows.row_mut(i)[2] = 1e9);
    rows.row_mut(5)[0] = -1e9;
    let data = Dataset::from(rows);
    let mut told = Vec::new();
    let mut observer = |event: &Event<'_>| {
        if let Event::Viewed { unknown, .. } = event {
            told = unknown.iter().map(|unknown| (unknown.column, unknown.count)).collect();
        }
    };
    let mut control = FitControl { observer: Some(&mut observer), ..FitControl::default() };
    let params = KMeansParams { seed: 1, ..KMeansParams::new(3) };
    let model = params.check().expect("good").fit(&data, &mut control).expect("a fit").model;
    assert_eq!(told, [(0, 1), (2, 3)]);
    let found = model.unknown_values(&data).expect("rows");
    assert_eq!(found.iter().map(|unknown| unknown.count).collect::<Vec<_>>(), [1, 3]);
    let clean = Dataset::from(blobs(60).0);
    assert_eq!(model.unknown_values(&clean).expect("rows"), []);
}

#[test]
fn a_value_that_is_too_large_for_a_scale_of_other_rows_is_refused_by_its_place() {
    // Every second row decides the scale, and there the column hardly varies.
    let rows = 1 << 17;
    let mut stream = StreamKey::new(17, "sampled").open();
    let mut values = Matrix::from_fn(rows, 2, |_, j| if j == 0 { stream.normal() as f32 } else { 0.0 });
    (0..5).for_each(|i| values.row_mut(2000 * i)[1] = 1e-9);
    values.row_mut(70_001)[1] = 1e14;
    let error = KMeansParams::new(2).fit(&Dataset::from(values)).expect_err("too large").to_string();
    assert!(error.contains("row 70002") && error.contains("column 1"), "{error}");
}

#[test]
fn terms_that_do_not_occur_take_no_room_in_a_model() {
    let (data, truth) = texts(200);
    let mut batch = Batch::for_source(data.source.as_ref());
    data.source.gather(&(0..200).collect::<Vec<u32>>(), &mut batch).expect("rows");
    let Batch::Sparse(rows) = &batch else { panic!("sparse") };
    // The same words, far apart.
    let mut apart = CsrMatrix::new(7_000_000);
    for i in 0..200 {
        let (words, values) = rows.row(i);
        apart.push_row(words.iter().map(|word| 50_000 * word + 3).zip(values.iter().copied()));
    }
    let fitted = k_means(&Dataset::new("apart", apart.clone()), 2);
    assert!(ari(&fitted.labels, &truth).expect("labels") > 0.95);
    let view = fitted.view().expect("a view");
    assert!(view.lines()[0].contains("140 occur"), "{:?}", view.lines());
    let bytes = fitted.model.to_bytes().expect("bytes");
    assert!(bytes.len() < 100_000, "{}", bytes.len());
    let read = Model::from_bytes(&bytes, "model").expect("a model");
    assert!(read.to_bytes().expect("bytes") == bytes);
    assert_eq!(read.predict(&Dataset::new("apart", apart)).expect("labels"), fitted.labels);
    // A word that no row had has no weight.
    let row = |more: Option<u32>| {
        let mut row = CsrMatrix::new(7_000_000);
        let words = [3, 50_003, 100_003].into_iter().chain(more);
        row.push_row(words.map(|word| (word, 0.5)));
        read.codes(&Dataset::new("row", row)).expect("codes")
    };
    assert_eq!(row(None), row(Some(6_999_999)));
}
