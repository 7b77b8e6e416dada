"""What can be seen."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import small
from lpvdn._showing import map_of

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


def test_what_is_not_there_is_not_drawn(digits, tmp_path):
    import lpvdn

    rows, _ = digits
    fitted = small("KMeans", random_state=0).fit(rows)
    with pytest.raises(AttributeError, match="KMeans has no samples"):
        fitted.plot_samples()
    fitted.save(tmp_path / "model")
    with pytest.raises(AttributeError, match="does not know its training rows"):
        lpvdn.load(tmp_path / "model").plot_map()
