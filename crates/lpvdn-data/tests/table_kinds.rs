//! What the columns of tables are taken for, and what becomes of them.
#![allow(missing_docs)]

mod common;

use common::{Folder, says, told, values};
use lpvdn_core::ColumnKind::{Boolean, Category, Date, Number};
use lpvdn_core::{ColumnKind, Dataset};
use lpvdn_data::{Decimal, Header, Missing, OpenOptions, Opened, read};

fn opened_with(text: impl AsRef<[u8]>, options: &OpenOptions) -> Opened {
    read(Folder::new().file("a.csv", text), options).unwrap_or_else(|e| panic!("{e}"))
}

fn opened(text: impl AsRef<[u8]>) -> Opened {
    opened_with(text, &OpenOptions::default())
}

fn refusal(text: impl AsRef<[u8]>, options: &OpenOptions) -> String {
    Folder::new().refusal_with("a.csv", text, options)
}

fn with_kinds(kinds: &[&str]) -> OpenOptions {
    let mut options = OpenOptions::default();
    options.columns.kinds = kinds.iter().map(|kind| kind.parse().expect("a kind")).collect();
    options
}

fn kinds(data: &Dataset) -> Vec<(String, ColumnKind, usize)> {
    let groups = data.groups.as_ref().expect("groups");
    assert_eq!(groups.iter().map(|group| group.width).sum::<usize>(), data.cols());
    groups.iter().map(|group| (group.name.clone(), group.kind, group.width)).collect()
}

/// As a model reads that was fitted to this.
fn remembered(opened: &Opened) -> OpenOptions {
    let text = serde_json::to_string(&opened.reading).expect("text");
    let mut options = OpenOptions::default();
    options.reading = serde_json::from_str(&text).expect("a reading");
    assert_eq!(options.reading, opened.reading, "{text}");
    options
}

fn column(name: &str, cells: impl IntoIterator<Item = String>) -> String {
    let cells = cells.into_iter().enumerate().map(|(i, cell)| format!("{cell},{}\n", i * i % 23));
    format!("{name},n\n{}", cells.collect::<String>())
}

#[test]
fn a_mixed_table_becomes_groups_and_a_model_sees_the_same() {
    let row = |i: usize| {
        format!(
            "2024-0{}-1{},{}.5,\"${},{:03}\",{},{},{}\n",
            1 + i % 9,
            i % 10,
            20 + i % 7,
            1 + i % 5,
            i * 37 % 1000,
            ["free", "basic", "gold"][i % 3],
            ["yes", "no"][i % 2],
            i % 4
        )
    };
    let text = "since,age,income,plan,newsletter,visits\n".to_owned() + &(0..60).map(row).collect::<String>();
    let first = opened(&text);
    let expected = [
        ("since", Date, 1),
        ("age", Number, 1),
        ("income", Number, 1),
        ("plan", Category, 3),
        ("newsletter", Boolean, 1),
        ("visits", Number, 1),
    ];
    assert_eq!(kinds(&first.data), expected.map(|(name, kind, width)| (name.to_owned(), kind, width)));
    assert_eq!(told(&first), [""; 0]);
    assert_eq!(values(&first.data).row(0), [19_732.0, 20.5, 1000.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    let again = opened_with(&text, &remembered(&first));
    assert_eq!(values(&again.data), values(&first.data));
    assert_eq!(again.data.groups, first.data.groups);
    assert_eq!(again.reading, first.reading);
}

#[test]
fn tables_without_names_have_groups_and_other_formats_have_none() {
    let data = opened("1,red\n2,blue\n").data;
    assert_eq!(kinds(&data), [(String::new(), Number, 1), (String::new(), Category, 2)]);
    let folder = Folder::new();
    let array = common::npy("|u1", "(2, 2)", &[1, 2, 3, 4]);
    assert_eq!(folder.open("a.npy", array).expect("an array").groups, None);
    assert_eq!(folder.open("a.svm", "1 1:2\n2 2:3\n").expect("rows").groups, None);
}

#[test]
fn money_percent_and_thousands_are_numbers_as_excel_writes_them() {
    let text = "\u{feff}price;share;change\r\n$28,184;12%;(1,200)\r\n\" $1,000.50 \";7.5%;-3\r\n€5;0%;4\r\n";
    let data = opened(text).data;
    assert_eq!(values(&data).as_slice(), [28_184.0, 12.0, -1200.0, 1000.5, 7.5, -3.0, 5.0, 0.0, 4.0]);
}

#[test]
fn decimal_commas_are_recognised_and_can_be_asserted_or_denied() {
    let text = "a;b;c\n1,5;1.234,5;7\n0,25;12,0;8\n";
    let first = opened(text);
    assert_eq!(values(&first.data).as_slice(), [1.5, 1234.5, 7.0, 0.25, 12.0, 8.0]);
    says(&told(&first).concat(), &["decimal comma", "NameDecimal"]);
    // A model reads other tables so, too.
    let data = opened_with("a;b;c\n1.234;2;3\n", &remembered(&first)).data;
    assert_eq!(values(&data).as_slice(), [1234.0, 2.0, 3.0]);
    let mut comma = OpenOptions::default();
    comma.columns.decimal = Some(Decimal::Comma);
    let asserted = opened_with("a;b\n1.234;5\n2.345;6\n", &comma);
    assert_eq!(values(&asserted.data).as_slice(), [1234.0, 5.0, 2345.0, 6.0]);
    assert_eq!(told(&asserted), [""; 0]);
    says(&refusal("a;b\n1.5;5\n", &comma), &["line 2, column 0 (\"a\")", "\"1.5\" is not a number"]);
    let doubtful = opened("a;b\n1,234;5\n2,345;6\n");
    assert_eq!(values(&doubtful.data).row(0), [1234.0, 5.0]);
    says(&told(&doubtful).concat(), &["column 0 (\"a\")", "separate thousands", "NameDecimal"]);
}

#[test]
fn a_stray_word_among_numbers_is_refused_and_words_may_begin_with_a_number() {
    let cells = |odd: &'static str| {
        column("a", (0..50).map(move |i| if i == 0 { odd.to_owned() } else { (i * 7 % 50).to_string() }))
    };
    for odd in ["--", "$", "1,2,3,4", "12/31", "3 rooms", "2024-03-01"] {
        let text = cells(odd).replace(odd, &format!("\"{odd}\""));
        let message = refusal(text, &OpenOptions::default());
        says(&message, &["line 2, column 0 (\"a\")", "is not a number", "SayKind", "LeaveColumnOut"]);
    }
    let postcodes =
        column("code", (0..60).map(|i| if i % 3 == 0 { (i % 9).to_string() } else { format!("{}A", i % 9) }));
    let data = opened(postcodes).data;
    assert_eq!(kinds(&data)[0].1, Category);
    let huge = opened(cells("1e999"));
    assert_eq!(values(&huge.data).row(0)[0], f32::INFINITY);
    says(&told(&huge).concat(), &["beyond what 32-bit numbers hold"]);
    assert!(values(&opened(cells("NaN")).data).row(0)[0].is_nan());
}

#[test]
fn a_word_that_comes_late_is_named_by_its_line() {
    let cells = (0..3000).map(|i| if i == 2500 { "x".to_owned() } else { format!("{}.5", i % 77) });
    let message = refusal(column("a", cells), &OpenOptions::default());
    says(&message, &["line 2502, column 0 (\"a\")", "\"x\" is not a number"]);
    let late = (0..3000).map(|i| if i < 1500 { String::new() } else { format!("{}", i % 77) });
    let text = column("a", late);
    says(&refusal(&text, &OpenOptions::default()), &["line 2, column 0 (\"a\")", "missing"]);
    let mut filling = OpenOptions::default();
    filling.missing = Missing::MostFrequent;
    let data = opened_with(&text, &filling).data;
    assert_eq!(kinds(&data)[0].1, Number);
}

#[test]
fn dates_are_days_and_what_is_none_is_refused() {
    let day = |i: usize| format!("2024-{:02}-{:02}", 1 + i % 12, 1 + i % 28);
    let data = opened(column("d", (0..40).map(day))).data;
    assert_eq!((kinds(&data)[0].1, values(&data).row(0)[0]), (Date, 19_723.0));
    for odd in ["2024-13-01", "2024-02-30", "12/31", "soon"] {
        let cells = (0..40).map(|i| if i == 30 { odd.to_owned() } else { day(i) });
        let message = refusal(column("d", cells), &OpenOptions::default());
        says(&message, &["line 32, column 0 (\"d\")", "is not a date", "2024-03-31"]);
    }
    // The order of day and month shows in the column, and is remembered.
    let first = opened(column("d", (0..40).map(|i| format!("{:02}/{:02}/2024", 1 + i % 28, 1 + i % 12))));
    let other = opened_with("d,n\n02/01/2024,5\n", &remembered(&first)).data;
    assert_eq!(values(&other).as_slice(), [19_724.0, 5.0]);
    let unclear = opened(column("d", (0..40).map(|i| format!("0{}/0{}/2024", 1 + i % 3, 1 + i % 2))));
    assert_eq!(kinds(&unclear.data)[0].1, Category);
    says(&told(&unclear).concat(), &["column 0 (\"d\")", "cannot be told apart", "\"01/01/2024\""]);
}

#[test]
fn times_of_a_day_are_kept_to_the_second() {
    let at = |i: usize| format!("2024-03-01T12:{:02}:{:02}Z", i % 60, i * 7 % 60);
    let first = opened(column("t", (0..40).map(at)));
    let found = values(&first.data);
    let seconds = |i: usize| (found.row(i)[0] * 86_400.0).round() as usize;
    for i in 0..40 {
        assert_eq!(seconds(i), 43_200 + 60 * (i % 60) + i * 7 % 60, "{}", at(i));
    }
    assert_eq!(values(&opened_with(column("t", (0..40).map(at)), &remembered(&first)).data), found);
}

#[test]
fn pairs_of_words_are_truths() {
    for (no, yes) in [("False", "True"), ("no", "yes"), ("n", "y"), ("F", "T")] {
        let text = column("a", (0..30).map(|i| if i % 3 == 0 { yes } else { no }.to_owned()));
        let first = opened(&text);
        assert_eq!(kinds(&first.data)[0], ("a".to_owned(), Boolean, 1));
        assert_eq!((values(&first.data).row(0)[0], values(&first.data).row(1)[0]), (1.0, 0.0), "{yes}");
        let other = opened_with("a,n\nmaybe,1\n1,2\n", &remembered(&first));
        let found = values(&other.data);
        assert!((found.row(0)[0] - 1.0 / 3.0).abs() < 1e-6 && found.row(1)[0] == 1.0, "the mean, then 1");
        says(&told(&other).concat(), &["1 of 2 cells", "has not seen", "\"maybe\""]);
    }
    let data = opened(column("a", (0..30).map(|i| ["yes", "no", "maybe"][i % 3].to_owned()))).data;
    assert_eq!(kinds(&data)[0], ("a".to_owned(), Category, 3));
}

#[test]
fn rare_categories_share_a_column_and_so_do_new_ones() {
    let word = |i: usize| if i % 10 < 9 { format!("c{:02}", i % 50) } else { format!("rare{i}") };
    let first = opened(column("w", (0..1000).map(word)));
    let names = first.data.columns.clone().expect("names");
    assert_eq!(names[first.data.cols() - 2], "w=other");
    let width = kinds(&first.data)[0].2;
    assert!((46..=51).contains(&width), "{width}");
    let other = opened_with("w,n\nnever seen,1\nc01,2\n", &remembered(&first));
    let found = values(&other.data);
    assert_eq!(found.row(0)[width - 1], 1.0);
    assert_eq!(found.row(0)[..width].iter().sum::<f32>(), 1.0);
    assert_eq!(found.row(1)[width - 1], 0.0);
    says(&told(&other).concat(), &["1 of 2 cells", "\"never seen\""]);
    let clash = opened(column(
        "w",
        (0..1000).map(|i: usize| if i.is_multiple_of(50) { "other".into() } else { word(i) }),
    ));
    assert!(clash.data.columns.expect("names").contains(&"w=other 2".to_owned()));
}

#[test]
fn columns_that_say_nothing_are_left_out_with_a_reason() {
    let row = |i: usize| {
        format!(
            "{},C{i},{},7,same,,\"{}\",{}\n",
            500 + i,
            i * 7919 % 10_007,
            format_args!("customer number {i} called about a late parcel"),
            i % 9
        )
    };
    let text = "nr,name,customer_id,seven,word,nothing,remark,n\n".to_owned()
        + &(0..80).map(row).collect::<String>();
    let found = opened(&text);
    assert_eq!(found.data.columns, Some(vec!["n".to_owned()]));
    let told = told(&found);
    let about = |column: &str| {
        told.iter().find(|note| note.contains(&format!("({column:?})"))).unwrap_or_else(|| panic!("{told:?}"))
    };
    says(about("nr"), &["counts the rows", "SayKind"]);
    says(about("name"), &["as ids do", "NameIds"]);
    says(about("customer_id"), &["as ids do"]);
    says(about("seven"), &["holds one value in every row", "(\"word\")", "SayKind"]);
    says(about("nothing"), &["no values at all"]);
    says(about("remark"), &["holds text", "not categories"]);
    // A model needs none of them.
    let again = opened_with("n,x\n3,1\n", &remembered(&found));
    assert_eq!(values(&again.data).as_slice(), [3.0]);
    // What the user speaks of stays.
    let kept = with_kinds(&[
        "nr=number",
        "name=category",
        "customer_id=number",
        "seven=number",
        "word=category",
        "n=ignore",
    ]);
    let data = opened_with(&text, &kept).data;
    let names: Vec<String> = kinds(&data).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names, ["nr", "name", "customer_id", "seven", "word"]);
}

#[test]
fn a_table_with_nothing_left_is_refused_with_every_reason() {
    let text: String = (0..30).map(|i| format!("{i},name{i},5\n")).collect();
    let message = refusal(format!("a,b,c\n{text}"), &OpenOptions::default());
    says(
        &message,
        &[
            "(\"a\") counts the rows",
            "(\"b\") has another value in every row",
            "(\"c\") holds \"5\"",
            "SayKind",
        ],
    );
}

#[test]
fn unique_fractions_are_no_ids_and_columns_of_a_grid_all_stay() {
    let data = opened(column("x_id", (0..50).map(|i| format!("{}.25", i * i)))).data;
    assert_eq!(data.cols(), 2);
    let row = |i: usize| (0..64).map(|j| (i * j % 5).to_string()).collect::<Vec<_>>().join(",") + "\n";
    let data =
        opened_with((0..30).map(row).collect::<String>(), &OpenOptions::default().header(Header::No)).data;
    assert_eq!(data.cols(), 64, "the first one is constant, but a place in a picture");
}

#[test]
fn a_frame_as_pandas_writes_it_is_read() {
    // to_csv() with an index, True and False, an ISO timestamp, and nothing for what is missing.
    let row = |i: usize| {
        let (flag, note) = (["True", "False"][i % 2], if i.is_multiple_of(5) { "" } else { "a" });
        format!("{i},{}.0,{flag},2024-03-{:02} 00:00:00,{note}{}\n", i % 9, 1 + i % 28, i % 3)
    };
    let text = ",score,active,seen,group\n".to_owned() + &(0..40).map(row).collect::<String>();
    let opened = opened(&text);
    let found: Vec<_> = kinds(&opened.data).into_iter().map(|(name, kind, _)| (name, kind)).collect();
    let wanted = [("score", Number), ("active", Boolean), ("seen", Date), ("group", Category)];
    assert_eq!(found, wanted.map(|(name, kind)| (name.to_owned(), kind)));
    assert_eq!(told(&opened), [""; 0], "the index is left out without a word");
    assert_eq!(values(&opened.data).row(0)[2], 19_783.0, "days, as there are no times");
}
