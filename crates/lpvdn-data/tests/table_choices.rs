//! What is said about the columns of tables, what fills their holes, and what a model remembers of it.
#![allow(missing_docs)]

mod common;

use common::{Folder, says, told, values};
use lpvdn_core::ColumnKind::{Boolean, Category, Date, Number};
use lpvdn_core::Transform;
use lpvdn_data::{Missing, OpenOptions, Opened, Reading, read};

fn opened_with(text: impl AsRef<[u8]>, options: &OpenOptions) -> Opened {
    read(Folder::new().file("a.csv", text), options).unwrap_or_else(|e| panic!("{e}"))
}

fn refusal(text: impl AsRef<[u8]>, options: &OpenOptions) -> String {
    Folder::new().refusal_with("a.csv", text, options)
}

fn filling(missing: Missing) -> OpenOptions {
    let mut options = OpenOptions::default();
    options.missing = missing;
    options
}

fn with_kinds(kinds: &[&str]) -> OpenOptions {
    let mut options = OpenOptions::default();
    options.columns.kinds = kinds.iter().map(|kind| kind.parse().expect("a kind")).collect();
    options
}

/// As a model reads that was fitted to this.
fn remembered(opened: &Opened) -> OpenOptions {
    let text = serde_json::to_string(&opened.reading).expect("text");
    let mut options = OpenOptions::default();
    options.reading = serde_json::from_str(&text).expect("a reading");
    assert_eq!(options.reading, opened.reading, "{text}");
    options
}

#[test]
fn missing_values_are_filled_in_as_it_is_asked_for() {
    let text = "a,w,d\n1,x,2024-01-01\n,y,2024-01-03\n2,,\n2,y,2024-01-04\n9,y,2024-01-04\n";
    let row = |missing, row: usize| {
        let opened = opened_with(text, &filling(missing));
        let counts: Vec<usize> = opened.missing.iter().map(|filled| filled.count).collect();
        assert_eq!(counts, [1, 1, 1]);
        let again = opened_with(text, &remembered(&opened));
        assert_eq!(values(&again.data), values(&opened.data), "{missing:?}");
        values(&opened.data).row(row).to_vec()
    };
    assert_eq!(row(Missing::Mean, 1), [3.5, 0.0, 1.0, 19_725.0]);
    assert_eq!(row(Missing::Mean, 2), [2.0, 0.0, 0.0, 19_725.0]);
    assert_eq!(row(Missing::Median, 1), [2.0, 0.0, 1.0, 19_725.0]);
    assert_eq!(row(Missing::Median, 2), [2.0, 0.0, 0.0, 19_725.5]);
    assert_eq!(row(Missing::MostFrequent, 2), [2.0, 0.0, 1.0, 19_726.0]);
    assert_eq!(row(Missing::Category, 2), [2.0, 0.0, 0.0, 1.0, 19_725.0]);
    let named = opened_with(text, &filling(Missing::Category)).data.columns.expect("names");
    assert_eq!(named, ["a", "w=x", "w=y", "w=missing", "d"]);
    says(&refusal(text, &OpenOptions::default()), &["line 3, column 0 (\"a\")", "FillIn"]);
}

#[test]
fn kinds_and_weights_are_as_the_user_says() {
    let text =
        "zip,amount,when,flag,n\n10115,5,2024-01-01,m,1\n80331,7,2024-01-02,f,2\n10115,9,2024-01-03,m,3\n";
    let mut options = with_kinds(&["zip=category", "amount=log", "n=linear", "flag=boolean"]);
    options.columns.weights =
        vec!["amount=2".parse().expect("a weight"), "-1=0.5".parse().expect("a weight")];
    let first = opened_with(text, &options);
    let groups = first.data.groups.clone().expect("groups");
    let found: Vec<_> = groups.iter().map(|g| (g.kind, g.width, g.transform, g.weight)).collect();
    assert_eq!(
        found,
        [
            (Category, 2, None, 1.0),
            (Number, 1, Some(Transform::Log), 2.0),
            (Date, 1, None, 1.0),
            (Boolean, 1, None, 1.0),
            (Number, 1, Some(Transform::Identity), 0.5),
        ]
    );
    let again = opened_with(text, &remembered(&first));
    assert_eq!(values(&again.data), values(&first.data));
    assert_eq!(again.data.groups, first.data.groups);
}

#[test]
fn what_is_said_about_a_column_must_fit_it() {
    let text = "age,city,day\n1,Ulm,01/02/2024\n2,Jena,03/04/2024\n";
    let refused = |kinds: &[&str]| refusal(text, &with_kinds(kinds));
    says(&refused(&["aeg=number"]), &["column whose kind is given \"aeg\"", "did you mean \"age\"?"]);
    says(&refused(&["city=number"]), &["line 2, column 1 (\"city\")", "\"Ulm\" is not a number"]);
    says(&refused(&["city=date"]), &["line 2, column 1 (\"city\")", "\"Ulm\" is not a date"]);
    says(&refused(&["age=date"]), &["line 2, column 0 (\"age\")", "is not a date"]);
    says(&refused(&["age=number", "0=category"]), &["both number and category"]);
    says(&refused(&["age=number", "age=ignore"]), &["no column of values"]);
    let mut labelled = with_kinds(&["city=category"]);
    labelled.label_column = Some("city".to_owned());
    says(&refusal(text, &labelled), &["no column of values"]);
    let mut weighted = OpenOptions::default();
    weighted.columns.weights = vec!["citi=2".parse().expect("a weight")];
    says(&refusal(text, &weighted), &["column whose weight is given \"citi\"", "did you mean \"city\"?"]);
    let three = "flag,n\na,1\nb,2\nc,3\n";
    says(&refusal(three, &with_kinds(&["flag=boolean"])), &["column 0 (\"flag\")", "not two different"]);
    let folder = Folder::new();
    let array = common::npy("|u1", "(2, 2)", &[1, 2, 3, 4]);
    says(&folder.refusal_with("a.npy", array, &with_kinds(&["0=number"])), &["the kind of a column", "CSV"]);
}

#[test]
fn dates_of_no_known_order_are_refused_as_dates() {
    let text = "d,n\n01/02/2024,1\n03/04/2024,2\n";
    let message = refusal(text, &with_kinds(&["d=date"]));
    says(
        &message,
        &["line 2, column 0 (\"d\")", "\"01/02/2024\" is not a date", "day or the month is the first"],
    );
}

#[test]
fn a_table_on_the_disk_has_the_same_rows() {
    let row = |i: usize| {
        format!(
            "{},{}.5,{},{},{},{i}\n",
            format_args!("2024-01-{:02} {:02}:30", 1 + i % 31, i % 24),
            i * 31 % 997,
            if i.is_multiple_of(13) { "" } else { ["red", "green", "blue"][i % 3] },
            if i.is_multiple_of(2) { "yes" } else { "no" },
            if i.is_multiple_of(17) { "?".to_owned() } else { (i % 40).to_string() },
        )
    };
    let text = "when,x,colour,flag,holes,nr\n".to_owned() + &(0..5000).map(row).collect::<String>();
    for missing in [Missing::Mean, Missing::Median, Missing::MostFrequent, Missing::Category] {
        let held = opened_with(&text, &filling(missing));
        let mut little = filling(missing);
        little.memory = Some(10_000);
        let there = opened_with(&text, &little);
        assert!(there.data.source.memory() < held.data.source.memory() / 2, "{missing:?}");
        assert_eq!(values(&there.data), values(&held.data), "{missing:?}");
        assert_eq!((&there.reading, &there.data.groups), (&held.reading, &held.data.groups));
        assert_eq!(told(&there), told(&held));
    }
}

#[test]
fn readings_of_before_mean_what_they_meant() {
    let stored = r#"{"kind":"table","width":4,"columns":[
        {"place":0,"name":"size","numbers":{"mean":2.5}},
        {"place":1,"name":"colour","words":{"words":["blue","red"]}},
        {"place":2,"name":"flag","words":{"words":["no","yes"]}},
        {"place":3,"name":"v","vectors":{"means":[1.0,2.0]}}],
        "label":"kind","missing":"mean"}"#;
    let reading: Reading = serde_json::from_str(stored).expect("a reading");
    let compact: String = stored.split_whitespace().collect();
    assert_eq!(serde_json::to_string(&reading).expect("text"), compact, "and is written as before");
    let Reading::Table(mut table) = reading else { panic!("a table") };
    table.columns.pop();
    let mut options = OpenOptions::default();
    options.reading = Some(Reading::Table(table));
    let data = opened_with("size,colour,flag\n,red,yes\n7,green,no\n", &options).data;
    assert_eq!(values(&data).as_slice(), [2.5, 0.0, 1.0, 0.0, 1.0, 7.0, 0.0, 0.0, 1.0, 0.0]);
    let flag = data.groups.expect("groups").pop().expect("a group");
    assert_eq!((flag.name.as_str(), flag.kind, flag.width), ("flag", Category, 2));
}
