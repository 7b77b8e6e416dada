//! CSV, TSV and other text.
#![allow(missing_docs)]

mod common;

use common::{Folder, gzip, says, values};
use lpvdn_core::Dataset;
use lpvdn_data::{Format, Header, OpenOptions};

fn read(text: &str) -> Dataset {
    Folder::new().open("a.csv", text).expect("a table")
}

fn refusal(text: &str) -> String {
    Folder::new().refusal("a.csv", text)
}

fn labelled(column: &str) -> OpenOptions {
    OpenOptions::default().label_column(column)
}

#[test]
fn numbers_are_read_whatever_the_delimiter_the_line_ends_and_the_quotes() {
    for text in [
        "1,2\n3,4\n",
        "1,2\n3,4",
        "1;2\r\n3;4\r\n",
        "1\t2\r3\t4\r",
        "\u{feff}1,2\n3,4\n",
        "\u{feff}\"1\",2\n3,\"4\"\n",
        " 1 , 2 \n\n  \n3,4.0\n\n\n",
        "1e0,+2\n3,.4e1\n",
        "a,b\n1,2\n3,4\n",
        "\u{feff}\"a\",\"b,c\"\r\n1,2\r\n3,4\r\n",
    ] {
        let data = read(text);
        assert_eq!((data.rows(), data.cols()), (2, 2), "{text:?}");
        assert_eq!(values(&data).as_slice(), [1.0, 2.0, 3.0, 4.0], "{text:?}");
        assert!(data.labels.is_none());
    }
}

#[test]
fn one_column_and_one_row_are_enough() {
    assert_eq!(values(&read("5\n6\n7\n")).as_slice(), [5.0, 6.0, 7.0]);
    assert_eq!(values(&read("x\n6\n7\n")).as_slice(), [6.0, 7.0]);
    assert_eq!(values(&read("5,6,7")).as_slice(), [5.0, 6.0, 7.0]);
}

#[test]
fn names_of_columns_are_kept_without_that_of_the_labels() {
    let folder = Folder::new();
    let text = "length,kind,width\n1,b,2\n3,a,4\n5,b,6\n";
    for column in ["kind", "1", "-2"] {
        let data = folder.open_with("a.csv", text, &labelled(column)).expect("a table");
        assert_eq!(data.columns, Some(vec!["length".into(), "width".into()]));
        assert_eq!(values(&data).as_slice(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let labels = data.labels.expect("labels");
        assert_eq!((labels.names, labels.codes), (vec!["a".into(), "b".into()], vec![1, 0, 1]));
    }
    assert_eq!(read("1,2\n").columns, None);
}

#[test]
fn labels_need_no_header() {
    let folder = Folder::new();
    let text = "5.1,3.5,setosa\n4.9,3.0,setosa\n6.3,2.9,virginica\n";
    let data = folder.open_with("iris.data", text, &labelled("-1")).expect("a table");
    assert_eq!((data.rows(), data.cols(), data.name.as_str()), (3, 2, "iris"));
    assert_eq!(data.labels.expect("labels").codes, [0, 0, 1]);
}

#[test]
fn a_missing_label_column_is_named_with_what_there_is() {
    let folder = Folder::new();
    let message = folder.refusal_with("a.csv", "a,b\n1,2\n", &labelled("y"));
    says(&message, &["\"y\"", "0 to 1", "\"a\", \"b\""]);
    says(&folder.refusal_with("a.csv", "1,2\n3,4\n", &labelled("7")), &["\"7\"", "0 to 1", "-1 to -2"]);
    says(&folder.refusal_with("a.csv", "a\n1\n", &labelled("a")), &["no columns of values"]);
    let strict = labelled("y").header(Header::No);
    says(&folder.refusal_with("a.csv", "1,2\n", &strict), &["names need a header line"]);
    says(&folder.refusal_with("a.csv", "a,y\n1,\n", &labelled("y")), &["line 2", "column 1", "empty"]);
}

#[test]
fn the_header_can_be_asserted_or_denied() {
    let folder = Folder::new();
    let numbered = "0,1\n5,6\n";
    assert_eq!(folder.open("a.csv", numbered).expect("a table").rows(), 2);
    let yes = OpenOptions::default().header(Header::Yes);
    let data = folder.open_with("a.csv", numbered, &yes).expect("a table");
    assert_eq!((data.rows(), data.columns), (1, Some(vec!["0".into(), "1".into()])));
    let no = OpenOptions::default().header(Header::No);
    // Words, then.
    let data = folder.open_with("a.csv", "a,b\n1,2\n", &no).expect("a table");
    assert_eq!((data.rows(), data.cols()), (2, 4));
}

#[test]
fn a_cell_that_is_no_number_is_named_by_its_true_line() {
    for (text, line) in [
        ("1,2\n3,x\n", 2),
        ("a,b\n1,2\n3,x\n", 3),
        ("a,b\r\n1,2\r\n3,x\r\n", 3),
        ("a,b\r1,2\r3,x", 3),
        ("1,2\n\n\n3,x\n", 4),
        ("\"a\nb\",c\n1,2\n3,x\n", 4),
        ("1,2\r\n\r\n3,x", 3),
    ] {
        let message = refusal(text);
        says(&message, &[&format!("line {line}, column 1"), "\"x\" is not a number", "2e-3"]);
    }
    says(
        &refusal("length,width\n1,2\n3,tall\n"),
        &["column 1 (\"width\")", "as on the lines before", "LeaveColumnOut"],
    );
}

#[test]
fn the_remedy_fits_what_the_cell_looks_like() {
    let mut point = OpenOptions::default();
    point.columns.decimal = Some(lpvdn_data::Decimal::Point);
    let message = Folder::new().refusal_with("a.csv", "1,5;2,5\n3,5;4,5\n", &point);
    says(&message, &["line 1, column 0", "decimal point", "NameDecimal"]);
    says(&refusal("1.0 2.0\n3.0 4.0\n"), &["line 1", "not by blanks"]);
    says(&refusal("1,\"2\n3,4\n5,6\n"), &["line 1"]);
    says(&refusal("1,2\n3,\"4\n5,6\n"), &["line 2, column 1", "not closed"]);
    says(&refusal(&format!("1,2\n3,{}\n", "é".repeat(100_000))), &["…"]);
    assert!(refusal(&format!("1,2\n3,{}\n", "x".repeat(100_000))).len() < 500);
}

#[test]
fn an_empty_cell_is_named_with_a_remedy() {
    says(&refusal("a,b\n1,\n2,3\n"), &["line 2, column 1 (\"b\")", "empty", "remove the row", "FillIn"]);
    says(&refusal("a,b\n1,2\n3,N/A\n"), &["line 3, column 1 (\"b\")", "\"N/A\"", "FillIn"]);
    says(&refusal("1,,3\n4,5,6\n"), &["line 1, column 1", "empty"]);
    says(&refusal(",0,1\n0,5,6\n1,7,8\n"), &["line 1, column 0", "empty", "FirstLineIsNames"]);
}

#[test]
fn a_line_with_another_number_of_columns_is_named() {
    says(&refusal("1,2\n3,4\n5,6,7\n"), &["line 3: 3 columns", "line 1 has 2", "double quotes"]);
    says(&refusal("\na,b\n\n3\n"), &["line 4: 1 columns", "line 2 has 2"]);
}

#[test]
fn nothing_is_refused_as_nothing() {
    says(&refusal(""), &["empty"]);
    says(&refusal("\n \n\r\n"), &["empty"]);
    says(&refusal("\u{feff}"), &["empty"]);
    says(&refusal("a,b\n"), &["no rows", "after the header"]);
}

#[test]
fn values_that_are_not_finite_are_kept_for_the_fit_to_report() {
    let data = values(&read("a,b\nnan,inf\n-inf,NaN\n1e99,0\n"));
    assert!(data.row(0)[0].is_nan() && data.row(1)[1].is_nan());
    assert_eq!(
        (data.row(0)[1], data.row(1)[0], data.row(2)[0]),
        (f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY)
    );
}

#[test]
fn the_row_numbers_of_pandas_and_r_are_left_out() {
    for text in [",a,b\n0,5,6\n1,7,8\n", "\"\",\"a\",\"b\"\n\"1\",5,6\n\"2\",7,8\n"] {
        let data = read(text);
        assert_eq!(values(&data).as_slice(), [5.0, 6.0, 7.0, 8.0]);
        assert_eq!(data.columns, Some(vec!["a".into(), "b".into()]));
    }
    // Unnamed, but no row numbers; row numbers, but named.
    assert_eq!(read(",a\n5,6\n1,8\n").cols(), 2);
    assert_eq!(read("id,a\n0,6\n1,8\n").cols(), 2);
}

#[test]
fn any_text_is_read_compressed_too_and_a_format_can_be_forced() {
    let folder = Folder::new();
    assert_eq!(folder.open("a.csv.gz", gzip(b"1,2\n3,4\n")).expect("a table").rows(), 2);
    assert_eq!(folder.open("a.tsv.gz", gzip(b"1\t2\n")).expect("a table").cols(), 2);
    // The content counts, not the name.
    assert_eq!(folder.open("a.csv", gzip(b"1,2\n3,4\n")).expect("a table").rows(), 2);
    assert_eq!(folder.open("a.gz", "1,2\n3,4\n").expect("a table").rows(), 2);
    let two = [gzip(b"1,2\n"), gzip(b"3,4\n")].concat();
    assert_eq!(folder.open("two.csv.gz", two).expect("a table").rows(), 2);
    let csv = OpenOptions::default().format(Format::Csv);
    assert_eq!(folder.open_with("a.json", "1,2\n", &csv).expect("a table").cols(), 2);
    let tsv = OpenOptions::default().format(Format::Tsv);
    says(&folder.refusal_with("a.csv", "1,2\n3,4\n", &tsv), &["line 1"]);
}

#[test]
fn text_in_another_encoding_is_read_where_it_does_not_matter() {
    let folder = Folder::new();
    let data = folder.open("a.csv", b"l\xe4nge,b\n1,2\n").expect("a table");
    assert_eq!(data.columns.map(|c| c[1].clone()), Some("b".into()));
    says(&folder.refusal("a.csv", b"1,2\n3,\xff\n"), &["line 2, column 1"]);
    says(&folder.refusal("b.csv", b"\xff\xfe1\0,\x002\0"), &["UTF-16", "iconv"]);
    says(&folder.refusal("c.csv", b"1,2\n3,\0\n"), &["control characters"]);
}

fn opened(folder: &Folder, text: &str, options: &OpenOptions) -> lpvdn_data::Opened {
    lpvdn_data::read(folder.file("a.csv", text), options).expect("a table")
}

#[test]
fn words_among_numbers_are_told() {
    let folder = Folder::new();
    let notes = |text: &str| {
        let path = folder.file("a.csv", text);
        common::told(&lpvdn_data::read(path, &OpenOptions::default()).expect("rows"))
    };
    let told = notes("a,b\nunknown,1\n2,2\n3,3\n4,4\n");
    says(told.first().expect("a note"), &["column 0 (\"a\")", "4", "\"unknown\" is no number"]);
    assert!(notes("a,b\nred,1\n2,2\nblue,3\n").is_empty());
}

#[test]
fn words_become_a_value_each() {
    let folder = Folder::new();
    let text = "size,colour,kind\n1,red,a\n2,blue,b\n3,red,a\n";
    let opened = opened(&folder, text, &labelled("kind"));
    assert_eq!(opened.data.columns, Some(["size", "colour=blue", "colour=red"].map(str::to_owned).to_vec()));
    assert_eq!(values(&opened.data).as_slice(), [1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 0.0, 1.0]);
    // Two rows of each are enough for a value of its own, as long as they are one row in two hundred.
    let many: String = (0..300).map(|i| format!("{},w{}\n", i * 7 % 300, i % 150)).collect();
    assert_eq!(read(&many).cols(), 151);
}

#[test]
fn columns_can_be_left_out_or_name_the_rows() {
    let folder = Folder::new();
    let text = "id,a,note,b\nx7,1,good,2\nx9,3,,4\n";
    let mut options = OpenOptions::default();
    options.id_column = Some("id".to_owned());
    options.ignore = vec!["note".to_owned()];
    let data = folder.open_with("a.csv", text, &options).expect("a table");
    assert!(data.ids.as_ref().expect("names").iter().eq(["x7", "x9"]));
    assert_eq!(values(&data).as_slice(), [1.0, 2.0, 3.0, 4.0]);
    options.ignore = ["note", "a", "-1"].map(str::to_owned).to_vec();
    says(&folder.refusal_with("a.csv", text, &options), &["no columns of values", "set aside"]);
    options.ignore = vec!["noted".to_owned()];
    says(&folder.refusal_with("a.csv", text, &options), &["\"noted\"", "no such column"]);
}

#[test]
fn missing_values_are_filled_in_on_request() {
    let folder = Folder::new();
    let mut options = OpenOptions::default();
    options.missing = lpvdn_data::Missing::Mean;
    let text = "a,b,c\n1,NA,u\n,4,\n5,nan,v\n?,8,u\n";
    let data = folder.open_with("a.csv", text, &options).expect("a table");
    let wanted = [1.0, 6.0, 1.0, 0.0, 3.0, 4.0, 0.0, 0.0, 5.0, 6.0, 0.0, 1.0, 3.0, 8.0, 1.0, 0.0];
    assert_eq!(values(&data).as_slice(), wanted);
    let path = folder.file("a.csv", "a,b\n1,\n2,\n");
    let opened = lpvdn_data::read(path, &options).expect("a table");
    assert_eq!(values(&opened.data).as_slice(), [1.0, 2.0]);
    says(&common::told(&opened).concat(), &["column 1 (\"b\")", "no values", "left out"]);
}

/// What a model remembers of a table is written and read as JSON.
fn remembered(opened: &lpvdn_data::Opened) -> OpenOptions {
    let text = serde_json::to_string(opened.reading.as_ref().expect("a reading")).expect("text");
    let mut options = OpenOptions::default();
    options.reading = Some(serde_json::from_str(&text).expect("the same"));
    assert_eq!(options.reading, opened.reading);
    options
}

#[test]
fn another_table_is_read_as_the_first_one_was() {
    let folder = Folder::new();
    let text = "kind,size,colour\na,1,red\nb,2,blue\na,3,red\n";
    let first = opened(&folder, text, &labelled("kind"));
    let options = remembered(&first);
    let width = first.data.cols();
    // By name, in any order, with more columns, without the classes, with words never seen.
    let data = folder.open_with("b.csv", "colour,x,size\nred,9,4\ngreen,9,5\n", &options).expect("a table");
    assert_eq!(values(&data).as_slice(), [4.0, 0.0, 1.0, 5.0, 0.0, 0.0]);
    assert_eq!((data.cols(), &data.columns), (width, &first.data.columns));
    let message = folder.refusal_with("b.csv", "colour,length\nred,4\n", &options);
    says(&message, &["no column \"size\"", "the model was fitted to"]);
    // By place where there are no names.
    let no_header = remembered(&first).header(Header::No);
    for text in ["a,4,red\n", "4,red\n"] {
        let data = folder.open_with("b.csv", text, &no_header).expect("a table");
        assert_eq!(values(&data).as_slice(), [4.0, 0.0, 1.0], "{text:?}");
    }
    says(&folder.refusal_with("b.csv", "1,2,3,4\n", &no_header), &["4 columns", "table of 3", "uses 2"]);
    // Columns of one name keep their order, a class that is not known yet is no error, and a first line of
    // values is not taken for names.
    let twins = opened(&folder, "a,a,k\n1,2,x\n3,4,y\n", &labelled("k"));
    let data = folder.open_with("b.csv", "a,a,k\n5,6,\n", &remembered(&twins)).expect("a table");
    assert_eq!((values(&data).as_slice(), data.labels.is_none()), (&[5.0, 6.0][..], true));
    let words = opened(&folder, "u,1\nv,2\nu,3\n", &OpenOptions::default().header(Header::No));
    let data = folder.open_with("b.csv", "v,9\n", &remembered(&words)).expect("a table");
    assert_eq!(values(&data).as_slice(), [0.0, 1.0, 9.0]);
    // What stood for missing values stands for them again.
    let mut filling = OpenOptions::default();
    filling.missing = lpvdn_data::Missing::Mean;
    let filled = opened(&folder, "a,b\n1,2\n3,\n5,6\n", &filling);
    let data = folder.open_with("b.csv", "a,b\n,8\n", &remembered(&filled)).expect("a table");
    assert_eq!(values(&data).as_slice(), [3.0, 8.0]);
}

#[test]
fn options_for_tables_of_text_are_refused_elsewhere() {
    let folder = Folder::new();
    let mut options = OpenOptions::default();
    options.ignore = vec!["0".to_owned()];
    let file = common::npy("|u1", "(2, 2)", &[1, 2, 3, 4]);
    says(&folder.refusal_with("a.npy", file, &options), &["a.npy", "to ignore", "CSV"]);
}

#[test]
fn zstd_is_looked_through_and_a_damaged_one_is_named() {
    let folder = Folder::new();
    let packed = zstd::encode_all(&b"1,2\n3,4\n"[..], 3).expect("bytes");
    assert_eq!(folder.open("a.csv.zst", packed.clone()).expect("a table").rows(), 2);
    let two = [packed.clone(), packed.clone()].concat();
    assert_eq!(folder.open("a.csv.zst", two).expect("a table").rows(), 4);
    says(&folder.refusal("a.csv.zst", &packed[..packed.len() - 3]), &["a.csv.zst", "cut short"]);
}

#[test]
fn a_column_that_names_its_rows_is_noticed() {
    let named: String = (0..20).map(|i| format!("row {i},{}\n", i * i)).collect();
    let notes = |text: &str| {
        let path = Folder::new();
        let opened = lpvdn_data::read(path.file("a.csv", text.as_bytes()), &OpenOptions::default());
        common::told(&opened.expect("a table"))
    };
    let found = notes(&format!("name,x\n{named}"));
    assert!(found.len() == 1 && found[0].contains("NameIds") && found[0].contains("left out"), "{found:?}");
    assert_eq!(notes(&format!("name,x\n{named}row 0,7\n")), Vec::<String>::new());
}

#[test]
fn rows_know_the_lines_they_begin_on() {
    let data = read("a,b\n\n1,2\n\"3\n\",4\n\n5,6\n");
    let lines = data.lines.expect("lines");
    assert_eq!([lines.get(0), lines.get(1), lines.get(2), lines.get(3)], [Some(3), Some(4), Some(7), None]);
}
