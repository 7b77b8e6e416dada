"""Data frames with columns of every kind: the values, and the model, of the file that they would be saved as."""

from __future__ import annotations

import datetime
import json
import os
import pickle
import subprocess
import warnings
from decimal import Decimal

import lpvdn
import numpy as np
import pytest
from conftest import small
from lpvdn import KMeans
from sklearn.base import clone

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def customers(rows=400, seed=0):
    """Two plans whose customers differ, a city and a date that say nothing, and ids."""
    rng = np.random.default_rng(seed)
    plus = np.arange(rows) % 2 == 1
    income = rng.lognormal(np.where(plus, 11, 9), 0.3)
    income[::37] = np.nan
    days = rng.integers(0, 365, rows)
    return pandas.DataFrame(
        {
            "customer_id": [f"C{100_000 + i}" for i in range(rows)],
            "signup": [str(datetime.date(2024, 1, 1) + datetime.timedelta(days=int(day))) for day in days],
            "income": income,
            "visits": rng.poisson(np.where(plus, 9, 2)),
            "plan": np.where(plus, "plus", "free"),
            "city": rng.choice(["Jena", "Ulm", "Leipzig"], rows),
            "newsletter": np.where(rng.random(rows) < np.where(plus, 0.9, 0.2), "yes", "no"),
        }
    ), plus


@pytest.fixture
def program():
    found = os.environ.get("LPVDN_PROGRAM")
    if found is None:
        pytest.skip("LPVDN_PROGRAM does not name the program")
    return found


def of_the_program(program, file, folder, *options):
    out = folder / "out"
    fit = [program, "fit", file, "-k", "2", "-o", out, "--seed", "0", "--missing", "mean", *options]
    subprocess.run([str(part) for part in fit], check=True, capture_output=True)
    table = np.genfromtxt(out / "labels.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
    return table["cluster"], out / "model.safetensors"


@pytest.mark.filterwarnings("ignore:column .* is left out")
@pytest.mark.parametrize("name", ["KMeans", "AutoencoderKMeans"])
def test_a_frame_gives_the_labels_of_the_program(name, program, tmp_path):
    frame, _ = customers()
    frame.to_csv(tmp_path / "customers.csv", index=False)
    method = {"KMeans": "kmeans", "AutoencoderKMeans": "ae-kmeans"}[name]
    few = [] if name == "KMeans" else ["--pretrain-epochs", "2"]
    labels, _ = of_the_program(program, tmp_path / "customers.csv", tmp_path, "--method", method, *few)
    given = {} if name == "KMeans" else {"pretrain_epochs": 2}
    estimator = getattr(lpvdn, name)(2, missing="mean", random_state=0, **given)
    assert np.array_equal(estimator.fit(pandas.read_csv(tmp_path / "customers.csv")).labels_, labels)
    if name == "KMeans":
        frame.to_parquet(tmp_path / "customers.parquet")
        again, _ = of_the_program(program, tmp_path / "customers.parquet", tmp_path, "--method", method, "--force")
        assert np.array_equal(again, labels)


@pytest.mark.filterwarnings("ignore:column .* is left out")
def test_each_reads_the_models_of_the_other(program, tmp_path):
    frame, _ = customers()
    frame.to_csv(tmp_path / "customers.csv", index=False)
    labels, file = of_the_program(program, tmp_path / "customers.csv", tmp_path, "--method", "kmeans")
    loaded = lpvdn.load(file)
    assert loaded.missing == "mean"
    assert np.array_equal(loaded.predict(frame), labels)
    assert np.array_equal(loaded.predict(polars.from_pandas(frame)), labels)
    ours = KMeans(2, missing="mean", random_state=0).fit(frame)
    ours.save(tmp_path / "ours.safetensors")
    command = [program, "predict", tmp_path / "ours.safetensors", tmp_path / "customers.csv", "-o", tmp_path / "p.csv"]
    subprocess.run([str(part) for part in command], check=True, capture_output=True)
    predicted = np.genfromtxt(tmp_path / "p.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
    assert np.array_equal(predicted["cluster"], ours.labels_)


@pytest.mark.filterwarnings("ignore:column .* is left out")
def test_frames_of_every_library_give_one_model():
    frame, _ = customers()
    frame["signup"] = pandas.to_datetime(frame["signup"])
    frame["city"] = frame["city"].astype("category")
    frame["newsletter"] = frame["newsletter"] == "yes"
    arrow = pyarrow.Table.from_pandas(frame, preserve_index=False)
    forms = {
        "pandas": frame,
        "pandas with arrow's types": arrow.to_pandas(types_mapper=pandas.ArrowDtype),
        "pandas with nullable types": frame.convert_dtypes(),
        "polars": polars.from_arrow(arrow),
        "pyarrow": arrow,
        "a record batch": arrow.combine_chunks().to_batches()[0],
    }
    wanted = None
    for form, given in forms.items():
        model = KMeans(2, missing="mean", random_state=0).fit(given)
        assert list(model.value_names_) == [
            "signup", "income", "visits", "plan=free", "plan=plus",
            "city=Jena", "city=Leipzig", "city=Ulm", "newsletter",
        ], form  # fmt: skip
        assert model.missing_counts_ == {"income": 11}, form
        assert model.columns_left_out_ == ["customer_id"], form
        wanted = model.labels_ if wanted is None else wanted
        assert np.array_equal(model.labels_, wanted), form
        assert np.array_equal(model.predict(given), wanted), form


def test_the_columns_that_say_something_decide():
    frame, plus = customers()
    with pytest.warns(UserWarning, match='column "customer_id" has another value in every row, as ids do'):
        model = KMeans(2, missing="mean", random_state=0).fit(frame)
    agreement = np.mean((model.labels_ == 1) == plus)
    assert max(agreement, 1 - agreement) > 0.9
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Nothing is said of columns that are not looked at.
        assert np.array_equal(model.predict(frame[::-1])[::-1], model.labels_)
        assert np.array_equal(model.predict(frame[frame.columns[::-1]]), model.labels_)
        assert np.array_equal(model.predict(frame.drop(columns="customer_id")), model.labels_)


@pytest.mark.filterwarnings("ignore:column .* is left out")
@pytest.mark.parametrize("name", ["LPVDN", "DEC", "VaDE", "VAEKMeans", "AutoencoderKMeans", "ClusterGAN", "KMeans"])
def test_every_estimator_takes_frames(name, tmp_path):
    frame, _ = customers(120)
    model = small(name, random_state=0, missing="median").fit(frame)
    assert list(model.feature_names_in_) == list(frame.columns)
    assert np.array_equal(model.predict(frame), model.labels_)
    assert model.transform(frame).shape[0] == 120
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(frame), model.labels_)
    model.save(tmp_path / "model.safetensors")
    loaded = lpvdn.load(tmp_path / "model.safetensors")
    assert np.array_equal(loaded.predict(frame), model.labels_)
    assert (loaded.missing, clone(loaded).missing) == ("median", "median")
    assert model.explore(frame, tmp_path / "page.html", show=False).endswith("page.html")
    assert "plan=free" in (tmp_path / "page.html").read_text()


def test_missing_values_are_refused_by_name_unless_something_stands_for_them():
    frame, _ = customers()
    frame = frame.drop(columns="customer_id")
    with pytest.raises(ValueError, match='column "income" has a missing value in row 0; fill it in, or pass missing='):
        KMeans(2).fit(frame)
    frame.loc[5, "plan"] = None
    models = {
        missing: KMeans(2, missing=missing, random_state=0).fit(frame)
        for missing in ("mean", "median", "most-frequent", "category")
    }
    assert models["mean"].missing_counts_ == {"income": 11, "plan": 1}
    assert "plan=missing" in models["category"].value_names_
    assert "plan=missing" not in models["mean"].value_names_
    fills = [json.loads(model.model_.describe())["reading"]["columns"][1]["numbers"] for model in models.values()]
    assert fills[1]["fill"] == pytest.approx(np.nanmedian(frame["income"].astype(np.float32)))
    whole = frame.dropna()
    strict = KMeans(2, random_state=0).fit(whole)
    with pytest.raises(ValueError, match='"income" has a missing value in row 0'):
        strict.predict(frame)


def test_arrays_with_missing_numbers_are_filled_in_too():
    rows = np.random.default_rng(0).normal(size=(60, 3)) + 5 * (np.arange(60) % 2)[:, None]
    holes = rows.copy()
    holes[::9, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        KMeans(2).fit(holes)
    model = KMeans(2, missing="mean", random_state=0).fit(holes)
    truth = KMeans(2, random_state=0).fit(rows).labels_
    assert np.array_equal(model.labels_, truth)
    assert np.array_equal(model.predict(holes), truth)
    assert model.missing_counts_ == {"1": 7}
    with pytest.raises(ValueError, match="X has 2 features, but KMeans is expecting 3"):
        model.predict(holes[:, :2])


def test_what_the_user_says_of_a_column_holds():
    frame, _ = customers()
    frame["zip"] = np.arange(len(frame)) % 7 + 10_000
    said = {"zip": "category", "customer_id": "ignore", "visits": "log", "newsletter": "category"}
    model = KMeans(2, missing="mean", kinds=said, weights={"income": 3}, random_state=0).fit(frame)
    names = list(model.value_names_)
    assert names.count("zip=10003") == 1
    assert "newsletter=no" in names
    columns = {column["name"]: column for column in json.loads(model.model_.describe())["reading"]["columns"]}
    assert columns["visits"]["transform"] == "log"
    assert columns["income"]["weight"] == 3
    assert "customer_id" not in columns
    frame["price"] = [f"${1000 + i:,}.50" for i in range(len(frame))]
    money = KMeans(2, missing="mean", kinds={"price": "number", "customer_id": "ignore"}, random_state=0).fit(frame)
    assert "price" in money.value_names_


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"missing": "guess"}, "'missing' parameter of KMeans must be None or one of 'error', 'mean'"),
        ({"kinds": {"plan": "words"}}, "'kinds' parameter of KMeans must be None or a mapping"),
        ({"weights": {"plan": 0}}, "'weights' parameter of KMeans must be None or a mapping"),
        ({"kinds": {"plans": "category"}}, 'there is no column "plans"; the columns are "customer_id", "signup"'),
        ({"kinds": {"plan": "number"}}, 'column "plan", row 0: "free" is no number; correct it, or say in kinds'),
        ({"kinds": {"city": "boolean"}}, 'column "city" is to be read as one of two words'),
        ({"kinds": {"city": "date"}}, 'column "city", row 0: ".*" is no date'),
    ],
)
def test_what_cannot_be_is_refused(given, match):
    frame, _ = customers()
    with pytest.raises(ValueError, match=match):
        KMeans(2, **{"missing": "mean", **given}).fit(frame)


def test_names_are_only_for_frames():
    with pytest.raises(ValueError, match=r"kinds names columns, and X \(ndarray\) has no names"):
        KMeans(2, kinds={"a": "log"}).fit(np.zeros((30, 2)))


def test_cells_of_every_type_are_read():
    rows = 40
    odd = np.arange(rows) % 2 == 1
    frame = pandas.DataFrame(
        {
            "decimal": [Decimal(i % 5) / 4 for i in range(rows)],
            "date": [datetime.date(2024, 1, 1 + i % 28) for i in range(rows)],
            "moment": [datetime.datetime(2024, 1, 1, i % 24, tzinfo=datetime.UTC) for i in range(rows)],
            "zoned": pandas.date_range("2024-01-01", periods=rows, tz="Europe/Berlin"),
            "truth": [bool(i) for i in odd],
            "maybe": pandas.array([None if i % 10 == 0 else bool(i % 2) for i in range(rows)], dtype="boolean"),
            "whole": pandas.array([None if i % 10 == 0 else i % 7 for i in range(rows)], dtype="Int64"),
            "interval": pandas.cut(np.arange(rows) % 9, 3),
            "vector": [np.array([i % 3, 1.0, i % 2], dtype=np.float32) for i in range(rows)],
        }
    )
    model = KMeans(2, missing="mean", random_state=0).fit(frame)
    names = list(model.value_names_)
    for name in ("decimal", "date", "moment", "zoned", "truth", "maybe", "whole", "vector_0", "vector_2"):
        assert name in names, name
    assert sum(name.startswith("interval=(") for name in names) == 3
    assert model.missing_counts_ == {"maybe": 4, "whole": 4}
    kinds = {column["name"]: column for column in json.loads(model.model_.describe())["reading"]["columns"]}
    assert all("dates" in kinds[name] for name in ("date", "moment", "zoned"))
    assert all("booleans" in kinds[name] for name in ("truth", "maybe"))


@pytest.mark.parametrize(
    ("cells", "match"),
    [
        ([b"a"] * 30, "column 'odd', row 0 holds bytes"),
        ([{"a": 1}] * 30, "column 'odd', row 0 holds dict"),
        ([1 + 2j] * 30, "column 'odd', row 0 holds complex"),
        ([[1, 2]] * 29 + [[1]], "column 'odd', row 29 has a vector of the shape"),
        ([["x"]] * 30, "column 'odd', row 0 holds no vector of numbers"),
        ([datetime.timedelta(1)] * 30, "column 'odd', row 0 holds Timedelta"),
    ],
)
def test_cells_of_other_types_are_refused_by_name(cells, match):
    frame = pandas.DataFrame({"x": np.arange(30.0) ** 2, "odd": pandas.Series(cells)})
    with pytest.raises((TypeError, ValueError), match=match):
        KMeans(2).fit(frame)


def test_a_frame_of_numbers_stays_the_array_that_it_is(digits):
    frame = pandas.DataFrame(digits[0], columns=[f"p{i}" for i in range(64)])
    model = small("KMeans", random_state=0).fit(frame)
    assert not hasattr(model, "value_names_")
    assert np.array_equal(model.labels_, small("KMeans", random_state=0).fit(digits[0]).labels_)


@pytest.mark.parametrize("ids", ["row_id", "n"])
def test_numbers_that_name_rows_are_left_out_of_a_frame_of_numbers(ids, tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 2)) + 5 * (np.arange(60) % 2)[:, None]
    frame = pandas.DataFrame(rows, columns=["a", "b"])
    frame[ids] = rng.permutation(60) + 1000 if ids == "row_id" else np.arange(60)
    with pytest.warns(UserWarning, match=f'column "{ids}" .*, and is left out'):
        model = KMeans(2, random_state=0).fit(frame)
    assert np.array_equal(model.labels_, KMeans(2, random_state=0).fit(rows).labels_)
    assert np.array_equal(model.predict(frame), model.labels_)
    model.save(tmp_path / "model.safetensors")
    loaded = lpvdn.load(tmp_path / "model.safetensors")
    assert np.array_equal(loaded.predict(frame), model.labels_)
    assert np.array_equal(loaded.predict(rows), model.labels_)


def test_new_words_are_told_of_and_known_ones_decide():
    frame, _ = customers()
    frame = frame.drop(columns="customer_id")
    model = KMeans(2, missing="mean", random_state=0).fit(frame)
    frame.loc[:2, "city"] = "Bonn"
    with pytest.warns(UserWarning, match='3 of 400 cells of column "city" hold words that the model has not seen'):
        model.predict(frame)
    with pytest.raises(ValueError, match='fitted to a column "plan", which is not there'):
        model.predict(frame.drop(columns="plan"))


def test_frames_of_nothing_are_refused():
    frame, _ = customers()
    with pytest.raises(ValueError, match="minimum of"):
        KMeans(2).fit(frame[:0])
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        KMeans(2).fit(frame[[]])
    with pytest.raises(ValueError, match='no column is left: column "customer_id" has another value in every row'):
        KMeans(2).fit(frame[["customer_id"]])


def test_names_that_are_numbers_are_places():
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({0: rng.normal(size=40), 1: rng.normal(size=40) * 9, 2: rng.choice(["u", "v"], 40)})
    model = KMeans(2, random_state=0).fit(frame)
    assert np.array_equal(model.predict(frame), model.labels_)
    assert not hasattr(model, "feature_names_in_")
