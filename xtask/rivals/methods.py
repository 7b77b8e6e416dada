"""What a user would pick instead of lpvdn, each with its usual settings.

A method takes encoded rows, the number of clusters and a seed, and gives a cluster for each row; -1 is noise. What is
slow to load is loaded where it is needed, so that K-means needs scikit-learn alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
import scipy.sparse as sp

STARTS = 10
# Dimensions of LSA, as its documentation recommends.
TOPICS = 100
NEIGHBORS = 15
UMAP_DIMENSIONS = 10
# HDBSCAN as the documentation of UMAP uses it: clusters of at least 500 of MNIST's 70,000 rows.
HDBSCAN_SHARE = 500 / 70_000
HDBSCAN_SAMPLES = 10
# Rows of the run that only compiles: more than the 4,096 above which UMAP looks for neighbours in another way.
WARM_UP_ROWS = 5000
# Halvings of the interval that the resolution of Leiden lies in.
HALVINGS = 25


@dataclass
class Job:
    """What a method is run on."""

    rows: np.ndarray | sp.csr_matrix
    clusters: int
    # Whether rows are texts, which are compared by their angle.
    texts: bool
    threads: int

    @property
    def metric(self) -> str:
        return "cosine" if self.texts else "euclidean"


@dataclass
class Rival:
    """A method."""

    run: Callable[[Job, int], np.ndarray]
    # The packages that decide its result.
    packages: tuple[str, ...]
    # Whether its code is compiled when it is first called.
    compiles: bool = False

    @property
    def version(self) -> str:
        return ", ".join(f"{package} {version(package)}" for package in self.packages)

    def warm_up(self, job: Job) -> None:
        """One run that nobody looks at, so that no other is charged for the compiler."""
        if self.compiles:
            self.run(Job(job.rows[:WARM_UP_ROWS], min(job.clusters, 5), job.texts, job.threads), 0)


def k_means(job: Job, seed: int) -> np.ndarray:
    from sklearn.cluster import KMeans

    return KMeans(job.clusters, n_init=STARTS, random_state=seed).fit_predict(job.rows)


def _lsa(job: Job, seed: int) -> np.ndarray:
    """The texts as points on the unit sphere of fewer dimensions."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    # SVD cannot give more dimensions than there are columns.
    dimensions = min(TOPICS, job.rows.shape[1] - 1)
    return normalize(TruncatedSVD(dimensions, random_state=seed).fit_transform(job.rows))


def lsa_k_means(job: Job, seed: int) -> np.ndarray:
    return k_means(Job(_lsa(job, seed), job.clusters, job.texts, job.threads), seed)


def _umap(job: Job) -> np.ndarray:
    """Without a seed, which would make UMAP run on one thread."""
    from umap import UMAP

    settings = {"n_components": UMAP_DIMENSIONS, "n_neighbors": NEIGHBORS, "min_dist": 0.0, "metric": job.metric}
    return UMAP(**settings, n_jobs=job.threads).fit_transform(job.rows)


def umap_mixture(job: Job, seed: int) -> np.ndarray:
    from sklearn.mixture import GaussianMixture

    places = _umap(job).astype(np.float64)
    return GaussianMixture(job.clusters, random_state=seed).fit_predict(places)


def umap_hdbscan(job: Job, seed: int) -> np.ndarray:
    from hdbscan import HDBSCAN

    del seed  # HDBSCAN draws nothing.
    places = _umap(job).astype(np.float64)
    smallest = max(HDBSCAN_SAMPLES, round(HDBSCAN_SHARE * len(places)))
    settings = {"min_cluster_size": smallest, "min_samples": HDBSCAN_SAMPLES}
    return HDBSCAN(**settings, core_dist_n_jobs=job.threads).fit_predict(places)


def leiden(job: Job, seed: int) -> np.ndarray:
    import igraph
    from sklearn.neighbors import kneighbors_graph

    graph = kneighbors_graph(job.rows, NEIGHBORS, metric=job.metric, n_jobs=job.threads)
    first, second = sp.triu(graph.maximum(graph.T), k=1).nonzero()
    graph = igraph.Graph(n=job.rows.shape[0], edges=np.column_stack([first, second]))
    return np.array(_resolved(graph, job.clusters, seed))


def _resolved(graph, clusters: int, seed: int) -> list[int]:
    """The communities at the resolution that gives as many as are asked for, or as near as bisection comes."""
    import leidenalg

    low, high, best = 0.0, 1.0, None
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        # The resolution is in (0, ∞); this covers it evenly around 1.
        partition = leidenalg.find_partition(
            graph,
            leidenalg.RBConfigurationVertexPartition,
            resolution_parameter=middle / (1 - middle),
            seed=seed,
        )
        if best is None or abs(len(partition) - clusters) < abs(len(best) - clusters):
            best = partition
        if len(partition) == clusters:
            break
        low, high = (middle, high) if len(partition) < clusters else (low, middle)
    return best.membership


def evoc(job: Job, seed: int) -> np.ndarray:
    """Made for embeddings: of texts it is given those of LSA. It finds the number of clusters itself.

    Without a seed, as UMAP: with one it takes slower ways that can be repeated.
    """
    from evoc import EVoC

    rows = _lsa(job, seed) if job.texts else job.rows
    return EVoC(n_neighbors=NEIGHBORS).fit_predict(np.ascontiguousarray(rows, dtype=np.float32))


RIVALS = {
    "sk-kmeans": Rival(k_means, ("scikit-learn",)),
    "lsa-kmeans": Rival(lsa_k_means, ("scikit-learn",)),
    "umap-mixture": Rival(umap_mixture, ("umap-learn", "scikit-learn"), compiles=True),
    "umap-hdbscan": Rival(umap_hdbscan, ("umap-learn", "hdbscan"), compiles=True),
    "leiden": Rival(leiden, ("leidenalg", "scikit-learn")),
    "evoc": Rival(evoc, ("evoc",), compiles=True),
}

# Of texts with few neighbours, columns of one value, and the like: a user sees them once.
warnings.filterwarnings("ignore")
