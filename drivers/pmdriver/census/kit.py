"""What a census needs to know about a framework: class `Kit`, with a subclass per framework."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from typing import Any

from pmdriver.census import calls, doubts, judge, words
from pmdriver.census.calls import Builder, Candidate, Case
from pmdriver.census.signatures import Parameter
from pmdriver.census.words import Words
from pmdriver.framework import Framework

#: The most subclasses whose objects are tried for a method of a class without objects.
MOST_SUBCLASSES = 3
#: The most arrays in a list that is a part of an object.
MOST_IN_LIST = 20


class Kit:
    """A framework in a census.

    Attributes
    ----------
    framework
        How the framework is measured.
    words
        Candidates for arguments.
    most_for_owner
        The most calls of a method that are tried with each object and signature.
    batch
        How many functions one child tries; a child starts the framework's back end once.
    prelude
        Statements that examples in docstrings rely on.
    uses_of_objects
        What a callable object is called with: labels of arrays, likely ones first.
    parts_on_host
        By the name of a class: the parts that its documentation puts on the host.
    weights
        An expression that reads the weights of a module `out`; empty if unknown.
    array_text
        What is in each text that shows a device, such as that of an array; None if unknown.
    """

    most_for_owner = 120
    batch = 1
    prelude = ""
    uses_of_objects: tuple[tuple[str, ...], ...] = (("f34",), ("f4",), ("f34", "f34"))
    parts_on_host = judge.NO_PARTS
    weights = ""
    array_text: re.Pattern[str] | None = None

    def __init__(self, framework: Framework, words: Words) -> None:
        self.framework = framework
        self.words = words
        self.folder = os.getcwd()
        self._made: dict[str, calls.Made] = {}
        self._classes: dict[str, Any] = {}

    def start(self) -> None:
        """Start the framework on the host, in a child."""
        self.framework.start({"device": "cpu", "threads": 1, "reference": True})
        self.framework.begin_job({"call": "", "last": True}, None)

    # ------------------------------------------------------------------------------- names

    def signatures(self, name: str, value: Any) -> list[list[Parameter]]:
        """Return lists of parameters that only the framework knows."""
        return []

    def owners(self, owner: str) -> list[Candidate | calls.Made]:
        """Return objects of a class, for calls of its methods."""
        return []

    def learn(self, name: str, value: Any, made: calls.Made) -> None:
        """Store how to make an object of a class.

        Parameters
        ----------
        name, value
            The class.
        made
            How an object is made.
        """
        self._made[name] = made
        self._classes[name] = value

    def learned(self, owner: str, holder: Any) -> list[calls.Made]:
        """Return how to make objects of a class, or else of its subclasses; empty if unknown."""
        names = [owner] if owner in self._made else self._subclasses(holder)
        found = []
        for made in [self._made[name] for name in names]:
            found += [made, made._replace(used=None)] if made.used else [made]
        return found

    def _subclasses(self, holder: Any) -> list[str]:
        """Return the names of at most `MOST_SUBCLASSES` subclasses with known objects."""
        return [
            name
            for name, value in self._classes.items()
            if isinstance(holder, type) and isinstance(value, type) and issubclass(value, holder)
        ][:MOST_SUBCLASSES]

    def dtype_text(self, value: Any) -> str | None:
        """Return the text of a dtype or another plain value of the framework; None if unknown."""
        return None

    def special(self, value: Any) -> Candidate | None:
        """Return a candidate for a value that only the framework knows; None for other values."""
        return None

    def repaired(self, text: str) -> str:
        """Return an example with names of devices that every host has."""
        return text

    def metadata(self, wanted: set[str]) -> dict[str, list[Any]]:
        """Return, by function, callables that make its calls from the framework's shipped tests.

        Each takes the kit and the item, and yields `pmdriver.census.express.Call`.
        """
        return {}

    def metadata_absence(self) -> str:
        """Say why there is no metadata; empty if there is some."""
        return "the framework ships no tests of its functions as data"

    # ------------------------------------------------------------------------------ judging

    def _ready(self, case: Case) -> Case:
        """Return the case with an empty folder instead of `$tmp`, if it uses one."""
        texts = (*case.setup, case.call, case.output)
        if not any("$tmp" in each for each in texts):
            return case
        folder = os.path.join(self.folder, "case")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        return case._replace(
            setup=tuple(each.replace("$tmp", folder) for each in case.setup),
            call=case.call.replace("$tmp", folder),
        )

    def judge(self, case: Case) -> judge.Verdict:
        """Judge a case; the verdict's case still has `$tmp` in its texts."""
        ready = self._ready(case)
        verdict = judge.judge(self.framework, ready, self.parts_on_host, self.array_text)
        if verdict.what == judge.VALUES and verdict.doubt & doubts.SAME:
            verdict = self._with_both_signs(verdict)
        call = verdict.case.call.replace(ready.call, case.call)
        return verdict._replace(case=verdict.case._replace(setup=case.setup, call=call))

    def _with_both_signs(self, verdict: judge.Verdict) -> judge.Verdict:
        """Return the verdict with negative numbers too, if the output is a positive input.

        `abs` and `relu` return positive numbers as they are.
        """
        given = verdict.case.inputs
        signed = {
            name: text.replace(words.UNIT, "uniform(-2,2)") if text.endswith(words.UNIT) else text
            for name, text in given.items()
        }
        if signed == given:
            return verdict
        try:
            other = judge.judge(
                self.framework,
                verdict.case._replace(inputs=signed),
                self.parts_on_host,
                self.array_text,
            )
        except Exception:
            return verdict
        is_better = other.what == judge.VALUES and other.doubt <= verdict.doubt
        return other if is_better else verdict

    def value(self, case: Case) -> Any:
        """Execute the setup and the call of a case once; return the call's value."""
        return eval(self._ready(case).call, self.scene(case).names)

    def scene(self, case: Case) -> judge.Scene:
        """Make the inputs of a case, and execute its setup."""
        return judge.scene_of(self.framework, self._ready(case))

    def is_sound(self) -> bool:
        """Return whether the framework still adds arrays, whatever was called before."""
        spec = "float32[3] uniform(0.1,0.9)"
        try:
            self.value(Case({"x": spec}, (), (), "x + x"))
        except Exception:
            return False
        return True

    def is_module(self, value: Any) -> bool:
        """Return whether an object owns weights."""
        return False

    def parts(self, value: Any) -> str:
        """Return an expression that reads the arrays of an object `out`; empty if it has none."""
        try:
            found = vars(value)
        except TypeError:
            return ""
        names = [
            name
            for name, part in found.items()
            if name.isidentifier()
            and not name.startswith("__")  # what a decorator keeps, such as __wrapped__
            and self._is_of_arrays(part)
        ]
        return f"({', '.join(f'out.{name}' for name in names)},)" if names else ""

    def _is_of_arrays(self, part: Any) -> bool:
        """Return whether a part is an array, or a list or tuple of arrays."""
        if isinstance(part, (list, tuple)) and 0 < len(part) <= MOST_IN_LIST:
            return all(map(self.framework.is_array, part))
        return bool(self.framework.is_array(part))

    def uses(self, value: Any, case: Case) -> Iterator[Case]:
        """Yield cases that use an object which the call of a case makes."""
        if self.is_module(value) or (callable(value) and not isinstance(value, type)):
            yield from self._called(value, case)
        parts = self.parts(value)
        if parts:
            yield case._replace(output=parts)
        elif not (self.is_module(value) and callable(value)):
            yield case

    def results_called(self, case: Case) -> Iterator[Case]:
        """Yield cases that call with arrays what the call of a case returns, if it is a function.

        A transform such as `jax.vmap` computes nothing until its result is called.
        """
        value = self.value(case)
        if not callable(value) or isinstance(value, type) or self.is_module(value):
            return
        for labels in self.uses_of_objects:
            builder = Builder(case.setup)
            builder.inputs.update(case.inputs)
            builder._names.update(case.inputs, calls.names_in(case))
            arguments = [("x", "pos", self.words.arrays[label]) for label in labels]
            yield builder.case(calls.called(case.call, arguments, builder))

    def _uses_of(self, call: str) -> list[tuple[str, ...]]:
        """Return the labels of arrays; for a class such as ``Dropout2d``, those of images first."""
        rank = words.rank_for(call.partition("(")[0])
        return sorted(
            self.uses_of_objects,
            key=lambda labels: rank > 0 and words.rank(self.words.arrays[labels[0]]) != rank,
        )

    def _called(self, value: Any, case: Case) -> Iterator[Case]:
        """Yield cases that call the object with arrays."""
        for labels in self._uses_of(case.call):
            builder = Builder(case.setup)
            builder.inputs.update(case.inputs)
            builder._names.update(case.inputs)
            own = builder.name("m")
            builder.setup.append(f"{own} = {case.call}")
            builder.modules = [*case.modules, *([own] if self.is_module(value) else [])]
            arguments = [("x", "pos", self.words.arrays[label]) for label in labels]
            yield builder.case(calls.called(own, arguments, builder))
