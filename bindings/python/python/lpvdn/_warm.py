"""What an estimator with ``warm_start`` keeps: trainings to share, and the state of a fit that was stopped."""

from __future__ import annotations

import contextlib
import shutil
import weakref
from pathlib import Path
from tempfile import mkdtemp


class Warm:
    """A folder that is gone with the estimator; a fit that was asked to stop may still be writing to it."""

    def __init__(self) -> None:
        self._folder = Path(mkdtemp(prefix="lpvdn-"))
        # Not TemporaryDirectory, which warns where nobody calls its cleanup: an estimator has no end to call it at.
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    @property
    def store(self) -> Path:
        """Pre-trainings and trainings."""
        return self._folder / "store"

    @property
    def checkpoint(self) -> Path:
        """The state of a fit that was stopped."""
        return self._folder / "state.safetensors"

    def forget_state(self) -> None:
        """The fit has come to its end."""
        with contextlib.suppress(FileNotFoundError):
            self.checkpoint.unlink()
