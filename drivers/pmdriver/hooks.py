"""What the standard library does at every fork, left out where there is nothing to do.

`threading` and `logging` make new locks in a child, because another thread may have held one at the
fork. A driver has one thread; its child then stands where its parent does, and needs what the
parent needs, which touches a hundred pages less: a twentieth of the time that a case takes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, Optional

_SPARED = (
    ("threading", "_after_fork"),
    ("logging", "_after_at_fork_child_reinit_locks"),
)

Hook = Optional[Callable[[], object]]

_register = os.register_at_fork
_has_threads = True  # at the last fork, other than the one that forked


def _look() -> None:
    global _has_threads
    threading = sys.modules.get("threading")
    known = threading.active_count() if threading else 0
    # The first knows threads that `threading` did not start, the second those that only begin.
    _has_threads = len(sys._current_frames()) > 1 or known != 1


def _spared(in_child: Any, in_parent: Hook) -> Callable[[], object]:
    """Give the hook that runs the first in the child of many threads, the second in that of one."""

    def run() -> None:
        if _has_threads:
            in_child()
        elif in_parent is not None:
            in_parent()

    return run


def _register_sparing(
    *, before: Hook = None, after_in_child: Hook = None, after_in_parent: Hook = None
) -> None:
    origin = (
        getattr(after_in_child, "__module__", None),
        getattr(after_in_child, "__qualname__", None),
    )
    if origin in _SPARED:
        after_in_child = _spared(after_in_child, after_in_parent)
    hooks = {
        "before": before,
        "after_in_child": after_in_child,
        "after_in_parent": after_in_parent,
    }
    _register(**{name: hook for name, hook in hooks.items() if hook is not None})


def spare() -> None:
    """Leave out, from now on, what those hooks do where a fork does not need it.

    To be called before anything imports them, once.
    """
    os.register_at_fork = _register_sparing
    _register(before=_look)
