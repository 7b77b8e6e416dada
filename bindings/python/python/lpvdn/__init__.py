"""Deep clustering as scikit-learn estimators, on a Rust core.

>>> from lpvdn import LPVDN
>>> labels = LPVDN(n_clusters=10, random_state=0).fit_predict(X)  # doctest: +SKIP

Estimators are loaded when they are first used, because scikit-learn takes longer to load than all of this package.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lpvdn import metrics
from lpvdn._lpvdn import __version__
from lpvdn._verdict import NoStructureWarning, UnstableClustersWarning

if TYPE_CHECKING:
    from lpvdn._clustergan import ClusterGAN
    from lpvdn._encoders import DEC, AutoencoderKMeans, VAEKMeans
    from lpvdn._file import load
    from lpvdn._kmeans import KMeans
    from lpvdn._mixture import GaussianMixture
    from lpvdn._networks import LPVDN, VaDE
    from lpvdn._text import TextLPVDN

_WHERE = {
    "LPVDN": "_networks",
    "VaDE": "_networks",
    "DEC": "_encoders",
    "AutoencoderKMeans": "_encoders",
    "VAEKMeans": "_encoders",
    "ClusterGAN": "_clustergan",
    "KMeans": "_kmeans",
    "GaussianMixture": "_mixture",
    "TextLPVDN": "_text",
    "load": "_file",
}

__all__ = [
    "DEC",
    "LPVDN",
    "AutoencoderKMeans",
    "ClusterGAN",
    "GaussianMixture",
    "KMeans",
    "NoStructureWarning",
    "TextLPVDN",
    "UnstableClustersWarning",
    "VAEKMeans",
    "VaDE",
    "__version__",
    "load",
    "metrics",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'lpvdn' has no attribute {name!r}")
    try:
        module = import_module(f"lpvdn.{_WHERE[name]}")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "sklearn":
            raise
        raise ImportError(f"lpvdn.{name} needs scikit-learn: pip install scikit-learn") from error
    found = getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
