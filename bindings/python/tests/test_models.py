"""What a fitted estimator answers."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from conftest import ESTIMATORS, small
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
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


@pytest.mark.parametrize(
    ("queries", "n_neighbors", "error", "message"),
    [
        (None, -1, ValueError, r"Expected n_neighbors > 0\. Got -1"),
        (5, 0, ValueError, r"Expected n_neighbors > 0\. Got 0"),
        (5, 2.5, TypeError, "n_neighbors does not take <class 'float'> value, enter integer value"),
        (5, "many", TypeError, "n_neighbors does not take <class 'str'> value"),
        (5, True, TypeError, "n_neighbors does not take <class 'bool'> value"),
        (None, 300, ValueError, "Expected n_neighbors < n_samples_fit, but n_neighbors = 300, n_samples_fit = 300"),
        (5, 301, ValueError, "Expected n_neighbors <= n_samples_fit, but n_neighbors = 301.*n_samples = 5"),
    ],
)
def test_neighbours_that_cannot_be_are_refused_as_scikit_learn_does(queries, n_neighbors, error, message, digits):
    rows, _ = digits
    model = small("KMeans", random_state=0).fit(rows)
    with pytest.raises(error, match=message):
        model.kneighbors(rows[:queries] if queries else None, n_neighbors)


def test_as_many_neighbours_as_there_are_can_be_asked_for(digits):
    rows, _ = digits
    model = small("KMeans", random_state=0).fit(rows)
    assert model.kneighbors(rows[:5], 300)[1].shape == (5, 300)
    assert model.kneighbors(n_neighbors=np.int64(299), return_distance=False).shape == (300, 299)


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
    with pytest.raises(ValueError, match=r"there is no cluster 1\.5"):
        model.sample(1, cluster=1.5)
    for none in (0, True, 2.5):
        with pytest.raises(ValueError, match=f"n_samples must be a whole number from 1 to .*, got {none}"):
            model.sample(none)


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
        ({"covariance_type": np.array(["full", "diag"])}, "must be one of 'full', 'diag'"),
        ({"tol": "small"}, "'tol' parameter of GaussianMixture must be a finite number"),
        ({"reg_covar": float("nan")}, "'reg_covar' parameter of GaussianMixture must be a finite number"),
        ({"n_init": 2**40}, "'n_init' parameter of GaussianMixture must be a whole number from 1 to"),
        ({"n_jobs": "all"}, "'n_jobs' parameter of GaussianMixture must be an instance of 'int' or None"),
    ],
)
def test_a_wrong_parameter_of_a_mixture_is_named(params, message, digits):
    with pytest.raises(ValueError, match=message):
        small("GaussianMixture", **params).fit(digits[0][:30])


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
@pytest.mark.parametrize("shift", [1e8, -1e10])
def test_a_mixture_does_not_mind_how_far_from_zero_rows_lie(covariance_type, shift):
    rows, truth = make_blobs(300, centers=3, n_features=4, cluster_std=0.7, random_state=1)
    near, far = (
        small("GaussianMixture", covariance_type=covariance_type, random_state=0).fit(rows + s) for s in (0.0, shift)
    )
    assert adjusted_rand_score(truth, far.labels_) == 1.0
    assert np.array_equal(far.predict(rows + shift), near.labels_)
    assert far.score(rows + shift) == pytest.approx(near.score(rows), abs=1e-4)
    assert far.means_ - shift == pytest.approx(near.means_, abs=1e-4)
    assert far.covariances_ == pytest.approx(near.covariances_, abs=1e-4)
    copy = pickle.loads(pickle.dumps(far))
    assert np.array_equal(copy.score_samples(rows + shift), far.score_samples(rows + shift))
    drawn, components = far.sample(3000)
    assert drawn[components == 0].mean(axis=0) - shift == pytest.approx(near.means_[0], abs=0.15)


def test_what_single_precision_cannot_hold_is_refused_by_a_mixture():
    rows, _ = make_blobs(50, random_state=0)
    for model in (small("GaussianMixture"), small("GaussianMixture").fit(rows)):
        with pytest.raises(ValueError, match=r"Input X contains infinity or a value too large for dtype\('float32'\)"):
            model.fit(rows * 1e300)
    with pytest.raises(ValueError, match="too large for dtype"):
        model.predict(rows * 1e300)


def test_a_mixture_that_has_not_come_to_rest_warns_as_that_of_scikit_learn(digits):
    rows, _ = digits
    told = []
    for mixture in (small("GaussianMixture", max_iter=1, random_state=0), TheirMixture(3, max_iter=1, random_state=0)):
        with pytest.warns(ConvergenceWarning) as warned:
            mixture.fit(rows)
        told.append(str(warned[0].message))
    assert told[0] == told[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert small("GaussianMixture", random_state=0).fit(rows).converged_


def test_a_mixture_that_fails_leaves_the_earlier_one(digits):
    rows, _ = digits
    model = small("GaussianMixture", random_state=0).fit(rows)
    before = model.predict(rows)
    for wrong in (rows[:2, :5], rows[:, :5] * 1e300):
        with pytest.raises(ValueError, match=r"n_samples|too large"):
            model.fit(wrong)
        assert model.n_features_in_ == 64
        assert np.array_equal(model.predict(rows), before)
