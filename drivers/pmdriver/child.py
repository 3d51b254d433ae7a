"""The child: connects back to the supervisor, is handed jobs, runs them, leaves with ``_exit``.

It is a fork of the driver, made for one setting. Nothing is imported here that the driver has not
imported, because what is done after the fork is paid by every child.
"""

from __future__ import annotations

import mmap
import os
import resource
import sys
import time
import traceback
from typing import Any, NamedTuple, NoReturn

from pmdriver import process, wire

STAGES = ("", "inputs", "setup", "place", "compile", "run", "sync", "compare")

_STATUS_FAILED = 70  # EX_SOFTWARE: portmeter's own fault; its text is in the output
_number_of_stage = {name: number for number, name in enumerate(STAGES)}


class Driver(NamedTuple):
    """What a child has from its driver.

    Attributes
    ----------
    pid
        The driver's.
    path
        The supervisor's socket.
    connection
        The driver's own.
    page
        One byte shared with all children: the number of the stage.
    """

    pid: int
    path: str
    connection: wire.Connection
    page: mmap.mmap


class Channel:
    """What a framework may say to the supervisor while it runs a job.

    Attributes
    ----------
    current
        The stage that began last, `""` before any.
    """

    def __init__(self, connection: wire.Connection, page: mmap.mmap) -> None:
        self._connection = connection
        self._page = page
        self.stage("")

    def stage(self, name: str) -> None:
        """Say that the stage `name`, one of `STAGES`, begins now.

        It is left in a page shared with the driver, which reads it when this process is dead:
        nothing is sent, so that nothing wakes up right before a call is timed.
        """
        self.current = name
        self._page[0] = _number_of_stage[name]

    def ask(self, requests: list[dict[str, Any]]) -> list[tuple[dict[str, Any], memoryview]]:
        """Ask for generated arrays: a list of {name, dtype, shape, scale}.

        Returns
        -------
        list of (spec, memoryview)
            In the order asked for; the view holds the bytes of the array (uint8, C order).
        """
        self._connection.send(wire.ASK, {"arrays": requests})
        kind, header, body = self._connection.receive()
        if kind != wire.GIVE:
            raise wire.ProtocolError(f"arrays were asked for, a frame of kind {kind} came")
        return [
            (spec, body[spec["offset"] : spec["offset"] + spec["bytes"]])
            for spec in header["arrays"]
        ]


def _detach(driver: int) -> None:
    """Stand on own feet: a process group, and death with the driver."""
    os.setpgid(0, 0)
    process.die_with_parent()
    if os.getppid() != driver:
        os._exit(_STATUS_FAILED)


def _reopen_output() -> None:
    """Open the driver's output anew: no flag that is set on it outlives this process."""
    output = os.open("/proc/self/fd/1", os.O_WRONLY)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)


def _settle(order: dict[str, Any]) -> None:
    """Take the folder, the environment and the limit that the order states."""
    os.chdir(order["scratch"])
    environment = order["setting"].get("environment")
    if environment:
        os.environ.update(environment)
    if order["memory"]:
        resource.setrlimit(resource.RLIMIT_DATA, (order["memory"], order["memory"]))


def describe(error: BaseException) -> dict[str, str]:
    """Give an exception as the protocol carries it: type, message, traceback."""
    return {
        "type": type(error).__name__,
        "message": str(error),
        "traceback": "".join(traceback.format_exception(type(error), error, error.__traceback__)),
    }


def _harness_line(error: BaseException) -> str:
    """Give one line that says what went wrong and at which line of the driver."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{text} ({os.path.basename(place.filename)}:{place.lineno})"


def _start(framework: Any, setting: dict[str, Any]) -> dict[str, Any]:
    """Start the backend; give the STARTED header."""
    began = time.perf_counter_ns()
    try:
        started = dict(framework.start(setting))
    except BaseException as error:
        started = {"error": describe(error)}
    started.setdefault("startup_ns", time.perf_counter_ns() - began)
    return started


def _run(framework: Any, job: dict[str, Any], body: memoryview, channel: Channel) -> tuple:
    try:
        return framework.run(job, body, channel)
    except BaseException as error:
        return {"stage": channel.current, "harness": _harness_line(error)}, []


def _answer(connection: wire.Connection, header: dict[str, Any], buffers: list) -> None:
    try:
        connection.send(wire.RESULT, header, buffers)
    except (TypeError, ValueError) as error:  # what cannot be a frame; nothing was sent
        kept = {key: header.get(key) for key in ("execution", "stage", "shared")}
        connection.send(wire.RESULT, {**kept, "harness": _harness_line(error)})


def _loop(framework: Any, connection: wire.Connection, page: mmap.mmap) -> None:
    """Run jobs until the last one, or until the supervisor says goodbye."""
    ran, last, pid = 0, False, os.getpid()
    while not last:
        kind, job, body = connection.receive()
        if kind == wire.BYE:
            return
        if kind != wire.RUN:
            raise wire.ProtocolError(f"a child can do nothing with a frame of kind {kind}")
        channel = Channel(connection, page)
        header, buffers = _run(framework, job, body, channel)
        if os.getpid() != pid:
            os._exit(0)  # the case has forked, and this is the other one: it has nothing to say
        header["execution"] = job["execution"]
        header["shared"] = ran > 0
        _answer(connection, header, buffers)
        ran += 1
        last = job.get("last", False)


def _flush() -> None:
    """Write out what is still buffered; the streams may be closed or replaced by a case."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            pass
    process.flush_c_streams()


def hello(token: str) -> bytes:
    """Give the first frame of a child."""
    return wire.frame(wire.HELLO, {"token": token, "role": "child"})


def main(framework: Any, order: dict[str, Any], driver: Driver) -> NoReturn:
    """Be the child that `order` (a FORK header) describes; never return.

    Parameters
    ----------
    framework : Framework
        Imported by the driver.
    order : dict
        The header of the FORK frame.
    driver : Driver
        What is inherited. Its connection is closed here.
    """
    status = _STATUS_FAILED
    try:
        _detach(driver.pid)
        driver.connection.close()
        _reopen_output()
        _settle(order)
        started = _start(framework, order["setting"])
        connection = wire.Connection(driver.path)
        connection.send_bytes(hello(order["token"]) + wire.frame(wire.STARTED, started))
        if "error" not in started:
            _loop(framework, connection, driver.page)
        status = 0
    except EOFError:
        pass  # the supervisor closed the connection: this child is not wanted any more
    except BaseException:
        traceback.print_exc()
    finally:
        _flush()
        os._exit(status)
