"""How many threads a call takes."""

from __future__ import annotations

import os
from functools import cache
from typing import Any


def threads(n_jobs: int | None) -> int:
    """Of ``n_jobs`` as scikit-learn understands it.

    ``None`` is what the libraries of the process may take: one thread a core, or fewer inside
    ``threadpoolctl.threadpool_limits`` and in the workers of joblib, which are limited so too.
    """
    if n_jobs is None:
        return min([cores(), *_limits()])
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning; use None, -1 or the number of threads")
    if n_jobs < 0:
        return max(1, cores() + 1 + n_jobs)
    return n_jobs


def cores() -> int:
    """Those that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _limits() -> list[int]:
    return [pool["num_threads"] for pool in _pools().info() if pool.get("num_threads")]


@cache
def _pools() -> Any:
    """The libraries with threads of their own. To find them takes milliseconds, to ask them does not."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
