"""Texts, by their words."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin, clone
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from lpvdn import _page
from lpvdn._networks import LPVDN
from lpvdn._settings import at_least_one

# As many words as the program and the paper take.
VOCABULARY = 2000
# How many texts tell their language, how much of each, and which share of common words is enough: as in the program.
MOST_TEXTS, MOST_WORDS, MOST_LETTERS = 2000, 200, 12_800
FEWEST_WORDS, COMMON_SHARE = 50, 0.15
# Words that related languages do not have, and how many there must be: Dutch shares half of the common words.
OWN_WORDS, OWN_SHARE = frozenset({"the", "and", "with", "that", "this", "from", "for", "to"}), 0.03
# Methods of a fitted estimator that have nothing to do with texts.
WITHOUT_ROWS = frozenset({"inverse_transform", "plot_history", "plot_map", "sample"})


def _vectorizer(english: bool) -> TfidfVectorizer:
    """As the program weighs words: 1 + ln tf instead of tf, and none of the common words of English texts."""
    return TfidfVectorizer(max_features=VOCABULARY, sublinear_tf=True, stop_words="english" if english else None)


def _is_english(texts: list[str]) -> bool:
    """Whether common words of English are enough of all words, in texts at equal distances."""
    analyzed = TfidfVectorizer().build_analyzer()
    some = texts[:: -(-len(texts) // MOST_TEXTS)]
    words = [word for text in some for word in analyzed(text[:MOST_LETTERS])[:MOST_WORDS]]
    common = sum(word in ENGLISH_STOP_WORDS for word in words)
    own = sum(word in OWN_WORDS for word in words)
    english = common >= COMMON_SHARE * len(words) and own >= OWN_SHARE * len(words)
    # Texts of nothing but common words are compared by these.
    return len(words) >= FEWEST_WORDS and common < len(words) and english


def _the_estimator_has(method: str) -> Callable[[Any], bool]:
    """For ``available_if``: whether the estimator, fitted or to be fitted, has such a method."""

    def has(texts: TextLPVDN) -> bool:
        estimator = texts.__dict__.get("estimator_", LPVDN if texts.estimator is None else texts.estimator)
        return hasattr(estimator, method)

    return has


class TextLPVDN(ClusterMixin, TransformerMixin, BaseEstimator):
    """LPVDN of texts: the tf-idf of their most frequent words, clustered, and the words of each cluster.

    It is a pipeline of a vectorizer and an :class:`LPVDN`, and knows the words. There is no model file of it, because a
    file does not know scikit-learn's vectorizer: pickle it.

    Parameters
    ----------
    n_clusters : int, "auto" or (from, to), optional
        K; that of ``estimator`` if it is not given, 8 where there is no estimator.
    vectorizer : estimator, optional
        What makes rows of texts; the tf-idf of the 2,000 most frequent words if it is not given, with 1 + ln tf for
        the tf, and without the common words of English texts unless the recipe is the paper's.
    estimator : LPVDN or another estimator of this package with ``n_clusters``, optional
        What clusters them; ``LPVDN()`` if it is not given.
    random_state : int, RandomState, Generator or None, default=None
        That of ``estimator`` if it is not given.

    Attributes
    ----------
    vectorizer_, estimator_
        As they were fitted.
    labels_, embedding_, n_clusters_, cluster_centers_, history_, quality_, …
        All that ``estimator_`` has, and ``plot_map``, ``plot_history``, ``sample`` and ``inverse_transform`` too; a row
        is a text, a column a word.

    Examples
    --------
    >>> from lpvdn import LPVDN, TextLPVDN
    >>> texts = ["the cat sat", "a cat and a dog", "stocks fell", "the market and its stocks"] * 10
    >>> small = LPVDN(layers=(8,), pretrain_epochs=3, epochs=3)
    >>> model = TextLPVDN(2, estimator=small, random_state=0).fit(texts)
    >>> len(model.top_words(3))
    2
    """

    def __init__(
        self,
        n_clusters: int | Literal["auto"] | tuple[int, int] | None = None,
        *,
        vectorizer: Any = None,
        estimator: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.vectorizer = vectorizer
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: Iterable[str], y: Any = None) -> Self:
        """Fit a model to texts."""
        texts = _texts(X)
        if not texts:
            raise ValueError("there are no texts: Found array with 0 sample(s) while a minimum of 2 is required.")
        estimator = self._to_fit()
        english = getattr(estimator, "recipe", None) != "paper" and _is_english(texts)
        vectorizer = _vectorizer(english) if self.vectorizer is None else clone(self.vectorizer)
        rows = vectorizer.fit_transform(texts)
        estimator.fit(rows)
        self.vectorizer_, self.estimator_ = vectorizer, estimator
        self._words = _words(rows, estimator.labels_, estimator.n_clusters_)
        return self

    def _to_fit(self) -> Any:
        """The estimator with what is given here; what is not stays as the estimator has it."""
        estimator = LPVDN() if self.estimator is None else clone(self.estimator)
        given = {"n_clusters": self.n_clusters, "random_state": self.random_state}
        return estimator.set_params(**{name: value for name, value in given.items() if value is not None})

    def __getattr__(self, name: str) -> Any:
        """What a fit has found (``n_clusters_``, ``history_``), and what needs no texts, are the estimator's."""
        of_the_estimator = name in WITHOUT_ROWS or (name.endswith("_") and not name.startswith("_"))
        if of_the_estimator and "estimator_" in self.__dict__:
            return getattr(self.estimator_, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _rows(self, X: Iterable[str]) -> Any:
        check_is_fitted(self)
        return self.vectorizer_.transform(_texts(X))

    def predict(self, X: Iterable[str]) -> NDArray[np.int32]:
        """The cluster of each text."""
        rows = self._rows(X)
        labels: NDArray[np.int32] = self.estimator_.predict(rows)
        return labels

    def predict_proba(self, X: Iterable[str]) -> NDArray[Any]:
        """The probability of each cluster for each text."""
        rows = self._rows(X)
        probabilities: NDArray[Any] = self.estimator_.predict_proba(rows)
        return probabilities

    def transform(self, X: Iterable[str]) -> NDArray[Any]:
        """The code of each text."""
        rows = self._rows(X)
        codes: NDArray[Any] = self.estimator_.transform(rows)
        return codes

    @available_if(_the_estimator_has("responsibilities"))  # type: ignore[untyped-decorator]
    def responsibilities(self, X: Iterable[str]) -> NDArray[Any]:
        """The share of each component of the mixture prior in each text, where the estimator has such a prior."""
        rows = self._rows(X)
        shares: NDArray[Any] = self.estimator_.responsibilities(rows)
        return shares

    def score_samples(self, X: Iterable[str]) -> NDArray[np.float64]:
        """How well the model knows each text; see :meth:`LPVDN.score_samples`."""
        rows = self._rows(X)
        scores: NDArray[np.float64] = self.estimator_.score_samples(rows)
        return scores

    def score(self, X: Iterable[str], y: Any = None) -> float:
        """The mean of :meth:`score_samples`."""
        return float(self.score_samples(X).mean())

    def kneighbors(self, X: Iterable[str] | None = None, n_neighbors: int = 5, return_distance: bool = True) -> Any:
        """The training texts whose codes are nearest to those of each text; see :meth:`LPVDN.kneighbors`."""
        check_is_fitted(self)
        rows = None if X is None else self._rows(X)
        return self.estimator_.kneighbors(rows, n_neighbors, return_distance)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of what ``transform`` gives."""
        check_is_fitted(self)
        names: NDArray[Any] = self.estimator_.get_feature_names_out()
        return names

    def top_words(self, n_words: int = 10) -> list[list[str]]:
        """For each cluster the words that set its texts apart: whose mean weight is most above that of all texts."""
        check_is_fitted(self)
        names = self.vectorizer_.get_feature_names_out()
        best = np.argsort(-self._words, axis=1, kind="stable")[:, : at_least_one("n_words", n_words)]
        return [[str(names[j]) for j in row if weights[j] > 0] for row, weights in zip(best, self._words, strict=True)]

    def explore(
        self,
        X: Iterable[str],
        path: str | os.PathLike[str] = "explore.html",
        *,
        y: Any = None,
        ids: Any = None,
        title: str = "texts",
        n_axes: Literal[2, 3] | None = None,
        max_rows: int | None = None,
        show: bool = True,
    ) -> str:
        """Write a page on which the clusters of texts are seen, and open it in a browser; see :meth:`LPVDN.explore`."""
        check_is_fitted(self)
        texts = _texts(X)
        return _page.write(
            self.estimator_,
            self.vectorizer_.transform(texts),
            path,
            y=y,
            ids=ids,
            texts=texts,
            image_shape=None,
            title=title,
            n_axes=n_axes,
            max_rows=max_rows,
            show=show,
            columns=self.vectorizer_.get_feature_names_out(),
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags


def _texts(X: Iterable[str]) -> list[str]:
    if isinstance(X, str):
        raise ValueError("Iterable over raw text documents expected, string object received.")
    # The items of these are the names of their columns.
    if isinstance(X, Mapping) or getattr(X, "ndim", 1) > 1 or hasattr(X, "columns"):
        raise ValueError(f"X is a {type(X).__name__}: give one column of texts, as df['text']")
    if not isinstance(X, Iterable):
        raise ValueError(f"Iterable over raw text documents expected, {X!r} received.")
    texts = list(X)
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"text {i} (counted from 0) is {text!r}, not a string")
    return texts


def _words(rows: Any, labels: NDArray[np.int32], clusters: int) -> NDArray[np.float64]:
    """The mean weight of each word in each cluster, less that in all texts."""
    everywhere = np.asarray(rows.mean(axis=0)).ravel()
    within = [np.asarray(rows[labels == k].mean(axis=0)).ravel() if (labels == k).any() else everywhere
              for k in range(clusters)]  # fmt: skip
    return np.asarray(np.asarray(within) - everywhere, dtype=np.float64)
