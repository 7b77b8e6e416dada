//! K-means against scikit-learn, and what must hold for any rows.

mod common;

use common::{blobs, close, fixture, matrix};
use lpvdn_cluster::k_means::{KMeansError, KMeansParamsError, Start, nearest_centers};
use lpvdn_cluster::{InputError, KMeans};
use lpvdn_core::{CsrMatrix, Matrix, Pool, StreamKey};
use proptest::prelude::*;

#[derive(serde::Deserialize)]
struct Case {
    name: String,
    rows: Vec<Vec<f32>>,
    start: Vec<Vec<f32>>,
    tol: f64,
    centers: Vec<Vec<f64>>,
    labels: Vec<u32>,
    inertia: f64,
    iterations: usize,
}

#[test]
fn from_the_same_centres_it_goes_where_scikit_learn_goes() {
    for case in fixture::<Vec<Case>>("k_means.json") {
        let start = Start::Given(matrix(&case.start));
        let params = KMeans::params(case.start.len()).tol(case.tol).start(start);
        let got = params.fit(&matrix(&case.rows)).expect("a fit");
        close(got.inertia, case.inertia, &case.name);
        assert_eq!(got.labels, case.labels, "{}", case.name);
        assert_eq!(got.iterations, case.iterations, "{}", case.name);
        assert!(got.converged, "{}", case.name);
        for (got, want) in got.centers.as_slice().iter().zip(case.centers.iter().flatten()) {
            close(f64::from(*got), *want, &case.name);
        }
    }
}

#[test]
fn a_fit_has_the_same_bits_on_any_number_of_threads() {
    for (rows, cols, k) in [(5000, 10, 7), (1500, 300, 12)] {
        let data = blobs(rows, cols, k, 1);
        let run = |threads| {
            let pool = Pool::new(threads).expect("a pool");
            pool.run(|| KMeans::params(k + 2).n_init(3).seed(5).fit(&data)).expect("a fit")
        };
        let one = run(1);
        assert_eq!(one, run(2));
        assert_eq!(one, run(3));
    }
}

#[test]
fn labels_of_the_fit_are_those_of_predict_in_any_company() {
    let data = blobs(1000, 33, 5, 2);
    let fitted = KMeans::params(9).n_init(1).max_iter(3).fit(&data).expect("a fit");
    assert_eq!(fitted.predict(&data).expect("labels"), fitted.labels);
    for i in [0, 1, 499, 999] {
        let alone = Matrix::from_vec(data.row(i).to_vec(), 1, 33);
        assert_eq!(fitted.predict(&alone).expect("labels"), [fitted.labels[i]]);
    }
    assert!(fitted.predict(&Matrix::zeros(0, 33)).expect("no labels").is_empty());
}

#[test]
fn separate_blobs_are_found_from_every_seed() {
    let data = Matrix::from_fn(600, 2, |i, j| ((i % 6) * (30 * j + 20)) as f32 + (i / 6) as f32 * 0.01);
    for seed in 0..20 {
        let fitted = KMeans::params(6).n_init(1).seed(seed).fit(&data).expect("a fit");
        let named: Vec<u32> = (0..600).map(|i| fitted.labels[i % 6]).collect();
        assert_eq!(fitted.labels, named, "seed {seed}");
    }
}

#[test]
fn more_starts_never_raise_the_inertia_and_seeds_and_phases_differ() {
    let data = blobs(800, 3, 20, 3);
    let fit = |n_init, seed, phase| {
        KMeans::params(20).n_init(n_init).seed(seed).phase(phase).fit(&data).expect("a fit")
    };
    let (one, ten) = (fit(1, 1, 0), fit(10, 1, 0));
    assert!(ten.inertia < one.inertia, "{} {}", ten.inertia, one.inertia);
    assert_ne!(one.inertia, fit(1, 2, 0).inertia);
    assert_ne!(one.inertia, fit(1, 1, 1).inertia);
}

#[test]
fn fewer_distinct_rows_than_clusters_leaves_clusters_empty_and_inertia_0() {
    let data = Matrix::from_fn(2000, 2, |i, j| (i % 3 + j) as f32);
    let fitted = KMeans::params(8).n_init(2).fit(&data).expect("a fit");
    assert_eq!(fitted.inertia, 0.0);
    assert!(fitted.converged);
    let mut used = fitted.labels.clone();
    used.sort_unstable();
    used.dedup();
    assert_eq!(used.len(), 3);
    let equal = KMeans::params(4).fit(&Matrix::from_fn(9, 1, |_, _| 2.5)).expect("a fit");
    assert_eq!((equal.labels, equal.centers.as_slice()), (vec![0; 9], &[2.5; 4][..]));
}

#[test]
fn a_cluster_for_every_row_has_no_inertia() {
    let data = blobs(40, 2, 4, 4);
    let fitted = KMeans::params(40).n_init(1).fit(&data).expect("a fit");
    assert_eq!(fitted.inertia, 0.0);
    let mut labels = fitted.labels;
    labels.sort_unstable();
    assert_eq!(labels, (0..40).collect::<Vec<_>>());
}

#[test]
fn one_cluster_is_the_mean() {
    let fitted = KMeans::params(1).fit(&Matrix::from_vec(vec![1.0, 2.0, 6.0], 3, 1)).expect("a fit");
    assert_eq!((fitted.centers.as_slice(), fitted.inertia), (&[3.0][..], 14.0));
}

#[test]
fn a_fit_that_runs_out_of_iterations_says_so() {
    let data = blobs(500, 2, 9, 5);
    let fitted = KMeans::params(9).n_init(1).max_iter(1).tol(0.0).fit(&data).expect("a fit");
    assert_eq!((fitted.iterations, fitted.converged), (1, false));
}

#[test]
fn every_bad_parameter_has_its_own_error() {
    use KMeansParamsError as E;
    let params = || KMeans::params(2);
    assert_eq!(KMeans::params(0).check(), Err(E::NoClusters));
    assert_eq!(params().n_init(0).check(), Err(E::NoStarts));
    assert_eq!(params().max_iter(0).check(), Err(E::NoIterations));
    assert_eq!(params().tol(-1.0).check(), Err(E::Tolerance(-1.0)));
    assert!(matches!(params().tol(f64::NAN).check(), Err(E::Tolerance(_))));
    let three = Start::Given(Matrix::zeros(3, 1));
    assert_eq!(params().start(three).check(), Err(E::StartRows { expected: 2, found: 3 }));
}

#[test]
fn rows_that_cannot_be_clustered_are_errors() {
    let fit = |data: &Matrix<f32>| KMeans::params(2).fit(data).map(|_| ());
    assert_eq!(fit(&Matrix::zeros(0, 3)), Err(InputError::NoRows.into()));
    assert_eq!(fit(&Matrix::zeros(3, 0)), Err(InputError::NoColumns.into()));
    assert_eq!(fit(&Matrix::zeros(1, 3)), Err(KMeansError::TooFewRows { rows: 1, clusters: 2 }));
    let mut data = Matrix::zeros(5, 3);
    data.row_mut(3)[2] = f32::NEG_INFINITY;
    let place = InputError::NonFinite { row: 3, column: 2, value: f32::NEG_INFINITY };
    assert_eq!(fit(&data), Err(place.into()));
    data.row_mut(3)[2] = 1e30;
    assert!(matches!(fit(&data), Err(KMeansError::Input(InputError::TooLarge { row: 3, column: 2, .. }))));
    let wrong = Start::Given(Matrix::zeros(2, 4));
    let error = KMeans::params(2).start(wrong).fit(&Matrix::zeros(5, 3)).unwrap_err();
    assert_eq!(error, KMeansError::Start(InputError::Columns { expected: 3, found: 4 }));
    let fitted = KMeans::params(2).fit(&Matrix::zeros(5, 3)).expect("a fit");
    let columns = InputError::Columns { expected: 3, found: 2 };
    assert_eq!(fitted.predict(&Matrix::zeros(5, 2)), Err(columns.into()));
    let none = nearest_centers(&data, &Matrix::zeros(0, 3));
    assert_eq!(none, Err(KMeansParamsError::NoClusters.into()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_fit_is_a_fixed_point_and_its_inertia_is_what_it_says(seed in 0_u64..1000, n in 3_usize..120, k in 1_usize..6) {
        let k = k.min(n);
        let data = blobs(n, 3, 4, seed);
        let fitted = KMeans::params(k).n_init(2).tol(0.0).seed(seed).fit(&data).unwrap();
        prop_assert!(fitted.converged);
        let found = nearest_centers(&data, &fitted.centers).unwrap();
        prop_assert_eq!(&found.labels, &fitted.labels);
        let plain: f64 = (0..n)
            .map(|i| {
                let center = fitted.centers.row(fitted.labels[i] as usize);
                data.row(i).iter().zip(center).map(|(x, c)| f64::from(x - c).powi(2)).sum::<f64>()
            })
            .sum();
        close(fitted.inertia, plain, "inertia");
        for c in 0..k as u32 {
            let members: Vec<usize> = (0..n).filter(|&i| fitted.labels[i] == c).collect();
            prop_assert!(!members.is_empty(), "cluster {} of {} is empty", c, k);
            for j in 0..3 {
                let mean = members.iter().map(|&i| f64::from(data.row(i)[j])).sum::<f64>() / members.len() as f64;
                close(f64::from(fitted.centers.row(c as usize)[j]), mean, "a mean");
            }
        }
    }

    #[test]
    fn the_order_of_rows_does_not_change_a_fit_from_given_centres(seed in 0_u64..1000, n in 5_usize..100) {
        let data = blobs(n, 2, 3, seed);
        let mut order: Vec<usize> = (0..n).collect();
        lpvdn_core::StreamKey::new(seed, "order").open().shuffle(&mut order);
        let moved = common::reordered(&data, &order);
        let start = Matrix::from_fn(3, 2, |i, j| data.row(i)[j]);
        let fit = |rows: &Matrix<f32>| KMeans::params(3).start(Start::Given(start.clone())).fit(rows).unwrap();
        let (a, b) = (fit(&data), fit(&moved));
        close(b.inertia, a.inertia, "inertia");
        prop_assert_eq!(b.labels, order.iter().map(|&i| a.labels[i]).collect::<Vec<_>>());
    }
}

/// Rows of which three quarters of the cells are zero.
fn sparse_blobs(rows: usize) -> Matrix<f32> {
    let mut stream = StreamKey::new(8, "sparse").open();
    Matrix::from_fn(rows, 300, |i, j| {
        let own = j % 4 == i % 4 && j % 3 == 0;
        let value = stream.normal();
        if own { (2.0 + 0.3 * value) as f32 } else { 0.0 }
    })
}

#[test]
fn sparse_rows_are_clustered_as_dense_ones() {
    let dense = sparse_blobs(3_000);
    let sparse = CsrMatrix::from_dense(&dense);
    let params = || KMeans::params(4).n_init(3).seed(2);
    let (a, b) = (params().fit(&dense).expect("clusters"), params().fit(&sparse).expect("clusters"));
    assert_eq!(a.labels, b.labels);
    assert!((a.inertia / b.inertia - 1.0).abs() < 1e-6);
    assert!(a.centers.as_slice().iter().zip(b.centers.as_slice()).all(|(a, b)| (a - b).abs() < 1e-5));
    assert_eq!(b.predict(&sparse).expect("labels"), b.labels);
    assert_eq!(b.predict(&dense).expect("labels"), a.labels);
}

#[test]
fn a_sparse_value_that_is_no_number_is_named() {
    let mut sparse = CsrMatrix::from_dense(&sparse_blobs(100));
    sparse.values_mut()[25] = f32::NAN;
    let message = KMeans::params(2).fit(&sparse).expect_err("refused").to_string();
    assert!(message.contains("row 1, column 9") && message.contains("NaN"), "{message}");
}

#[test]
fn sparse_rows_give_the_same_bits_on_any_number_of_threads() {
    let sparse = CsrMatrix::from_dense(&sparse_blobs(5_000));
    let fit = |threads| {
        Pool::new(threads)
            .expect("a pool")
            .run(|| KMeans::params(7).n_init(2).seed(1).fit(&sparse).expect("fit"))
    };
    assert_eq!(fit(1), fit(3));
}

#[test]
fn a_large_common_column_hides_nothing_in_sparse_rows() {
    let dense = Matrix::from_fn(60, 3, |i, j| [1e9, (1 + 2 * (i % 2)) as f32, 0.0][j]);
    let sparse = CsrMatrix::from_dense(&dense);
    let centers = Matrix::from_vec(vec![1e9, 3.0, 0.0, 1e9, 1.0, 0.0], 2, 3);
    let found = nearest_centers(&sparse, &centers).expect("labels");
    assert_eq!(found, nearest_centers(&dense, &centers).expect("labels"));
    assert!(found.squared_distances.iter().all(|d| *d == 0.0));
    // Fewer distinct rows than clusters is no error.
    let fitted = KMeans::params(4).seed(1).fit(&sparse).expect("clusters");
    assert!(fitted.inertia == 0.0);
}
