"""The null framework: computes nothing, misbehaves on request.

It tests everything around a framework without one. The `call` of a case (and its `setup`) is not
Python but one command, ``name`` or ``name(argument, ...)``: a method of `Commands`. An unharmed
job hands its inputs back as its outputs.
"""

from __future__ import annotations

import builtins
import ctypes
import mmap
import os
import platform
import re
import resource
import signal
import time
from typing import Any, Callable

from pmdriver import child, digest, wire

_COMMAND = re.compile(r"(\w+)(?:\((.*)\))?", re.DOTALL)
# A fork bomb that nobody stops ends by itself: the machine has other users.
_BOMB_SECONDS = 20
_BOMB_PROCESSES = 400
_BOMB_PAUSE = 0.02  # seconds in which it doubles
_HANG_SECONDS = 3600
_libc = ctypes.CDLL(None)


class Bug(Exception):
    """The driver itself is at fault; the child makes a harness result of it."""


class Run:
    """One job: what the commands may look at and change."""

    def __init__(self, job: dict[str, Any], body: memoryview, channel: Any, honest: bool) -> None:
        self.job = job
        self.body = body
        self.channel = channel
        self.honest = honest  # on the control nothing is wrong with the values
        self.leaves: list[tuple[dict[str, Any], bytes]] = []
        self.result: dict[str, Any] = {}


def _hang() -> None:
    """Sleep in native code with every signal blocked that can be."""
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))
    for _ in range(_HANG_SECONDS):
        _libc.sleep(_HANG_SECONDS)


def _multiply(leave_session: bool) -> None:
    """Fork in every process made, up to a number that no limit allows."""
    until = time.monotonic() + _BOMB_SECONDS
    made = mmap.mmap(-1, _BOMB_PROCESSES)  # shared: one byte for each process made
    while time.monotonic() < until:
        number = made.find(b"\0")
        if number >= 0:
            made[number] = 1
            try:
                if os.fork() == 0 and leave_session:
                    os.setsid()
            except OSError:
                pass  # no more processes to be had: the others go on
        time.sleep(_BOMB_PAUSE)
    os._exit(0)


class Commands:
    """What a call may ask for. Arguments are texts; a method's docstring says what comes of it."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def _send(self, data: bytes) -> None:
        self._run.channel._connection.send_bytes(data)

    def ok(self, size: str = "") -> None:
        """Pass; with a size, an array of so many bytes is one more output."""
        if size:
            self._add("uint8", [int(size)], bytes(int(size)))

    def _add(self, dtype: str, shape: list[int], data: bytes) -> None:
        spec = {"dtype": dtype, "shape": shape, "digest": digest.digest(dtype, shape, data)}
        self._run.leaves.append((spec, data))

    def ask(self, count: str) -> None:
        """Ask the supervisor for `count` float32 values and hand them back as an output."""
        request = {"name": "asked", "dtype": "float32", "shape": [int(count)], "scale": 1.0}
        for spec, data in self._run.channel.ask([request]):
            self._add(spec["dtype"], spec["shape"], bytes(data))

    def slow(self, milliseconds: str) -> None:
        """Pass after a known time."""
        time.sleep(float(milliseconds) / 1e3)

    def say(self, text: str) -> None:
        """Print a text and pass."""
        print(text, flush=True)

    def crash(self) -> None:
        """Read address 0."""
        ctypes.string_at(0)

    def abort(self) -> None:
        """Call abort()."""
        os.abort()

    def kill(self, number: str) -> None:
        """Send the own process a signal."""
        os.kill(os.getpid(), int(number))

    def exit0(self) -> None:
        """Leave with status 0 and no answer."""
        os._exit(0)

    def exit(self, status: str) -> None:
        """Leave with a status and no answer."""
        os._exit(int(status))

    def hang(self) -> None:
        """Hang in native code, signals blocked."""
        _hang()

    def spin(self) -> None:
        """Compute for ever, in Python."""
        while True:
            pass

    def chatter(self) -> None:
        """Print for ever."""
        line = b"the null framework has a lot to say\n" * 1000
        while True:
            os.write(1, line)

    def flood(self, size: str) -> None:
        """Print so many bytes and pass."""
        rest = int(size)
        while rest:
            rest -= os.write(1, b"f" * min(rest, 1 << 16))

    def garbage(self) -> None:
        """Send bytes that are no frame."""
        self._send(b"this is not a frame, not even the beginning of one")
        _hang()

    def badversion(self) -> None:
        """Send a frame of another version."""
        self._send(b"PM\x63" + wire.frame(wire.RESULT, {})[3:])
        _hang()

    def badkind(self) -> None:
        """Send a frame of a kind that there is not."""
        self._send(wire.frame(200, {}))
        _hang()

    def badheader(self) -> None:
        """Send a frame whose header is no JSON object."""
        self._send(b"PM\x01\x0b" + (4).to_bytes(4, "little") + bytes(8) + b"[1,}")
        _hang()

    def unexpected(self) -> None:
        """Send a frame that is a driver's to send."""
        self._send(wire.frame(wire.FORKED, {"pid": 1}))
        _hang()

    def toolong(self) -> None:
        """Announce a body of 2**60 bytes."""
        self._send(b"PM\x01\x0b" + (2).to_bytes(4, "little") + (1 << 60).to_bytes(8, "little"))
        _hang()

    def partial(self) -> None:
        """Die after half a frame."""
        whole = wire.frame(wire.RESULT, {"execution": self._run.job["execution"]})
        self._send(whole[: len(whole) // 2])
        os.kill(os.getpid(), signal.SIGKILL)

    def close(self) -> None:
        """Close the connection and stay."""
        self._run.channel._connection.close()
        _hang()

    def wrongtoken(self) -> None:
        """Open a second connection with a token that is none, then go on."""
        second = wire.Connection(os.environ["PORTMETER_SOCKET"])
        second.send(wire.HELLO, {"token": "0" * 32, "role": "child"})
        try:
            second.receive()
        except (EOFError, OSError):
            pass

    def deadlock(self) -> None:
        """Answer, then hang."""
        self._run.channel._connection.send(wire.RESULT, self._run.result)
        _hang()

    def memory(self) -> None:
        """Allocate until the limit of the child says no."""
        if resource.getrlimit(resource.RLIMIT_DATA)[0] == resource.RLIM_INFINITY:
            bytes(1 << 62)
        held = []
        while True:
            held.append(bytes(1 << 24))

    def devicememory(self) -> None:
        """Fail as a device that has no memory left."""
        self._run.result["memory"] = "device"
        raise RuntimeError("out of memory on the null device")

    def poison(self) -> None:
        """Fail and lose the device context."""
        self._run.result["poisoned"] = True
        raise RuntimeError("the context of the null device is lost")

    def forkbomb(self, escape: str = "") -> None:
        """Fork without end; with any argument, every process in a session of its own."""
        _multiply(bool(escape))

    def stray(self, count: str = "1") -> None:
        """Leave processes behind that are in no group and no tree of this one, and pass."""
        for _ in range(int(count)):
            pid = os.fork()
            if pid == 0:
                os.setsid()
                if os.fork() == 0:
                    time.sleep(_HANG_SECONDS)
                os._exit(0)
            os.waitpid(pid, 0)

    def twin(self) -> None:
        """Fork, and pass in both processes."""
        os.fork()

    def wrongdtype(self) -> None:
        """Give the bytes of the first output as uint8 (not on the control)."""
        if not self._run.honest:
            _, data = self._run.leaves.pop(0)
            self._add("uint8", [len(data)], data)
            self._run.leaves.insert(0, self._run.leaves.pop())

    def _change(self, change: Callable[[bytes], bytes]) -> None:
        if not self._run.honest:
            spec, data = self._run.leaves[0]
            changed = change(data)
            dtype, shape = spec["dtype"], spec["shape"]
            spec = {**spec, "digest": digest.digest(dtype, shape, changed)}
            self._run.leaves[0] = (spec, changed)

    def nan(self) -> None:
        """Fill the first output, of a floating dtype, with NaN (not on the control)."""
        self._change(lambda data: b"\xff" * len(data))

    def wrongvalue(self) -> None:
        """Invert every bit of the first output (not on the control)."""
        self._change(lambda data: bytes(byte ^ 0xFF for byte in data))

    def wrongdevice(self) -> None:
        """Give an output that lives on the host (not on the control)."""
        if not self._run.honest:
            self._run.result["on_device"] = False

    def fallback(self) -> None:
        """Name an operation as executed on the host (not on the control)."""
        if not self._run.honest:
            self._run.result["fallback"] = ["null::op"]

    def wrongdigest(self) -> None:
        """Report another digest for the first input than the one it came with."""
        self._run.result["inputs"][0]["digest"] = "0" * 32

    def inapplicable(self, why: str = "the null device cannot") -> None:
        """Say that the case cannot be run here."""
        self._run.result["not_applicable"] = why

    def harness(self) -> None:
        """Let an exception escape as if the driver had a bug."""
        raise Bug("the null framework was asked for it")

    def throw(self, kind: str = "RuntimeError", *words: str) -> None:
        """Raise an exception by the name of its type, with a message."""
        known = getattr(builtins, kind, None)
        if not (isinstance(known, type) and issubclass(known, Exception)):
            known = type(kind, (Exception,), {})
        raise known(", ".join(words))


def _command(commands: Commands, text: str) -> Callable[[], None]:
    """Give the command that `text` names, ready to be called; ValueError where there is none."""
    match = _COMMAND.fullmatch(text.strip())
    method = match and not match[1].startswith("_") and getattr(commands, match[1], None)
    if match and match[1] == "raise":
        method = commands.throw
    if not method:
        raise Bug(f"the null framework has no command '{text}'")
    arguments = [part.strip() for part in match[2].split(",")] if match[2] else []
    return lambda: method(*arguments)


def _raised(error: BaseException, memory: str | None) -> dict[str, Any]:
    return {
        **child.describe(error),
        "types": [kind.__name__ for kind in type(error).__mro__ if kind is not object],
        "memory": "host" if isinstance(error, MemoryError) else memory,
    }


def _sample(command: Callable[[], None], run: Run, warm: dict[str, Any]) -> list[int]:
    """Call until there are enough samples; nanoseconds of each."""
    kept, samples, spent = list(run.leaves), [], 0
    while len(samples) < warm["samples"] and (
        len(samples) < warm["least"] or spent < warm["budget_ns"]
    ):
        run.leaves = list(kept)
        began = time.perf_counter_ns()
        command()
        samples.append(time.perf_counter_ns() - began)
        spent += samples[-1]
        if samples[-1] > warm["long_ns"]:
            break
    run.leaves = kept
    return samples


class Null:
    """The framework. Its one device is ``null``."""

    name = "null"

    def __init__(self) -> None:
        self._setting: dict[str, Any] = {}

    def import_all(self) -> dict[str, Any]:
        """Import nothing; fail, or be untrue to the protocol, where the environment says so."""
        wish = os.environ.get("PORTMETER_NULL", "")
        if wish == "import":
            raise ImportError("the null framework was asked to fail")
        if wish == "hang":
            _hang()
        if wish == "token":
            honest = child.hello
            child.hello = lambda token: honest("0" * len(token))
        version = platform.python_version()
        return {"version": version, "versions": {"python": version}}

    def practise(self) -> None:
        """Do nothing: there is nothing that every child does."""

    def devices(self) -> list[dict[str, Any]]:
        """List the device and the host that is its control, for ``portmeter devices``."""
        return [
            {
                "device": name,
                "mode": "",
                "name": name,
                "driver_version": "",
                "measurable": True,
                "why_not": "",
            }
            for name in ("null", "host")
        ]

    def start(self, setting: dict[str, Any]) -> dict[str, Any]:
        """Start nothing; `setting["start"]` may name a command that is run in its place."""
        self._setting = setting
        job = {"execution": -1, "call": "ok"}
        if setting.get("start"):
            _command(Commands(Run(job, memoryview(b""), None, False)), setting["start"])()
        return {
            "device": "null",
            "driver_version": "",
            "numeric": {},
            "threads": setting.get("threads") or 1,
        }

    def run(self, job: dict[str, Any], body: memoryview, channel: Any) -> tuple[dict, list]:
        """Run one job: its inputs are its outputs, unless its command wants something else."""
        run = Run(job, body, channel, bool(self._setting.get("control")))
        run.result = _blank(job)
        channel.stage("inputs")
        _take_inputs(run, self._setting)
        commands = Commands(run)
        try:
            if job.get("setup"):
                channel.stage("setup")
                _command(commands, job["setup"])()
            command = _command(commands, job["call"])
            channel.stage("run")
            self._call(command, run)
        except Bug:
            raise
        except Exception as error:
            run.result["raised"] = _raised(error, run.result.pop("memory", None))
            run.leaves = []
        run.result["stage"] = channel.current
        return _finish(run, self._setting)

    def _call(self, command: Callable[[], None], run: Run) -> None:
        began = time.perf_counter_ns()
        command()
        cold = time.perf_counter_ns() - began
        if self._setting.get("clocks") and not run.job.get("rehearse"):
            run.result["timings"]["cold"] = [cold]
            if run.job.get("repeat") != "once":
                warm = _sample(command, run, self._setting["warm"])
                run.result["timings"]["warm"] = warm


def _blank(job: dict[str, Any]) -> dict[str, Any]:
    return {
        "execution": job["execution"],
        "not_applicable": None,
        "raised": None,
        "harness": None,
        "inputs": [],
        "outputs": [],
        "gradients": [],
        "second": None,
        "check": {"True": True, "False": False}.get(job.get("check") or ""),
        "fallback": [],
        "host_reads": 0,
        "extern_kernels": [],
        "timings": {},
        "compilations": {},
        "device_memory": None,
        "poisoned": False,
    }


def _take_inputs(run: Run, setting: dict[str, Any]) -> None:
    inputs = run.job.get("inputs") or (run.job.get("series") or [[]])[0]
    for spec in inputs:
        if "literal" in spec:
            run.leaves.append(({"value": spec["literal"]}, b""))
            continue
        data = bytes(run.body[spec["offset"] : spec["offset"] + spec["bytes"]])
        own = digest.digest(spec["dtype"], spec["shape"], data)
        run.result["inputs"].append({"name": spec["name"], "dtype": spec["dtype"], "digest": own})
        leaf = {"dtype": spec["dtype"], "shape": spec["shape"], "digest": own}
        run.leaves.append((leaf, data))


def _finish(run: Run, setting: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    """Give the header and the buffers: leaves with their paths and places in the body."""
    on_device = run.result.pop("on_device", True)
    place = {"device": setting.get("device", "null") if on_device else "host"}
    offset, buffers = 0, []
    for index, (leaf, data) in enumerate(run.leaves):
        entry = {"path": "out" if len(run.leaves) == 1 else f"out[{index}]", **leaf}
        if "dtype" in leaf:
            entry.update(place, on_device=on_device, offset=offset, bytes=len(data))
            buffers.append(data)
            offset += len(data)
        run.result["outputs"].append(entry)
    return run.result, buffers


def framework() -> Null:
    """Give the framework; the driver's way in."""
    return Null()
