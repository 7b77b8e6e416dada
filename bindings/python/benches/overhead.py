"""What Python adds to a fit: python overhead.py FOLDER_OF_MNIST|--smoke

The wall time of ``LPVDN.fit`` on MNIST against the seconds that the library itself counts for the same fit, and the
memory that the fit takes beside a C-ordered float32 array.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np
from _mnist import images
from lpvdn import LPVDN


def main() -> None:
    rows = np.ascontiguousarray(images(sys.argv[1]), dtype=np.float32) / np.float32(255)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model = LPVDN(10, pretrain_epochs=2, epochs=2, settle_epochs=2, random_state=1)
    start = time.perf_counter()
    model.fit(rows)
    wall = time.perf_counter() - start
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3
    added = 100 * (wall / model.fit_seconds_ - 1)
    print(f"wall {wall:.2f} s, library {model.fit_seconds_:.2f} s: {added:.2f} % more in Python")
    print(f"the array has {rows.nbytes / 1e6:.0f} MB; the fit took {more:.0f} MB beside it")


if __name__ == "__main__":
    main()
