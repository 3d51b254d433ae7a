"""Replace drivers/inventory.py in tests: walk through a framework once, then repeat the answer.

A walk through PyTorch takes ten seconds of a processor, and many tests need its names.
``tests/run`` copies this file into the home of those tests, beside a link to ``pmdriver``; what the
first walk of an interpreter wrote is kept there.
"""

from __future__ import annotations

import fcntl
import runpy
import sys
from pathlib import Path


def main(framework: str, path: str) -> None:
    """Write the names of a framework to `path`, walking through it only if nobody has."""
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
