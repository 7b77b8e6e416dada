//! The graph of neighbours: weights, degenerate rows, the same bits on any number of threads.

mod common;

use lpvdn_cluster::graph::{GraphError, NeighborSearch, Weighting};
use lpvdn_cluster::neighbors::NeighborsError;
use lpvdn_cluster::{GraphParams, NeighborGraph, Neighbors};
use lpvdn_core::{Matrix, Pool};

const ALL: [Weighting; 4] = [Weighting::Uniform, Weighting::Mutual, Weighting::Shared, Weighting::Local];

fn line(places: &[f32]) -> Matrix<f32> {
    Matrix::from_vec(places.to_vec(), places.len(), 1)
}

fn weight(graph: &NeighborGraph, a: usize, b: u32) -> Option<f32> {
    let (targets, weights) = graph.links(a);
    targets.iter().position(|&t| t == b).map(|place| weights[place])
}

/// Whether each edge is known at both ends, with one positive weight, and none ends where it begins.
fn assert_undirected(graph: &NeighborGraph) {
    for node in 0..graph.nodes() {
        let (targets, weights) = graph.links(node);
        assert!(targets.is_sorted_by(|a, b| a < b), "{targets:?}");
        for (&target, &there) in targets.iter().zip(weights) {
            assert_ne!(target as usize, node);
            assert!(there > 0.0 && there.is_finite());
            assert_eq!(weight(graph, target as usize, node as u32), Some(there));
        }
    }
}

#[test]
fn an_edge_counts_whoever_found_it_and_twice_if_both_did() {
    // 3 is among the nearest of nobody; its nearest are 2 and 1.
    let found = Neighbors::among(&line(&[0.0, 1.0, 2.0, 9.0]), 2).expect("neighbours");
    let uniform = NeighborGraph::from_neighbors(&found, Weighting::Uniform).expect("a graph");
    assert_eq!((uniform.nodes(), uniform.edges()), (4, 5));
    assert_eq!(uniform.links(3), (&[1, 2][..], &[1.0, 1.0][..]));
    let mutual = NeighborGraph::from_neighbors(&found, Weighting::Mutual).expect("a graph");
    assert_eq!(mutual.links(1), (&[0, 2, 3][..], &[2.0, 2.0, 1.0][..]));
    assert_eq!(mutual.total_weight(), 8.0);
    assert_eq!(mutual.strength(3), 2.0);
}

#[test]
fn shared_neighbours_are_a_share_of_those_of_either() {
    let found = Neighbors::among(&line(&[0.0, 1.0, 2.0, 9.0]), 2).expect("neighbours");
    let shared = NeighborGraph::from_neighbors(&found, Weighting::Shared).expect("a graph");
    // {0, 1, 2} and {0, 1, 2}; {1, 2, 3} and {0, 1, 2}.
    assert_eq!(weight(&shared, 0, 1), Some(1.0));
    assert_eq!(weight(&shared, 3, 2), Some(0.5));
}

#[test]
fn local_weights_are_those_of_umap() {
    // One row's neighbours at 1, 2, 3: exp(−0/σ) + exp(−1/σ) + exp(−2/σ) = log2(4) has exp(−1/σ) = (√5 − 1)/2.
    let found = Neighbors {
        indices: Matrix::from_vec(vec![1, 2, 3, 1, 2, 3, 2, 1, 3, 3, 1, 2], 4, 3),
        distances: Matrix::from_vec([1.0, 2.0, 3.0].repeat(4), 4, 3),
    };
    let graph = NeighborGraph::from_neighbors(&found, Weighting::Local).expect("a graph");
    let golden = (5.0_f32.sqrt() - 1.0) / 2.0;
    assert_eq!(weight(&graph, 0, 1), Some(1.0));
    assert!((weight(&graph, 0, 2).expect("an edge") - golden).abs() < 1e-6);
    assert!((weight(&graph, 0, 3).expect("an edge") - golden * golden).abs() < 1e-6);
    // 1 and 2 found each other, as second and as second: a + b − ab, and 1 named itself, which does not count.
    let both = 2.0 * golden - golden * golden;
    assert!((weight(&graph, 1, 2).expect("an edge") - both).abs() < 1e-6);
    assert_undirected(&graph);
}

#[test]
fn every_weighting_has_the_same_edges_both_ways() {
    let rows = common::blobs(600, 4, 5, 1);
    let edges = |weighting| {
        let graph = NeighborGraph::of_rows(&rows, &GraphParams::new().weighting(weighting)).expect("a graph");
        assert_undirected(&graph);
        graph.edges()
    };
    assert!(ALL.iter().all(|&weighting| edges(weighting) == edges(Weighting::Uniform)));
}

#[test]
fn rows_that_are_all_equal_and_few_rows_make_a_graph() {
    for weighting in ALL {
        let params = GraphParams::new().weighting(weighting);
        let equal = NeighborGraph::of_rows(&Matrix::zeros(100, 3), &params).expect("a graph");
        assert_undirected(&equal);
        assert_eq!(equal.components(), [0; 100]);
        // Fewer rows than neighbours: everyone with everyone.
        let few = NeighborGraph::of_rows(&line(&[0.0, 1.0, 5.0, 5.0]), &params).expect("a graph");
        assert_eq!((few.nodes(), few.edges()), (4, 6));
        let one = NeighborGraph::of_rows(&line(&[3.0]), &params).expect("a graph");
        assert_eq!((one.nodes(), one.edges(), one.total_weight()), (1, 0, 0.0));
    }
}

#[test]
fn groups_that_are_far_apart_are_components() {
    let rows = Matrix::from_fn(90, 2, |i, j| (i % 3 * 1000 + i / 3 * (j + 1)) as f32);
    let graph = NeighborGraph::of_rows(&rows, &GraphParams::new().neighbors(4)).expect("a graph");
    let expected: Vec<u32> = (0..90).map(|i| i % 3).collect();
    assert_eq!(graph.components(), expected);
}

#[test]
fn a_graph_has_the_same_bits_on_any_number_of_threads() {
    let rows = common::blobs(5000, 5, 7, 2);
    for search in [NeighborSearch::Exact, NeighborSearch::Index] {
        for weighting in ALL {
            let params = GraphParams::new().search(search).weighting(weighting).seed(3);
            let run = |threads: usize| {
                Pool::new(threads).expect("a pool").run(|| NeighborGraph::of_rows(&rows, &params))
            };
            let one = run(1).expect("a graph");
            assert_eq!(run(2).expect("a graph"), one);
            assert_eq!(run(3).expect("a graph"), one);
        }
    }
}

#[test]
fn the_index_finds_nearly_the_graph_of_the_exact_search() {
    let rows = common::blobs(6000, 8, 6, 4);
    let edges = |search| {
        let params = GraphParams::new().search(search).weighting(Weighting::Uniform);
        let graph = NeighborGraph::of_rows(&rows, &params).expect("a graph");
        let of = |node: usize| graph.links(node).0.iter().map(move |&t| (node as u32, t)).collect::<Vec<_>>();
        (0..graph.nodes()).flat_map(of).collect::<std::collections::HashSet<_>>()
    };
    let (exact, index) = (edges(NeighborSearch::Exact), edges(NeighborSearch::Index));
    let common = exact.intersection(&index).count();
    assert!(common as f64 > 0.98 * exact.len() as f64, "{common} of {}", exact.len());
}

#[test]
fn what_is_no_graph_is_refused() {
    let params = GraphParams::new();
    let none = NeighborGraph::of_rows(&Matrix::zeros(0, 3), &params);
    assert!(matches!(none, Err(GraphError::Neighbors(NeighborsError::Input(_)))));
    let zero = NeighborGraph::of_rows(&line(&[0.0, 1.0]), &params.neighbors(0));
    assert_eq!(zero, Err(GraphError::Neighbors(NeighborsError::NoNeighbors)));
    let bad = |indices: Vec<u32>, distances: Vec<f32>| {
        let (n, m) = (indices.len(), distances.len());
        let found = Neighbors {
            indices: Matrix::from_vec(indices, n, 1),
            distances: Matrix::from_vec(distances, m, 1),
        };
        NeighborGraph::from_neighbors(&found, Weighting::Local).unwrap_err()
    };
    assert_eq!(bad(vec![1, 2], vec![1.0, 1.0]), GraphError::Node { node: 2, nodes: 2 });
    assert_eq!(bad(vec![1, 0], vec![1.0]), GraphError::Shapes);
    assert!(matches!(bad(vec![1, 0], vec![1.0, f32::NAN]), GraphError::Distance(_)));
    assert_eq!(NeighborGraph::from_edges(3, &[(1, 1, 1.0)]), Err(GraphError::SelfLoop(1)));
    assert_eq!(NeighborGraph::from_edges(3, &[(0, 1, 0.0)]), Err(GraphError::Weight(0.0)));
    assert!(matches!(NeighborGraph::from_edges(3, &[(0, 1, f32::INFINITY)]), Err(GraphError::Weight(_))));
}

#[test]
fn edges_named_twice_are_added_and_nodes_without_edges_stay() {
    let graph = NeighborGraph::from_edges(5, &[(3, 1, 1.0), (0, 1, 2.0), (1, 3, 0.5)]).expect("a graph");
    assert_undirected(&graph);
    assert_eq!(graph.links(1), (&[0, 3][..], &[2.0, 1.5][..]));
    assert_eq!(graph.links(4).0, [] as [u32; 0]);
    assert_eq!(graph.components(), [0, 0, 1, 0, 2]);
}
