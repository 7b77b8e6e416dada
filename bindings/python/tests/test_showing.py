"""What can be seen."""

from __future__ import annotations

import json

import numpy as np
import pytest
from conftest import small
from lpvdn._showing import map_of
from sklearn.exceptions import NotFittedError

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def model(digits):
    return small("LPVDN", random_state=0).fit(digits[0])


def test_a_notebook_shows_the_map_and_the_scores(model):
    shown = model._repr_html_()
    assert shown.count("<circle") == 300
    assert "silhouette" in shown
    assert model._repr_mimebundle_()["text/html"].count("<circle") == 300
    assert "<circle" not in small("LPVDN")._repr_html_()


def test_the_map_is_the_plane_of_most_variance():
    random = np.random.default_rng(0)
    rows = random.normal(size=(500, 5)) * [0.1, 5.0, 0.1, 2.0, 0.1]
    points = map_of(rows)
    assert np.abs(np.corrcoef(points[:, 0], rows[:, 1])[0, 1]) > 0.99
    assert np.abs(np.corrcoef(points[:, 1], rows[:, 3])[0, 1]) > 0.99
    assert map_of(rows[:, :1]).shape == (500, 2)


def test_figures_are_drawn(model):
    import matplotlib.pyplot as plt

    _, (left, right) = plt.subplots(1, 2)
    assert len(model.plot_map(left).collections) == len(set(model.labels_))
    assert [line.get_label() for line in model.plot_history(right).lines] == ["pre-training", "training", "settling"]
    assert len(model.plot_samples(3).axes) == 3 * 4
    with pytest.raises(ValueError, match="no pictures of 7 × 7"):
        model.plot_samples(shape=(7, 7))
    plt.close("all")


def test_without_axes_a_figure_of_its_own_is_drawn(model):
    import matplotlib.pyplot as plt

    _, mine = plt.subplots()
    drawn = [model.plot_map(), model.plot_history()]
    assert len({id(ax.figure) for ax in [mine, *drawn]}) == 3
    assert not mine.has_data()
    plt.close("all")


@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
def test_the_legend_of_a_map_lies_over_no_other_axes(layout, model):
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, layout=layout)
    legend = model.plot_map(left).get_legend()
    model.plot_history(right)
    figure.canvas.draw()
    assert legend.get_window_extent().x1 <= right.get_tightbbox().x0
    alone = model.plot_map()
    alone.figure.canvas.draw()
    assert alone.get_legend().get_window_extent().x1 <= alone.figure.bbox.x1
    plt.close("all")


def test_what_has_no_history_says_why(model, digits, tmp_path):
    import lpvdn

    with pytest.raises(ValueError, match="KMeans has no epochs"):
        small("KMeans", random_state=0).fit(digits[0]).plot_history()
    model.save(tmp_path / "model")
    with pytest.raises(AttributeError, match="does not know how it was trained"):
        lpvdn.load(tmp_path / "model").plot_history()
    for draw in ("plot_map", "plot_history", "plot_samples"):
        with pytest.raises(NotFittedError, match="This LPVDN instance is not fitted yet"):
            getattr(small("LPVDN"), draw)()


def test_what_is_not_there_is_not_drawn(digits, tmp_path):
    import lpvdn

    rows, _ = digits
    fitted = small("KMeans", random_state=0).fit(rows)
    with pytest.raises(AttributeError, match="KMeans has no samples"):
        fitted.plot_samples()
    fitted.save(tmp_path / "model")
    with pytest.raises(AttributeError, match="does not know its training rows"):
        lpvdn.load(tmp_path / "model").plot_map()


def manifest(page):
    text = page.read_text()
    return json.loads(text.split('id="manifest">')[1].split("</script>")[0])


def test_a_page_shows_the_clusters_and_the_map_stays_in_the_model(model, digits, tmp_path):
    rows, classes = digits
    place = tmp_path / "page.html"
    before = model.predict(rows)
    assert model.explore(rows, place, y=classes, show=False) == str(place)
    told = manifest(place)
    assert (told["kind"], told["rows"], len(told["clusters"])) == ("pictures", len(rows), 4)
    assert told["labels"] == sorted({str(c) for c in classes})
    assert told["training"]["epochs"]
    with_map = model.model_.to_bytes()
    again = tmp_path / "again.html"
    model.explore(rows, again, y=classes, show=False)
    assert again.read_bytes() == place.read_bytes()
    assert model.model_.to_bytes() == with_map
    assert np.array_equal(model.predict(rows), before)
    model.explore(rows, place, n_axes=3, max_rows=50, image_shape=(8, 8), show=False)
    assert (manifest(place)["map"]["axes"], manifest(place)["rows"]) == (3, 50)


def test_a_page_that_cannot_be_made_is_refused(model, digits, tmp_path):
    rows, classes = digits
    with pytest.raises(ValueError, match="y has 3 entries"):
        model.explore(rows, tmp_path / "x.html", y=classes[:3], show=False)
    with pytest.raises(ValueError, match="no pictures of the shape"):
        model.explore(rows, tmp_path / "x.html", image_shape=(7, 7), show=False)
    with pytest.raises(ValueError, match="n_axes"):
        model.explore(rows, tmp_path / "x.html", n_axes=4, show=False)
    with pytest.raises(ValueError, match="max_rows"):
        model.explore(rows, tmp_path / "x.html", max_rows=2.5, show=False)
    nowhere = tmp_path / "nowhere" / "x.html"
    with pytest.raises(FileNotFoundError) as raised:
        model.explore(rows, nowhere, show=False)
    assert raised.value.filename == str(nowhere)


def test_texts_and_columns_of_a_frame_are_named_on_the_page(tmp_path):
    from lpvdn import LPVDN, TextLPVDN

    texts = ["the cat sat <script>", "a cat and a dog", "stocks fell", "the market and its stocks"] * 10
    small_net = LPVDN(layers=(8,), pretrain_epochs=3, epochs=3)
    fitted = TextLPVDN(2, estimator=small_net, random_state=0).fit(texts)
    place = tmp_path / "texts.html"
    fitted.explore(texts, place, show=False)
    told = manifest(place)
    assert told["kind"] == "texts"
    assert "stocks" in {column["name"] for column in told["columns"]}
    assert "<script>window" not in place.read_text()
    assert not hasattr(fitted.estimator_, "feature_names_in_")
    assert len(fitted.predict(texts)) == 40
