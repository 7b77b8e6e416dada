"""What the tests share: small networks, few epochs, few rows."""

from __future__ import annotations

import os

# Before SciPy is loaded: without it, scikit-learn leaves one of its checks out.
os.environ["SCIPY_ARRAY_API"] = "1"

import numpy as np
import pytest
from lpvdn import (
    DEC,
    LPVDN,
    AutoencoderKMeans,
    ClusterGAN,
    GaussianMixture,
    KMeans,
    VaDE,
    VAEKMeans,
)
from sklearn.datasets import load_digits

# As many clusters as scikit-learn's check of sparse rows has classes: it counts the columns of predict_proba.
SMALL = {"n_clusters": 4, "layers": (16,), "n_init": 2}

# An estimator of each method that is fitted in milliseconds.
ESTIMATORS = {
    "LPVDN": lambda **given: LPVDN(
        **{**SMALL, "pretrain_epochs": 5, "epochs": 5, "settle_epochs": 2, "mixture_starts": 2,
           "locality_layers": (16,), "discriminator_layers": (8,), "lr": 5e-3, **given}
    ),
    "VaDE": lambda **given: VaDE(**{**SMALL, "pretrain_epochs": 5, "epochs": 5, "mixture_starts": 2, **given}),
    "DEC": lambda **given: DEC(**{**SMALL, "pretrain_epochs": 5, "steps": 10, "interval": 5, **given}),
    "ClusterGAN": lambda **given: ClusterGAN(
        **{**SMALL, "noise_dim": 4, "steps": 10, "critic_steps": 2, "batch_size": 16, "pretrain_epochs": 1,
           **given}
    ),
    "AutoencoderKMeans": lambda **given: AutoencoderKMeans(**{**SMALL, "pretrain_epochs": 5, **given}),
    "VAEKMeans": lambda **given: VAEKMeans(**{**SMALL, "epochs": 5, **given}),
    "KMeans": lambda **given: KMeans(**{"n_clusters": 4, "n_init": 2, **given}),
}  # fmt: skip

ALL = [*ESTIMATORS, "GaussianMixture"]


def small(name: str, **given):
    """An estimator of this name that is fitted in milliseconds."""
    if name == "GaussianMixture":
        return GaussianMixture(**{"n_components": 3, **given})
    return ESTIMATORS[name](**given)


@pytest.fixture(scope="session")
def digits() -> tuple[np.ndarray, np.ndarray]:
    """300 digits of 64 pixels, 0 to 16, and their classes."""
    rows, classes = load_digits(return_X_y=True)
    return rows[:300], classes[:300]


def report_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Appends a line to the file that LPVDN_SKIPS names, which `cargo xtask test` lists at its end."""
    file = os.environ.get("LPVDN_SKIPS")
    if file is None or not report.skipped or hasattr(report, "wasxfail"):
        return
    # The place of the skip, and why.
    why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    reason = " ".join(why.removeprefix("Skipped: ").split())
    with open(file, "a", encoding="utf-8") as out:
        out.write(f"SKIPPED: {report.nodeid.replace(': ', ' ')}: {reason}\n")


pytest_runtest_logreport = report_skip
pytest_collectreport = report_skip
