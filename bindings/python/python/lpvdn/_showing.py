"""A fitted estimator to look at: in notebooks, and as figures."""

from __future__ import annotations

import html
import math
import os
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from lpvdn._settings import at_least_one

COLORS = (
    "#4e79a7", "#f28e2b", "#e15759", "#76b7b2", "#59a14f", "#edc948", "#b07aa1", "#ff9da7", "#9c755f", "#bab0ac",
)  # fmt: skip
# Points on a map: more would be drawn over each other.
MOST_POINTS = 2000
PHASES = {"pretrain": "pre-training", "joint": "training", "settle": "settling"}


def map_of(embedding: NDArray[Any]) -> NDArray[np.float64]:
    """The two directions in which codes vary most. Seen so, clusters may lie over each other that are apart."""
    centred = np.asarray(embedding, dtype=np.float64)
    centred = centred - centred.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    axes = vectors[:, ::-1][:, :2]
    # A direction and its opposite are alike: the one whose largest part is positive is taken.
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    points = np.zeros((len(centred), 2))
    points[:, : axes.shape[1]] = centred @ axes
    return points


def some_rows(count: int) -> NDArray[np.int64]:
    """At most ``MOST_POINTS`` of so many rows, evenly from everywhere."""
    return np.unique(np.linspace(0, count - 1, min(count, MOST_POINTS)).astype(np.int64))


def color(cluster: int) -> str:
    """Of a cluster; with more than ten they are used again."""
    return COLORS[int(cluster) % len(COLORS)]


class Showing:
    """What can be seen of an estimator."""

    # Whether there is anything to draw over epochs.
    _has_epochs: ClassVar[bool] = True

    def _html_repr(self) -> str:
        shown: str = super()._html_repr()  # type: ignore[misc]
        return shown + _summary(self) if hasattr(self, "labels_") else shown

    def plot_map(self, ax: Any = None) -> Any:
        """Draw the codes of the training rows, in the two directions in which they vary most.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Those of a new figure if not given.

        Returns
        -------
        ax
        """
        labels, embedding = self._training_rows()
        ax = _axes(ax)
        points = map_of(embedding)
        for cluster in np.unique(labels):
            of_cluster = points[labels == cluster]
            ax.scatter(*of_cluster.T, s=4, color=color(cluster), label=str(cluster), linewidths=0)
        ax.set(xticks=[], yticks=[], title=f"{type(self).__name__}: {len(labels):,} rows")
        _legend_of_clusters(ax)
        return ax

    def plot_history(self, ax: Any = None) -> Any:
        """Draw the loss over the epochs, phase by phase, each on the scale of its own range.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Those of a new figure if not given.

        Returns
        -------
        ax
        """
        self._check_fitted()
        if not self._has_epochs:
            raise ValueError(f"{type(self).__name__} has no epochs: there is no history to draw")
        if not hasattr(self, "history_"):
            raise AttributeError("a model from a file does not know how it was trained; fit one to see its history")
        history: list[dict[str, Any]] = self.history_
        ax = _axes(ax)
        start = 0
        for phase in dict.fromkeys(report["phase"] for report in history):
            losses = np.array([report["loss"] for report in history if report["phase"] == phase])
            spread = float(np.ptp(losses)) or 1.0
            epochs = start + np.arange(1, len(losses) + 1)
            ax.plot(epochs, (losses - losses.min()) / spread, label=PHASES.get(phase, phase))
            start += len(losses)
        ax.set(xlabel="epoch", ylabel="loss, from its lowest to its highest")
        if history:
            ax.legend(frameon=False)
        return ax

    def plot_samples(self, n_samples: int = 8, shape: tuple[int, int] | None = None) -> Any:
        """Draw new rows of each cluster, as pictures.

        Parameters
        ----------
        n_samples : int
            Of each cluster.
        shape : (height, width), optional
            Of the picture that a row is; a square if it is not given.

        Returns
        -------
        figure
        """
        if not hasattr(self, "sample"):
            raise AttributeError(f"{type(self).__name__} has no samples")
        self._check_fitted()
        n_samples = at_least_one("n_samples", n_samples)
        import matplotlib.pyplot as plt

        columns = int(self.n_features_in_)  # type: ignore[attr-defined]
        side = round(columns**0.5)
        height, width = shape or (side, side)
        if height * width != columns:
            raise ValueError(f"rows of {columns} columns are no pictures of {height} × {width}; give their shape")
        clusters = int(self.n_clusters_)  # type: ignore[attr-defined]
        figure, axes = plt.subplots(clusters, n_samples, squeeze=False, figsize=(n_samples * 0.7, clusters * 0.7))
        for k in range(clusters):
            rows, _ = self.sample(n_samples, cluster=k)
            for row, ax in zip(rows, axes[k], strict=True):
                ax.imshow(row.reshape(height, width), cmap="gray_r")
                ax.set_axis_off()
        return figure

    def explore(
        self,
        X: Any,
        path: str | os.PathLike[str] = "explore.html",
        *,
        y: Any = None,
        ids: Any = None,
        texts: Any = None,
        image_shape: tuple[int, ...] | None = None,
        title: str = "X",
        n_axes: Literal[2, 3] | None = None,
        max_rows: int | None = None,
        show: bool = True,
    ) -> str:
        """Write a page on which the clusters of rows are seen, and open it in a browser.

        The page is one file that needs nothing beside it, the same as that of ``lpvdn explore``: a map, the rows
        themselves, what tells clusters apart, how sure the model is. The map is drawn when it is first wanted, and
        stays in ``model_`` if these are the rows of the training.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            The rows to show, of the training or others.
        path : path
            The file.
        y : array-like of shape (n_samples,), optional
            True classes, to compare with.
        ids, texts : sequences of str, optional
            What rows are called, and the texts that they were made from.
        image_shape : (height, width) or (height, width, 3), optional
            Of the picture that a row is; a square is guessed where rows look like one.
        title : str
        n_axes : 2 or 3, optional
            Of the map; as many as it has, else 2.
        max_rows : int, optional
            Of more rows so many are drawn by chance; 100,000 if it is not given.
        show : bool
            Whether to open it.

        Returns
        -------
        path : str
        """
        from lpvdn._page import write

        return write(
            self,
            X,
            path,
            y=y,
            ids=ids,
            texts=texts,
            image_shape=image_shape,
            title=title,
            n_axes=n_axes,
            max_rows=max_rows,
            show=show,
        )

    def _training_rows(self) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        self._check_fitted()
        if not hasattr(self, "labels_"):
            raise AttributeError("a model from a file does not know its training rows; fit one to see them")
        return self.labels_, self.embedding_  # type: ignore[attr-defined]

    def _check_fitted(self) -> None:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)


def _axes(ax: Any) -> Any:
    """Those that are given, or those of a new figure: the current ones may hold something else."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.figure(layout="constrained").add_subplot()


def _legend_of_clusters(ax: Any) -> None:
    """Beside the axes where the figure makes room for it, else inside: it would lie over the next axes."""
    columns = math.ceil(len(ax.collections) / 15)
    if ax.figure.get_layout_engine() is not None:
        ax.legend(markerscale=4, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5), ncols=columns)
    else:
        ax.legend(markerscale=4, loc="upper left", fontsize="x-small", framealpha=0.7, ncols=columns)


def _summary(estimator: Any) -> str:
    sizes = np.bincount(estimator.labels_, minlength=estimator.n_clusters_)
    facts = [
        ("rows", f"{len(estimator.labels_):,}"),
        ("clusters", f"{estimator.n_clusters_}, of {sizes.min():,} to {sizes.max():,} rows"),
        ("really in use", f"{estimator.effective_clusters_:.1f}"),
        *((name.replace("_", " "), f"{score:.3g}") for name, score in estimator.quality_.items() if score is not None),
        *([] if estimator.verdict_ is None else [("verdict", str(estimator.verdict_))]),
        ("fitted in", f"{estimator.fit_seconds_:.1f} s"),
    ]
    cells = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(fact)}</td></tr>" for name, fact in facts)
    return f'<div style="display:flex;gap:1em;align-items:center">{_picture(estimator)}<table>{cells}</table></div>'


def _picture(estimator: Any, size: int = 240) -> str:
    chosen = some_rows(len(estimator.labels_))
    points = map_of(estimator.embedding_)[chosen]
    low, spread = points.min(axis=0), np.ptp(points, axis=0)
    places = 6 + (size - 12) * (points - low) / np.where(spread > 0, spread, 1)
    dots = "".join(
        f'<circle cx="{x:.0f}" cy="{size - y:.0f}" r="1.5" fill="{color(label)}"/>'
        for (x, y), label in zip(places, estimator.labels_[chosen], strict=True)
    )
    return f'<svg width="{size}" height="{size}" role="img"><title>map of the codes</title>{dots}</svg>'
