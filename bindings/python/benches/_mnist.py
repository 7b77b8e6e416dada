"""MNIST from its four IDX files."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def images(folder: str) -> NDArray[Any]:
    """All 70,000, a row of bytes each."""
    parts = [
        gzip.decompress((Path(folder) / f"{part}-images-idx3-ubyte.gz").read_bytes()) for part in ("train", "t10k")
    ]
    return np.concatenate([np.frombuffer(part, np.uint8, offset=16).reshape(-1, 784) for part in parts])
