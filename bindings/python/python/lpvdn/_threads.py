"""How many threads a call takes."""

from __future__ import annotations

import os
from functools import cache
from numbers import Integral
from typing import Any

from lpvdn._settings import refuse


def threads_of(estimator: Any) -> int:
    """Those of ``n_jobs`` as scikit-learn understands it, but never more than one a core, for they would only wait.

    ``None`` is what the libraries of the process may take: one thread a core, or fewer inside
    ``threadpoolctl.threadpool_limits`` and in the workers of joblib, which are limited so too.
    """
    n_jobs = estimator.n_jobs
    if n_jobs is None:
        return min([cores(), *_limits()])
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool):
        raise refuse(type(estimator).__name__, "n_jobs", "an instance of 'int' or None", n_jobs)
    wanted = int(n_jobs)
    if wanted == 0:
        raise ValueError("n_jobs == 0 has no meaning; use None, -1 or the number of threads")
    if wanted < 0:
        wanted += cores() + 1
    return min(max(1, wanted), cores())


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
