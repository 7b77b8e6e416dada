//! The methods of both sides: what they are called, and with what settings they are run.

/// A method that somebody else has written.
pub(super) struct Rival {
    /// As `rivals.py` knows it.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) settings: &'static str,
    /// Whether it is for texts alone.
    pub(super) texts: bool,
}

/// All of them, in the order of the page.
pub(super) const RIVALS: &[Rival] = &[
    Rival { name: "sk-kmeans", title: "K-means (scikit-learn)", settings: "ten starts", texts: false },
    Rival {
        name: "lsa-kmeans",
        title: "LSA + K-means",
        settings: "texts only: TruncatedSVD with 100 dimensions, rows of length 1, then K-means with ten starts",
        texts: true,
    },
    Rival {
        name: "umap-mixture",
        title: "UMAP + mixture",
        settings: "10 dimensions, 15 neighbours, min_dist 0, cosine for texts; then a Gaussian mixture",
        texts: false,
    },
    Rival {
        name: "umap-hdbscan",
        title: "UMAP + HDBSCAN",
        settings: "the same UMAP; min_samples 10 and min_cluster_size 10, or 500 in 70,000 rows where that is more, \
                   as in the documentation of UMAP; K is not given",
        texts: false,
    },
    Rival {
        name: "leiden",
        title: "Leiden",
        settings: "the graph of the 15 nearest neighbours (cosine for texts), RBConfigurationVertexPartition, the \
                   resolution that gives K by bisection",
        texts: false,
    },
    Rival {
        name: "evoc",
        title: "EVōC",
        settings: "its defaults, and the layer that it calls labels_; of texts the 100 dimensions of LSA, as it is \
                   made for embeddings; K is not given",
        texts: false,
    },
];

/// Ours: what a run is recorded as, its title, and what `lpvdn fit` is told.
pub(super) const OURS: [(&str, &str, &[&str]); 9] = [
    ("kmeans", "K-means", &["--method", "kmeans"]),
    ("graph", "quick", &["--effort", "quick"]),
    ("graph-leiden", "Leiden (ours)", &["--effort", "quick", "--partition", "leiden"]),
    ("ae-kmeans", "AE + K-means", &["--method", "ae-kmeans"]),
    ("vae-kmeans", "VAE + K-means", &["--method", "vae-kmeans"]),
    ("dec", "DEC", &["--method", "dec"]),
    ("clustergan", "ClusterGAN", &["--method", "clustergan"]),
    ("vade", "VaDE", &["--method", "vade"]),
    ("lpvdn", "LPVDN", &["--method", "lpvdn"]),
];

/// What `lpvdn fit` is told for one of ours.
pub(super) fn arguments_of(name: &str) -> &'static [&'static str] {
    OURS.iter().find(|(known, ..)| *known == name).map_or(&[], |(_, _, arguments)| arguments)
}

/// The names of one side, for a message.
pub(super) fn names(ours: bool) -> Vec<&'static str> {
    if ours { OURS.map(|(name, ..)| name).to_vec() } else { RIVALS.iter().map(|rival| rival.name).collect() }
}
