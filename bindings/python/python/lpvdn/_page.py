"""The page on which clusters are seen."""

from __future__ import annotations

import json
import os
import webbrowser
from pathlib import Path
from typing import Any

import numpy as np

from lpvdn import _input
from lpvdn._frame import FrameRows
from lpvdn._settings import at_least_one
from lpvdn._threads import threads_of
from lpvdn._verdict import for_the_page

COLOURS = (1, 3)
SNIPPET = 1200


def write(
    estimator: Any,
    X: Any,
    path: str | os.PathLike[str],
    *,
    y: Any,
    ids: Any,
    texts: Any,
    image_shape: tuple[int, ...] | None,
    title: str,
    n_axes: int | None,
    max_rows: int | None,
    show: bool,
    columns: Any = None,
) -> str:
    """What ``explore`` does. Columns are called as the estimator knows them, or as it is said here."""
    rows = estimator._checked(X)
    count = int(rows.shape[0])
    if n_axes not in (None, 2, 3):
        raise ValueError(f"n_axes must be 2 or 3, got {n_axes!r}")
    facts = {
        "title": str(title),
        "axes": n_axes,
        "most_rows": None if max_rows is None else at_least_one("max_rows", max_rows),
        "columns": _columns(_names_of(estimator, rows) if columns is None else columns),
        "labels": _words("y", y, count),
        "ids": _words("ids", ids, count),
        "texts": _snippets(_words("texts", texts, count)),
        "picture": _picture(image_shape, int(rows.shape[1])),
        "history": list(getattr(estimator, "history_", [])),
        "warnings": [],
        "verdict": for_the_page(getattr(estimator, "verdict_", None)),
    }
    place = Path(path).absolute()
    model = estimator.model_.explore(_input.native(rows), place, json.dumps(facts), threads_of(estimator))
    estimator.model_ = model
    if show:
        webbrowser.open(place.as_uri())
    return str(place)


def _names_of(estimator: Any, rows: Any) -> Any:
    return rows.names if isinstance(rows, FrameRows) else getattr(estimator, "feature_names_in_", None)


def _columns(names: Any) -> list[str] | None:
    return None if names is None else [str(name) for name in names]


def _words(name: str, values: Any, count: int) -> list[str] | None:
    if values is None:
        return None
    # What is no text in Unicode, as half a pair of surrogates, is shown as a question mark.
    words = [str(value).encode("utf-8", "replace").decode() for value in np.asarray(values, dtype=object).ravel()]
    if len(words) != count:
        raise ValueError(f"{name} has {len(words)} entries, and there are {count} rows")
    return words


def _snippets(texts: list[str] | None) -> list[str] | None:
    if texts is None:
        return None
    return [text if len(text) <= SNIPPET else text[:SNIPPET] + "…" for text in texts]


def _picture(shape: tuple[int, ...] | None, columns: int) -> tuple[int, int, int] | None:
    if shape is None:
        return None
    sizes = (*shape, 1) if len(shape) == 2 else tuple(shape)
    if len(sizes) != 3 or min(sizes) < 1:
        raise ValueError(f"image_shape must be (height, width) or (height, width, 3), got {shape!r}")
    height, width, colours = sizes
    if colours not in COLOURS or height * width * colours != columns:
        raise ValueError(f"rows of {columns} columns are no pictures of the shape {tuple(shape)}")
    return int(height), int(width), int(colours)
