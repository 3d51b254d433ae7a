"""Find a first call of a function for a case file: ``python draft.py FRAMEWORK REQUEST``.

``src/measuring/environment/trial.c`` runs this. The file REQUEST is a JSON object: ``function`` (as
in case files: ``"torch.fliplr"``). One JSON object is printed. ``found``: the framework has the
function. ``call``: the text of a call. ``cases``: two sets of inputs (name: specification) with
which this call ran on the host, or none if no call ran. ``signature``: the function's parameters
as Python writes them, or ``""``. ``near``: if the function is not found, the nearest name, or
``""``.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
from collections.abc import Callable, Iterator
from typing import Any

from pmdriver import trial
from pmdriver.job.declared import near_name

Maker = Callable[[tuple[int, ...], str], Any]

#: Pairs of shapes, tried in this order: for the inputs of the first case, and of the second.
SHAPES = (((4, 5), (2, 3, 4)), ((5,), (8,)), ((4, 4), (6, 6)), ((2, 3, 8, 8), (1, 3, 6, 6)))
#: The numbers of inputs that are tried, in this order: most functions take one or two arrays.
COUNTS = (1, 2, 3)
DTYPES = ("float32", "int64", "bool")
DISTRIBUTIONS = {"float32": "normal", "int64": "integers(0,9)", "bool": "bernoulli(0.5)"}
NAMES = "xyz"


def torch_maker() -> Maker:
    """Return a function that makes arrays of PyTorch."""
    torch = importlib.import_module("torch")
    return lambda shape, dtype: torch.ones(shape, dtype=getattr(torch, dtype))


def tensorflow_maker() -> Maker:
    """Return a function that makes arrays of TensorFlow."""
    tf = importlib.import_module("tensorflow")
    return lambda shape, dtype: tf.ones(shape, dtype=dtype)


def jax_maker() -> Maker:
    """Return a function that makes arrays of JAX."""
    jnp = importlib.import_module("jax.numpy")
    return lambda shape, dtype: jnp.ones(shape, dtype=dtype)


MAKERS: dict[str, tuple[str, str, str, Callable[[], Maker]]] = {
    # framework: the module, its name in case files, the path of its class of arrays, the maker
    "pytorch": ("torch", "torch", "torch.Tensor", torch_maker),
    "tensorflow": ("tensorflow", "tf", "tf.Tensor", tensorflow_maker),
    "jax": ("jax", "jax", "jax.Array", jax_maker),
}


def find(module: Any, brief: str, name: str) -> Any:
    """Follow a dotted name; import submodules if needed. Return None if the name is missing."""
    first, *parts = name.split(".")
    if first != brief:
        return None
    found = module
    for part in parts:
        if not hasattr(found, part) and inspect.ismodule(found):
            try:
                importlib.import_module(f"{found.__name__}.{part}")
            except ImportError:
                return None
        found = getattr(found, part, None)
        if found is None:
            return None
    return found


def signature(function: Any) -> str:
    """Return the signature as text; empty if Python cannot read it."""
    try:
        return str(inspect.signature(function))
    except (TypeError, ValueError):
        return ""


def calls(name: str, arrays: str, function: Any) -> Iterator[tuple[str, int]]:
    """Yield texts of calls and their numbers of inputs; a method is called on its first input."""
    for count in COUNTS:
        names = list(NAMES[:count])
        if name.startswith(f"{arrays}."):
            yield f"x.{name.rsplit('.', 1)[1]}({', '.join(names[1:])})", count
        elif not inspect.isclass(function):
            yield f"{name}({', '.join(names)})", count


def runs(call: str, names: dict[str, Any], make: Maker, inputs: dict[str, Any]) -> bool:
    """Return whether the call runs and returns something other than None."""
    try:
        arrays = {name: make(shape, dtype) for name, (shape, dtype) in inputs.items()}
        return eval(call, {**names, **arrays}) is not None  # noqa: S307 - a call that this file wrote
    except Exception:
        return False


def specifications(inputs: dict[str, Any]) -> dict[str, str]:
    """Write inputs as case files do."""
    return {
        name: f"{dtype}[{','.join(map(str, shape))}] {DISTRIBUTIONS[dtype]}"
        for name, (shape, dtype) in inputs.items()
    }


def found_call(framework: str, name: str) -> dict[str, Any]:
    """Look for a call that runs; return the object that the head of this file describes."""
    module_name, brief, arrays, maker = MAKERS[framework]
    module = importlib.import_module(module_name)
    function = find(module, brief, name)
    if function is None or not callable(function):
        near = near_name(module, name) if name.startswith(f"{brief}.") else ""
        return {"found": False, "call": "", "cases": [], "signature": "", "near": near}
    make, names = maker(), {brief: module}
    texts = list(calls(name, arrays, function))
    for (call, count), dtype, shapes in itertools.product(texts, DTYPES, SHAPES):
        sets = [{NAMES[i]: (shape, dtype) for i in range(count)} for shape in shapes]
        if all(runs(call, names, make, inputs) for inputs in sets):
            found = [specifications(inputs) for inputs in sets]
            return {"found": True, "call": call, "cases": found, "signature": signature(function)}
    call = texts[0][0] if texts else f"{name}()"
    return {"found": True, "call": call, "cases": [], "signature": signature(function)}


def draft(framework: str, request: dict[str, Any]) -> None:
    """Answer a request; print the object that the head of this file describes.

    Parameters
    ----------
    framework
        One of `MAKERS`.
    request
        The object REQUEST, as the head of this file describes it.
    """
    trial.answer(found_call(framework, request["function"]))


if __name__ == "__main__":
    trial.main("try calls", draft)
