"""The rows of the benchmarks: MNIST from its four IDX files, or scikit-learn's digits for a form of seconds."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

# What stands in the place of the folder for the short form.
SMOKE = "--smoke"


def images(folder: str) -> NDArray[Any]:
    """All 70,000, a row of bytes each; or 500 digits of 64 pixels."""
    if folder == SMOKE:
        return (load_digits().data[:500] * 255 / 16).astype(np.uint8)
    parts = [
        gzip.decompress((Path(folder) / f"{part}-images-idx3-ubyte.gz").read_bytes()) for part in ("train", "t10k")
    ]
    return np.concatenate([np.frombuffer(part, np.uint8, offset=16).reshape(-1, 784) for part in parts])
