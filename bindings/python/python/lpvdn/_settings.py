"""From the parameters of an estimator to the settings of the library, and back."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils._param_validation import InvalidParameterError

# Parameters that are called otherwise in the library; all others have `-` for `_`.
RENAMED = {
    "n_clusters": "clusters",
    "n_init": "starts",
    "batch_size": "batch",
    "self_training_batch_size": "refinement.batch",
}

# What says how a fit runs, what is said of it, or how the columns of a frame become values.
MANNERS = frozenset(
    {
        "random_state", "n_jobs", "verbose", "warm_start", "callbacks", "store", "space",
        "missing", "kinds", "weights", "verdict",
    }
)  # fmt: skip


class Kind(NamedTuple):
    """What a parameter may be."""

    words: str
    accepts: Callable[[Any], bool]


# The largest number of steps, epochs or units that the library counts.
MOST = 2**32 - 1


def _is_count(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and 0 <= int(value) <= MOST


def _is_sizes(value: Any) -> bool:
    is_sequence = value.ndim == 1 if isinstance(value, np.ndarray) else isinstance(value, list | tuple)
    return is_sequence and all(_is_count(size) for size in value)


def _is_number(value: Any) -> bool:
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _is_schedule(value: Any) -> bool:
    if isinstance(value, str):
        return value == "constant"
    if not isinstance(value, Mapping) or len(value) != 1:
        return False
    ((kind, parts),) = value.items()
    wanted = SCHEDULES.get(kind)
    if wanted is None or not isinstance(parts, Mapping) or set(parts) != set(wanted):
        return False
    return all(accepts(parts[name]) for name, accepts in wanted.items())


def word(*words: str) -> Kind:
    return Kind("one of " + ", ".join(map(repr, words)), lambda value: isinstance(value, str) and value in words)


# The parts of the schedules that have some.
SCHEDULES: dict[str, dict[str, Callable[[Any], bool]]] = {
    "step": {
        "every": lambda value: _is_count(value) and value >= 1,
        "factor": lambda value: _is_number(value) and 0 < value <= 1,
    },
    "cosine": {"floor": lambda value: _is_number(value) and 0 <= value <= 1},
}


COUNT = Kind(f"a whole number from 0 to {MOST}", _is_count)
AT_LEAST_ONE = Kind(f"a whole number from 1 to {MOST}", lambda value: _is_count(value) and value >= 1)
SIZES = Kind("a list or tuple of whole numbers, or a 1-D array of them", _is_sizes)
NUMBER = Kind("a finite number", _is_number)
FLAG = Kind("True or False", lambda value: isinstance(value, bool))
IMAGE = Kind("(height, width, channels)", lambda value: _is_sizes(value) and len(value) == 3)
SCHEDULE = Kind(
    "'constant', {'step': {'every': 10, 'factor': 0.95}} with every >= 1 and 0 < factor <= 1, or "
    "{'cosine': {'floor': 0.02}} with 0 <= floor <= 1",
    _is_schedule,
)

KINDS: dict[str, Kind] = {
    "affinities": word("latent", "rows", "both", "latent-graph", "row-graph", "both-graphs"),
    "alpha0": NUMBER,
    "alpha1": NUMBER,
    "batch_size": COUNT,
    "center_start": word("k-means", "graph", "rows", "auto"),
    "class_start": word("random", "graph", "rows", "auto"),
    "class_weight": NUMBER,
    "clustering": word("auto", "leiden", "graph", "k-means", "gaussian-mixture"),
    "company": COUNT,
    "components": COUNT,
    "critic_steps": COUNT,
    "discriminator_layers": SIZES,
    "district": COUNT,
    "divergence": NUMBER,
    "epochs": COUNT,
    "guided_steps": COUNT,
    "image": IMAGE,
    "init": word("fan-in", "xavier"),
    "interval": COUNT,
    "latent_dim": COUNT,
    "latent_penalty": NUMBER,
    "layers": SIZES,
    "likelihood": word("bernoulli", "gaussian"),
    "locality_layers": SIZES,
    "log_variance_bound": NUMBER,
    "lr": NUMBER,
    "mixture_starts": COUNT,
    "momentum": NUMBER,
    "n_init": COUNT,
    "negatives": word("shift", "independent"),
    "neighbors": COUNT,
    "noise_dim": COUNT,
    "noise_weight": NUMBER,
    "output_dim": COUNT,
    "perplexity": NUMBER,
    "pretrain_epochs": COUNT,
    "pretrain_lr": NUMBER,
    "prior_start": word("em", "graph", "rows", "auto"),
    "recipe": word("robust", "paper"),
    "refresh": COUNT,
    "restarts": COUNT,
    "scale": word("by-type", "auto", "none", "max", "standard", "norm"),
    "scale_locality_net": FLAG,
    "schedule": SCHEDULE,
    "self_training_batch_size": COUNT,
    "settle_epochs": COUNT,
    "steps": COUNT,
    "tolerance": NUMBER,
}

MISSING = word("error", "mean", "median", "most-frequent", "category")
COLUMN_KIND = word("number", "linear", "log", "category", "date", "boolean", "ignore")


def _is_weight(value: Any) -> bool:
    """The library has them in single precision."""
    if not _is_number(value):
        return False
    smallest, largest = np.finfo(np.float32).smallest_subnormal, np.finfo(np.float32).max
    return bool(smallest <= float(value) <= largest)


def _is_mapping(value: Any, accepts: Callable[[Any], bool]) -> bool:
    return isinstance(value, Mapping) and all(isinstance(name, str) and accepts(said) for name, said in value.items())


# Those of the parameters in MANNERS that nobody else checks.
MANNER_KINDS: dict[str, Kind] = {
    "verbose": Kind(
        "True, False or a whole number of at least 0",
        lambda value: isinstance(value, bool | np.bool_) or _is_count(value),
    ),
    "warm_start": Kind(FLAG.words, lambda value: isinstance(value, bool | np.bool_)),
    "verdict": word("auto", "none"),
    "store": Kind("a path or None", lambda value: value is None or isinstance(value, str | os.PathLike)),
    "missing": Kind("None or " + MISSING.words, lambda value: value is None or MISSING.accepts(value)),
    "kinds": Kind(
        f"None or a mapping from names of columns to {COLUMN_KIND.words}",
        lambda value: value is None or _is_mapping(value, COLUMN_KIND.accepts),
    ),
    "weights": Kind(
        "None or a mapping from names of columns to numbers above 0 that single precision holds",
        lambda value: value is None or _is_mapping(value, _is_weight),
    ),
}


def library_name(name: str) -> str:
    """What the library calls a parameter."""
    return RENAMED.get(name, name.replace("_", "-"))


def refuse(owner: str, name: str, wanted: str, value: Any) -> InvalidParameterError:
    """In scikit-learn's words and with its exception, which is both a ``ValueError`` and a ``TypeError``."""
    return InvalidParameterError(f"The {name!r} parameter of {owner} must be {wanted}. Got {value!r} instead.")


def written(owner: str, method: str, params: Mapping[str, Any], rows: int, seed: int) -> str:
    """The settings of a fit, as JSON. What is ``None`` is left to the recipe."""
    settings: dict[str, Any] = {"method": method, "seed": seed}
    for name, value in params.items():
        if name == "n_clusters":
            settings["clusters"] = _clusters(owner, method, value, rows)
        elif name not in MANNERS and value is not None:
            check(owner, name, KINDS[name], value)
            settings[library_name(name)] = value
    return json.dumps(settings, default=_plain)


def _plain(value: Any) -> Any:
    """NumPy's numbers as Python's."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return int(value) if isinstance(value, Integral) else float(value)


def check(owner: str, name: str, kind: Kind, value: Any) -> None:
    """Refuses what a parameter may not be."""
    if not kind.accepts(value):
        raise refuse(owner, name, kind.words, value)


def check_manners(owner: str, params: Mapping[str, Any]) -> None:
    """Refuses a manner of a fit that there is not: almost anything is true, and would be taken for a yes."""
    for name, kind in MANNER_KINDS.items():
        if name in params:
            check(owner, name, kind, params[name])


def at_least_one(name: str, value: Any) -> int:
    """An argument of a method that counts something."""
    if not AT_LEAST_ONE.accepts(value):
        raise ValueError(f"{name} must be {AT_LEAST_ONE.words}, got {value!r}")
    return int(value)


def _clusters(owner: str, method: str, value: Any, rows: int) -> int | list[int]:
    chosen = method in ("lpvdn", "vade")
    wanted = "a whole number of at least 1" + (", 'auto' or a range (from, to) with 2 <= from <= to" if chosen else "")
    if _is_count(value) and value >= 1:
        if rows < value:
            raise ValueError(f"n_samples={rows} should be >= n_clusters={value}.")
        return int(value)
    if chosen and isinstance(value, str) and value == "auto":
        # Clusters of one row are none.
        return [2, max(2, min(20, rows // 2))]
    if chosen and _is_sizes(value) and len(value) == 2 and 2 <= value[0] <= value[1]:
        if rows < value[1]:
            raise ValueError(f"n_samples={rows} should be >= n_clusters={value[1]}.")
        return [int(value[0]), int(value[1])]
    raise refuse(owner, "n_clusters", wanted, value)


def read(names: list[str], described: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters, among ``names``, of a model that is described so."""
    settings = dict(described["settings"])
    deeper = settings.get("refinement") or {}
    params: dict[str, Any] = {"n_clusters": described["clusters"], "random_state": described["seed"]}
    for name in names:
        key = library_name(name)
        value = deeper.get(key[11:]) if key.startswith("refinement.") else settings.get(key, deeper.get(key))
        if name not in params and name not in MANNERS and value is not None:
            params[name] = tuple(value) if isinstance(value, list) else value
    return params
