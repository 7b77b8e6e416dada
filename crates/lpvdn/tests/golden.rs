//! A model file of each format version: every later version of the program loads it and repeats its
//! labels.

use lpvdn::LpvdnModel;
use lpvdn_core::{Dataset, Matrix};

/// The rows that the stored models were fitted to.
fn rows() -> Dataset {
    Dataset::from(Matrix::from_fn(90, 8, |i, j| {
        let bright = (i % 3) * 3 <= j && j < (i % 3) * 3 + 3;
        (if bright { 0.8 } else { 0.1 }) + 0.02 * ((i * 7 + j * 3) % 5) as f32
    }))
}

#[test]
fn a_model_of_format_1_loads_and_repeats_its_labels() {
    let bytes = include_bytes!("fixtures/golden-v1.safetensors");
    let model = LpvdnModel::from_bytes(bytes, "golden-v1").expect("a model");
    let labels = model.predict(&rows()).expect("labels");
    let text: String = labels.iter().map(u32::to_string).collect();
    assert_eq!(text, include_str!("fixtures/golden-v1.labels").trim());
    let again = LpvdnModel::from_bytes(&model.to_bytes().expect("bytes"), "again").expect("a model");
    assert!(again == model, "written again, it is another model");
}
