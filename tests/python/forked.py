"""Runs test modules, each in a fork of one process that has imported the framework they need.

Usage: ``python forked.py FRAMEWORK MODULE...``, where FRAMEWORK is ``torch`` or ``jax``. Prints a
line of JSON for each module: its name, its status, and what ``python -m unittest -v`` prints about
it.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import sys
import tempfile
import unittest
import warnings

import fresh


def run_tests(module: str) -> int:
    """Run the tests of a module; return the exit status."""
    program = unittest.main(module, argv=["unittest", "-v"], exit=False)
    return 0 if program.result.wasSuccessful() else 1


def main(framework: str, modules: list[str]) -> None:
    """Import a framework, start a process that answers `fresh.python`, and run the modules."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module(framework)
    with tempfile.TemporaryDirectory(prefix="portmeter-fresh-") as folder:
        path = os.path.join(folder, "socket")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        server = os.fork()
        if server == 0:
            fresh.serve(listener)
        listener.close()
        os.environ[fresh.VARIABLE] = path
        try:
            for module in modules:
                with tempfile.TemporaryFile("w+", errors="replace") as output:
                    pid = os.fork()
                    if pid == 0:
                        fresh.in_child(lambda m=module: run_tests(m), output, output)
                    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                    output.seek(0)
                    print(json.dumps([module, status, output.read()]), flush=True)
        finally:
            os.kill(server, signal.SIGKILL)
            os.waitpid(server, 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
