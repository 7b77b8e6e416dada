//! Tables of text that could be read in a wrong way: what is refused, and what is told.
#![allow(missing_docs)]

mod common;

use common::{Folder, says, told, values};
use lpvdn_data::{Header, Missing, OpenOptions, Opened, read};

fn opened(text: impl AsRef<[u8]>, options: &OpenOptions) -> Opened {
    read(Folder::new().file("a.csv", text), options).unwrap_or_else(|e| panic!("{e}"))
}

fn refusal(text: impl AsRef<[u8]>, options: &OpenOptions) -> String {
    Folder::new().refusal_with("a.csv", text, options)
}

fn notes(text: &str) -> Vec<String> {
    told(&opened(text, &OpenOptions::default()))
}

fn labelled(column: &str) -> OpenOptions {
    OpenOptions::default().label_column(column)
}

fn ignoring(column: &str) -> OpenOptions {
    let mut options = OpenOptions::default();
    options.ignore = vec![column.to_owned()];
    options
}

fn filling_in() -> OpenOptions {
    let mut options = OpenOptions::default();
    options.missing = Missing::Mean;
    options
}

/// As a model reads that was fitted to this.
fn remembered(text: &str, options: &OpenOptions) -> OpenOptions {
    let stored = serde_json::to_string(&opened(text, options).reading).expect("text");
    let mut options = OpenOptions::default();
    options.reading = serde_json::from_str(&stored).expect("a reading");
    options
}

#[test]
fn a_quote_that_is_not_closed_is_named_by_its_line() {
    let row =
        |i: usize| format!("{i},0,{}\n", if i == 500 { "\"5 inch".to_owned() } else { format!("n{i}") });
    let text: String = (0..1000).map(row).collect();
    let message = refusal(format!("x,y,name\n{text}"), &ignoring("name"));
    says(&message, &["line 502, column 2", "not closed", "double it"]);
    for (text, line) in
        [("a,b\n1,\"x", 2), ("a,b\n1,\"x\n\n", 2), ("a\n1\n\"", 3), ("a,b\n\"u\nv\",\"x\"\"\n", 3)]
    {
        says(&refusal(text, &OpenOptions::default()), &[&format!("line {line}, "), "not closed"]);
    }
}

#[test]
fn a_quote_that_the_last_line_closes_is_none_that_is_left_open() {
    for end in ["\"x\"", "\"x\"\n", "\"x\n\"", "\"x\n\n\"\n\n", "\"\""] {
        let data = opened(format!("a,b\n1,u\n2,{end}"), &ignoring("b")).data;
        assert_eq!(values(&data).as_slice(), [1.0, 2.0], "{end:?}");
    }
}

#[test]
fn a_model_finds_columns_of_one_name_where_they_were() {
    let text = "a,b,a\n100,1,7\n200,2,8\n";
    let left_out = remembered(text, &ignoring("0"));
    assert_eq!(values(&opened(text, &left_out).data).as_slice(), [1.0, 7.0, 2.0, 8.0]);
    // With the only one of that name, wherever it is.
    assert_eq!(values(&opened("x,a,b\n0,7,1\n", &left_out).data).as_slice(), [1.0, 7.0]);
    says(&refusal("a,a,b\n1,2,3\n", &left_out), &["2 columns have that name", "LeaveColumnOut"]);
    let mut one = left_out.clone();
    one.ignore = vec!["0".to_owned()];
    assert_eq!(values(&opened("a,a,b\n1,2,3\n", &one).data).as_slice(), [3.0, 2.0]);
    // Both, in their order.
    let both = remembered(text, &ignoring("b"));
    assert_eq!(values(&opened("x,a,a\n0,1,2\n", &both).data).as_slice(), [1.0, 2.0]);
    says(&refusal("x,a\n0,1\n", &both), &["no column \"a\""]);
}

#[test]
fn classes_in_a_column_of_a_name_that_others_have_are_found_again() {
    let text = "a,b,a\n100,1,u\n200,2,v\n";
    let mut without_first = labelled("2");
    without_first.ignore = vec!["0".to_owned()];
    for options in [labelled("2"), without_first] {
        let again = opened(text, &remembered(text, &options)).data;
        assert_eq!(values(&again), values(&opened(text, &options).data));
        assert_eq!(again.labels.expect("classes").names, ["u", "v"]);
    }
}

#[test]
fn text_in_another_encoding_is_refused_where_it_is_read_as_text() {
    let latin = b"a,city,b\n1,M\xfcller,2\n2,M\xe4ller,3\n";
    let mut named = OpenOptions::default();
    named.id_column = Some("city".to_owned());
    for options in [OpenOptions::default(), labelled("city"), named] {
        let message = refusal(latin, &options);
        says(&message, &["line 2, column 1 (\"city\")", "UTF-8", "iconv -f LATIN1 -t UTF-8"]);
    }
    assert_eq!(values(&opened(latin, &ignoring("city")).data).as_slice(), [1.0, 2.0, 2.0, 3.0]);
}

#[test]
fn numbers_too_close_together_for_32_bits_are_told() {
    let times = |step: u32| {
        (0..100).map(|i| format!("{},{}\n", 1_700_000_000 + i * 37 % 100 * step, i % 5)).collect::<String>()
    };
    let told = notes(&format!("t,b\n{}", times(1)));
    assert_eq!(told.len(), 1, "{told:?}");
    says(&told[0], &["column 0 (\"t\")", "32-bit", "subtract 1700000000", "LeaveColumnOut"]);
    assert_eq!(notes(&format!("t,b\n{}", times(86_400))), [""; 0], "days can be told apart");
    assert_eq!(notes("t,b\n0.1,5\n0.2,5\n1e-3,5\n"), [""; 0]);
}

#[test]
fn words_that_a_model_does_not_know_are_counted() {
    let options = remembered("size,colour\n1,red\n2,blue\n", &OpenOptions::default());
    let told = told(&opened("size,colour\n1,green\n2,red\n3,Red\n", &options));
    assert_eq!(told.len(), 1, "{told:?}");
    says(&told[0], &["2 of 3 cells of column 1 (\"colour\")", "has not seen", "\"green\""]);
    assert!(opened("size,colour\n1,blue\n2,red\n", &options).notes.is_empty());
}

#[test]
fn a_column_is_for_one_thing() {
    let mut options = labelled("b");
    options.id_column = Some("1".to_owned());
    says(&refusal("a,b\n1,2\n", &options), &["column 1 (\"b\")", "label column and as id column"]);
    let mut options = labelled("b");
    options.ignore = vec!["b".to_owned()];
    says(&refusal("a,b\n1,2\n", &options), &["column 1 (\"b\")", "label column and as column to leave out"]);
    let mut twice = ignoring("b");
    twice.ignore.push("-1".to_owned());
    assert_eq!(opened("a,b\n1,2\n", &twice).data.cols(), 1);
}

#[test]
fn cells_are_taken_apart_where_numbers_come_out() {
    let bars = opened("a|b\n0.5|0\n1.5|1\n", &OpenOptions::default()).data;
    assert_eq!(values(&bars).as_slice(), [0.5, 0.0, 1.5, 1.0]);
    let commas = opened("0.5,0,a;b\n1.5,1,a;b\n", &OpenOptions::default()).data;
    assert_eq!(values(&commas).as_slice(), [0.5, 0.0, 1.0, 1.5, 1.0, 1.0]);
}

#[test]
fn a_first_line_of_words_above_words_is_told() {
    let words = "red,large\nblue,small\nred,small\n";
    let told = notes(words);
    assert!(told.len() == 1 && told[0].contains("FirstLineIsRow"), "{told:?}");
    for header in [Header::Yes, Header::No] {
        assert!(opened(words, &OpenOptions::default().header(header)).notes.is_empty());
    }
    assert_eq!(notes("colour,size\nblue,1\nred,2\n"), [""; 0]);
}

#[test]
fn a_blank_line_is_a_missing_value_of_the_only_column() {
    says(&refusal("a\n\n1\n2\n", &OpenOptions::default()), &["line 2, column 0", "missing"]);
    let data = opened("\na\n1\n \n\n4\n\n\n", &filling_in()).data;
    assert_eq!(values(&data).as_slice(), [1.0, 2.5, 2.5, 4.0], "those at either end are no rows");
    let lines = data.lines.expect("lines");
    assert_eq!([lines.get(1), lines.get(3)], [Some(4), Some(6)]);
}

#[test]
fn an_infinite_value_is_not_the_mean_of_others() {
    let data = opened("a,b\n1,1\n,2\ninf,3\n3,4\n", &filling_in()).data;
    assert_eq!(values(&data).as_slice(), [1.0, 1.0, 2.0, 2.0, f32::INFINITY, 3.0, 3.0, 4.0]);
}

#[test]
fn numbers_beyond_32_bits_are_told_with_their_line() {
    let told = notes("a,b\n1,1\n-1e300,2\n1e999,3\n");
    assert_eq!(told.len(), 1, "{told:?}");
    says(
        &told[0],
        &["2 of 3 cells of column 0 (\"a\")", "beyond what 32-bit numbers hold", "\"-1e300\" at line 3"],
    );
    assert!(!told[0].contains("FillIn"), "{told:?}");
    assert_eq!(notes("a,b\ninf,1\n1e38,2\n"), [""; 0], "infinity itself is for the fit to report");
}
