"""Gaussian mixtures of rows."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from lpvdn import _input, _lpvdn
from lpvdn._restore import unchanged_on_failure
from lpvdn._seeds import seed_of
from lpvdn._settings import AT_LEAST_ONE, NUMBER, at_least_one, check, word
from lpvdn._threads import threads_of

KINDS = {
    "n_components": AT_LEAST_ONE,
    "covariance_type": word("full", "diag"),
    "tol": NUMBER,
    "reg_covar": NUMBER,
    "max_iter": AT_LEAST_ONE,
    "n_init": AT_LEAST_ONE,
}

# As scikit-learn says it.
UNFINISHED = (
    "Best performing initialization did not converge. Try different init parameters, or increase max_iter, tol, or "
    "check for degenerate data."
)


class GaussianMixture(ClusterMixin, BaseEstimator):
    """A Gaussian mixture of the rows as they are, by expectation–maximisation in double precision.

    What rows differ by from the mean of the training rows counts, in single precision: rows may lie as far from zero as
    they like, but not a million times farther from each other than the components are wide.

    It has scikit-learn's parameters. The program ``lpvdn`` has no such method, so there is no model file: pickle it.

    Parameters
    ----------
    n_components : int, default=1
        Components of the mixture, each a cluster.
    covariance_type : {"full", "diag"}, default="full"
        A whole matrix for each component, or a variance for each column.
    tol : float, default=1e-3
        It comes to rest where the mean log-likelihood of a row changes by less.
    reg_covar : float, default=1e-6
        Added to every variance.
    max_iter : int, default=100
        Iterations of one start, at most.
    n_init : int, default=1
        Starts, each from K-means; the highest likelihood wins.
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int, optional
        Threads, never more than one a core. The result does not depend on them.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    weights_ : array of shape (n_components,)
    means_ : array of shape (n_components, n_features)
    covariances_ : array of shape (n_components, n_features, n_features), or (n_components, n_features) with "diag"
    n_iter_ : int
    converged_ : bool
    lower_bound_ : float
        The mean log-likelihood of a training row.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.
    """

    def __init__(
        self,
        n_components: int = 1,
        *,
        covariance_type: str = "full",
        tol: float = 1e-3,
        reg_covar: float = 1e-6,
        max_iter: int = 100,
        n_init: int = 1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit a mixture to the rows of X.

        Ctrl-C stops the fit, and leaves the estimator as it was before.
        """
        self._check_params()
        with unchanged_on_failure(self):
            self._fit(self._checked(X, reset=True))
            if not self.converged_:
                warnings.warn(UNFINISHED, ConvergenceWarning, stacklevel=2)
        return self

    def _fit(self, rows: NDArray[Any]) -> None:
        if len(rows) < self.n_components:
            raise ValueError(
                f"Expected n_samples >= n_components but got n_components = {self.n_components}, "
                f"n_samples = {len(rows)}"
            )
        self._center = rows.mean(axis=0, dtype=np.float64)
        centred = self._centred(rows)
        found = _lpvdn.mixture_fit(
            centred,
            int(self.n_components),
            self.covariance_type == "full",
            int(self.n_init),
            int(self.max_iter),
            float(self.tol),
            float(self.reg_covar),
            seed_of(self.random_state),
            threads_of(self),
        )
        self.weights_, means, self.covariances_ = found[:3]
        self.means_ = means + self._center
        self.n_iter_, self.converged_, self.lower_bound_ = found[3:]
        self.labels_ = self._densities(centred)[0].argmax(axis=1).astype(np.int32)

    def _check_params(self) -> None:
        for name, kind in KINDS.items():
            check(type(self).__name__, name, kind, getattr(self, name))

    def _checked(self, X: Any, *, reset: bool) -> NDArray[Any]:
        least = 2 if reset else 1
        rows: NDArray[Any] = validate_data(
            self, _input.table(X), reset=reset, dtype=[np.float64, np.float32], ensure_min_samples=least
        )
        return rows

    def _centred(self, rows: NDArray[Any]) -> NDArray[np.float32]:
        """Rows around the middle of the training rows: single precision is enough for what lies there, however far
        from zero that is."""
        centred = np.empty(rows.shape, dtype=np.float32)
        with np.errstate(over="ignore"):
            np.subtract(rows, self._center, out=centred, dtype=np.float64, casting="same_kind")
        if not np.isfinite(centred).all():
            raise ValueError("Input X contains infinity or a value too large for dtype('float32').")
        return centred

    def _densities(self, centred: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        parts = (self.weights_, self.means_ - self._center, self.covariances_)
        return _lpvdn.mixture_densities(centred, *parts, threads_of(self))

    def _asked(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        check_is_fitted(self)
        return self._densities(self._centred(self._checked(X, reset=False)))

    def predict(self, X: Any) -> NDArray[np.int32]:
        """The component with the largest share in each row."""
        labels: NDArray[np.int32] = self._asked(X)[0].argmax(axis=1).astype(np.int32)
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of each component in each row."""
        shares: NDArray[np.float64] = np.exp(self._asked(X)[0])
        return shares

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """The log-likelihood of each row."""
        return self._asked(X)[1]

    def score(self, X: Any, y: Any = None) -> float:
        """The mean of :meth:`score_samples`."""
        return float(self.score_samples(X).mean())

    def _free_parameters(self) -> int:
        k, d = self.means_.shape
        covariance = d * (d + 1) // 2 if self.covariances_.ndim == 3 else d
        return int(k * (d + covariance) + k - 1)

    def bic(self, X: Any) -> float:
        """The Bayesian information criterion; lower is better."""
        logs = self.score_samples(X)
        return float(-2 * logs.sum() + self._free_parameters() * np.log(len(logs)))

    def aic(self, X: Any) -> float:
        """Akaike's information criterion; lower is better."""
        return float(-2 * self.score_samples(X).sum() + 2 * self._free_parameters())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """New rows, and the component of each."""
        check_is_fitted(self)
        n_samples = at_least_one("n_samples", n_samples)
        random = np.random.default_rng(seed_of(self.random_state if random_state is None else random_state))
        shares = self.weights_ / self.weights_.sum()
        components = np.sort(random.choice(len(shares), size=n_samples, p=shares))
        rows = np.empty((n_samples, self.means_.shape[1]))
        for k, (mean, covariance) in enumerate(zip(self.means_, self.covariances_, strict=True)):
            chosen = components == k
            noise = random.standard_normal((int(chosen.sum()), len(mean)))
            spread = noise @ np.linalg.cholesky(covariance).T if covariance.ndim == 2 else noise * covariance**0.5
            rows[chosen] = mean + spread
        return rows, components
