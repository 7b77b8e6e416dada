"""The names of columns in model files: how a table was read, as the program ``lpvdn`` writes and understands it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def known(names: NDArray[Any] | list[str] | None) -> list[str] | None:
    """Names as a file can hold them; nothing where it cannot."""
    if names is None or not all(map(_is_unicode, names)):
        return None
    return [str(name) for name in names]


def written(names: NDArray[Any] | list[str] | None, rows: Any) -> str | None:
    """How a table with columns of these names becomes rows, as JSON; nothing where there are no names."""
    names = known(names)
    if names is None:
        return None
    # The program puts them in the place of missing values, where it is told to; in single precision, as all its values.
    largest = np.finfo(np.float32).max
    means = np.clip(np.asarray(rows.mean(axis=0, dtype=np.float64)).ravel(), -largest, largest).astype(np.float32)
    columns = [
        {"place": place, "name": name, "numbers": {"mean": float(mean)}}
        for place, (name, mean) in enumerate(zip(names, means, strict=True))
    ]
    return json.dumps({"kind": "table", "width": len(columns), "columns": columns, "missing": "error"})


def read(described: Mapping[str, Any]) -> NDArray[Any] | None:
    """The names of a model's columns, where each is one column of numbers of a table with a header.

    Of a table in which a name stands twice there are none, for scikit-learn takes no frame like it.
    """
    reading = described["reading"]
    if reading is None or reading["kind"] != "table":
        return None
    names = [column.get("name") for column in reading.get("columns", []) if "numbers" in column]
    if None in names or len(set(names)) != described["columns"]:
        return None
    return np.asarray(names, dtype=object)


def _is_unicode(name: str) -> bool:
    """Half a pair of surrogates is not, and no file can hold it."""
    return not any("\ud800" <= letter <= "\udfff" for letter in name)
