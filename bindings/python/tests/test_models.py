"""What a fitted estimator answers."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import ESTIMATORS, small
from sklearn.datasets import make_blobs
from sklearn.mixture import GaussianMixture as TheirMixture


@pytest.fixture(scope="module", params=ESTIMATORS)
def fitted(request, digits):
    return small(request.param, random_state=0).fit(digits[0])


def test_the_most_probable_cluster_is_the_label(fitted, digits):
    probabilities = fitted.predict_proba(digits[0])
    assert probabilities.shape == (300, 4)
    assert probabilities.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(probabilities.argmax(axis=1), fitted.labels_)


def test_the_code_of_a_training_row_is_in_the_embedding(fitted, digits):
    assert np.array_equal(fitted.transform(digits[0].astype(np.float32)), fitted.embedding_)
    assert fitted.transform(digits[0]).dtype == np.float64
    assert fitted.get_feature_names_out().shape == (fitted.embedding_.shape[1],)


def test_neighbours_are_those_of_the_codes(fitted, digits):
    distances, _ = fitted.kneighbors(digits[0][:5], n_neighbors=3)
    assert np.array_equal(distances[:, 0], np.zeros(5))
    codes = fitted.embedding_.astype(np.float64)
    exact = np.sort(((codes[:5, None] - codes) ** 2).sum(axis=2) ** 0.5, axis=1)[:, :3]
    assert distances == pytest.approx(exact, abs=1e-4)
    others = fitted.kneighbors(n_neighbors=3, return_distance=False)
    assert others.shape == (300, 3)
    assert not np.any(others == np.arange(300)[:, None])
    with pytest.raises(ValueError, match="neighbours asked for"):
        fitted.kneighbors(digits[0][:5], n_neighbors=301)


def test_the_score_is_the_mean_over_rows(fitted, digits):
    rows, _ = digits
    scores = fitted.score_samples(rows)
    assert scores.shape == (300,)
    assert fitted.score(rows) == pytest.approx(scores.mean())
    assert np.array_equal(fitted.score_samples(rows[10:20]), scores[10:20])


@pytest.mark.parametrize("name", ["LPVDN", "VaDE", "VAEKMeans"])
def test_rows_like_those_of_the_training_are_more_probable(name, digits):
    rows, _ = digits
    model = small(name, random_state=0, pretrain_epochs=100, epochs=100).fit(rows)
    noise = np.random.default_rng(0).permuted(rows, axis=1)
    assert model.score(rows) > model.score(noise) + 5


@pytest.mark.parametrize("likelihood", ["bernoulli", "gaussian"])
def test_the_evidence_is_below_the_likelihood_of_the_best_reconstruction(likelihood, digits):
    """E[log p(x|z)] − KL ≤ max log p(x|z), which for a Bernoulli is minus the entropy of the pixels."""
    rows = digits[0] / 16
    model = small("VaDE", random_state=0, likelihood=likelihood, scale="none").fit(rows)
    inner = np.clip(rows, 1e-12, 1 - 1e-12)
    best = {
        "bernoulli": (inner * np.log(inner) + (1 - inner) * np.log(1 - inner)).sum(axis=1),
        "gaussian": np.full(300, -0.5 * 64 * np.log(np.pi)),
    }[likelihood]
    assert (model.score_samples(rows) < best).all()


def test_of_k_means_the_score_is_the_distance_to_the_nearest_centre(digits):
    rows, _ = digits
    model = small("KMeans", random_state=0, scale="none").fit(rows)
    distances = ((rows[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    assert model.score_samples(rows) == pytest.approx(-distances.min(axis=1), rel=1e-4)
    assert model.transform(rows) == pytest.approx(distances**0.5, rel=1e-4)


@pytest.mark.parametrize("name", ["VaDE", "DEC", "ClusterGAN", "AutoencoderKMeans", "VAEKMeans"])
def test_codes_are_decoded_to_rows(name, digits):
    rows, _ = digits
    model = small(name, random_state=0).fit(rows)
    decoded = model.inverse_transform(model.transform(rows))
    assert decoded.shape == rows.shape
    assert decoded.min() >= 0
    assert decoded.max() <= 16
    with pytest.raises(ValueError, match="decoding takes latent vectors of"):
        model.inverse_transform(rows)


def test_a_longer_training_decodes_better(digits):
    rows, _ = digits
    short, long = (small("AutoencoderKMeans", random_state=0, pretrain_epochs=n).fit(rows) for n in (5, 500))
    errors = [((m.inverse_transform(m.transform(rows)) - rows) ** 2).mean() for m in (short, long)]
    assert errors[1] < 0.5 * errors[0]


def test_of_lpvdn_latent_means_are_decoded_and_embeddings_are_not(digits):
    rows, _ = digits
    model = small("LPVDN", random_state=0).fit(rows)
    with pytest.raises(AttributeError, match=r"o' cannot be decoded.*space=\"latent\""):
        model.inverse_transform(model.transform(rows))
    model.set_params(space="latent")
    latent = model.transform(rows)
    assert model.inverse_transform(latent).shape == rows.shape
    again = small("LPVDN", random_state=0, space="latent", latent_dim=7)
    assert again.fit_transform(rows).shape == (300, 7)
    assert again.get_feature_names_out().shape == (7,)


def test_responsibilities_are_shares(digits):
    for name in ("LPVDN", "VaDE"):
        model = small(name, random_state=0).fit(digits[0])
        shares = model.responsibilities(digits[0])
        assert shares.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(shares.argmax(axis=1), model.labels_)


@pytest.mark.parametrize("name", ["LPVDN", "VaDE", "ClusterGAN", "AutoencoderKMeans", "VAEKMeans"])
def test_samples_are_rows_of_a_cluster(name, digits):
    model = small(name, random_state=0).fit(digits[0])
    rows, clusters = model.sample(20)
    assert (rows.shape, clusters.shape) == ((20, 64), (20,))
    assert set(clusters) <= set(range(4))
    again, _ = model.sample(20)
    other, _ = model.sample(20, random_state=1)
    assert np.array_equal(rows, again)
    assert not np.array_equal(rows, other)
    _, of_one = model.sample(3, cluster=2)
    assert of_one.tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match="there is no cluster 4"):
        model.sample(1, cluster=4)
    with pytest.raises(ValueError, match="n_samples"):
        model.sample(0)


def test_clusters_that_are_there_are_found():
    rows, truth = make_blobs(300, centers=4, n_features=6, cluster_std=0.5, random_state=2)
    from lpvdn.metrics import adjusted_rand

    for name in ("LPVDN", "KMeans", "AutoencoderKMeans", "DEC", "GaussianMixture"):
        clusters = {"n_components": 4} if name == "GaussianMixture" else {"n_clusters": 4}
        more = {"pretrain_epochs": 50} if name in ("LPVDN", "AutoencoderKMeans", "DEC") else {}
        labels = small(name, random_state=0, **clusters, **more).fit_predict(rows)
        assert adjusted_rand(truth, labels) > 0.9, name


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_a_mixture_is_that_of_scikit_learn(covariance_type):
    rows, _ = make_blobs(300, centers=3, n_features=4, cluster_std=0.7, random_state=1)
    ours = small("GaussianMixture", covariance_type=covariance_type, tol=1e-6, random_state=0).fit(rows)
    theirs = TheirMixture(3, covariance_type=covariance_type, tol=1e-6, random_state=0).fit(rows)
    assert ours.score(rows) == pytest.approx(theirs.score(rows), abs=1e-4)
    assert ours.bic(rows) == pytest.approx(theirs.bic(rows), rel=1e-4)
    assert ours.aic(rows) == pytest.approx(theirs.aic(rows), rel=1e-4)
    order, their_order = ours.means_[:, 0].argsort(), theirs.means_[:, 0].argsort()
    assert ours.means_[order] == pytest.approx(theirs.means_[their_order], abs=1e-3)
    assert ours.covariances_[order] == pytest.approx(theirs.covariances_[their_order], abs=1e-3)
    drawn, components = ours.sample(5000)
    for k in range(3):
        assert drawn[components == k].mean(axis=0) == pytest.approx(ours.means_[k], abs=0.15)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_components": 0}, "'n_components' parameter of GaussianMixture"),
        ({"covariance_type": "tied"}, "must be one of 'full', 'diag'"),
        ({"n_components": 31}, "n_samples >= n_components"),
        ({"tol": "small"}, "'tol' parameter of GaussianMixture must be a number"),
    ],
)
def test_a_wrong_parameter_of_a_mixture_is_named(params, message, digits):
    with pytest.raises(ValueError, match=message):
        small("GaussianMixture", **params).fit(digits[0][:30])
