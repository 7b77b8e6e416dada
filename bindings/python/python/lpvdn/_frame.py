"""Data frames, whose columns may hold categories, truths, dates, vectors and missing values.

A frame gives the values, and the model, of the Parquet file that it would be saved as. Frames of plain numbers stay
arrays: :mod:`lpvdn._input` reads them where they lie.
"""

from __future__ import annotations

import datetime
import json
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, validate_data

from lpvdn import _lpvdn

# A column as the compiled part takes it: name, how its cells come, the cells, and for values what these are.
Column = tuple[str | None, str, NDArray[Any], list[Any] | None]

DAY = np.timedelta64(86_400_000_000, "us")
# Points in time without a zone are taken for UTC.
EPOCH = datetime.datetime(1970, 1, 1)
# Cells of other types than None that pandas takes for missing.
MISSING_TYPES = frozenset({"NAType", "NaTType"})


class FrameRows:
    """Rows that were made of columns."""

    def __init__(self, native: _lpvdn.Frame, dtype: Any = np.float64) -> None:
        self.native = native
        self.shape: tuple[int, int] = native.shape
        self.dtype = np.dtype(dtype)

    @property
    def names(self) -> list[str]:
        """Of the values."""
        return self.native.names


def is_frame(X: Any) -> bool:
    """Whether it has columns, each with a type of its own."""
    return any(
        base.__module__.split(".")[0] in ("pandas", "polars", "pyarrow")
        and base.__name__ in ("DataFrame", "Table", "RecordBatch")
        for base in type(X).__mro__
    )


def to_fit(estimator: Any, X: Any, least: int) -> FrameRows | None:
    """Rows of columns to fit; nothing where X is an array of numbers, none of which may be missing."""
    said = {
        "missing": estimator.missing or "error",
        "kinds": dict(estimator.kinds or {}),
        "weights": {name: float(weight) for name, weight in (estimator.weights or {}).items()},
        "keep_all": not is_frame(X),
    }
    if is_frame(X):
        _check_columns(type(estimator).__name__, X)
        if _is_plain(X, said):
            return None
    else:
        _refuse_choices(X, said)
        if said["missing"] == "error" or hasattr(X, "tocsr"):
            return None
    columns = _columns_of(estimator, X)
    validate_data(estimator, X, reset=True, skip_check_array=True)
    _check_rows(type(estimator).__name__, columns, least)
    return FrameRows(_lpvdn.Frame.read(columns, json.dumps(said)), _precision(X))


def like(estimator: Any, X: Any, table: Mapping[str, Any]) -> FrameRows:
    """Rows that are made as those of the model were."""
    columns = _columns_of(estimator, X)
    if not is_frame(X):
        columns = _placed(estimator, columns, table)
    _check_rows(type(estimator).__name__, columns, 1)
    rows = FrameRows(_lpvdn.Frame.read_like(columns, json.dumps(table)), _precision(X))
    for note in rows.native.notes:
        warnings.warn(note, UserWarning, stacklevel=6)
    return rows


def _columns_of(estimator: Any, X: Any) -> list[Column]:
    return list(_columns(X)) if is_frame(X) else _columns_of_array(estimator, X)


def _precision(X: Any) -> Any:
    """Codes of single precision are for arrays of it."""
    return np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64


def _placed(estimator: Any, columns: list[Column], table: Mapping[str, Any]) -> list[Column]:
    """The columns of an array: all that the frame of the fit had, or those that the model reads, in their order."""
    kept = table["columns"]
    if len(columns) == table["width"]:
        return columns
    if len(columns) == len(kept) and names_of(table) is not None:
        return [(known["name"], *column[1:]) for known, column in zip(kept, columns, strict=True)]
    raise ValueError(
        f"X has {len(columns)} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} "
        "features as input; it was fitted to a table of columns"
    )


def _check_columns(owner: str, X: Any) -> None:
    """In scikit-learn's words."""
    if X.shape[1] == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={X.shape}) while a minimum of 1 is required by {owner}."
        )


def _check_rows(owner: str, columns: Sequence[Column], least: int) -> None:
    """In scikit-learn's words."""
    count = len(columns[0][2])
    if count < least:
        raise ValueError(
            f"Found array with {count} sample(s) (shape=({count}, {len(columns)})) while a minimum of {least} is "
            f"required by {owner}."
        )


def _refuse_choices(X: Any, said: Mapping[str, Any]) -> None:
    """Only the columns of a frame have names."""
    given = [name for name in ("kinds", "weights") if said[name]]
    if given:
        raise ValueError(f"{given[0]} names columns, and X ({type(X).__name__}) has no names: give a data frame")


def _is_plain(X: Any, said: Mapping[str, Any]) -> bool:
    """Whether every column holds numbers and nothing is to be done about any."""
    if said["kinds"] or said["weights"] or said["missing"] != "error":
        return False
    return all(_is_numeric(column) and not _may_name_rows(name, column) for name, column in _named(X))


def _may_name_rows(name: str | None, column: Any) -> bool:
    """Whether a column of numbers may count the rows, or hold ids: those are looked at more closely."""
    if name is not None and _lpvdn.is_id_name(name):
        return True
    ends = [float(_cell(column, place)) for place in (0, 1, -1)] if len(column) > 1 else []
    return bool(ends) and ends[1] - ends[0] == 1 and ends[2] - ends[0] == len(column) - 1


def _cell(column: Any, place: int) -> Any:
    value = column.iloc[place] if hasattr(column, "iloc") else column[place]
    value = value.as_py() if hasattr(value, "as_py") else value
    return math.nan if _is_missing(value) else value


def _columns_of_array(estimator: Any, X: Any) -> list[Column]:
    array = check_array(
        X.toarray() if hasattr(X, "toarray") else X,
        dtype=np.float64,
        ensure_all_finite="allow-nan",
        ensure_min_samples=0,
        estimator=estimator,
        input_name="X",
    )
    return [(None, "numbers", column, None) for column in np.ascontiguousarray(array.T)]


def _named(X: Any) -> Iterator[tuple[str | None, Any]]:
    """The columns of a frame as its library has them, with their names where these are words."""
    if hasattr(X, "iloc"):
        names = list(X.columns)
        columns = [X.iloc[:, place] for place in range(len(names))]
    else:
        names = list(X.column_names if hasattr(X, "column_names") else X.columns)
        columns = [X.column(place) if hasattr(X, "column_names") else X.to_series(place) for place in range(len(names))]
    words = all(isinstance(name, str) for name in names)
    return zip([_written(name) if words else None for name in names], columns, strict=True)


def _written(name: str) -> str:
    """What is no text in Unicode, as half a pair of surrogates, is written as a question mark."""
    return name.encode("utf-8", "replace").decode()


def _columns(X: Any) -> Iterator[Column]:
    for name, column in _named(X):
        yield (name, *_cells(name, column))


def _cells(name: str | None, column: Any) -> tuple[str, NDArray[Any], list[Any] | None]:
    """The cells of a column, by its type."""
    if _is_numeric(column):
        return "numbers", _numbers(column), None
    if _is_category(column):
        return ("values", *_categories(column))
    moments = _moments(column)
    if moments is not None:
        return "dates", _days(moments), None
    return _anything(name, _listed(column))


def _kind_of(column: Any) -> str:
    """Its type in the words of its library."""
    return str(column.dtype if hasattr(column, "dtype") else column.type)


def _is_numeric(column: Any) -> bool:
    if hasattr(column, "iloc"):
        from pandas.api import types

        dtype = column.dtype
        others = types.is_bool_dtype(dtype) or types.is_complex_dtype(dtype)
        return bool(types.is_numeric_dtype(dtype)) and not others
    if hasattr(column, "to_physical"):
        return bool(column.dtype.is_numeric())
    from pyarrow import types as arrow

    kind = column.type
    return bool(arrow.is_integer(kind) or arrow.is_floating(kind) or arrow.is_decimal(kind))


def _numbers(column: Any) -> NDArray[np.float64]:
    if hasattr(column, "iloc"):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    elif hasattr(column, "to_physical"):
        values = column.cast(_polars().Float64).to_numpy()
    else:
        import pyarrow

        values = _of_arrow(column.cast(pyarrow.float64(), safe=False))
    return np.ascontiguousarray(values, dtype=np.float64)


def _of_arrow(column: Any) -> NDArray[Any]:
    """A column of a table has chunks, one of a record batch has none and must be allowed to be copied."""
    values: NDArray[Any] = column.to_numpy() if hasattr(column, "chunks") else column.to_numpy(zero_copy_only=False)
    return values


def _polars() -> Any:
    import polars

    return polars


def _is_category(column: Any) -> bool:
    """Whether its type says that it holds categories, even where these are numbers."""
    if hasattr(column, "iloc"):
        return type(column.dtype).__name__ == "CategoricalDtype"
    return type(getattr(column, "type", None)).__name__ == "DictionaryType"


def _categories(column: Any) -> tuple[NDArray[np.int32], list[Any]]:
    if hasattr(column, "iloc"):
        return column.cat.codes.to_numpy(dtype=np.int32), [_word(value) for value in column.cat.categories]
    _, places, values = _anything(None, column.to_pylist())
    return places, [_word(value) for value in values or []]


def _word(value: Any) -> Any:
    """A category: a truth, or a word, which for a number is the one that the program writes."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    return _lpvdn.written_number(float(value)) if isinstance(value, Real) else str(value)


def _moments(column: Any) -> NDArray[Any] | None:
    """Points in time in microseconds of UTC, if the column has the type of such."""
    if hasattr(column, "iloc"):
        if not _kind_of(column).startswith(("datetime64", "timestamp")):
            return None
        if getattr(column.dt, "tz", None) is not None:
            column = column.dt.tz_convert("UTC").dt.tz_localize(None)
        return np.asarray(column.to_numpy(dtype="datetime64[us]"))
    if hasattr(column, "to_physical"):
        polars = _polars()
        if column.dtype not in (polars.Date, polars.Datetime):
            return None
        return np.asarray(column.cast(polars.Datetime("us")).to_numpy())
    import pyarrow

    if not (pyarrow.types.is_timestamp(column.type) or pyarrow.types.is_date(column.type)):
        return None
    plain = column.cast(pyarrow.timestamp("us")) if pyarrow.types.is_date(column.type) else column
    return np.asarray(_of_arrow(plain), "datetime64[us]")


def _days(moments: NDArray[Any]) -> NDArray[np.float64]:
    days = moments.astype("datetime64[us]").astype(np.int64) / DAY.astype(np.int64)
    return np.where(np.isnat(moments), np.nan, days)


def _listed(column: Any) -> list[Any]:
    """The cells as Python's own."""
    for to_list in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, to_list):
            cells: list[Any] = getattr(column, to_list)()
            return cells
    return list(column)


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in MISSING_TYPES:
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    if isinstance(value, np.datetime64):
        return bool(np.isnat(value))
    return isinstance(value, float | np.floating) and math.isnan(value)


def _anything(name: str | None, cells: list[Any]) -> tuple[str, NDArray[Any], list[Any] | None]:
    """Cells of any type: vectors where the first that is there is one, else values that may come again."""
    first = next((cell for cell in cells if not _is_missing(cell)), None)
    if isinstance(first, list | tuple) or (isinstance(first, np.ndarray) and first.ndim):
        return "vectors", _vectors(name, cells, len(first)), None
    known: dict[Any, int] = {}
    values: list[Any] = []
    places = np.empty(len(cells), np.int32)
    for row, cell in enumerate(cells):
        # 1, 1.0 and True are one key of a dict, and are three values.
        key = cell if type(cell) is str else (type(cell), cell)
        place = -1 if _is_missing(cell) else _known(known, key, len(values))
        if place == len(values):
            values.append(_value(name, row, cell))
            known[key] = place
        places[row] = place
    return "values", places, values


def _known(known: dict[Any, int], key: Any, new: int) -> int:
    """The place of a value; what cannot be a key is new, and then refused by its type."""
    try:
        return known.get(key, new)
    except TypeError:
        return new


def _vectors(name: str | None, cells: list[Any], width: int) -> NDArray[np.float32]:
    rows = np.full((len(cells), width), np.nan, np.float32)
    for row, cell in enumerate(cells):
        if _is_missing(cell):
            continue
        try:
            vector = np.asarray(cell)
            vector = vector.astype(np.float32) if vector.dtype.kind != "O" else np.asarray(cell, dtype=np.float32)
        except (TypeError, ValueError, OverflowError):
            vector = np.asarray("")
        if np.asarray(cell).dtype.kind not in "fiubO" or vector.dtype != np.float32:
            raise TypeError(f"{_place(name, row)} holds no vector of numbers: {cell!r}")
        if vector.shape != (width,):
            raise ValueError(
                f"{_place(name, row)} has a vector of the shape {vector.shape}, and the first has {width} numbers"
            )
        rows[row] = vector
    return rows


def _value(name: str | None, row: int, cell: Any) -> Any:
    """A cell as the compiled part takes it: a word, a truth, a number, or in a tuple the days of a date."""
    if isinstance(cell, str):
        return str(cell)
    if isinstance(cell, bool | np.bool_):
        return bool(cell)
    if isinstance(cell, Real | Decimal):
        try:
            return float(cell)
        except OverflowError:
            raise ValueError(f"{_place(name, row)} holds a number that is too large: {str(cell)[:20]}…") from None
    if isinstance(cell, np.datetime64):
        return (float(_days(np.asarray(cell, "datetime64[us]"))),)
    if isinstance(cell, datetime.datetime):
        plain = cell if cell.tzinfo is None else cell.astimezone(datetime.UTC).replace(tzinfo=None)
        return ((plain - EPOCH) / datetime.timedelta(days=1),)
    if isinstance(cell, datetime.date):
        return (float((cell - EPOCH.date()).days),)
    raise TypeError(
        f"{_place(name, row)} holds {type(cell).__name__}; accepted are numbers, strings, booleans, dates and "
        "vectors of numbers: convert the column, or leave it out"
    )


def _place(name: str | None, row: int) -> str:
    return f"row {row}" if name is None else f"column {name!r}, row {row}"


def table_in(reading: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """How a table became rows, if that is what a model file says. It may say anything: nobody has checked it."""
    if reading is None or reading.get("kind") != "table" or not isinstance(reading.get("width"), int):
        return None
    columns = reading.get("columns")
    known = isinstance(columns, list) and all(
        isinstance(column, Mapping) and isinstance(column.get("name"), str | None) for column in columns
    )
    return reading if known else None


def needs_frame(table: Mapping[str, Any]) -> bool:
    """Whether a model's rows are made of columns that are not all plain numbers."""
    return table.get("missing", "error") != "error" or any("numbers" not in column for column in table["columns"])


def names_of(table: Mapping[str, Any]) -> list[str] | None:
    """The columns that a model reads, if all have a name and no two the same."""
    names = [column.get("name") for column in table["columns"]]
    return names if None not in names and len(set(names)) == len(names) else None


def said_in(table: Mapping[str, Any]) -> dict[str, Any]:
    """What a user said about the columns, as far as a model remembers it, and a fit to the same table needs it."""
    columns = [column for column in table["columns"] if column.get("name") is not None]
    kinds = {column["name"]: _kind_said(column) for column in columns}
    said: dict[str, Any] = {
        "missing": None if table.get("missing", "error") == "error" else table["missing"],
        "kinds": {name: kind for name, kind in kinds.items() if kind is not None},
        "weights": {column["name"]: column["weight"] for column in columns if column.get("weight")},
    }
    return {name: value for name, value in said.items() if value}


def _kind_said(column: Mapping[str, Any]) -> str | None:
    """Numbers are no words unless somebody says so."""
    words = column.get("words", {}).get("words", [])
    if words and all(_is_number(word) for word in words):
        return "category"
    return {"identity": "linear", "log": "log"}.get(str(column.get("transform")))


def _is_number(word: Any) -> bool:
    try:
        float(word)
    except (TypeError, ValueError):
        return False
    return True
