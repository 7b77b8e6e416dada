//! A given number of communities, and profiles of resolutions.

mod common;

use lpvdn_cluster::leiden::{Profile, Run};
use lpvdn_cluster::{GraphParams, Leiden, LeidenK, NeighborGraph, metrics};
use lpvdn_core::{Matrix, StreamKey};

fn graph_of(rows: &Matrix<f32>, neighbors: usize) -> NeighborGraph {
    NeighborGraph::of_rows(rows, &GraphParams::new().neighbors(neighbors)).expect("a graph")
}

fn labels_used(labels: &[u32]) -> usize {
    let mut labels = labels.to_vec();
    labels.sort_unstable();
    labels.dedup();
    labels.len()
}

/// Normal groups of the sizes, at the places on a line.
fn groups(places: &[(f32, usize)]) -> (Matrix<f32>, Vec<u32>) {
    let of: Vec<u32> = places.iter().zip(0..).flat_map(|(&(_, n), c)| vec![c; n]).collect();
    let mut stream = StreamKey::new(1, "groups").open();
    let rows = Matrix::from_fn(of.len(), 3, |i, j| {
        let place = if j == 0 { places[of[i] as usize].0 } else { 0.0 };
        place + stream.normal() as f32
    });
    (rows, of)
}

#[test]
fn a_search_ends_at_the_resolution_of_the_number_wanted() {
    let rows = common::blobs(1500, 4, 6, 11);
    let graph = graph_of(&rows, 15);
    for wanted in [2, 5, 6, 9, 20] {
        let found = LeidenK::params(wanted).seed(1).fit(&graph, Some(&rows)).expect("communities");
        assert_eq!(labels_used(&found.labels), wanted);
        let runs = found.profile.runs();
        assert!(runs.len() <= 30 && runs.is_sorted_by(|a, b| a.resolution <= b.resolution));
        if let Some(run) = runs.iter().find(|run| run.resolution == found.resolution) {
            assert!(run.communities == found.found && run.quality <= found.quality);
        }
        // What was not merged is what the resolution alone gives.
        if found.found == wanted && found.resolution > 0.0 {
            let again = Leiden::params()
                .seed(1)
                .n_init(4)
                .resolution(found.resolution)
                .fit(&graph)
                .expect("communities");
            assert!(again.quality >= found.quality);
            assert!(again.communities != wanted || again.labels == found.labels);
        }
    }
}

#[test]
fn three_times_as_many_pieces_as_wanted_are_merged_by_their_distance() {
    // Four groups of three pieces each, of very different sizes.
    let mut places = Vec::new();
    for (group, sizes) in [[400, 30, 60], [20, 25, 20], [100, 20, 20], [40, 300, 20]].iter().enumerate() {
        places.extend(sizes.iter().enumerate().map(|(i, &n)| ((group * 1000 + i * 60) as f32, n)));
    }
    let (rows, pieces) = groups(&places);
    let graph = graph_of(&rows, 15);
    assert_eq!(graph.components().iter().max(), Some(&11));
    let found = LeidenK::params(4).fit(&graph, Some(&rows)).expect("communities");
    let expected: Vec<u32> = pieces.iter().map(|piece| piece / 3).collect();
    assert_eq!(metrics::ari(&expected, &found.labels), Ok(1.0));
    assert_eq!((found.found, found.resolution, found.profile.runs().len()), (12, 0.0, 0));
    // As many as there are pieces: the pieces.
    let all = LeidenK::params(12).fit(&graph, Some(&rows)).expect("communities");
    assert_eq!(metrics::ari(&pieces, &all.labels), Ok(1.0));
    // Without rows, the two smallest: nothing else is known.
    let blind = LeidenK::params(11).fit(&graph, None).expect("communities");
    let mut sizes = vec![0; 11];
    blind.labels.iter().for_each(|&l| sizes[l as usize] += 1);
    assert_eq!(sizes, [400, 300, 100, 60, 40, 40, 30, 25, 20, 20, 20]);
}

#[test]
fn rows_with_more_copies_than_neighbours_stay_together() {
    // Nine distinct rows, 40 copies each; three lie near each other, three times.
    let rows = Matrix::from_fn(360, 2, |i, j| (i % 9 / 3 * 100 + i % 3 * (j + 1)) as f32);
    let graph = graph_of(&rows, 15);
    let of = |i: u32, wanted: usize| if wanted == 3 { i % 9 / 3 } else { i % 9 };
    for wanted in [3, 9] {
        let found = LeidenK::params(wanted).fit(&graph, Some(&rows)).expect("communities");
        let expected: Vec<u32> = (0..360).map(|i| of(i, wanted)).collect();
        assert_eq!(metrics::ari(&expected, &found.labels), Ok(1.0));
    }
}

#[test]
fn rows_that_are_all_equal_are_divided_into_as_many_as_wanted() {
    let rows = Matrix::zeros(50, 2);
    let graph = graph_of(&rows, 15);
    for wanted in [1, 2, 7, 49, 50] {
        let found = LeidenK::params(wanted).fit(&graph, Some(&rows)).expect("communities");
        assert_eq!(labels_used(&found.labels), wanted, "{wanted}");
    }
}

#[test]
fn one_row_and_as_many_clusters_as_rows_get_a_result() {
    let one = Matrix::zeros(1, 2);
    assert_eq!(LeidenK::params(1).fit(&graph_of(&one, 15), Some(&one)).expect("a cluster").labels, [0]);
    let rows = common::blobs(40, 3, 2, 1);
    let found = LeidenK::params(40).fit(&graph_of(&rows, 5), Some(&rows)).expect("communities");
    assert_eq!(labels_used(&found.labels), 40);
}

#[test]
fn the_widest_plateau_is_the_number_of_groups() {
    let rows = common::blobs(2000, 6, 7, 3);
    let graph = graph_of(&rows, 15);
    let params = Leiden::params().check().expect("parameters");
    let profile = params.sweep(&graph, 0.02..=4.0, 40, &|| false).expect("runs");
    assert_eq!(profile.runs().len(), 40);
    assert_eq!(profile.widest(2).map(|p| p.communities), Some(7), "{:?}", profile.plateaus());
    assert!(params.sweep(&graph, 0.0..=1.0, 5, &|| false).is_err());
    assert!(params.sweep(&graph, 1.0..=0.5, 5, &|| false).is_err());
    assert!(params.sweep(&graph, 0.5..=1.0, 0, &|| false).is_err());
}

#[test]
fn plateaus_end_halfway_to_the_next_run() {
    let run = |resolution, communities| Run { resolution, communities, quality: 0.0 };
    let profile = Profile::new(vec![run(16.0, 5), run(1.0, 3), run(4.0, 3), run(0.25, 1)]);
    let plateaus: Vec<_> = profile.plateaus().iter().map(|p| (p.communities, p.from, p.to)).collect();
    assert_eq!(plateaus, [(1, 0.25, 0.5), (3, 0.5, 8.0), (5, 8.0, 16.0)]);
    assert_eq!(profile.widest(2).map(|p| p.communities), Some(3));
    assert_eq!(profile.widest(4).map(|p| p.communities), Some(5));
    assert_eq!(profile.widest(6), None);
    assert_eq!(Profile::default().plateaus(), []);
}
