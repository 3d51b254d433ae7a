"""What this process asks of Linux that the standard library has no name for."""

from __future__ import annotations

import ctypes
import os
import signal

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36

_libc = ctypes.CDLL(None, use_errno=True)
_prctl = _libc.prctl
_prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
_fflush = _libc.fflush
_fflush.argtypes = [ctypes.c_void_p]


def _set(option: int, value: int) -> None:
    if _prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option} failed")


def die_with_parent() -> None:
    """Ask for SIGKILL when the parent's thread that started this process ends."""
    _set(_PR_SET_PDEATHSIG, signal.SIGKILL)


def become_subreaper() -> None:
    """Become the parent of whatever a child of this process leaves behind."""
    _set(_PR_SET_CHILD_SUBREAPER, 1)


def flush_c_streams() -> None:
    """Write out what C libraries printed and hold in a buffer."""
    _fflush(None)


def close_inherited() -> None:
    """Close every descriptor beyond the standard three."""
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
