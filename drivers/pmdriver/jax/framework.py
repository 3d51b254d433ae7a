"""JAX on one device: the hooks of `Framework`.

``devices.py`` knows the devices, ``lowering.py`` lowers for absent platforms, ``jit.py`` is the
variant ``+jit``, ``gradients.py`` differentiates, ``arrays.py`` knows arrays and trees, and
``settings.py`` knows what a case may set for the whole process. This file combines them.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import os
from collections.abc import Sequence
from typing import Any, Callable

import jax
import numpy as np

try:
    from jaxlib import xla_extension as _old
except ImportError:
    _old = None

from pmdriver import host, hostarrays, nvidia
from pmdriver.failure import NotApplicable, fails, message_of
from pmdriver.framework import NOT_PLAIN, Buffer, Counters, Framework, Wanted, absence
from pmdriver.jax import arrays, devices, jit, needs
from pmdriver.jax.gradients import Gradients
from pmdriver.jax.lowering import Lowering, not_lowerable
from pmdriver.jax.settings import Settings, is_wide, keep_compiled

#: Modules that cases name, and those that JAX imports when it first computes; some versions lack
#: some of them.
LAZY_MODULES = (
    "jax.scipy.fft", "jax.scipy.linalg", "jax.scipy.ndimage", "jax.scipy.optimize",
    "jax.scipy.signal", "jax.scipy.special", "jax.scipy.stats", "jax.scipy.integrate",
    "jax.experimental.multihost_utils", "jax.extend.core", "jax.extend.linear_util",
    "jax.interpreters.partial_eval", "jax.export", "jax.image", "jax.flatten_util", "jax.nn",
    "jaxlib.mlir.dialects.builtin", "jaxlib.mlir.dialects.mhlo", "jaxlib.lapack",
    "numpy.ctypeslib", "scipy.linalg",
)  # fmt: skip

#: Packages whose versions are reported, because they change results.
VERSIONED = ("jaxlib", "numpy", "scipy", "ml_dtypes", "libtpu",
             "jax_cuda12_plugin", "jax_cuda13_plugin")  # fmt: skip

#: Types whose values are compared by their texts.
PLAIN_TYPES = (jax.ShapeDtypeStruct, jax.core.ShapedArray, jax.tree_util.PyTreeDef)

VARIANTS = ("jit",)

#: The exception that JAX raises for errors of the runtime; `XlaRuntimeError` in old versions.
RUNTIME_ERROR = getattr(jax.errors, "JaxRuntimeError", None) or _old.XlaRuntimeError

_MEMORY = ("RESOURCE_EXHAUSTED", "out of memory", "Out of memory")


class Jax(Framework):
    """JAX on one device."""

    name = "jax"
    process_keys = Framework.process_keys | {"x64", "devices"}

    def __init__(self) -> None:
        super().__init__()
        self.device: devices.Device = devices.Cpu()
        self.handle: Any = None
        self.jit: jit.Jit | None = None
        self.lowering: Lowering | None = None
        self.gradient = Gradients(self)
        self._gpus: list[nvidia.Gpu] = []
        self._settings: Settings | None = None
        self._job: dict[str, Any] = {}
        self._pending: list[Any] = []
        self._stages = devices.Stages()
        self._elsewhere = False

    # ---------------------------------------------------------------- process

    def import_all(self) -> dict[str, Any]:
        """Import what cases name, and what JAX imports lazily; no back end is started."""
        for name in LAZY_MODULES:
            if host.is_installed(name):
                importlib.import_module(name)
        self._gpus = nvidia.look() if not devices.Cuda().needs() else []
        return {"version": jax.__version__, "versions": _versions()}

    def has_own_threads(self, setting: dict[str, Any]) -> bool:
        """Return True: no thread of JAX is OpenMP's."""
        return True

    def make_exact(self, setting: dict[str, Any]) -> None:
        """Ask for exact products of float32."""
        jax.config.update("jax_default_matmul_precision", devices.EXACT_MATMUL)

    def fast_modes(self) -> list[str]:
        """Return the active modes of the device."""
        return self.device.fast_modes()

    def start(self, setting: dict[str, Any]) -> dict[str, Any]:
        """Start the back end with the setting's number of threads, and compute one sum on it."""
        self.setting = setting
        self.device = devices.device_of(setting["device"])
        variant = setting.get("variant") or ""
        if variant and (variant not in VARIANTS or not self.device.jittable):
            raise RuntimeError(
                f"device '{self.device.name}' has no variant '{variant}': remove '+{variant}'"
            )
        if folder := setting.get("compiled"):
            keep_compiled(folder)
        threads = int(setting.get("threads") or 0)
        self.handle = self.device.start(threads, int(setting.get("devices") or 1))
        self.is_host = self.device.is_host
        self.jit = jit.Jit() if variant else None
        if isinstance(self.device, devices.Lowered):
            self.lowering = Lowering(self.device.absent)
        jax.config.update("jax_default_device", self.handle)
        jax.monitoring.register_event_duration_secs_listener(self._stages.note)
        self.wait, self.count = self._wait, lambda: self._stages.compiled
        self.before_running = self._stages.spent
        self._trivial()
        self._settings = Settings()
        return {
            "device": self.device.device_name(),
            "driver_version": self.device.driver_version(),
            "numeric": {
                "matmul_precision": str(jax.config.jax_default_matmul_precision or "default"),
                **self.device.environment(),
                **self.device.others(self._gpus),
            },
            "threads": threads or len(os.sched_getaffinity(0)),
        }

    def devices(self) -> list[dict[str, Any]]:
        """List all devices, with the variant ``jit`` for those that support it."""
        return devices.all_rows(VARIANTS)

    def device_count(self) -> int:
        """Count the devices of the platform."""
        return self.device.count()

    def _trivial(self) -> None:
        """Compute one sum on the device, so that JAX starts what a first computation needs."""
        jax.block_until_ready(jax.device_put(np.zeros(1, np.float32), self.handle) + 1)

    def _wait(self) -> None:
        """Wait for the arrays that were placed or returned since the last wait.

        If there are none, as after a setup, wait for all live arrays. That takes microseconds,
        which would distort the time of a short call.
        """
        pending = jax.tree_util.tree_leaves(self._pending)
        self._pending.clear()
        found = [item for item in pending if isinstance(item, jax.Array)]
        if not found:
            found = [a for a in jax.live_arrays(self.device.platform) if not a.is_deleted()]
        jax.block_until_ready(found)

    # ------------------------------------------------------------------ texts

    def begin_job(self, job: dict[str, Any], channel: Any) -> None:
        """Undo what the last case has set; set 64-bit types as the setting or the job requires."""
        self._job = job
        self._pending.clear()
        self._elsewhere = False
        wide = self.setting.get("x64")
        if self._settings is not None:
            self._settings.restore(is_wide(job) if wide is None else wide)

    def end_job(self) -> None:
        """Stop lowering, and forget the job's arrays."""
        if self.lowering is not None:
            self.lowering.end()
        self._pending.clear()
        self.gradient.forget()

    def names(self) -> dict[str, Any]:
        """Return ``jax``, ``jnp``, ``np``, ``device``, and ``on_reference``."""
        return {
            "jax": jax,
            "jnp": jax.numpy,
            "np": np,
            "device": self.handle,
            "on_reference": bool(self.setting.get("reference")),
        }

    def host_names(self) -> dict[str, Any]:
        """Return `names` with the host as ``device``."""
        return {**self.names(), "device": jax.devices("cpu")[0]}

    def on_host(self) -> contextlib.AbstractContextManager[Any]:
        """Make the host the default device."""
        return jax.default_device(jax.devices("cpu")[0])

    def move(self, value: Any) -> Any:
        """Copy arrays and keys to the device."""
        if not isinstance(value, jax.Array):
            return NOT_PLAIN
        moved = jax.device_put(value, self.handle)
        self._pending.append(moved)
        return moved

    def elsewhere_names(self) -> dict[str, Any]:
        """Return `names`; from now on, no array of JAX counts as being on the host."""
        self._elsewhere = True
        return self.names()

    def seed(self, number: int) -> None:
        """Seed NumPy: JAX has no global generator, and a case makes its own keys.

        Also forget the pending arrays: a setup or a call follows, and the next wait must then
        include all arrays.
        """
        self._pending.clear()
        np.random.seed(number % 2**32)

    def missing(self, function: str) -> str | None:
        """Look the name up attribute by attribute, beginning with ``jax``."""
        return absence(jax, "jax", function, f"JAX {jax.__version__}")

    def unmet(self, requirement: str) -> str | None:
        """Check ``accelerator``, ``values``, ``two devices`` and names of devices."""
        if requirement == "accelerator":
            met = not self.is_host
        elif requirement == "values":
            met = True
        elif requirement == "two devices":
            met = self.device.count() >= 2
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
        """Whether the variant is ``+jit``: inputs are arguments, and each setup makes the same."""
        return self.jit is not None

    def bind(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Keep what each call returns until the next wait; compile the function for ``+jit``."""
        pending = self._pending
        if self.jit and self._job.get("host_only"):
            raise NotApplicable("the function is host-only: there is nothing to compile")
        bound = self.jit.bind(function, self._static()) if self.jit else function
        if self._job.get("backward"):
            bound = self.gradient.last.bind(function, bound, self._job.get("output"))

        def call(*arguments: Any) -> Any:
            out = bound(*arguments)
            pending.append(out)
            return out

        return call

    def _static(self) -> set[int]:
        """Return the positions of the inputs that are not on the device."""
        specs = self._job.get("inputs") or (self._job.get("series") or [[]])[0]
        return {i for i, spec in enumerate(specs) if "literal" in spec or spec.get("host")}

    def finish_printing(self) -> None:
        """Wait for callbacks, because JAX prints in them."""
        jax.effects_barrier()

    def after_first_call(self) -> list[str]:
        """Verify that the call computes something at run time, and not when it is compiled.

        Raises
        ------
        NotApplicable
            The compiled call depends on no input, has arrays of the setup as constants, or starts
            no computation that could be lowered.
        """
        if self.jit is not None:
            self.jit.verify(bool(self._job.get("setup") or self._job.get("context")))
        reason = self.lowering.why_nothing() if self.lowering is not None else ""
        if reason and not self._job["host_only"]:
            raise NotApplicable(reason)
        return []

    # ----------------------------------------------------------------- arrays

    def make(self, dtype: str, shape: Sequence[int], data: memoryview) -> Any:
        """Make an array of NumPy."""
        return hostarrays.made(dtype, shape, data)

    def key(self, number: int) -> Any:
        """Make a typed key; a raw one in versions before 0.4.16, which have no typed keys."""
        make = getattr(jax.random, "key", jax.random.PRNGKey)
        made = make(number)
        self._pending.append(made)
        return made

    def place(self, array: Any) -> Any:
        """Copy an array to the device."""
        placed = jax.device_put(hostarrays.plain(array), self.handle)
        self._pending.append(placed)
        return placed

    def prepare(self, array: Any, differentiate: bool) -> Any:
        """Give a case plain arrays of NumPy for inputs on the host."""
        return hostarrays.plain(array)

    def read(self, array: Any) -> Buffer:
        """Copy an array to the host, its elements in C order."""
        found = arrays.on_host(array)
        return Buffer(array.dtype.name, tuple(array.shape), found.tobytes())

    def extent(self, array: Any) -> tuple[int, int]:
        """Return the dimensions and bytes that the array itself reports."""
        return array.ndim, array.size * array.dtype.itemsize

    def is_array(self, value: Any) -> bool:
        """Detect arrays of a dtype that portmeter knows; traced ones only while differentiating."""
        if isinstance(value, hostarrays.HostArray):
            return True
        if isinstance(value, jax.core.Tracer) and not self.gradient.is_tracing:
            return False
        return arrays.is_known(value)

    def where(self, array: Any) -> tuple[str, bool]:
        """Name the array's devices; more than one is right only if the case uses several."""
        if isinstance(array, hostarrays.HostArray):
            return "host", self.is_host
        if self._elsewhere:
            return "elsewhere", False
        found = array.devices()
        allowed = set(jax.devices(self.device.platform)) if self._has_several() else {self.handle}
        return ", ".join(sorted(map(str, found))), found <= allowed

    def kind(self, array: Any) -> str:
        """Name the number of devices if a case uses several, and whether each has the whole array.

        The same elements on one device and on two devices are different results.
        """
        if not self._has_several() or not isinstance(array, jax.Array) or self._elsewhere:
            return ""
        if isinstance(array, jax.core.Tracer):
            return ""
        count = len(array.devices())
        return f"on {count} devices, {'whole' if array.is_fully_replicated else 'divided'}"

    def _has_several(self) -> bool:
        requires = self._job.get("requires") or []
        return "two devices" in requires or (self._job.get("process") or {}).get("devices", 1) > 1

    def children(self, value: Any) -> list[tuple[str, Any]] | None:
        """Open keys of random generators, arrays of unknown dtypes, JAX's own trees, programs."""
        if isinstance(value, jax.Array):
            return arrays.parts_of_array(value)
        found = arrays.parts_of_node(value)
        return arrays.parts_of_program(value) if found is None else found

    def plain(self, value: Any) -> Any:
        """Write shapes with dtypes, and structures of trees, in JAX's own notation."""
        if isinstance(value, PLAIN_TYPES):
            return {f"jax.{type(value).__name__}": str(value)}
        return NOT_PLAIN

    # -------------------------------------------------------------- gradients

    def differentiable(self, array: Any) -> bool:
        """Return whether a value is an array of JAX with a floating-point or complex dtype."""
        is_own = isinstance(array, jax.Array)
        return is_own and bool(jax.numpy.issubdtype(array.dtype, np.inexact))

    def flatten(self, value: Any) -> tuple[list[Any], Callable[[list[Any]], Any]]:
        """Return the leaves of a tree, and the function that rebuilds it."""
        found, structure = jax.tree_util.tree_flatten(value)
        return found, structure.unflatten

    def cotangent(self, path: str, array: Any) -> Wanted:
        """Ask for values within [-1, 1); the call is linearised before any clock runs."""
        self.gradient.prepare()
        return Wanted(f"cotangent.{path}", array.dtype.name, tuple(array.shape), scale=1.0)

    def gradients(self, outputs: list[Any], sources: list[Any], cotangents: list[Any]) -> list[Any]:
        """Differentiate in reverse mode."""
        found = self.gradient.pull(sources, cotangents)
        self._pending.append(found)
        return found

    # ---------------------------------------------------------------- evidence

    def clear_counters(self) -> None:
        """Clear the device's counters; a device that lowers begins to lower computations."""
        self.device.clear_counters()
        if self.lowering is not None:
            self.lowering.begin()

    def read_counters(self) -> Counters:
        """Stop lowering; return no fallbacks, because JAX computes on the device of the inputs."""
        if self.lowering is not None:
            self.lowering.end()
        return Counters([], 0)

    def needs(self) -> needs.Needs:
        """Return a recorder that traces the call."""
        return needs.Needs()

    def peak_memory(self) -> int | None:
        """Return the peak that the device's allocator reports."""
        return self.device.peak_memory()

    def memory_kind(self, error: BaseException) -> str | None:
        """Detect exhausted memory by the message of JAX's exception."""
        if isinstance(error, RUNTIME_ERROR):
            text = message_of(error)
            if any(part in text for part in _MEMORY):
                return "host" if self.is_host else "device"
        return super().memory_kind(error)

    def not_traceable(self, error: BaseException) -> str | None:
        """Say why the call cannot be traced or lowered; None without ``+jit`` and lowering."""
        if self.lowering:
            return not_lowerable(error)
        return jit.not_traceable(error) if self.jit else None

    def poisoned(self) -> bool:
        """Compute on the device once more, which raises again if its context is lost."""
        return not self.is_host and fails(self._trivial)


def _versions() -> dict[str, str]:
    found = {"jax": jax.__version__}
    for name in filter(host.is_installed, VERSIONED):
        found[name] = importlib.metadata.version(name)
    return found


FRAMEWORK = Jax
