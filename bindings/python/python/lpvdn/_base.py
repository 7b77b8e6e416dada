"""What all estimators with a model of the library have in common."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_array, check_is_fitted

from lpvdn import _frame, _input, _lpvdn, _names, _settings
from lpvdn._progress import Progress
from lpvdn._restore import unchanged_on_failure
from lpvdn._seeds import seed_of
from lpvdn._showing import Showing
from lpvdn._threads import threads_of
from lpvdn._verdict import Verdict, stability_of, warn_of
from lpvdn._warm import Warm

# What a fit that was stopped leaves for the next one.
WARM = ("_warm", "_kept_seed")
# What is known of the columns of a frame.
FRAME_ATTRIBUTES = ("value_names_", "missing_counts_", "columns_left_out_")


def read_model(path: str | os.PathLike[str]) -> _lpvdn.Model:
    """A model from its file, or from the output folder of the program, which has one."""
    inside = os.path.join(path, "model.safetensors")
    return _lpvdn.Model.load(inside if os.path.isfile(inside) else path)


class ModelEstimator(Showing, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Fits a model of the library, and asks it.

    A class below says its method, names its parameters, and adds what only its models can do.
    """

    _method: ClassVar[str]

    n_clusters: Any
    random_state: Any
    n_jobs: Any
    verbose: Any
    missing: Any
    kinds: Any
    weights: Any
    verdict: Any
    cluster_centers_: NDArray[Any]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit a model to the rows of X.

        The interpreter is released meanwhile. Ctrl-C stops the fit after its step, and leaves the estimator as it was
        before; with ``warm_start=True`` the next fit of the same rows goes on where this one was stopped.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows. ``float32``, ``float64`` and ``uint8`` are read where they lie, of whatever strides; everything
            else becomes ``float32`` first, or ``float64`` where that is needed for its digits. Double precision is
            centred before it is rounded, so values far from zero are told apart. The columns of a data frame (pandas,
            polars, pyarrow) may also hold strings, categories, booleans, dates and vectors: they become the values that
            the program ``lpvdn`` makes of them, named in ``value_names_``. Columns that say nothing about their rows,
            such as ids, are left out with a warning. A missing value is an error unless ``missing`` says otherwise.
        y : ignored
            Here for scikit-learn.

        Returns
        -------
        self
        """
        self._fit(X)
        return self

    def _fit(self, X: Any) -> Any:
        """Fits, and gives the rows as they were checked. Where that fails, the estimator is as it was before."""
        # A word that is wrong is told of before anything is trained.
        _ = self._gives_latent
        with unchanged_on_failure(self, but=WARM):
            _settings.check_manners(type(self).__name__, self.get_params(deep=False))
            rows = _input.checked(self, X, reset=True, least=2)
            told: list[str] = []
            self._take(self._run(rows, told), rows, told)
            if rows.dtype != np.float64:
                self.cluster_centers_ = self.cluster_centers_.astype(np.float32, copy=False)
        return rows

    def _run(self, rows: Any, told: list[str]) -> _lpvdn.Fitted:
        """Fits a model; what the fit warns of meanwhile is added to ``told``."""
        params = self.get_params(deep=False)
        seed = self._seed(params)
        settings = _settings.written(type(self).__name__, self._method, params, rows.shape[0], seed)
        store: Any = params.get("store")
        warm = self._warmth(params)
        if warm is not None:
            store = store or warm.store
        progress = Progress() if self.verbose else None
        observer = _observer([_keeper(told), *([progress] if progress else []), *self._callbacks(params)])
        try:
            fitted = _lpvdn.fit(
                settings,
                _input.native(rows),
                threads_of(self),
                observer,
                None if warm is None else warm.checkpoint,
                None if store is None else os.fspath(store),
                None if isinstance(rows, _frame.FrameRows) else _names.known(getattr(self, "feature_names_in_", None)),
                self.verdict == "auto",
            )
        finally:
            if progress:
                progress.end()
        if warm is not None:
            warm.forget_state()
        return fitted

    def _warmth(self, params: dict[str, Any]) -> Warm | None:
        if not params.get("warm_start"):
            self.__dict__.pop("_warm", None)
            return None
        warm: Warm = self.__dict__.setdefault("_warm", Warm())
        return warm

    def _seed(self, params: dict[str, Any]) -> int:
        """With ``warm_start`` a seed that was drawn is kept: with another one there would be nothing to share."""
        if not params.get("warm_start"):
            self.__dict__.pop("_kept_seed", None)
            return seed_of(self.random_state)
        random_state, seed = self.__dict__.get("_kept_seed", (None, None))
        if seed is None or random_state is not self.random_state:
            seed = seed_of(self.random_state)
            self._kept_seed = (self.random_state, seed)
        return int(seed)

    def _callbacks(self, params: dict[str, Any]) -> list[Callable[[dict[str, Any]], object]]:
        callbacks = params.get("callbacks")
        if callbacks is None:
            return []
        if not isinstance(callbacks, list | tuple) or not all(map(callable, callbacks)):
            raise _settings.refuse(type(self).__name__, "callbacks", "a list of callables or None", callbacks)
        return list(callbacks)

    def _take(self, fitted: _lpvdn.Fitted, rows: Any, told: list[str]) -> None:
        reading = self._reading_of(rows)
        self._adopt(fitted.model if reading is None else fitted.model.with_reading(reading))
        self.labels_ = fitted.labels
        self.embedding_ = fitted.embedding
        self.history_ = json.loads(fitted.history)
        self.quality_ = json.loads(fitted.quality)
        self.effective_clusters_ = fitted.effective_clusters
        self.fit_seconds_ = fitted.seconds
        self._take_verdict(None if fitted.verdict is None else Verdict.read(fitted.verdict))
        self.__dict__.pop("search_", None)
        if fitted.choice is not None:
            self.search_ = json.loads(fitted.choice)
        for warning in fitted.warnings:
            warnings.warn(warning, ConvergenceWarning, stacklevel=4)
        # What is not about the model: a folder that cannot be written to, a candidate that failed.
        for warning in dict.fromkeys(told):
            if warning not in fitted.warnings:
                warnings.warn(warning, UserWarning, stacklevel=4)
        if self.verdict_ is not None:
            warn_of(self.verdict_, stacklevel=4)

    def _take_verdict(self, verdict: Verdict | None) -> None:
        self.verdict_ = verdict
        self.stability_ = stability_of(verdict, self.n_clusters_)

    def _reading_of(self, rows: Any) -> str | None:
        """How the rows were made, as JSON for the model file; what is known of the columns of a frame is kept."""
        for name in FRAME_ATTRIBUTES:
            self.__dict__.pop(name, None)
        if not isinstance(rows, _frame.FrameRows):
            names = getattr(self, "feature_names_in_", None)
            if names is not None:
                self.value_names_, self.missing_counts_, self.columns_left_out_ = names, {}, []
            return _names.written(names, rows)
        native = rows.native
        self.value_names_ = np.asarray(native.names, dtype=object)
        self.missing_counts_ = dict(native.missing)
        self.columns_left_out_ = list(native.left_out)
        for note in native.notes:
            warnings.warn(note, UserWarning, stacklevel=5)
        return native.reading

    def _adopt(self, model: _lpvdn.Model) -> None:
        described = json.loads(model.describe())
        self.model_ = model
        self.n_clusters_ = described["clusters"]
        self.cluster_centers_ = model.centers()
        self._code_size = described["code_size"]
        self._divides_rows = described["divides_rows"]
        self._latent_size = described["settings"].get("latent-dim", self._code_size)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return _input.checked(self, X, reset=False)

    def predict(self, X: Any) -> NDArray[np.int32]:
        """The cluster of each row. A row's cluster does not depend on the rows beside it."""
        rows = self._checked(X)
        return self.model_.predict(_input.native(rows), threads_of(self))

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """The probability of each cluster for each row, by the model's own measure; the most probable is the label."""
        rows = self._checked(X)
        return _input.like(self.model_.predict_proba(_input.native(rows), threads_of(self)), rows)

    def transform(self, X: Any) -> NDArray[Any]:
        """The codes of rows: what the model has learnt of them."""
        rows = self._checked(X)
        codes = self.model_.transform(_input.native(rows), threads_of(self), self._gives_latent)
        return _input.like(codes, rows)

    def fit_transform(self, X: Any, y: Any = None) -> NDArray[Any]:
        """Fit a model, and give the codes of its rows."""
        rows = self._fit(X)
        if self._gives_latent or self._divides_rows:
            latent = self._gives_latent
            return _input.like(self.model_.transform(_input.native(rows), threads_of(self), latent), rows)
        return _input.like(self.embedding_.copy(), rows)

    @property
    def _gives_latent(self) -> bool:
        """Whether ``transform`` gives latent means that are not the codes that decide."""
        return False

    def _decoded(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self)
        latent = check_array(X, dtype=[np.float32, np.float64])
        decoded = self.model_.decode(latent.astype(np.float32, copy=False), threads_of(self))
        return _input.like(decoded, latent)

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """How well the model knows each row; higher is better.

        Of LPVDN, VaDE and VAEKMeans the evidence lower bound of the scaled row, in nats. The others have no
        probabilities of rows: there it is the squared distance of the code to the nearest centre, with a minus.
        """
        rows = self._checked(X)
        return self.model_.score_rows(_input.native(rows), threads_of(self))

    def score(self, X: Any, y: Any = None) -> float:
        """The mean of :meth:`score_samples`. It does not compare models of another K or ``scale``."""
        return float(self.score_samples(X).mean())

    def kneighbors(
        self, X: Any = None, n_neighbors: int = 5, return_distance: bool = True
    ) -> NDArray[np.int64] | tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The training rows whose codes are nearest to those of each row.

        Parameters
        ----------
        X : array-like, optional
            Rows; without them the training rows themselves, none of which is its own neighbour.
        n_neighbors : int
        return_distance : bool

        Returns
        -------
        distances : array of shape (n_queries, n_neighbors), if asked for
        indices : array of shape (n_queries, n_neighbors)
        """
        check_is_fitted(self)
        if not hasattr(self, "embedding_"):
            raise AttributeError("a model from a file does not know its training rows; fit one to search among them")
        _check_whole(n_neighbors)
        codes = None
        if X is not None:
            rows = self._checked(X)
            codes = self.model_.codes(_input.native(rows), threads_of(self))
        _check_enough(n_neighbors, len(self.embedding_), None if codes is None else len(codes))
        found = _lpvdn.neighbors(self.embedding_, codes, int(n_neighbors), threads_of(self))
        return found if return_distance else found[1]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, the same as that of the program ``lpvdn``. It knows the names of columns."""
        check_is_fitted(self)
        self.model_.save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model file. The estimator has the model's parameters: a fit of the same rows gives it again.

        A file does not know which columns of a frame were left out by ``kinds``.
        """
        model = read_model(path)
        described = json.loads(model.describe())
        if described["method"] != cls._method:
            raise ValueError(
                f"{os.fspath(path)} holds a model of {described['method']}, not of {cls._method}; lpvdn.load reads any"
            )
        return cls._of(model, described)

    @classmethod
    def _of(cls, model: _lpvdn.Model, described: dict[str, Any]) -> Self:
        for notice in described["notices"]:
            warnings.warn(f"{notice}; saved again, it has one", UserWarning, stacklevel=3)
        estimator = cls(**_settings.read(cls._get_param_names(), described))
        estimator.n_features_in_ = described["columns"]
        names = _names.read(described)
        if names is not None:
            estimator.feature_names_in_ = names
        estimator._adopt_columns(described["reading"])
        estimator._adopt(model)
        # A model file has no verdict: that is about the training rows.
        estimator._take_verdict(None)
        return estimator

    def _adopt_columns(self, reading: Mapping[str, Any] | None) -> None:
        """What a model file says about the columns of the table that its rows were made of."""
        table = _frame.table_in(reading)
        if table is None:
            return
        names = _frame.names_of(table)
        self.set_params(**_frame.said_in(table))
        if _frame.needs_frame(table) or (names is not None and table["width"] != len(table["columns"])):
            self._reading = table
            self.n_features_in_ = len(table["columns"])
            self.value_names_ = np.asarray(_lpvdn.value_names(json.dumps(table)), dtype=object)
        if names is not None and _frame.needs_frame(table):
            self.feature_names_in_ = np.asarray(names, dtype=object)

    @property
    def _n_features_out(self) -> int:
        return int(self._latent_size if self._gives_latent else self._code_size)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_warm"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing not in (None, "error")
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        # Whoever has probabilities of classes is asked of how many; these are of clusters.
        tags.classifier_tags = ClassifierTags(multi_class=True)
        return tags


class Decoding(ModelEstimator):
    """An estimator whose models make rows of their codes."""

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Rows from latent vectors, through the decoder."""
        return self._decoded(X)


class Sampling(ModelEstimator):
    """An estimator whose models make new rows."""

    def sample(
        self, n_samples: int = 1, cluster: int | None = None, random_state: Any = None
    ) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """New rows.

        Parameters
        ----------
        n_samples : int
        cluster : int, optional
            Of this cluster; without it each row is of one drawn by chance, all alike.
        random_state : int or generator, optional
            That of the estimator if it is not given.

        Returns
        -------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            The cluster each was drawn from.
        """
        check_is_fitted(self)
        n_samples = _settings.at_least_one("n_samples", n_samples)
        if cluster is not None and not self._has_cluster(cluster):
            raise ValueError(f"there is no cluster {cluster!r}: the model has {self.n_clusters_}, numbered from 0")
        seed = seed_of(self.random_state if random_state is None else random_state)
        drawn = np.random.default_rng(seed).integers(self.n_clusters_, size=n_samples)
        clusters = np.sort(drawn) if cluster is None else np.full(n_samples, cluster)
        parts = [
            self.model_.sample(int(k), int(count), seed, threads_of(self))
            for k, count in zip(*np.unique(clusters, return_counts=True), strict=True)
        ]
        return np.concatenate(parts), clusters.astype(np.int32)

    def _has_cluster(self, cluster: Any) -> bool:
        is_whole = isinstance(cluster, Integral) and not isinstance(cluster, bool)
        return is_whole and 0 <= int(cluster) < self.n_clusters_


def _check_whole(n_neighbors: Any) -> None:
    if not isinstance(n_neighbors, Integral) or isinstance(n_neighbors, bool):
        raise TypeError(f"n_neighbors does not take {type(n_neighbors)} value, enter integer value")
    if n_neighbors <= 0:
        raise ValueError(f"Expected n_neighbors > 0. Got {n_neighbors}")


def _check_enough(n_neighbors: int, fitted: int, queries: int | None) -> None:
    """A training row is not its own neighbour."""
    wanted, most = (
        ("n_neighbors < n_samples_fit", fitted - 1) if queries is None else ("n_neighbors <= n_samples_fit", fitted)
    )
    if n_neighbors > most:
        raise ValueError(
            f"Expected {wanted}, but n_neighbors = {n_neighbors}, n_samples_fit = {fitted}, "
            f"n_samples = {fitted if queries is None else queries}"
        )


def _keeper(told: list[str]) -> Callable[[dict[str, Any]], object]:
    """A callback that keeps warnings; not those of candidates, which are compared and left behind."""

    def keep(event: dict[str, Any]) -> None:
        if event["event"] == "warning":
            told.append(str(event["message"]))
        if event["event"] == "view" and event["unknown_line"]:
            told.append(f"values are {event['unknown_line']}")

    return keep


def _observer(callbacks: list[Callable[[dict[str, Any]], object]]) -> Callable[[str], None]:
    def observe(event: str) -> None:
        happened = json.loads(event)
        for callback in callbacks:
            callback(happened)

    return observe
