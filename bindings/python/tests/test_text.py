"""Texts."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from conftest import small
from lpvdn import TextLPVDN
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


def test_what_is_no_text_is_refused():
    with pytest.raises(ValueError, match="string object received"):
        TextLPVDN().fit("one text")
    with pytest.raises(ValueError, match=r"text 1 \(counted from 0\) is nan"):
        TextLPVDN().fit(["a", float("nan")])
