//! Folders of pictures, against files that Pillow wrote (make_images.py).
#![cfg(feature = "images")]
#![allow(missing_docs)]

mod common;

use std::path::Path;

use common::{Folder, fixture, says, values};
use lpvdn_data::reading::ImagesReading;
use lpvdn_data::{ImageColor, ImageFit, ImageSize, OpenOptions, Reading, open, read};

fn sized(text: &str) -> OpenOptions {
    let mut options = OpenOptions::default();
    options.image_size = Some(text.parse::<ImageSize>().expect("a size"));
    options
}

fn refusal(path: impl AsRef<Path>, options: &OpenOptions) -> String {
    open(path, options).expect_err("must be refused").to_string()
}

#[test]
fn pictures_of_one_small_size_are_read_point_for_point() {
    let opened = read(fixture("images/grey"), &OpenOptions::default()).expect("pictures");
    let data = opened.data;
    assert_eq!((data.rows(), data.cols(), data.source.is_bytes()), (5, 24, true));
    for (n, row) in values(&data).iter_rows().enumerate() {
        let wanted: Vec<f32> = (0..24).map(|i| (10 * n + 20 * (i / 6) + i % 6) as f32).collect();
        assert_eq!(row, wanted, "picture {n}");
    }
    let labels = data.labels.expect("classes");
    assert_eq!((labels.names, labels.codes), (vec!["one".into(), "two".into()], vec![0, 0, 1, 1, 1]));
    let ids: Vec<String> = ["one/a.png", "one/b.png", "two/a.bmp", "two/b.webp", "two/c.png"]
        .map(|id| id.replace('/', std::path::MAIN_SEPARATOR_STR))
        .to_vec();
    assert_eq!(data.ids, Some(ids.iter().collect()));
    assert_eq!(
        opened.reading,
        Some(Reading::Images(ImagesReading {
            width: 6,
            height: 4,
            channels: 1,
            fit: ImageFit::Pad,
            resized: Some(0),
        }))
    );
}

#[test]
fn pictures_of_several_sizes_are_brought_to_one() {
    let data = open(fixture("images/mixed"), &OpenOptions::default()).expect("pictures");
    assert_eq!((data.rows(), data.cols(), data.labels), (7, 32 * 32 * 3, None));
    let mut options = sized("8x4");
    for (color, cols) in [(ImageColor::Grey, 32), (ImageColor::Rgb, 96)] {
        options.image_color = Some(color);
        let data = open(fixture("images/mixed"), &options).expect("pictures");
        assert_eq!(data.cols(), cols);
        let again = open(fixture("images/mixed"), &options).expect("pictures");
        assert_eq!(values(&data), values(&again));
    }
    // The left half of this one is transparent, and seen as white.
    let data = open(fixture("images/mixed"), &sized("30x40")).expect("pictures");
    let at = data.ids.expect("names").iter().position(|id| id == "transparent.png").expect("there");
    let all = values(&open(fixture("images/mixed"), &sized("30x40")).expect("pictures"));
    assert_eq!(all.row(at)[..45], [255.0; 45]);
    assert_eq!(all.row(at)[45..48], [120.0, 0.0, 45.0]);
}

#[test]
fn a_model_brings_other_pictures_to_its_shape_and_reads_a_single_one() {
    let mut options = OpenOptions::default();
    let single = fixture("images/mixed/photo.jpg");
    says(&refusal(&single, &options), &["photo.jpg", "folder"]);
    options.reading = read(fixture("images/grey"), &options).expect("pictures").reading;
    assert_eq!(open(fixture("images/mixed"), &options).expect("pictures").cols(), 24);
    let one = open(&single, &options).expect("a picture");
    assert_eq!((one.rows(), one.cols(), one.ids), (1, 24, Some(["photo.jpg"].iter().collect())));
    let exact = open(fixture("images/grey/two/a.bmp"), &options).expect("a picture");
    assert_eq!(values(&exact).as_slice()[..3], [20.0, 21.0, 22.0]);
    options.image_size = Some(ImageSize { width: 9, height: 9 });
    says(&refusal(&single, &options), &["6x4", "grey"]);
    let mut other = OpenOptions::default();
    other.reading = Some(Reading::Pairs(lpvdn_data::reading::PairsReading { columns: 24, base: 0 }));
    says(&refusal(fixture("images/grey"), &other), &["pictures", "another kind"]);
}

#[test]
fn pictures_may_be_called_idx() {
    let folder = Folder::new();
    for name in ["idx0.png", "a-idx1.png"] {
        folder.file(name, std::fs::read(fixture("images/grey/one/a.png")).expect("a picture"));
    }
    assert_eq!(open(folder.path(), &OpenOptions::default()).expect("pictures").rows(), 2);
}

#[test]
fn a_photograph_is_turned_as_it_says() {
    let folder = Folder::new();
    let photo = std::fs::read(fixture("images/mixed/photo.jpg")).expect("a picture");
    // Big-endian TIFF with a single entry, tag 0x0112, of which 6 means that the top is on the right.
    let entry = b"\x01\x12\0\x03\0\0\0\x01\0\x06\0\0";
    let tiff = [&b"Exif\0\0MM\0*\0\0\0\x08\0\x01"[..], entry, &[0; 4]].concat();
    let segment = [&[0xff, 0xe1, 0, tiff.len() as u8 + 2][..], &tiff].concat();
    folder.file("photo.jpg", [&photo[..2], &segment, &photo[2..]].concat());
    let turned = read(folder.path(), &OpenOptions::default()).expect("a picture");
    let (width, height) = (30, 40);
    assert_eq!(
        turned.reading,
        Some(Reading::Images(ImagesReading {
            width: 40,
            height: 30,
            channels: 3,
            fit: ImageFit::Pad,
            resized: Some(0),
        }))
    );
    folder.file("photo.jpg", photo);
    let plain = read(folder.path(), &OpenOptions::default()).expect("a picture");
    let (turned, plain) = (values(&turned.data), values(&plain.data));
    for (x, y) in [(0, 0), (3, 29), (39, 17), (20, 5)] {
        let (to, from) = (3 * (y * height + x), 3 * ((height - 1 - x) * width + y));
        assert_eq!(turned.row(0)[to..to + 3], plain.row(0)[from..from + 3], "{x}, {y}");
    }
}

#[test]
fn options_for_pictures_are_refused_where_there_are_none() {
    let folder = Folder::new();
    says(&folder.refusal_with("a.csv", "1,2\n", &sized("4")), &["size of pictures"]);
    // A set that is known by name is read in one way, pictures or not.
    let known = refusal("mnist", &sized("4"));
    says(&known, &["mnist", "size of pictures"]);
    says(&refusal("digits", &sized("4")), &["built-in", "size"]);
    let mut options = OpenOptions::default().label_column("0");
    says(&refusal(fixture("images/grey"), &options), &["sub-folders"]);
    options.label_column = None;
    options.text_field = Some("a".to_owned());
    says(&refusal(fixture("images/grey"), &options), &["documents"]);
}

#[test]
fn hidden_files_and_texts_beside_pictures_are_left_alone() {
    let folder = Folder::new();
    let picture = std::fs::read(fixture("images/grey/one/a.png")).expect("a fixture");
    folder.file("a.png", &picture);
    folder.file("._a.png", "of the system");
    folder.file("README.txt", "About these pictures.");
    assert_eq!(open(folder.path(), &OpenOptions::default()).expect("a picture").rows(), 1);
}

#[test]
fn a_damaged_picture_is_named_of_several_the_first() {
    let folder = Folder::new();
    for name in ["color.png", "small.bmp", "lossy.webp", "photo.jpg"] {
        let bytes = std::fs::read(fixture("images/mixed").join(name)).expect("a fixture");
        folder.file(name, &bytes[..bytes.len() / 2]);
    }
    folder.file("a.png", std::fs::read(fixture("images/grey/one/a.png")).expect("a fixture"));
    for _ in 0..5 {
        says(&refusal(folder.path(), &sized("4")), &["color.png", "not a usable picture"]);
    }
}
