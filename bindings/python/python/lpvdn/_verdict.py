"""The verdict: whether clusters are more than what data without any would give, and which of them refits find again."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

# What a user can do about clusters that are none.
REMEDIES = "Try another n_clusters, or more or other columns; verdict='none' leaves the verdict out."


class NoStructureWarning(UserWarning):
    """The clusters are no more stable than those of data without any."""


class UnstableClustersWarning(UserWarning):
    """There is structure, but refits do not find some of the clusters again."""


@dataclass(frozen=True, slots=True)
class NullStability:
    """How much halves of data without clusters agree."""

    mean: float
    deviation: float
    largest: float
    replicates: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of the clusters of a fit; ``str`` gives the sentence.

    Attributes
    ----------
    structure : {"clear", "partial", "weak", "single-columns", "none", "not-judged"}
    sentence : str
        The same in words.
    figures : str or None
        The figures behind it, in words.
    stability : float or None
        The mean adjusted Rand index between partitions of disjoint halves of the rows. None if nothing was judged.
    permuted, gaussian : NullStability or None
        The same of rows with permuted columns, and of a Gaussian with the covariance of the rows.
    clusters : tuple of (float or None)
        For each cluster the share that refits find again; None where too little is known.
    unstable : tuple of int
        The clusters whose mean Jaccard index with those of refits is below .6.
    refits : int
        How many refits that is the mean of.
    trained : bool
        Whether these were short trainings.
    way : str
        How halves were divided.
    rows : int
        The rows that were looked at.
    seconds : float
        What the verdict took. Verdicts that differ in nothing else are equal.
    """

    structure: str
    sentence: str
    figures: str | None
    stability: float | None
    permuted: NullStability | None
    gaussian: NullStability | None
    clusters: tuple[float | None, ...]
    unstable: tuple[int, ...]
    refits: int
    trained: bool
    way: str
    rows: int
    seconds: float = field(compare=False)

    @property
    def null(self) -> NullStability | None:
        """That of ``permuted`` and ``gaussian`` which counts: the more stable one."""
        if self.permuted is None or self.gaussian is None:
            return None
        return self.gaussian if self.gaussian.mean > self.permuted.mean else self.permuted

    def __str__(self) -> str:
        return self.sentence

    @classmethod
    def read(cls, text: str) -> Self:
        """From the words of the library."""
        told = json.loads(text)
        judged = told["structure"] != "not-judged"

        def null(name: str) -> NullStability | None:
            known = {key: told[name][key] for key in NullStability.__slots__}
            return NullStability(**known) if judged else None

        return cls(
            structure=told["structure"],
            sentence=told["sentence"],
            figures=told["figures"],
            stability=told["stability"] if judged else None,
            permuted=null("permuted"),
            gaussian=null("gaussian"),
            clusters=tuple(told["clusters"]),
            unstable=tuple(told["unstable"]),
            refits=told["refits"],
            trained=told["trained"],
            way=told["way"],
            rows=told["rows"],
            seconds=told["seconds"],
        )


def stability_of(verdict: Verdict | None, clusters: int) -> NDArray[np.float64]:
    """The stability of each of so many clusters, NaN where it is not known."""
    found = np.full(clusters, np.nan)
    if verdict is not None and len(verdict.clusters) == clusters:
        found[:] = [np.nan if share is None else share for share in verdict.clusters]
    return found


def for_the_page(verdict: Verdict | None) -> dict[str, Any] | None:
    """What the explorer page shows of a verdict."""
    if verdict is None:
        return None
    return {name: getattr(verdict, name) for name in ("structure", "sentence", "figures", "clusters", "unstable")}


def warn_of(verdict: Verdict, stacklevel: int) -> None:
    """Warns of clusters that are not to be relied on. ``stacklevel`` is that of the caller."""
    if verdict.structure == "none":
        message = f"{verdict.sentence} ({verdict.figures}). {REMEDIES}"
        warnings.warn(message, NoStructureWarning, stacklevel=stacklevel + 1)
    elif verdict.structure in ("partial", "weak"):
        message = f"{verdict.sentence} ({_shares(verdict)}; {verdict.figures}). {REMEDIES}"
        warnings.warn(message, UnstableClustersWarning, stacklevel=stacklevel + 1)


def _shares(verdict: Verdict, most: int = 6) -> str:
    """How much of the unstable clusters is found again, the least first."""
    shares = sorted((verdict.clusters[k] or 0.0, k) for k in verdict.unstable)
    named = ", ".join(f"{share:.2f} of cluster {k}" for share, k in shares[:most])
    more = f", and below 0.6 of {len(shares) - most} others" if len(shares) > most else ""
    return f"refits find {named}{more} again"
