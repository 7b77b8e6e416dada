//! Texts in a column of a table, and folders of pictures, from a fit to a prediction.

mod common;

use common::Place;

/// 60 texts of two kinds, with classes, ids, and a number.
fn table(place: &Place, name: &str, change: impl Fn(usize, [String; 4]) -> String) {
    let line = |i: usize| {
        let text = match i % 2 {
            0 => format!("the cat and the dog sat number{}", i % 7),
            _ => format!("shares fell on the market, number{}", i % 5),
        };
        change(i, [format!("r{i}"), format!("\"{text}\""), format!("{}", i % 2), format!("{}.5", i % 9)])
    };
    place.write(name, format!("id,body,topic,price\n{}", (0..60).map(line).collect::<String>()));
}

fn whole(place: &Place) {
    table(place, "news.csv", |_, cells| cells.join(",") + "\n");
}

const KMEANS: [&str; 6] = ["--method", "kmeans", "-k", "2", "--seed", "1"];

#[test]
fn a_column_of_texts_is_clustered_and_predicted_in_a_table_of_another_order() {
    let place = Place::new();
    whole(&place);
    let named = ["--text-column", "body", "--id-column", "id", "--label-column", "topic"];
    let fit = place.run(&[&["fit", "news.csv", "-o", "out"][..], &KMEANS, &named].concat()).succeeded();
    assert!(fit.stderr.contains("1 other column of the table is not used: \"price\""), "{}", fit.stderr);
    assert!(fit.stderr.contains("let them take part with --keep-columns"), "{}", fit.stderr);
    assert!(place.text("out/labels.csv").starts_with("row,id,"), "{}", place.text("out/labels.csv"));
    let predicted = place.run(&["predict", "out", "news.csv", "--id-column", "id"]).succeeded().stdout;
    let clusters = |text: &str, column: usize| -> Vec<String> {
        text.lines().skip(1).map(|line| line.split(',').nth(column).unwrap_or("").to_owned()).collect()
    };
    let mut other = String::from("price,topic,id,body\n");
    for line in place.text("news.csv").lines().skip(1) {
        let (id, rest) = line.split_once(',').expect("an id");
        let (body, rest) = rest.rsplit_once("\",").expect("a text");
        let (topic, price) = rest.split_once(',').expect("a class");
        other.push_str(&format!("{price},{topic},{id},{body}\"\n"));
    }
    place.write("other.csv", other);
    let again = place.run(&["predict", "out", "other.csv", "--id-column", "id"]).succeeded().stdout;
    assert_eq!(again, predicted);
    let found = clusters(&predicted, 2);
    assert!((2..60).all(|i| found[i] == found[i % 2]) && found[0] != found[1], "{predicted}");
    place.run(&["evaluate", "out", "other.csv"]).succeeded();
    let info = place.run(&["info", "out"]).succeeded().stdout;
    assert!(info.contains("(of column body)"), "{info}");
    assert_eq!(place.run(&["info", "out", "--json"]).succeeded().json()["reading"]["field"], "body");
}

#[test]
fn other_columns_take_part_where_they_are_kept() {
    let place = Place::new();
    whole(&place);
    let options = ["--text-column", "body", "--keep-columns", "--ignore", "id", "--label-column", "topic"];
    let inspected = place.run(&[&["data", "inspect", "news.csv"][..], &options].concat()).succeeded().stdout;
    assert!(inspected.contains("after the values of 1 other column"), "{inspected}");
    place.run(&[&["fit", "news.csv", "-o", "out"][..], &KMEANS, &options].concat()).succeeded();
    place.run(&["predict", "out", "news.csv"]).succeeded();
    place.write("few.csv", "body\nthe cat\n");
    place.run(&["predict", "out", "few.csv"]).failed(1, &["few.csv", "\"price\""]);
}

#[test]
fn rows_without_a_text_are_refused_with_the_option_and_keep_their_names_when_left_out() {
    let place = Place::new();
    table(&place, "holes.csv", |i, mut cells| {
        if i % 20 == 3 {
            cells[1].clear();
        }
        cells.join(",") + "\n"
    });
    let fit = |more: &[&str]| {
        place.run(&[&["fit", "holes.csv", "--text-column", "body", "-o", "out"][..], &KMEANS, more].concat())
    };
    fit(&[]).failed(1, &["line 5", "there is no text", "--empty-text skip", "--empty-text keep"]);
    let inspected = place.run(&["data", "inspect", "holes.csv", "--text-column", "body"]).succeeded().stdout;
    assert!(inspected.contains("57 rows") && inspected.contains("nothing: "), "{inspected}");
    let told = fit(&["--empty-text", "skip"]).succeeded().stderr;
    assert!(told.contains("3 of 60 rows have no text and are left out"), "{told}");
    let labels = place.text("out/labels.csv");
    assert_eq!(labels.lines().count(), 58);
    assert!(labels.lines().nth(4).is_some_and(|line| line.starts_with("3,4,")), "{labels}");
    // A prediction answers for every row.
    let predicted = place.run(&["predict", "out", "holes.csv"]).succeeded();
    assert_eq!(predicted.stdout.lines().count(), 61);
    assert!(
        predicted.stderr.contains("3 of 60 rows have no text and are rows without words"),
        "{}",
        predicted.stderr
    );
    // The rows of the fit are found again.
    let explored = place.run(&["explore", "out"]).succeeded();
    assert!(!explored.stderr.contains("other values"), "{}", explored.stderr);
}

#[test]
fn a_table_of_many_texts_without_an_option_ends_in_the_one_that_helps() {
    let place = Place::new();
    let lines: String = (0..1_500).map(|i| format!("{i},this is text number{i} of many\n")).collect();
    place.write("many.csv", format!("n,body\n{lines}"));
    let told = place.run(&[&["fit", "many.csv"][..], &KMEANS].concat());
    assert!(told.stderr.contains("--text-column"), "{}", told.stderr);
}

/// A bitmap of one grey value, 24 bits a point.
fn bitmap(width: u32, height: u32, value: u8) -> Vec<u8> {
    let line = (3 * width).next_multiple_of(4);
    let size = 54 + line * height;
    let mut bytes = b"BM".to_vec();
    for number in [size, 0, 54, 40, width, height, 24 << 16 | 1, 0, line * height, 0, 0, 0, 0] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.resize(size as usize, value);
    bytes
}

#[test]
fn pictures_are_padded_and_broken_ones_left_out_where_that_is_asked_for() {
    let place = Place::new();
    std::fs::create_dir(place.path("photos")).expect("a folder");
    for i in 0..20_u32 {
        place.write(&format!("photos/{i:02}.bmp"), bitmap(8 + i % 3, 8, if i % 2 == 0 { 20 } else { 200 }));
    }
    place.write("photos/broken.png", "no picture");
    let fit = |more: &[&str]| place.run(&[&["fit", "photos", "-o", "out"][..], &KMEANS, more].concat());
    fit(&[]).failed(1, &["broken.png", "--on-error skip"]);
    let inspected =
        place.run(&["data", "inspect", "photos", "--on-error", "skip", "-k", "2"]).succeeded().stdout;
    for words in
        ["32x32 in grey; 20 of 20 pictures", "mean colour of their border", "1 of 21 files cannot be read"]
    {
        assert!(inspected.contains(words), "{words}: {inspected}");
    }
    let told = fit(&["--on-error", "skip", "--image-fit", "crop", "--image-size", "8"]).succeeded().stderr;
    assert!(told.contains("\"broken.png\""), "{told}");
    let info = place.run(&["info", "out"]).succeeded().stdout;
    assert!(info.contains("8x8 in grey; 13 of 20 pictures had another size"), "{info}");
    assert!(info.contains("by their centre"), "{info}");
    let labels = place.text("out/labels.csv");
    let predicted = place.run(&["predict", "out", "photos", "--on-error", "skip"]).succeeded();
    assert_eq!(predicted.stdout.lines().count(), labels.lines().count());
    assert!(predicted.stderr.contains("1 of 21 files"), "{}", predicted.stderr);
    place.run(&["predict", "out", "photos"]).failed(1, &["broken.png", "--on-error skip"]);
}

#[test]
fn the_number_of_components_of_texts_can_be_given_and_is_stated_again() {
    let place = Place::new();
    whole(&place);
    let data = ["news.csv", "--text-column", "body", "--label-column", "topic"];
    let fit =
        |out: &str, more: &[&str]| place.run(&[&["fit"][..], &data, &["-o", out], &KMEANS, more].concat());
    let told = fit("out", &["--components", "3"]).succeeded().stderr;
    assert!(told.contains("truncated SVD to 3 dimensions"), "{told}");
    let toml = place.run(&["info", "out", "--toml"]).succeeded().stdout;
    assert!(toml.contains("components = 3\n"), "{toml}");
    place.write("again.toml", &toml);
    let again = ["fit", "--config", "again.toml", "--text-column", "body", "--label-column", "topic"];
    place.run(&[&again[..], &["news.csv", "-o", "again"]].concat()).succeeded();
    assert_eq!(place.read("again/model.safetensors"), place.read("out/model.safetensors"));

    fit("many", &["--components", "61"]).failed(1, &["at most", "give --components"]);
    fit("none", &["--components", "0"]).failed(2, &["components must be between 1 and"]);
    fit("scaled", &["--components", "3", "--scale", "norm"]).failed(2, &["by-type"]);
    let paper = ["fit", "news.csv", "--text-column", "body", "-k", "2", "--recipe", "paper"];
    place.run(&[&paper[..], &["-o", "paper", "--components", "3"]].concat()).failed(2, &["by-type"]);
    place
        .run(&["fit", "digits", "--components", "5", "-o", "digits"])
        .failed(1, &["no column of it holds these", "leave --components out"]);
    let inspected = [&["data", "inspect"][..], &data, &["--components", "4"]].concat();
    let inspected = place.run(&inspected).succeeded().stdout;
    assert!(inspected.contains("truncated SVD to 4 dimensions"), "{inspected}");
}

#[test]
fn a_run_is_not_resumed_with_another_number_of_components() {
    let place = Place::new();
    whole(&place);
    let data = ["fit", "news.csv", "--text-column", "body", "--label-column", "topic", "-o", "out"];
    place.run(&[&data[..], &KMEANS, &["--components", "3"]].concat()).succeeded();
    let other = place.run(&[&data[..], &KMEANS, &["--components", "4", "--resume"]].concat());
    other.failed(2, &["has components 3, not 4"]);
    place.run(&[&data[..], &KMEANS, &["--components", "3", "--resume"]].concat()).succeeded();
}
