use super::*;
use crate::rivals::records::tests::{ended, failed};
use crate::rivals::sets::SETS;

#[test]
fn the_best_of_a_row_is_bold_and_what_equals_it_to_the_eye_too() {
    let records = [
        ended("iris", "sk-kmeans", None, 1, 0.5),
        ended("iris", "leiden", None, 1, 0.70001),
        ended("iris", "lpvdn", Some("now"), 1, 0.7),
    ];
    let page = page(&records, SETS);
    assert!(page.contains("| iris | .500 | **.700** | **.700** |\n"), "{page}");
}

#[test]
fn a_failed_run_is_marked_named_and_not_part_of_the_mean() {
    let records =
        [ended("iris", "leiden", None, 1, 0.5), failed("iris", "leiden", 2), failed("iris", "evoc", 1)];
    let page = page(&records, SETS);
    assert!(page.contains("| iris | .500† | failed |\n"), "{page}");
    assert!(page.contains("- iris, EVōC, seed 1: no memory\n"), "{page}");
}

#[test]
fn a_rival_for_texts_has_a_dash_on_other_sets() {
    let records = [
        ended("cstr", "lsa-kmeans", None, 1, 0.5),
        ended("wine", "leiden", None, 1, 0.6),
        ended("iris", "leiden", None, 1, 0.6),
    ];
    let page = page(&records, SETS);
    assert!(page.contains("| wine | – | .600 |\n") && page.contains("| cstr | .500 |  |\n"), "{page}");
    assert!(page.contains("| — | | |\n| iris |"), "{page}");
}

#[test]
fn a_state_of_ours_is_named_only_where_there_are_several() {
    let one = [ended("wine", "lpvdn", Some("before"), 1, 0.5)];
    assert!(page(&one, SETS).contains("| set | ours: LPVDN |"));
    let two = [one[0].clone(), ended("wine", "lpvdn", Some("now"), 1, 0.6)];
    let page = page(&two, SETS);
    assert!(page.contains("| set | ours: LPVDN, before | ours: LPVDN, now |"), "{page}");
    assert!(page.contains("ours: LPVDN, before .500, ours: LPVDN, now .600."), "{page}");
}

#[test]
fn the_page_follows_from_the_runs_and_not_from_their_order() {
    let mut records = vec![
        ended("iris", "leiden", None, 1, 0.5),
        ended("wine", "evoc", None, 2, 0.25),
        ended("wine", "lpvdn", Some("now"), 1, 0.1),
    ];
    let one = page(&records, SETS);
    records.reverse();
    assert_eq!(page(&records, SETS), one);
    assert!(one.contains("| wine | .100 | EVōC | .250 | .150 |\n"), "{one}");
}

#[test]
fn numbers_have_three_digits_and_no_zero_before_the_point() {
    assert_eq!([0.0, 0.8984, 1.0, -0.0216].map(short), [".000", ".898", "1.000", "−.022"]);
}
