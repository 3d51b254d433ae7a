"""TensorFlow on one device: the hooks of `Framework`.

Setup, call, output and check of a case run inside ``tf.device`` of the target, with soft placement
off: an operation that the device lacks is an error, not a fallback. ``devices.py`` knows the
devices, ``jit.py`` is the variant ``+jit``; ``+soft`` turns soft placement on. If a case opens a
graph in its `context`, its inputs are arrays of NumPy, which are fed to a session, and ``graph.py``
watches where the session computes. ``eager.py`` watches where the operations of other calls
compute.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import os
from collections.abc import Iterator, Sequence
from typing import Any, Callable

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf  # noqa: E402

from pmdriver import host, hostarrays, nvidia  # noqa: E402
from pmdriver.failure import HarnessFault, NotApplicable, fails, message_of  # noqa: E402
from pmdriver.framework import (  # noqa: E402
    NOT_PLAIN,
    Buffer,
    Counters,
    Fill,
    Framework,
    Wanted,
    absence,
)
from pmdriver.job.recall import Recall  # noqa: E402
from pmdriver.tensorflow import (  # noqa: E402
    callbacks,
    devices,
    eager,
    graph,
    jit,
    kernels,
    modules,
    needs,
    programs,
)

#: Modules that TensorFlow imports when one of their names is first used.
LAZY_MODULES = (
    "keras.src.backend", "tensorflow._api.v2.compat.v1", "tensorflow.experimental.numpy",
    "tensorflow.python.ops.numpy_ops", "tensorflow.python.eager.backprop", "numpy.ctypeslib",
    "numpy.random",
)  # fmt: skip

#: Names in ``tf`` that import modules at their first use.
LAZY_NAMES = (
    "keras",
    "compat.v1.keras",
    "compat.v1.distributions",
    "summary",
    "experimental.numpy",
)

#: Packages whose versions are reported, because they change results.
VERSIONED = ("numpy", "keras", "ml_dtypes")

#: Types whose values are compared by their texts.
PLAIN_TYPES = (tf.DType, tf.TensorShape, tf.TypeSpec)

VARIANTS = ("jit", "soft")

#: The most elements of a dataset that can be compared.
MOST_ELEMENTS = 1000

DTYPES = {getattr(tf, name) for name in hostarrays.DTYPES}


class TensorFlow(Framework):
    """TensorFlow on one device."""

    name = "tensorflow"
    process_keys = Framework.process_keys | {"devices"}

    def __init__(self) -> None:
        super().__init__()
        self.device: devices.Device = devices.Cpu()
        self.jit: jit.Jit | None = None
        self.last = Recall(self)
        self._gpus: list[nvidia.Gpu] = []
        self._job: dict[str, Any] = {}
        self._scope: Any = None
        self._soft = False
        self._elsewhere = False
        self._graph: graph.Watch | None = None
        self._eager: eager.Watch | None = None
        self._tape: Any = None
        self._outputs: list[Any] = []

    # ---------------------------------------------------------------- process

    def import_all(self) -> dict[str, Any]:
        """Import what cases name, and what TensorFlow imports lazily; no device is started."""
        for name in filter(host.is_installed, LAZY_MODULES):
            importlib.import_module(name)
        for name in LAZY_NAMES:
            found: Any = tf
            for part in name.split("."):
                found = getattr(found, part, None)
            dir(found)
        self._gpus = nvidia.look() if tf.test.is_built_with_cuda() else []
        versions = {
            name: importlib.metadata.version(name) for name in filter(host.is_installed, VERSIONED)
        }
        return {"version": tf.__version__, "versions": {"tensorflow": tf.__version__, **versions}}

    def has_own_threads(self, setting: dict[str, Any]) -> bool:
        """Return True: no thread of TensorFlow is bound by OpenMP."""
        return True

    def make_exact(self, setting: dict[str, Any]) -> None:
        """Turn TF32 off."""
        tf.config.experimental.enable_tensor_float_32_execution(False)

    def fast_modes(self) -> list[str]:
        """Return the active modes of the device."""
        return self.device.fast_modes()

    def start(self, setting: dict[str, Any]) -> dict[str, Any]:
        """Start the device with the setting's number of threads, and compute one sum on it."""
        self.setting = setting
        self.device = devices.device_of(setting["device"])
        variant = setting.get("variant") or ""
        if variant and variant not in VARIANTS:
            raise RuntimeError(f"tensorflow has no variant '{variant}': remove '+{variant}'")
        reason = self.device.why_not()
        if reason:
            raise RuntimeError(reason)
        threads = int(setting.get("threads") or 0)
        self.device.prepare(threads, int(setting.get("devices") or 1))
        self._soft = variant == "soft"
        self.is_host = self.device.is_host
        self.jit = jit.Jit() if variant == "jit" else None
        self.wait, self.count = self.device.wait(), self.jit.count if self.jit else None
        self.before_running = jit.tracing_clock()
        self._trivial()
        return {
            "device": self.device.device_name(),
            "driver_version": self.device.driver_version(),
            "numeric": {
                "onednn": os.environ.get("TF_ENABLE_ONEDNN_OPTS", "default"),
                **self.device.environment(),
                **self.device.others(self._gpus),
            },
            "threads": threads or len(os.sched_getaffinity(0)),
        }

    def device_count(self) -> int:
        """Count the logical devices of the target's kind."""
        return len(tf.config.list_logical_devices(self.device.kind))

    def devices(self) -> list[dict[str, Any]]:
        """List all devices, with the variants of those that can be measured."""
        return devices.all_rows(VARIANTS)

    def _trivial(self) -> None:
        """Compute one sum on the device, so that TensorFlow starts what a first operation needs."""
        with tf.device(self.device.handle()):
            kept = tf.zeros(1) + 1
        if self.wait is not None:
            self.wait()
        del kept

    # ------------------------------------------------------------------ texts

    def begin_job(self, job: dict[str, Any], channel: Any) -> None:
        """Undo what the previous case has set for the process, and open the device's scope."""
        self._job = job
        self._elsewhere, self._graph, self._eager = False, None, None
        tf.config.set_soft_device_placement(self._soft)
        tf.config.run_functions_eagerly(False)
        self._scope = tf.device(self.device.handle())
        self._scope.__enter__()

    def end_job(self) -> None:
        """Close the scope, and forget the job's arrays."""
        if self._scope is not None:
            self._scope.__exit__(None, None, None)
            self._scope = None
        self.last.forget()
        self._tape, self._outputs = None, []

    def names(self) -> dict[str, Any]:
        """Return ``tf``, ``np``, ``device``, and ``on_reference``."""
        return {
            "tf": tf,
            "np": np,
            "device": self.device.handle(),
            "on_reference": bool(self.setting.get("reference")),
        }

    def on_host(self) -> contextlib.AbstractContextManager[Any]:
        """Return the scope of the host, to open inside that of the device."""
        return tf.device("/device:CPU:0")

    def move(self, value: Any) -> Any:
        """Copy tensors, and make new variables with the values of old ones, on the device."""
        if isinstance(value, tf.Variable):
            with tf.device(self.device.handle()):
                return tf.Variable(value.value(), trainable=value.trainable)
        if not isinstance(value, tf.Tensor):
            return NOT_PLAIN
        with tf.device(self.device.handle()):
            return tf.identity(value)

    def elsewhere_names(self) -> dict[str, Any]:
        """Return `names`; from now on, no tensor of TensorFlow counts as being on the host."""
        self._elsewhere = True
        return self.names()

    def seed(self, number: int) -> None:
        """Seed NumPy's generator and TensorFlow's, including that of an open graph."""
        tf.random.set_seed(number)
        if self._is_graph():
            self._graph = self._graph or graph.Watch(self.device.runs)
        np.random.seed(number % 2**32)

    def missing(self, function: str) -> str | None:
        """Look the name up attribute by attribute, beginning with ``tf``."""
        return absence(tf, "tf", function, f"TensorFlow {tf.__version__}")

    def unmet(self, requirement: str) -> str | None:
        """Check ``accelerator``, ``values``, ``two devices`` and names of devices."""
        if requirement == "accelerator":
            met = not self.is_host and not isinstance(self.device, devices.Xla)
        elif requirement == "values":
            met = True
        elif requirement == "two devices":
            met = self.device_count() >= 2
        elif requirement in {cls.name for cls in devices.DEVICES}:
            met = requirement == self.device.name
        else:
            return super().unmet(requirement)
        return None if met else f"requires {requirement}"

    @property
    def compiles(self) -> bool:
        """Whether the variant is ``+jit``."""
        return self.jit is not None

    @property
    def reuses_compiled(self) -> bool:
        """Whether the variant is ``+jit``, and the traced function keeps no state of the setup."""
        return self.jit is not None and not self.jit.holds_state()

    def restorer(self, again: Callable[[], Sequence[Any]]) -> Callable[[], None] | None:
        """Return a function that restores the variables that a call of ``+jit`` keeps."""
        return self.jit.restorer(again) if self.jit is not None else None

    def bind(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap the function for ``+jit``; remember its calls if they will be differentiated."""
        if self.jit and self._job.get("host_only"):
            raise NotApplicable("the function is host-only: there is nothing to compile")
        if self.jit and self._is_graph():
            raise NotApplicable("the case runs a graph: there is no call to compile")
        specs = (self._job.get("series") or [self._job.get("inputs") or []])[0]
        host = any(spec.get("host") for spec in specs)
        bound = self.jit.bind(function, host) if self.jit else function
        if self._job.get("backward"):
            bound = self.last.bind(function, bound, self._job.get("output"))
        return bound

    def after_first_call(self) -> list[str]:
        """Verify that the compiled call depends on its inputs, for ``+jit``."""
        if self.jit is not None:
            self.jit.verify()
        return []

    # ----------------------------------------------------------------- arrays

    def make(self, dtype: str, shape: Sequence[int], data: memoryview) -> Any:
        """Make an array of NumPy."""
        return hostarrays.made(dtype, shape, data)

    def place(self, array: Any) -> Any:
        """Copy an array to the device; leave it on the host if a graph is open."""
        if self._is_graph():
            return array
        with tf.device(self.device.handle()):
            return tf.constant(hostarrays.plain(array))

    def prepare(self, array: Any, differentiate: bool) -> Any:
        """Give a case plain arrays of NumPy for inputs on the host."""
        return hostarrays.plain(array)

    def read(self, array: Any) -> Buffer:
        """Copy an array to the host, its elements in C order."""
        found = array if isinstance(array, np.ndarray) else array.numpy()
        found = np.asarray(found)
        return Buffer(found.dtype.name, tuple(found.shape), found.tobytes())

    def extent(self, array: Any) -> tuple[int, int]:
        """Return the dimensions and bytes that the array itself reports."""
        if isinstance(array, np.ndarray):
            return array.ndim, array.nbytes
        return array.shape.rank, array.shape.num_elements() * array.dtype.size

    def is_array(self, value: Any) -> bool:
        """Return whether a value is a host array, or an eager tensor of a dtype portmeter knows."""
        if isinstance(value, hostarrays.HostArray):
            return True
        return isinstance(value, tf.Tensor) and value.dtype in DTYPES and self._is_eager(value)

    def _is_graph(self) -> bool:
        return bool(self._job.get("context")) and not tf.executing_eagerly()

    @property
    def transfers(self) -> bool:
        """Whether inputs are copied to the device; False for a graph, which is fed host arrays."""
        return super().transfers and self._graph is None

    @staticmethod
    def _is_eager(value: Any) -> bool:
        return hasattr(value, "numpy")

    def where(self, array: Any) -> tuple[str, bool]:
        """Name the tensor's device; any device of the kind is right if a case has several."""
        if isinstance(array, (hostarrays.HostArray, np.ndarray)):
            fed = self._graph is not None and not self._job.get("host_only")
            return "host", self.is_host or fed
        if self._elsewhere:
            return "elsewhere", False
        several = (self._job.get("process") or {}).get("devices", 1) > 1
        found = self.device.holds_any(array) if several else self.device.holds(array)
        return str(array.device).rpartition("/")[2], found

    def children(self, value: Any) -> list[tuple[str, Any]] | None:
        """Open variables, tensors of strings and unknown dtypes, composite tensors, programs."""
        value = modules.variable_of(value)
        if isinstance(value, tf.Variable):
            return [(".value()", value.value()), (".trainable", bool(value.trainable))]
        if isinstance(value, tf.Tensor):
            if not self._is_eager(value):
                return None
            return parts_of_tensor(value)
        if isinstance(value, tf.data.Dataset):
            return parts_of_dataset(value)
        if isinstance(value, tf.__internal__.CompositeTensor):
            parts = tf.nest.flatten(value, expand_composites=True)
            spec = [(".type_spec", str(tf.type_spec_from_value(value)))]
            return [*((f".components[{i}]", part) for i, part in enumerate(parts)), *spec]
        return programs.parts(value)

    def plain(self, value: Any) -> Any:
        """Write dtypes, shapes and specifications in TensorFlow's own notation."""
        if isinstance(value, PLAIN_TYPES):
            return {f"tf.{type(value).__name__}": str(value)}
        return NOT_PLAIN

    # ---------------------------------------------------------------- modules

    def is_built(self, module: Any) -> bool:
        """Return whether Keras has created the module's weights."""
        return modules.is_built(module)

    def place_modules(
        self, found: list[tuple[str, Any]], construct: Callable[[], list[Any]], fill: Fill
    ) -> list[Any]:
        """Fill trainable weights and copy the others; the modules are already on the device."""
        return modules.place_modules(found, construct, fill)

    def host_names(self) -> dict[str, Any]:
        """Return `names` with the host as ``device``."""
        return {**self.names(), "device": "/device:CPU:0"}

    def state(self, value: Any) -> list[tuple[str, Any]]:
        """List the weights of a module."""
        if not modules.is_module(value):
            return []
        found = [(step, variable.value()) for step, variable, _ in modules.weights_of(value)]
        return [(step, tensor) for step, tensor in found if self.is_array(tensor)]

    def parameters(self, text: str, module: Any) -> list[tuple[str, Any]]:
        """List the trainable weights."""
        return [(text + step, v) for step, v, is_filled in modules.weights_of(module) if is_filled]

    # -------------------------------------------------------------- gradients

    def differentiable(self, array: Any) -> bool:
        """Return whether a value is a tensor with a floating-point or complex dtype."""
        return isinstance(array, tf.Tensor) and (array.dtype.is_floating or array.dtype.is_complex)

    def flatten(self, value: Any) -> tuple[list[Any], Callable[[list[Any]], Any]]:
        """Return the leaves of lists, tuples and mappings, and a function that rebuilds them."""
        return tf.nest.flatten(value), lambda items: tf.nest.pack_sequence_as(value, items)

    def cotangent(self, path: str, array: Any) -> Wanted:
        """Ask for values within [-1, 1); first make the call again under a tape, untimed."""
        if self.last.is_recent:
            sources = self.last.sources()
            with tf.GradientTape() as self._tape:
                self._tape.watch(sources)
                self._outputs = self.last.again(*sources)
            self.last.used()
        return Wanted(f"cotangent.{path}", array.dtype.name, tuple(array.shape), scale=1.0)

    def gradients(self, outputs: list[Any], sources: list[Any], cotangents: list[Any]) -> list[Any]:
        """Differentiate in reverse mode."""
        return self._tape.gradient(self._outputs, sources, output_gradients=cotangents)

    # ---------------------------------------------------------------- evidence

    def clear_counters(self) -> None:
        """Clear the device's counters, and forget what was watched."""
        self.device.clear_counters()
        for watch in filter(None, (self._graph, self._eager)):
            watch.forget()

    def watch(self) -> contextlib.AbstractContextManager[None] | None:
        """Watch the graph that the case opens, or else the operations of its call.

        Operations of a host-only function may be on the host, so they are not watched. Nor is a
        call that may be made only once, if it is timed.
        """
        if self._job.get("host_only"):
            return None
        if self._graph is not None:
            return self._graph.open()
        timed_once = self.setting.get("clocks") and self._job.get("repeat") == "once"
        if self.is_host or timed_once:
            return None
        self._eager = self._eager or eager.Watch(self.device.runs)
        return self._eager.open()

    def read_counters(self) -> Counters:
        """Name what another device executed in the calls that were watched.

        Raises
        ------
        NotApplicable
            All runs of the graph compute nothing: TensorFlow folded it to constants.
        """
        run = self._graph
        if run is not None and run.runs and not run.computes:
            raise NotApplicable("the graph was folded to constants: its runs compute nothing")
        found = run if run is not None else self._eager
        if found is None:
            return Counters([], 0)
        return Counters(found.moved, 0, found.on_constants)

    @contextlib.contextmanager
    def kinds(self) -> Iterator[set[str]]:
        """Collect the kinds of operations, also of those in graphs that the block makes."""
        found: set[str] = set()
        with callbacks.noted(lambda kind, *others: found.add(kind), graphs=True):
            yield found

    def is_of_files(self, kind: str) -> bool:
        """Find the operation in the list of those that the host executes for files."""
        return graph.is_of_files(kind)

    def needs(self) -> needs.Needs:
        """Return a recorder of dtypes and handles."""
        return needs.Needs()

    def peak_memory(self) -> int | None:
        """Return the peak that the device's allocator reports."""
        return self.device.peak_memory()

    def memory_kind(self, error: BaseException) -> str | None:
        """Detect exhausted memory by TensorFlow's exception, and which memory by its message."""
        if isinstance(error, tf.errors.ResourceExhaustedError):
            return "host" if self.is_host or "device:CPU" in message_of(error) else "device"
        return super().memory_kind(error)

    def has_other_types(self, error: BaseException) -> bool | None:
        """Look for other kernels of the operation that the exception names."""
        types = kernels.types_of(self.device.kind, self.jit is not None)
        return kernels.of_other_types(error, types)

    def operations_of(self, error: BaseException) -> list[str]:
        """Name the operations without a kernel."""
        return kernels.lacking(message_of(error))

    def not_traceable(self, error: BaseException) -> str | None:
        """Say why TensorFlow cannot trace the call, in the variant ``+jit``."""
        return jit.not_traceable(error) if self.jit else None

    def poisoned(self) -> bool:
        """Compute on the device once more, which raises again if its context is lost."""
        return not self.is_host and fails(self._trivial)


def parts_of_dataset(value: Any) -> list[tuple[str, Any]]:
    """Open a dataset: its elements, in order.

    Raises
    ------
    HarnessFault
        The dataset is endless, or has more elements than a case may compare.
    """
    elements = list(value.take(MOST_ELEMENTS + 1))
    if len(elements) > MOST_ELEMENTS:
        raise HarnessFault(
            f"the dataset has more than {MOST_ELEMENTS} elements (portmeter's limit): use take()"
        )
    spec = [(".element_spec", str(value.element_spec))]
    return [*spec, *((f"[{i}]", element) for i, element in enumerate(elements))]


def parts_of_tensor(value: Any) -> list[tuple[str, Any]]:
    """Open a tensor of strings, or of a dtype that portmeter does not know (quantized, float8)."""
    if value.dtype == tf.string:
        return [(".dtype", value.dtype), (".items", np.asarray(value.numpy()).tolist())]
    numbers = np.asarray(value.numpy())
    return [(".dtype", value.dtype), (".shape", value.shape), (".bytes", numbers.tobytes())]


FRAMEWORK = TensorFlow
