"""A fit that fails leaves no trace."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def unchanged_on_failure(estimator: Any, *, but: Collection[str] = ()) -> Iterator[None]:
    """Where what is done inside fails, the estimator is as it was before, except for the attributes ``but``."""
    before = dict(estimator.__dict__)
    try:
        yield
    except BaseException:
        kept = {name: value for name, value in estimator.__dict__.items() if name in but}
        estimator.__dict__.clear()
        estimator.__dict__.update(before | kept)
        raise
