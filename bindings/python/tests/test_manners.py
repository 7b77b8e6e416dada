"""How a fit behaves towards the program around it."""

from __future__ import annotations

import copy
import gc
import io
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
import types
import warnings

import numpy as np
import pytest
from conftest import ESTIMATORS, small
from lpvdn import LPVDN, KMeans, _threads
from lpvdn._threads import threads_of
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from threadpoolctl import threadpool_limits


def test_other_threads_run_meanwhile(digits):
    """A thread that counts in Python goes on counting while another fits."""
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    start = time.monotonic()
    small("LPVDN", epochs=300, random_state=0).fit(digits[0])
    seconds, during = time.monotonic() - start, counted[0] - before
    done.set()
    thread.join()
    assert during > 20 * seconds, f"{during} times in {seconds:.2f} s"


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
from lpvdn import {method}
from sklearn.datasets import load_digits

rows, _ = load_digits(return_X_y=True)
at = []

def interrupt():
    time.sleep(1.0)
    at.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

model = {method}(10, random_state=0, warm_start=True, {settings})
threading.Thread(target=interrupt).start()
try:
    model.fit(rows)
    print("finished")
except KeyboardInterrupt:
    print(time.monotonic() - at[0], hasattr(model, "labels_"), os.path.exists(model._warm.checkpoint))
"""


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("LPVDN", "epochs=100_000"),
        ("DEC", "pretrain_epochs=100_000"),
        ("ClusterGAN", "steps=1_000_000, class_start='random'"),
        ("ClusterGAN", "pretrain_epochs=100_000"),
    ],
)
def test_an_interrupt_stops_a_fit_within_a_second(method, settings):
    script = textwrap.dedent(INTERRUPTED.format(method=method, settings=settings))
    out = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    seconds, fitted, kept = out.split()
    assert float(seconds) < 1.0
    assert (fitted, kept) == ("False", "True")


UNSTOPPABLE = """
import os, signal, threading, time
import numpy as np
from lpvdn import {method}

at = []

def interrupt():
    time.sleep(1.0)
    at.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

rows = np.random.default_rng(0).random((50_000, 64), dtype=np.float32)
model = {method}(100, n_init=1000, random_state=0)
if {fitted}:
    few = rows[:200]
    model.set_params(n_init=1).fit(few).set_params(n_init=1000)
    before = model.predict(few)
threading.Thread(target=interrupt).start()
try:
    model.fit(rows)
    print("finished")
except KeyboardInterrupt:
    del rows
    seconds = time.monotonic() - at[0]
    print(seconds, np.array_equal(model.predict(few), before) if {fitted} else hasattr(model, "labels_"))
"""


@pytest.mark.parametrize("method", ["KMeans", "GaussianMixture"])
@pytest.mark.parametrize("fitted", [False, True])
def test_an_interrupt_does_not_wait_for_what_cannot_be_stopped(method, fitted):
    """K-means looks for no signal between its starts; it goes on by itself, with rows that nobody else has any more.

    The estimator is as it was before: not fitted, or fitted to other rows.
    """
    script = textwrap.dedent(UNSTOPPABLE).format(method=method, fitted=fitted)
    out = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=60).stdout
    seconds, same = out.split()
    assert float(seconds) < 1.0
    assert same == str(fitted)


class StopError(Exception):
    pass


@pytest.mark.parametrize("name", ["LPVDN", "VaDE", "DEC", "VAEKMeans", "ClusterGAN"])
def test_a_fit_that_was_stopped_goes_on_to_the_same_model(name, digits):
    """The last step before the exception is in the state; what comes after is trained once."""
    rows, _ = digits
    more = {"steps": 1500} if name == "ClusterGAN" else {}
    wanted = small(name, random_state=3, **more).fit(rows)
    seen = []

    def stop(event):
        seen.append(event)
        if event["event"] == "epoch" and event["phase"] == "joint" and len(seen) < 10**6:
            raise StopError

    model = small(name, random_state=3, warm_start=True, callbacks=[stop], **more)
    with pytest.raises(StopError):
        model.fit(rows)
    assert not hasattr(model, "labels_")
    with pytest.raises(NotFittedError):
        model.predict(rows)
    again = []
    model.set_params(callbacks=[again.append]).fit(rows)
    assert model.model_.to_bytes() == wanted.model_.to_bytes()
    assert not any(event.get("phase") == "pretrain" and event["event"] == "epoch" for event in again)


def test_a_fit_waits_for_the_state_of_one_that_is_slow_to_stop(digits):
    """A step here takes about as long as an interrupt is waited for, so the state may come after the exception."""
    rows = np.tile(digits[0], (8, 1))
    epochs = []

    def stop(event):
        if event["event"] == "epoch":
            epochs.append(event["epoch"])
            if event["epoch"] >= 2:
                raise StopError

    slow = {"layers": (1500, 1500), "batch_size": len(rows), "pretrain_epochs": 50}
    model = small("AutoencoderKMeans", random_state=0, warm_start=True, callbacks=[stop], **slow)
    for _ in range(2):
        with pytest.raises(StopError):
            model.fit(rows)
    assert epochs[:2] == [1, 2]
    assert epochs[2] > 2


def test_the_state_of_other_rows_is_no_use(digits):
    rows, _ = digits

    def stop(event):
        if event["event"] == "epoch":
            raise StopError

    model = small("VaDE", random_state=3, warm_start=True, callbacks=[stop])
    with pytest.raises(StopError):
        model.fit(rows)
    model.set_params(callbacks=None).fit(rows[:200])
    assert model.model_.to_bytes() == small("VaDE", random_state=3).fit(rows[:200]).model_.to_bytes()


def test_a_failed_fit_leaves_the_earlier_one(digits):
    rows, _ = digits
    model = small("VaDE", random_state=0).fit(rows)
    with pytest.raises(ValueError, match="must be"):
        model.set_params(lr="fast").fit(rows[:, :10])
    assert model.n_features_in_ == 64
    assert np.array_equal(model.predict(rows), model.labels_)


@pytest.mark.parametrize("name", ["LPVDN", "VaDE", "DEC", "ClusterGAN", "AutoencoderKMeans", "VAEKMeans"])
def test_initial_clusters_are_told_before_the_training_but_not_in_the_papers_recipe(name, digits):
    rows, _ = digits
    events = []
    given = {"random_state": 0, "callbacks": [events.append]}
    estimator = small(name, **given).fit(rows)
    kinds = [event["event"] for event in events]
    assert kinds.count("initial") == 1
    assert kinds.index("initial") < kinds.index("epoch")
    initial = next(event for event in events if event["event"] == "initial")
    assert len(initial["labels"]) == len(rows)
    assert set(initial["labels"]) == set(range(estimator.n_clusters))
    events.clear()
    # The paper has no graph to settle on.
    settling = {"settle_epochs": None} if name == "LPVDN" else {}
    small(name, recipe="paper", **settling, **given).fit(rows)
    assert "initial" not in [event["event"] for event in events]


def test_a_warm_start_does_not_train_again_what_is_the_same(digits):
    rows, _ = digits
    epochs = []
    model = small("LPVDN", random_state=0, warm_start=True, callbacks=[epochs.append]).fit(rows)
    assert sum(e["event"] == "epoch" and e["phase"] == "pretrain" for e in epochs) == 5
    epochs.clear()
    model.set_params(alpha1=3.0).fit(rows)
    assert sum(e["event"] == "epoch" and e["phase"] == "pretrain" for e in epochs) == 0
    assert model.model_.to_bytes() == small("LPVDN", random_state=0, alpha1=3.0).fit(rows).model_.to_bytes()


@pytest.mark.parametrize("random_state", [None, np.random.default_rng(3), np.random.RandomState(3)])
def test_a_warm_start_keeps_the_seed_that_was_drawn(random_state, digits):
    """With another one nothing would be the same, and nothing shared."""
    rows, _ = digits
    epochs = []
    model = small("LPVDN", random_state=random_state, warm_start=True, callbacks=[epochs.append]).fit(rows)
    first = model.model_.to_bytes()
    for again in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model.set_params(callbacks=None)))):
        assert again.fit(rows).model_.to_bytes() == first
    epochs.clear()
    model.set_params(alpha1=3.0, callbacks=[epochs.append]).fit(rows)
    assert any(e["event"] == "epoch" for e in epochs)
    assert not any(e["event"] == "epoch" and e["phase"] == "pretrain" for e in epochs)


def seeds_of_two_fits(rows, change, **given):
    model = small("VaDE", **given)
    seeds = []
    for _ in range(2):
        seeds.append(json.loads(model.fit(rows).model_.describe())["seed"])
        model.set_params(**change)
    return seeds


def test_another_random_state_draws_another_seed(digits):
    rows, _ = digits
    other = {"random_state": np.random.default_rng(2)}
    for random_state in (None, 7, np.random.default_rng(1)):
        first, second = seeds_of_two_fits(rows, other, random_state=random_state, warm_start=True)
        assert first != second
    first, second = seeds_of_two_fits(rows, {"warm_start": False}, random_state=None, warm_start=True)
    assert first != second
    first, second = seeds_of_two_fits(rows, {}, random_state=None)
    assert first != second


def test_a_fit_without_a_seed_goes_on_where_it_was_stopped(digits):
    rows, _ = digits

    def stop(event):
        if event["event"] == "epoch" and event["phase"] == "joint":
            raise StopError

    model = small("VaDE", warm_start=True, callbacks=[stop])
    with pytest.raises(StopError):
        model.fit(rows)
    again = []
    model.set_params(callbacks=[again.append]).fit(rows)
    assert not any(event["event"] == "epoch" and event["phase"] == "pretrain" for event in again)


def test_a_store_is_shared_between_estimators(digits, tmp_path):
    rows, _ = digits
    epochs = []
    small("AutoencoderKMeans", random_state=0, store=tmp_path).fit(rows)
    small("DEC", random_state=0, store=tmp_path, callbacks=[epochs.append]).fit(rows)
    assert not any(e["event"] == "epoch" and e["phase"] == "pretrain" for e in epochs)


def test_a_store_that_cannot_be_used_is_told_of(digits, tmp_path):
    """The model is fitted all the same."""
    rows, _ = digits
    no_folder = tmp_path / "file"
    no_folder.write_text("")
    with pytest.warns(UserWarning, match="could not be kept"):
        model = small("VaDE", random_state=0, store=no_folder).fit(rows)
    assert model.model_.to_bytes() == small("VaDE", random_state=0).fit(rows).model_.to_bytes()


def test_a_collapse_is_told_once(digits):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        small("VaDE", n_clusters=10, divergence=100.0, lr=0.05, random_state=0, verdict="none").fit(digits[0])
    assert {warning.category for warning in told} == {ConvergenceWarning}
    assert len({str(warning.message) for warning in told}) == len(told)


def test_what_a_warm_start_keeps_is_gone_with_the_estimator_without_a_warning(digits):
    model = small("VaDE", random_state=0, warm_start=True).fit(digits[0])
    folder = model._warm.store.parent
    assert folder.exists()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        del model
        gc.collect()
    assert not folder.exists()
    assert told == []


def test_sizes_may_be_an_array(digits):
    rows, _ = digits
    array, sizes = (small("VaDE", layers=layers, random_state=0).fit(rows) for layers in (np.array([8, 4]), (8, 4)))
    assert array.model_.to_bytes() == sizes.model_.to_bytes()


@pytest.mark.parametrize("name", ["LPVDN", "KMeans"])
def test_a_fork_after_a_fit_can_fit_too(name, digits):
    rows, _ = digits
    model = small(name, random_state=0).fit(rows)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            same = np.array_equal(model.predict(rows), model.labels_)
            again = small(name, random_state=0).fit(rows)
            status = 0 if same and np.array_equal(again.labels_, model.labels_) else 2
        finally:
            os._exit(status)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child did not come to an end")


def test_threads_are_as_many_as_may_be(monkeypatch):
    monkeypatch.setattr(_threads, "cores", lambda: 4)
    for n_jobs, threads in ((3, 3), (np.int64(3), 3), (-1, 4), (-2, 3), (-10_000, 1), (5, 4), (10**9, 4), (10**30, 4)):
        assert threads_of(KMeans(n_jobs=n_jobs)) == threads, n_jobs
    with threadpool_limits(1):
        assert threads_of(KMeans()) == 1
    with pytest.raises(ValueError, match="n_jobs == 0"):
        threads_of(KMeans(n_jobs=0))


@pytest.mark.parametrize("n_jobs", ["a", 2.5, True])
@pytest.mark.parametrize("error", [ValueError, TypeError])
def test_what_is_no_number_of_threads_is_refused(n_jobs, error, digits):
    message = f"The 'n_jobs' parameter of KMeans must be an instance of 'int' or None. Got {n_jobs!r} instead."
    with pytest.raises(error, match=re.escape(message)):
        small("KMeans", n_jobs=n_jobs).fit(digits[0])
    fitted = small("KMeans", random_state=0).fit(digits[0]).set_params(n_jobs=n_jobs)
    with pytest.raises(error, match=re.escape(message)):
        fitted.predict(digits[0])


def test_a_billion_threads_are_as_many_as_there_are_cores(digits):
    """More of them would not be made in this lifetime."""
    small("LPVDN", n_jobs=10**9, random_state=0).fit(digits[0]).predict(digits[0])


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_result_does_not_depend_on_threads(name, digits, monkeypatch):
    monkeypatch.setattr(_threads, "cores", lambda: 2)
    rows, _ = digits
    one, two = (small(name, random_state=0, n_jobs=n).fit(rows).model_.to_bytes() for n in (1, 2))
    assert one == two


def test_callbacks_see_every_epoch(digits):
    seen = []
    model = small("LPVDN", random_state=0, callbacks=[seen.append]).fit(digits[0])
    reports = [event for event in seen if event["event"] == "epoch"]
    assert [(r["phase"], r["epoch"]) for r in reports] == [(h["phase"], h["epoch"]) for h in model.history_]
    assert len(reports) == 5 + 5 + 2
    assert seen[0]["plan"]["rows"] == 300


def test_progress_is_lines_where_nobody_sees_it_move(digits, capsys):
    small("LPVDN", random_state=0, verbose=1).fit(digits[0])
    shown = capsys.readouterr().err
    assert "epoch" in shown or "neighbours" in shown
    small("LPVDN", random_state=0).fit(digits[0])
    assert capsys.readouterr().err == ""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_a_line_that_moves_in_a_terminal(digits, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    small("LPVDN", random_state=0, verbose=1).fit(digits[0])
    shown = terminal.getvalue()
    assert "epoch 5/5" in shown
    assert "\n" not in shown
    assert shown.endswith("\r\x1b[K")


def test_progress_is_a_line_that_moves_in_a_notebook(digits, monkeypatch):
    shown = []

    class Handle:
        def display(self, data, raw):
            shown.append(data["text/plain"])

        update = display

    notebook = types.ModuleType("IPython")
    notebook.get_ipython = lambda: types.SimpleNamespace(kernel=1)
    display = types.ModuleType("IPython.display")
    display.DisplayHandle = Handle
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    small("LPVDN", random_state=0, verbose=1, restarts=2).fit(digits[0])
    assert any("candidate 2 of 2" in line for line in shown)
    assert any("settling" in line and "epoch 2/2" in line for line in shown)
    assert shown[-1] == ""


def test_numbers_and_generators_are_seeds(digits):
    rows, _ = digits

    def model(random_state):
        return small("KMeans", random_state=random_state).fit(rows).model_.to_bytes()

    assert model(np.random.default_rng(5)) == model(np.random.default_rng(5))
    assert model(np.random.RandomState(5)) == model(np.random.RandomState(5))
    assert model(5) == model(np.int64(5))
    with pytest.raises(ValueError, match="random_state"):
        model(-1)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_clusters": 0}, "'n_clusters' parameter of LPVDN must be a whole number"),
        ({"n_clusters": "many"}, "'n_clusters' parameter of LPVDN must be"),
        ({"n_clusters": 301}, "n_samples=300 should be >= n_clusters=301"),
        ({"epochs": 2.5}, "'epochs' parameter of LPVDN must be a whole number"),
        ({"layers": "big"}, "'layers' parameter of LPVDN must be a list or tuple"),
        ({"layers": ()}, "layers: at least one hidden layer"),
        ({"clustering": "dbscan"}, "must be one of 'auto', 'leiden', 'graph', 'k-means', 'gaussian-mixture'"),
        ({"space": "rows"}, "'space' parameter of LPVDN"),
        ({"lr": -1.0}, "lr must be a positive number"),
        ({"lr": float("nan")}, "The 'lr' parameter of LPVDN must be a finite number. Got nan instead."),
        ({"lr": float("inf")}, "The 'lr' parameter of LPVDN must be a finite number. Got inf instead."),
        ({"alpha1": 10**400}, "'alpha1' parameter of LPVDN must be a finite number"),
        ({"epochs": 2**32}, "'epochs' parameter of LPVDN must be a whole number from 0 to 4294967295"),
        ({"clustering": np.array(["graph", "k-means"])}, "'clustering' parameter of LPVDN must be one of"),
        ({"space": np.array(["latent", "rows"])}, "'space' parameter of LPVDN must be one of"),
        ({"n_clusters": (5, 2)}, "'n_clusters' parameter of LPVDN must be .* a range"),
        ({"n_clusters": (2, 301)}, "n_samples=300 should be >= n_clusters=301"),
        ({"callbacks": print}, "'callbacks' parameter of LPVDN must be a list of callables or None"),
        ({"callbacks": [3]}, "'callbacks' parameter of LPVDN must be a list of callables or None"),
        ({"verbose": "yes"}, "'verbose' parameter of LPVDN must be True, False or a whole number of at least 0"),
        ({"verbose": -1}, "'verbose' parameter of LPVDN must be"),
        ({"warm_start": "no"}, "The 'warm_start' parameter of LPVDN must be True or False. Got 'no' instead."),
        ({"store": 3}, "The 'store' parameter of LPVDN must be a path or None. Got 3 instead."),
        ({"layers": np.array([[8]])}, "'layers' parameter of LPVDN must be"),
        ({"layers": np.array([8.0])}, "'layers' parameter of LPVDN must be"),
        ({"latent_dim": 0}, "latent_dim: every size"),
        ({"likelihood": "bernoulli", "scale": "none"}, 'likelihood="gaussian"'),
    ],
)
def test_a_wrong_parameter_is_named(params, message, digits):
    with pytest.raises(ValueError, match=message):
        small("LPVDN", **params).fit(digits[0])


@pytest.mark.parametrize(
    "schedule",
    [
        {},
        "linear",
        5,
        {"step": {}},
        {"step": {"every": 0, "factor": 0.5}},
        {"step": {"every": 1.5, "factor": 0.5}},
        {"step": {"every": 1, "factor": float("nan")}},
        {"step": {"every": 1, "factor": 0.5, "more": 1}},
        {"cosine": 0.5},
        {"cosine": {"floor": 2.0}},
        {"step": {"every": 1, "factor": 0.5}, "cosine": {"floor": 0.5}},
    ],
)
def test_a_schedule_that_is_none_is_refused_with_those_that_are(schedule, digits):
    message = rf"The 'schedule' parameter of LPVDN must be 'constant', .*\. Got {re.escape(repr(schedule))} instead\."
    with pytest.raises(ValueError, match=message):
        small("LPVDN", schedule=schedule).fit(digits[0])


def test_an_image_has_three_sizes(digits):
    with pytest.raises(ValueError, match=r"'image' parameter of ClusterGAN must be \(height, width, channels\)"):
        small("ClusterGAN", image=(8, 8)).fit(digits[0])


def test_what_cannot_be_clustered_is_refused(digits):
    rows, _ = digits
    with pytest.raises(ValueError, match="all 20 rows are equal"):
        small("KMeans").fit(np.ones((20, 3)))
    with pytest.raises(ValueError, match="contains NaN"):
        small("KMeans").fit(np.where(rows == rows[5, 5], np.nan, rows))
    with pytest.raises(ValueError, match="inf"):
        small("KMeans").fit(np.where(rows == 0, 1e300, rows))
    with pytest.raises(NotFittedError, match="not fitted yet"):
        KMeans().predict(rows)


def test_a_collapse_is_told(digits):
    with pytest.warns(ConvergenceWarning, match="collapsed"):
        small("VaDE", n_clusters=10, divergence=100.0, lr=0.05, random_state=0).fit(digits[0])


def test_the_number_of_clusters_can_be_chosen(digits):
    model = small("LPVDN", n_clusters="auto", random_state=0).fit(digits[0])
    assert 2 <= model.n_clusters_ <= 20
    assert [point["clusters"] for point in model.search_["curve"]] == list(range(2, 21))
    model = small("VaDE", n_clusters=(3, 4), restarts=2, random_state=0).fit(digits[0])
    assert model.n_clusters_ in (3, 4)
    assert len(model.search_["candidates"]) == 2
    with pytest.raises(ValueError, match="'n_clusters' parameter of KMeans"):
        small("KMeans", n_clusters="auto").fit(digits[0])


def test_the_package_loads_in_a_moment():
    """Beyond what NumPy takes."""
    script = "import time, numpy; t = time.perf_counter(); import lpvdn; print(time.perf_counter() - t)"
    times = [float(subprocess.check_output([sys.executable, "-c", script])) for _ in range(3)]
    assert min(times) < 0.2


def test_nothing_but_numpy_is_loaded_before_it_is_needed():
    script = "import sys, lpvdn; print([m for m in ('sklearn', 'scipy', 'pandas', 'matplotlib') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", script], text=True).strip() == "[]"
    script = """
import sys
sys.modules["sklearn"] = None
import lpvdn
print(lpvdn.metrics.purity([0, 1], [1, 0]))
try:
    lpvdn.LPVDN
except ImportError as error:
    print(error)
"""
    out = subprocess.check_output([sys.executable, "-c", script], text=True)
    assert out.splitlines() == ["1.0", "lpvdn.LPVDN needs scikit-learn: pip install scikit-learn"]


def test_the_interpreter_may_end_while_a_fit_runs():
    script = """
import threading
from lpvdn import LPVDN
from sklearn.datasets import load_digits
rows, _ = load_digits(return_X_y=True)
threading.Thread(target=LPVDN(10, epochs=10_000).fit, args=(rows,), daemon=True).start()
import time; time.sleep(0.5)
print("end")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr


def test_estimators_are_told_apart_by_what_they_were_given():
    assert repr(LPVDN(10, alpha1=3.0)) == "LPVDN(alpha1=3.0, n_clusters=10)"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="what the machine has is known on Linux")
def test_layers_that_no_machine_can_hold_are_refused_with_the_figure(digits):
    with pytest.raises(MemoryError, match=r"MB of memory are needed, and \d+ MB may be taken"):
        LPVDN(n_clusters=3, layers=[1 << 20, 1 << 20]).fit(digits[0])
