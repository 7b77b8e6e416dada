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
