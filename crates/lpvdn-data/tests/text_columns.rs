//! Texts in a column of a table, alone and with other columns.
#![allow(missing_docs)]

mod common;

use common::{Folder, as_read, changed, entries, of_column, refused, says, told, values};
use lpvdn_core::{ColumnGroup, ColumnKind};
use lpvdn_data::{EmptyText, Missing, OpenOptions, Reading, open, read};

const TEXTS: [&str; 4] = ["The cat sat.", "A dog, \"sat\" down", "the cat and the dog", "birds"];

/// A table of texts with two other columns, classes and ids.
fn table() -> String {
    let line = |(i, text): (usize, &&str)| {
        let (plan, topic) = (["free", "paid"][i % 2], ["pets", "other"][i / 2]);
        format!("r{i},{}.5,\"{}\",{plan},{topic}\n", 10 * i, text.replace('"', "\"\""))
    };
    format!("id,price,body,plan,topic\n{}", TEXTS.iter().enumerate().map(line).collect::<String>())
}

/// With classes and ids.
fn described(column: &str) -> OpenOptions {
    let mut options = of_column(column).label_column("topic");
    options.id_column = Some("id".to_owned());
    options
}

fn group(name: &str, kind: ColumnKind, width: usize) -> ColumnGroup {
    ColumnGroup::new(name, kind, width)
}

#[test]
fn texts_alone_are_what_they_are_in_a_text_file() {
    let folder = Folder::new();
    let opened = read(folder.file("a.csv", table()), &described("body")).expect("texts");
    let lines = read(folder.file("a.txt", TEXTS.join("\n")), &OpenOptions::default()).expect("texts");
    assert_eq!(values(&opened.data), values(&lines.data));
    assert_eq!(opened.data.columns, lines.data.columns);
    let terms = lines.data.cols();
    assert_eq!(opened.data.groups, Some(vec![group("body", ColumnKind::Text, terms)]));
    assert_eq!(lines.data.groups, Some(vec![group("", ColumnKind::Text, terms)]));
    assert!(opened.data.ids.as_ref().expect("ids").iter().eq(["r0", "r1", "r2", "r3"]));
    let labels = opened.data.labels.clone().expect("labels");
    assert_eq!((labels.names, labels.codes), (vec!["other".into(), "pets".into()], vec![1, 1, 0, 0]));
    assert_eq!(
        told(&opened),
        ["2 other columns of the table are not used: \"price\", \"plan\"; [KeepColumns]"]
    );
    assert_eq!(opened.data.place_of(3), "line 5");
}

#[test]
fn the_options_of_words_apply_to_a_column() {
    let folder = Folder::new();
    let mut options = of_column("2");
    options.text.max_features = Some(2);
    let data = folder.open_with("a.csv", table(), &options).expect("texts");
    assert_eq!(data.columns, Some(vec!["cat".to_owned(), "the".to_owned()]));
}

#[test]
fn kept_columns_stand_before_the_terms() {
    let folder = Folder::new();
    let mut options = described("body");
    options.keep_columns = true;
    let opened = read(folder.file("a.csv", table()), &options).expect("rows");
    let lines = read(folder.file("a.txt", TEXTS.join("\n")), &OpenOptions::default()).expect("texts");
    let (mixed, terms) = (values(&opened.data), values(&lines.data));
    assert!(opened.data.source.is_sparse());
    for i in 0..4 {
        let plan = if i % 2 == 0 { [1.0, 0.0] } else { [0.0, 1.0] };
        assert_eq!(mixed.row(i)[..3], [10.0 * i as f32 + 0.5, plan[0], plan[1]], "row {i}");
        assert_eq!(mixed.row(i)[3..], *terms.row(i), "row {i}");
    }
    // Zeros take no place.
    assert_eq!(entries(&opened.data), 4 + 4 + entries(&lines.data));
    let names = opened.data.columns.clone().expect("names");
    assert_eq!(names[..4], ["price", "plan=free", "plan=paid", "body=and"]);
    let wanted = [
        group("price", ColumnKind::Number, 1),
        group("plan", ColumnKind::Category, 2),
        group("body", ColumnKind::Text, lines.data.cols()),
    ];
    assert_eq!(opened.data.groups, Some(wanted.to_vec()));
    assert!(told(&opened).is_empty(), "{:?}", told(&opened));
    let mut options = described("body");
    (options.keep_columns, options.ignore) = (true, vec!["price".to_owned()]);
    let data = folder.open_with("b.csv", table(), &options).expect("rows");
    assert_eq!(data.cols(), 2 + lines.data.cols());
}

#[test]
fn a_model_finds_texts_and_columns_by_name_in_a_table_of_another_order() {
    let folder = Folder::new();
    for keep_columns in [false, true] {
        let options = changed(described("body"), |options| {
            options.keep_columns = keep_columns;
        });
        let first = read(folder.file("a.csv", table()), &options).expect("rows");
        let again = open(folder.file("a.csv", table()), &as_read(&first)).expect("rows");
        assert_eq!(values(&again), values(&first.data));
        assert_eq!(again.labels, first.data.labels, "the model knows what its classes are called");
        let other = "topic,plan,extra,body,price\npets,paid,9,the unknown cat,20.5\nother,free,9,nothing,1\n";
        let opened = read(folder.file("b.csv", other), &as_read(&first)).expect("rows");
        assert_eq!(opened.data.columns, first.data.columns);
        let at = |name: &str| {
            let names = opened.data.columns.as_ref().expect("names");
            let name = if keep_columns { format!("body={name}") } else { name.to_owned() };
            names.iter().position(|n| *n == name).expect("a term")
        };
        let rows = values(&opened.data);
        assert!(rows.row(0)[at("cat")] > 0.0 && rows.row(0)[at("the")] > 0.0);
        assert!(rows.row(1)[if keep_columns { 3 } else { 0 }..].iter().all(|v| *v == 0.0));
        if keep_columns {
            assert_eq!(rows.row(0)[..3], [20.5, 0.0, 1.0]);
        }
        assert!(opened.data.labels.is_some());
        let message = told(&opened).join("; ");
        says(&message, &["1 of 2 documents have no word that the model knows"]);
        assert!(!message.contains("not used"), "{message}");
        let missing = folder.refusal_with("c.csv", "price,plan\n1,free\n", &as_read(&first));
        says(&missing, &["\"body\"", "the model was fitted to"]);
    }
}

#[test]
fn a_table_without_names_has_its_texts_at_their_place() {
    let folder = Folder::new();
    let rows = "1,the red fish\n2,the blue fish\n3,\"old, very old\"\n";
    for keep_columns in [false, true] {
        let options = changed(of_column("-1"), |options| {
            options.keep_columns = keep_columns;
        });
        let first = read(folder.file("a.csv", rows), &options).expect("rows");
        assert_eq!(first.data.rows(), 3);
        let again = open(folder.file("b.csv", rows), &as_read(&first)).expect("rows");
        assert_eq!(values(&again), values(&first.data));
        let mut named = as_read(&first);
        named.text_column = Some("1".to_owned());
        assert_eq!(values(&open(folder.file("b.csv", rows), &named).expect("rows")), values(&first.data));
    }
}

#[test]
fn rows_without_a_text_are_refused_left_out_or_kept() {
    let folder = Folder::new();
    let text = "id,body,topic\na,red fish,x\nb,,y\nc,\"  \",x\nd,blue fish,z\n";
    let with = |empty_text| {
        changed(described("body"), |options| {
            options.empty_text = empty_text;
        })
    };
    let message = folder.refusal_with("a.csv", text, &with(None));
    says(&message, &["line 3", "column 1 (\"body\")", "no text", "SkipEmptyTexts"]);
    let some = read(folder.file("a.csv", text), &with(Some(EmptyText::Skip))).expect("texts");
    assert!(some.data.ids.as_ref().expect("ids").iter().eq(["a", "d"]));
    let labels = some.data.labels.clone().expect("labels");
    assert_eq!((labels.names, labels.codes), (vec!["x".into(), "z".into()], vec![0, 1]));
    assert_eq!((some.data.rows(), some.data.place_of(1)), (2, "line 5".to_owned()));
    says(&told(&some).join(""), &["2 of 4 rows have no text and are left out", "line 3, column 1"]);
    let all = read(folder.file("a.csv", text), &with(Some(EmptyText::Keep))).expect("texts");
    assert_eq!(all.data.rows(), 4);
    assert!(values(&all.data).row(1).iter().chain(values(&all.data).row(2)).all(|v| *v == 0.0));
    says(&told(&all).join(""), &["2 of 4 rows have no text and are rows without words"]);
    // A model must answer for every row.
    let again = read(folder.file("a.csv", text), &as_read(&some)).expect("texts");
    assert_eq!(again.data.rows(), 4);
    says(&told(&again).join(""), &["2 of 4 rows have no text", "2 of 4 documents have no word"]);
    let none = changed(of_column("body"), |options| {
        options.empty_text = Some(EmptyText::Skip);
    });
    says(&folder.refusal_with("b.csv", "id,body\na,\nb,\n", &none), &["no rows"]);
}

#[test]
fn rows_that_stay_are_called_by_their_number_where_others_are_left_out() {
    let folder = Folder::new();
    let options = changed(of_column("body"), |options| {
        options.empty_text = Some(EmptyText::Skip);
    });
    let csv = "n,body\n1,\n2,red fish\n3,\n4,blue fish\n";
    let jsonl = "{\"body\":null}\n{\"body\":\"red fish\"}\n{\"body\":\" \"}\n{\"body\":\"blue fish\"}\n";
    for (name, text) in [("a.csv", csv), ("a.jsonl", jsonl)] {
        let data = folder.open_with(name, text, &options).expect("texts");
        assert!(data.ids.as_ref().expect("ids").iter().eq(["1", "3"]), "{name}");
    }
    let mut mixed = options;
    mixed.keep_columns = true;
    let data = folder.open_with("a.csv", csv, &mixed).expect("rows");
    assert_eq!((values(&data).row(0)[0], values(&data).row(1)[0]), (2.0, 4.0));
}

#[test]
fn a_null_in_json_lines_is_a_row_without_a_text() {
    let folder = Folder::new();
    let text = "{\"text\":\"red fish\"}\n{\"text\":null}\n{\"other\":1}\n{\"text\":\"\"}\n{\"text\":\"blue fish\"}\n";
    says(&folder.refusal("a.jsonl", text), &["line 2", "field \"text\"", "SkipEmptyTexts"]);
    let with = |empty_text| {
        changed(OpenOptions::default(), |options| {
            options.empty_text = empty_text;
        })
    };
    let some = folder.open_with("a.jsonl", text, &with(Some(EmptyText::Skip))).expect("texts");
    assert_eq!(some.rows(), 2);
    let all = read(folder.file("a.jsonl", text), &with(Some(EmptyText::Keep))).expect("texts");
    assert_eq!(all.data.rows(), 5);
    let first = "{\"text\":null}\n{\"text\":\"red fish\"}\n";
    assert_eq!(open(folder.file("b.jsonl", first), &as_read(&all)).expect("texts").rows(), 2);
    // As ever: what is empty has no words.
    let plain = folder.open("c.jsonl", "{\"text\":\"red fish\"}\n{\"text\":\"\"}\n").expect("texts");
    assert_eq!(plain.rows(), 2);
}

#[test]
fn empty_files_of_a_folder_are_left_out_where_that_is_asked_for() {
    let folder = Folder::new();
    for (name, text) in [("a/1.txt", "red fish"), ("a/2.txt", " \n"), ("b/1.txt", ""), ("c/1.txt", "fish")] {
        let path = folder.path().join("texts").join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    let path = folder.path().join("texts");
    assert_eq!(open(&path, &OpenOptions::default()).expect("texts").rows(), 4);
    let mut options = OpenOptions::default();
    options.empty_text = Some(EmptyText::Skip);
    let some = open(&path, &options).expect("texts");
    assert!(some.ids.expect("names").iter().eq(["a/1.txt", "c/1.txt"]));
    assert_eq!(some.labels.expect("classes").names, ["a", "c"]);
    options.empty_text = Some(EmptyText::Error);
    says(&refused(&open(&path, &options).expect_err("empty")), &["a/2.txt", "no text"]);
}

#[test]
fn rows_of_other_classes_leave_no_words() {
    let folder = Folder::new();
    for (memory, keep_columns) in [(None, false), (None, true), (Some(0), false), (Some(0), true)] {
        let mut options = changed(described("body"), |options| {
            options.keep_columns = keep_columns;
            options.memory = memory;
        });
        options.classes = vec!["other".to_owned()];
        let data = folder.open_with("a.csv", table(), &options).expect("rows");
        let names = data.columns.clone().expect("names");
        let first = if keep_columns { "body=and" } else { "and" };
        assert_eq!(names[if keep_columns { 3 } else { 0 }], first);
        assert!(!names.iter().any(|name| name.ends_with("sat")), "{names:?}");
        assert!(data.ids.as_ref().expect("ids").iter().eq(["r2", "r3"]));
        assert_eq!((data.rows(), data.place_of(0)), (2, "line 4".to_owned()));
        if keep_columns {
            assert_eq!(values(&data).row(1)[..3], [30.5, 0.0, 1.0]);
        }
    }
}

#[test]
fn whatever_the_memory_the_rows_are_the_same() {
    let folder = Folder::new();
    let line = |i: usize| format!("{},word{} and word{} of {},{}\n", i, i % 97, i % 89, i % 83, i % 5);
    let path = folder.file("a.csv", format!("n,body,k\n{}", (0..20_000).map(line).collect::<String>()));
    for keep_columns in [false, true] {
        let options = |memory| {
            changed(of_column("body").label_column("k"), |options| {
                options.memory = memory;
                options.keep_columns = keep_columns;
            })
        };
        let (held, there) =
            (read(&path, &options(None)).expect("rows"), read(&path, &options(Some(0))).expect("rows"));
        assert!(held.reading == there.reading && values(&held.data) == values(&there.data));
        assert_eq!(held.data.labels, there.data.labels);
    }
}

#[test]
fn a_model_of_texts_from_elsewhere_reads_a_column_that_is_named() {
    let folder = Folder::new();
    let lines = read(folder.file("a.txt", TEXTS.join("\n")), &OpenOptions::default()).expect("texts");
    says(&folder.refusal_with("a.csv", table(), &as_read(&lines)), &["fitted to texts", "NameTextColumn"]);
    let mut options = as_read(&lines);
    options.text_column = Some("body".to_owned());
    let data = folder.open_with("a.csv", table(), &options).expect("texts");
    assert_eq!(values(&data), values(&lines.data));
    // And one of JSON lines knows the name.
    let objects: String = TEXTS.iter().map(|text| format!("{{\"body\":{text:?}}}\n")).collect();
    let objects = read(folder.file("a.jsonl", &objects), &of_column("body")).expect("texts");
    assert_eq!(values(&objects.data), values(&lines.data));
    assert_eq!(objects.data.groups.as_ref().map(|groups| groups[0].name.as_str()), Some("body"));
    let data = folder.open_with("a.csv", table(), &as_read(&objects)).expect("texts");
    assert_eq!(values(&data), values(&lines.data));
    // The other way round, too, but not where other columns are needed.
    let column = read(folder.file("a.csv", table()), &of_column("body")).expect("texts");
    let data = open(folder.path().join("a.jsonl"), &as_read(&column)).expect("texts");
    assert_eq!(values(&data), values(&lines.data));
    let mixed = changed(of_column("body"), |options| {
        options.keep_columns = true;
    });
    let mixed = read(folder.file("a.csv", table()), &mixed).expect("rows");
    let refusal = refused(&open(folder.path().join("a.jsonl"), &as_read(&mixed)).expect_err("no columns"));
    says(&refusal, &["without the columns of a table"]);
}

#[test]
fn what_models_keep_of_texts_is_what_it_was() {
    let folder = Folder::new();
    let lines = read(folder.file("a.txt", "red fish\nblue fish\n"), &OpenOptions::default()).expect("texts");
    let json = serde_json::to_value(&lines.reading).expect("JSON");
    let keys: Vec<&str> = json.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(keys, ["kind", "vectorizer"]);
    let reading: Reading = serde_json::from_value(json).expect("a reading");
    assert_eq!((Some(&reading), reading.table()), (lines.reading.as_ref(), None));
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let folder = Folder::new();
    let refusal = |name: &str, text: &str, options: &OpenOptions| folder.refusal_with(name, text, options);
    says(&refusal("a.txt", "red fish\n", &of_column("0")), &["a text column is for tables"]);
    let kept = changed(OpenOptions::default(), |options| {
        options.keep_columns = true;
    });
    says(&refusal("a.csv", "a,b\n1,2\n", &kept), &["keeping the other columns of a table"]);
    says(&refusal("a.jsonl", "{\"text\":\"a b\"}\n", &kept), &["keeping the other columns"]);
    let skip = changed(OpenOptions::default(), |options| {
        options.empty_text = Some(EmptyText::Skip);
    });
    says(&refusal("a.csv", "a,b\n1,2\n", &skip), &["rows without a text"]);
    let mut field = of_column("body");
    field.text_field = Some("body".to_owned());
    says(&refusal("a.csv", &table(), &field), &["a text field"]);
    let table_model = folder.file("n.csv", "a,b\n1,2\n3,4\n");
    let known = as_read(&read(table_model, &OpenOptions::default()).expect("a table"));
    let known = changed(known, |options| {
        options.text_column = Some("body".to_owned());
    });
    says(&refusal("a.csv", &table(), &known), &["texts", "another kind"]);
}

#[test]
fn a_text_column_is_one_column_that_is_there_and_nothing_else() {
    let folder = Folder::new();
    let refusal = |options: &OpenOptions| folder.refusal_with("a.csv", table(), options);
    says(&refusal(&of_column("boddy")), &["text column \"boddy\"", "did you mean \"body\""]);
    says(&refusal(&of_column("body").label_column("body")), &["chosen as label column and as text column"]);
    let ignored = changed(of_column("body"), |options| {
        options.ignore = vec!["body".to_owned()];
    });
    says(&refusal(&ignored), &["text column", "column to leave out"]);
    let model = read(folder.file("a.csv", table()), &of_column("body")).expect("texts");
    let taken = as_read(&model).label_column("body");
    says(&folder.refusal_with("a.csv", table(), &taken), &["label column \"body\"", "fitted to"]);
}

#[test]
fn hostile_cells_are_texts_or_refused_with_their_place() {
    let folder = Folder::new();
    let options = of_column("body");
    let bytes = [&b"n,body\n1,fine words\n2,"[..], b"caf\xe9", b"\n"].concat();
    says(&folder.refusal_with("a.csv", bytes, &options), &["line 3", "column 1 (\"body\")", "UTF-8"]);
    let long = "word ".repeat(1_000_000);
    for cell in [
        "=1+1 cmd".to_owned(),
        "\"several\nlines\r\nof, text; \"\"quoted\"\"\"".to_owned(),
        "١٢٣ größe 温度 🦀".to_owned(),
        "!!! ???".to_owned(),
        "NA".to_owned(),
        "null".to_owned(),
        "1e999".to_owned(),
        "\u{202e}reversed\u{0301}".to_owned(),
        long,
    ] {
        let text = format!("n,body\n1,some words\n2,{cell}\n3,other words\n");
        let data = folder.open_with("a.csv", text, &options).expect("texts");
        assert_eq!(data.rows(), 3);
        assert!(values(&data).as_slice().iter().all(|v| v.is_finite()));
    }
    says(&folder.refusal_with("a.csv", "n,body\n1,\"never closed\n2,b c\n", &options), &["double quote"]);
    says(
        &folder.refusal_with("a.csv", "n,body\n1,!\n2,?\n", &options),
        &["none of the 2 documents has a term"],
    );
    says(&folder.refusal_with("a.csv", "body\n", &options), &["no rows"]);
    // A number that is missing in another column matters only where the column takes part.
    let holes = "n,body\n1,red fish\n,blue fish\n";
    assert_eq!(folder.open_with("a.csv", holes, &options).expect("texts").rows(), 2);
    let mut kept = changed(options, |options| {
        options.keep_columns = true;
    });
    says(&folder.refusal_with("a.csv", holes, &kept), &["line 3", "missing"]);
    kept.missing = Missing::Mean;
    assert_eq!(values(&folder.open_with("a.csv", holes, &kept).expect("rows")).row(1)[0], 1.0);
}
