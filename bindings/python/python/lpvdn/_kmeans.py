"""K-means of the scaled rows: what everything else is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from lpvdn._base import ModelEstimator


class KMeans(ModelEstimator):
    """K-means of the scaled rows.

    Unlike scikit-learn's it scales values as the other methods of this package do (``scale="none"`` leaves them). The
    code of a row, which ``transform`` gives, is its distance to each centre, among scaled rows.

    Parameters
    ----------
    n_clusters : int, default=8
        K.
    n_init : int, optional
        Starts of k-means++; the lowest inertia wins. 10 if not given.
    scale : {"by-type", "auto", "none", "max", "standard", "norm"}, optional
        How values are scaled; by type if not given: numbers are standardised, skewed amounts after a logarithm, sparse
        rows go through a truncated SVD, pixels stay what they are.
    components : int, optional
        Components of the truncated SVD of sparse rows, at most as many as there are rows and columns; a row in eight,
        20 to 100, if not given. Rows that do not go through an SVD have none, and are refused with it.
    missing : {"error", "mean", "median", "most-frequent", "category"}, optional
        What stands for missing values; they are an error if it is not given. ``"category"``: among words, to be missing
        is a category of its own; among numbers, the mean stands for it.
    kinds : mapping of str to {"number", "linear", "log", "category", "date", "boolean", "ignore"}, optional
        What columns of a data frame are to be read as, by their names; recognised if it is not given.
    weights : mapping of str to float, optional
        How much columns of a data frame count, next to the others, which have 1.
    district : int, optional
        Rows that centres are fitted to, at most.
    verdict : {"auto", "none"}, default="auto"
        Whether the clusters are judged after the fit: ``verdict_`` says whether they are more than what data without
        any would give, with a warning where they are not. It does not change the model.
    random_state : int, RandomState, Generator or None, default=None
        A number is the seed of the program ``lpvdn``: it gives the same model.
    n_jobs : int, optional
        Threads, never more than one a core. The result does not depend on them.
    verbose : int or bool, default=0
        Whether progress is shown.
    callbacks : list of callable, optional
        Called with a dict for each event of the fit.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    cluster_centers_ : array of shape (n_clusters, n_features)
        On the scale of the rows.
    embedding_ : array of shape (n_samples, n_clusters)
        The distance of each row to each centre, among scaled values.
    n_clusters_, history_, quality_, effective_clusters_, verdict_, stability_, model_, n_features_in_, \
feature_names_in_
        See :class:`LPVDN`; there is no epoch in ``history_``.
    """

    _method: ClassVar[str] = "kmeans"
    _has_epochs: ClassVar[bool] = False

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int | None = None,
        scale: str | None = None,
        components: int | None = None,
        missing: str | None = None,
        kinds: Mapping[str, str] | None = None,
        weights: Mapping[str, float] | None = None,
        district: int | None = None,
        verdict: str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int | bool = 0,
        callbacks: Sequence[Callable[[dict[str, Any]], object]] | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.scale = scale
        self.components = components
        self.missing = missing
        self.kinds = kinds
        self.weights = weights
        self.district = district
        self.verdict = verdict
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callbacks = callbacks
