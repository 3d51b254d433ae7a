"""The arrays for which gradients are computed, and the call that differentiates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pmdriver.framework import Framework
from pmdriver.job import leaves
from pmdriver.job.scene import Maker, Scene


def sources(framework: Framework, job: dict[str, Any], scene: Scene) -> list[tuple[str, Any]]:
    """List the arrays for which gradients are computed: in inputs, arguments and modules.

    Returns
    -------
    list of (str, array)
        The path of each array, as in the result (``"x"``, ``"state[0]"``), and the array.
    """
    modules = job.get("modules") or []
    found = [
        (name, array) for name, array in scene.placed.items() if framework.differentiable(array)
    ]
    for name in job.get("arguments") or []:
        if name not in modules:
            found += _sources_in(framework, name, scene.names[name])
    for text, module in zip(modules, scene.modules):
        found += framework.parameters(text, module)
    return found


def _sources_in(framework: Framework, name: str, value: Any) -> Iterator[tuple[str, Any]]:
    for leaf in leaves.walk(value, framework, name):
        if leaf.kind == leaves.ARRAY and framework.differentiable(leaf.value):
            yield leaf.path, leaf.value


def call(
    framework: Framework, maker: Maker, found: list[leaves.Leaf], wanted: list[tuple[str, Any]]
) -> Callable[[], list[Any]]:
    """Return the call that differentiates the output leaves; its cotangents are on the device.

    Parameters
    ----------
    framework, maker
        The framework and the maker of the job; the maker fills the cotangents.
    found
        The leaves of the output.
    wanted
        The arrays that `sources` returned.

    Raises
    ------
    RuntimeError
        No output leaf or no source is differentiable.
    """
    chosen = [
        leaf for leaf in found if leaf.kind == leaves.ARRAY and framework.differentiable(leaf.value)
    ]
    if not chosen or not wanted:
        raise RuntimeError("backward: no gradient flows from an output to an input")
    asked = [framework.cotangent(leaf.path, leaf.value) for leaf in chosen]
    cotangents = [framework.place(array) for array in maker.fill(asked)]
    outputs = [leaf.value for leaf in chosen]
    arrays = [array for _, array in wanted]
    if framework.wait is not None:
        framework.wait()
    return lambda: framework.gradients(outputs, arrays, cotangents)
