"""Writes the sets that need no download: those inside scikit-learn, and generated ones.

usage: make_sets.py FOLDER

Each is a .csv.gz whose last column is `label`, the same bytes each time, so that both sides read the same file.
"""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import numpy as np
from sklearn import datasets


def blobs() -> tuple[np.ndarray, np.ndarray]:
    """Six round clusters of very unequal size, far apart."""
    random = np.random.default_rng(16)
    sizes = [3000, 1200, 400, 150, 60, 30]
    centres = random.normal(0, 10, (len(sizes), 16))
    return _around(random, centres, sizes, 1.0)


def topics() -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors around fifteen topics of unequal size, as embeddings of texts are."""
    random = np.random.default_rng(15)
    sizes = [round(800 * 0.8**rank) for rank in range(15)]
    centres = random.normal(0, 1, (len(sizes), 64))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    rows, truth = _around(random, centres, sizes, 0.16)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True), truth


def outliers() -> tuple[np.ndarray, np.ndarray]:
    """Five round clusters, two in a hundred rows of which lie anywhere around them."""
    random = np.random.default_rng(5)
    sizes = [800, 500, 400, 200, 100]
    centres = random.normal(0, 6, (len(sizes), 10))
    rows, truth = _around(random, centres, sizes, 1.0)
    stray = random.random(len(rows)) < 0.02
    rows[stray] += random.normal(0, 25, (stray.sum(), rows.shape[1]))
    return rows, truth


def _around(random: np.random.Generator, centres: np.ndarray, sizes: list[int], deviation: float):
    """Rows around centres, in an order that says nothing of their class."""
    truth = random.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return centres[truth] + random.normal(0, deviation, (len(truth), centres.shape[1])), truth


SETS = {
    "iris": lambda: datasets.load_iris(return_X_y=True),
    "sklearn-wine": lambda: datasets.load_wine(return_X_y=True),
    "sklearn-cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
    "blobs": blobs,
    "topics": topics,
    "outliers": outliers,
}


def write(path: Path, rows: np.ndarray, truth: np.ndarray) -> None:
    """The file appears whole or not at all."""
    text = io.StringIO()
    text.write(",".join([*(f"x{i}" for i in range(rows.shape[1])), "label"]) + "\n")
    for row, label in zip(rows, truth, strict=True):
        text.write(",".join([*(f"{value:.6g}" for value in row), str(label)]) + "\n")
    part = path.with_suffix(".part")
    part.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))
    part.rename(path)


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in SETS.items():
        path = folder / f"{name}.csv.gz"
        if not path.exists():
            write(path, *make())


if __name__ == "__main__":
    main()
