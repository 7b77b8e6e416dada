//! What the paper reports: ACC, NMI and ARI of its Tables 2 to 4.

use lpvdn::Method;
use lpvdn_core::Dataset;

/// ACC, NMI, ARI.
pub(super) type Reported = [f64; 3];

/// The data sets of the tables: their names here, and in the paper.
pub(super) const SETS: [(&str, &str); 4] = [
    ("mnist", "MNIST"),
    ("fashion-mnist", "Fashion-MNIST"),
    ("reuters-10k", "REUTERS-10k"),
    ("reuters", "REUTERS"),
];

/// The name of the paper's set that these rows are: by their name, and by as many rows, columns and classes.
pub(super) fn set_of(data: &Dataset) -> Option<&'static str> {
    let classes = data.labels.as_ref().map_or(0, |labels| labels.names.len());
    let (name, wanted) = match data.name.as_str() {
        "mnist" => ("mnist", (70_000, 784, 10)),
        "fashion-mnist" => ("fashion-mnist", (70_000, 784, 10)),
        "reuters-10k" => ("reuters-10k", (10_000, 2_000, 4)),
        "reuters" => ("reuters", (685_071, 2_000, 4)),
        _ => return None,
    };
    ((data.rows(), data.cols(), classes) == wanted).then_some(name)
}

/// What a method reached on a set, where the paper tells.
pub(super) fn reported(method: Method, set: &str) -> Option<Reported> {
    let column = SETS.iter().position(|(name, _)| *name == set)?;
    let row = match method {
        Method::Graph => return None,
        Method::KMeans => [
            [0.5850, 0.4998, 0.3652],
            [0.5542, 0.5117, 0.3477],
            [0.5403, 0.4175, 0.2775],
            [0.5328, 0.4014, 0.2631],
        ],
        Method::AutoencoderKMeans => [
            [0.7147, 0.6610, 0.5593],
            [0.6240, 0.6360, 0.4440],
            [0.7477, 0.4714, 0.5300],
            [0.7006, 0.3330, 0.3394],
        ],
        Method::VariationalKMeans => [
            [0.8583, 0.7432, 0.7249],
            [0.6049, 0.5629, 0.4082],
            [0.7421, 0.4319, 0.5073],
            [0.6922, 0.3586, 0.3317],
        ],
        Method::Dec => [
            [0.8971, 0.8631, 0.8322],
            [0.6303, 0.6560, 0.4987],
            [0.7229, 0.5229, 0.5525],
            [0.7082, 0.4915, 0.5387],
        ],
        Method::ClusterGan => [
            [0.9596, 0.9051, 0.9134],
            [0.6374, 0.6423, 0.5067],
            [0.4317, 0.0271, 0.0163],
            [0.4621, 0.0303, 0.0411],
        ],
        Method::Vade => [
            [0.9446, 0.8761, 0.8822],
            [0.6383, 0.6434, 0.4955],
            [0.8092, 0.5267, 0.5951],
            [0.7938, 0.5591, 0.5779],
        ],
        Method::Lpvdn => [
            [0.9716, 0.9276, 0.9385],
            [0.6837, 0.6912, 0.5151],
            [0.8301, 0.5857, 0.6112],
            [0.8483, 0.6553, 0.6806],
        ],
    };
    Some(row[column])
}

/// What the combinations of terms reached: L_G alone, with L_MI, with L_LP.
pub(super) fn ablation(set: &str, information: bool, locality: bool) -> Option<Reported> {
    match (set, information, locality) {
        ("mnist" | "reuters", true, true) => reported(Method::Lpvdn, set),
        ("mnist" | "reuters", false, false) => reported(Method::Vade, set),
        ("mnist", true, false) => Some([0.9477, 0.8910, 0.8888]),
        ("mnist", false, true) => Some([0.9710, 0.9269, 0.9373]),
        ("reuters", true, false) => Some([0.8224, 0.5969, 0.6364]),
        ("reuters", false, true) => Some([0.8373, 0.6542, 0.6762]),
        _ => None,
    }
}
