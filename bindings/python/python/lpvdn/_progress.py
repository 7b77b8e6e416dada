"""How far a fit is, in terminals, in notebooks and in logs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

PHASES = {"pretrain": "pre-training", "joint": "training", "settle": "settling"}
WIDTH = 24
# Seconds between two lines: a line that is drawn over itself, and one that stays.
REDRAW = 0.1
REPEAT = 10.0


class Progress:
    """A line that is drawn over itself. Where that cannot be, in a log, a line now and then."""

    def __init__(self) -> None:
        self._draw = _drawing()
        self._pause = REDRAW if self._draw else REPEAT
        self._shown = 0.0
        self._candidate = ""

    def __call__(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "trying":
            self._candidate = f"candidate {event['number']} of {event['of']}, "
            self(event["inner"])
            self._candidate = ""
        elif kind == "epoch":
            self._show(_bar(event), last=event["epoch"] == event["epochs"])
        elif kind == "working":
            self._show(str(event["what"]), last=True)

    def end(self) -> None:
        """Nothing more comes."""
        if self._draw:
            self._draw("", True)

    def _show(self, text: str, *, last: bool) -> None:
        now = time.monotonic()
        if now - self._shown < self._pause and not (last and self._draw):
            return
        self._shown = now
        line = self._candidate + text
        if self._draw:
            self._draw(line, False)
        else:
            print(line, file=sys.stderr, flush=True)


def _bar(report: dict[str, Any]) -> str:
    done = report["epoch"] / max(1, report["epochs"])
    bar = "█" * round(WIDTH * done) + "░" * (WIDTH - round(WIDTH * done))
    phase = PHASES.get(report["phase"], report["phase"])
    left = max(0, round(report["seconds_left"]))
    return (
        f"{phase:12} {bar} epoch {report['epoch']}/{report['epochs']}, loss {report['loss']:.4g}, "
        f"{left // 60}:{left % 60:02} left"
    )


def _drawing() -> Callable[[str, bool], None] | None:
    """What draws a line over itself here: ``draw(line, the_last_one)``."""
    display = _notebook()
    if display:
        return display
    if not sys.stderr.isatty():
        return None

    def draw(line: str, _end: bool) -> None:
        sys.stderr.write("\r\x1b[K" + line)
        sys.stderr.flush()

    return draw


def _notebook() -> Callable[[str, bool], None] | None:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import DisplayHandle

    handle: Any = DisplayHandle()
    handle.display({"text/plain": ""}, raw=True)

    def draw(line: str, _end: bool) -> None:
        handle.update({"text/plain": line}, raw=True)

    return draw
