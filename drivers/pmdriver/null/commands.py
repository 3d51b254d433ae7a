"""The commands of the null framework: most simulate a failure, and some pass."""

from __future__ import annotations

import array
import builtins
import contextlib
import ctypes
import mmap
import os
import re
import resource
import signal
import sys
import time
import types
from collections.abc import Sequence
from typing import Any, Callable, NamedTuple

from pmdriver.failure import NotApplicable
from pmdriver.job import result
from pmdriver.process import wire

#: The device's message when its memory is exhausted.
OUT_OF_MEMORY = "out of memory on the null device"

_COMMAND = re.compile(r"(\w+)(?:\((.*)\))?", re.DOTALL)
# A fork bomb that nobody stops ends by itself: the machine has other users.
_BOMB_SECONDS = 20
_BOMB_PROCESSES = 400
_BOMB_PAUSE = 0.02  # seconds until the number of processes doubles
_HANG_SECONDS = 3600
_libc = ctypes.CDLL(None)
#: The least time of `slow` in ms: imitates a busy machine.
least_ms = 0.0
#: The time in ns that calls in this process spent compiling, by part, and how often they compiled.
spent: dict[str, int] = {}
tally = {"compilations": 0}
_marks: list[bool] = []  # one for each `mark` in this process


class Bug(AttributeError):
    """An exception that `failure.is_own_bug` treats as a bug of the driver."""


class Array(NamedTuple):
    """An array of the null framework.

    Attributes
    ----------
    dtype, shape, data
        As in `pmdriver.framework.Buffer`.
    on_device
        Whether the array claims to be on the device, not on the host.
    """

    dtype: str
    shape: tuple[int, ...]
    data: bytes
    on_device: bool = True


def hang() -> None:
    """Sleep in native code, with all signals blocked that can be blocked."""
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))
    for _ in range(_HANG_SECONDS):
        _libc.sleep(_HANG_SECONDS)


def _multiply(leave_session: bool) -> None:
    """Fork in every process, up to a total number that every limit should prevent."""
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
                pass  # this process reached a limit; the others continue
        time.sleep(_BOMB_PAUSE)
    os._exit(0)


def _with_short_fractions(data: bytes) -> bytes:
    """Drop the last 13 of the 23 bits of the fraction of each float32."""
    numbers = array.array("I", data)
    return array.array("I", (number & ~0x1FFF for number in numbers)).tobytes()


class Commands:
    """The commands that a job may use: each is a method, with texts as arguments.

    A command with a name that Python reserves ends in an underscore here, but not in a job.

    Attributes
    ----------
    outputs
        Arrays and plain values: the inputs when a command begins, the outputs when it has ended.
    on_host
        Operations that the device claims to have executed on the host.
    on_constants
        Operations on shapes and constants that the device claims to have executed on the host.
    lost
        Whether the device claims that its context is lost.
    destroys
        Whether the device inverts every bit of what is placed on it.
    rounds
        Whether the device is in its fast numeric mode, which rounds.
    """

    def __init__(self, job: dict[str, Any], channel: Any, honest: bool) -> None:
        self._job = job
        self._channel = channel
        self._honest = honest  # on the reference, values stay correct
        self.outputs: list[Any] = []
        self.on_host: list[str] = []
        self.on_constants: list[str] = []
        self.lost = False
        self._compiled = False
        self.rounds = False
        self.destroys = job.get("call") == "destroy" and not honest

    # ---------------------------------------------------------------- behaving

    def ok(self, size: str = "") -> None:
        """Pass; with a size, add an output: an array with that many bytes."""
        if size:
            self.outputs.append(Array("uint8", (int(size),), bytes(int(size))))

    def ask(self, count: str) -> None:
        """Ask the supervisor for `count` float32 values, and add them as an output."""
        request = {"name": "asked", "dtype": "float32", "shape": [int(count)], "scale": 1.0}
        for spec, data in self._channel.ask([request]):
            self.outputs.append(Array(spec["dtype"], tuple(spec["shape"]), bytes(data)))

    def slow(self, milliseconds: str) -> None:
        """Pass after a known time."""
        time.sleep(max(float(milliseconds), least_ms) / 1e3)

    def compile(self, *parts: str) -> None:
        """Compile in the job's first call. A part is a name and its time in ms: ``tracing 12``."""
        if not self._compiled:
            self.recompile(*parts)

    def recompile(self, *parts: str) -> None:
        """Compile in each call; from then on the framework reports the named parts."""
        self._compiled = True
        tally["compilations"] += 1
        for part in parts:
            name, _, milliseconds = part.partition(" ")
            begin = time.perf_counter_ns()
            time.sleep(float(milliseconds) / 1e3)
            spent[name] = spent.get(name, 0) + time.perf_counter_ns() - begin

    def say(self, text: str) -> None:
        """Print a string and pass."""
        print(text, flush=True)

    def debug(self) -> None:
        """Enter Python's debugger."""
        breakpoint()

    def beacon(self, path: str) -> None:
        """Create a file, so that a test can detect that this runs; then hang."""
        with open(path, "w"):
            hang()

    # ------------------------------------------------------------------ ending

    def import_(self) -> None:
        """Add a module to `sys.modules`, as an import does, in the first call of a child."""
        sys.modules.setdefault("portmeter_made_up", types.ModuleType("portmeter_made_up"))

    def crash(self) -> None:
        """Read address 0."""
        ctypes.string_at(0)

    def abort(self) -> None:
        """Call abort()."""
        os.abort()

    def kill(self, number: str) -> None:
        """Send this process a signal."""
        os.kill(os.getpid(), int(number))

    def exit0(self) -> None:
        """Exit with status 0, without an answer."""
        os._exit(0)

    def exit(self, status: str) -> None:
        """Exit with a status, without an answer."""
        os._exit(int(status))

    def hang(self) -> None:
        """Hang in native code, with signals blocked."""
        hang()

    def spin(self) -> None:
        """Loop forever in Python."""
        while True:
            pass

    def deadlock(self) -> None:
        """Answer, then hang."""
        self._tamper(lambda header: None, hang)

    def memory(self) -> None:
        """Allocate until the limit of the child is reached; without a limit, fail at once."""
        if resource.getrlimit(resource.RLIMIT_DATA)[0] == resource.RLIM_INFINITY:
            bytes(1 << 62)
        held = []
        while True:
            held.append(bytes(1 << 24))

    # ---------------------------------------------------------------- printing

    def chatter(self, pause_ms: str = "") -> None:
        """Print forever.

        If given, a pause of `pause_ms` after each 1000 lines leaves the CPU to others.
        """
        line = b"the null framework has a lot to say\n" * 1000
        while True:
            os.write(1, line)
            if pause_ms:
                time.sleep(float(pause_ms) / 1000)

    def flood(self, size: str) -> None:
        """Print a number of bytes, and pass."""
        rest = int(size)
        while rest:
            rest -= os.write(1, b"f" * min(rest, 1 << 16))

    # ------------------------------------------------------------------ frames

    def garbage(self) -> None:
        """Send bytes that are not a frame."""
        self._send(b"this is not a frame, not even the beginning of one")

    def badversion(self) -> None:
        """Send a frame of another version."""
        self._send(b"PM\x63" + wire.frame(wire.RESULT, {})[3:])

    def badkind(self) -> None:
        """Send a frame of an unknown kind."""
        self._send(wire.frame(200, {}))

    def badheader(self) -> None:
        """Send a frame whose header is not a JSON object."""
        self._send(b"PM\x01\x0b" + (4).to_bytes(4, "little") + bytes(8) + b"[1,}")

    def unexpected(self) -> None:
        """Send a frame that only a driver may send."""
        self._send(wire.frame(wire.FORKED, {"pid": 1}))

    def toolong(self) -> None:
        """Announce a body of 2**60 bytes."""
        self._send(b"PM\x01\x0b" + (2).to_bytes(4, "little") + (1 << 60).to_bytes(8, "little"))

    def _send(self, data: bytes) -> None:
        self._channel.connection.send_bytes(data)
        hang()

    def partial(self) -> None:
        """Die after half a frame."""
        whole = wire.frame(wire.RESULT, result.blank(self._job))
        self._channel.connection.send_bytes(whole[: len(whole) // 2])
        os.kill(os.getpid(), signal.SIGKILL)

    def close(self) -> None:
        """Close the connection, and hang."""
        self._channel.connection.close()
        hang()

    def wrongtoken(self) -> None:
        """Open a second connection with a wrong token, then pass."""
        second = wire.connect(os.environ["PORTMETER_SOCKET"])
        second.send(wire.HELLO, {"token": "0" * 32, "role": "child"})
        try:
            second.receive()
        except (EOFError, OSError):
            pass

    def wrongdigest(self) -> None:
        """Report a wrong digest for the first input."""
        self._tamper(lambda header: header["inputs"][0].update(digest="0" * 32), lambda: None)

    def _tamper(self, change: Callable[[dict[str, Any]], None], then: Callable[[], None]) -> None:
        """Change the header of this job's result before it is sent; call `then` afterwards."""
        connection = self._channel.connection
        honest = connection.send

        def send(kind: int, header: dict[str, Any], buffers: Any = ()) -> None:
            if kind == wire.RESULT:
                connection.send = honest
                change(header)
            honest(kind, header, buffers)
            if kind == wire.RESULT:
                then()

        connection.send = send

    # ------------------------------------------------------- portmeter's own files

    def unsocket(self) -> None:
        """Remove the run's socket if it is there, and pass."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.environ["PORTMETER_SOCKET"])

    def unfolder(self) -> None:
        """Remove the run's folder and its contents, and pass."""
        import shutil  # here: few drivers need it, and it would delay the start of all

        shutil.rmtree(os.path.dirname(os.environ["PORTMETER_SOCKET"]))

    def strangers(self, count: str) -> None:
        """Open a number of connections that send nothing, keep them open, and pass."""
        path = os.environ["PORTMETER_SOCKET"]
        self._kept = [wire.connect(path) for _ in range(int(count))]

    # --------------------------------------------------------------- processes

    def forkbomb(self, escape: str = "") -> None:
        """Fork repeatedly; with any argument, each process starts its own session."""
        _multiply(bool(escape))

    def stray(self, count: str = "1", bare: str = "") -> None:
        """Leave processes behind that are outside this one's group and tree, and pass.

        With a second argument, they have an empty environment.
        """
        for _ in range(int(count)):
            pid = os.fork()
            if pid == 0:
                os.setsid()
                if os.fork() == 0:
                    if bare:
                        os.execve("/bin/sleep", ["sleep", str(_HANG_SECONDS)], {})
                    time.sleep(_HANG_SECONDS)
                os._exit(0)
            os.waitpid(pid, 0)

    def twin(self) -> None:
        """Fork, and pass in both processes."""
        os.fork()

    # ------------------------------------------------- values, not on the reference

    def wrongdtype(self) -> None:
        """Return the bytes of the first output as uint8."""
        self._change(lambda array: Array("uint8", (len(array.data),), array.data))

    def nan(self) -> None:
        """Fill the first output, which has a floating-point dtype, with NaN."""
        self._change(lambda array: array._replace(data=b"\xff" * len(array.data)))

    def wrongvalue(self) -> None:
        """Invert every bit of the first output."""
        self._change(lambda array: array._replace(data=bytes(byte ^ 0xFF for byte in array.data)))

    def nearvalue(self) -> None:
        """Invert the lowest bit of the first output, so that a float stays close."""
        self._change(lambda array: array._replace(data=bytes([array.data[0] ^ 1]) + array.data[1:]))

    def rounded(self) -> None:
        """If the device rounds, shorten the fractions of the first output (float32) to 10 bits."""
        if self.rounds:
            self._change(lambda array: array._replace(data=_with_short_fractions(array.data)))

    def _change(self, change: Callable[[Array], Array]) -> None:
        if not self._honest:
            self.outputs[0] = change(self.outputs[0])

    def destroy(self) -> None:
        """Pass, on a device that inverts every bit of what is placed on it."""

    def mark(self) -> None:
        """Leave a mark in the process, and pass."""
        _marks.append(True)

    def unmarked(self) -> None:
        """Return a wrong value if `mark` ran in this process: a case that a neighbour harms."""
        if _marks:
            self.wrongvalue()

    def marked(self) -> None:
        """Return a wrong value unless `mark` ran in this process: a case that needs a neighbour."""
        if not _marks:
            self.wrongvalue()

    def once(self, path: str) -> None:
        """If a file is missing, create it and return a wrong value, also on the reference."""
        if not os.path.exists(path):
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
            self._honest = False
            self.wrongvalue()

    def wrongdevice(self) -> None:
        """Return outputs that are on the host."""
        if not self._honest:
            self.outputs = [
                item._replace(on_device=False) if isinstance(item, Array) else item
                for item in self.outputs
            ]

    def fallback(self) -> None:
        """Claim to have executed an operation on the host."""
        if not self._honest:
            self.on_host = ["null::op"]

    def constants(self) -> None:
        """Claim to have executed, on the host, an operation on a shape: this is not a fallback."""
        self.on_constants = ["null::shape"]

    # --------------------------------------------------------------- exceptions

    def devicememory(self) -> None:
        """Fail like a device with exhausted memory."""
        raise RuntimeError(OUT_OF_MEMORY)

    def poison(self) -> None:
        """Fail and lose the device context."""
        self.lost = True
        raise RuntimeError("the context of the null device is lost")

    def inapplicable(self, why: str = "the null device does not support it") -> None:
        """Say that the case is not applicable here."""
        raise NotApplicable(why)

    def harness(self) -> None:
        """Raise an exception that counts as a bug of the driver."""
        raise Bug("the null framework was asked for it")

    def raise_(self, kind: str = "RuntimeError", *words: str) -> BaseException:
        """Return an exception, to be raised by the case: its type by name, and its message."""
        known = getattr(builtins, kind, None)
        if not (isinstance(known, type) and issubclass(known, Exception)):
            known = type(kind, (Exception,), {})
        return known(", ".join(words))


def _find(commands: Commands, text: str) -> Callable[[], BaseException | None]:
    """Return the command that a string names, ready to be called.

    Raises
    ------
    Bug
        There is no such command.
    """
    match = _COMMAND.fullmatch(text.strip())
    name = match[1] if match else "_"
    method = getattr(commands, name, None) or getattr(commands, name + "_", None)
    if match is None or name.startswith("_") or not callable(method):
        raise Bug(f"the null framework has no command '{text}'")
    arguments = [part.strip() for part in match[2].split(",")] if match[2] else []
    return lambda: method(*arguments)


def execute(commands: Commands, text: str, *inputs: Any) -> Any:
    """Execute a command.

    Parameters
    ----------
    commands
        The commands of the job.
    text
        ``name`` or ``name(argument, ...)``.
    inputs
        The inputs of the case, arrays or plain values.

    Returns
    -------
    object
        The output of the case, or the exception that the case must raise.

    Raises
    ------
    Bug
        There is no such command.
    Exception
        What the command raises itself.
    """
    commands.outputs = list(inputs)
    error = _find(commands, text)()
    if error is not None:
        return error
    return commands.outputs[0] if len(commands.outputs) == 1 else tuple(commands.outputs)


def python(text: str, inputs: Sequence[str]) -> str:
    """Write a command as the Python text of a case, which calls `execute` as ``null``.

    The text of the case, not this module, raises the exception that a case requests: otherwise it
    could look like a bug of the driver.
    """
    call = f"null({', '.join([repr(text), *inputs])})"
    return f"raise {call}" if re.match(r"\s*raise\b", text) else call
