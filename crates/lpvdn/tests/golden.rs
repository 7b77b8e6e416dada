//! What must not change unnoticed: model files that were written once, and the bits of a training run.

use lpvdn::train::store::NUMERICS;
use lpvdn::{Lpvdn, LpvdnModel};
use lpvdn_core::{Dataset, Level, Matrix};

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
    assert!(model.to_bytes().expect("bytes") == bytes, "written again, it is another file");
}

/// Where this fails, raise `NUMERICS` and write the new line below: checkpoints and pre-trainings of
/// the arithmetic before must not be mixed with those of the new.
#[test]
fn the_bits_of_a_run_change_only_with_the_number_that_says_so() {
    for settle in [0, 9] {
        let mut params = Lpvdn::params(3).seed(1).layers(vec![12, 7]).pretrain_epochs(9).epochs(9).batch(45);
        params.settle_epochs = Some(settle);
        params.mixture_starts = 1;
        params.starts = 1;
        let fitted = params.fit(&rows()).expect("a fit");
        let bits = fitted.embedding.as_slice().iter().flat_map(|x| x.to_le_bytes());
        let fnv = |h: u64, b: u8| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3);
        let hash = bits.fold(0xcbf2_9ce4_8422_2325_u64, fnv);
        let settled = if settle > 0 { " settled" } else { "" };
        let found = format!("{NUMERICS} {}{settled} {hash:016x}", Level::current().name());
        let known = include_str!("fixtures/bits.txt");
        assert!(known.lines().any(|line| line == found), "{found} is not among\n{known}");
    }
}
