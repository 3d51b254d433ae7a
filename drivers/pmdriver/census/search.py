"""Searches for a call that the host accepts; tries the likely candidates of arguments first."""

from __future__ import annotations

import contextlib
import heapq
import inspect
import itertools
import re
import time
from collections.abc import Iterator, Sequence
from typing import Any, Callable, NamedTuple

from pmdriver import failure
from pmdriver.census import calls, judge, refusals, signatures, words
from pmdriver.census.calls import Builder, Candidate, Case, texts

#: The most arguments of a call; the most calls that are tried for one signature.
MOST_ARGUMENTS, MOST_TRIES = 9, 500
#: The most calls that are tried after a hint, before the others go on.
MOST_GUIDED = 60
#: The most accepted calls that are judged for one function.
MOST_ACCEPTED = 12
#: After a case with values about which there is doubt: the most calls that are accepted, and that
#: are tried, and the most processor time in seconds, to find one about which there is less.
MOST_BETTER, MOST_TRIES_BETTER, SECONDS_BETTER = 4, 80, 1.0
#: The most cases that compare only a type and whose parts are looked at later.
MOST_TYPED = 4
MOST_REASON = 200
#: The most characters of a message that are read for hints.
MOST_SAID = 1000

#: In the text of a candidate: the object on which a method is called.
OWN = "{own}"

#: Candidates for a parameter such as ``*args``: nothing, one or two arrays, sizes.
_MANY = [
    Candidate(""), Candidate("{0}", ("float32[3,4] uniform(0.1,0.9)",)),
    Candidate("{0}, {1}", ("float32[3,4] uniform(0.1,0.9)",) * 2),
    Candidate("{0}, {1}", ("float32[3,4] uniform(0.1,0.9)", "float32[4] uniform(0.1,0.9)")),
    Candidate("2"), Candidate("3, 4"), Candidate("0, 1"),
    Candidate("{0}", ("float32[4,4] spd",)),
    Candidate("[{0}, {1}]", ("float32[3,4] uniform(0.1,0.9)",) * 2),
    Candidate("{0}", ("int64[4] integers(0,3)",)),
]  # fmt: skip


class Strictness(NamedTuple):
    """As the last two parameters of `pmdriver.census.words.candidates`."""

    always: bool
    is_last_resort: bool


class Found:
    """The best verdict so far, and why the last call was refused."""

    def __init__(self, seconds: float) -> None:
        self.best: judge.Verdict | None = None
        self.reason = ""
        self.made: calls.Made | None = None  # of a class: what makes an object
        self.hints: dict[str, str] = {}  # of refusals: the types of arguments
        self.typed: list[judge.Verdict] = []  # those that compare only a type
        self.tries = self.accepted = 0
        self.deadline = time.process_time() + seconds
        self._after_values: tuple[int, int, float] | None = None

    @property
    def is_over(self) -> bool:
        """Whether the search ends: values are measured, enough was judged, or the time is up.

        If there is doubt about a case with values, a few more calls are tried.
        """
        if self.best is not None and self.best.what == judge.VALUES:
            if self.best.doubt == 0 or self._after_values is None:
                return True
            accepted, tries, deadline = self._after_values
            if self.accepted >= accepted or self.tries >= tries:
                return True
            return time.process_time() > min(deadline, self.deadline)
        return self.accepted >= MOST_ACCEPTED or self.is_late

    @property
    def is_late(self) -> bool:
        """Whether the processor time is up."""
        return time.process_time() > self.deadline

    def use(self, made: calls.Made | None, use: Case, try_it: Callable[[], judge.Verdict]) -> None:
        """Try a case that uses an object; store how the object is made if it is the first or best.

        Parameters
        ----------
        made
            How the object is made; None if the case needs none.
        use
            The case.
        try_it
            Judges the case.
        """
        before = self.best
        self.take(try_it)
        if made is None:
            return
        if self.best is not before:
            self.made = made._replace(used=use) if calls.is_use(use) else made
        elif self.made is None:
            self.made = made

    def take(self, try_it: Callable[[], judge.Verdict]) -> None:
        """Try a case, and keep its verdict if it is the best."""
        self.tries += 1
        try:
            verdict = try_it()
        except judge.Refused as error:
            self.reason = str(error)
        except Exception as error:
            self.reason = failure.summary(error, MOST_REASON)
            self.hints = {**refusals.hints_of(str(error)[:MOST_SAID]), **self.hints}
        else:
            self.accepted += 1
            self.best = judge.better(self.best, verdict)
            if verdict.case.output == judge.TYPE and len(self.typed) < MOST_TYPED:
                self.typed.append(verdict)
            if verdict.what == judge.VALUES and self._after_values is None:
                self._after_values = (
                    self.accepted + MOST_BETTER,
                    self.tries + MOST_TRIES_BETTER,
                    time.process_time() + SECONDS_BETTER,
                )


def combinations(options: Sequence[Sequence[Candidate]], most: int) -> Iterator[tuple[int, ...]]:
    """Yield tuples of indices into the lists: first those of equal arrays, then by their sum."""
    n = len(options)
    if n == 0:
        yield ()
        return
    if n > MOST_ARGUMENTS:
        return
    tried = set()
    if n > 1:
        for candidate in [each for each in options[0] if each.specs][:14]:
            places = tuple(each.index(candidate) if candidate in each else 0 for each in options)
            if places not in tried:
                tried.add(places)
                yield places
    heap = [(0, (0,) * n)]
    seen = {(0,) * n}
    while heap and len(tried) < most:
        _, places = heapq.heappop(heap)
        if places not in tried:
            tried.add(places)
            yield places
        for i in range(n):
            if places[i] + 1 < len(options[i]):
                other = (*places[:i], places[i] + 1, *places[i + 1 :])
                if other not in seen:
                    seen.add(other)
                    heapq.heappush(heap, (sum(other), other))


def _options(
    kit: Any, item: Any, parameters: Sequence[signatures.Parameter], strictness: Strictness
) -> list[list[Candidate]]:
    """Return the candidates for each parameter; optional ones always need a reason for arrays."""
    return [
        _MANY
        if each.kind == "var"
        else words.candidates(
            kit.words,
            item.name,
            each.name,
            each.annotation,
            item.docs,
            strictness.always or each.optional,
            strictness.is_last_resort,
        )
        for each in parameters
    ]


def cases(
    kit: Any,
    item: Any,
    parameters: Sequence[signatures.Parameter],
    strictness: Strictness,
    found: Found | None = None,
) -> Iterator[tuple[Builder, str]]:
    """Yield the calls of an item with these parameters, each with its inputs and setup.

    If `found` contains a new hint after a call, those follow first that obey it.
    """
    options = _options(kit, item, parameters, strictness)
    for chosen in _chosen(options, parameters, found):
        builder = Builder()
        arguments = [
            (each.name, each.kind, candidate)
            for each, candidate in zip(parameters, _in_order(parameters, chosen))
        ]
        yield builder, calls.called(item.text, arguments, builder)


#: The names of lower and of upper bounds, and what the arrays of upper bounds have as values.
_LOW = re.compile(r"^(min|low|lower|minval|a_min|min_\w+)$")
_HIGH = re.compile(r"^(max|high|upper|maxval|a_max|max_\w+)$")
_ABOVE = "uniform(1.1,1.9)"


def _in_order(
    parameters: Sequence[signatures.Parameter], chosen: Sequence[Candidate]
) -> list[Candidate]:
    """Return the chosen candidates; if some are lower bounds, upper bounds have larger values."""
    if not any(_LOW.match(each.name) for each in parameters):
        return list(chosen)
    return [
        candidate._replace(specs=tuple(x.replace(words.UNIT, _ABOVE) for x in candidate.specs))
        if _HIGH.match(each.name)
        else candidate
        for each, candidate in zip(parameters, chosen)
    ]


def _chosen(
    options: Sequence[Sequence[Candidate]],
    parameters: Sequence[signatures.Parameter],
    found: Found | None,
) -> Iterator[list[Candidate]]:
    """Yield combinations of candidates; after each new hint, first some that obey all hints."""
    names = [each.name for each in parameters]
    hints: dict[str, str] = {}

    def obeying() -> Iterator[list[Candidate]]:
        nonlocal hints
        while found is not None and found.hints.keys() != hints.keys():
            hints = dict(found.hints)
            guided = refusals.guided(options, names, hints)
            for places in combinations(guided, MOST_GUIDED):
                yield [each[place] for each, place in zip(guided, places)]
                if found.hints.keys() != hints.keys():
                    break

    yield from obeying()
    for places in combinations(options, MOST_TRIES):
        yield [each[place] for each, place in zip(options, places)]
        yield from obeying()


def finished(kit: Any, builder: Builder, call: str, imports: Sequence[str]) -> Case:
    """Return the case; `imports` come first in its setup."""
    case = builder.case(call)
    return case._replace(setup=(*imports, *case.setup))


def function(kit: Any, item: Any, found: Found) -> None:
    """Search for a call of a function.

    Parameters
    ----------
    kit
        The framework's `pmdriver.census.kit.Kit`.
    item
        The `pmdriver.census.items.Item` that is to be called.
    found
        Receives the verdicts.
    """
    if item.holder is not None:
        method(kit, item, found)
    for strictness in _levels(found, False):
        for parameters in _signatures(item, found):
            for builder, call in cases(kit, item, parameters, strictness, found):
                if found.is_over:
                    return
                case = finished(kit, builder, call, item.imports)
                before = found.accepted
                found.take(lambda case=case: kit.judge(case))
                if found.accepted > before and not found.is_over:
                    _call_result(kit, case, found)


def _call_result(kit: Any, case: Case, found: Found) -> None:
    """Call what a call returns, if it is a function, until such a case is accepted."""
    before = found.accepted
    with contextlib.suppress(Exception):
        for use in kit.results_called(case):
            if found.is_over or found.accepted > before:
                return
            found.take(lambda use=use: kit.judge(use))


#: What Python says of a call without arguments that a signature such as ``**kwargs`` hides.
_MISSING = re.compile(r"missing \d+ required (?:positional|keyword-only) arguments?: (.*)")


def _signatures(item: Any, found: Found) -> Iterator[list[signatures.Parameter]]:
    """Yield the lists of parameters, and then the last one that a call says is not complete."""
    for parameters in item.signatures:
        yield parameters
        missing = _MISSING.search(found.reason)
        names = re.findall(r"'(\w+)'", missing.group(1)) if missing is not None else []
        if not set(names) <= {each.name for each in parameters}:
            hidden = [signatures.Parameter(name, "", "kw") for name in names]
            yield [*(each for each in parameters if each.name not in names), *hidden]


def _levels(found: Found, always: bool) -> Iterator[Strictness]:
    """Yield how strict the search is: at the end less so, but only if no call was accepted."""
    yield Strictness(always, False)
    if found.best is None:
        yield Strictness(always, True)


def method(kit: Any, item: Any, found: Found) -> None:
    """Search for a call of a method on an array or on an object of the method's class.

    A class method or static method may need what such an object returns. Each of several objects
    gets an equal share of the accepted calls.
    """
    bare = item.name.rpartition(".")[2]
    has_self = item.kind == "method"
    owners = kit.owners(item.owner) or kit.learned(item.owner, item.holder)
    for place, own in enumerate(owners, 1):
        most = MOST_ACCEPTED * place // len(owners)
        for strictness in _levels(found, False):
            for parameters in item.signatures:
                is_bound = has_self and parameters and parameters[0].kind == "pos"
                rest = parameters[1:] if is_bound else parameters
                for builder, call in itertools.islice(
                    _method_cases(kit, item, own, bare, rest, strictness, found), kit.most_for_owner
                ):
                    if found.is_over:
                        return
                    if found.accepted >= most:
                        break
                    case = finished(kit, builder, call, item.imports)
                    found.take(lambda case=case: kit.judge(case))


def _method_cases(
    kit: Any,
    item: Any,
    own: Any,
    bare: str,
    parameters: Sequence[signatures.Parameter],
    strictness: Strictness,
    found: Found | None = None,
) -> Iterator[tuple[Builder, str]]:
    """Yield the calls of a method of one object."""
    made = isinstance(own, calls.Made)
    options = _options(kit, item, parameters, strictness)
    if not made:
        options = [
            [*chosen[:1], *_as_used(item, each.name, None, 0), *chosen[1:]]
            for each, chosen in zip(parameters, options)
        ]
    if made:
        options = [
            _with_used(kit, each.name, chosen, _as_used(item, each.name, own.used, place))
            for place, (each, chosen) in enumerate(zip(parameters, options))
        ]
    for chosen in _chosen(options, parameters, found):
        builder = Builder()
        text = builder.made(own) if made else builder.argument("x", own)
        arguments = [
            (each.name, each.kind, _on(text, candidate))
            for each, candidate in zip(parameters, _in_order(parameters, chosen))
        ]
        if item.kind == "method":
            yield builder, calls.called(f"{text}.{bare}", arguments, builder)
            continue
        call = calls.called(item.text, arguments, builder)
        if re.search(rf"\b{re.escape(text)}\b", call):  # otherwise it needs no object
            yield builder, call


def _with_used(
    kit: Any, parameter: str, found: list[Candidate], used: list[Candidate]
) -> list[Candidate]:
    """Return the candidates with those from an earlier use of the object among the first."""
    is_known = bool(kit.words.own(parameter))
    return [*found[:1], *used, *found[1:]] if is_known else [*used, *found]


def _on(own: str, candidate: Candidate) -> Candidate:
    """Return the candidate with the name of the object instead of `OWN`."""
    return candidate._replace(text=candidate.text.replace(OWN, own))


def _as_used(item: Any, parameter: str, used: Case | None, place: int) -> list[Candidate]:
    """Return what a parameter may be, from the object and from how it was used before.

    These are the arguments of that use, the one at the same place first, and what the object's
    method ``get_X`` returns for a parameter ``X``.
    """
    given = calls.given_to(used) if used is not None else []
    own = f"get_{parameter}"
    got = [
        f"{OWN}.{name}({', '.join(_needed(item.holder, name, given))})"
        for name in dir(item.holder)
        if name == own or (name.startswith("get_") and name.endswith(f"_{parameter}"))
    ]
    if used is None:
        return texts(*got)
    given = [*given[place : place + 1], *given[:place], *given[place + 1 :]]
    if "shape" in parameter:
        given = [_shape_of(each, used) for each in given]
    names = [*used.inputs, *calls.names_in(used)]
    names.remove(calls.object_of(used))
    named = [name for name in names if name == parameter]
    return texts(*dict.fromkeys([*named, *got, *given, *names]))


def _needed(holder: Any, name: str, given: Sequence[str]) -> list[str]:
    """Return as many arguments as a method needs; tell it to do as in training if it can."""
    signature = inspect.signature(getattr(holder, name))
    needed = len(signatures.of_signature(signature)) - 1
    training = ["training=True"] if "training" in signature.parameters else []
    return [*given[: max(needed, 0)], *training]


def _shape_of(text: str, used: Case) -> str:
    """Return an expression with the shapes of the arrays in another expression."""
    for name in used.inputs:
        text = re.sub(rf"\b{re.escape(name)}\b", f"tuple({name}.shape)", text)
    return text


def made(kit: Any, item: Any, found: Found) -> None:
    """Search for arguments that make an object of a class, and for a call of the object."""
    for strictness in _levels(found, True):
        for parameters in _signatures(item, found):
            if parameters and parameters[0].name == "self":
                parameters = parameters[1:]
            for builder, call in cases(kit, item, parameters, strictness, found):
                if found.is_over:
                    return
                case = finished(kit, builder, call, item.imports)
                _use(kit, case, found)


def factories(kit: Any, item: Any, found: Found) -> None:
    """Look for a class method or static method that makes an object of a class.

    Some classes, such as abstract ones, make no object if they are called.
    """
    names = [
        name
        for name in dir(item.value)
        if not name.startswith("_")
        and isinstance(inspect.getattr_static(item.value, name, None), (classmethod, staticmethod))
    ]
    for name in sorted(names, key=lambda each: not each.startswith("from_")):
        method = getattr(item.value, name)
        maker = item._replace(
            name=f"{item.name}.{name}", spelling=f"{item.text}.{name}", docs=method.__doc__ or ""
        )
        for parameters in signatures.all_of(method, name, maker.docs, []):
            for builder, call in itertools.islice(
                cases(kit, maker, parameters, Strictness(False, False)), kit.most_for_owner
            ):
                if found.is_late:
                    return
                case = finished(kit, builder, call, item.imports)
                with contextlib.suppress(Exception):
                    value = kit.value(case)
                    if isinstance(value, item.value):
                        found.made = calls.Made(case, kit.is_module(value))
                        return


def _use(kit: Any, case: Case, found: Found) -> None:
    """Make an object; call it with arrays if it can be called, and otherwise look at its parts."""
    try:
        value = kit.value(case)
    except Exception as error:
        found.tries += 1
        found.reason = failure.summary(error, MOST_REASON)
        return
    for use in kit.uses(value, case):
        found.use(calls.Made(case, kit.is_module(value)), use, lambda use=use: kit.judge(use))
        if found.is_over:
            return
