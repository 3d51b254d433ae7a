"""Calls into Linux that the standard library lacks, and preparations of memory for forks."""

from __future__ import annotations

import ctypes
import functools
import gc
import os
import signal
from typing import Callable

_PR_SET_PDEATHSIG = 1
_PR_SET_PTRACER, _ANY = 0x59616D61, (1 << 8 * ctypes.sizeof(ctypes.c_ulong)) - 1
_PR_SET_CHILD_SUBREAPER = 36
_MADV_COLLAPSE = 25  # Linux 6.1
_HUGE = 2 << 20  # bytes of a huge page

# CPython's allocator (Objects/obmalloc.c): objects of up to 512 bytes are in pools of 4 or 16 KiB,
# each for one size, a multiple of 16 bytes.
_STEP, _MOST_SMALL, _POOL = 16, 512, 4096
_EMPTY_BYTES = 33  # an object of `bytes` without its items
_MOST_FILLING = 1 << 18  # bytes for each size
_filling: list[object] = []

_libc = ctypes.CDLL(None, use_errno=True)
_prctl = _libc.prctl
_prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
_madvise = _libc.madvise
_madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def _set(option: int, value: int) -> None:
    if _prctl(option, value, 0, 0, 0) != 0:
        raise OSError(
            ctypes.get_errno(), f"the kernel refused prctl {option}, which portmeter needs"
        )


def die_with_parent() -> None:
    """Have this process killed (SIGKILL) when the thread of the parent that started it ends."""
    _set(_PR_SET_PDEATHSIG, signal.SIGKILL)


def become_subreaper() -> None:
    """Become the parent of processes that a child of this process leaves behind."""
    _set(_PR_SET_CHILD_SUBREAPER, 1)


def allow_debuggers() -> None:
    """Let a debugger of the same user attach, which Yama otherwise allows only to a parent."""
    _prctl(_PR_SET_PTRACER, _ANY, 0, 0, 0)  # without Yama, this call fails and is not needed


def close_inherited() -> None:
    """Close all descriptors except the standard three."""
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))


def _anonymous_ranges() -> list[tuple[int, int]]:
    """List the private writable memory without a file, as (start, end) of whole huge pages."""
    ranges = []
    with open("/proc/self/maps") as maps:
        for line in maps:
            place, flags, _, _, inode, *name = line.split()
            if flags != "rw-p" or inode != "0" or name not in ([], ["[heap]"]):
                continue
            start, end = (int(part, 16) for part in place.split("-"))
            start, end = -(-start // _HUGE) * _HUGE, end // _HUGE * _HUGE
            if start < end:
                ranges.append((start, end))
    return ranges


def _fill(make: Callable[[], object], size: int) -> None:
    """Make and keep small objects of one size until new ones come from an unused pool.

    Many consecutive objects are then adjacent in memory.
    """
    row, last, wanted = 0, 0, min(_POOL // size - 2, 60)
    for _ in range(_MOST_FILLING // size):
        _filling.append(make())
        here = id(_filling[-1])
        row = row + 1 if here == last + size else 0
        last = here
        if row == wanted:
            return


def _fill_pools() -> None:
    """Fill the pools that are partly empty."""
    _fill(object, _STEP)
    _fill(float, 2 * _STEP)
    for size in range(3 * _STEP, _MOST_SMALL + 1, _STEP):
        _fill(functools.partial(bytes, size - _EMPTY_BYTES), size)


def settle_memory() -> None:
    """Make forks cheap, on the assumption that the objects now in memory are never freed.

    From now on, the garbage collector ignores these objects, so that children share their pages
    instead of copying them. For the same reason, their pages have no room for new small objects, so
    that those of a child are on pages of their own. The kernel uses huge pages if it can. A fork
    copies the parent's page tables, and an exit frees them: with one entry instead of 512, a child
    costs half as much after an import of torch.
    """
    gc.collect()
    _fill_pools()
    gc.freeze()
    for start, end in _anonymous_ranges():
        _madvise(start, end - start, _MADV_COLLAPSE)
