"""Tests that a rehearsal reports whether a case calls the function that its file is about."""

from __future__ import annotations

import functools
import types
import unittest

import support
from pmdriver.job import calling, execution
from support import Channel, Lists, job

NAMED, WATCHED, UNSEEN = calling.NAMED, calling.WATCHED, calling.UNSEEN


class Base:
    """A class with a method that others inherit."""

    def shared(self) -> int:
        """Return a number; subclasses inherit this method."""
        return 1


class Middle(Base):
    """A class that inherits from `Base`, with methods of several kinds."""

    def own(self) -> int:
        """Return a number; a subclass overrides this method."""
        return 2

    def __add__(self, other: object) -> int:
        return 3

    @classmethod
    def made(cls) -> Middle:
        """Return an instance."""
        return cls()

    @staticmethod
    def plain() -> int:
        """Return a number without an instance."""
        return 4

    @property
    def width(self) -> int:
        """Return a number; this is a property."""
        return 5


class Other(Base):
    """Another class that inherits from `Base`."""


class Leaf(Middle):
    """A class that overrides a method of `Middle`."""

    def own(self) -> int:
        """Return another number than `Middle.own`."""
        return 6


class Callable:
    """An object that can be called, as a ufunc can."""

    def __call__(self) -> int:
        return 7


def plain() -> int:
    """Return a number; `made` has this function under two names."""
    return 8


def decorated(function: object) -> object:
    """Wrap a function so that all wrapped functions have the same code, as some decorators do."""

    @functools.wraps(function)
    def wrapper() -> object:
        return function()

    return wrapper


def maker() -> object:
    """Return a function that is defined within this one."""

    def inner() -> int:
        return 9

    return inner


made = types.ModuleType("made")
made.Base, made.Middle, made.Other, made.Leaf = Base, Middle, Other, Leaf
made.plain, made.alias, made.maker = plain, plain, maker
made.one, made.two = decorated(lambda: 1), decorated(lambda: 2)
made.uses_one = lambda: made.one()
made.uses_plain = lambda: plain()
made.ufunc = Callable()
made.native = max
made.List = list


class Made(Lists):
    """A framework that has a module of functions."""

    def names(self) -> dict:
        """Return the usual names of a case, and the module `made`."""
        return {**super().names(), "made": made}


def seen(function: str, call: str, **keys: object) -> str | None:
    """Rehearse a case of a function on its reference; return the note about the call."""
    setting = {"reference": True, **keys.pop("setting", {})}
    framework = Made()
    framework.start(support.setting(**setting))
    keys = {"rehearse": True, "purity": False, **keys}
    header, _ = execution.run(framework, *job(call, None, function=function, **keys), Channel())
    if header["harness"]:
        raise AssertionError(header["harness"])
    return header["calls"]


class Texts(unittest.TestCase):
    """Calls that are found by names in the texts of a case."""

    def test_names_that_lead_to_the_function(self) -> None:
        for function, call, setup in (
            ("made.plain", "made.plain()", ""),
            ("made.plain", "made.alias()", ""),
            ("made.plain", "f()", "f = made.plain"),
            ("made.plain", "0 or\nmade.plain()", ""),
            ("made.plain", "y = made.plain()", ""),
            ("made.plain", "f()", "from functools import partial\nf = partial(made.plain)"),
            ("made.plain", "list(map(made.plain, []))", ""),
            ("made.plain", "f()", "def f(): return g()\ndef g(): return made.plain()"),
            ("made.Middle.shared", "m.shared()", "m = made.Middle()"),
            ("made.Middle.shared", "made.Middle().shared()", ""),
            ("made.Base.shared", "m.shared()", "m = made.Leaf()"),
            ("made.Middle.own", "m.own()", "m = made.Leaf()"),
            ("made.Middle.own", "made.Leaf.own(m)", "m = made.Leaf()"),
            ("made.Middle.made", "made.Middle.made()", ""),
            ("made.Middle.plain", "made.Middle.plain()", ""),
            ("made.Middle.width", "m.width", "m = made.Middle()"),
            ("made.Middle", "made.Leaf()", ""),
            ("made.Middle", "m.shared()", "m = made.Leaf()"),
            ("made.Middle", "m + 1", "m = made.Middle()"),
            ("made.ufunc", "made.ufunc()", ""),
            ("made.native", "made.native(1, 2)", ""),
        ):
            with self.subTest(function=function, call=call):
                self.assertEqual(seen(function, call, setup=setup), NAMED)

    def test_a_context_counts_and_makes_its_setup_count(self) -> None:
        setup = "y = made.plain()"
        self.assertEqual(seen("made.plain", "y + 1", setup=setup), UNSEEN)
        context = "__import__('contextlib').nullcontext() as c"
        self.assertEqual(seen("made.plain", "y + 1", setup=setup, context=context), NAMED)
        context = "__import__('contextlib').nullcontext(made.plain())"
        self.assertEqual(seen("made.plain", "1", context=context), NAMED)

    def test_what_the_call_does_not_use_does_not_count(self) -> None:
        for setup in ("f = made.plain", "def f(): return made.plain()", "made.plain()"):
            with self.subTest(setup=setup):
                self.assertEqual(seen("made.plain", "made.maker()", setup=setup), UNSEEN)

    def test_another_function_is_not_the_function(self) -> None:
        for function, call, setup in (
            ("made.plain", "made.maker()", ""),
            ("made.one", "made.two()", ""),
            ("made.Middle.shared", "m.own()", "m = made.Middle()"),
            ("made.Middle.shared", "m.shared()", "m = made.Base()"),
            ("made.Leaf", "m.own()", "m = made.Middle()"),
            ("made.native", "min(1, 2)", ""),
            ("made.gone", "made.plain()", ""),
        ):
            with self.subTest(function=function, call=call):
                self.assertEqual(seen(function, call, setup=setup), UNSEEN)


class Watched(unittest.TestCase):
    """Calls of functions that no text of the case names."""

    def test_what_a_call_enters_is_seen(self) -> None:
        for function, call, setup in (
            ("made.plain", "made.uses_plain()", ""),
            ("made.one", "made.uses_one()", ""),
            ("made.maker", "f()", "f = made.maker()"),
            ("made.Middle.__add__", "m + 1", "m = made.Leaf()"),
            ("made.Middle.shared", "(m + 0, m)[1].shared()", "m = made.Middle()"),
            ("made.Middle.plain", "[made.Middle][0].plain()", ""),
            ("made.Middle.width", "[m][0].width", "m = made.Leaf()"),
            ("made.Middle", "[m][0].own()", "m = [made.Middle()][0]"),
            ("made.ufunc", "[made][0].ufunc()", ""),
            ("made.native", "[made][0].native(1, 2)", ""),
            ("made.List.append", "[[1]][0].append(2)", ""),
        ):
            with self.subTest(function=function, call=call):
                self.assertIn(seen(function, call, setup=setup), (NAMED, WATCHED))

    def test_what_a_call_does_not_enter_is_not_seen(self) -> None:
        for function, call, setup in (
            ("made.two", "made.uses_one()", ""),
            ("made.Middle.shared", "[m][0].shared()", "m = made.Other()"),
            ("made.List.append", "[[1]][0].extend([2])", ""),
        ):
            with self.subTest(function=function, call=call):
                self.assertEqual(seen(function, call, setup=setup), UNSEEN)

    def test_a_call_that_raises_is_seen(self) -> None:
        self.assertEqual(seen("made.plain", "made.uses_plain() / 0"), WATCHED)

    def test_only_a_rehearsal_on_the_reference_looks(self) -> None:
        self.assertIsNone(seen("made.plain", "made.plain()", rehearse=False))
        self.assertIsNone(seen("made.plain", "made.plain()", setting={"reference": False}))


if __name__ == "__main__":
    unittest.main()
