"""Texts."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest
from conftest import small
from lpvdn import TextLPVDN
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer

ANIMALS = ["the cat sat on the mat", "a cat and a dog", "the dog chased the cat", "a dog on a mat"]
MONEY = ["stocks fell today", "the market rose and stocks fell", "a market of stocks", "today the market fell"]


@pytest.fixture(scope="module")
def model():
    estimator = small("LPVDN", pretrain_epochs=60, epochs=20)
    return TextLPVDN(2, estimator=estimator, random_state=0).fit((ANIMALS + MONEY) * 8)


def test_texts_about_the_same_are_together_and_their_words_are_told(model):
    labels = model.predict(ANIMALS + MONEY)
    assert len(set(labels[:4])) == len(set(labels[4:])) == 1
    assert labels[0] != labels[4]
    words = model.top_words(3)
    assert {"cat", "dog"} <= set(words[labels[0]])
    assert {"market", "stocks"} <= set(words[labels[4]])
    with pytest.raises(ValueError, match=r"n_words must be a whole number from 1 to .*, got -1"):
        model.top_words(-1)


def test_it_answers_as_its_parts_do(model):
    rows = model.vectorizer_.transform(ANIMALS)
    assert np.array_equal(model.transform(ANIMALS), model.estimator_.transform(rows))
    assert model.predict_proba(ANIMALS).shape == (4, 2)
    assert model.score(ANIMALS) == model.estimator_.score(rows)
    assert len(model.get_feature_names_out()) == 10
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(MONEY), model.predict(MONEY))


def test_parts_can_be_chosen():
    model = TextLPVDN(2, vectorizer=CountVectorizer(), estimator=small("KMeans"), random_state=0)
    assert model.fit_predict((ANIMALS + MONEY) * 8).shape == (64,)


def test_it_has_what_its_estimator_has_found(model):
    found = [name for name in vars(model.estimator_) if name.endswith("_")]
    assert {"labels_", "n_clusters_", "history_", "quality_", "cluster_centers_", "n_features_in_"} <= set(found)
    for name in found:
        assert getattr(model, name) is getattr(model.estimator_, name), name
    for name in ("no_such_", "_private", "layers", "save"):
        assert not hasattr(model, name), name
    for name in found:
        assert not hasattr(TextLPVDN(2), name), name
    for copied in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert copied.n_clusters_ == 2


def test_it_has_the_methods_of_its_estimator_for_texts(model):
    rows = model.vectorizer_.transform(ANIMALS)
    assert np.array_equal(model.score_samples(ANIMALS), model.estimator_.score_samples(rows))
    assert np.array_equal(model.responsibilities(ANIMALS), model.estimator_.responsibilities(rows))
    assert np.array_equal(model.kneighbors(ANIMALS, 3)[1], model.estimator_.kneighbors(rows, 3)[1])
    assert np.array_equal(model.kneighbors(n_neighbors=2)[1], model.estimator_.kneighbors(n_neighbors=2)[1])
    assert model.sample(3)[0].shape == (3, model.n_features_in_)
    assert not hasattr(TextLPVDN(2, estimator=small("KMeans")), "responsibilities")
    assert hasattr(TextLPVDN(2), "responsibilities")


@pytest.mark.parametrize("method", ["predict", "predict_proba", "transform", "score", "score_samples", "kneighbors"])
def test_without_a_fit_it_says_so(method):
    with pytest.raises(NotFittedError, match="This TextLPVDN instance is not fitted yet"):
        getattr(TextLPVDN(2), method)(ANIMALS)


def test_a_page_warns_of_nothing_and_leaves_the_estimator_alone(model, tmp_path):
    before = dict(vars(model.estimator_))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.explore((ANIMALS + MONEY) * 8, tmp_path / "texts.html", show=False)
    assert vars(model.estimator_).keys() == before.keys()


def frames(library):
    columns = {"text": ANIMALS, "other": MONEY}
    return columns if library == "dict" else pytest.importorskip(library).DataFrame(columns)


@pytest.mark.parametrize("library", ["pandas", "polars", "dict"])
def test_a_whole_frame_is_refused_and_its_column_taken(library, model):
    frame = frames(library)
    for method in (TextLPVDN(2).fit, model.predict):
        with pytest.raises(ValueError, match=r"give one column of texts, as df\['text'\]"):
            method(frame)
    assert np.array_equal(model.predict(frame["text"]), model.predict(ANIMALS))


def test_no_texts_are_told_as_such():
    with pytest.raises(ValueError, match="there are no texts"):
        TextLPVDN().fit([])
    with pytest.raises(ValueError, match="Iterable over raw text documents expected, None received"):
        TextLPVDN().fit(None)


def test_what_is_not_given_is_as_the_estimator_has_it():
    texts = (ANIMALS + MONEY) * 8
    inner = small("KMeans", n_clusters=3, random_state=7)
    as_inner = TextLPVDN(estimator=inner).fit(texts).estimator_
    assert (as_inner.n_clusters, as_inner.random_state) == (3, 7)
    as_outer = TextLPVDN(2, estimator=inner, random_state=1).fit(texts).estimator_
    assert (as_outer.n_clusters, as_outer.random_state) == (2, 1)
    assert (inner.n_clusters, inner.random_state) == (3, 7)
    assert clone(TextLPVDN(estimator=inner)).get_params(deep=False)["n_clusters"] is None
    assert TextLPVDN()._to_fit().n_clusters == 8


def test_what_is_no_text_is_refused():
    with pytest.raises(ValueError, match="string object received"):
        TextLPVDN().fit("one text")
    with pytest.raises(ValueError, match=r"text 1 \(counted from 0\) is nan"):
        TextLPVDN().fit(["a", float("nan")])


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("the price of oil has risen and the cat sat on the roof of the house", True),
        ("De man was in de tuin en de hond is in het huis over de brug of in de boot", False),
        ("O preço do petróleo subiu um terço desde o início do ano e a maioria dos países", False),
        ("the of and to you me them", False),
    ],
)
def test_common_words_are_left_out_of_english_texts_only(text, english):
    from lpvdn import KMeans

    others = ("the", "of", "and to", "me") if "them" in text else ("rood", "groen", "blauw", "wit")
    texts = [f"{text} {word}" for word in others] * 5
    model = TextLPVDN(2, estimator=KMeans(), random_state=0).fit(texts)
    assert (model.vectorizer_.stop_words == "english") is english
