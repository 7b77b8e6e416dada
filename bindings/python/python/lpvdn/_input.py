"""From what a user has to rows that the library reads where they lie."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from lpvdn import _frame

if TYPE_CHECKING:
    from lpvdn._lpvdn import _Rows

# Kept as they are; everything else becomes the first of them that holds its digits.
DTYPES: list[type[np.generic]] = [np.float64, np.float32, np.uint8]
# Of these single precision holds them all.
NARROW = (np.bool_, np.int8, np.int16, np.uint16, np.float16)


def checked(estimator: Any, X: Any, *, reset: bool, least: int = 1) -> Any:
    """Rows that scikit-learn has nothing to say against: a 2-D array or a CSR matrix; or those of a data frame."""
    X = table(X)
    rows = _of_columns(estimator, X, reset=reset, least=least)
    if rows is not None:
        return rows
    return validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr",
        dtype=_dtypes(X),
        ensure_min_samples=least,
    )


def _of_columns(estimator: Any, X: Any, *, reset: bool, least: int) -> _frame.FrameRows | None:
    """Rows of a frame with other columns than numbers, or with missing ones; nothing where X is none of these."""
    if reset:
        rows = _frame.to_fit(estimator, X, least)
        estimator._reading = None if rows is None else json.loads(rows.native.reading)
        return rows
    reading = getattr(estimator, "_reading", None)
    if reading is None:
        return None
    # Where the model's columns are plain numbers, an array of these is as good as the frame that they came from.
    is_array = not _frame.is_frame(X) and not _frame.needs_frame(reading)
    if is_array and estimator.n_features_in_ == len(reading["columns"]):
        return None
    return _frame.like(estimator, X, reading)


def _dtypes(X: Any) -> list[type[np.generic]]:
    """The types that rows may have, first what all others become.

    Points in time are whole numbers of ten digits, and single precision has seven. Sparse rows are not centred, so
    theirs would be lost anyway.
    """
    dtype = getattr(X, "dtype", None)
    narrow = scipy.sparse.issparse(X) or (isinstance(dtype, np.dtype) and dtype in NARROW)
    return [np.float32, np.float64, np.uint8] if narrow else DTYPES


def table(X: Any) -> Any:
    """What comes as an Arrow stream and is none of the data frames that scikit-learn knows, as a table of pyarrow's."""
    known = any(base.__module__.split(".")[0] in ("pandas", "polars", "pyarrow") for base in type(X).__mro__)
    if not hasattr(X, "__arrow_c_stream__") or known:
        return X
    import pyarrow

    return pyarrow.table(X)


def native(X: Any) -> _Rows:
    """Checked rows as the library takes them. Nothing is copied but sparse rows that are not in canonical form."""
    if isinstance(X, np.ndarray):
        return X
    if isinstance(X, _frame.FrameRows):
        return X.native
    if X.data.dtype == np.uint8:
        X = X.astype(np.float32)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    indices, indptr = X.indices, X.indptr
    if indices.dtype != indptr.dtype:
        wider = np.promote_types(indices.dtype, indptr.dtype)
        indices, indptr = indices.astype(wider), indptr.astype(wider)
    return X.data, indices, indptr, X.shape[1]


def like(codes: NDArray[np.float32], X: Any) -> NDArray[Any]:
    """Codes in double precision where the rows are."""
    return codes.astype(np.float64) if X.dtype == np.float64 else codes
