"""Metrics, against scikit-learn's where it has them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
import sklearn.metrics as theirs
from lpvdn import metrics


@pytest.fixture
def labellings():
    random = np.random.default_rng(0)
    truth = random.integers(5, size=200)
    return truth, np.where(random.random(200) < 0.3, random.integers(6, size=200), truth)


def test_clusters_are_compared_with_classes_as_in_scikit_learn(labellings):
    truth, found = labellings
    assert metrics.normalized_mutual_info(truth, found) == pytest.approx(
        theirs.normalized_mutual_info_score(truth, found)
    )
    assert metrics.adjusted_rand(truth, found) == pytest.approx(theirs.adjusted_rand_score(truth, found))
    assert metrics.adjusted_mutual_info(truth, found) == pytest.approx(theirs.adjusted_mutual_info_score(truth, found))


def test_rows_alone_are_scored_as_in_scikit_learn(digits):
    rows, classes = digits
    assert metrics.silhouette(rows, classes) == pytest.approx(theirs.silhouette_score(rows, classes), rel=1e-5)
    assert metrics.silhouette_samples(rows, classes) == pytest.approx(
        theirs.silhouette_samples(rows, classes), abs=1e-5
    )
    assert metrics.calinski_harabasz(rows, classes) == pytest.approx(
        theirs.calinski_harabasz_score(rows, classes), rel=1e-5
    )
    assert metrics.davies_bouldin(rows, classes) == pytest.approx(theirs.davies_bouldin_score(rows, classes), rel=1e-5)


@pytest.mark.parametrize("offset", [1e7, 1.7e9])
def test_rows_far_from_zero_are_scored_as_in_scikit_learn(offset, digits):
    # Whole numbers would be exact in single precision up to 2²⁴.
    rows, classes = digits[0] / 7, digits[1]
    far = rows + offset
    # Without the offset: scikit-learn's distances lose digits too.
    assert metrics.silhouette(far, classes) == pytest.approx(theirs.silhouette_score(rows, classes), rel=1e-4)
    assert metrics.davies_bouldin(far, classes) == pytest.approx(theirs.davies_bouldin_score(rows, classes), rel=1e-4)
    wanted = theirs.calinski_harabasz_score(far, classes)
    assert metrics.calinski_harabasz(far, classes) == pytest.approx(wanted, rel=1e-3)


@pytest.mark.parametrize("score", ["silhouette", "calinski_harabasz", "davies_bouldin"])
def test_sparse_rows_are_refused_with_what_to_do(score, digits):
    rows, classes = digits
    with pytest.raises(ValueError, match=r"Sparse data was passed, but dense data is required\. Use '\.toarray\(\)'"):
        getattr(metrics, score)(scipy.sparse.csr_array(rows), classes)


@pytest.mark.parametrize("score", ["normalized_mutual_info", "adjusted_mutual_info"])
def test_the_same_clusters_by_other_names_score_exactly_one(score):
    random = np.random.default_rng(0)
    for clusters in range(2, 40):
        labels = random.integers(clusters, size=500)
        assert getattr(metrics, score)(labels, clusters - labels) == 1.0


def test_accuracy_matches_one_to_one_and_purity_does_not():
    truth = ["a", "a", "b", "b", "b", "c"]
    found = [7, 7, 3, 3, 5, 3]
    assert metrics.clustering_accuracy(truth, found) == pytest.approx(4 / 6)
    assert metrics.purity(truth, found) == pytest.approx(5 / 6)


def test_labels_of_other_numbers_of_rows_are_refused():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        metrics.purity([0, 1], [0])
    with pytest.raises(ValueError, match="must be 1D"):
        metrics.purity([[0, 1]], [0])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        metrics.silhouette(np.ones((3, 2)), [0, 1])
