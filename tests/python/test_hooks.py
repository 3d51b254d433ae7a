"""Tests of forks that skip needless work of the standard library, and of calls into Linux."""

from __future__ import annotations

import ctypes
import gc
import mmap
import re
import subprocess
import sys
import unittest
from pathlib import Path

import support  # noqa: F401
from pmdriver.process import linux

DRIVERS = Path(__file__).resolve().parent.parent.parent / "drivers"

# A process like a driver. It runs without `site`, which may import threading. Its children log,
# start a thread, and print what was done at the fork.
PROCESS = """
import os, sys
sys.path.insert(0, sys.argv[1])
from pmdriver.process import hooks
hooks.spare()
import _thread, logging, threading

done = []
class Handler(logging.Handler):
    def _at_fork_reinit(self):
        done.append("mended")
        super()._at_fork_reinit()
    def emit(self, record):
        done.append("logged")
handler = Handler()
logging.getLogger().addHandler(handler)
os.register_at_fork(after_in_child=lambda: done.append("own"))

def fork():
    pid = os.fork()
    if pid == 0:
        logging.warning("")
        thread = threading.Thread(target=lambda: done.append("threaded"))
        thread.start()
        thread.join()
        with logging._lock:
            said = [item() if callable(item) else item for item in done]
            print(*said, len(threading.enumerate()), flush=True)
        os._exit(0)
    os.waitpid(pid, 0)

fork()
held, end = threading.Event(), threading.Event()
def hold():
    with handler.lock:
        held.set()
        end.wait()
thread = threading.Thread(target=hold)
thread.start()
held.wait()
fork()
end.set()
thread.join()
fork()
end.clear()
held.clear()
_thread.start_new_thread(hold, ())
held.wait()
fork()
end.set()
while len(sys._current_frames()) > 1:
    pass
event = threading.Event()
os.register_at_fork(after_in_child=event.set)
done.append(event.is_set)
fork()
"""


class Spare(unittest.TestCase):
    """At a fork, `threading` and `logging` reset only locks that another thread may hold."""

    def test_only_where_there_are_threads(self) -> None:
        run = subprocess.run(
            [sys.executable, "-S", "-c", PROCESS, DRIVERS],
            capture_output=True,
            text=True,
            timeout=30,
        )
        alone, beside_others = "own logged threaded 1", "mended own logged threaded 1"
        wanted = [alone, beside_others, alone, beside_others, "True " + alone]
        self.assertEqual((run.stdout.splitlines(), run.returncode), (wanted, 0), run.stderr)


MIB = 1 << 20


def huge_bytes() -> int:
    """Return how much of this process's own memory is on huge pages."""
    with open("/proc/self/smaps_rollup") as rollup:
        return int(re.search(r"^AnonHugePages: +(\d+) kB", rollup.read(), re.MULTILINE)[1]) << 10


def can_collapse() -> bool:
    """Return whether this kernel collapses a range that can certainly be collapsed."""
    with mmap.mmap(-1, 4 * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as room:
        room[:] = b"x" * len(room)
        address = ctypes.addressof(ctypes.c_char.from_buffer(room))
        huge = (address + 2 * MIB - 1) // (2 * MIB) * (2 * MIB)
        return linux._madvise(huge, 2 * MIB, linux._MADV_COLLAPSE) == 0


class SettleMemory(unittest.TestCase):
    """Memory moves to huge pages with unchanged contents."""

    def test_huge_and_unchanged(self) -> None:
        if not can_collapse():
            self.skipTest("this kernel collapses nothing (MADV_COLLAPSE: Linux 6.1)")
        self.addCleanup(gc.unfreeze)
        held = bytearray(bytes(range(256)) * (16 * MIB // 256))
        before = huge_bytes()
        linux.settle_memory()
        self.assertGreaterEqual(huge_bytes() - before, 12 * MIB)
        self.assertEqual(held, bytes(range(256)) * (16 * MIB // 256))

    def test_small_objects_are_together_afterwards(self) -> None:
        self.addCleanup(gc.unfreeze)
        size, empty = 400, 33
        kept = [bytes(size - empty) for _ in range(4000)]
        del kept[:: (16 << 10) // size]  # about one of each pool
        linux.settle_memory()
        made = [bytes(size - empty) for _ in range(8)]
        pools = {id(one) >> 14 for one in made}
        self.assertLessEqual(len(pools), 2)  # the rest of the last pool, and a new pool
        self.assertEqual(len(kept), 3900)


if __name__ == "__main__":
    unittest.main()
