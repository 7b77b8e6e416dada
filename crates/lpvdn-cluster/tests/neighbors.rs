//! Exact neighbours against scikit-learn and against trying all pairs.

mod common;

use common::{blobs, close, fixture, matrix};
use lpvdn_cluster::neighbors::NeighborsError;
use lpvdn_cluster::{InputError, Neighbors};
use lpvdn_core::{Matrix, Pool};

#[derive(serde::Deserialize)]
struct Case {
    rows: Vec<Vec<f32>>,
    distances: Vec<Vec<f64>>,
    indices: Vec<Vec<u32>>,
}

#[test]
fn neighbours_are_those_of_scikit_learn() {
    let case: Case = fixture("neighbors.json");
    let got = Neighbors::among(&matrix(&case.rows), 6).expect("neighbours");
    for (got, want) in got.distances.as_slice().iter().zip(case.distances.iter().flatten()) {
        close(f64::from(*got), *want, "a distance");
    }
    assert_eq!(got.indices.as_slice(), case.indices.concat());
}

/// (squared distance in double precision, index) of all rows, nearest first.
fn by_trying_all(query: &[f32], data: &Matrix<f32>) -> Vec<(f64, u32)> {
    let square = |row: &[f32]| query.iter().zip(row).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>();
    let mut all: Vec<(f64, u32)> = data.iter_rows().map(square).zip(0..).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    all
}

#[test]
fn blocks_miss_no_neighbour_even_where_the_product_form_cancels() {
    // Tight pairs far from each other: the expanded form is off by more than the true distances.
    let mut data = blobs(700, 20, 5, 1);
    for i in 0..700 {
        let far = if i % 2 == 0 { 3000.0 } else { -3000.0 };
        data.row_mut(i).iter_mut().for_each(|x| *x = far + *x * 0.01);
    }
    let got = Neighbors::among(&data, 7).expect("neighbours");
    for i in 0..700 {
        let all = by_trying_all(data.row(i), &data);
        let others: Vec<f64> = all.iter().filter(|(_, j)| *j as usize != i).map(|(d, _)| d.sqrt()).collect();
        for (got, want) in got.distances.row(i).iter().zip(others) {
            assert!((f64::from(*got) - want).abs() <= 1e-5 * want, "row {i}: {got} {want}");
        }
        assert!(!got.indices.row(i).contains(&(i as u32)));
    }
}

#[test]
fn equal_distances_come_in_the_order_of_their_indices() {
    let data = Matrix::from_fn(900, 1, |i, _| (i % 3) as f32);
    let got = Neighbors::among(&data, 4).expect("neighbours");
    assert_eq!(got.indices.row(0), [3, 6, 9, 12]);
    assert_eq!(got.indices.row(3), [0, 6, 9, 12]);
    assert_eq!(got.indices.row(899), [2, 5, 8, 11]);
    let queries = Neighbors::of(&Matrix::from_vec(vec![0.5], 1, 1), &data, 5).expect("neighbours");
    assert_eq!(queries.indices.as_slice(), [0, 1, 3, 4, 6]);
    assert_eq!(queries.distances.as_slice(), [0.5; 5]);
}

#[test]
fn a_query_is_answered_alike_alone_and_among_others_and_finds_itself() {
    let (data, queries) = (blobs(600, 30, 4, 2), blobs(300, 30, 4, 2));
    let all = Neighbors::of(&queries, &data, 3).expect("neighbours");
    for i in [0, 255, 256, 299] {
        let alone = Matrix::from_vec(queries.row(i).to_vec(), 1, 30);
        let one = Neighbors::of(&alone, &data, 3).expect("neighbours");
        assert_eq!((one.indices.row(0), one.distances.row(0)), (all.indices.row(i), all.distances.row(i)));
    }
    // The same seed makes the same first rows, so row 0 of the queries is row 0 of the data.
    assert_eq!((all.indices.row(0)[0], all.distances.row(0)[0]), (0, 0.0));
}

#[test]
fn neighbours_have_the_same_bits_on_any_number_of_threads() {
    let data = blobs(1000, 40, 4, 3);
    let run =
        |threads| Pool::new(threads).expect("a pool").run(|| Neighbors::among(&data, 9)).expect("neighbours");
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
}

#[test]
fn searches_that_cannot_be_answered_are_errors() {
    let data = Matrix::<f32>::zeros(4, 2);
    assert_eq!(Neighbors::among(&data, 0), Err(NeighborsError::NoNeighbors));
    let few = |neighbors, available| Err(NeighborsError::TooFewRows { neighbors, available });
    assert_eq!(Neighbors::among(&data, 4), few(4, 3));
    assert_eq!(Neighbors::of(&data, &data, 5), few(5, 4));
    let columns = InputError::Columns { expected: 2, found: 3 };
    assert_eq!(Neighbors::of(&Matrix::zeros(1, 3), &data, 1), Err(NeighborsError::Queries(columns)));
    assert_eq!(Neighbors::among(&Matrix::zeros(0, 2), 1), Err(InputError::NoRows.into()));
    assert_eq!(Neighbors::of(&Matrix::zeros(0, 2), &data, 1).expect("none").indices.rows(), 0);
}
