"""Reads a set and encodes it as a careful user would who knows what its columns are.

Tables: numbers are standardised, dates count as days, words become 0/1 columns (not standardised: they would drown the
numbers), columns of money are logarithms, and a missing value is the mean of its column. Pixels, vectors and tf-idf
stay as they are. Texts become tf-idf.
"""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import IO

import numpy as np
import scipy.sparse as sp

# Words of a text that become columns, as many as in the program.
VOCABULARY = 2000


@dataclass
class Source:
    """Where a set is, and what its columns are."""

    path: Path
    # table, pixels, vectors, tfidf or texts
    kind: str
    # The name of the column of the classes, or -1 for the last one of a file without a header.
    label: str = "label"
    # Columns that are no features.
    ignored: list[str] = field(default_factory=list)
    # Columns whose logarithm is taken.
    money: list[str] = field(default_factory=list)
    # The classes whose rows are read; none are all of them.
    classes: list[str] = field(default_factory=list)

    @property
    def sparse(self) -> bool:
        """Whether rows are compared by their angle, and LSA is for them."""
        return self.kind in {"tfidf", "texts"}


@dataclass
class Data:
    """Encoded rows, dense or sparse, and their classes."""

    rows: np.ndarray | sp.csr_matrix
    truth: np.ndarray


def read(source: Source) -> Data:
    """The set in the encoding that suits it."""
    if source.kind == "texts":
        return _texts(source)
    if source.kind == "tfidf":
        return _svmlight(source)
    if source.path.is_dir():
        return _idx(source.path)
    names, lines = _table(source)
    at = names.index(source.label)
    truth = np.array([line[at] for line in lines])
    left_out = {source.label, *source.ignored}
    columns = {name: [line[i] for line in lines] for i, name in enumerate(names) if name not in left_out}
    if source.kind == "table":
        return Data(np.hstack([_encoded(values, name in source.money) for name, values in columns.items()]), truth)
    return Data(np.array(list(columns.values()), dtype=np.float64).T.copy(), truth)


def _open(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", newline="")
    return open(path, encoding="utf-8", newline="")


def _table(source: Source) -> tuple[list[str], list[list[str]]]:
    with _open(source.path) as file:
        lines = [line for line in csv.reader(file) if line]
    if source.label == "-1":
        return [*map(str, range(len(lines[0]) - 1)), "-1"], lines
    return lines[0], lines[1:]


def _encoded(values: list[str], money: bool) -> np.ndarray:
    """One column of a table as one or more columns of numbers."""
    numbers = _numbers(values)
    if numbers is None:
        words = sorted(set(values))
        return (np.array(values)[:, None] == np.array(words)[None, :]).astype(np.float64)
    if money:
        numbers = np.log1p(numbers)
    numbers = np.where(np.isnan(numbers), np.nanmean(numbers), numbers)
    deviation = numbers.std()
    # A column of one value says nothing.
    return ((numbers - numbers.mean()) / deviation)[:, None] if deviation > 0 else np.empty((len(numbers), 0))


def _numbers(values: list[str]) -> np.ndarray | None:
    """Numbers or days, missing ones as NaN; nothing where the column holds words."""
    for parse in (float, lambda text: float(date.fromisoformat(text).toordinal())):
        try:
            return np.array([parse(value) if value else np.nan for value in values])
        except ValueError:
            continue
    return None


def _texts(source: Source) -> Data:
    from sklearn.feature_extraction.text import TfidfVectorizer

    with _open(source.path) as file:
        stories = [json.loads(line) for line in file]
    stories = [story for story in stories if not source.classes or story[source.label] in source.classes]
    vectorizer = TfidfVectorizer(max_features=VOCABULARY, sublinear_tf=True, stop_words="english", dtype=np.float32)
    rows = vectorizer.fit_transform([story["text"] for story in stories])
    return Data(sp.csr_matrix(rows), np.array([story[source.label] for story in stories]))


def _svmlight(source: Source) -> Data:
    from sklearn.datasets import load_svmlight_file

    rows, truth = load_svmlight_file(str(source.path), dtype=np.float32)
    # K-means refuses sparse rows with the wide indices that this reader gives them.
    indices, starts = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    return Data(sp.csr_matrix((rows.data, indices, starts), shape=rows.shape), truth)


def _idx(folder: Path) -> Data:
    """The rows of training and test files in one array."""
    images, labels = [], []
    for part in ("train", "t10k"):
        images.append(_bytes(folder, f"{part}-images-idx3-ubyte", 16).reshape(-1, 28 * 28))
        labels.append(_bytes(folder, f"{part}-labels-idx1-ubyte", 8))
    return Data(np.concatenate(images).astype(np.float32), np.concatenate(labels))


def _bytes(folder: Path, name: str, header: int) -> np.ndarray:
    packed = folder / f"{name}.gz"
    content = gzip.decompress(packed.read_bytes()) if packed.exists() else (folder / name).read_bytes()
    return np.frombuffer(content, dtype=np.uint8, offset=header)
