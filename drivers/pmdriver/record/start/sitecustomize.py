"""Begin recording when an interpreter starts: ``portmeter record`` puts this folder on PYTHONPATH.

Python imports the first module `sitecustomize` on its path. The user's own module, if there is one,
runs afterwards. This folder does not stay on the path.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib.machinery import PathFinder


def _drop(folder: str) -> None:
    sys.path[:] = [at for at in sys.path if os.path.abspath(at) != folder]


def _begin(drivers: str) -> None:
    sys.path.insert(0, drivers)
    try:
        from pmdriver.record import begin

        begin.install(os.environ["PORTMETER_RECORD"])
    except Exception as error:
        sys.stderr.write(f"portmeter record: cannot record this process: {error!r}\n")
    finally:
        _drop(drivers)


def _run_own() -> None:
    """Run the user's own sitecustomize, which this module hides, as Python would."""
    spec = PathFinder.find_spec("sitecustomize")
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_HERE = os.path.dirname(os.path.abspath(__file__))
_drop(_HERE)
if os.environ.get("PORTMETER_RECORD"):
    _begin(os.path.dirname(os.path.dirname(os.path.dirname(_HERE))))
_run_own()
