//! What must not change unnoticed: model files that were written once, the bits of a training run, and the paper's
//! recipe.

use std::path::Path;

use lpvdn::loss::affinities::AffinitySource;
use lpvdn::model::lpvdn::FinalClustering;
use lpvdn::train::store::NUMERICS;
use lpvdn::{Estimator, Lpvdn, LpvdnModel, Method, Model, Recipe};
use lpvdn_core::preprocess::Scaling;
use lpvdn_core::{Level, Preprocessor};
use serde_json::Value;

#[path = "common/golden.rs"]
mod golden;

use golden::{Kind, Seen, fit, line_of};

/// A stored file of a method and the labels that it gave when it was written.
fn stored(method: Method, format: u32) -> (Vec<u8>, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models");
    let read = |ending: &str| {
        let path = path.join(format!("{method}-v{format}.{ending}"));
        std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    let labels = String::from_utf8(read("labels")).expect("text");
    (read("safetensors"), labels.trim().to_owned())
}

#[test]
fn the_first_model_of_format_1_loads_and_repeats_its_labels() {
    let bytes = include_bytes!("fixtures/golden-v1.safetensors");
    let model = LpvdnModel::from_bytes(bytes, "golden-v1").expect("a model");
    let labels = model.predict(&Kind::Pixels.rows()).expect("labels");
    assert_eq!(line_of(&labels), include_str!("fixtures/golden-v1.labels").trim());
}

#[test]
fn a_model_of_format_1_of_each_method_loads_and_repeats_its_labels() {
    for method in Method::PAPER {
        let (bytes, labels) = stored(method, 1);
        let model = Model::from_bytes(&bytes, method.name()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(line_of(&model.predict(&Kind::Table.rows()).expect("labels")), labels, "{method}");
        assert_eq!(model.format(), 1, "{method}");
        assert!(model.notices().iter().any(|notice| notice.contains("format 1")), "{method}");
        assert!(model.map().is_some() && model.reading().is_some(), "{method}");
        // Saved again it is of the new format, and the same model.
        let again = model.to_bytes().expect("bytes");
        let again = Model::from_bytes(&again, method.name()).expect("a model");
        assert_eq!(line_of(&again.predict(&Kind::Table.rows()).expect("labels")), labels, "{method}");
        assert_eq!(again.settings(), model.settings(), "{method}");
    }
}

#[test]
fn a_model_of_format_2_of_each_method_loads_and_is_written_again_to_the_bit() {
    for method in Method::ALL {
        let (bytes, labels) = stored(method, 2);
        let model = Model::from_bytes(&bytes, method.name()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(line_of(&model.predict(&Kind::Table.rows()).expect("labels")), labels, "{method}");
        assert_eq!((model.format(), model.notices()), (2, Vec::new()), "{method}");
        assert!(model.map().is_some() && model.reading().is_some(), "{method}");
        assert!(model.to_bytes().expect("bytes") == bytes, "{method}: written again, it is another file");
    }
}

/// The first view of terms had components for every column, the later one for those that occur.
#[test]
fn a_model_with_the_first_view_loads_and_is_written_again_to_the_bit() {
    for seen in Seen::ALL {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models");
        let file = |ending: &str| path.join(format!("kmeans-{}-v2.{ending}", seen.name()));
        let (bytes, labels) = (std::fs::read(file("safetensors")), std::fs::read_to_string(file("labels")));
        let (bytes, labels) = (bytes.expect("a model"), labels.expect("labels"));
        let model = Model::from_bytes(&bytes, seen.name()).unwrap_or_else(|e| panic!("{e}"));
        assert!(model.view().is_some(), "{seen:?}");
        assert_eq!(line_of(&model.predict(&seen.rows()).expect("labels")), labels.trim(), "{seen:?}");
        assert!(model.to_bytes().expect("bytes") == bytes, "{seen:?}: written again, it is another file");
    }
}

/// Bytes as one number.
fn hash(parts: impl Iterator<Item = u8>) -> u64 {
    parts.fold(0xcbf2_9ce4_8422_2325, |h: u64, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// Where this fails, raise `NUMERICS` and write the new line below: checkpoints and pre-trainings of
/// the arithmetic before must not be mixed with those of the new.
#[test]
fn the_bits_of_a_run_change_only_with_the_number_that_says_so() {
    let graphs = [("", AffinitySource::LatentGraph), (" both", AffinitySource::BothGraphs)];
    for (settle, (name, affinities)) in
        [0, 9].into_iter().flat_map(|settle| graphs.map(|graph| (settle, graph)))
    {
        let mut params = Lpvdn::params(3).seed(1).layers(vec![12, 7]).pretrain_epochs(9).epochs(9).batch(45);
        params.settle_epochs = Some(settle);
        params.mixture_starts = 1;
        params.starts = 1;
        params.scale = Scaling::Auto;
        params.affinities = affinities;
        params.clustering = FinalClustering::Graph;
        let fitted = params.fit(&Kind::Pixels.rows()).expect("a fit");
        let hash = hash(fitted.embedding.as_slice().iter().flat_map(|x| x.to_le_bytes()));
        let settled = if settle > 0 { " settled" } else { "" };
        let found = format!("{NUMERICS} {}{settled}{name} {hash:016x}", Level::current().name());
        let known = include_str!("fixtures/bits.txt");
        assert!(known.lines().any(|line| line == found), "{found} is not among\n{known}");
    }
}

/// The paper's recipe takes rows as they are, scaled by what their values look like.
fn scaled_as_before(scaling: &Preprocessor, kind: Kind) -> bool {
    match kind {
        Kind::Pixels => *scaling == Preprocessor::None,
        Kind::Table => matches!(scaling, Preprocessor::Standard { mean, .. } if mean.len() == 8),
        Kind::Sparse => matches!(scaling, Preprocessor::Scale { .. }),
    }
}

/// Scaling, labels and embedding of the paper's recipe. Where this fails without an intended change of the paper's
/// recipe, the change belongs to the other recipe alone.
#[test]
fn the_bits_of_the_papers_recipe_are_those_that_were_stored() {
    let known = include_str!("fixtures/paper.txt");
    let mut found = Vec::new();
    for method in Method::PAPER {
        for kind in Kind::ALL {
            let fitted = fit(method, Recipe::Paper, kind);
            assert!(scaled_as_before(fitted.preprocessor(), kind), "{method}: {:?}", fitted.preprocessor());
            let scaling = serde_json::to_vec(fitted.preprocessor()).expect("JSON");
            let labels = fitted.labels.iter().flat_map(|label| label.to_le_bytes());
            let codes = fitted.embedding.as_slice().iter().flat_map(|x| x.to_le_bytes());
            let hash = hash(scaling.into_iter().chain(labels).chain(codes));
            let (level, kind) = (Level::current().name(), kind.name());
            found.push(format!("{NUMERICS} {level} {method} {kind} {hash:016x}"));
        }
    }
    let changed: Vec<&String> = found.iter().filter(|line| !known.lines().any(|k| k == *line)).collect();
    assert!(changed.is_empty(), "not among the stored lines: {changed:#?}");
}

/// The fits above have small networks. This holds on to every value that they replace.
#[test]
fn the_values_of_the_papers_recipe_are_those_that_were_stored() {
    let known: Value = serde_json::from_str(include_str!("fixtures/paper.json")).expect("JSON");
    for method in Method::PAPER {
        let settings = Estimator::of(method, Recipe::Paper, 10).check().expect("good").settings();
        let known = known[method.name()].as_object().expect("values");
        assert!(known.len() > 3, "{method}");
        for (name, value) in known {
            assert_eq!(&settings[name], value, "{method}: {name}");
        }
    }
}
