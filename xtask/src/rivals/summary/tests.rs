use super::*;
use crate::rivals::records::tests::{ended, failed};
use crate::rivals::sets::SETS;

fn rival(method: &str) -> Column {
    Column { method: method.to_owned(), label: None }
}

fn ours(method: &str) -> Column {
    Column { method: method.to_owned(), label: Some(NOW.to_owned()) }
}

#[test]
fn a_figure_is_the_mean_of_the_runs_that_ended_and_none_of_them_is_zero() {
    let records = [
        ended("wine", "leiden", None, 1, 0.2),
        ended("wine", "leiden", None, 2, 0.6),
        failed("wine", "leiden", 3),
        failed("wine", "evoc", 1),
    ];
    let summary = Summary::new(&records, SETS);
    let leiden = summary.cell(&rival("leiden"), "wine").expect("a cell");
    assert!((leiden.ari() - 0.4).abs() < 1e-12);
    assert_eq!(leiden.failures(), 1);
    let evoc = summary.cell(&rival("evoc"), "wine").expect("a cell");
    assert_eq!((evoc.mean(|run| run.ari), evoc.ari()), (None, 0.0));
}

#[test]
fn means_and_ranks_are_over_the_sets_that_count_and_that_all_were_run_on() {
    let mut records = Vec::new();
    for (set, values) in [("wine", [0.1, 0.5, 0.9]), ("wdbc", [0.3, 0.3, 0.1]), ("iris", [1.0, 0.0, 0.0])] {
        for (method, ari) in ["sk-kmeans", "leiden", "evoc"].iter().zip(values) {
            records.push(ended(set, method, None, 1, ari));
        }
    }
    // Not all were run on vowel, and a rival for texts alone takes no set away.
    records.push(ended("vowel", "evoc", None, 1, 1.0));
    records.push(ended("cstr", "lsa-kmeans", None, 1, 1.0));
    let summary = Summary::new(&records, SETS);
    let (sets, standings) = summary.standings();
    assert_eq!(sets, ["wine", "wdbc"]);
    let found: Vec<(&str, f64, f64)> =
        standings.iter().map(|s| (s.column.method.as_str(), s.ari, s.rank)).collect();
    // On wdbc two share the first two places.
    assert_eq!(found, [("sk-kmeans", 0.2, 2.25), ("leiden", 0.4, 1.75), ("evoc", 0.5, 2.0)]);
}

#[test]
fn a_set_is_lost_where_the_best_rival_is_ahead_by_more_than_the_margin() {
    let mut records = vec![
        ended("wine", "lpvdn", Some(NOW), 1, 0.5),
        ended("wine", "leiden", None, 1, 0.53),
        ended("wine", "evoc", None, 1, 0.51),
        // Ahead, but not by more than the margin.
        ended("wdbc", "lpvdn", Some(NOW), 1, 0.5),
        ended("wdbc", "leiden", None, 1, 0.515),
        // The mean counts, and not the best seed.
        ended("vowel", "lpvdn", Some(NOW), 1, 0.5),
        ended("vowel", "leiden", None, 1, 0.9),
        ended("vowel", "leiden", None, 2, 0.0),
        // A set that ours was not run on is neither won nor lost.
        ended("iris", "leiden", None, 1, 1.0),
    ];
    let lost = |records: &[Record]| -> Vec<(String, String)> {
        let summary = Summary::new(records, SETS);
        let losses = summary.losses(&ours("lpvdn"));
        losses.into_iter().map(|loss| (loss.set.to_owned(), loss.rival.method)).collect()
    };
    assert_eq!(lost(&records), [("wine".to_owned(), "leiden".to_owned())]);
    // Where none of our runs ended, we lose too.
    let mut none = failed("iris", "lpvdn", 1);
    none.label = Some(NOW.to_owned());
    records.push(none);
    assert_eq!(lost(&records).last(), Some(&("iris".to_owned(), "leiden".to_owned())));
}

#[test]
fn the_present_state_is_compared_whatever_was_recorded_last() {
    let records =
        [ended("wine", "lpvdn", Some(NOW), 1, 0.5), ended("wine", "kmeans", Some("before"), 1, 0.5)];
    let summary = Summary::new(&records, SETS);
    assert_eq!(summary.label, NOW);
    assert_eq!(summary.ours(), [&ours("lpvdn")]);
    assert_eq!(Summary::new(&records[1..], SETS).label, "before");
}
