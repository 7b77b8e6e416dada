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
    assert np.array_equal(lpvdn.load(file.parent).predict(frame), labels)
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
    assert list(model.value_names_) == list(frame.columns)
    assert (model.missing_counts_, model.columns_left_out_) == ({}, [])
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


def blocks(rows=400):
    rng = np.random.default_rng(2)
    return rng, np.arange(rows) % 2


@pytest.mark.parametrize("missing", ["mean", "median", "most-frequent"])
def test_what_stands_for_numbers_far_from_zero_lies_among_them(missing):
    rng, _ = blocks()
    frame = pandas.DataFrame({"t": 1.7e9 + 70 + rng.normal(0, 3, 400), "x": rng.normal(0, 1, 400)})
    frame.iloc[::20, 0] = np.nan
    labels = KMeans(2, missing=missing, random_state=0).fit(frame).labels_
    assert np.bincount(labels).min() > 60, "the filled rows are no cluster"


def test_a_category_is_the_same_whatever_its_type():
    rng, group = blocks()
    whole = pandas.Series(np.where(group, 1, 2))
    with_hole = whole.astype(float)
    with_hole[4] = np.nan
    x = rng.normal(0, 1, 400)
    fitted = pandas.DataFrame({"x": x, "c": with_hole.astype("category")})
    model = KMeans(2, missing="most-frequent", random_state=0).fit(fitted)
    assert list(model.value_names_) == ["x", "c=1", "c=2"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for cells in (whole.astype("category"), whole.astype(float), whole.astype(str)):
            again = model.predict(pandas.DataFrame({"x": x, "c": cells}))
            assert np.array_equal(np.delete(again, 4), np.delete(model.labels_, 4)), cells.dtype
    arrow = pyarrow.table({"x": x, "c": pyarrow.array(whole.to_numpy()).dictionary_encode()})
    assert list(KMeans(2, random_state=0).fit(arrow).value_names_) == ["x", "c=1", "c=2"]


def test_numbers_that_32_bits_hold_are_read_as_those_of_a_file(program, tmp_path):
    rng, group = blocks()
    frame = pandas.DataFrame({
        "x": rng.normal(0, 1, 400),
        "w": np.where(group, "a", "b"),
        "year": np.where(rng.random(400) < 0.1, 2023, 2024),
        "e": 100_000 + np.round(rng.normal(0, 3, 400)),
    })  # fmt: skip
    frame.loc[7, "e"] = 100_220
    frame.to_parquet(tmp_path / "f.parquet")
    labels, _ = of_the_program(program, tmp_path / "f.parquet", tmp_path, "--method", "kmeans")
    model = KMeans(2, random_state=0).fit(frame)
    assert np.array_equal(model.labels_, labels)
    model.save(tmp_path / "m.safetensors")
    command = [program, "predict", tmp_path / "m.safetensors", tmp_path / "f.parquet", "-o", tmp_path / "p.csv"]
    subprocess.run([str(part) for part in command], check=True, capture_output=True)


def test_missing_holds_for_predict_where_the_training_rows_are_whole():
    rng, group = blocks()
    rows = rng.normal(0, 1, (400, 2)) + 6 * group[:, None]
    holes = rows.copy()
    holes[3, 1] = np.nan
    model = KMeans(2, missing="mean", random_state=0)
    names = ["a", "b"]
    for form in (np.asarray, lambda X: pandas.DataFrame(X, columns=names), lambda X: polars.DataFrame(X, schema=names)):
        labels = model.fit(form(rows)).labels_
        assert np.array_equal(np.delete(model.predict(form(holes)), 3), np.delete(labels, 3))


def test_an_array_loses_no_columns_to_a_hole():
    rng, _ = blocks()
    rows = np.c_[np.arange(400.0), rng.normal(0, 1, (400, 2)), np.ones(400)].astype(np.float32)
    rows[5, 1] = np.nan
    model = KMeans(2, missing="mean", random_state=0).fit(rows)
    assert list(model.value_names_) == ["0", "1", "2", "3"]
    assert model.transform(rows).dtype == np.float32
    assert model.cluster_centers_.shape == (2, 4)


def test_kinds_of_vectors_are_refused():
    frame = pandas.DataFrame({"v": [[float(i), 1.0] for i in range(30)], "x": np.arange(30.0) ** 2})
    with pytest.raises(ValueError, match='column "v" holds vectors, which cannot be read as log'):
        KMeans(2, kinds={"v": "log"}).fit(frame)


def test_a_loaded_model_has_what_was_said_of_its_columns(tmp_path):
    rng, group = blocks()
    frame = pandas.DataFrame({"zip": 10_000 + group, "a": rng.lognormal(0, 1, 400), "b": rng.normal(0, 1, 400)})
    said = {"kinds": {"zip": "category", "a": "log"}, "weights": {"b": 3.0}}
    KMeans(2, random_state=0, **said).fit(frame).save(tmp_path / "m")
    loaded = lpvdn.load(tmp_path / "m")
    assert (loaded.kinds, loaded.weights) == (said["kinds"], said["weights"])
    assert list(loaded.value_names_) == ["zip=10000", "zip=10001", "a", "b"]
    labels = loaded.predict(frame)
    assert np.array_equal(loaded.fit(frame).labels_, labels)
    numbers = KMeans(2, random_state=0, weights={"b": 3.0}).fit(frame)
    numbers.save(tmp_path / "n")
    assert lpvdn.load(tmp_path / "n").weights == {"b": 3.0}


def test_arrays_are_taken_by_the_places_of_a_frame_or_by_the_columns_that_are_read(tmp_path):
    rng, group = blocks()
    frame = pandas.DataFrame({"n": np.arange(400), "x": rng.normal(0, 1, 400) + 6 * group, "y": rng.normal(0, 1, 400)})
    with pytest.warns(UserWarning, match="counts the rows"):
        model = KMeans(2, random_state=0).fit(frame)
    assert model.columns_left_out_ == ["n"]
    model.save(tmp_path / "m")
    for estimator in (model, lpvdn.load(tmp_path / "m")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert np.array_equal(estimator.predict(frame[["x", "y"]].to_numpy()), model.labels_)
    assert np.array_equal(model.predict(frame.to_numpy()), model.labels_)
    with pytest.raises(ValueError, match="X has 5 features"):
        model.predict(np.zeros((3, 5)))


def test_large_numbers_subclasses_and_odd_cells():
    big = pyarrow.table({"x": np.arange(30.0) ** 2, "user": [2**60 + i * i for i in range(30)]})
    assert KMeans(2, random_state=0).fit(big).n_features_in_ == 2

    class Mine(pandas.DataFrame):
        pass

    frame = Mine({"x": np.arange(30.0) ** 2, "w": ["a", "b"] * 15}, index=[f"r{i}" for i in range(30)])
    assert list(KMeans(2, random_state=0).fit(frame).value_names_) == ["x", "w=a", "w=b"]
    odd = pandas.DataFrame({"x": np.arange(30.0) ** 2, "o": pandas.Series([Decimal("NaN"), 10**400, *range(28)])})
    with pytest.raises(ValueError, match="column 'o', row 1 holds a number that is too large"):
        KMeans(2, missing="mean").fit(odd)
    odd["o"] = pandas.Series([Decimal("NaN"), np.datetime64("NaT"), *range(28)], dtype=object)
    assert KMeans(2, missing="mean", random_state=0).fit(odd).missing_counts_ == {"o": 2}
    with pytest.raises(ValueError, match="that single precision holds"):
        KMeans(2, weights={"x": 1e-60}).fit(odd)


def test_values_that_count_as_unknown_are_told_of():
    rng, group = blocks()
    frame = pandas.DataFrame({"a": rng.normal(0, 1, 400) + 6 * group, "b": rng.normal(0, 1, 400)})
    frame.loc[:2, "b"] = 1e9
    with pytest.warns(UserWarning, match="taken for unknown, because they lie absurdly far.*3 values of b"):
        KMeans(2, random_state=0).fit(frame)


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        (["yes", "no", True, False], ["a=false", "a=no", "a=true", "a=yes"]),
        ([True, False, "unknown", "refused"], ["a=false", "a=refused", "a=true", "a=unknown"]),
        ([False, "x", 7.0], ["a=7", "a=false", "a=x"]),
        ([True, False], ["a"]),
    ],
)
def test_truths_among_other_cells_are_words(cells, names):
    frame = pandas.DataFrame({"a": pandas.Series(cells * 15, dtype=object)})
    model = KMeans(2, random_state=0).fit(frame)
    assert list(model.value_names_) == names
    assert np.array_equal(model.predict(frame), model.labels_)
