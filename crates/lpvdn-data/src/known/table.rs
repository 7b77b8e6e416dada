//! Which sets are known, where they live, and by which bytes they are known.
//!
//! | set | homes and checksums |
//! |---|---|
//! | MNIST | the two mirrors that torchvision and others use; the hashes are of the files as served |
//! | Fashion-MNIST | Zalando's bucket and repository; what gzip writes around the bytes may vary, so the hashes are of the unpacked bytes |
//! | optdigits | UCI; the hashes are of the files as served |
//! | RCV1-v2 | the appendices of Lewis et al. (JMLR 5, 2004), and copies that scikit-learn made; of the topics the hash is of the unpacked bytes, of the vector files it is the one that scikit-learn publishes (all of them have 656 MB, which bounds each); of the token files only the sizes are known, as programs that download them state them |

use super::{Check, Kind, KnownFile, KnownSet, Size};

/// All sets, in the order in which they are listed.
pub(super) const SETS: &[KnownSet] = &[
    KnownSet {
        name: "mnist",
        folder: "mnist",
        about: "handwritten digits, 70,000 pictures of 28 × 28 pixels, 10 classes",
        licence: "usually given as CC BY-SA 3.0",
        files: MNIST,
        kind: Kind::Idx,
    },
    KnownSet {
        name: "fashion-mnist",
        folder: "fashion-mnist",
        about: "pieces of clothing, 70,000 pictures of 28 × 28 pixels, 10 classes",
        licence: "MIT",
        files: FASHION,
        kind: Kind::Idx,
    },
    KnownSet {
        name: "optdigits",
        folder: "optdigits",
        about: "handwritten digits, 5,620 pictures of 8 × 8 pixels, 10 classes (built in as digits)",
        licence: "CC BY 4.0",
        files: OPTDIGITS,
        kind: Kind::Tables,
    },
    KnownSet {
        name: "reuters",
        folder: "rcv1",
        about: "news of RCV1-v2 with one of 4 root topics, 685,071 documents, tf-idf of 2,000 tokens",
        licence: "for research",
        files: TOKENS,
        kind: Kind::Tokens,
    },
    KnownSet {
        name: "reuters-10k",
        folder: "rcv1",
        about: "10,000 documents of reuters, drawn with a fixed seed; the files are the same",
        licence: "for research",
        files: TOKENS,
        kind: Kind::TenThousandTokens,
    },
    KnownSet {
        name: "reuters-vectors",
        folder: "rcv1",
        about: "the same news from the vector files that scikit-learn uses, their 2,000 most frequent columns",
        licence: "for research",
        files: VECTORS,
        kind: Kind::Vectors,
    },
];

/// Other names of sets.
pub(super) const ALIASES: &[(&str, &str)] = &[("rcv1", "reuters"), ("fashion", "fashion-mnist")];

/// A file with a place at each of several homes.
macro_rules! file {
    ($name:literal, $check:expr, [$($home:literal),+ $(,)?] $(, or $other:literal)*) => {
        KnownFile { name: $name, check: $check, urls: &[$($other,)* $(concat!($home, $name)),+] }
    };
}

macro_rules! mnist {
    ($name:literal, $bytes:literal, $sha256:literal) => {
        file!(
            $name,
            Check::Served { bytes: Size::Exactly($bytes), sha256: $sha256 },
            [
                "https://ossci-datasets.s3.amazonaws.com/mnist/",
                "https://storage.googleapis.com/cvdf-datasets/mnist/",
            ]
        )
    };
}

const MNIST: &[KnownFile] = &[
    mnist!(
        "train-images-idx3-ubyte.gz",
        9_912_422,
        "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"
    ),
    mnist!(
        "train-labels-idx1-ubyte.gz",
        28_881,
        "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"
    ),
    mnist!(
        "t10k-images-idx3-ubyte.gz",
        1_648_877,
        "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"
    ),
    mnist!(
        "t10k-labels-idx1-ubyte.gz",
        4_542,
        "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"
    ),
];

macro_rules! fashion {
    ($name:literal, $bytes:literal, $sha256:literal) => {
        file!(
            $name,
            Check::Unpacked { bytes: $bytes, sha256: $sha256 },
            [
                "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
                "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/",
            ]
        )
    };
}

const FASHION: &[KnownFile] = &[
    fashion!(
        "train-images-idx3-ubyte.gz",
        47_040_016,
        "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"
    ),
    fashion!(
        "train-labels-idx1-ubyte.gz",
        60_008,
        "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"
    ),
    fashion!(
        "t10k-images-idx3-ubyte.gz",
        7_840_016,
        "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"
    ),
    fashion!(
        "t10k-labels-idx1-ubyte.gz",
        10_008,
        "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"
    ),
];

const OPTDIGITS: &[KnownFile] = &[
    file!(
        "optdigits.tra",
        Check::Served {
            bytes: Size::Exactly(563_639),
            sha256: "e1b683cc211604fe8fd8c4417e6a69f31380e0c61d4af22e93cc21e9257ffedd"
        },
        ["https://archive.ics.uci.edu/ml/machine-learning-databases/optdigits/"]
    ),
    file!(
        "optdigits.tes",
        Check::Served {
            bytes: Size::Exactly(264_712),
            sha256: "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8"
        },
        ["https://archive.ics.uci.edu/ml/machine-learning-databases/optdigits/"]
    ),
];

macro_rules! tokens {
    ($name:literal, $bytes:literal) => {
        file!(
            $name,
            Check::Sized { bytes: $bytes },
            [
                "http://www.ai.mit.edu/projects/jmlr/papers/volume5/lewis04a/a12-token-files/",
                "http://jmlr.csail.mit.edu/papers/volume5/lewis04a/a12-token-files/",
            ]
        )
    };
}

const TOPICS: KnownFile = file!(
    "rcv1-v2.topics.qrels.gz",
    Check::Unpacked {
        bytes: 35_382_548,
        sha256: "dff28fe164cf81739aae961a569cd0ea80fa0b7a37d4f45cf08355e00660bf97"
    },
    [
        "http://www.ai.mit.edu/projects/jmlr/papers/volume5/lewis04a/a08-topic-qrels/",
        "http://jmlr.csail.mit.edu/papers/volume5/lewis04a/a08-topic-qrels/",
    ],
    or "https://ndownloader.figshare.com/files/5976048"
);

const TOKENS: &[KnownFile] = &[
    TOPICS,
    tokens!("lyrl2004_tokens_train.dat.gz", 5_108_963),
    tokens!("lyrl2004_tokens_test_pt0.dat.gz", 44_734_992),
    tokens!("lyrl2004_tokens_test_pt1.dat.gz", 45_595_102),
    tokens!("lyrl2004_tokens_test_pt2.dat.gz", 44_507_510),
    tokens!("lyrl2004_tokens_test_pt3.dat.gz", 42_052_117),
];

macro_rules! vectors {
    ($name:literal, $most:literal, $figshare:literal, $sha256:literal) => {
        file!(
            $name,
            Check::Served { bytes: Size::AtMost($most), sha256: $sha256 },
            ["http://www.ai.mit.edu/projects/jmlr/papers/volume5/lewis04a/a13-vector-files/"],
            or $figshare
        )
    };
}

const VECTORS: &[KnownFile] = &[
    TOPICS,
    vectors!(
        "lyrl2004_vectors_train.dat.gz",
        40_000_000,
        "https://ndownloader.figshare.com/files/5976057",
        "5468f656d0ba7a83afc7ad44841cf9a53048a5c083eedc005dcdb5cc768924ae"
    ),
    vectors!(
        "lyrl2004_vectors_test_pt0.dat.gz",
        250_000_000,
        "https://ndownloader.figshare.com/files/5976069",
        "ed40f7e418d10484091b059703eeb95ae3199fe042891dcec4be6696b9968374"
    ),
    vectors!(
        "lyrl2004_vectors_test_pt1.dat.gz",
        250_000_000,
        "https://ndownloader.figshare.com/files/5976066",
        "87700668ae45d45d5ca1ef6ae9bd81ab0f5ec88cc95dcef9ae7838f727a13aa6"
    ),
    vectors!(
        "lyrl2004_vectors_test_pt2.dat.gz",
        250_000_000,
        "https://ndownloader.figshare.com/files/5976063",
        "48143ac703cbe33299f7ae9f4995db49a258690f60e5debbff8995c34841c7f5"
    ),
    vectors!(
        "lyrl2004_vectors_test_pt3.dat.gz",
        250_000_000,
        "https://ndownloader.figshare.com/files/5976060",
        "dfcb0d658311481523c6e6ca0c3f5a3e1d3d12cde5d7a8ce629a9006ec7dbb39"
    ),
];
