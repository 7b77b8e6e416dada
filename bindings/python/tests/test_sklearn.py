"""scikit-learn's own checks, and its tools around the estimators."""

from __future__ import annotations

import joblib
import numpy as np
import pytest
from conftest import ALL, ESTIMATORS, small
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import silhouette_score
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([small(name) for name in ALL])
def test_every_check_of_scikit_learn_passes(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_estimator_is_a_step_of_a_pipeline(name, digits):
    rows, _ = digits
    pipeline = make_pipeline(StandardScaler(), small(name, random_state=0))
    labels = pipeline.fit_predict(rows)
    assert np.array_equal(labels, pipeline.predict(rows))
    assert pipeline.transform(rows).shape == (300, pipeline[-1]._n_features_out)


def test_codes_are_columns_beside_others(digits):
    rows, _ = digits
    codes = small("AutoencoderKMeans", latent_dim=3, random_state=0)
    columns = ColumnTransformer([("codes", clone(codes), slice(0, 32)), ("rest", "passthrough", slice(32, 64))])
    assert columns.fit_transform(rows).shape == (300, 3 + 32)
    union = FeatureUnion([("codes", codes), ("distances", small("KMeans", random_state=0))])
    assert union.fit_transform(rows).shape == (300, 3 + 4)
    assert union.get_feature_names_out()[0] == "codes__autoencoderkmeans0"


def by_silhouette(estimator, X, y=None):
    labels = estimator.predict(X)
    return silhouette_score(X, labels) if len(set(labels)) > 1 else -1.0


@pytest.mark.parametrize("scoring", [None, by_silhouette])
def test_a_grid_is_searched_without_labels(scoring, digits):
    rows, _ = digits
    grid = GridSearchCV(small("KMeans", random_state=0), {"n_clusters": [2, 10]}, scoring=scoring, cv=2)
    grid.fit(rows)
    assert grid.best_params_["n_clusters"] in (2, 10)
    assert np.isfinite(grid.cv_results_["mean_test_score"]).all()


def test_folds_are_scored_in_workers_of_joblib(digits):
    rows, _ = digits
    found = cross_validate(small("VaDE", random_state=0), rows, cv=2, n_jobs=2)
    alone = cross_validate(small("VaDE", random_state=0), rows, cv=2)
    assert np.array_equal(found["test_score"], alone["test_score"])


def labels_of(estimator, rows):
    return estimator.fit_predict(rows)


def test_workers_of_joblib_give_the_same_labels(digits):
    rows, _ = digits
    jobs = [small("LPVDN", random_state=seed) for seed in (0, 1)]
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(labels_of)(job, rows) for job in jobs)
    for labels, job in zip(found, jobs, strict=True):
        assert np.array_equal(labels, clone(job).fit_predict(rows))


def test_texts_are_clustered_behind_a_vectorizer():
    texts = ["the cat sat on the mat", "a cat and a dog", "stocks fell today", "the market fell and stocks rose"] * 10
    pipeline = make_pipeline(TfidfVectorizer(), small("LPVDN", n_clusters=2, random_state=0))
    labels = pipeline.fit_predict(texts)
    assert np.array_equal(labels, pipeline.predict(texts))


def test_output_is_a_frame_where_it_is_asked_for(digits):
    rows, _ = digits
    pandas = pytest.importorskip("pandas")
    codes = small("VaDE", latent_dim=3, random_state=0).set_output(transform="pandas").fit_transform(rows)
    assert isinstance(codes, pandas.DataFrame)
    assert list(codes.columns) == ["vade0", "vade1", "vade2"]
