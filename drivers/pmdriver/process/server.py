"""The driver: imports a framework, executes no case, and forks a child for each FORK frame.

It has one child at a time and waits for it. It is a subreaper: processes that a child leaves behind
become the driver's children, so that one ``waitpid`` shows whether any of them is still alive.
"""

from __future__ import annotations

import faulthandler
import json
import mmap
import os
import resource
import signal
import sys
import time
from typing import Any

from pmdriver import failure, frameworks, host
from pmdriver.framework import Framework
from pmdriver.process import caches, child, cpus, hooks, linux, wire

_STATUS_USAGE = 2
_STATUS_LOST = 3  # the supervisor has ended, or sent something that is not a frame


def _import(name: str) -> tuple[Framework | None, dict[str, Any]]:
    """Import a framework; return it and the READY header, or None and one with ``error``."""
    began = time.perf_counter_ns()
    try:
        framework = frameworks.framework(name)
        ready = dict(framework.import_all())
        framework.practise()
    except BaseException as error:
        return None, {"framework": name, "error": "import failed: " + failure.summary(error)}
    ready["framework"] = framework.name
    ready["python"] = host.python_version()
    ready["import_ns"] = time.perf_counter_ns() - began
    return framework, ready


def _reap_strays(options: int) -> tuple[int, bool]:
    """Reap processes that a child left behind; return their number, and whether some still run."""
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
    """Return the stage of the child at its end; ``""`` if a case has overwritten the page."""
    return child.STAGES[page[0]] if page[0] < len(child.STAGES) else ""


def _wait(driver: child.Driver, pid: int) -> None:
    """Wait for the child to end, then for all processes that it left behind; report both."""
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


def _fork(framework: Framework, order: dict[str, Any], driver: child.Driver) -> None:
    driver.page[0] = 0
    try:
        pid = os.fork()
    except OSError as error:
        failed = {"error": "fork failed: " + failure.summary(error)}
        driver.connection.send(wire.FORKED, failed)
        return
    if pid == 0:
        child.main(framework, order, driver)
    if order.get("foreground"):  # from here on, the terminal's signals are for the child
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGQUIT, signal.SIG_IGN)
    driver.connection.send(wire.FORKED, {"pid": pid})
    _wait(driver, pid)


def _settle_again(order: dict[str, Any]) -> None:
    """Settle memory before a fork, without the objects of the order for this fork.

    The objects of the order are freed after the fork, so they are made again after settling. If
    they were among the settled objects, the objects of later children would take their places and
    share pages with settled objects.
    """
    text = json.dumps(order)
    order.clear()
    linux.settle_memory()
    order.update(json.loads(text))


def _serve(framework: Framework, driver: child.Driver) -> int:
    folder = ""
    while True:
        kind, header, _ = driver.connection.receive()
        if kind == wire.BYE:
            return 0
        if kind != wire.FORK:
            raise wire.ProtocolError(
                f"portmeter sent frame kind {kind} to a driver: report this fault"
            )
        if header["scratch"] != folder:
            folder = header["scratch"]
            caches.use(folder)
        if framework.before_fork(header["setting"]):
            _settle_again(header)
        _fork(framework, header, driver)


def _prepare() -> None:
    """Prepare this process to be a driver, before it imports the framework."""
    hooks.spare()
    caches.forget()
    linux.close_inherited()
    linux.die_with_parent()
    linux.become_subreaper()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A child that crashes, or is ended because it hangs, prints its Python stack.
    faulthandler.enable()
    faulthandler.register(signal.SIGTERM, all_threads=False, chain=True)
    # Ctrl-\ at a terminal prints all threads: a case may wait for a lock of another thread.
    faulthandler.register(signal.SIGQUIT, all_threads=True, chain=True)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(write_through=True, errors="backslashreplace")


def main(arguments: list[str]) -> int:
    """Serve the framework that the only argument names; return the status if it cannot start."""
    if len(arguments) != 1 or not arguments[0].isidentifier():
        print("usage: serve.py FRAMEWORK", file=sys.stderr)
        return _STATUS_USAGE
    try:
        path, token = os.environ["PORTMETER_SOCKET"], os.environ.pop("PORTMETER_TOKEN")
    except KeyError as missing:
        print(
            f"environment variable {missing} is not set: only portmeter can start serve.py",
            file=sys.stderr,
        )
        return _STATUS_USAGE
    _prepare()
    try:
        connection = wire.connect(path)
        connection.send(wire.HELLO, {"token": token, "role": "driver"})
        allowed = cpus.allowed()
        framework, ready = _import(arguments[0])
        connection.send(wire.READY, ready)
        if framework is None:
            return 0
        driver = child.Driver(os.getpid(), path, connection, mmap.mmap(-1, 1), allowed)
        linux.settle_memory()
        status = _serve(framework, driver)
    except (EOFError, OSError, ValueError, wire.ProtocolError) as error:
        print(
            f"the driver lost its connection to portmeter: {failure.summary(error)}",
            file=sys.stderr,
        )
        status = _STATUS_LOST
    sys.stdout.flush()
    os._exit(status)
