"""How well maps of MNIST keep neighbours: ours, t-SNE's (openTSNE) and UMAP's, side by side.

usage: map_quality.py IMAGES.npy LABELS.npy OURS.npy [SECONDS_OF_OURS]

Trustworthiness and k-nearest-neighbour accuracy are measured on the same 10,000 rows drawn by chance; the maps are of all rows.
"""

import sys
import time

import numpy as np
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness
from sklearn.neighbors import KNeighborsClassifier

MEASURED = 10_000
NEIGHBORS = 10


def knn_accuracy(places, labels, rows):
    """Of the chosen rows, by the labels of their nearest others on the whole map."""
    model = KNeighborsClassifier(NEIGHBORS + 1).fit(places, labels)
    near = model.kneighbors(places[rows], return_distance=False)
    votes = [np.bincount(labels[[j for j in line if j != row][:NEIGHBORS]]).argmax() for row, line in zip(rows, near)]
    return float(np.mean(np.asarray(votes) == labels[rows]))


def report(name, places, seconds):
    trust = trustworthiness(pixels[chosen], places[chosen], n_neighbors=NEIGHBORS)
    accuracy = knn_accuracy(places, labels, chosen)
    print(f"| {name} | {trust:.4f} | {accuracy:.4f} | {seconds:.0f} |", flush=True)


pixels = np.load(sys.argv[1]).astype(np.float32)
labels = np.load(sys.argv[2])
ours = np.load(sys.argv[3])
chosen = np.sort(np.random.default_rng(0).choice(len(pixels), MEASURED, replace=False))

print("| map | trustworthiness | 10-NN accuracy | seconds |\n|---|---|---|---|")
report("lpvdn", ours, float(sys.argv[4]) if len(sys.argv) > 4 else float("nan"))

start = time.time()
reduced = PCA(50, random_state=0).fit_transform(pixels)
shared = time.time() - start

import umap  # noqa: E402

start = time.time()
places = umap.UMAP(n_jobs=-1).fit_transform(reduced)
report("UMAP (of 50 principal components)", places, shared + time.time() - start)

from openTSNE import TSNE  # noqa: E402

start = time.time()
places = np.asarray(TSNE(n_jobs=-1, random_state=0).fit(reduced))
report("t-SNE (openTSNE, of 50 principal components)", places, shared + time.time() - start)
