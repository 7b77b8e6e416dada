"""How good a clustering is.

The first five compare clusters with known classes, and none of them depends on how either is called. The last three
look at the rows alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lpvdn import _lpvdn

__all__ = [
    "adjusted_mutual_info",
    "adjusted_rand",
    "calinski_harabasz",
    "clustering_accuracy",
    "davies_bouldin",
    "normalized_mutual_info",
    "purity",
    "silhouette",
    "silhouette_samples",
]


def clustering_accuracy(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """The share of rows in the class that their cluster is matched with, by the best one-to-one matching."""
    return _external(labels_true, labels_pred)[0]


def purity(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """The share of rows in the largest class of their cluster. It grows with the number of clusters."""
    return _external(labels_true, labels_pred)[1]


def normalized_mutual_info(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """NMI: mutual information over the mean of both entropies."""
    return _rounded(_external(labels_true, labels_pred)[2])


def adjusted_rand(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """ARI: the share of pairs of rows on which both agree, adjusted for chance."""
    return _external(labels_true, labels_pred)[3]


def adjusted_mutual_info(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """AMI: mutual information, adjusted for chance."""
    return _rounded(_external(labels_true, labels_pred)[4])


def silhouette_samples(X: ArrayLike, labels: ArrayLike) -> NDArray[np.float64]:
    """For each row how much nearer its own cluster is than the next one, from −1 to 1."""
    return _lpvdn.silhouettes(*_rows_and_labels(X, labels))


def silhouette(X: ArrayLike, labels: ArrayLike) -> float:
    """The mean of :func:`silhouette_samples`."""
    return float(silhouette_samples(X, labels).mean())


def calinski_harabasz(X: ArrayLike, labels: ArrayLike) -> float:
    """Dispersion between clusters over that within them; higher is better."""
    return _lpvdn.internal_scores(*_rows_and_labels(X, labels))[0]


def davies_bouldin(X: ArrayLike, labels: ArrayLike) -> float:
    """The mean likeness of a cluster with the one most like it; lower is better."""
    return _lpvdn.internal_scores(*_rows_and_labels(X, labels))[1]


def _external(labels_true: ArrayLike, labels_pred: ArrayLike) -> tuple[float, float, float, float, float]:
    truth, clusters = _codes(labels_true, "labels_true"), _codes(labels_pred, "labels_pred")
    if len(truth) != len(clusters):
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"labels_true has {len(truth)}, labels_pred {len(clusters)}"
        )
    return _lpvdn.external_scores(truth, clusters)


def _rounded(score: float) -> float:
    """Exactly 1 where both are the same: sums of logarithms end a few bits beside it."""
    return 1.0 if abs(score - 1.0) < 1e-12 else score


def _codes(labels: ArrayLike, name: str) -> NDArray[np.uint32]:
    """Whatever the labels are called, numbered from 0."""
    array: NDArray[Any] = np.asarray(labels)
    if array.ndim != 1:
        raise ValueError(f"{name} must be 1D, got an array of shape {array.shape}")
    return np.unique(array, return_inverse=True)[1].astype(np.uint32)


def _rows_and_labels(X: ArrayLike, labels: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    rows = _dense(X)
    codes = _codes(labels, "labels")
    if rows.ndim != 2:
        raise ValueError(f"Expected 2D array, got {rows.ndim}D array instead")
    if len(rows) != len(codes):
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {len(rows)}, labels {len(codes)}"
        )
    return _centred(rows), codes


def _dense(X: ArrayLike) -> NDArray[np.float64]:
    # NumPy would make an array of one object of a sparse matrix. SciPy is not loaded to tell one.
    if hasattr(X, "toarray"):
        raise ValueError(
            "Sparse data was passed, but dense data is required. Use '.toarray()' to convert to a dense numpy array."
        )
    return np.asarray(X, dtype=np.float64)


def _centred(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    """No score depends on where zero is, but single precision does: far from it, it holds no differences of rows."""
    middle = rows.mean(axis=0) if len(rows) else 0.0
    return (rows - middle).astype(np.float32)
