"""Replaces drivers/inventory.py in tests: walks through a framework once, then repeats the answer.

A walk through PyTorch takes ten CPU seconds, and many tests need its names. ``tests/run`` copies
this file into the home of those tests, beside a link to ``pmdriver``. The output of each
interpreter's first walk is stored there.
"""

from __future__ import annotations

import fcntl
import runpy
import sys
from pathlib import Path


def main(framework: str, path: str) -> None:
    """Write the inventory of a framework to `path`; walk through it only the first time."""
    here = Path(__file__).parent
    kept = here / f"{framework}{sys.prefix.replace('/', '-')}.json"
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            part = kept.with_suffix(".part")
            drivers = (here / "pmdriver").resolve().parent
            sys.argv[2] = str(part)
            runpy.run_path(str(drivers / "inventory.py"), run_name="__main__")
            part.rename(kept)
    Path(path).write_bytes(kept.read_bytes())


if __name__ == "__main__":
    main(*sys.argv[1:])
