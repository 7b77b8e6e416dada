"""What the files of other programs hold, and how a file is described: the writers are in `foreign_*.py`.

Every file holds a few of the rows below, so that one model for each of them is enough to check what the program reads:
its codes of a row are the distances to more centres than there are columns, and differ when any value differs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

WIDTH = 6
COLUMNS = [f"column {i}" for i in range(WIDTH)]

_random = np.random.default_rng(20)
_whole = _random.integers(0, 100, (60, WIDTH))
# Every column has a value in the last row, so that sparse formats know of it.
_whole[-1] = np.arange(1, WIDTH + 1)
_bits = _random.integers(0, 2, (60, WIDTH))
_bits[-1] = 1

# Quarters are exact in every type of float, and short as text.
ROWS: dict[str, np.ndarray[Any, Any]] = {
    "quarters": (_whole / 4).astype(np.float32),
    "whole": _whole.astype(np.float32),
    "signed": (_whole - 50).astype(np.float32),
    "bits": _bits.astype(np.float32),
    "sparse": np.where(_bits == 1, _whole, 0).astype(np.float32),
    # More than one page of Parquet.
    "wide": _random.normal(size=(1000, 384)).astype(np.float32),
    # 50 MB.
    "large": _random.normal(size=(33_000, 384)).astype(np.float32),
}
ROWS["sparse"][-1] = np.arange(1, WIDTH + 1)
# A model of a table with holes fills them in, wherever they are.
ROWS["holes"] = np.where(_random.random((60, WIDTH)) < 0.2, np.nan, ROWS["quarters"])
_half = np.triu(_whole[:WIDTH])
ROWS["symmetric"] = (_half + np.triu(_half, 1).T).astype(np.float32)
ROWS["skew"] = (np.triu(_half, 1) - np.triu(_half, 1).T).astype(np.float32)


@dataclass(frozen=True)
class File:
    """A file that another program writes."""

    name: str
    # Writes it to a path.
    write: Callable[[Path], None]
    # Which of the rows it holds, and how many of them.
    rows: str = "quarters"
    count: int | None = None
    # What the program must be told.
    options: tuple[str, ...] = ()
    # A word of the refusal, where the program does not read it by intention.
    refusal: str | None = None
