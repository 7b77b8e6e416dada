//! What the program makes of columns of many kinds.

mod common;

use common::Place;

/// Customers with an id, a date, money, words that matter and words that do not, and holes.
fn customers(place: &Place) {
    let row = |i: usize| {
        let group = i % 2;
        format!(
            "C{},2024-{:02}-{:02},{},\"${},{:03}.50\",{},{},{}\n",
            1000 + i,
            1 + i % 12,
            1 + i * 7 % 28,
            if i.is_multiple_of(11) { String::new() } else { (20 + 30 * group + i % 5).to_string() },
            1 + 8 * group,
            i * 37 % 1000,
            ["free", "gold"][group],
            ["Ulm", "Jena", "Trier"][i % 3],
            ["yes", "no"][i / 2 % 2],
        )
    };
    let rows: String = (0..120).map(row).collect();
    place.write("customers.csv", format!("customer,since,age,income,plan,city,newsletter\n{rows}"));
}

#[test]
fn kinds_are_shown_and_a_model_reads_other_tables_alike() {
    let place = Place::new();
    customers(&place);
    let inspect = ["data", "inspect", "customers.csv", "-k", "2", "--missing", "median"];
    let told = place.run(&inspect).succeeded().stdout;
    for words in [
        "holds     2 numbers (age, income), 1 date (since), 1 boolean (newsletter), 2 categories (plan of 2, city of 3)",
        "column 0 (\"customer\") has another value in every row, as ids do, and is left out",
        "name it with --id-column",
        "--kind COLUMN=KIND",
        "filled in with the medians of their columns: 11 in column 2 (\"age\")",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let fit = ["fit", "customers.csv", "-k", "2", "--method", "kmeans", "-q", "--missing", "median"];
    let said = ["--kind", "income=log,city=ignore", "--kind", "since=ignore", "--weight", "plan=2"];
    place.run(&[&fit[..], &said].concat()).succeeded();
    let info = place.run(&["info", "lpvdn-out", "--json"]).succeeded().json();
    assert_eq!(info["columns"], 5, "{info}");
    place.write("one.csv", "plan,income,newsletter,age\ngold,\"$9,100.00\",no,\nsilver,5,y,22\n");
    let told = place.run(&["predict", "lpvdn-out", "one.csv"]).succeeded();
    assert_eq!(told.stdout.lines().count(), 3, "{}", told.stdout);
    assert!(told.stderr.contains("has not seen (the first: \"silver\")"), "{}", told.stderr);
}

#[test]
fn a_run_remembers_what_was_said_about_columns() {
    let place = Place::new();
    customers(&place);
    place.write(
        "said.toml",
        "kind = [\"income=log\"]\nweight = [\"plan=0.5\"]\nmissing = \"category\"\ndecimal = \".\"\n",
    );
    let fit = ["fit", "customers.csv", "-k", "2", "--method", "kmeans", "-q"];
    place.run(&[&fit[..], &["--config", "said.toml"]].concat()).succeeded();
    let run = std::fs::read_to_string(place.path("lpvdn-out/run.toml")).expect("settings");
    for line in
        ["kind = [\"income=log\"]", "weight = [\"plan=0.5\"]", "missing = \"category\"", "decimal = \".\""]
    {
        assert!(run.contains(line), "{line}: {run}");
    }
    place.write("wrong.toml", "kind = [\"income=amount\"]\n");
    place
        .run(&[&fit[..], &["--config", "wrong.toml", "--force"]].concat())
        .failed(2, &["\"amount\" is no kind of column", "log, category"]);
}

#[test]
fn what_is_wrong_with_a_kind_or_weight_is_said_in_words() {
    let place = Place::new();
    customers(&place);
    let fit = |args: &[&str]| {
        place.run(&[&["fit", "customers.csv", "-k", "2", "--missing", "mean"], args].concat())
    };
    fit(&["--kind", "age"]).failed(2, &["names no column and kind", "age=number"]);
    fit(&["--kind", "age=nummer"]).failed(2, &["\"nummer\" is no kind of column"]);
    fit(&["--weight", "age=0"]).failed(2, &["\"0\" is no weight", "above 0"]);
    fit(&["--kind", "aeg=number"])
        .failed(1, &["column whose kind is given \"aeg\"", "did you mean \"age\"?"]);
    fit(&["--weight", "plna=2"])
        .failed(1, &["column whose weight is given \"plna\"", "did you mean \"plan\"?"]);
    fit(&["--kind", "city=date"]).failed(1, &["line 2, column 5 (\"city\")", "is not a date"]);
    fit(&["--decimal", ";"]).failed(2, &["--decimal"]);
    place.run(&["predict", "a", "b", "--kind", "c=number"]).failed(2, &["unexpected argument '--kind'"]);
}

#[test]
fn european_tables_just_load() {
    let place = Place::new();
    let row = |i: usize| {
        format!("{},{};{}.{:03},5;{}\n", i % 7, i % 10, 1 + i % 3, i * 37 % 1000, ["rot", "blau"][i % 2])
    };
    place.write("werte.csv", "a;b;farbe\n".to_owned() + &(0..60).map(row).collect::<String>());
    let facts = place.run(&["data", "inspect", "werte.csv", "-k", "2", "--json"]).succeeded().json();
    assert_eq!(facts["columns"], 4, "{facts}");
    assert!(facts["notes"].to_string().contains("decimal comma"), "{facts}");
    assert_eq!(facts["kinds"][2]["kind"], "category", "{facts}");
    assert!(facts["max"].as_f64().is_some_and(|max| max > 3000.0 && max < 4000.0), "{facts}");
}

/// Temperatures around zero, amounts, and three absurd ones among these.
fn stations(place: &Place) {
    let amount = |i: usize| if i % 100 == 7 { 1e15 } else { (10 + i * 13 % 90) as f64 };
    let row = |i: usize| format!("{},{}\n", (i * 7 % 41) as f64 / 2.0 - 10.0, amount(i));
    let rows: String = (0..300).map(row).collect();
    place.write("stations.csv", format!("celsius,rain\n{rows}"));
}

#[test]
fn a_logarithm_of_values_below_zero_is_refused_with_the_remedy() {
    let place = Place::new();
    stations(&place);
    let fit = ["fit", "stations.csv", "-k", "2", "--method", "kmeans", "--kind", "celsius=log"];
    let words = ["\"celsius\"", "smallest value is -10", "add 10", "--kind COLUMN=linear"];
    place.run(&fit).failed(1, &words);
    let inspect = ["data", "inspect", "stations.csv", "-k", "2", "--kind", "celsius=log"];
    let told = place.run(&inspect).succeeded().stdout;
    assert!(words.iter().all(|words| told.contains(words)), "{told}");
    place
        .run(&["fit", "stations.csv", "-k", "2", "--method", "kmeans", "--kind", "rain=log", "-q"])
        .succeeded();
}

#[test]
fn values_that_are_taken_for_unknown_are_counted_wherever_rows_are_seen() {
    let place = Place::new();
    stations(&place);
    let told = place.run(&["fit", "stations.csv", "-k", "2", "--method", "kmeans"]).succeeded().stderr;
    assert!(told.contains("taken for unknown") && told.contains("3 values of rain"), "{told}");
    let inspect = ["data", "inspect", "stations.csv", "-k", "2"];
    let told = place.run(&inspect).succeeded().stdout;
    assert!(told.contains("3 values of rain"), "{told}");
    let facts = place.run(&[&inspect[..], &["--json"]].concat()).succeeded().json();
    assert_eq!(facts["fit"]["unknown"][0]["count"], 3, "{facts}");
    place.write("new.csv", "celsius,rain\n1.5,20\n-3,1e18\n");
    let told = place.run(&["predict", "lpvdn-out", "new.csv"]).succeeded();
    assert!(told.stderr.contains("note: taken for unknown") && told.stderr.contains("1 value of rain"));
    assert_eq!(told.stdout.lines().count(), 3, "{}", told.stdout);
    place.write("usual.csv", "celsius,rain\n1.5,20\n");
    let told = place.run(&["predict", "lpvdn-out", "usual.csv"]).succeeded().stderr;
    assert!(!told.contains("unknown"), "{told}");
}

#[test]
fn what_was_asked_for_is_in_the_lines_about_columns() {
    let place = Place::new();
    customers(&place);
    let said = ["--missing", "mean", "--kind", "income=linear", "--weight", "plan=3,age=2"];
    let inspect = ["data", "inspect", "customers.csv", "-k", "2"];
    let told = place.run(&[&inspect[..], &said].concat()).succeeded().stdout;
    for words in ["age (weight 2 by request)", "income (linear by request)", "plan (2, weight 3 by request)"]
    {
        assert!(told.contains(words), "{words}: {told}");
    }
}
