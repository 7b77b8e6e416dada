"""Model files of whatever method."""

from __future__ import annotations

import json
import os

from lpvdn import _lpvdn
from lpvdn._base import ModelEstimator
from lpvdn._clustergan import ClusterGAN
from lpvdn._encoders import DEC, AutoencoderKMeans, VAEKMeans
from lpvdn._kmeans import KMeans
from lpvdn._networks import LPVDN, VaDE

ESTIMATORS: dict[str, type[ModelEstimator]] = {
    estimator._method: estimator for estimator in (LPVDN, VaDE, DEC, ClusterGAN, AutoencoderKMeans, VAEKMeans, KMeans)
}


def load(path: str | os.PathLike[str]) -> ModelEstimator:
    """Read a model file, of the program ``lpvdn`` or of ``save``, as the estimator of its method.

    It predicts and transforms as where it was fitted. What is known of training rows only (``labels_``, ``embedding_``)
    is not in the file.
    """
    model = _lpvdn.Model.load(path)
    described = json.loads(model.describe())
    return ESTIMATORS[described["method"]]._of(model, described)
