"""The compiled part of the package. Its words are those of the library; users meet the estimators instead."""

import os
from collections.abc import Callable
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Fitted",
    "Model",
    "__version__",
    "external_scores",
    "fit",
    "internal_scores",
    "mixture_densities",
    "mixture_fit",
    "neighbors",
    "silhouettes",
]

__version__: str

# A 2-D array of float32, float64 or uint8, or the parts (data, indices, indptr, columns) of sparse rows.
_Rows: TypeAlias = NDArray[Any] | tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]

@final
class Fitted:
    @property
    def model(self) -> Model: ...
    @property
    def labels(self) -> NDArray[np.int32]: ...
    @property
    def embedding(self) -> NDArray[np.float32]: ...
    @property
    def history(self) -> str: ...
    @property
    def quality(self) -> str: ...
    @property
    def choice(self) -> str | None: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def effective_clusters(self) -> float: ...
    @property
    def seconds(self) -> float: ...

@final
class Model:
    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model: ...
    @staticmethod
    def from_bytes(content: bytes) -> Model: ...
    def to_bytes(self) -> bytes: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def with_reading(self, reading: str) -> Model: ...
    def describe(self) -> str: ...
    def predict(self, rows: _Rows, threads: int) -> NDArray[np.int32]: ...
    def predict_proba(self, rows: _Rows, threads: int) -> NDArray[np.float32]: ...
    def transform(self, rows: _Rows, threads: int, latent: bool = False) -> NDArray[np.float32]: ...
    def responsibilities(self, rows: _Rows, threads: int) -> NDArray[np.float32]: ...
    def score_rows(self, rows: _Rows, threads: int) -> NDArray[np.float64]: ...
    def decode(self, latent: NDArray[np.float32], threads: int) -> NDArray[np.float32]: ...
    def explore(self, rows: _Rows, path: str | os.PathLike[str], facts: str, threads: int) -> Model: ...
    def sample(self, cluster: int, rows: int, seed: int, threads: int) -> NDArray[np.float32]: ...
    def centers(self) -> NDArray[np.float32] | NDArray[np.float64]: ...

def fit(
    settings: str,
    rows: _Rows,
    threads: int = 0,
    observer: Callable[[str], object] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    columns: list[str] | None = None,
) -> Fitted: ...
def mixture_fit(
    rows: NDArray[np.float32],
    components: int,
    full: bool,
    n_init: int,
    max_iter: int,
    tol: float,
    reg_covar: float,
    seed: int,
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], int, bool, float]: ...
def mixture_densities(
    rows: NDArray[np.float32],
    weights: NDArray[np.float64],
    means: NDArray[np.float64],
    covariances: NDArray[np.float64],
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def external_scores(
    truth: NDArray[np.uint32], clusters: NDArray[np.uint32]
) -> tuple[float, float, float, float, float]: ...
def internal_scores(rows: NDArray[np.float32], labels: NDArray[np.uint32]) -> tuple[float, float]: ...
def silhouettes(rows: NDArray[np.float32], labels: NDArray[np.uint32]) -> NDArray[np.float64]: ...
def neighbors(
    points: NDArray[np.float32],
    queries: NDArray[np.float32] | None,
    count: int,
    threads: int = 0,
) -> tuple[NDArray[np.float32], NDArray[np.int64]]: ...
