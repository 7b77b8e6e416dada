"""Runs one rival on one set with several seeds, and prints a JSON line for each run as it ends.

usage: rivals.py run METHOD FILE --kind KIND --clusters K [--seeds 1,2,3] [--threads 2] …
       rivals.py check FOLDER_OF_A_FIT

`cargo xtask rivals` starts it and records what it prints. A run that fails prints why, and the next seed follows.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from pathlib import Path


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run")
    run.add_argument("method")
    run.add_argument("file", type=Path)
    run.add_argument("--kind", required=True, choices=["table", "pixels", "vectors", "tfidf", "texts"])
    run.add_argument("--clusters", required=True, type=int)
    run.add_argument("--seeds", default="1,2,3", type=lambda text: [int(seed) for seed in text.split(",")])
    run.add_argument("--threads", default=2, type=int)
    run.add_argument("--label", default="label")
    for name in ("--ignored", "--money", "--classes"):
        run.add_argument(name, default=[], type=lambda text: text.split(","))
    check = commands.add_parser("check")
    check.add_argument("folder", type=Path)
    return parser.parse_args()


def _peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def _run(arguments: argparse.Namespace) -> None:
    import numpy as np
    from encoding import Source, read
    from methods import RIVALS, Job
    from scores import scores

    rival = RIVALS[arguments.method]
    source = Source(
        arguments.file, arguments.kind, arguments.label, arguments.ignored, arguments.money, arguments.classes
    )
    start = time.perf_counter()
    data = read(source)
    reading = time.perf_counter() - start
    classes = len(np.unique(data.truth))
    if classes != arguments.clusters:
        raise SystemExit(f"{arguments.file} has {classes} classes, and not {arguments.clusters}")
    job = Job(data.rows, arguments.clusters, source.sparse, arguments.threads)
    rival.warm_up(job)
    for seed in arguments.seeds:
        line = {"seed": seed, "version": rival.version}
        line |= {"rows": int(data.rows.shape[0]), "columns": int(data.rows.shape[1])}
        start = time.perf_counter()
        try:
            clusters = rival.run(job, seed)
            line["seconds"] = round(reading + time.perf_counter() - start, 3)
            line |= scores(data.truth, clusters)
            line |= {"found": len(set(clusters[clusters >= 0].tolist())), "noise": int((clusters < 0).sum())}
        except Exception as error:  # What a rival may raise is not known; the run failed in any case.
            line["failed"] = f"{type(error).__name__}: {error}"
        line["memory_mb"] = round(_peak_megabytes(), 1)
        print(json.dumps(line), flush=True)


def main() -> None:
    arguments = _arguments()
    if arguments.command == "check":
        from scores import check

        return check(arguments.folder)
    # These libraries look when they are loaded.
    for variable in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
        os.environ[f"{variable}_NUM_THREADS"] = str(arguments.threads)
    return _run(arguments)


if __name__ == "__main__":
    sys.exit(main())
