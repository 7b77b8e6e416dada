"""Texts, by their words."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin, clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils.validation import check_is_fitted

from lpvdn._networks import LPVDN

# As many words as the program and the paper take.
VOCABULARY = 2000


class TextLPVDN(ClusterMixin, TransformerMixin, BaseEstimator):
    """LPVDN of texts: the tf-idf of their most frequent words, clustered, and the words of each cluster.

    It is a pipeline of a vectorizer and an :class:`LPVDN`, and knows the words. There is no model file of it, because a
    file does not know scikit-learn's vectorizer: pickle it.

    Parameters
    ----------
    n_clusters : int, "auto" or (from, to), default=8
        K.
    vectorizer : estimator, optional
        What makes rows of texts; the tf-idf of the 2,000 most frequent words if it is not given.
    estimator : LPVDN or another estimator of this package, optional
        What clusters them; ``LPVDN()`` if it is not given. ``n_clusters`` and ``random_state`` are those given here.
    random_state : int, RandomState, Generator or None, default=None

    Attributes
    ----------
    labels_ : array of shape (n_texts,)
    embedding_ : array of shape (n_texts, output_dim)
    vectorizer_, estimator_
        As they were fitted.

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
        n_clusters: int | Literal["auto"] | tuple[int, int] = 8,
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
        vectorizer = TfidfVectorizer(max_features=VOCABULARY) if self.vectorizer is None else clone(self.vectorizer)
        estimator = LPVDN() if self.estimator is None else clone(self.estimator)
        estimator.set_params(n_clusters=self.n_clusters, random_state=self.random_state)
        rows = vectorizer.fit_transform(texts)
        estimator.fit(rows)
        self.vectorizer_, self.estimator_ = vectorizer, estimator
        self.labels_, self.embedding_ = estimator.labels_, estimator.embedding_
        self._words = _words(rows, estimator.labels_, estimator.n_clusters_)
        return self

    def _rows(self, X: Iterable[str]) -> Any:
        check_is_fitted(self)
        return self.vectorizer_.transform(_texts(X))

    def predict(self, X: Iterable[str]) -> NDArray[np.int32]:
        """The cluster of each text."""
        labels: NDArray[np.int32] = self.estimator_.predict(self._rows(X))
        return labels

    def predict_proba(self, X: Iterable[str]) -> NDArray[Any]:
        """The probability of each cluster for each text."""
        probabilities: NDArray[Any] = self.estimator_.predict_proba(self._rows(X))
        return probabilities

    def transform(self, X: Iterable[str]) -> NDArray[Any]:
        """The code of each text."""
        codes: NDArray[Any] = self.estimator_.transform(self._rows(X))
        return codes

    def score(self, X: Iterable[str], y: Any = None) -> float:
        """How well the model knows the texts; see :meth:`LPVDN.score_samples`."""
        return float(self.estimator_.score(self._rows(X)))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of what ``transform`` gives."""
        check_is_fitted(self)
        names: NDArray[Any] = self.estimator_.get_feature_names_out()
        return names

    def top_words(self, n_words: int = 10) -> list[list[str]]:
        """For each cluster the words that set its texts apart: whose mean weight is most above that of all texts."""
        check_is_fitted(self)
        names = self.vectorizer_.get_feature_names_out()
        best = np.argsort(-self._words, axis=1, kind="stable")[:, :n_words]
        return [[str(names[j]) for j in row if weights[j] > 0] for row, weights in zip(best, self._words, strict=True)]

    def explore(self, X: Iterable[str], path: str | os.PathLike[str] = "explore.html", **options: Any) -> str:
        """Write a page on which the clusters of texts are seen, and open it in a browser.

        Options are those of :meth:`LPVDN.explore`: ``y``, ``ids``, ``title``, ``n_axes``, ``max_rows``, ``show``.
        """
        check_is_fitted(self)
        texts = _texts(X)
        # The page names the words.
        self.estimator_.feature_names_in_ = np.asarray(self.vectorizer_.get_feature_names_out(), dtype=object)
        try:
            rows = self.vectorizer_.transform(texts)
            return str(self.estimator_.explore(rows, path, **{"title": "texts", "texts": texts, **options}))
        finally:
            del self.estimator_.feature_names_in_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags


def _texts(X: Iterable[str]) -> list[str]:
    if isinstance(X, str):
        raise ValueError("Iterable over raw text documents expected, string object received.")
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
