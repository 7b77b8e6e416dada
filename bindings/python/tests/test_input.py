"""What rows may come as, and that they stay where they are."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest
import scipy.sparse
from conftest import ESTIMATORS, small
from lpvdn import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score


def bytes_of(rows, name="LPVDN", **given) -> bytes:
    return small(name, random_state=0, **given).fit(rows).model_.to_bytes()


def test_strides_and_precision_do_not_matter(digits, tmp_path):
    rows = digits[0].astype(np.float32)
    wanted = bytes_of(rows)
    wide = np.zeros((300, 128), np.float32)
    wide[:, ::2] = rows
    frozen = rows.copy()
    frozen.flags.writeable = False
    np.save(tmp_path / "rows.npy", rows)
    forms = {
        "double": rows.astype(np.float64),
        "by columns": np.asfortranarray(rows),
        "every other column": wide[:, ::2],
        "backwards": rows[::-1].copy()[::-1],
        "read only": frozen,
        "mapped": np.load(tmp_path / "rows.npy", mmap_mode="r"),
        "whole numbers": rows.astype(np.int64),
        "half": rows.astype(np.float16),
        "big end first": rows.astype(">f4"),
        "lists": rows.tolist(),
    }
    for form, given in forms.items():
        assert bytes_of(given) == wanted, form


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("KMeans", {"n_clusters": 3}),
        ("AutoencoderKMeans", {"n_clusters": 3, "pretrain_epochs": 60}),
        ("LPVDN", {"n_clusters": 3, "pretrain_epochs": 60, "epochs": 20}),
        ("GaussianMixture", {}),
    ],
)
def test_rows_far_from_zero_are_told_apart(name, given):
    """As scikit-learn does: single precision has seven digits, points in time have ten."""
    rows, truth = make_blobs(600, 4, centers=3, cluster_std=0.5, random_state=0)
    for far in (rows + 1e8, np.round(1000 * rows).astype(np.int64) + 1_700_000_000_000):
        model = small(name, random_state=0, **given).fit(far)
        assert adjusted_rand_score(truth, model.labels_) > 0.99
        assert np.array_equal(model.predict(far[:7]), model.labels_[:7])


def test_centres_far_from_zero_keep_their_digits():
    rows = np.array([[1e12 + 0.25], [1e12 + 0.75], [1e12 + 8.0]])
    centers = KMeans(2, random_state=0).fit(rows).cluster_centers_
    assert np.allclose(np.sort(centers.ravel()) - 1e12, [0.5, 8.0], atol=1e-3)


def test_bytes_are_read_as_bytes(digits):
    rows = digits[0].astype(np.uint8)
    model = small("LPVDN", random_state=0).fit(rows)
    assert np.array_equal(model.predict(rows), model.predict(rows.astype(np.float32)))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_sparse_rows_of_every_form_give_one_model(name, digits):
    rows = scipy.sparse.csr_array(digits[0])
    wanted = bytes_of(rows, name)
    unsorted = rows.copy()
    unsorted.indices = unsorted.indices[::-1].copy()
    unsorted.data = unsorted.data[::-1].copy()
    unsorted = scipy.sparse.csr_array((unsorted.data, unsorted.indices, unsorted.indptr), shape=rows.shape)
    shuffled = unsorted.copy()
    shuffled.sort_indices()
    assert bytes_of(unsorted, name) == bytes_of(shuffled, name)
    for form in (rows.tocsc(), rows.tocoo(), scipy.sparse.csr_matrix(rows), rows.astype(np.float32)):
        assert bytes_of(form, name) == wanted, type(form)


def test_sparse_rows_are_seen_as_the_dense_rows_they_are(digits):
    rows = np.where(digits[0] > 8, digits[0] - 20.0, 0.0)
    model = small("LPVDN", random_state=0).fit(rows)
    assert np.array_equal(model.transform(scipy.sparse.csr_array(rows)), model.transform(rows))


@pytest.mark.parametrize("scale", ["none", "max", "norm"])
@pytest.mark.parametrize("name", ["LPVDN", "KMeans", "DEC"])
def test_a_scale_that_is_given_makes_dense_and_sparse_rows_alike(name, scale, digits):
    dense, sparse = (
        small(name, random_state=0, scale=scale).fit(rows) for rows in (digits[0], scipy.sparse.csr_array(digits[0]))
    )
    assert np.array_equal(dense.labels_, sparse.labels_)
    assert np.array_equal(dense.embedding_, sparse.embedding_)


def test_damaged_sparse_rows_are_refused(digits):
    from lpvdn import _lpvdn

    rows = scipy.sparse.csr_array(digits[0])
    model = small("KMeans", random_state=0).fit(rows).model_
    far, falling = rows.indices.copy(), rows.indptr.copy()
    far[5], falling[3] = 64, 10**6
    for parts in ((rows.data, far, rows.indptr, 64), (rows.data, rows.indices, falling, 64)):
        with pytest.raises(ValueError, match="must"):
            model.predict(parts, 1)
    with pytest.raises(TypeError, match="2-D array"):
        _lpvdn.fit('{"method": "kmeans", "clusters": 2}', [1, 2])


@pytest.mark.parametrize("wrong", [64, -1, 2**31 - 1, "backwards"])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_sparse_rows_that_change_while_they_are_read_are_refused(wrong, dtype, digits):
    """Whoever writes to them from another thread gets an error, and never what lies beside the rows in memory."""
    rows = scipy.sparse.csr_array(digits[0].astype(np.float32))
    rows.indices, rows.indptr = rows.indices.astype(dtype), rows.indptr.astype(dtype)

    def change(event):
        if event["event"] == "epoch":
            rows.indices[:] = rows.indices[::-1].copy() if wrong == "backwards" else wrong

    # Scaled by type they would be read once, before the first epoch.
    model = small("AutoencoderKMeans", random_state=0, pretrain_epochs=300, scale="max", callbacks=[change])
    with pytest.raises(ValueError, match=r"X has changed: row \d+: column indices must rise.* lie below 64"):
        model.fit(rows)


class Stream:
    """Something that is nothing but an Arrow stream."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, schema=None):
        return self.table.__arrow_c_stream__(schema)


def test_tables_of_every_kind_give_one_model(digits):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    rows = digits[0].astype(np.float32)
    names = [f"pixel{j}" for j in range(64)]
    frame = pandas.DataFrame(rows, columns=names)
    arrow = pyarrow.Table.from_pandas(frame)
    wanted = bytes_of(frame)
    codes = small("LPVDN", random_state=0).fit(rows).embedding_
    for table in (frame, polars.DataFrame(rows, schema=names), arrow, Stream(arrow)):
        model = small("LPVDN", random_state=0).fit(table)
        assert model.model_.to_bytes() == wanted, type(table)
        assert np.array_equal(model.embedding_, codes), type(table)
        assert list(model.feature_names_in_) == names, type(table)
        assert np.array_equal(model.predict(table), model.labels_)


MEMORY = """
import resource, sys
import numpy as np
from lpvdn import AutoencoderKMeans

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

warm = np.random.default_rng(0).random((500, 256), dtype=np.float32)
rows = np.empty((150_000, 256), sys.argv[1])
for start in range(0, len(rows), 500):
    rows[start : start + 500] = 100 * warm + start % 7
model = AutoencoderKMeans(4, layers=(4,), latent_dim=2, pretrain_epochs=1, n_init=1, random_state=0, n_jobs=1)
model.fit(warm).predict(warm)
before = peak()
model.fit(rows).predict(rows)
print((peak() - before) / rows.nbytes)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is measured as Linux tells it")
@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
def test_rows_are_not_copied(dtype):
    """Of 38 to 307 MB of rows, a fit and a prediction need a fraction beside them."""
    command = [sys.executable, "-c", textwrap.dedent(MEMORY), dtype]
    share = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert share < 0.5, f"{share:.2f} times the size of the rows were taken beside them"
