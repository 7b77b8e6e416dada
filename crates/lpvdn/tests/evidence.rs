//! What generative models say of rows, and the rows they make: evidence, centres, samples, decoding.

use lpvdn::model::autoencoder::{AutoencoderParams, EncoderModel};
use lpvdn::model::clustergan::ClusterGanParams;
use lpvdn::model::lpvdn::{Assignment, FinalClustering};
use lpvdn::{ClusterModel, Fitted, Lpvdn, LpvdnParams, ModelError, Recipe, Space};
use lpvdn_core::{CsrMatrix, Dataset, Matrix, StreamKey};

/// Three groups of rows, each bright in its own third of 12 columns.
fn groups(rows: usize) -> Matrix<f32> {
    let mut s = StreamKey::new(3, "groups").open();
    Matrix::from_fn(rows, 12, |i, j| {
        let level: f64 = if j / 4 == i % 3 { 0.8 } else { 0.15 };
        (level + 0.08 * s.normal()).clamp(0.0, 1.0) as f32
    })
}

fn small() -> LpvdnParams {
    let (discriminator_layers, locality_layers) = (vec![16], Some(vec![16]));
    LpvdnParams { discriminator_layers, locality_layers, ..Lpvdn::params(3) }
        .seed(5)
        .layers(vec![24])
        .latent_dim(4)
        .batch(60)
        .pretrain_epochs(60)
        .epochs(30)
        .settle_epochs(5)
}

fn encoder(params: AutoencoderParams, data: &Dataset) -> Fitted<EncoderModel> {
    AutoencoderParams { layers: Some(vec![24]), latent_dim: 4, pretrain_epochs: Some(60), ..params }
        .fit(data)
        .expect("a fit")
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn rows_like_those_of_the_training_have_more_evidence() {
    let rows = groups(240);
    // Every row bright in every other column: no row of the training is.
    let strange = Dataset::from(Matrix::from_fn(60, 12, |_, j| if j % 2 == 0 { 0.8 } else { 0.15 }));
    let data = Dataset::from(rows);
    let lpvdn = small().fit(&data).expect("a fit");
    let variational = encoder(AutoencoderParams::variational(Recipe::Robust, 3), &data);
    let of = |data: &Dataset| {
        let by_vae = variational.evidence(data).expect("variational").expect("evidence");
        [mean(&lpvdn.evidence(data).expect("evidence")), mean(&by_vae)]
    };
    let (known, unknown) = (of(&data), of(&strange));
    assert!(known[0] > unknown[0] + 1.0 && known[1] > unknown[1] + 1.0, "{known:?} {unknown:?}");
    let plain = encoder(AutoencoderParams::plain(Recipe::Robust, 3), &data);
    assert!(plain.evidence(&data).is_none());
}

#[test]
fn the_evidence_of_a_row_depends_on_nothing_but_the_row() {
    let rows = groups(1100);
    let some = Dataset::from(Matrix::from_fn(5, 12, |i, j| rows.row(1060 + i)[j]));
    let sparse = Dataset::new("data", CsrMatrix::from_dense(&rows));
    let data = Dataset::from(rows);
    let fitted = small().epochs(2).pretrain_epochs(2).fit(&data).expect("a fit");
    let all = fitted.evidence(&data).expect("evidence");
    assert_eq!(fitted.evidence(&some).expect("evidence"), all[1060..1065]);
    let one_thread = fitted.model.clone().with_threads(1).evidence(&data).expect("evidence");
    assert_eq!(one_thread, all);
    let of_sparse = fitted.evidence(&sparse).expect("evidence");
    assert!(of_sparse.iter().zip(&all).all(|(a, b)| (a - b).abs() < 1e-3 * b.abs()));
}

#[test]
fn centres_lie_in_the_space_of_the_clusters() {
    let data = Dataset::from(groups(240));
    for clustering in [FinalClustering::KMeans, FinalClustering::GaussianMixture, FinalClustering::Graph] {
        let fitted = small().clustering(clustering).fit(&data).expect("a fit");
        let centers = fitted.centers();
        assert_eq!((centers.rows(), centers.cols()), (3, fitted.code_size()), "{clustering:?}");
        assert_eq!(fitted.labels_of(&centers), [0, 1, 2], "{clustering:?}");
    }
    let vade = LpvdnParams { epochs: Some(5), settle_epochs: None, ..small() };
    let vade = vade.alpha0(0.0).alpha1(0.0).fit(&data).expect("a fit");
    assert_eq!((vade.assignment(), vade.centers().cols()), (&Assignment::Prior, 4));
    assert_eq!(vade.assignment().space(), Space::Latent);
}

#[test]
fn samples_of_an_autoencoder_are_of_the_cluster_they_are_drawn_from() {
    let data = Dataset::from(groups(240));
    let fitted = encoder(AutoencoderParams::plain(Recipe::Robust, 3), &data);
    for cluster in 0..3 {
        let made = fitted.sample(cluster, 50, 1).expect("rows");
        let labels = fitted.predict(&Dataset::from(made)).expect("labels");
        let own = labels.iter().filter(|&&label| label as usize == cluster).count();
        assert!(own > 40, "{own} of 50 of cluster {cluster}");
    }
    assert!(matches!(fitted.sample(3, 1, 1), Err(ModelError::NoSuchCluster { cluster: 3, clusters: 3 })));
}

#[test]
fn codes_of_clustergan_go_through_its_generator() {
    let data = Dataset::from(groups(120));
    let params = ClusterGanParams {
        layers: vec![8],
        steps: 5,
        noise_dim: 4,
        pretrain_epochs: Some(1),
        ..ClusterGanParams::new(3)
    };
    let fitted = params.fit(&data).expect("a fit");
    assert_eq!((fitted.centers().rows(), fitted.centers().cols()), (3, 7));
    let rows = fitted.decode(&fitted.embedding).expect("rows");
    assert_eq!((rows.rows(), rows.cols()), (120, 12));
    let wrong = fitted.decode(&Matrix::zeros(1, 6));
    assert!(matches!(wrong, Err(ModelError::LatentSize { found: 6, wanted: 7 })));
}
