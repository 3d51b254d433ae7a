"""Calls into Linux."""

from __future__ import annotations

import ctypes
import gc
import mmap
import re
import unittest

import support  # noqa: F401
from pmdriver.process import linux

MIB = 1 << 20


def huge_bytes() -> int:
    """Give how much of this process's own memory is on huge pages."""
    with open("/proc/self/smaps_rollup") as rollup:
        return int(re.search(r"^AnonHugePages: +(\d+) kB", rollup.read(), re.MULTILINE)[1]) << 10


def can_collapse() -> bool:
    """Tell whether this kernel collapses a range that certainly can be."""
    with mmap.mmap(-1, 4 * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as room:
        room[:] = b"x" * len(room)
        address = ctypes.addressof(ctypes.c_char.from_buffer(room))
        huge = (address + 2 * MIB - 1) // (2 * MIB) * (2 * MIB)
        return linux._madvise(huge, 2 * MIB, linux._MADV_COLLAPSE) == 0


class SettleMemory(unittest.TestCase):
    """Memory goes to huge pages and stays what it was."""

    def test_huge_and_unchanged(self) -> None:
        if not can_collapse():
            self.skipTest("this kernel collapses nothing (MADV_COLLAPSE: Linux 6.1)")
        self.addCleanup(gc.unfreeze)
        held = bytearray(bytes(range(256)) * (16 * MIB // 256))
        before = huge_bytes()
        linux.settle_memory()
        self.assertGreaterEqual(huge_bytes() - before, 12 * MIB)
        self.assertEqual(held, bytes(range(256)) * (16 * MIB // 256))


if __name__ == "__main__":
    unittest.main()
