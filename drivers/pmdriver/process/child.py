"""The child: connects back to the supervisor, runs the jobs it gets, and ends with ``_exit``.

It is a fork of the driver, made for one setting. It should import nothing that the driver has not
imported, because every child would spend the time for it.
"""

from __future__ import annotations

import mmap
import os
import resource
import sys
import time
import traceback
from typing import Any, NamedTuple, NoReturn

from pmdriver import failure, host
from pmdriver.framework import Framework
from pmdriver.job import execution, result
from pmdriver.process import cpus, linux, wire
from pmdriver.process.surroundings import Surroundings

STAGES = ("", "inputs", "setup", "place", "compile", "run", "sync", "compare")

_STATUS_FAILED = 70  # EX_SOFTWARE: portmeter's own fault; its text is in the output
_number_of_stage = {name: number for number, name in enumerate(STAGES)}


class Driver(NamedTuple):
    """What a child inherits from its driver.

    Attributes
    ----------
    pid
        The driver's PID.
    path
        The path of the supervisor's socket.
    connection
        The driver's own connection.
    page
        One byte shared with all children: the number of the stage.
    cpus
        The CPUs on which the driver could run before the framework bound it to some of them.
    """

    pid: int
    path: str
    connection: wire.Connection
    page: mmap.mmap
    cpus: frozenset[int]


class Channel:
    """What a job uses to communicate with the supervisor while it runs.

    Attributes
    ----------
    connection
        The child's connection.
    current
        The stage that began last; `""` before any.
    scratch
        The child's folder for files that a case writes.
    """

    def __init__(
        self, connection: wire.Connection, page: mmap.mmap | bytearray, scratch: str
    ) -> None:
        self.connection = connection
        self.scratch = scratch
        self._page = page
        self.stage("")

    def stage(self, name: str) -> None:
        """Announce that the stage `name`, one of `STAGES`, begins now.

        Its number is written to a page shared with the driver, which reads it after this process
        has ended. Nothing is sent, so that no other process wakes up before a call is timed.
        """
        self.current = name
        self._page[0] = _number_of_stage[name]

    def ask(self, requests: list[dict[str, Any]]) -> list[tuple[dict[str, Any], memoryview]]:
        """Ask the supervisor for generated arrays.

        Parameters
        ----------
        requests
            For each array ``name``, ``dtype``, ``shape`` and ``scale``.

        Returns
        -------
        list of (spec, memoryview)
            In the order of the requests; the view holds the bytes of the array (uint8, C order).

        Raises
        ------
        ProtocolError, EOFError
            As for `wire.Connection.receive`; also `ProtocolError` if another frame arrived.
        """
        self.connection.send(wire.ASK, {"arrays": requests})
        kind, header, body = self.connection.receive()
        if kind != wire.GIVE:
            raise wire.ProtocolError(
                f"portmeter sent frame kind {kind} instead of arrays: report this fault"
            )
        return [
            (spec, body[spec["offset"] : spec["offset"] + spec["bytes"]])
            for spec in header["arrays"]
        ]


def _detach(driver: int, foreground: bool) -> None:
    """Make this process end with the driver, and leave the driver's process group.

    In the foreground, this process stays in the group: a terminal sends signals only to that group
    and lets only that group read. A debugger may then attach.
    """
    if foreground:
        linux.allow_debuggers()
    else:
        os.setpgid(0, 0)
    linux.die_with_parent()
    if os.getppid() != driver:
        os._exit(_STATUS_FAILED)


def _reopen_output() -> None:
    """Reopen the driver's output, so that flags set on it do not outlive this process."""
    output = os.open("/proc/self/fd/1", os.O_WRONLY)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)


def _settle(order: dict[str, Any]) -> None:
    """Apply the folder, the environment and the memory limit of the order."""
    os.chdir(order["scratch"])
    environment = order["setting"].get("environment")
    if environment:
        os.environ.update(environment)
    if order["memory"]:
        resource.setrlimit(resource.RLIMIT_DATA, (order["memory"], order["memory"]))


def start(framework: Framework, setting: dict[str, Any], allowed: frozenset[int]) -> dict[str, Any]:
    """Start the back end, in a child.

    Parameters
    ----------
    framework
        Imported by the driver.
    setting
        As in the FORK frame.
    allowed
        The CPUs that threads of a runtime may use.

    Returns
    -------
    dict
        The header of the STARTED frame.
    """
    began = time.perf_counter_ns()
    try:
        if framework.has_own_threads(setting):
            cpus.release(allowed)
        if setting.get("exact"):
            framework.make_exact(setting)
        started = dict(framework.start(setting))
        started["numeric"] = {**started["numeric"], "fast": framework.fast_modes()}
        started["masks"] = cpus.masks()
    except BaseException as error:
        started = {"error": failure.description(error)}
    started["startup_ns"] = time.perf_counter_ns() - began
    return started


def _run(framework: Framework, job: dict[str, Any], body: memoryview, channel: Channel) -> tuple:
    try:
        return execution.run(framework, job, body, channel)
    except BaseException as error:
        line = failure.located(error)
        return result.of_harness(job, channel.current, line), []


def _answer(connection: wire.Connection, header: dict[str, Any], buffers: list) -> None:
    try:
        connection.send(wire.RESULT, header, buffers)
    except (TypeError, ValueError) as error:  # the result does not fit in a frame; nothing was sent
        line = failure.located(error)
        fault = result.of_harness(header, header["stage"], line)
        connection.send(wire.RESULT, fault)


def loop(
    framework: Framework, connection: wire.Connection, page: mmap.mmap | bytearray, scratch: str
) -> None:
    """Run jobs until the last one, or until the supervisor sends BYE.

    Parameters
    ----------
    framework
        The framework, started in this process.
    connection
        The child's connection.
    page
        As in `Driver`.
    scratch
        The child's folder.
    """
    last, pid = False, os.getpid()
    surroundings: Surroundings | None = None
    while not last:
        fault = ""
        try:
            kind, job, body = connection.receive()
        except wire.NoRoom as error:
            kind, job, fault = error.kind, error.header, str(error)
        if kind == wire.BYE:
            return
        if kind != wire.RUN:
            raise wire.ProtocolError(
                f"portmeter sent frame kind {kind} to a child: report this fault"
            )
        last = job.get("last", False)
        if surroundings is not None:
            surroundings.restore()
        elif not last:
            surroundings = Surroundings(scratch)
        channel = Channel(connection, page, scratch)
        if fault:
            header, buffers = result.of_harness(job, channel.current, fault), []
        else:
            header, buffers = _run(framework, job, body, channel)
        if os.getpid() != pid:
            os._exit(0)  # the case forked, and this is the copy: only the original answers
        _answer(connection, header, buffers)


def _flush() -> None:
    """Flush the streams, which a case may have closed or replaced."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            pass
    host.flush_c_streams()


def hello(token: str, started: dict[str, Any]) -> bytes:
    """Return the first two frames of a child, HELLO and STARTED."""
    first = wire.frame(wire.HELLO, {"token": token, "role": "child"})
    return first + wire.frame(wire.STARTED, started)


def main(framework: Framework, order: dict[str, Any], driver: Driver) -> NoReturn:
    """Run as the child that `order` describes; never return.

    Parameters
    ----------
    framework
        Imported by the driver.
    order
        The header of the FORK frame.
    driver
        What the child inherits; the driver's connection is closed here.
    """
    status = _STATUS_FAILED
    try:
        foreground = order.get("foreground", False)
        _detach(driver.pid, foreground)
        driver.connection.close()
        if not foreground:
            _reopen_output()
        _settle(order)
        cpus.release_forks(driver.cpus)
        started = start(framework, order["setting"], driver.cpus)
        connection = wire.connect(driver.path)
        connection.send_bytes(hello(order["token"], started))
        if "error" not in started:
            loop(framework, connection, driver.page, order["scratch"])
        status = 0
    except EOFError:
        pass  # the supervisor closed the connection: it no longer needs this child
    except BaseException:
        traceback.print_exc()
    finally:
        _flush()
        os._exit(status)
