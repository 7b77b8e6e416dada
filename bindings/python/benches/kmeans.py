"""K-means against scikit-learn's, alternately in one run: python kmeans.py FOLDER_OF_MNIST|--smoke [ROUNDS]

Ten starts of ten clusters on 70,000 × 784 values from 0 to 1, two threads each. Prints the seconds and the inertia of
every round and the ratio of the medians; below 1 ours is faster.
"""

from __future__ import annotations

import statistics
import sys
import time

import lpvdn
import numpy as np
import sklearn.cluster
from _mnist import images
from threadpoolctl import threadpool_limits

THREADS = 2


def timed(estimator, rows):
    start = time.perf_counter()
    estimator.fit(rows)
    seconds = time.perf_counter() - start
    centers = np.asarray(estimator.cluster_centers_, dtype=np.float64)
    inertia = sum(float(((rows[estimator.labels_ == k] - centers[k]) ** 2).sum(dtype=np.float64)) for k in range(10))
    return seconds, inertia


def main() -> None:
    rows = images(sys.argv[1]).astype(np.float32) / 255
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    theirs, ours = [], []
    for seed in range(1, rounds + 1):
        with threadpool_limits(THREADS):
            theirs.append(timed(sklearn.cluster.KMeans(10, n_init=10, random_state=seed), rows))
        ours.append(timed(lpvdn.KMeans(10, n_init=10, random_state=seed, n_jobs=THREADS, scale="none"), rows))
        for name, (seconds, inertia) in (("scikit-learn", theirs[-1]), ("lpvdn", ours[-1])):
            print(f"seed {seed}: {name} {seconds:.2f} s, inertia {inertia:.0f}", flush=True)
    ratio = statistics.median(s for s, _ in ours) / statistics.median(s for s, _ in theirs)
    best = min(i for _, i in ours) / min(i for _, i in theirs) - 1
    print(f"lpvdn takes {ratio:.2f} of scikit-learn's time; best inertia {100 * best:+.3f} %")


if __name__ == "__main__":
    main()
