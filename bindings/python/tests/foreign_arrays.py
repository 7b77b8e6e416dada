"""Files of arrays: by NumPy, SciPy and scikit-learn."""

from __future__ import annotations

import zipfile
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from foreign import ROWS, File
from numpy.lib import format as npy
from scipy import sparse
from scipy.io import mmwrite
from sklearn.datasets import dump_svmlight_file

QUARTERS, SPARSE = ROWS["quarters"], ROWS["sparse"]
CLASSES = np.arange(len(SPARSE)) % 3


def array(name: str, values: np.ndarray, rows: str = "quarters", **given: Any) -> File:
    return File(f"{name}.npy", lambda path: np.save(path, values), rows, **given)


def of_numpy() -> list[File]:
    whole = ["i1", "u1", "<i2", ">i2", "<u2", ">u2", "<i4", ">i4", "<u4", ">u4", "<i8", ">i8", "<u8", ">u8"]
    floats = ["<f2", ">f2", "<f4", ">f4", "<f8", ">f8"]
    files = []
    for order in "CF":
        files += [array(f"{kind} {order}", ROWS["whole"].astype(kind, order=order), "whole") for kind in whole]
        files += [array(f"{kind} {order}", QUARTERS.astype(kind, order=order)) for kind in floats]
        files.append(array(f"bool {order}", ROWS["bits"].astype(bool, order=order), "bits"))
    files.append(array("pictures", QUARTERS.reshape(-1, 2, 3)))
    files.append(array("pictures F", np.asfortranarray(QUARTERS.reshape(-1, 2, 3))))
    files.append(array("channels", QUARTERS.reshape(-1, 2, 1, 3)))
    files.append(array("one row", QUARTERS[:1], count=1))
    files.append(array("every second row", np.repeat(QUARTERS, 2, axis=0)[::2]))
    files.append(array("not contiguous", np.hstack([QUARTERS, QUARTERS])[:, :6]))
    files.append(array("large", ROWS["large"], "large"))

    def version(path: Path, number: int) -> None:
        with path.open("wb") as sink:
            npy.write_array(sink, QUARTERS, version=(number, 0))

    files += [File(f"version {number}.npy", lambda path, n=number: version(path, n)) for number in (1, 2, 3)]
    for name, save in {"savez": np.savez, "savez_compressed": np.savez_compressed}.items():
        files.append(File(f"{name}.npz", lambda path, save=save: save(path, QUARTERS)))
        files.append(File(f"{name} named.npz", lambda path, save=save: save(path, x=QUARTERS, y=CLASSES)))
        files.append(File(f"{name} F.npz", lambda path, save=save: save(path, data=np.asfortranarray(QUARTERS))))

    def zip64(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as archive, archive.open("x.npy", "w", force_zip64=True) as member:
            npy.write_array(member, QUARTERS)

    files.append(File("zip64.npz", zip64))
    return files


def of_scipy() -> list[File]:
    layouts = {
        "csr": sparse.csr_matrix, "csc": sparse.csc_matrix, "coo": sparse.coo_matrix, "bsr": sparse.bsr_matrix,
        "dia": sparse.dia_matrix, "csr array": sparse.csr_array, "coo array": sparse.coo_array,
        "bsr array": sparse.bsr_array, "dia array": sparse.dia_array,
    }  # fmt: skip
    files = []
    for (layout, make), kind in product(layouts.items(), ["f4", "f8", "i4", "i8", "u1"]):
        matrix = make(SPARSE.astype(kind))
        files.append(File(f"{layout} {kind}.npz", lambda path, m=matrix: sparse.save_npz(path, m), "sparse"))
    for layout, make in layouts.items():
        truths = make(ROWS["bits"].astype(bool))
        files.append(File(f"{layout} bool.npz", lambda path, m=truths: sparse.save_npz(path, m), "bits"))
        stored = make(SPARSE)
        plain = lambda path, m=stored: sparse.save_npz(path, m, compressed=False)  # noqa: E731
        files.append(File(f"{layout} stored.npz", plain, "sparse"))
    for size in ((1, 1), (2, 3), (3, 2), (60, 6)):
        blocks = sparse.bsr_matrix(SPARSE, blocksize=size)
        name = f"blocks of {size[0]} by {size[1]}.npz"
        files.append(File(name, lambda path, m=blocks: sparse.save_npz(path, m), "sparse"))
    repeated = sparse.coo_matrix(SPARSE)
    places = (np.tile(repeated.row, 2), np.tile(repeated.col, 2))
    halves = sparse.coo_matrix((np.tile(repeated.data / 2, 2), places), shape=SPARSE.shape)
    files.append(File("repeated entries.npz", lambda path: sparse.save_npz(path, halves), "sparse"))
    unsorted = sparse.csr_matrix(SPARSE)[:, ::-1][:, ::-1]
    files.append(File("unsorted.npz", lambda path: sparse.save_npz(path, unsorted), "sparse"))
    return files


def of_matrix_market() -> list[File]:
    whole = SPARSE.astype(int)
    kinds = {
        "coordinate real": sparse.coo_matrix(SPARSE),
        "coordinate doubles": sparse.coo_matrix(SPARSE.astype(float)),
        "coordinate integer": sparse.coo_matrix(whole),
        "coordinate unsigned": sparse.coo_matrix(whole.astype("u8")),
        "from csr": sparse.csr_matrix(SPARSE),
        "from csc": sparse.csc_matrix(SPARSE),
        "array real": SPARSE,
        "array integer": whole,
    }
    files = [File(f"{name}.mtx", lambda path, m=matrix: mmwrite(path, m), "sparse") for name, matrix in kinds.items()]
    pattern = sparse.coo_matrix(ROWS["bits"])
    files.append(File("pattern.mtx", lambda path: mmwrite(path, pattern, field="pattern"), "bits"))
    comment = lambda path: mmwrite(path, sparse.coo_matrix(SPARSE), comment="two\nlines", precision=9)  # noqa: E731
    files.append(File("comment.mtx", comment, "sparse"))
    for (rows, symmetry), kind in product(
        [("symmetric", "symmetric"), ("skew", "skew-symmetric")], [np.asarray, sparse.coo_matrix]
    ):
        matrix = kind(ROWS[rows].astype(np.float64))
        name = f"{rows} {kind.__name__}.mtx"
        files.append(File(name, lambda path, m=matrix, s=symmetry: mmwrite(path, m, symmetry=s), rows))
    return files


def of_scikit_learn() -> list[File]:
    files = []
    for zero_based, kind, comment in product([True, False], ["f4", "f8"], [None, "made by hand: α"]):
        given = {"zero_based": zero_based, "comment": comment}
        name = f"{kind} {'zero' if zero_based else 'one'}-based{', comment' if comment else ''}.svm"
        rows = SPARSE.astype(kind)
        files.append(File(name, lambda path, r=rows, g=given: dump_svmlight_file(r, CLASSES, str(path), **g), "sparse"))
    query = lambda path: dump_svmlight_file(SPARSE, CLASSES, str(path), query_id=CLASSES)  # noqa: E731
    files.append(File("queries.svm", query, "sparse"))
    from_sparse = sparse.csr_matrix(SPARSE)
    files.append(File("from csr.svm", lambda path: dump_svmlight_file(from_sparse, CLASSES, str(path)), "sparse"))
    targets = lambda path: dump_svmlight_file(SPARSE, CLASSES / 3, str(path))  # noqa: E731
    files.append(File("targets.svm", targets, "sparse"))
    several = np.stack([CLASSES == 0, CLASSES > 0], axis=1).astype(int)
    multilabel = lambda path: dump_svmlight_file(SPARSE, several, str(path), multilabel=True)  # noqa: E731
    files.append(File("several labels.svm", multilabel, "sparse"))
    files.append(File("libsvm.libsvm", lambda path: dump_svmlight_file(SPARSE, CLASSES, str(path)), "sparse"))
    return files


def refused() -> list[File]:
    """What is not read by intention."""
    records = np.zeros(3, dtype=[("a", "f4"), ("b", "i4")])
    return [
        array("complex", QUARTERS.astype("c8"), refusal="complex"),
        array("records", records, refusal="records"),
        array("one dimension", QUARTERS[0], refusal="1-dimensional"),
        array("text", np.array([["a", "b"]]), refusal="text"),
        array("objects", np.array([[1, None]], dtype=object), refusal="object"),
        File("complex.mtx", lambda path: mmwrite(path, sparse.coo_matrix(SPARSE.astype("c16"))), refusal="complex"),
    ]


FILES = [*of_numpy(), *of_scipy(), *of_matrix_market(), *of_scikit_learn(), *refused()]
