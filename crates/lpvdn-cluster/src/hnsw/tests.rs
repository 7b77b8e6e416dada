//! The index against the exact search.

use lpvdn_core::{Matrix, Pool, StreamKey};
use proptest::prelude::*;

use super::{Hnsw, HnswError, HnswParams, HnswParamsError};
use crate::neighbors::NeighborsError;
use crate::{InputError, Neighbors};

/// Normal clusters of unit variance around centres that are uniform in a cube `side` wide; row i belongs to
/// cluster i mod `k`.
fn clusters(rows: usize, cols: usize, k: usize, side: f64) -> Matrix<f32> {
    let mut stream = StreamKey::new(3, "hnsw-test").open();
    let centers = Matrix::from_fn(k, cols, |_, _| (side * stream.uniform()) as f32);
    Matrix::from_fn(rows, cols, |i, j| centers.row(i % k)[j] + stream.normal() as f32)
}

fn index(points: &Matrix<f32>) -> Hnsw {
    Hnsw::new(points, &HnswParams::new()).expect("an index")
}

/// The share of true neighbours among those found, by their indices.
fn share(found: &Neighbors, exact: &Neighbors) -> f64 {
    let rows = found.indices.iter_rows().zip(exact.indices.iter_rows());
    let right: usize = rows.map(|(f, e)| f.iter().filter(|i| e.contains(i)).count()).sum();
    right as f64 / exact.indices.as_slice().len() as f64
}

#[test]
fn nearly_all_neighbours_are_found_among_clusters() {
    let points = clusters(5000, 10, 20, 8.0);
    let index = index(&points);
    let exact = Neighbors::among(&points, 10).expect("neighbours");
    let found = index.among(10).expect("neighbours");
    assert!(share(&found, &exact) >= 0.99, "{}", share(&found, &exact));
    let queries = clusters(500, 10, 20, 9.0);
    let exact = Neighbors::of(&queries, &points, 10).expect("neighbours");
    let found = index.search(&queries, 10).expect("neighbours");
    assert!(share(&found, &exact) >= 0.99, "{}", share(&found, &exact));
}

#[test]
fn many_small_clusters_far_apart_stay_within_reach_of_each_other() {
    // Ten neighbours of a point in a cluster of eight lead to other clusters.
    let points = clusters(4000, 10, 500, 1000.0);
    let index = index(&points);
    let exact = Neighbors::among(&points, 10).expect("neighbours");
    let found = index.among(10).expect("neighbours");
    assert!(share(&found, &exact) >= 0.99, "{}", share(&found, &exact));
    // And not because all points were tried where links were missing.
    let (mut leads_to, mut reached) = (vec![Vec::new(); 4000], vec![Vec::new(); 4000]);
    for node in 0..4000 {
        for &link in index.graph.layers[0].links(node) {
            leads_to[node as usize].push(link);
            reached[link as usize].push(node);
        }
    }
    assert_eq!([reach(&leads_to, index.graph.entry), reach(&reached, index.graph.entry)], [4000, 4000]);
}

/// How many nodes can be reached.
fn reach(links: &[Vec<u32>], from: u32) -> usize {
    let mut seen = vec![false; links.len()];
    seen[from as usize] = true;
    let mut open = vec![from];
    let mut count = 0;
    while let Some(node) = open.pop() {
        count += 1;
        let new =
            links[node as usize].iter().filter(|&&next| !std::mem::replace(&mut seen[next as usize], true));
        open.extend(new);
    }
    count
}

#[test]
fn every_point_is_found_where_it_is() {
    for (cols, clusters_, side) in [(1, 5, 50.0), (2, 300, 1e4), (10, 4000, 0.0), (10, 40, 1e6)] {
        let points = clusters(4000, cols, clusters_, side);
        let found = index(&points).search(&points, 1).expect("neighbours");
        let missed = found.distances.as_slice().iter().filter(|d| **d > 0.0).count();
        assert!(missed <= 4, "{missed} of 4000 missed with {cols} columns");
    }
}

#[test]
fn one_seed_gives_one_graph_and_one_answer_on_any_number_of_threads() {
    let points = clusters(3000, 7, 10, 6.0);
    let on = |threads, seed| {
        Pool::new(threads).expect("threads").run(|| {
            let index = Hnsw::new(&points, &HnswParams::new().seed(seed)).expect("an index");
            let (found, recall) =
                (index.among(5).expect("neighbours"), index.recall(5, 50, 1).expect("recall"));
            (index, found, recall.to_bits())
        })
    };
    let one = on(1, 4);
    assert!(one == on(3, 4), "3 threads");
    assert!(one.0.graph != on(1, 5).0.graph, "another seed");
}

#[test]
fn the_measured_recall_is_that_of_the_exact_search() {
    let points = clusters(2000, 12, 4, 2.0);
    let params = HnswParams::new().connections(4).ef_construction(10).ef_search(1);
    let index = Hnsw::new(&points, &params).expect("an index");
    let exact = Neighbors::among(&points, 10).expect("neighbours");
    let share = share(&index.among(10).expect("neighbours"), &exact);
    let recall = index.recall(10, usize::MAX, 1).expect("recall");
    assert!((recall - share).abs() < 1e-9, "{recall}, counted {share}");
    assert!((0.1..0.95).contains(&recall), "{recall} is no test");
    let better = index.with_ef_search(200).expect("valid").recall(10, 300, 1).expect("recall");
    assert!(better > recall + 0.04, "{better} with more candidates, {recall} with few");
}

#[test]
fn copies_of_a_point_are_all_found_and_do_not_hide_the_others() {
    // 2000 copies of one point, 1000 of another, and 500 single ones around.
    let mut points = clusters(3500, 3, 7, 20.0);
    (0..3000).for_each(|i| points.row_mut(i).fill(if i % 3 == 0 { 1.0 } else { -0.0 }));
    let index = index(&points);
    let found = index.among(40).expect("neighbours");
    assert!(found.distances.row(0).iter().chain(found.distances.row(1)).all(|d| *d == 0.0));
    assert_eq!(found.indices.row(1)[..4], [2, 4, 5, 7]);
    assert_eq!(found.indices.row(2999).last(), Some(&59));
    let exact = Neighbors::among(&points, 40).expect("neighbours");
    assert!(share(&found, &exact) > 0.99, "{}", share(&found, &exact));
    assert_eq!(index.search(&points, 3500).expect("all").indices.row(3), exact_all(&points, 3));
}

/// All rows, nearest to row `i` first.
fn exact_all(points: &Matrix<f32>, i: usize) -> Vec<u32> {
    let query = Matrix::from_vec(points.row(i).to_vec(), 1, points.cols());
    Neighbors::of(&query, points, points.rows()).expect("neighbours").indices.into_vec()
}

#[test]
fn points_that_differ_by_less_than_their_squares_can_tell_are_no_trap() {
    let points = Matrix::from_fn(3000, 2, |i, j| if i < 1500 { (i + j) as f32 * 1e-30 } else { i as f32 });
    let found = index(&points).among(12).expect("neighbours");
    assert!((0..1500).all(|i| found.distances.row(i).iter().all(|d| *d == 0.0)));
    let exact = Neighbors::among(&points, 12).expect("neighbours");
    let far = |n: &Neighbors| n.indices.as_slice()[1500 * 12..].to_vec();
    assert_eq!(far(&found), far(&exact));
}

#[test]
fn one_point_is_its_own_neighbour_and_has_no_other() {
    let one = Matrix::from_vec(vec![2.0, 3.0], 1, 2);
    let index = index(&one);
    let found = index.search(&Matrix::from_vec(vec![2.0, 7.0], 1, 2), 1).expect("a neighbour");
    assert_eq!((found.indices.as_slice(), found.distances.as_slice()), (&[0][..], &[4.0][..]));
    let none = NeighborsError::TooFewRows { neighbors: 1, available: 0 };
    assert_eq!(index.among(1), Err(none.clone()));
    assert_eq!(index.recall(1, 5, 0), Err(none));
}

#[test]
fn what_cannot_be_searched_is_an_error() {
    let build = |points: &Matrix<f32>| Hnsw::new(points, &HnswParams::new()).expect_err("an error");
    assert_eq!(build(&Matrix::zeros(0, 3)), HnswError::Input(InputError::NoRows));
    assert_eq!(build(&Matrix::zeros(3, 0)), HnswError::Input(InputError::NoColumns));
    let bad = Matrix::from_vec(vec![1.0, f32::NAN], 2, 1);
    assert_eq!(build(&bad).to_string(), "row 1, column 0 is NaN, expected a finite number");

    let index = index(&Matrix::from_fn(5, 1, |i, _| i as f32));
    let queries = |error| Err(NeighborsError::Queries(error));
    assert!(matches!(index.search(&bad, 1), Err(NeighborsError::Queries(InputError::NonFinite { .. }))));
    assert_eq!(index.search(&Matrix::zeros(1, 2), 1), queries(InputError::Columns { expected: 1, found: 2 }));
    assert_eq!(index.search(&Matrix::zeros(1, 1), 0), Err(NeighborsError::NoNeighbors));
    let many = NeighborsError::TooFewRows { neighbors: 6, available: 5 };
    assert_eq!(index.search(&Matrix::zeros(1, 1), 6), Err(many));
    assert_eq!(index.search(&Matrix::zeros(0, 1), 2).expect("no answers").indices.rows(), 0);
}

#[test]
fn parameters_out_of_their_range_are_errors() {
    let points = Matrix::zeros(3, 1);
    let build = |params: HnswParams| Hnsw::new(&points, &params).expect_err("an error");
    assert_eq!(build(HnswParams::new().connections(257)), HnswParamsError::Connections(257).into());
    assert_eq!(build(HnswParams::new().ef_construction(0)), HnswParamsError::NoConstruction.into());
    assert_eq!(build(HnswParams::new().ef_search(0)), HnswParamsError::NoSearch.into());
    assert_eq!(index(&points).with_ef_search(0), Err(HnswParamsError::NoSearch));
    let most = HnswParams::new().ef_construction(usize::MAX).ef_search(usize::MAX);
    assert!(Hnsw::new(&points, &most).expect("an index").search(&points, 3).is_ok());
}

#[test]
fn links_lead_to_other_nodes_of_the_same_layer_and_never_twice_to_one() {
    let points = clusters(4000, 5, 20, 10.0);
    let index = Hnsw::new(&points, &HnswParams::new().connections(5)).expect("an index");
    assert!(index.graph.layers.len() > 3, "{} layers are no test", index.graph.layers.len());
    for (l, layer) in index.graph.layers.iter().enumerate() {
        let mut linked = 0;
        for node in 0..4000 {
            let mut links = layer.links(node).to_vec();
            linked += usize::from(!links.is_empty());
            assert!(links.len() <= if l == 0 { 10 } else { 5 });
            let below = |n: u32| l == 0 || !index.graph.layers[l - 1].links(n).is_empty();
            assert!(links.iter().all(|&n| n != node && n < 4000 && below(n)));
            links.sort_unstable();
            assert!(links.windows(2).all(|pair| pair[0] != pair[1]), "node {node} on layer {l}");
        }
        assert!(l > 0 || linked == 4000, "{linked} nodes have links");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// On a grid there are copies and ties everywhere.
    #[test]
    fn few_points_are_answered_exactly_to_the_bit(
        rows in 1_usize..60, cols in 1_usize..20, k in 1_usize..60, seed in any::<u64>(), fine in any::<bool>()
    ) {
        let mut stream = StreamKey::new(seed, "hnsw-few").open();
        let points = Matrix::from_fn(rows, cols, |_, _| {
            if fine { stream.normal() as f32 } else { stream.below(3) as f32 }
        });
        let index = index(&points);
        prop_assert_eq!(index.search(&points, k), Neighbors::of(&points, &points, k));
        prop_assert_eq!(index.among(k), Neighbors::among(&points, k));
    }

    /// With as little as can be asked for, answers are still whole, sorted, and at their true distances.
    #[test]
    fn answers_are_sorted_and_without_repeats_whatever_the_parameters(
        rows in 30_usize..400, cols in 1_usize..4, k in 1_usize..30, seed in any::<u64>(),
        connections in 2_usize..5, ef in 1_usize..4, steps in 2_u64..1000
    ) {
        let mut stream = StreamKey::new(seed, "hnsw-least").open();
        let points = Matrix::from_fn(rows, cols, |_, _| stream.below(steps) as f32);
        let params = HnswParams::new().connections(connections).ef_construction(ef).ef_search(ef).seed(seed);
        let index = Hnsw::new(&points, &params).expect("an index");
        let found = index.search(&points, k).expect("neighbours");
        for i in 0..rows {
            let cells = || found.distances.row(i).iter().zip(found.indices.row(i));
            prop_assert!(cells().zip(cells().skip(1)).all(|(a, b)| a < b));
            for (distance, &index) in cells() {
                let pairs = points.row(i).iter().zip(points.row(index as usize));
                let truth = pairs.map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt();
                prop_assert!((distance - truth).abs() <= 1e-6 * truth);
            }
        }
    }
}
