"""Identifies what a call may change: inputs, literals, arguments, and the state of modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pmdriver import failure
from pmdriver.framework import Framework
from pmdriver.job import leaves
from pmdriver.job.scene import Scene, Spec


def input_digests(scene: Scene, framework: Framework) -> dict[str, Any]:
    """Return by name what identifies the current arrays of the inputs, such as their digests."""
    placed = [leaves.Leaf(name, leaves.ARRAY, array) for name, array in scene.placed.items()]
    return leaves.identities(placed, framework)


def changed_inputs(scene: Scene, specs: Sequence[Spec], framework: Framework) -> list[str]:
    """Name the inputs with values that now differ from those that were sent."""
    now = input_digests(scene, framework)
    return [
        spec["name"] for spec in specs if "digest" in spec and now[spec["name"]] != [spec["digest"]]
    ]


def digest_after(array: Any, framework: Framework) -> str | None:
    """Return the digest of an input after the call; None if it cannot be read any more.

    A call may consume an input: it deletes a donated buffer, or shrinks the tensor's storage.
    """
    try:
        return framework.digest(array)[1]
    except (Exception, failure.HarnessFault):
        return None


def state(scene: Scene, arguments: Sequence[str], framework: Framework) -> dict[str, Any]:
    """Return by path what identifies literals, arguments, and the state that the setup made."""
    given = {name: scene.names[name] for name in arguments}
    literals = {
        name: [leaves.identities(leaves.walk(value, framework, name), framework)]
        for name, value in {**scene.literals, **given}.items()
    }
    return literals | _state_of_modules(scene, framework)


def _state_of_modules(scene: Scene, framework: Framework) -> dict[str, Any]:
    return leaves.identities(
        [
            leaves.Leaf(name + step, leaves.ARRAY, array)
            for name, value in scene.names.items()
            for step, array in framework.state(value)
        ],
        framework,
    )
