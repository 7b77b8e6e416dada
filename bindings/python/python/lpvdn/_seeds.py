"""From ``random_state`` to the seed of the library."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

LARGEST = 2**31 - 1


def seed_of(random_state: Any) -> int:
    """A number is the seed itself, the same as that of the program; anything else draws one."""
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        if not 0 <= int(random_state) < 2**63:
            raise ValueError(f"random_state must be between 0 and 2**63 - 1, got {random_state}")
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(LARGEST))
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(LARGEST))
