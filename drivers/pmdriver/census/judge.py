"""Tries a case on the host, and decides what it measures.

A case *measures values* if the host accepts its call, if the output is the same in a second call
and with another seed, and if each input changes the output when only this input is changed. An
input that the call itself changes counts as part of the output.

A text that shows devices, such as that of an array, differs between devices, so only its type is
compared. Factors of decompositions are compared as far as they are unique
(`pmdriver.census.factors`).
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import types
from collections.abc import Mapping, Sequence
from typing import Any, Callable, NamedTuple

from pmdriver.census import calls, doubts, factors, inputs
from pmdriver.census.calls import Case
from pmdriver.framework import Framework, Wanted
from pmdriver.job import declared, leaves

#: The seed of all inputs, and the other seeds that are tried for one input at a time.
FIRST, OTHERS = 1, (2, 3, 4)

#: What a case measures, best first.
VALUES, NO_VALUES, HOST_ONLY = "values", "no-values", "host-only"


#: By default, no class of a framework has a part that is always on the host.
NO_PARTS: Mapping[str, Sequence[str]] = types.MappingProxyType({})

#: The output of a case that compares only a type.
TYPE = "type(out).__name__"

#: Why a text that shows a device is not compared.
SHOWN = "the output is a text that shows devices"

#: Why a call is refused whose outputs have no values to compare and differ.
VARIES = "two calls with the same inputs give different outputs"

#: Why a case with modules, but without inputs, may measure nothing.
NOTHING = "no array comes out, and no input could change"


class Verdict(NamedTuple):
    """What a case measures (`VALUES`, `NO_VALUES` or `HOST_ONLY`), and the completed case.

    `unused` contains the inputs that do not change the output. `doubt` is 0 or a sum of
    `pmdriver.census.doubts`.
    """

    what: str
    case: Case
    reason: str = ""
    unused: tuple[str, ...] = ()
    doubt: int = 0


class Refused(Exception):
    """The case cannot be used, although the call may be accepted."""


class Lazy(Refused):
    """The call returns a generator, which computes nothing until it is read."""


class Scene(NamedTuple):
    """The names that a call uses, and which of them are inputs and modules."""

    names: dict[str, Any]
    arrays: dict[str, Any]
    modules: list[Any]


def scene_of(framework: Framework, case: Case, changed: str = "", seed: int = FIRST) -> Scene:
    """Make the inputs and execute the setup; the input `changed` has values from `seed`."""
    names = dict(framework.names())
    made = {}
    for name, text in case.inputs.items():
        spec = inputs.parse(text)
        other = name == changed
        if spec is None:
            number = int(text[4:-1]) + (seed if other else 0)
            names[name] = made[name] = framework.key(number)
            continue
        own = f"{seed if other else FIRST}{name}"
        elements = inputs.values(spec, hash_of(own), shift=other)
        raw = memoryview(inputs.data(spec, elements))
        host = framework.make(spec.dtype, spec.shape, raw)
        value = framework.prepare(host if spec.on_host else framework.place(host), False)
        names[name] = made[name] = value
    framework.seed(FIRST)
    module = types.ModuleType("portmeter_case")
    names["__name__"] = module.__name__
    outside = dict(names)
    _set_up(case, names)
    if case.modules:
        _place_modules(framework, case, names, outside)
    return Scene(names, made, [names[name] for name in case.modules])


def _set_up(case: Case, names: dict[str, Any]) -> None:
    if case.setup:
        exec("\n".join(case.setup), names)


def _built(framework: Framework, case: Case, names: dict[str, Any]) -> list[Any]:
    """Return the modules; make the call once if a module makes its weights in its first call."""
    found = [names[name] for name in case.modules]
    if not all(map(framework.is_built, found)):
        eval(case.call, names)
    return found


def _place_modules(
    framework: Framework, case: Case, names: dict[str, Any], outside: dict[str, Any]
) -> None:
    """Give the modules weights that are the same in every scene, as a run does."""

    def construct() -> list[Any]:
        again = dict(outside)
        framework.seed(FIRST)
        _set_up(case, again)
        return _built(framework, case, again)

    placed = framework.place_modules(
        list(zip(case.modules, _built(framework, case, names))),
        construct,
        lambda wanted: [_weights(framework, each) for each in wanted],
    )
    names.update(zip(case.modules, placed))


def _weights(framework: Framework, wanted: Wanted) -> Any:
    arguments = (-wanted.scale, wanted.scale)
    spec = inputs.Spec(wanted.dtype, tuple(wanted.shape), "uniform", arguments, False)
    raw = inputs.data(spec, inputs.values(spec, hash_of(wanted.name)))
    return framework.make(spec.dtype, spec.shape, memoryview(raw))


def hash_of(text: str) -> int:
    """Return a number that is the same for the same text in every process."""
    return int.from_bytes(text.encode()[:24], "little")


def _call(framework: Framework, case: Case, scene: Scene, seed: int = FIRST) -> list[leaves.Leaf]:
    """Make the call; return the leaves of its output."""
    framework.seed(seed)
    silent = io.StringIO()
    with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
        found = eval(case.call, scene.names)
    if isinstance(found, types.GeneratorType):
        raise Lazy("the call returns a generator")
    names = {**scene.names, "out": found}
    shown = found if case.output == "out" else eval(case.output, names)
    walked = leaves.walk(shown, framework)
    if len(walked) > 200:
        raise Refused("the output has more than 200 parts")
    return walked


def _identity(framework: Framework, walked: list[leaves.Leaf]) -> dict[str, Any]:
    return leaves.identities(walked, framework)


def _known(framework: Framework, value: Any) -> list[Any]:
    """Return the digests of the arrays in a value; [] if it cannot be divided into parts."""
    with contextlib.suppress(Exception):
        return doubts.digests(framework, leaves.walk(value, framework))
    return []


def _form(framework: Framework, walked: list[leaves.Leaf]) -> list[Any]:
    """Return the paths, kinds, dtypes and shapes of an output's leaves, without their values."""
    found: list[Any] = []
    for leaf in walked:
        if leaf.kind == leaves.ARRAY:
            buffer = framework.read(leaf.value)
            found.append((leaf.path, buffer.dtype, tuple(buffer.shape)))
        else:
            found.append((leaf.path, leaf.kind))
    return found


def _state(framework: Framework, scene: Scene) -> dict[str, Any]:
    """Return the digests of the inputs, and of the parameters and buffers of modules."""
    found = [(name, array) for name, array in scene.arrays.items() if framework.is_array(array)]
    for place, module in enumerate(scene.modules):
        found += [(f"{place}{step}", array) for step, array in framework.state(module)]
    return {name: framework.digest(array)[1] for name, array in found}


def _repeating(framework: Framework, case: Case, first: dict[str, Any]) -> str:
    """Return `fresh` if a call changes an input, a module or the next call; else `pure`."""
    scene = scene_of(framework, case)
    before = _state(framework, scene)
    _call(framework, case, scene)
    if _state(framework, scene) != before:
        return "fresh"
    try:
        second = _identity(framework, _call(framework, case, scene))
    except Exception:
        return "fresh"
    return "pure" if second == first else "fresh"


def _unused(framework: Framework, case: Case, first: dict[str, Any]) -> list[str]:
    """Return the names of the inputs that do not change the output."""
    found = []
    for name in case.inputs:
        for seed in OTHERS:
            try:
                walked = _call(framework, case, scene_of(framework, case, name, seed))
            except Exception:
                continue
            if _identity(framework, walked) != first:
                break
        else:
            found.append(name)
    return found


def _has_arrays(framework: Framework, case: Case, walked: list[leaves.Leaf]) -> tuple[bool, bool]:
    """Return whether arrays go in, and whether they come out."""
    inside = bool(case.modules) or bool(case.inputs)
    return inside, any(leaf.kind == leaves.ARRAY for leaf in walked)


def _elements(framework: Framework) -> Callable[[leaves.Leaf], bool]:
    """Return a function that tests whether a leaf has values; an empty array has none."""
    return lambda leaf: (
        leaf.kind == leaves.VALUE
        or (leaf.kind == leaves.ARRAY and framework.extent(leaf.value)[1] > 0)
    )


def host_outputs(
    walked: Sequence[leaves.Leaf], parts_on_host: Mapping[str, Sequence[str]] = NO_PARTS
) -> tuple[str, ...]:
    """Return the paths of the parts of an output that are on the host for every device.

    These are NumPy's arrays and scalars, which are on no device, and the parts that the
    documentation of a class puts on the host.

    Parameters
    ----------
    walked
        The leaves of the output.
    parts_on_host
        By the name of a container: the steps to such parts.
    """
    found = []
    for leaf in walked:
        if leaf.kind != leaves.CONTAINER:
            continue
        if leaf.value.startswith("numpy."):
            found.append(leaf.path)
        found += [leaf.path + step for step in parts_on_host.get(leaf.value, ())]
    arrays = [leaf.path for leaf in walked if leaf.kind == leaves.ARRAY]
    return tuple(path for path in dict.fromkeys(found) if any(map(_is_of(path), arrays)))


def _is_of(whole: str) -> Callable[[str], bool]:
    return lambda path: declared.is_within(path, whole)


def judge(
    framework: Framework,
    case: Case,
    parts_on_host: Mapping[str, Sequence[str]] = NO_PARTS,
    array_text: re.Pattern[str] | None = None,
) -> Verdict:
    """Try a case.

    Parameters
    ----------
    framework
        Started on the host.
    case
        Its `repeat`, `compare`, `tolerance`, `output` and `host_outputs` are determined here.
    parts_on_host
        As for `host_outputs`.
    array_text
        As in `pmdriver.census.kit.Kit`.

    Raises
    ------
    Exception
        The call is not accepted, or the case cannot be used.
    """
    scene = scene_of(framework, case)
    try:
        walked = _call(framework, case, scene)
    except Lazy:
        case = case._replace(call=f"list({case.call})")
        scene = scene_of(framework, case)
        walked = _call(framework, case, scene)
    first = _identity(framework, walked)
    if any(leaf.kind == leaves.TYPE for leaf in walked):
        return _of_type(framework, case)
    if array_text is not None and any(map(_shows(array_text), walked)):
        return _of_type(framework, case, SHOWN)
    inside, outside = _has_arrays(framework, case, walked)
    if outside and not any(map(_elements(framework), walked)):
        raise Refused("the output has no elements")
    case = case._replace(host_outputs=host_outputs(walked, parts_on_host))
    again = scene_of(framework, case)
    given = [*again.arrays.values(), *(again.names.get(name) for name in calls.names_in(case))]
    before = [_known(framework, each) for each in given]
    again_walked = _call(framework, case, again)
    if _identity(framework, again_walked) != first:
        if _form(framework, again_walked) != _form(framework, walked) or not outside:
            raise Refused(VARIES)
        shaped = case._replace(compare="shape", repeat="fresh")
        return Verdict(NO_VALUES, shaped, "the values differ from call to call")
    other_seed = _call(framework, case, scene_of(framework, case), FIRST + 1)
    if _identity(framework, other_seed) != first:
        shaped = case._replace(compare="shape", repeat="fresh")
        return Verdict(NO_VALUES, shaped, "the values are random")
    case = case._replace(repeat=_repeating(framework, case, first))
    if not outside and case.repeat == "pure" and not inside:
        doubt = doubts.EMPTY if doubts.is_empty(walked) else 0
        return Verdict(HOST_ONLY, case, "no array goes in or comes out", doubt=doubt)
    verdict = _by_dependence(framework, case, first, inside, outside)
    if verdict.what == VALUES:
        doubt = doubts.of_values(framework, verdict.case, again_walked, before)
    else:
        doubt = doubts.EMPTY if doubts.is_empty(walked) else 0
    return _up_to_factors(framework, verdict, scene, walked)._replace(doubt=doubt)


def _shows(array_text: re.Pattern[str]) -> Callable[[leaves.Leaf], bool]:
    """Return a function that tests whether a leaf has a text that contains the text of an array."""
    return lambda leaf: (
        leaf.kind == leaves.VALUE and array_text.search(json.dumps(leaf.value)) is not None
    )


def _up_to_factors(
    framework: Framework, verdict: Verdict, scene: Scene, walked: list[leaves.Leaf]
) -> Verdict:
    """Return the verdict with the factors of a decomposition compared as far as they are unique."""
    case = verdict.case
    if verdict.what != VALUES or case.output != "out":
        return verdict
    form = factors.free(framework, list(scene.arrays.values()), walked)
    if form is None:
        return verdict
    case = case._replace(
        output=form.output, compare=form.compare or case.compare, tolerance=form.tolerance
    )
    _call(framework, case, scene_of(framework, case))
    return verdict._replace(case=case)


def _by_dependence(
    framework: Framework, case: Case, first: dict[str, Any], inside: bool, outside: bool
) -> Verdict:
    """Return `VALUES` if the output depends on each input, or else `NO_VALUES` with the reason."""
    if not case.inputs:
        is_compared = outside or not inside
        return Verdict(VALUES, case) if is_compared else Verdict(NO_VALUES, case, NOTHING)
    unused = _unused(framework, case, first)
    if case.repeat == "fresh" and unused:
        unused = _without_effect(framework, case, unused)
    if case.repeat == "fresh" and unused and len(case.inputs) > len(unused):
        unused = [name for name in unused if not _is_changed(framework, case, name)]
    if unused:
        reason = f"the output does not depend on {', '.join(unused)}"
        return Verdict(NO_VALUES, case, reason, tuple(unused))
    return Verdict(VALUES, case)


def _without_effect(framework: Framework, case: Case, unused: list[str]) -> list[str]:
    """Return the names without those that change what the call leaves in the inputs it changes."""

    def left(name: str = "", seed: int = FIRST) -> dict[str, Any]:
        scene = scene_of(framework, case, name, seed)
        before = _state(framework, scene)
        _call(framework, case, scene)
        after = _state(framework, scene)
        return {each: after[each] for each in scene.arrays if after.get(each) != before.get(each)}

    usual = left()
    found = []
    for name in unused:
        for seed in OTHERS:
            try:
                other = left(name, seed)
            except Exception:
                continue
            if any(other.get(each, usual[each]) != usual[each] for each in usual):
                break
        else:
            found.append(name)
    return found


def _is_changed(framework: Framework, case: Case, name: str) -> bool:
    """Return whether the call changes an input. If so, that input is compared too."""
    scene = scene_of(framework, case)
    before = _state(framework, scene)[name]
    _call(framework, case, scene)
    return _state(framework, scene)[name] != before


def _of_type(
    framework: Framework, case: Case, reason: str = "only the type of the output can be compared"
) -> Verdict:
    """Judge a case for which only the type of the output can be compared."""
    if case.output != "out":
        raise Refused("the output has a part without a value")
    typed = case._replace(output=TYPE)
    first = _call(framework, typed, scene_of(framework, typed))
    second = _call(framework, typed, scene_of(framework, typed))
    if _identity(framework, first) != _identity(framework, second):
        raise Refused("the type of the output varies")
    typed = typed._replace(repeat="fresh")
    if case.inputs or case.modules:
        return Verdict(NO_VALUES, typed, reason, doubt=doubts.TYPE_ONLY)
    return Verdict(HOST_ONLY, typed, "no array goes in or comes out", doubt=doubts.TYPE_ONLY)


def better(a: Verdict | None, b: Verdict | None) -> Verdict | None:
    """Return the verdict that measures more, or else has less doubt, or else the first."""
    order = (VALUES, NO_VALUES, HOST_ONLY)
    found = [each for each in (a, b) if each is not None]
    return min(found, key=lambda each: (order.index(each.what), each.doubt), default=None)
