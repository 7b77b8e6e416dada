//! Model files that are damaged or made to harm give an error: never a panic, never a huge allocation.

use lpvdn::map::MapParams;
use lpvdn::model::k_means::KMeansParams;
use lpvdn::model::lpvdn::FinalClustering;
use lpvdn::{ClusterModel, Lpvdn, LpvdnModel, Model};
use lpvdn_core::preprocess::Scaling;
use lpvdn_core::{CsrMatrix, Dataset, Matrix};
use proptest::prelude::*;

#[path = "common/seal.rs"]
mod sealing;

use sealing::seal;

fn model_bytes() -> Vec<u8> {
    bytes_of_model(40, FinalClustering::Graph)
}

fn bytes_of_model(rows: usize, clustering: FinalClustering) -> Vec<u8> {
    let rows = Matrix::from_fn(rows, 6, |i, j| ((i * i * 31 + i * j * 7 + j * 17) % 101) as f32 / 101.0);
    let params = Lpvdn::params(2).layers(vec![5]).latent_dim(2).output_dim(2).pretrain_epochs(1).epochs(1);
    let params = params.clustering(clustering);
    params.fit(&Dataset::from(rows)).expect("a fit").to_bytes().expect("bytes")
}

fn load(bytes: &[u8]) -> Result<LpvdnModel, String> {
    LpvdnModel::from_bytes(bytes, "model").map_err(|e| e.to_string())
}

/// The sentence of a refusal that is about more than the checksum.
fn refusal(bytes: &[u8], case: &str) -> String {
    let message = load(bytes).expect_err(case);
    assert!(!message.contains("its content is not what was written"), "{case}: {message}");
    message
}

/// Replaces `from` by `to` in the header, keeping its declared length and the checksum right: what is refused then is
/// refused for what it says.
fn with_header(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let length = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
    let header = std::str::from_utf8(&bytes[8..8 + length]).expect("text");
    assert!(header.contains(from), "{from} is not in {header}");
    let header = header.replace(from, to);
    let mut out = (header.len() as u64).to_le_bytes().to_vec();
    out.extend_from_slice(header.as_bytes());
    out.extend_from_slice(&bytes[8 + length..]);
    seal(&mut out);
    out
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = model_bytes();
    load(&bytes).expect("the whole file is good");
    for length in (0..bytes.len()).step_by(97).chain(bytes.len() - 9..bytes.len()) {
        load(&bytes[..length]).expect_err("a part of a file is no file");
    }
}

#[test]
fn contradictions_in_the_header_are_errors() {
    let bytes = model_bytes();
    for (from, to) in [
        (r#"\"clusters\":2"#, r#"\"clusters\":3"#),
        (r#"\"clusters\":2"#, r#"\"clusters\":4000000000"#),
        (r#"\"columns\":6"#, r#"\"columns\":1000000000000"#),
        (r#"\"columns\":6"#, r#"\"columns\":0"#),
        (r#"\"layers\":[5]"#, r#"\"layers\":[1000000]"#),
        (r#"\"layers\":[5]"#, r#"\"layers\":[]"#),
        (r#"\"latent-dim\":2"#, r#"\"latent-dim\":1048576"#),
        (r#"\"locality-layers\":[256,256,256]"#, r#"\"locality-layers\":[1048576,1048576,1048576]"#),
        (r#"\"lr\":0.002"#, r#"\"lr\":-1"#),
        (r#"\"method\":\"lpvdn\""#, r#"\"method\":\"other\""#),
        (r#"\"assignment\":\"centers\""#, r#"\"assignment\":\"mixture\""#),
    ] {
        refusal(&with_header(&bytes, from, to), to);
    }
}

#[test]
fn contradictions_about_cells_are_errors() {
    let bytes = bytes_of_model(260, FinalClustering::Graph);
    load(&bytes).expect("the whole file is good");
    for (from, to) in [
        (r#"\"clusters\":2"#, r#"\"clusters\":1"#),
        (r#"\"assignment\":\"cells\""#, r#"\"assignment\":\"centers\""#),
        (r#""shape":[26,2]"#, r#""shape":[13,4]"#),
    ] {
        refusal(&with_header(&bytes, from, to), to);
    }
}

#[test]
fn contradictions_about_landmarks_are_errors() {
    let bytes = bytes_of_model(40, FinalClustering::Auto);
    load(&bytes).expect("the whole file is good");
    for (from, to) in [
        (r#"\"clusters\":2"#, r#"\"clusters\":1"#),
        (r#"\"assignment\":\"rows\""#, r#"\"assignment\":\"centers\""#),
        (r#"\"assignment\":\"rows\""#, r#"\"assignment\":\"rows\",\"components\":3"#),
        (r#"\"assignment\":\"rows\""#, r#"\"assignment\":\"rows\",\"components\":0"#),
        ("landmarks.places", "landmarks.planes"),
        ("landmarks.clusters", "landmarks.clustars"),
    ] {
        refusal(&with_header(&bytes, from, to), to);
    }
}

#[test]
fn a_projection_to_nothing_is_an_error() {
    let rows = Matrix::from_fn(80, 70, |i, j| {
        let scale = (1 + j) as f32;
        scale * ((i * i * 31 + i * j * 7 + j * 17) % 101) as f32
    });
    let params = Lpvdn::params(2).layers(vec![5]).latent_dim(2).output_dim(2).pretrain_epochs(1).epochs(1);
    let bytes = params.fit(&Dataset::from(rows)).expect("a fit").to_bytes().expect("bytes");
    load(&bytes).expect("the whole file is good");
    let from = r#"\"assignment\":\"rows\",\"components\":50"#;
    for to in [0, 49, 1_000_000_000] {
        let to = format!(r#"\"assignment\":\"rows\",\"components\":{to}"#);
        refusal(&with_header(&bytes, from, &to), &to);
    }
}

#[test]
fn numbers_that_are_not_finite_are_errors() {
    let rows = Matrix::from_fn(40, 3, |i, j| ((i * 7 + j * 3) % 11) as f32);
    let params = KMeansParams { scale: Scaling::None, ..KMeansParams::new(2) };
    let bytes = params.fit(&Dataset::from(rows)).expect("a fit").model.to_bytes().expect("bytes");
    // The centres, six numbers, and their scale.
    for at in 1..=7 {
        for number in [f32::NAN, f32::INFINITY] {
            let mut file = bytes.clone();
            let place = file.len() - 4 * at;
            file[place..place + 4].copy_from_slice(&number.to_le_bytes());
            seal(&mut file);
            let error = Model::from_bytes(&file, "model").map(drop).expect_err("no such number");
            assert!(error.to_string().contains("finite numbers"), "{error}");
        }
    }
}

/// A model of 100 columns, of which 70 occur.
fn bytes_of_terms() -> Vec<u8> {
    let mut rows = CsrMatrix::new(100);
    for i in 0..60_u32 {
        rows.push_row(
            (0..70).filter(|j| (i * 7 + j * 3).is_multiple_of(9)).map(|j| (j, 1.0 + (i % 3) as f32)),
        );
    }
    let params = KMeansParams { seed: 1, ..KMeansParams::new(2) };
    params.fit(&Dataset::new("terms", rows)).expect("a fit").model.to_bytes().expect("bytes")
}

#[test]
fn contradictions_about_terms_that_occur_are_errors() {
    let bytes = bytes_of_terms();
    let load = |bytes: &[u8]| Model::from_bytes(bytes, "model").map(|_| ()).map_err(|e| e.to_string());
    load(&bytes).expect("a good file");
    let known = r#"\"known\":70"#;
    for to in [r#"\"known\":71"#, r#"\"known\":0"#, r#"\"known\":18446744073709551615"#, r#"\"kn0wn\":70"#] {
        let message = load(&with_header(&bytes, known, to)).expect_err(to);
        assert!(!message.contains("its content is not what was written"), "{to}: {message}");
    }
    // The places of the terms, from 0 to 69, as they stand in the file.
    let places: Vec<u8> = (0..70_u32).flat_map(u32::to_le_bytes).collect();
    let at = bytes.windows(places.len()).position(|some| some == places).expect("the places");
    for (place, to) in [(69, 100_u32), (69, u32::MAX), (3, 2), (0, 1)] {
        let mut bytes = bytes.clone();
        bytes[at + 4 * place..][..4].copy_from_slice(&to.to_le_bytes());
        seal(&mut bytes);
        let message = load(&bytes).expect_err("places that are none");
        assert!(message.contains("known terms"), "{place} {to}: {message}");
    }
}

/// The same model with a map.
fn bytes_with_map() -> Vec<u8> {
    let rows = Matrix::from_fn(40, 6, |i, j| ((i * i * 31 + i * j * 7 + j * 17) % 101) as f32 / 101.0);
    let mut model = Model::from_bytes(&model_bytes(), "model").expect("a model");
    let params = MapParams { layers: vec![7], batch: 30, epochs: 1, ..MapParams::new(2, 1) };
    model.fit_map(&Dataset::from(rows), &params, &mut |_| true).expect("a map");
    model.to_bytes().expect("bytes")
}

#[test]
fn a_map_comes_back_from_its_file_and_contradictions_about_it_are_errors() {
    let bytes = bytes_with_map();
    let model = Model::from_bytes(&bytes, "model").expect("the whole file is good");
    assert_eq!(model.to_bytes().expect("bytes"), bytes);
    assert_eq!(model.map().map(|map| map.axes()), Some(2));
    for (from, to) in [
        (r#"\"axes\":2"#, r#"\"axes\":3"#),
        (r#"\"axes\":2"#, r#"\"axes\":1000000000"#),
        (r#"\"inputs\":2"#, r#"\"inputs\":3"#),
        (r#"\"layers\":[7]"#, r#"\"layers\":[65536,65536,65536]"#),
        (r#"\"layers\":[7]"#, r#"\"layers\":[0]"#),
        (r#"\"layers\":[7]"#, r#"\"layers\":[18446744073709551615]"#),
        ("map.center", "map.middle"),
    ] {
        refusal(&with_header(&bytes, from, to), to);
    }
    for length in (0..bytes.len()).step_by(89) {
        load(&bytes[..length]).expect_err("a part of a file is no file");
    }
}

#[test]
fn a_newer_format_is_refused_by_name() {
    let newer = with_header(&model_bytes(), r#"\"format-version\":2"#, r#"\"format-version\":9"#);
    let message = refusal(&newer, "version 9");
    assert!(message.contains("version 9"), "{message}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_bytes_are_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(load(&bytes).is_err());
    }

    #[test]
    fn a_flipped_bit_with_the_checksum_made_right_is_never_a_panic(
        at in any::<prop::sample::Index>(),
        bit in 0_u8..8,
    ) {
        thread_local!(static BYTES: Vec<u8> = model_bytes());
        let mut bytes = BYTES.with(Clone::clone);
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        seal(&mut bytes);
        if let Ok(model) = load(&bytes) {
            let row = Dataset::from(Matrix::from_fn(1, 6, |_, j| j as f32 / 6.0));
            let _ = model.predict(&row);
        }
    }
}
