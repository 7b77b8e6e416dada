"""ACC, NMI and ARI of clusters against the true classes, by scikit-learn and SciPy."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

# The program and this file add the same numbers in another order.
TOLERANCE = 1e-9


def scores(truth: np.ndarray, clusters: np.ndarray) -> dict[str, float]:
    """All three. Rows that a method calls noise (-1) are one cluster more."""
    counts = contingency_matrix(truth, clusters)
    matched = counts[linear_sum_assignment(counts, maximize=True)].sum()
    return {
        "acc": float(matched / len(truth)),
        "nmi": float(normalized_mutual_info_score(truth, clusters)),
        "ari": float(adjusted_rand_score(truth, clusters)),
    }


def check(folder: Path) -> None:
    """Whether metrics.json says of labels.csv, both written by `lpvdn fit`, what this file says of it."""
    with open(folder / "labels.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    ours = scores(np.array([row["label"] for row in rows]), np.array([int(row["cluster"]) for row in rows]))
    stated = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    for name, value in ours.items():
        if abs(value - stated[name]) > TOLERANCE:
            raise SystemExit(f"{name} of labels.csv is {value}, and metrics.json says {stated[name]}")
