"""Verifies that a case applies here, and what it declares about its process and its outputs."""

from __future__ import annotations

import functools
import types
from collections.abc import Sequence
from typing import Any

from pmdriver.failure import CaseError, HarnessFault, NotApplicable
from pmdriver.framework import Framework
from pmdriver.job import leaves

#: How many paths of outputs a message about a wrong path lists.
MOST_SHOWN = 8

#: How similar a name must be to a mistyped one, as `difflib` counts it.
NEAR = 0.75


def verify_process(process: dict[str, Any], framework: Framework) -> None:
    """Verify that the framework supports what a case requires of its process.

    Parameters
    ----------
    process
        The key `process` of the case.
    framework
        Started in this process, with these settings.

    Raises
    ------
    CaseError
        The framework does not know a key.
    NotApplicable
        The process has fewer devices of the target's kind than the case requires.
    """
    unknown = sorted(set(process) - framework.process_keys)
    if unknown:
        raise CaseError(f"process: {framework.name} does not support '{unknown[0]}': remove it")
    wanted, there = process.get("devices", 1), framework.device_count() if process else 1
    if wanted > there:
        raise NotApplicable(f"requires {wanted} devices, but the number of devices is {there}")


def what_replaced(absent: dict[str, Any]) -> str:
    """Return which version was the last with a removed function, and what replaces it.

    Parameters
    ----------
    absent
        The key `absent` of its file.
    """
    now = absent.get("replaced_by")
    return f": last in {absent['until']}, {'now ' + now if now else 'nothing replaces it'}"


def did_you_mean(framework: Framework, function: str) -> str:
    """Return a question with the most similar name, for a function that the framework lacks.

    Parameters
    ----------
    framework
        Started in this process.
    function
        Qualified name.

    Returns
    -------
    str
        Empty if no name is near.
    """
    near = near_name(framework.names().get(function.split(".")[0]), function)
    return f": did you mean {near}?" if near else ""


def near_name(module: Any, function: str) -> str:
    """Return the name that is nearest to that of a function that a module does not have.

    Parameters
    ----------
    module
        The module that the first part of the name refers to.
    function
        Qualified name.

    Returns
    -------
    str
        Empty if no name is near.
    """
    first, *rest = function.split(".")
    found = module
    for i, name in enumerate(rest):
        inner = getattr(found, name, None)
        if inner is None:
            import difflib  # here: few drivers need it, and it would delay the start of all

            near = difflib.get_close_matches(name, dir(found), 1, NEAR)
            return ".".join([first, *rest[:i], *near]) if near else ""
        found = inner
    return ""


def verify_applicable(job: dict[str, Any], framework: Framework, result: dict[str, Any]) -> None:
    """Verify that the framework and its device have what a case needs; note a missing function.

    Raises
    ------
    NotApplicable
        The function is absent, or a requirement is not met.
    CaseError
        The framework has the function, although the file of the case says that it was removed.
    """
    missing, gone = framework.missing(job.get("function") or ""), job.get("absent")
    if missing:
        result["absent"] = True
        if not gone and job.get("rehearse"):
            missing += did_you_mean(framework, job["function"])
        raise NotApplicable(missing + (what_replaced(gone) if gone else ""))
    if gone:
        raise CaseError(
            f"absent: the framework still has the function after version {gone['until']}: "
            "change 'until'"
        )
    verify_process(job.get("process") or {}, framework)
    for requirement in job.get("requires") or []:
        reason = framework.unmet(requirement)
        if reason:
            raise NotApplicable(reason)


def host_outputs(
    declared: Sequence[str], found: Sequence[leaves.Leaf], root: str, strict: bool
) -> set[str]:
    """Return the paths of the leaves that `host_outputs` names, directly or by their container.

    Parameters
    ----------
    declared
        The paths in the case: ``out``, ``out[1].sizes``.
    found
        The leaves of the output.
    root
        What the paths of the leaves begin with instead of ``out``.
    strict
        Refuse a path that names no leaf: on the reference, the case is then wrong. A device may
        have other outputs than the reference, which the verdict then reports.

    Raises
    ------
    HarnessFault
        A path names no leaf, and `strict` is true.
    """
    paths: set[str] = set()
    for text in declared:
        whole = root + text[len("out") :]
        named = [leaf.path for leaf in found if is_within(leaf.path, whole)]
        if strict and not named:
            parts = [leaf.path for leaf in found if leaf.kind != leaves.CONTAINER]
            there = ", ".join(parts[:MOST_SHOWN])
            raise HarnessFault(
                f"host_outputs: the call has no output '{whole}': name one of its outputs ({there})"
            )
        paths.update(named)
    return paths


def is_within(path: str, whole: str) -> bool:
    """Return whether `path` is `whole` or the path of a part of it."""
    return path == whole or path.startswith((whole + ".", whole + "["))


def verify_host_only(values: dict[str, Any], framework: Framework) -> None:
    """Verify that named values, bound methods and partials have no arrays on the device.

    Raises
    ------
    HarnessFault
        A value is or contains an array on the device.
    """
    for name, value in values.items():
        found = _arrays_of(value, framework)
        if any(framework.where(leaf.value)[1] != framework.is_host for leaf in found):
            raise HarnessFault(
                f"the case has 'host_only', but '{name}' is on the device: remove 'host_only'"
            )


def _parts_of_callable(value: Any) -> list[Any]:
    """List what a callable refers to: the object of a bound method, the arguments of a partial."""
    if isinstance(value, functools.partial):
        return [*_parts_of_callable(value.func), *value.args, *value.keywords.values()]
    owner = getattr(value, "__self__", None) if callable(value) else None
    return [] if owner is None or isinstance(owner, types.ModuleType) else [owner]


def _arrays_of(value: Any, framework: Framework) -> list[leaves.Leaf]:
    parts = [value, *_parts_of_callable(value)]
    try:
        return [leaf for leaf in leaves.walk(parts, framework) if leaf.kind == leaves.ARRAY]
    except HarnessFault:  # endless or over a limit: no case compares it
        return []


def has_arrays(values: dict[str, Any], framework: Framework) -> bool:
    """Return whether named values are or contain arrays, also in bound methods and partials."""
    return any(_arrays_of(value, framework) for value in values.values())
