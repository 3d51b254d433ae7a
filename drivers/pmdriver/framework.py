"""What a framework's driver provides: class `Framework`, one method a hook.

To add a framework
------------------
1. Write ``drivers/pmdriver/<name>.py`` with a subclass of `Framework` and a function
   ``framework()`` that returns one. The abstract methods must be there; the others have defaults
   that fit a framework that computes at once, on the host, without modules and gradients.
   `numpy.py` is a short example, `pytorch.py` a complete one.
2. Add it to the tables of ``src/environment/targets.c`` (its devices) and ``src/environment/recipes.c`` (how
   its environment is made).
3. Put case files under ``suites/<name>/`` and canaries into ``suites/canaries/<name>.yaml``.
4. Test it as ``tests/python/test_numpy.py`` does.

Order of the calls
------------------
In the driver, before any fork: `import_all`. In each child: `start`, then `run` for each job. `run`
is `execution.run`, which calls the remaining hooks but `devices`, which is `probe.py`'s:

    unmet              for each of the case's requirements
    make, place, read, prepare   inputs to the device, and back to be digested
    seed, names        then the setup is executed
    place_modules
    bind               the function to call; where a mode compiles, this wraps it
    wait, clear_counters, the call, wait, read_counters
    is_array, children, plain, where, read      the output's leaves
    differentiable, gradients, ...              where the case has `backward: true`
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, Callable, NamedTuple

from pmdriver import execution, leaves
from pmdriver.digest import digest


class Counters(NamedTuple):
    """What the framework counted since `clear_counters`.

    Attributes
    ----------
    fallback
        Operations that were executed on the host instead of the device.
    host_reads
        How many scalars were read back.
    """

    fallback: list[str]
    host_reads: int


class Buffer(NamedTuple):
    """An array read back to the host: NumPy's dtype name, shape, bytes in C order.

    `data` is None where the device holds no values.
    """

    dtype: str
    shape: tuple[int, ...]
    data: bytes | None


class Wanted(NamedTuple):
    """An array that the supervisor is asked to generate, uniform in [-scale, scale)."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    scale: float


#: Answers each Wanted with a host array of the framework.
Fill = Callable[[Sequence[Wanted]], list[Any]]


class Framework(abc.ABC):
    """A framework inside its own process.

    Attributes
    ----------
    name
        As in a target: ``"pytorch"``.
    is_host
        The device's arrays are the host's own: nothing is transferred, and what is on the host is
        on the device.
    has_values
        False for a device that knows dtype and shape only.
    wait
        Returns when the device has nothing left to do; None where a call returns no earlier.
    count
        The number of compilations so far; None where the framework does not tell.
    seed_number
        For the framework's generators, from the setting.
    setting
        The child's, as docs/protocol.md has it; empty before `start`.
    jobs
        How many jobs this child has taken.
    """

    name = ""
    is_host = True
    has_values = True
    wait: Callable[[], None] | None = None
    count: Callable[[], int] | None = None

    def __init__(self) -> None:
        self.setting: dict[str, Any] = {}
        self.jobs = 0

    # ---------------------------------------------------------------- process

    @abc.abstractmethod
    def import_all(self) -> dict[str, Any]:
        """Import the framework, and what cases import lazily, in the driver.

        Must not compute: a process that computed on several threads has children that hang.

        Returns
        -------
        dict
            ``version`` and ``versions`` {package: version}.
        """

    def practise(self) -> None:
        """Do in the driver, after `import_all`, what every child would be the first to do.

        A framework that starts no thread for it lends `pmdriver.practice` one of its kind.
        """

    @abc.abstractmethod
    def start(self, setting: dict[str, Any]) -> dict[str, Any]:
        """Start the back end in a child: threads, device, one trivial operation.

        Returns
        -------
        dict
            ``startup_ns``, ``device``, ``driver_version``, ``numeric``, ``threads``.

        Raises
        ------
        Exception
            The device cannot be used; the child takes no job.
        """

    @abc.abstractmethod
    def devices(self) -> list[dict[str, Any]]:
        """List every device that a target can name, for ``portmeter devices``, after `import_all`.

        Returns
        -------
        list of dict
            ``device``, ``mode``, ``name``, ``driver_version``, ``measurable``, and ``why_not``: one
            clear line where it is not.
        """

    def run(self, job: dict[str, Any], body: memoryview, channel: Any) -> tuple[dict, list]:
        """Run one job: the header of its result, and the buffers that follow it."""
        return execution.run(self, job, body, channel)

    # ------------------------------------------------------------------ texts

    @abc.abstractmethod
    def names(self) -> dict[str, Any]:
        """Give the names that every text of a case may use: the framework, ``np``, ``device``."""

    def host_names(self) -> dict[str, Any]:
        """Give the same with ``device`` bound to the host, for `place_modules`."""
        return self.names()

    def elsewhere_names(self) -> dict[str, Any]:
        """Give the same on the host, with ``device`` bound to something that is not the host.

        What a case that is declared `host_only` makes there is found out by `where`.
        """
        return self.names()

    def texts(self, job: dict[str, Any]) -> dict[str, Any]:
        """Give the job whose texts are executed; an oracle puts `expect` in the place of `call`."""
        return job

    def seed(self, number: int) -> None:
        """Seed every generator of the framework; called before each setup and before each call."""

    def missing(self, function: str) -> str | None:
        """Tell why a function is not in this version of the framework; None where it is.

        Parameters
        ----------
        function
            Qualified name, as the case file gives it. One that is not the framework's own is
            nobody's to miss.
        """
        return None

    def unmet(self, requirement: str) -> str | None:
        """Say why a requirement of a case is not met on this device; None where it is."""
        return f"unknown requirement '{requirement}'"

    def bind(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Give what is called for the case's function; a mode that compiles wraps it here."""
        return function

    @property
    def compiles(self) -> bool:
        """Tell whether `bind` wraps: the stage before the first call is then ``compile``."""
        return False

    def after_first_call(self) -> list[str]:
        """Look at what the first call compiled.

        Returns
        -------
        list of str
            The operations that the compiled code hands to libraries.

        Raises
        ------
        NotApplicable
            Nothing was compiled.
        """
        return []

    # ----------------------------------------------------------------- arrays

    @abc.abstractmethod
    def make(self, dtype: str, shape: Sequence[int], data: memoryview) -> Any:
        """Make a host array from bytes in C order; it shares no memory with them."""

    def place(self, array: Any) -> Any:
        """Put a host array on the device."""
        return array

    def prepare(self, array: Any, differentiate: bool) -> Any:
        """Give what the case sees of an input that was checked.

        Parameters
        ----------
        array
            As `place` or, for an input on the host, `make` returned it.
        differentiate
            Gradients will be taken for it, where its dtype has any.
        """
        return array

    @abc.abstractmethod
    def read(self, array: Any) -> Buffer:
        """Read an array back; the bytes are a copy that no later call changes."""

    def digest(self, array: Any) -> tuple[str, str | None]:
        """Digest an array as `read` would give it: its dtype, and None where it has no values."""
        buffer = self.read(array)
        if buffer.data is None:
            return buffer.dtype, None
        return buffer.dtype, digest(buffer.dtype, buffer.shape, buffer.data)

    @abc.abstractmethod
    def is_array(self, value: Any) -> bool:
        """Tell whether a value is an array that `read` can read."""

    def where(self, array: Any) -> tuple[str, bool]:
        """Name the device that an array lives on, and tell whether it is the target's."""
        return "host", True

    def children(self, value: Any) -> list[tuple[str, Any]] | None:
        """Open a container that only the framework knows: [(step of the path, child)], or None."""
        return None

    def plain(self, value: Any) -> Any:
        """Give the JSON form of the framework's own plain values (dtypes), else NOT_PLAIN."""
        return leaves.NOT_PLAIN

    # ---------------------------------------------------------------- modules

    def place_modules(
        self,
        modules: list[tuple[str, Any]],
        construct: Callable[[], list[Any]],
        fill: Fill,
    ) -> list[Any]:
        """Move modules to the device and give them the same bits on every target.

        Parameters
        ----------
        modules
            Expression and object, as in the case.
        construct
            Executes the setup on the host under the same seed and returns its modules: buffers are
            copied from there.
        fill
            Gives the floating parameters; names are ``MODULE.PARAMETER``, the scale is one over the
            square root of the fan-in.

        Returns
        -------
        list
            The objects to be used in their place (the same ones where they change in place).
        """
        raise NotImplementedError(f"{self.name} has no modules")

    # -------------------------------------------------------------- gradients

    def parameters(self, text: str, module: Any) -> list[tuple[str, Any]]:
        """List a module's parameters to differentiate by: (``MODULE.PARAMETER``, array)."""
        return []

    def differentiable(self, array: Any) -> bool:
        """Tell whether gradients flow from this output leaf, or to this input."""
        return False

    def cotangent(self, path: str, array: Any) -> Wanted:
        """Say what cotangent an output leaf wants: ``cotangent.PATH``, of its dtype and shape."""
        raise NotImplementedError(f"{self.name} has no gradients")

    def gradients(self, outputs: list[Any], sources: list[Any], cotangents: list[Any]) -> list[Any]:
        """Differentiate; None for a source that the outputs do not depend on."""
        raise NotImplementedError(f"{self.name} has no gradients")

    # ---------------------------------------------------------------- evidence

    def clear_counters(self) -> None:
        """Forget what was counted, and the peak of device memory."""

    def read_counters(self) -> Counters:
        """Read what was counted since; called before any output is fetched."""
        return Counters([], 0)

    def peak_memory(self) -> int | None:
        """Peak bytes on the device since `clear_counters`; None where nobody tells."""
        return None

    def memory_kind(self, error: BaseException) -> str | None:
        """Tell whether an exception says that ``host`` or ``device`` memory is exhausted."""
        return "host" if isinstance(error, MemoryError) else None

    def not_traceable(self, error: BaseException) -> str | None:
        """Give the reason where a mode cannot take the call: it is then not applicable."""
        return None

    def poisoned(self) -> bool:
        """Tell, after an exception, whether the device can no longer be used by this process."""
        return False
