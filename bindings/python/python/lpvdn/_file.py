"""Model files of whatever method."""

from __future__ import annotations

import json
import os

from lpvdn._base import ModelEstimator, read_model
from lpvdn._clustergan import ClusterGAN
from lpvdn._encoders import DEC, AutoencoderKMeans, VAEKMeans
from lpvdn._kmeans import KMeans
from lpvdn._networks import LPVDN, VaDE

ESTIMATORS: dict[str, type[ModelEstimator]] = {
    estimator._method: estimator for estimator in (LPVDN, VaDE, DEC, ClusterGAN, AutoencoderKMeans, VAEKMeans, KMeans)
}


def load(path: str | os.PathLike[str]) -> ModelEstimator:
    """Read a model file, of the program ``lpvdn`` or of ``save``, as the estimator of its method.

    The output folder of ``lpvdn fit`` is as good as the file in it.

    It predicts and transforms as where it was fitted. What is known of training rows only (``labels_``, ``embedding_``)
    is not in the file.
    """
    model = read_model(path)
    described = json.loads(model.describe())
    return ESTIMATORS[described["method"]]._of(model, described)
