"""The driver: imports a framework, runs no case, and forks a child when it is told to.

It has one child at a time and waits for it. As a subreaper it becomes the parent of whatever the
child leaves behind, so that one ``waitpid`` tells whether anything of it still lives.
"""

from __future__ import annotations

import faulthandler
import importlib
import mmap
import os
import platform
import resource
import signal
import sys
import time
from typing import Any

from pmdriver import child, hooks, process, wire

_STATUS_LOST = 3  # the supervisor is gone, or talks nonsense


def one_line(error: BaseException) -> str:
    """Give an exception as ``Type: first line of its message``."""
    lines = str(error).strip().splitlines()
    name = type(error).__name__
    return f"{name}: {lines[0]}" if lines else name


def _import(name: str) -> tuple[Any, dict[str, Any]]:
    """Import the framework; give it and the READY header, with ``error`` where that failed."""
    began = time.perf_counter_ns()
    try:
        framework = importlib.import_module("pmdriver." + name).framework()
        ready = dict(framework.import_all())
        framework.practise()
    except BaseException as error:
        return None, {"framework": name, "error": "import failed: " + one_line(error)}
    ready["framework"] = framework.name
    ready["python"] = platform.python_version()
    ready["import_ns"] = time.perf_counter_ns() - began
    return framework, ready


def _reap_strays(options: int) -> tuple[int, bool]:
    """Reap what a child left behind; give how many there were and whether some still live."""
    reaped = 0
    while True:
        try:
            pid, _ = os.waitpid(-1, options)
        except ChildProcessError:
            return reaped, False
        if pid == 0:
            return reaped, True
        reaped += 1


def _stage(page: mmap.mmap) -> str:
    """Give the stage that the child was in; a child may have written anything there."""
    return child.STAGES[page[0]] if page[0] < len(child.STAGES) else ""


def _wait(driver: child.Driver, pid: int) -> None:
    """Wait for the child, then until nothing of it lives; tell both."""
    _, status, usage = os.wait4(pid, 0)
    _, strays = _reap_strays(os.WNOHANG)
    exited = {
        "pid": pid,
        "status": status,
        "user_ns": round(usage.ru_utime * 1e9),
        "system_ns": round(usage.ru_stime * 1e9),
        "max_rss": usage.ru_maxrss * 1024,
        "stage": _stage(driver.page),
        "strays": strays,
    }
    driver.connection.send(wire.EXITED, exited)
    if strays:
        reaped, _ = _reap_strays(0)
        driver.connection.send(wire.SWEPT, {"pid": pid, "count": reaped})


def _fork(framework: Any, order: dict[str, Any], driver: child.Driver) -> None:
    if os.environ.get("TMPDIR") != order["scratch"]:
        os.environ["TMPDIR"] = order["scratch"]
    driver.page[0] = 0
    try:
        pid = os.fork()
    except OSError as error:
        failed = {"error": "fork failed: " + one_line(error)}
        driver.connection.send(wire.FORKED, failed)
        return
    if pid == 0:
        child.main(framework, order, driver)
    driver.connection.send(wire.FORKED, {"pid": pid})
    _wait(driver, pid)


def _serve(framework: Any, driver: child.Driver) -> int:
    while True:
        kind, header, _ = driver.connection.receive()
        if kind == wire.BYE:
            return 0
        if kind != wire.FORK:
            raise wire.ProtocolError(f"a driver can do nothing with a frame of kind {kind}")
        _fork(framework, header, driver)


def _prepare() -> None:
    """Make this process fit to be a driver, before anything is imported into it."""
    hooks.spare()
    process.close_inherited()
    process.die_with_parent()
    process.become_subreaper()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A child that crashes, or is ended because it hangs, says where it was.
    faulthandler.enable()
    faulthandler.register(signal.SIGTERM, all_threads=False, chain=True)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(write_through=True, errors="backslashreplace")


def main(arguments: list[str]) -> int:
    """Serve the framework named by the one argument; give the exit status."""
    if len(arguments) != 1 or not arguments[0].isidentifier():
        print("usage: serve.py FRAMEWORK", file=sys.stderr)
        return 2
    try:
        path, token = os.environ["PORTMETER_SOCKET"], os.environ.pop("PORTMETER_TOKEN")
    except KeyError as missing:
        print(f"serve.py is started by portmeter: no variable {missing}", file=sys.stderr)
        return 2
    _prepare()
    try:
        connection = wire.Connection(path)
        connection.send(wire.HELLO, {"token": token, "role": "driver"})
        framework, ready = _import(arguments[0])
        connection.send(wire.READY, ready)
        if framework is None:
            return 0
        driver = child.Driver(os.getpid(), path, connection, mmap.mmap(-1, 1))
        process.settle_memory()
        status = _serve(framework, driver)
    except (EOFError, OSError, ValueError, wire.ProtocolError) as error:
        print(f"driver ends: {one_line(error)}", file=sys.stderr)
        status = _STATUS_LOST
    sys.stdout.flush()
    os._exit(status)
