"""Models that are kept: pickled, copied, in files, and those of the program."""

from __future__ import annotations

import copy
import errno
import json
import os
import pathlib
import pickle
import subprocess
import warnings

import joblib
import lpvdn
import numpy as np
import pytest
from conftest import ALL, ESTIMATORS, small
from sklearn.base import clone

# The program `lpvdn`: whoever builds it says where it is.
PROGRAM = os.environ.get("LPVDN_PROGRAM")


@pytest.mark.parametrize("name", ALL)
def test_copies_are_the_same(name, digits, tmp_path):
    rows, _ = digits
    model = small(name, random_state=0).fit(rows)
    joblib.dump(model, tmp_path / "model.joblib")
    pickles = [pickle.loads(pickle.dumps(model, protocol)) for protocol in range(2, 6)]
    for same in (*pickles, copy.deepcopy(model), joblib.load(tmp_path / "model.joblib")):
        assert np.array_equal(same.predict_proba(rows), model.predict_proba(rows))
        assert np.array_equal(same.labels_, model.labels_)
    with pytest.raises(AttributeError):
        _ = clone(model).labels_


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_file_holds_the_model(name, digits, tmp_path):
    rows, _ = digits
    model = small(name, random_state=7).fit(rows)
    path = tmp_path / "model.safetensors"
    model.save(path)
    for read in (lpvdn.load(path), type(model).load(str(path))):
        assert type(read) is type(model)
        assert (read.n_clusters, read.random_state, read.n_features_in_) == (4, 7, 64)
        assert np.array_equal(read.transform(rows), model.transform(rows))
        assert np.array_equal(read.predict(rows), model.labels_)
        assert np.array_equal(read.cluster_centers_, model.cluster_centers_)
        assert not hasattr(read, "labels_")
    # Its parameters are those it was fitted with.
    assert read.fit(rows).model_.to_bytes() == path.read_bytes()


def test_a_file_of_another_method_is_refused(digits, tmp_path):
    path = tmp_path / "model.safetensors"
    small("KMeans", random_state=0).fit(digits[0]).save(path)
    with pytest.raises(ValueError, match=r"a model of kmeans, not of lpvdn; lpvdn\.load reads any"):
        lpvdn.LPVDN.load(path)
    with pytest.raises(AttributeError, match="does not know its training rows"):
        lpvdn.load(path).kneighbors(digits[0])


def test_the_package_has_the_version_of_the_library(digits):
    described = json.loads(small("KMeans", random_state=0).fit(digits[0]).model_.describe())
    assert described["fitted_by"] == lpvdn.__version__


def test_a_damaged_file_is_refused(digits, tmp_path):
    path = tmp_path / "model.safetensors"
    small("LPVDN", random_state=0).fit(digits[0]).save(path)
    whole = path.read_bytes()
    for damaged in (b"", whole[:100], whole[:-4], b"\xff" * 64):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"model\.safetensors"):
            lpvdn.load(path)


@pytest.mark.parametrize("method", ["kmeans", "ae-kmeans", "vae-kmeans", "dec", "clustergan", "vade", "lpvdn"])
def test_a_file_of_format_1_is_read_with_a_warning_and_saved_as_one_without(method, tmp_path):
    models = pathlib.Path(__file__).parents[3] / "crates/lpvdn/tests/fixtures/models"
    path = tmp_path / "again.safetensors"
    with pytest.warns(UserWarning, match="model format 1: no checksum protects its header"):
        lpvdn.load(models / f"{method}-v1.safetensors").save(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lpvdn.load(path)


@pytest.mark.parametrize(
    ("place", "error", "number"),
    [
        ("nothing/model", FileNotFoundError, errno.ENOENT),
        ("", IsADirectoryError, errno.EISDIR),
        ("file/model", NotADirectoryError, errno.ENOTDIR),
        ("closed/model", PermissionError, errno.EACCES),
    ],
)
def test_files_that_cannot_be_are_told_of_as_python_does(place, error, number, digits, tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "closed").mkdir(mode=0)
    path = tmp_path / place
    if error is PermissionError and os.access(tmp_path / "closed", os.W_OK):
        pytest.skip("this user may do everything")
    fitted = small("KMeans", random_state=0).fit(digits[0])
    for attempt in (fitted.save, lpvdn.load, lpvdn.KMeans.load, open):
        for given in (path, str(path)):
            with pytest.raises(error) as raised:
                attempt(given)
            assert raised.value.errno == number
            assert os.fspath(raised.value.filename) == str(path)
            assert str(raised.value) == f"[Errno {number}] {os.strerror(number)}: '{path}'"


def frame_of(rows, places=None):
    """Rows with names, in their own order or another."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=[f"pixel {j}" for j in range(rows.shape[1])])
    return frame if places is None else frame.iloc[:, places]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_file_knows_the_names_of_columns(name, digits, tmp_path):
    frame = frame_of(digits[0])
    model = small(name, random_state=0).fit(frame)
    model.save(tmp_path / "model")
    for read in (lpvdn.load(tmp_path / "model"), type(model).load(tmp_path / "model")):
        assert list(read.feature_names_in_) == list(frame.columns)
        assert np.array_equal(read.predict(frame), model.labels_)
        with pytest.raises(ValueError, match="Feature names must be in the same order as they were in fit"):
            read.predict(frame_of(digits[0], np.arange(64)[::-1]))
        with pytest.raises(ValueError, match=r"Feature names unseen at fit time:\n- pixel three"):
            read.predict(frame.rename(columns={"pixel 3": "pixel three"}))
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            read.predict(digits[0])
        # Nor are they lost on the way to another file.
        read.save(tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    assert not hasattr(read.fit(digits[0]), "feature_names_in_")
    read.save(tmp_path / "again")
    assert not hasattr(lpvdn.load(tmp_path / "again"), "feature_names_in_")


def test_names_that_no_file_can_hold_are_left_out(digits, tmp_path):
    pandas = pytest.importorskip("pandas")
    names = pandas.Index(["half a pair \ud800", *(f"pixel {j}" for j in range(63))], dtype=object)
    frame = pandas.DataFrame(digits[0], columns=names)
    model = small("KMeans", random_state=0).fit(frame)
    model.save(tmp_path / "model")
    assert np.array_equal(model.predict(frame), model.labels_)
    assert not hasattr(lpvdn.load(tmp_path / "model"), "feature_names_in_")


def test_sparse_columns_of_a_frame_have_names_too(digits, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = frame_of(digits[0]).astype(pandas.SparseDtype(float, 0.0))
    model = small("KMeans", random_state=0).fit(frame)
    model.save(tmp_path / "model")
    assert list(lpvdn.load(tmp_path / "model").feature_names_in_) == list(frame.columns)


# What the program is told, and what the estimator.
RUNS = {
    "lpvdn": (["--pretrain-epochs", "3", "--epochs", "3", "--layers", "16,16"],
              {"pretrain_epochs": 3, "epochs": 3, "layers": (16, 16)}),
    "vade": (["--pretrain-epochs", "3", "--epochs", "3", "--layers", "16", "--latent-dim", "4"],
             {"pretrain_epochs": 3, "epochs": 3, "layers": (16,), "latent_dim": 4}),
    "dec": (["--pretrain-epochs", "3", "--layers", "16", "--lr", "0.1"],
            {"pretrain_epochs": 3, "layers": (16,), "lr": 0.1}),
    "clustergan": (
        ["--steps", "10", "--layers", "16", "--pretrain-epochs", "1"],
        {"steps": 10, "layers": (16,), "pretrain_epochs": 1},
    ),
    "ae-kmeans": (["--pretrain-epochs", "3", "--layers", "16", "--batch", "50"],
                  {"pretrain_epochs": 3, "layers": (16,), "batch_size": 50}),
    "vae-kmeans": (["--epochs", "3", "--layers", "16"], {"epochs": 3, "layers": (16,)}),
    "kmeans": (["--starts", "3", "--scale", "standard"], {"n_init": 3, "scale": "standard"}),
}  # fmt: skip


@pytest.mark.skipif(PROGRAM is None, reason="LPVDN_PROGRAM does not say where the program is")
@pytest.mark.parametrize("method", RUNS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_the_program_gives_the_same_model(method, dtype, digits, tmp_path):
    rows = digits[0].astype(dtype)
    np.save(tmp_path / "rows.npy", rows)
    told, given = RUNS[method]
    out = tmp_path / "out"
    command = [PROGRAM, "fit", tmp_path / "rows.npy", "--method", method, "-k", "10", "--seed", "5", "--out", out]
    subprocess.run([*command, "--quiet", *told], check=True)
    theirs = lpvdn.load(out / "model.safetensors")
    ours = type(theirs)(10, random_state=5, **given).fit(rows)
    ours.save(tmp_path / "ours.safetensors")
    assert (tmp_path / "ours.safetensors").read_bytes() == (out / "model.safetensors").read_bytes()
    assert np.array_equal(theirs.predict(rows), ours.labels_)
    # And back: the program reads ours.
    predict = [PROGRAM, "predict", tmp_path / "ours.safetensors", tmp_path / "rows.npy"]
    lines = subprocess.run(predict, check=True, capture_output=True, text=True).stdout.split()
    column = lines[0].split(",").index("cluster")
    assert [int(line.split(",")[column]) for line in lines[1:]] == ours.labels_.tolist()


@pytest.mark.skipif(PROGRAM is None, reason="LPVDN_PROGRAM does not say where the program is")
def test_the_program_chooses_the_same_number_of_clusters(digits, tmp_path):
    rows = digits[0].astype(np.float32)
    np.save(tmp_path / "rows.npy", rows)
    command = [PROGRAM, "fit", tmp_path / "rows.npy", "-k", "2-5", "--restarts", "2", "--seed", "1", "--quiet"]
    small_nets = ["--pretrain-epochs", "3", "--epochs", "5", "--layers", "16", "--out", tmp_path / "out"]
    subprocess.run([*command, *small_nets], check=True)
    ours = lpvdn.LPVDN((2, 5), restarts=2, random_state=1, pretrain_epochs=3, epochs=5, layers=(16,)).fit(rows)
    assert ours.model_.to_bytes() == (tmp_path / "out" / "model.safetensors").read_bytes()


def program(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout


def clusters_of(table):
    lines = table.splitlines()
    column = lines[0].split(",").index("cluster")
    return [int(line.split(",")[column]) for line in lines[1:]]


@pytest.mark.skipif(PROGRAM is None, reason="LPVDN_PROGRAM does not say where the program is")
def test_the_program_finds_the_columns_of_a_frame_by_name(digits, tmp_path):
    frame = frame_of(digits[0])
    model = small("VaDE", random_state=5).fit(frame)
    model.save(tmp_path / "model")
    shuffled = frame_of(digits[0], np.random.default_rng(0).permutation(64))
    shuffled.insert(0, "of no use", 1.0)
    shuffled.to_csv(tmp_path / "shuffled.csv", index=False)
    assert clusters_of(program("predict", tmp_path / "model", tmp_path / "shuffled.csv")) == model.labels_.tolist()
    np.save(tmp_path / "rows.npy", digits[0])
    assert clusters_of(program("predict", tmp_path / "model", tmp_path / "rows.npy")) == model.labels_.tolist()
    frame.drop(columns="pixel 3").to_csv(tmp_path / "fewer.csv", index=False)
    with pytest.raises(subprocess.CalledProcessError) as refused:
        program("predict", tmp_path / "model", tmp_path / "fewer.csv")
    assert "pixel 3" in refused.value.stderr


@pytest.mark.skipif(PROGRAM is None, reason="LPVDN_PROGRAM does not say where the program is")
def test_a_model_of_the_program_knows_the_names_of_a_table(digits, tmp_path):
    """And is the same file, because the table is the same."""
    frame = frame_of(digits[0].astype(np.float32))
    frame.to_csv(tmp_path / "rows.csv", index=False)
    out = tmp_path / "out"
    program("fit", tmp_path / "rows.csv", "--method", "kmeans", "-k", "4", "--seed", "5", "--out", out, "--quiet")
    theirs = lpvdn.load(out / "model.safetensors")
    assert list(theirs.feature_names_in_) == list(frame.columns)
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        theirs.predict(frame.iloc[:, ::-1])
    ours = lpvdn.KMeans(4, random_state=5).fit(frame)
    assert ours.model_.to_bytes() == (out / "model.safetensors").read_bytes()


@pytest.mark.skipif(PROGRAM is None, reason="LPVDN_PROGRAM does not say where the program is")
def test_columns_of_words_are_known_by_their_names(digits, tmp_path):
    frame = frame_of(digits[0][:, 2:7])
    frame["colour"] = ["red" if row % 2 else "blue" for row in range(len(frame))]
    frame.to_csv(tmp_path / "rows.csv", index=False)
    out = tmp_path / "out"
    program("fit", tmp_path / "rows.csv", "--method", "kmeans", "-k", "4", "--seed", "5", "--out", out, "--quiet")
    read = lpvdn.load(out / "model.safetensors")
    assert (read.n_features_in_, list(read.feature_names_in_)) == (6, list(frame.columns))
    read.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (out / "model.safetensors").read_bytes()
