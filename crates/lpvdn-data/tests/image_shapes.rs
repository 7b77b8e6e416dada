//! Pictures of any size, and files that are no pictures.
#![cfg(feature = "images")]
#![allow(missing_docs)]

mod common;

use std::io::Cursor;
use std::path::PathBuf;

use common::{Folder, changed, says, told, values};
use image::{DynamicImage, GrayImage, ImageBuffer, ImageFormat, Luma, Rgb, RgbImage, Rgba};
use lpvdn_data::reading::ImagesReading;
use lpvdn_data::{ImageFit, OnError, OpenOptions, Reading, open, read};

fn encoded(picture: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.into().write_to(&mut bytes, format).expect("memory");
    bytes.into_inner()
}

fn png(picture: impl Into<DynamicImage>) -> Vec<u8> {
    encoded(picture, ImageFormat::Png)
}

/// A folder of pictures.
fn pictures(folder: &Folder, files: &[(&str, Vec<u8>)]) -> PathBuf {
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, bytes).expect("written");
    }
    folder.path().to_owned()
}

fn fitted(size: &str, fit: Option<ImageFit>) -> OpenOptions {
    let mut options = OpenOptions::default();
    options.image_size = Some(size.parse().expect("a size"));
    options.image_fit = fit;
    options
}

fn skipping() -> OpenOptions {
    let mut options = OpenOptions::default();
    options.on_error = OnError::Skip;
    options
}

/// White, with a black square in the middle.
fn square(width: u32, height: u32, side: u32) -> GrayImage {
    let inside = |at: u32, whole: u32| (2 * at + 1).abs_diff(whole) < side;
    GrayImage::from_fn(width, height, |x, y| {
        Luma([if inside(x, width) && inside(y, height) { 0 } else { 255 }])
    })
}

/// How many points of a row are dark: width and height of what is not white.
fn extent(row: &[f32], width: usize) -> (usize, usize) {
    let dark = |at: usize| row[at] < 128.0;
    let columns = (0..width).filter(|x| (0..row.len() / width).any(|y| dark(y * width + x)));
    let lines = (0..row.len() / width).filter(|y| (0..width).any(|x| dark(y * width + x)));
    (columns.count(), lines.count())
}

#[test]
fn a_square_stays_one_unless_it_is_stretched() {
    let folder = Folder::new();
    let wide = pictures(&folder, &[("a.png", png(square(80, 40, 20))), ("b.png", png(square(40, 80, 20)))]);
    let rows = |fit| {
        let opened = read(&wide, &fitted("40", fit)).expect("pictures");
        let reading = opened.reading.clone();
        (values(&opened.data).iter_rows().map(|row| extent(row, 40)).collect::<Vec<_>>(), reading)
    };
    assert_eq!(rows(Some(ImageFit::Pad)).0, [(10, 10), (10, 10)]);
    assert_eq!(rows(Some(ImageFit::Crop)).0, [(20, 20), (20, 20)]);
    assert_eq!(rows(Some(ImageFit::Stretch)).0, [(10, 20), (20, 10)]);
    let (usual, reading) = rows(None);
    assert_eq!(usual, rows(Some(ImageFit::Pad)).0);
    let wanted = ImagesReading { width: 40, height: 40, channels: 1, fit: ImageFit::Pad, resized: Some(2) };
    assert_eq!(reading, Some(Reading::Images(wanted)));
}

#[test]
fn a_model_repeats_how_pictures_were_brought_to_its_shape() {
    let folder = Folder::new();
    let path = pictures(
        &folder,
        &[("a.png", png(square(80, 40, 20))), ("b.jpg", encoded(square(40, 40, 20), ImageFormat::Jpeg))],
    );
    for fit in [ImageFit::Pad, ImageFit::Crop, ImageFit::Stretch] {
        let first = read(&path, &fitted("20", Some(fit))).expect("pictures");
        let json = serde_json::to_string(&first.reading).expect("JSON");
        let mut options = OpenOptions::default();
        options.reading = serde_json::from_str(&json).expect("a reading");
        assert_eq!(values(&open(&path, &options).expect("pictures")), values(&first.data), "{fit:?}");
        let one = open(path.join("a.png"), &options).expect("a picture");
        assert_eq!(values(&one).row(0), values(&first.data).row(0), "{fit:?}");
        let other = if fit == ImageFit::Pad { ImageFit::Crop } else { ImageFit::Pad };
        options.image_fit = Some(other);
        says(
            &open(&path, &options).expect_err("another").to_string(),
            &["20x20", "leave size, colour and fit out"],
        );
    }
}

#[test]
fn models_from_before_there_was_a_choice_stretch() {
    let old = r#"{"kind":"images","width":20,"height":20,"channels":1}"#;
    let reading: Reading = serde_json::from_str(old).expect("a reading");
    assert_eq!(serde_json::to_string(&reading).expect("JSON"), old);
    let folder = Folder::new();
    let path = pictures(&folder, &[("a.png", png(square(80, 40, 20)))]);
    let mut options = OpenOptions::default();
    options.reading = Some(reading);
    let stretched = open(&path, &fitted("20", Some(ImageFit::Stretch))).expect("pictures");
    assert_eq!(values(&open(&path, &options).expect("pictures")), values(&stretched));
}

#[test]
fn transparent_points_are_white_at_the_border_too() {
    let folder = Folder::new();
    let red = |x: u32, alpha: u8| Rgba([200, 0, if x == 0 { 9 } else { 0 }, alpha]);
    let seen = ImageBuffer::from_fn(8, 4, |x, y| red(x, if y == 0 || y == 3 { 0 } else { 255 }));
    let path = pictures(&folder, &[("a.png", png(seen))]);
    let rows = values(&open(&path, &fitted("8", Some(ImageFit::Pad))).expect("pictures"));
    // Of the 20 points of the border, 16 are white and 4 red.
    let [r, g, b] = [0, 1, 2].map(|channel| rows.row(0)[channel]);
    assert!(
        (244.0..=244.5).contains(&r) && (203.5..=204.5).contains(&g) && (204.0..=206.0).contains(&b),
        "{r} {g} {b}"
    );
}

#[test]
fn pictures_of_sixteen_bits_are_read_as_those_of_eight() {
    let folder = Folder::new();
    let deep = ImageBuffer::from_fn(6, 6, |x, y| Luma([((x * 40 + y) as u16) * 257]));
    let flat = GrayImage::from_fn(6, 6, |x, y| Luma([(x * 40 + y) as u8]));
    let path = pictures(&folder, &[("a.png", png(DynamicImage::ImageLuma16(deep))), ("b.png", png(flat))]);
    let rows = values(&open(&path, &OpenOptions::default()).expect("pictures"));
    assert_eq!(rows.row(0), rows.row(1));
}

/// A baseline JPEG of 8 × 8 points with four components, as Adobe writes them: 255 is no ink.
fn cmyk(inks: [u8; 4]) -> Vec<u8> {
    let mut bytes = vec![0xff, 0xd8, 0xff, 0xee, 0, 14];
    bytes.extend_from_slice(b"Adobe\0\x64\0\0\0\0\0");
    bytes.extend_from_slice(&[0xff, 0xdb, 0, 67, 0]);
    bytes.extend_from_slice(&[1; 64]);
    bytes.extend_from_slice(&[0xff, 0xc0, 0, 20, 8, 0, 8, 0, 8, 4]);
    (1..=4).for_each(|component| bytes.extend_from_slice(&[component, 0x11, 0]));
    // One code each: differences of ten bits, and the end of a block.
    for (table, symbol) in [(0x00, 10), (0x10, 0)] {
        let mut counts = [0; 16];
        counts[0] = 1;
        bytes.extend_from_slice(&[0xff, 0xc4, 0, 20, table]);
        bytes.extend_from_slice(&counts);
        bytes.push(symbol);
    }
    bytes.extend_from_slice(&[0xff, 0xda, 0, 14, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0]);
    let mut bits = 0_u64;
    for ink in inks {
        // 512 to 1016 in magnitude.
        let difference = 8 * (i64::from(ink) - 128);
        let code = if difference < 0 { difference + 1023 } else { difference };
        bits = bits << 12 | (code as u64) << 1;
    }
    for byte in &bits.to_be_bytes()[2..] {
        bytes.push(*byte);
        bytes.extend((*byte == 0xff).then_some(0));
    }
    bytes.extend_from_slice(&[0xff, 0xd9]);
    bytes
}

#[test]
fn inks_of_a_jpeg_for_print_are_colours() {
    let folder = Folder::new();
    // No cyan, much magenta, no yellow, no black: purple.
    let path = pictures(&folder, &[("a.jpg", cmyk([250, 30, 250, 250]))]);
    let rows = values(&open(&path, &OpenOptions::default()).expect("a picture"));
    assert_eq!(rows.cols(), 8 * 8 * 3);
    let [r, g, b] = [0, 1, 2].map(|channel| rows.row(0)[channel]);
    assert!(r > 200.0 && g < 60.0 && b > 200.0, "{r} {g} {b}");
}

/// Three good pictures in two classes among four files that are none.
fn damaged(folder: &Folder) -> PathBuf {
    let good = |value: u8| png(GrayImage::from_pixel(12, 12, Luma([value])));
    let photo = encoded(RgbImage::from_fn(60, 40, |x, y| Rgb([x as u8, y as u8, 9])), ImageFormat::Jpeg);
    let large = png(RgbImage::from_fn(50, 50, |x, y| Rgb([x as u8 * 5, y as u8 * 5, (x * y) as u8])));
    pictures(
        folder,
        &[
            ("one/a.png", large[..large.len() / 2].to_vec()),
            ("one/b.png", good(10)),
            ("one/c.png", b"this is text".to_vec()),
            ("three/a.jpg", photo[..200].to_vec()),
            ("two/a.png", good(20)),
            ("two/b.png", Vec::new()),
            ("two/c.png", good(30)),
        ],
    )
}

#[test]
fn broken_files_are_refused_unless_they_are_to_be_left_out() {
    let folder = Folder::new();
    let path = damaged(&folder);
    let error = open(&path, &OpenOptions::default()).expect_err("broken");
    says(&common::refused(&error), &["not a usable picture", "SkipBroken"]);
    for _ in 0..3 {
        let opened = read(&path, &skipping()).expect("pictures");
        let data = &opened.data;
        // 12 × 12: the size of a picture that is left out does not count.
        assert_eq!((data.rows(), data.cols()), (3, 144));
        let first: Vec<f32> = values(data).iter_rows().map(|row| row[0]).collect();
        assert_eq!(first, [10.0, 20.0, 30.0]);
        let ids: Vec<String> =
            data.ids.as_ref().expect("names").iter().map(|id| id.replace('\\', "/")).collect();
        assert_eq!(ids, ["one/b.png", "two/a.png", "two/c.png"]);
        let labels = data.labels.clone().expect("classes");
        assert_eq!((labels.names, labels.codes), (vec!["one".into(), "two".into()], vec![0, 1, 1]));
        let note = told(&opened).join("; ");
        says(
            &note,
            &["4 of 7 files cannot be read as pictures and are left out", "a.png", "c.png", "a.jpg", "b.png"],
        );
    }
}

#[test]
fn a_folder_without_a_single_good_picture_is_refused() {
    let folder = Folder::new();
    let files: Vec<(String, Vec<u8>)> = (0..9).map(|i| (format!("{i}.png"), vec![i; 40])).collect();
    let files: Vec<(&str, Vec<u8>)> =
        files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    let path = pictures(&folder, &files);
    for options in [
        skipping(),
        changed(fitted("4", None), |options| {
            options.on_error = OnError::Skip;
        }),
    ] {
        let error = open(&path, &options).expect_err("nothing to read").to_string();
        says(&error, &["none of its 9 pictures can be read", "0.png"]);
    }
}

#[test]
fn a_note_names_the_first_of_many_broken_files() {
    let folder = Folder::new();
    let mut files = vec![("good.png".to_owned(), png(GrayImage::new(3, 3)))];
    files.extend((0..20).map(|i| (format!("bad{i:02}.png"), b"no".to_vec())));
    let files: Vec<(&str, Vec<u8>)> =
        files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    let opened = read(pictures(&folder, &files), &skipping()).expect("a picture");
    let note = told(&opened).join("; ");
    says(&note, &["20 of 21 files", "\"bad00.png\", \"bad01.png\"", ", …"]);
    assert!(!note.contains("bad10"), "{note}");
}

#[test]
fn pictures_of_some_classes_are_not_counted_with_the_others() {
    let folder = Folder::new();
    let files = [("a/1.png", png(square(9, 3, 1))), ("b/1.png", png(square(3, 3, 1)))];
    let options = changed(fitted("3", None), |options| options.classes = vec!["b".to_owned()]);
    let opened = read(pictures(&folder, &files), &options).expect("a picture");
    assert_eq!(opened.data.rows(), 1);
    assert!(matches!(opened.reading, Some(Reading::Images(ImagesReading { resized: None, .. }))));
}

#[test]
fn options_for_pictures_are_refused_elsewhere() {
    let folder = Folder::new();
    let message = folder.refusal_with("a.csv", "1,2\n", &skipping());
    says(&message, &["leaving broken pictures out is for pictures"]);
    let mut options = OpenOptions::default();
    options.image_fit = Some(ImageFit::Crop);
    says(&folder.refusal_with("a.csv", "1,2\n", &options), &["how pictures are brought to one size"]);
}

#[test]
fn a_model_that_asks_for_pictures_beyond_the_memory_is_refused() {
    let folder = Folder::new();
    let small = pictures(&folder, &[("a.png", png(square(8, 8, 2))), ("b.png", png(square(8, 8, 4)))]);
    let mut options = OpenOptions::default();
    let reading =
        ImagesReading { width: u32::MAX, height: 10, channels: 1, fit: ImageFit::Pad, resized: None };
    options.reading = Some(Reading::Images(reading));
    let error = read(&small, &options).map(drop).expect_err("too large");
    assert!(error.to_string().contains("as the model says"), "{error}");
}
