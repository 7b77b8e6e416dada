"""Whether clusters are more than what data without any would give."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import textwrap
import warnings

import lpvdn
import numpy as np
import pytest
from conftest import ESTIMATORS, small
from lpvdn import NoStructureWarning, UnstableClustersWarning, _lpvdn, _threads
from lpvdn._verdict import NullStability, Verdict, stability_of, warn_of
from sklearn.base import clone
from sklearn.datasets import make_blobs

WORDS = {"clear", "partial", "weak", "single-columns", "none", "not-judged"}


@pytest.fixture(scope="module")
def blobs() -> np.ndarray:
    return make_blobs(300, centers=4, n_features=6, cluster_std=0.5, random_state=2)[0]


@pytest.fixture(scope="module")
def noise() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(300, 6))


def warnings_of(estimator, rows):
    """The verdict's warnings of a fit."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        estimator.fit(rows)
    return [warning for warning in told if issubclass(warning.category, NoStructureWarning | UnstableClustersWarning)]


def test_clusters_that_are_there_are_clear_and_nobody_is_warned(blobs):
    model = small("KMeans", random_state=0)
    assert warnings_of(model, blobs) == []
    verdict = model.verdict_
    assert verdict.structure == "clear"
    assert str(verdict) == verdict.sentence == "clear structure: every cluster is found again in refits"
    assert verdict.unstable == ()
    assert verdict.rows == 300
    assert verdict.stability > verdict.null.mean + verdict.null.deviation
    assert verdict.null == max(verdict.permuted, verdict.gaussian, key=lambda null: null.mean)
    assert verdict.null.replicates > 1
    assert model.stability_.shape == (4,)
    assert (model.stability_ > 0.9).all()


@pytest.mark.parametrize("name", ["KMeans", "LPVDN"])
def test_noise_is_told_with_the_figures_and_what_to_do(name, noise):
    model = small(name, random_state=0)
    (warning,) = warnings_of(model, noise)
    assert warning.category is NoStructureWarning
    # The line that called the fit.
    assert warning.filename == __file__
    message = str(warning.message)
    assert model.verdict_.structure == "none"
    assert model.verdict_.sentence in message
    assert f"(ARI) {model.verdict_.stability:.2f}" in message
    for remedy in ("n_clusters", "columns", "verdict='none'"):
        assert remedy in message


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_method_is_judged_and_the_clusters_are_the_same(name, digits):
    rows, _ = digits
    judged = small(name, random_state=0).fit(rows)
    assert judged.verdict_.structure in WORDS - {"not-judged"}
    assert ((judged.stability_ >= 0) & (judged.stability_ <= 1) | np.isnan(judged.stability_)).all()
    assert list(np.flatnonzero(judged.stability_ < 0.6)) == list(judged.verdict_.unstable)
    plain = small(name, random_state=0, verdict="none")
    assert warnings_of(plain, rows) == []
    assert plain.verdict_ is None
    assert plain.stability_.shape == (4,)
    assert np.isnan(plain.stability_).all()
    # The model differs in how sure it is of its clusters.
    assert np.array_equal(plain.labels_, judged.labels_)
    assert np.array_equal(plain.predict(rows), judged.predict(rows))


@pytest.mark.parametrize("name", ["KMeans", "LPVDN", "AutoencoderKMeans"])
def test_a_verdict_follows_from_the_seed_and_not_from_threads(name, digits, monkeypatch):
    monkeypatch.setattr(_threads, "cores", lambda: 2)
    rows, _ = digits
    one, two = (small(name, random_state=0, n_jobs=n).fit(rows).verdict_ for n in (1, 2))
    assert one == two
    assert one != small(name, random_state=1).fit(rows).verdict_


def test_a_verdict_is_kept_by_pickle_and_copy_and_not_by_clone_and_file(blobs, tmp_path):
    model = small("KMeans", random_state=0, verdict="auto").fit(blobs)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert again.verdict_ == model.verdict_
        assert np.array_equal(again.stability_, model.stability_)
    fresh = clone(model.set_params(verdict="none"))
    assert fresh.get_params()["verdict"] == "none"
    assert not hasattr(fresh, "verdict_")
    model.save(tmp_path / "model.safetensors")
    loaded = lpvdn.load(tmp_path / "model.safetensors")
    assert loaded.verdict == "auto"
    assert loaded.verdict_ is None
    assert np.isnan(loaded.stability_).all()
    with pytest.raises(AttributeError):
        model.verdict_.structure = "clear"


def test_a_verdict_does_not_outlive_the_fit_that_it_is_about(blobs):
    model = small("KMeans", random_state=0).fit(blobs)
    assert model.verdict_ is not None
    assert model.set_params(verdict="none").fit(blobs).verdict_ is None


@pytest.mark.parametrize("given", ["yes", True, None, np.array(["auto", "none"])])
def test_a_verdict_of_another_kind_is_refused(given, blobs):
    with pytest.raises(ValueError, match="'verdict' parameter of KMeans must be one of 'auto', 'none'"):
        small("KMeans", verdict=given).fit(blobs)


def test_what_cannot_be_judged_is_told_in_the_sentence_and_not_by_a_warning(blobs):
    model = small("KMeans", n_clusters=1, random_state=0)
    assert warnings_of(model, blobs) == []
    verdict = model.verdict_
    assert (verdict.structure, verdict.sentence) == ("not-judged", "not judged: there is a single cluster")
    assert (verdict.stability, verdict.null, verdict.figures, verdict.clusters) == (None, None, None, ())
    assert np.isnan(model.stability_).all()
    assert pickle.loads(pickle.dumps(verdict)) == verdict


def verdict_of(structure, clusters):
    null = NullStability(mean=0.1, deviation=0.02, largest=0.2, replicates=10)
    unstable = tuple(k for k, share in enumerate(clusters) if share is not None and share < 0.6)
    return Verdict(
        structure=structure, sentence=f"a sentence about {structure}", figures="the figures", stability=0.8,
        permuted=null, gaussian=null, clusters=tuple(clusters), unstable=unstable, refits=10, trained=False,
        way="leiden", rows=300, seconds=0.1,
    )  # fmt: skip


@pytest.mark.parametrize("structure", ["partial", "weak"])
def test_unstable_clusters_are_warned_of_by_their_numbers(structure):
    with pytest.warns(UnstableClustersWarning) as told:
        warn_of(verdict_of(structure, [0.9, 0.41, None, 0.2]), stacklevel=1)
    (warning,) = told
    assert warning.filename == __file__
    assert str(warning.message).startswith(
        f"a sentence about {structure} (refits find 0.20 of cluster 3, 0.41 of cluster 1 again; the figures). Try"
    )


def test_many_unstable_clusters_are_counted():
    with pytest.warns(UnstableClustersWarning, match="0.05 of cluster 5, and below 0.6 of 14 others again"):
        warn_of(verdict_of("weak", [k / 100 for k in range(20)]), stacklevel=1)


@pytest.mark.parametrize("structure", ["clear", "single-columns", "not-judged"])
def test_nobody_is_warned_of_other_verdicts(structure):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of(verdict_of(structure, [0.9, 0.8]), stacklevel=1)


def test_the_stability_of_a_cluster_without_rows_is_not_a_number():
    assert np.array_equal(stability_of(verdict_of("clear", [0.9, None]), 2), [0.9, np.nan], equal_nan=True)


def test_warnings_are_those_of_users():
    assert issubclass(NoStructureWarning, UserWarning)
    assert issubclass(UnstableClustersWarning, UserWarning)


def test_callbacks_hear_of_the_verdict_and_may_stop_it(blobs):
    class StopError(Exception):
        pass

    heard = []
    small("KMeans", random_state=0, callbacks=[heard.append]).fit(blobs)
    what = [event["what"] for event in heard if event["event"] == "working"]
    assert any("without any" in line for line in what)

    def stop(event):
        if event["event"] == "working" and "without any" in event["what"]:
            raise StopError

    model = small("LPVDN", random_state=0, warm_start=True, callbacks=[stop])
    with pytest.raises(StopError):
        model.fit(blobs)
    assert not hasattr(model, "labels_")
    again = []
    model.set_params(callbacks=[again.append]).fit(blobs)
    assert {event["phase"] for event in again if event["event"] == "epoch"} == {"settle"}, "the training was lost"
    assert model.verdict_ == small("LPVDN", random_state=0).fit(blobs).verdict_


INTERRUPTED = """
import os, signal, threading, time
import numpy as np
from lpvdn import AutoencoderKMeans

at = []

def interrupt():
    time.sleep(0.3)
    at.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

def hear(event):
    if event["event"] == "working" and "without any" in event["what"]:
        threading.Thread(target=interrupt).start()

rows = np.random.default_rng(0).normal(size=(4000, 60))
model = AutoencoderKMeans(20, layers=(16,), pretrain_epochs=1, n_init=1, random_state=0, callbacks=[hear])
try:
    model.fit(rows)
    print("finished")
except KeyboardInterrupt:
    print(time.monotonic() - at[0], hasattr(model, "labels_"))
"""


def test_an_interrupt_stops_a_verdict_within_a_second():
    script = textwrap.dedent(INTERRUPTED)
    out = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=60).stdout
    seconds, fitted = out.split()
    assert float(seconds) < 1.0
    assert fitted == "False"


def test_the_verdict_is_that_of_the_library(blobs):
    model = small("KMeans", random_state=0).fit(blobs)
    settings = '{"method": "kmeans", "clusters": 4, "seed": 0, "starts": 2}'
    fitted = _lpvdn.fit(settings, blobs, judge=True)
    assert Verdict.read(fitted.verdict) == model.verdict_
    assert _lpvdn.fit(settings, blobs).verdict is None


def test_the_page_shows_the_verdict(blobs, tmp_path):
    model = small("KMeans", random_state=0).fit(blobs)
    page = tmp_path / "page.html"
    model.explore(blobs, page, show=False)
    assert model.verdict_.sentence in page.read_text(encoding="utf-8")
    assert model.verdict_.figures in page.read_text(encoding="utf-8")
    model.set_params(verdict="none").fit(blobs).explore(blobs, page, show=False)
    assert '"verdict":null' in page.read_text(encoding="utf-8")


def test_a_notebook_shows_the_verdict(noise):
    with pytest.warns(NoStructureWarning):
        model = small("KMeans", random_state=0).fit(noise)
    assert "no structure found" in model._html_repr()
