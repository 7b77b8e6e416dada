"""Models that are kept: pickled, copied, in files, and those of the program."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess

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
    with pytest.raises(FileNotFoundError):
        lpvdn.load(tmp_path / "nothing")
    with pytest.raises(OSError, match="could not be written"):
        small("KMeans", random_state=0).fit(digits[0]).save(tmp_path / "no" / "folder")


# What the program is told, and what the estimator.
RUNS = {
    "lpvdn": (["--pretrain-epochs", "3", "--epochs", "3", "--layers", "16,16"],
              {"pretrain_epochs": 3, "epochs": 3, "layers": (16, 16)}),
    "vade": (["--pretrain-epochs", "3", "--epochs", "3", "--layers", "16", "--latent-dim", "4"],
             {"pretrain_epochs": 3, "epochs": 3, "layers": (16,), "latent_dim": 4}),
    "dec": (["--pretrain-epochs", "3", "--layers", "16", "--lr", "0.1"],
            {"pretrain_epochs": 3, "layers": (16,), "lr": 0.1}),
    "clustergan": (["--steps", "10", "--layers", "16"], {"steps": 10, "layers": (16,)}),
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
