//! The methods by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A way to cluster rows: LPVDN, those it is compared with in the paper, and the neighbour graph alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Method {
    /// K-means of the scaled rows.
    #[serde(rename = "kmeans")]
    KMeans,
    /// Communities of the neighbour graph, or another partition of the rows if that is better.
    #[serde(rename = "graph")]
    Graph,
    /// K-means of the codes of a plain autoencoder.
    #[serde(rename = "ae-kmeans")]
    AutoencoderKMeans,
    /// K-means of the codes of a variational autoencoder.
    #[serde(rename = "vae-kmeans")]
    VariationalKMeans,
    /// Deep embedded clustering (Xie, Girshick and Farhadi 2016).
    #[serde(rename = "dec")]
    Dec,
    /// A generative adversarial network with clusters in its latent space (Mukherjee et al. 2019).
    #[serde(rename = "clustergan")]
    ClusterGan,
    /// Variational deep embedding (Jiang et al. 2017): L_G alone.
    #[serde(rename = "vade")]
    Vade,
    /// The Locality Preserving Variational Discriminative Network (Luo et al. 2021).
    #[default]
    #[serde(rename = "lpvdn")]
    Lpvdn,
}

impl Method {
    /// Those of the paper, in the order of its tables.
    pub const PAPER: [Method; 7] = [
        Method::KMeans,
        Method::AutoencoderKMeans,
        Method::VariationalKMeans,
        Method::Dec,
        Method::ClusterGan,
        Method::Vade,
        Method::Lpvdn,
    ];

    /// All of them, in the order of tables.
    pub const ALL: [Method; 8] = [
        Method::KMeans,
        Method::Graph,
        Method::AutoencoderKMeans,
        Method::VariationalKMeans,
        Method::Dec,
        Method::ClusterGan,
        Method::Vade,
        Method::Lpvdn,
    ];

    /// Its name in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Method::KMeans => "kmeans",
            Method::Graph => "graph",
            Method::AutoencoderKMeans => "ae-kmeans",
            Method::VariationalKMeans => "vae-kmeans",
            Method::Dec => "dec",
            Method::ClusterGan => "clustergan",
            Method::Vade => "vade",
            Method::Lpvdn => "lpvdn",
        }
    }

    /// Its name in tables.
    pub fn title(self) -> &'static str {
        match self {
            Method::KMeans => "K-means",
            Method::Graph => "Neighbour graph",
            Method::AutoencoderKMeans => "AE + K-means",
            Method::VariationalKMeans => "VAE + K-means",
            Method::Dec => "DEC",
            Method::ClusterGan => "ClusterGAN",
            Method::Vade => "VaDE",
            Method::Lpvdn => "LPVDN",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(name: &str) -> Result<Method, String> {
        let known = || Method::ALL.map(Method::name).join(", ");
        let found = Method::ALL.into_iter().find(|method| method.name() == name);
        found.ok_or_else(|| format!("there is no method {name:?}; there are {}", known()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_found_by_its_name_and_written_by_it() {
        for method in Method::ALL {
            assert_eq!(method.name().parse(), Ok(method));
            assert_eq!(serde_json::to_string(&method).expect("text"), format!("\"{method}\""));
        }
        assert!("k-means".parse::<Method>().expect_err("unknown").contains("ae-kmeans"));
    }
}
