"""Run a project's tests, and make each call of a public framework function on a second device too.

``PYTHON run.py NAMES.json PROJECT OUT.json -- ARGUMENTS OF PYTEST``, in the interpreter of the
framework. The second device is ``meta`` of PyTorch, the XLA device of TensorFlow, and lowering for
a TPU of JAX. If the second device raises an exception and the first does not, this is noted. The
test continues with the result of the first device.

A call counts if it takes or gives an array. A call is not judged if an argument cannot be moved (an
object, a callable, a sparse layout), if the call registers something, if it raises on the first
device too, or while TensorFlow traces a graph.
"""

from __future__ import annotations

import copy
import json
import os
import re
import signal
import sys
import tempfile
import time
from typing import Any, Callable

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), *[".."] * 3, "drivers"))

from pmdriver.record import begin
from pmdriver.record.sites import Recorder

MOST = 6
"""Calls of a site that are also made on the second device."""

EVERY = 20
"""Seconds after which what happened is written again."""

PLAIN = (type(None), bool, int, float, complex, str, bytes, slice, type(...))


class CannotMove(Exception):
    """Raised for an argument that cannot be moved to the second device; the text names its kind."""


class Second:
    """A second device. This base class moves only values that are on no device."""

    OWN = ""
    """A part of the message of exceptions that come from this comparison, not from the device."""

    def __init__(self) -> None:
        self.arrays = 0

    def is_array(self, value: Any) -> bool:
        raise NotImplementedError

    def move_one(self, value: Any) -> Any:
        """Return an object, such as an array, on the second device."""
        raise NotImplementedError

    def move(self, value: Any) -> Any:
        """Return a value on the second device, and count its arrays."""
        if isinstance(value, PLAIN):
            return value
        if type(value) in (list, tuple):
            return type(value)(self.move(item) for item in value)
        if type(value) is dict:
            return {key: self.move(item) for key, item in value.items()}
        self.arrays += self.is_array(value)
        try:
            return self.move_one(value)
        except CannotMove:
            raise
        except Exception as error:
            raise CannotMove(f"not moved: {type(error).__name__}") from None

    def gives(self, value: Any) -> bool:
        """Return whether a result contains an array."""
        if isinstance(value, (list, tuple)):
            return any(self.gives(item) for item in value)
        return self.is_array(value)

    def call(self, target: Any, form: str, owner: Any, args: Any, kwargs: Any) -> None:
        """Make the call on the second device."""
        raise NotImplementedError

    def compared(self, error: BaseException) -> bool:
        """Return whether an exception shows something about the device."""
        return not self.OWN or self.OWN not in str(error)


class Meta(Second):
    """PyTorch's device without values."""

    OWN = "appears to not have been used in the graph"  # each array moves without its graph

    def __init__(self) -> None:
        super().__init__()
        import torch

        self.torch = torch

    def is_array(self, value: Any) -> bool:
        return isinstance(value, self.torch.Tensor)

    def move_one(self, value: Any) -> Any:
        torch = self.torch
        if isinstance(value, torch.nn.Module):
            return copy.deepcopy(value).to("meta")
        if isinstance(value, torch.device):
            return torch.device("meta") if value.type == "cpu" else value
        if isinstance(value, (torch.dtype, torch.layout, torch.memory_format, torch.Size, type)):
            return value
        if type(value).__module__ == "numpy":
            return value
        if type(value) not in (torch.Tensor, torch.nn.Parameter):
            raise CannotMove(type(value).__name__)
        if value.layout != torch.strided or value.device.type != "cpu":
            raise CannotMove(f"a tensor of {value.layout} on {value.device.type}")
        moved = value.detach().to("meta")
        if isinstance(value, torch.nn.Parameter):
            return torch.nn.Parameter(moved, requires_grad=value.requires_grad)
        moved.requires_grad_(value.requires_grad)
        return moved if value.is_leaf else moved.clone()

    def call(self, target: Any, form: str, owner: Any, args: Any, kwargs: Any) -> None:
        args, kwargs = self.move(list(args)), self.move(kwargs)
        if kwargs.get("device") is not None:
            kwargs["device"] = "meta"
        if form == "method":
            target = getattr(self.move(owner), target.__name__)
        elif form == "instance":
            target = self.move(owner)
        with self.torch.device("meta"):
            target(*args, **kwargs)


class Xla(Second):
    """TensorFlow's device that compiles each operation for the host."""

    def __init__(self) -> None:
        super().__init__()
        import tensorflow
        from tensorflow.python.eager import context

        self.tf, self.context = tensorflow, context
        self.name = tensorflow.config.list_logical_devices("XLA_CPU")[0].name

    def is_array(self, value: Any) -> bool:
        tf = self.tf
        kinds = (tf.Tensor, tf.Variable, tf.RaggedTensor, tf.SparseTensor)
        return isinstance(value, kinds)

    def move_one(self, value: Any) -> Any:
        tf = self.tf
        if isinstance(value, tf.Variable):
            with tf.device(self.name):
                return tf.Variable(value.numpy(), dtype=value.dtype)
        known = (tf.DType, tf.TensorShape, tf.RaggedTensor, tf.SparseTensor, type)
        if isinstance(value, known) or type(value).__module__ == "numpy":
            return value
        if isinstance(value, tf.Tensor) and hasattr(value, "numpy"):
            return value
        raise CannotMove(type(value).__name__)

    def call(self, target: Any, form: str, owner: Any, args: Any, kwargs: Any) -> None:
        if not self.tf.executing_eagerly():
            raise CannotMove("a graph is traced")
        args, kwargs = self.move(list(args)), self.move(kwargs)
        if form == "method":
            target = getattr(self.move(owner), target.__name__)
        elif form == "instance":
            raise CannotMove(type(owner).__name__)
        state = self.context.context()
        soft, state.soft_device_placement = state.soft_device_placement, False
        try:
            with self.tf.device(self.name):
                target(*args, **kwargs)
        finally:
            state.soft_device_placement = soft


class Tpu(Second):
    """Lowering of a whole call for a TPU. What cannot be traced, or lowered for the host, is not
    judged."""

    OWN = "is different from the lowering platform"  # a limit of lowering on another machine

    def __init__(self) -> None:
        super().__init__()
        import jax

        self.jax = jax
        self.found: list[Any] = []

    def is_array(self, value: Any) -> bool:
        return isinstance(value, self.jax.Array)

    def move_one(self, value: Any) -> Any:
        if not self.is_array(value):
            return value
        self.found.append(self.jax.ShapeDtypeStruct(value.shape, value.dtype))
        return _Hole(len(self.found) - 1)

    def _fill(self, value: Any, arrays: Any) -> Any:
        if isinstance(value, _Hole):
            return arrays[value.at]
        if type(value) in (list, tuple):
            return type(value)(self._fill(item, arrays) for item in value)
        if type(value) is dict:
            return {key: self._fill(item, arrays) for key, item in value.items()}
        return value

    def call(self, target: Any, form: str, owner: Any, args: Any, kwargs: Any) -> None:
        self.found = []
        if form == "method":
            moved = self.move([owner, *args])
            name = target.__name__
        else:
            moved, name = self.move(list(args)), ""
        kwargs = self.move(kwargs)

        def whole(arrays: Any) -> Any:
            filled, named = self._fill(moved, arrays), self._fill(kwargs, arrays)
            called, rest = (getattr(filled[0], name), filled[1:]) if name else (target, filled)
            result = called(*rest, **named)
            leaves = self.jax.tree_util.tree_leaves(result)
            return [leaf for leaf in leaves if self.is_array(leaf)]

        try:
            traced = self.jax.jit(whole).trace(self.found)
            traced.lower(lowering_platforms=("cpu",))
        except Exception as error:
            raise CannotMove(f"not traced: {type(error).__name__}") from None
        traced.lower(lowering_platforms=("tpu",))


class _Hole:
    """Marks the place of an array in a call."""

    def __init__(self, at: int) -> None:
        self.at = at


SECOND: dict[str, Callable[[], Second]] = {"pytorch": Meta, "tensorflow": Xla, "jax": Tpu}


def reason(error: BaseException) -> str:
    """Return a text that is equal for all calls that fail for the same reason."""
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {re.sub(r'[0-9]+', '#', lines[0])[:120]}"


class Truth(Recorder):
    """Makes each call on the second device too, and keeps the results by site and function."""

    def clear(self) -> None:
        super().clear()
        self.seen: dict[tuple[int, str], dict[str, Any]] = {}
        self.second: Second | None = None

    def _try(self, entry: Any, framework: str, *call: Any) -> BaseException | None:
        """Return the exception of the second device; None if it raised none."""
        if self.second is None:
            self.second = SECOND[framework]()
        self.second.arrays = 0
        if "register" in getattr(call[0], "__name__", ""):
            return CannotMove("what is registered twice is an error")
        try:
            self.second.call(*call)
        except Exception as error:
            own = not self.second.compared(error)
            return CannotMove(f"of the comparison: {type(error).__name__}") if own else error
        finally:
            entry["arrays"] += self.second.arrays
        return None

    def _wrapped(  # type: ignore[override]
        self,
        site: int,
        target: Any,
        describer: Any,
        name: str,
        form: str,
        owner: Any,
    ) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            empty = {"calls": 0, "arrays": 0, "judged": 0, "failed": 0, "why": {}, "not": {}}
            entry = self.seen.setdefault((site, name), empty)
            entry["calls"] += 1
            if entry["calls"] > MOST or self.local.busy or form == "compiled":
                return target(*args, **kwargs)
            self.local.busy = True
            try:
                framework = describer.names.framework
                error = self._try(entry, framework, target, form, owner, args, kwargs)
            finally:
                self.local.busy = False
            result = target(*args, **kwargs)
            entry["arrays"] += bool(self.second and self.second.gives(result))
            entry["arrays"] += bool(self.second and self.second.is_array(owner))
            if isinstance(error, CannotMove):
                entry["not"][str(error)] = entry["not"].get(str(error), 0) + 1
                return result
            entry["judged"] += 1
            if error is not None:
                entry["failed"] += 1
                entry["why"][reason(error)] = entry["why"].get(reason(error), 0) + 1
            return result

        return call

    def document(self) -> dict[str, Any]:
        places = self.sites.items
        rows = [
            dict(zip(("path", "line", "column", "first"), places[site]))
            | {"function": name}
            | entry
            for (site, name), entry in self.seen.items()
        ]
        return {"calls": rows}


class Keeper:
    """A plugin of pytest that regularly writes the results so far: the run may be killed."""

    def __init__(self, output: str) -> None:
        self.output = output
        self.at = time.monotonic()

    def write(self) -> int:
        """Write the whole file; return its number of sites."""
        recorder = sys.modules["builtins"].__dict__[begin.rewrite.CALL].__self__
        with open(self.output + ".part", "w", encoding="utf-8") as file:
            json.dump(recorder.document(), file)
        os.replace(self.output + ".part", self.output)
        self.at = time.monotonic()
        return len(recorder.seen)

    def pytest_runtest_logfinish(self) -> None:
        if time.monotonic() - self.at > EVERY:
            self.write()


def main() -> int:
    """Run the tests, and write the results."""
    names, root, output = sys.argv[1:4]
    arguments = sys.argv[sys.argv.index("--") + 1 :]
    os.environ["TF_XLA_FLAGS"] = "--tf_xla_enable_xla_devices"
    root = os.path.realpath(root)
    begin.Recorder = Truth  # type: ignore[misc]
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        config = {"root": root, "names": [os.path.abspath(names)], "keep_values": False}
        json.dump(config | {"inner": False}, file)
    output = os.path.abspath(output)
    begin.install(folder)
    os.chdir(root)
    sys.path.insert(0, root)
    import pytest

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the results are written then
    keeper = Keeper(output)
    options = ["-q", "--maxfail=40", "-p", "no:cacheprovider"]
    status = pytest.main([*options, *arguments], plugins=[keeper])
    print(f"status {int(status)}, {keeper.write()} sites")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
