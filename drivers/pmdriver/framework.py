"""Class `Framework`: what portmeter needs to know about a framework; each method is a hook.

To add a framework: docs/internals/drivers.md. A framework's folder imports nothing from the folder
of another one.

Order of the calls
------------------
In the driver, before any fork: `import_all`, `practise`; before each fork: `before_fork`. In each
child: `has_own_threads`, `make_exact` if exact mode is requested, `start`, `fast_modes`, then the
following for each job, called by `pmdriver.job.execution`. (Only ``probe.py`` calls `devices`.)

    begin_job, texts
    missing, unmet     for the function and for each requirement of the case
    names              the names that the texts of the case may use
    make, place, digest, prepare   put inputs on the device, and read them for their digests
    seed               then the setup is executed
    host_names, on_host, move   if the setup fails there: executed on the host, results moved
    place_modules
    bind               the function to call; a variant that compiles wraps it here
    wait, seed, clear_counters, the call, wait, read_counters, peak_memory, after_first_call
    is_array, children, plain, extent, where, read      the leaves of the output
    differentiable, gradients, ...              if the case says `backward: true`
    not_traceable, memory_kind, has_other_types, poisoned       if anything was raised
    end_job
"""

from __future__ import annotations

import abc
import contextlib
import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, Callable, NamedTuple

from pmdriver.digest import digest
from pmdriver.failure import CaseError, summary
from pmdriver.needs import Needs

#: Returned by `Framework.plain` for a value that has no JSON form (None has one), and by
#: `Framework.move` for a value that is not the framework's.
NOT_PLAIN = object()

#: The most characters in a reason, such as why a device cannot be measured.
MOST_REASON = 200


class Counters(NamedTuple):
    """What the framework counted since `Framework.clear_counters`.

    Attributes
    ----------
    fallback
        Names of the operations that were executed on the host instead of the device.
    host_reads
        How many scalars were read back to the host.
    on_constants
        Operations on shapes and constants that were executed on the host. They are not fallbacks.
    """

    fallback: list[str]
    host_reads: int
    on_constants: Sequence[str] = ()


class Buffer(NamedTuple):
    """An array that was read back to the host.

    Attributes
    ----------
    dtype
        NumPy's name: ``"float32"``.
    shape
        The size of each dimension.
    data
        The elements in C order, little-endian; None if the device has no values.
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


def absence(root: Any, short: str, function: str, framework: str) -> str | None:
    """Look a function up by its name, attribute by attribute; return None if it is present.

    A module on the way is imported if nothing else has imported it.

    Parameters
    ----------
    root, short
        The framework's root module, and what the names of its functions begin with: ``"tf"``. The
        name of another package's function is not looked up and counts as present.
    function
        Qualified name, as in the case file.
    framework
        Name and version, for the text that is returned if the function is missing.
    """
    first, *rest = function.split(".")
    if first != short:
        return None
    found: Any = root
    for at, name in enumerate(rest):
        found = _part(found, name, rest[at + 1 : at + 2])
        if found is None:
            return f"{function} is not in {framework}"
    return None


def _part(owner: Any, name: str, following: list[str]) -> Any:
    """Return the part of an object with a name; None if there is none.

    A package may have another object where a path means its module, as ``torch.nn.utils`` has the
    function ``weight_norm``. The module is the part if only it has the name that follows.
    """
    if not isinstance(owner, ModuleType):
        return getattr(owner, name, None)
    path = f"{owner.__name__}.{name}"
    if not hasattr(owner, name):
        with contextlib.suppress(ImportError):
            importlib.import_module(path)
    found = getattr(owner, name, None)
    module = sys.modules.get(path)
    is_hidden = following and not hasattr(found, following[0]) and hasattr(module, following[0])
    return module if is_hidden else found


def device_row(device: Any, why_not: Callable[[], str]) -> dict[str, Any]:
    """Describe a device for ``portmeter devices``; if its methods raise, it is not measurable.

    Parameters
    ----------
    device
        Has ``target()``, ``device_name()`` and ``driver_version()``, which return texts.
    why_not
        Says why the device cannot be measured; an empty text if it can.
    """
    row = {"device": device.target(), "variant": "", "name": "", "driver_version": ""}
    try:
        reason = why_not()
        if not reason:
            row["name"], row["driver_version"] = device.device_name(), device.driver_version()
    except Exception as error:
        reason = summary(error, MOST_REASON)
    return {**row, "measurable": not reason, "why_not": reason}


def device_named(text: str, kinds: Sequence[Any], otherwise: Callable[[str], Any]) -> Any:
    """Make the device that a target names, such as ``cuda:1``; without an index the first one.

    Parameters
    ----------
    text
        The name, optionally followed by a colon and the index.
    kinds
        Classes of devices, each with its `name`.
    otherwise
        Makes the device if no class has the name, or raises.
    """
    name, _, index = text.partition(":")
    device = next((cls() for cls in kinds if cls.name == name), None) or otherwise(name)
    device.index = int(index or 0)
    return device


def route(names: Mapping[str, Any], function: str) -> list[Any]:
    """Look a function up by its name; return the objects along the path, the function last.

    Parameters
    ----------
    names
        The names that texts of a case may use. If `function` begins with none of them, its first
        part is a package to import.
    function
        Qualified name, as in the case file.

    Returns
    -------
    list
        Empty if the function is missing.
    """
    first, *rest = function.split(".")
    path = names[first].__name__ if isinstance(names.get(first), ModuleType) else first
    try:
        found = [names[first] if first in names else importlib.import_module(first)]
        for name in rest:
            path = f"{path}.{name}"
            if isinstance(found[-1], ModuleType) and not hasattr(found[-1], name):
                importlib.import_module(path)
            found.append(getattr(found[-1], name))
    except (ImportError, AttributeError):
        return []
    return found


#: Returns a host array of the framework for each Wanted.
Fill = Callable[[Sequence[Wanted]], list[Any]]


class Framework(abc.ABC):
    """A framework inside its own process.

    Attributes
    ----------
    name
        As in a target: ``"pytorch"``.
    is_host
        The device computes on the host's own arrays: nothing is transferred.
    has_values
        False for a device that has only dtypes and shapes.
    wait
        Returns when the device has finished all work; None if calls return only when they are done.
    count
        Returns the number of compilations so far; None if the framework does not report it.
    before_running
        Returns the time that calls have spent so far in ``tracing``, ``lowering`` and
        ``compiling``, in ns. These stages do not overlap; a stage that the framework does not
        report is missing. None if it reports no stage. The framework always counts these times.
    setting
        The child's setting, as docs/internals/protocol.md describes it; empty before `start`.
    process_keys
        The members of a case's key `process` that the framework supports.
    """

    name = ""
    is_host = True
    has_values = True
    wait: Callable[[], None] | None = None
    count: Callable[[], int] | None = None
    before_running: Callable[[], dict[str, int]] | None = None
    process_keys: frozenset[str] = frozenset({"environment", "alone"})

    def __init__(self) -> None:
        self.setting: dict[str, Any] = {}

    # ---------------------------------------------------------------- process

    @abc.abstractmethod
    def import_all(self) -> dict[str, Any]:
        """Import the framework, and what cases import lazily, in the driver.

        Must not compute: the children of a process that computed on several threads hang.

        Returns
        -------
        dict
            ``version`` and ``versions``, {package: version}.
        """

    def practise(self) -> None:
        """Do once in the driver, after `import_all`, what every child would otherwise do first.

        A framework that can compute without starting a thread passes a started instance of itself
        to `pmdriver.process.practice`.
        """

    def before_fork(self, setting: dict[str, Any]) -> bool:
        """Import in the driver what the next child, which gets `setting`, and later ones need.

        Returns
        -------
        bool
            Whether anything was imported.
        """
        return False

    def has_own_threads(self, setting: dict[str, Any]) -> bool:
        """Return whether, under this setting, other threads than those of OpenMP compute.

        If so, the child allows its threads to use all CPUs of the driver before it calls `start`.
        """
        return False

    def make_exact(self, setting: dict[str, Any]) -> None:
        """Turn off every numeric mode that is faster and less exact, in this process.

        Called before `start` in a child that repeats executions with wrong values: those that pass
        in exact mode failed because of lower precision. `fast_modes` is empty afterwards.
        """

    def fast_modes(self) -> list[str]:
        """Name the active numeric modes that are faster but less exact; called after `start`.

        If there are any, executions with wrong values are repeated after `make_exact`.
        """
        return []

    @abc.abstractmethod
    def start(self, setting: dict[str, Any]) -> dict[str, Any]:
        """Start the back end in a child: threads, device, one trivial operation.

        Returns
        -------
        dict
            ``device`` and ``driver_version``, as the framework names them; ``numeric``, {mode that
            changes results: value}; ``threads``, the number of threads that compute.

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
            ``device``, ``variant``, ``name``, ``driver_version``, ``measurable``, and ``why_not``,
            one line, which is empty for a measurable device.
        """

    def device_count(self) -> int:
        """Count the devices of the target's kind in this process."""
        return 1

    # -------------------------------------------------------------------- job

    def begin_job(self, job: dict[str, Any], channel: Any) -> None:
        """Prepare for a job, before its texts are executed and before any clock runs.

        Parameters
        ----------
        job
            The header of the RUN frame.
        channel
            The child's `pmdriver.process.child.Channel`.
        """

    def end_job(self) -> None:
        """Clean up after a job, even if the job or `begin_job` failed."""

    def texts(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return the job whose texts are executed; an oracle replaces `call` with `expect`."""
        return job

    @abc.abstractmethod
    def names(self) -> dict[str, Any]:
        """Return the names that every text of a case may use: the framework, ``np``, ``device``."""

    def host_names(self) -> dict[str, Any]:
        """Return `names` with ``device`` bound to the host, for texts that run on the host."""
        return self.names()

    def on_host(self) -> contextlib.AbstractContextManager[Any]:
        """Return a context in which arrays are made on the host unless a text names a device."""
        return contextlib.nullcontext()

    def move(self, value: Any) -> Any:
        """Copy an array or a module, which a setup made on the host, to the device.

        Returns
        -------
        object
            NOT_PLAIN for a value that is not the framework's.
        """
        return self.place(value) if self.is_array(value) else NOT_PLAIN

    def elsewhere_names(self) -> dict[str, Any]:
        """Return `names` for the host, with ``device`` bound to something that is not the host.

        `where` then detects what a case that is declared `host_only` puts on the device.
        """
        return self.names()

    def seed(self, number: int) -> None:
        """Seed every generator of the framework; called before each setup and before each call."""

    def missing(self, function: str) -> str | None:
        """Say why this version of the framework lacks a function; None if it has the function.

        Parameters
        ----------
        function
            Qualified name, as in the case file. The name of another package's function is not
            looked up and counts as present.
        """
        return None

    def route(self, function: str) -> list[Any]:
        """Return the objects along a function's name, the function last; empty if it is missing.

        portmeter uses these objects to detect whether a text of a case calls the function.
        """
        return route(self.names(), function)

    def unmet(self, requirement: str) -> str | None:
        """Say why this device does not meet a requirement of a case; None if it does."""
        return f"unknown requirement '{requirement}'"

    def bind(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the callable to use for `function`; a variant that compiles wraps it here."""
        return function

    @property
    def compiles(self) -> bool:
        """Whether `bind` makes the first call compile, so that its stage is ``compile``."""
        return False

    @property
    def reuses_compiled(self) -> bool:
        """Whether what `bind` returned can be called after its names have got new objects.

        The compiled code must then use the new objects, or compile again if it cannot.
        """
        return False

    def restorer(self, again: Callable[[], Sequence[Any]]) -> Callable[[], None] | None:
        """Return a function that gives all that the last call keeps the state of a new setup.

        Parameters
        ----------
        again
            Makes a new setup and binds its call; returns the arguments of the call.

        Returns
        -------
        callable or None
            None if this is impossible, or if the call keeps nothing: then `reuses_compiled`
            decides.
        """
        return None

    def finish_printing(self) -> None:
        """Wait until all earlier calls have printed their output, for `captured`."""

    def after_first_call(self) -> list[str]:
        """Look at what the first call compiled.

        Returns
        -------
        list of str
            The operations that the compiled code calls in libraries.

        Raises
        ------
        NotApplicable
            Nothing was compiled.
        """
        return []

    # ----------------------------------------------------------------- arrays

    @abc.abstractmethod
    def make(self, dtype: str, shape: Sequence[int], data: memoryview) -> Any:
        """Make a host array.

        Parameters
        ----------
        dtype, shape
            NumPy's name of the element type, and the sizes of the dimensions.
        data
            The elements in C order, little-endian (uint8). The array must not share this memory.
        """

    def key(self, number: int) -> Any:
        """Make a key of a generator of random numbers, on the device.

        Raises
        ------
        CaseError
            The framework has no keys.
        """
        raise CaseError(f"key({number}): {self.name} has no random keys: use another input")

    def place(self, array: Any) -> Any:
        """Copy a host array to the device."""
        return array

    def prepare(self, array: Any, differentiate: bool) -> Any:
        """Return what the case sees of an input, after its digest was checked.

        Parameters
        ----------
        array
            As `place` returned it or, for an input on the host, `make`.
        differentiate
            Gradients are computed for it, if its dtype allows them.
        """
        return array

    @abc.abstractmethod
    def read(self, array: Any) -> Buffer:
        """Read an array back; the bytes are a copy that no later call changes."""

    @abc.abstractmethod
    def extent(self, array: Any) -> tuple[int, int]:
        """Return the number of dimensions, and of bytes that `read` would copy, without reading."""

    def digest(self, array: Any) -> tuple[str, str | None]:
        """Return the dtype and the digest of what `read` returns; no digest without values."""
        buffer = self.read(array)
        if buffer.data is None:
            return buffer.dtype, None
        return buffer.dtype, digest(buffer.dtype, buffer.shape, buffer.data)

    @abc.abstractmethod
    def is_array(self, value: Any) -> bool:
        """Return whether a value is an array that `read` can read."""

    def kind(self, array: Any) -> str:
        """Name what characterises an array besides its elements, such as a subclass, or ``""``."""
        return ""

    def where(self, array: Any) -> tuple[str, bool]:
        """Return the device that holds an array, and whether this is the target's device."""
        return "host", True

    def children(self, value: Any) -> list[tuple[str, Any]] | None:
        """Open a container that only the framework knows: [(step of the path, child)], or None.

        The parts must include everything that makes two containers different: settings, shape,
        layout. The class is compared separately.
        """
        return None

    @property
    def transfers(self) -> bool:
        """Whether `place` and `read` copy between the host and a device that has values."""
        return self.has_values and not self.is_host

    def plain(self, value: Any) -> Any:
        """Return the JSON form of the framework's own plain values (dtypes), else NOT_PLAIN.

        The form is an object with one key, the type's name: ``{"torch.dtype": "torch.float32"}``.
        """
        return NOT_PLAIN

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
            The text of each expression in the case, and the object that it evaluates to.
        construct
            Executes the setup on the host with the same seed and returns its modules, from which
            the buffers are copied.
        fill
            Generates the floating-point parameters. Their names are ``MODULE.PARAMETER``, and their
            scale is one over the square root of the fan-in.

        Returns
        -------
        list
            The objects to use instead (the same objects if they change in place).
        """
        raise NotImplementedError(
            f"portmeter's driver for {self.name} does not support 'modules': remove it"
        )

    def is_built(self, module: Any) -> bool:
        """Return whether a module has its weights; if not, the call is made once to build it."""
        return True

    # -------------------------------------------------------------- gradients

    def flatten(self, value: Any) -> tuple[list[Any], Callable[[list[Any]], Any]]:
        """Return the parts of an argument of the call, and a function that rebuilds it from parts.

        This is needed by frameworks that make a call again with other values: see `job.recall`.
        """
        return [value], lambda items: items[0]

    def state(self, value: Any) -> list[tuple[str, Any]]:
        """List the arrays of a module that a pure call does not change: (step, array)."""
        return []

    def parameters(self, text: str, module: Any) -> list[tuple[str, Any]]:
        """List the parameters of a module that get gradients: (``MODULE.PARAMETER``, array)."""
        return []

    def differentiable(self, array: Any) -> bool:
        """Return whether gradients flow from this output leaf, or to this input."""
        return False

    def cotangent(self, path: str, array: Any) -> Wanted:
        """Name the cotangent of an output leaf ``cotangent.PATH``, with its dtype and shape."""
        raise NotImplementedError(
            f"portmeter's driver for {self.name} does not support 'backward': remove it"
        )

    def gradients(self, outputs: list[Any], sources: list[Any], cotangents: list[Any]) -> list[Any]:
        """Differentiate; None for a source that the outputs do not depend on."""
        raise NotImplementedError(
            f"portmeter's driver for {self.name} does not support 'backward': remove it"
        )

    # ---------------------------------------------------------------- evidence

    def clear_counters(self) -> None:
        """Reset the counters and the peak of device memory; called when inputs are placed."""

    def read_counters(self) -> Counters:
        """Read the counters; called before any output is fetched."""
        return Counters([], 0)

    def watch(self) -> contextlib.AbstractContextManager[None] | None:
        """Return a context that records where an untimed call computes; None if it is not needed.

        `read_counters` then names, as fallbacks, the operations on data that another device
        executed. This is needed if the outputs do not show which device computed: a graph returns
        host arrays on any device, and the middle of a call may compute on the host.
        """
        return None

    @contextlib.contextmanager
    def kinds(self) -> Iterator[set[str]]:
        """Collect the kinds of the operations that the block executes.

        The set is empty if the framework does not name its operations.
        """
        yield set()

    def is_of_files(self, kind: str) -> bool:
        """Return whether an operation, as `kinds` names it, writes or reads files."""
        return False

    def needs(self) -> Needs | None:
        """Return a recorder of what an untimed call on the reference needs; None if unsupported."""
        return None

    def peak_memory(self) -> int | None:
        """Return the peak bytes since `clear_counters` minus those in use then; None if unknown."""
        return None

    def memory_kind(self, error: BaseException) -> str | None:
        """Return ``host`` or ``device`` if an exception says that this memory is exhausted."""
        return "host" if isinstance(error, MemoryError) else None

    def has_other_types(self, error: BaseException) -> bool | None:
        """Return whether the operation that an exception reports as missing supports other dtypes.

        The registry of the framework decides. None if it cannot, for example because the exception
        reports something else.
        """
        return None

    def operations_of(self, error: BaseException) -> list[str]:
        """Name the operations that an exception says failed, as `Needs.add` names them."""
        return []

    def not_traceable(self, error: BaseException) -> str | None:
        """Say why the call is not applicable to a variant; None for other exceptions."""
        return None

    def poisoned(self) -> bool:
        """Return whether, after an exception, this process can no longer use the device."""
        return False
