"""What an estimator with ``warm_start`` keeps: trainings to share, and the state of a fit that was stopped."""

from __future__ import annotations

import contextlib
from pathlib import Path
from tempfile import TemporaryDirectory


class Warm:
    """A folder that is gone with the estimator; a fit that was asked to stop may still be writing to it."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="lpvdn-", ignore_cleanup_errors=True)

    @property
    def store(self) -> Path:
        """Pre-trainings and trainings."""
        return Path(self._folder.name) / "store"

    @property
    def checkpoint(self) -> Path:
        """The state of a fit that was stopped."""
        return Path(self._folder.name) / "state.safetensors"

    def forget_state(self) -> None:
        """The fit has come to its end."""
        with contextlib.suppress(FileNotFoundError):
            self.checkpoint.unlink()
