"""Runs single tests of copies of the tree, each in a fork of this process.

The forks share the modules that the arguments name, which take long to import. Each line of stdin
has the folder of a copy and the name of a test; the answer is a line of JSON: ``ok``, ``FAIL``,
``skipped`` or ``none`` (it did not run), and what the test printed.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
import tempfile
import unittest

STATUSES = ("ok", "FAIL", "skipped", "none")


def in_fork(folder: str, name: str) -> str:
    """Run a test of the copy in `folder`; return its status."""
    tests = os.path.join(folder, "tests", "python")
    os.chdir(tests)
    sys.path[:0] = [os.path.join(folder, "drivers"), tests]
    suite = unittest.defaultTestLoader.loadTestsFromName(name)
    if "_FailedTest" in str(suite):
        print(suite)
        return "none"
    result = unittest.TextTestRunner(stream=sys.stderr).run(suite)
    if result.testsRun != 1:
        return "none"
    return "skipped" if result.skipped else "ok" if result.wasSuccessful() else "FAIL"


def run(folder: str, name: str) -> tuple[str, str]:
    """Run a test in a fork; return its status and what it printed."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        pid = os.fork()
        if pid == 0:
            status = "none"
            try:
                os.dup2(output.fileno(), 1)
                os.dup2(output.fileno(), 2)
                status = in_fork(folder, name)
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(STATUSES.index(status))
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        output.seek(0)
        return STATUSES[code] if 0 <= code < len(STATUSES) else "none", output.read()


if __name__ == "__main__":
    for module in sys.argv[1:]:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    for line in sys.stdin:
        print(json.dumps(run(*line.rstrip("\n").split("\t"))), flush=True)
