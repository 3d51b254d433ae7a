"""Tests of the walk through a made-up framework, which has the oddities of real frameworks."""

import importlib
import sys
import tempfile
import types
import unittest
from pathlib import Path

import support  # noqa: F401
from pmdriver import frameworks, inventory
from pmdriver.surface import Surface

FILES = {
    "__init__.py": """
        import math
        from functools import partial as partial
        from madeup._core import add as add, Array as Array, DataV2 as Data, hidden_helper
        from madeup._core import Holder as Holder, Shut as Shut
        from madeup.shapes import *
        from . import shapes as drawing
        __version__ = "1.0"
        def old(x):
            '''Deprecated since 0.9.'''
        def takes_old(x, y):
            '''Sum (deprecated arguments).'''
        sub = add
        limit = 3
        from types import SimpleNamespace
        policies = SimpleNamespace(keep=lambda x: x)
        import madeup._inner
        """,
    "_inner.py": """
        from madeup._core import add, Array as Table
        def add_without_wrapper(): ...
        add_without_wrapper.declares = ["mu.add"]
        """,
    "stub.pyi": """
        class Array:
            def mean(self) -> Self: ...
            def wait(self) -> None: ...
            @property
            def T(self) -> Array: ...
        def square() -> Array | int: ...
        """,
    "_core.py": """
        class _Base:
            def total(self): ...
        class Array(_Base):
            def mean(self):
                '''Mean.

                >>> 1
                '''
            def _secret(self): ...
            @property
            def size(self) -> int: ...
            def split(self) -> "tuple[Array, ...]": ...
            class Kind: ...
        class Special(Array):
            grad: "Array | None"
            def mean(self): ...
            def __call__(self) -> "Array": ...
            @classmethod
            def make(cls): ...
        class DataV2: ...
        class _Holds:
            def __init__(self):
                self._kept = Array()
        class Holder(_Holds):
            level = None
            def __init__(self, x):
                self._made = Array() if x else Special()
                self._array: Array = _module.Array()
                self._later, self.size = None, 3
                self._first, self._second = Array(), Array()
                self._through = self._make()
                self._given, self.level = x, Array()
                self._unknown, x._other = Array(x), Array()
            def _make(self):
                return Special()
            def other(self):
                self._later = self._array = Array()
                self._first.inside = Array()
                self._unknown = x
        class Shut(Holder):
            def __init__(self):
                self._later = other()
                self._both = Special()
        import sys as _sys
        _module = _sys.modules[__name__]
        def add(a, b) -> Array: ...
        def hidden_helper(): ...
        def inner_square():
            '''Square, of which madeup.shapes has a variant with the same name.'''
        def unwritten_square(): ...
        for _function in inner_square, unwritten_square:
            _function.__module__, _function.__name__ = "madeup.shapes", "square"
        def __getattr__(name): raise AttributeError(name)
        """,
    "shapes.py": """
        from collections import OrderedDict
        from madeup._core import Special
        __all__ = ["Special", "square"]
        def square(): ...
        def circle() -> "DataV2": ...
        """,
    "tools/__init__.py": "",
    "tools/late.py": """
        import typing
        from typing import TypeVar
        from madeup._core import add
        T = TypeVar("T")
        def fetch(): ...
        _deprecations = {"fetch_all": "use fetch", "was": "is gone"}
        def __getattr__(name):
            if name == "fetch_all":
                return __getattr__
            raise AttributeError(name)
        """,
    "tools/broken.py": """
        import no_such_module_anywhere
        from madeup._core import add as plus, Special as Special
        from madeup._late import gone as gone
        level = 3
        def mend(): ...
        """,
    "_late.py": """
        import no_such_module_anywhere
        def gone():
            '''Deprecated.'''
        """,
    "facade.py": """
        from madeup._core import add, hidden_helper
        from madeup._core import inner_square, unwritten_square
        """,
    "tools/quits.py": "raise SystemExit(3)",
    "tools/secret/__init__.py": "def kept(): ...",
    "tools/_private.py": "def inner(): ...",
}


def text(source: str) -> str:
    lines = source.split("\n")
    return "\n".join(line[8:] if line.startswith(" " * 8) else line for line in lines)


class Walk(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for name, source in FILES.items():
            path = Path(cls.folder.name) / "madeup" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text(source))
        sys.path.insert(0, cls.folder.name)
        importlib.invalidate_caches()
        surface = Surface(
            "madeup",
            "1.0",
            short="mu",
            hidden=("madeup.tools.secret",),
            kinds={"mu.Array": "array", "mu.Holder": "module"},
            stubs={"stub.pyi": "mu"},
        )
        cls.found = inventory.walk(surface)
        cls.attributes = {attribute.name: attribute for attribute in cls.found.attributes}
        cls.entries = {entry.name: entry for entry in cls.found.entries}

    @classmethod
    def tearDownClass(cls):
        sys.path.remove(cls.folder.name)
        for name in [name for name in sys.modules if name.split(".")[0] == "madeup"]:
            del sys.modules[name]
        cls.folder.cleanup()

    def test_what_is_public(self):
        names = {name for name, entry in self.entries.items() if entry.kind != "method"}
        self.assertEqual(
            names,
            {
                "mu.add", "mu.Array", "mu.Data", "mu.Special", "mu.partial", "mu.old",
                "mu.takes_old", "mu.shapes.circle", "mu.shapes.square", "mu.tools.late.fetch",
                "mu.tools.late.fetch_all", "mu.Array.Kind", "mu.policies.keep",
                "mu.tools.broken.gone", "mu.tools.broken.mend", "mu.facade.inner_square",
                "mu.Holder", "mu.Shut",
            },
        )  # fmt: skip

    def test_aliases(self):
        self.assertEqual(
            self.entries["mu.add"].aliases,
            ["mu.facade.add", "mu.sub", "mu.tools.broken.plus", "mu.tools.late.add"],
        )
        self.assertEqual(self.entries["mu.add"].defined, "mu._core.add")
        self.assertEqual(
            self.entries["mu.shapes.square"].aliases, ["mu.drawing.square", "mu.square"]
        )

    def test_paths_at_which_private_modules_have_the_same_object(self):
        self.assertEqual(self.entries["mu.add"].elsewhere, ["mu._inner.add"])
        self.assertEqual(self.entries["mu.Array"].elsewhere, ["mu._inner.Table"])
        self.assertEqual(self.entries["mu.policies.keep"].elsewhere, [])

    def test_paths_in_a_package_that_the_framework_passes_on(self):
        class Passing(Surface):
            def offers_all(self, module):
                return module.__name__.startswith("neural")

        part = types.ModuleType("neural.layers")
        part.plus = sys.modules["madeup"].add
        sys.modules["neural.layers"] = part
        self.addCleanup(sys.modules.pop, "neural.layers")
        surface = Passing("madeup", "1.0", short="mu", parts={"neural": "mu.nn"})
        entries = {entry.name: entry for entry in inventory.walk(surface).entries}
        self.assertIn("mu.nn.layers.plus", entries["mu.add"].elsewhere)

    def test_objects_that_declare_a_public_path_are_what_has_it(self):
        class Declaring(Surface):
            def declared(self, value):
                return getattr(value, "declares", [])

        found = inventory.walk(Declaring("madeup", "1.0", short="mu"))
        add = next(entry for entry in found.entries if entry.name == "mu.add")
        self.assertEqual(add.elsewhere, ["mu._inner.add", "mu._inner.add_without_wrapper"])

    def test_what_a_surface_says_of_results(self):
        surface = Surface(
            "madeup", "1.0", short="mu", kinds={"mu.Array": "array"}, gives={"mu.old": "mu.Special"}
        )
        found = inventory.walk(surface)
        old = next(entry for entry in found.entries if entry.name == "mu.old")
        self.assertEqual(tuple(old.value), ("array", "mu.Special"))

    def test_methods_are_listed_once(self):
        methods = {name for name, entry in self.entries.items() if entry.kind == "method"}
        self.assertEqual(
            methods,
            {
                "mu.Array.total", "mu.Array.mean", "mu.Array.split", "mu.Array.wait",
                "mu.Special.mean", "mu.Special.make", "mu.Holder.other",
            },
        )  # fmt: skip
        self.assertEqual(self.entries["mu.Special"].bases, ["mu.Array"])
        self.assertTrue(self.entries["mu.Array.mean"].examples)
        self.assertFalse(self.entries["mu.Special.mean"].examples)

    def test_deprecation(self):
        marked = {name for name, entry in self.entries.items() if entry.deprecated}
        self.assertEqual(marked, {"mu.old", "mu.tools.broken.gone", "mu.tools.late.fetch_all"})

    def test_what_is_not_public(self):
        private = {"hidden_helper", "inner", "_secret", "unwritten_square"}
        self.assertLess(private, set(self.found.private))
        self.assertNotIn("add", self.found.private)
        self.assertIn("OrderedDict", self.found.foreign)
        self.assertIn("move_to_end", self.found.foreign)

    def test_modules_that_fail_are_reported(self):
        self.assertEqual(
            [module for module, _ in self.found.unread],
            ["madeup.tools.broken", "madeup.tools.quits"],
        )
        self.assertIn("no_such_module_anywhere", self.found.unread[0][1])

    def test_what_calls_give(self):
        def of(name):
            return tuple(self.entries[name].value)

        self.assertEqual(of("mu.add"), ("array", "mu.Array"))
        self.assertEqual(of("mu.Array"), ("array", ""))
        self.assertEqual(of("mu.Special"), ("array", ""))
        self.assertEqual(of("mu.Array.Kind"), ("other", ""))
        self.assertEqual(of("mu.Array.split"), ("arrays", ""))
        self.assertEqual(of("mu.Array.mean"), ("array", "self"))
        self.assertEqual(of("mu.Array.wait"), ("other", ""))
        self.assertEqual(
            of("mu.shapes.square"), ("array", "mu.Array")
        )  # one overload returns a number
        self.assertEqual(of("mu.old"), ("", ""))
        self.assertEqual(of("mu.shapes.circle"), ("other", "mu.Data"))  # a name of its definition
        self.assertEqual(self.entries["mu.Special"].calls, "array")
        self.assertEqual(self.entries["mu.Array"].calls, "")

    def test_attributes(self):
        self.assertEqual(self.attributes["mu.Array.size"].value.kind, "other")
        self.assertEqual(self.attributes["mu.Array.T"].value, ("array", "mu.Array"))
        self.assertEqual(self.attributes["mu.Special.grad"].value, ("array", "mu.Array"))
        self.assertEqual(self.attributes["mu.limit"].value.kind, "other")
        self.assertEqual(self.attributes["mu.tools.broken.level"].value.kind, "")
        self.assertNotIn("mu.Special.size", self.attributes)

    def test_attributes_that_methods_assign(self):
        held = {"_array", "_first", "_kept", "_later", "_second"}
        for name in held:
            self.assertEqual(self.attributes[f"mu.Holder.{name}"].value, ("array", "mu.Array"))
        special = ("array", "mu.Special")
        self.assertEqual(self.attributes["mu.Holder._through"].value, special)
        self.assertEqual(self.attributes["mu.Shut._both"].value, special)
        self.assertEqual(self.attributes["mu.Shut._later"].value, ("", ""))
        names = {name.removeprefix("mu.Holder.") for name in self.attributes if "Holder." in name}
        self.assertEqual(names, held | {"_through", "level"})

    def test_homes_come_before_definitions(self):
        def name_of(**rules):
            found = inventory.walk(Surface("madeup", "1.0", short="mu", **rules))
            return next(e.name for e in found.entries if e.name.endswith(".square"))

        self.assertEqual(name_of(), "mu.shapes.square")
        self.assertEqual(name_of(homes=("mu",)), "mu.square")
        self.assertEqual(name_of(later=("mu.shapes.",)), "mu.square")

    def test_classes_that_make_instances_of_another(self):
        class Making(Surface):
            def makes(self, cls):
                return "mu.Array" if cls.__name__ == "Kind" else ""

        found = inventory.walk(Making("madeup", "1.0", short="mu", kinds={"mu.Array": "array"}))
        kind = next(entry for entry in found.entries if entry.name == "mu.Array.Kind")
        self.assertEqual(tuple(kind.value), ("array", ""))
        self.assertEqual(kind.bases, ["mu.Array"])

    def test_declared_names_win(self):
        class Declaring(Surface):
            def declared(self, value):
                return ["mu.nowhere", "mu.square"]

        found = inventory.walk(Declaring("madeup", "1.0", short="mu"))
        names = {entry.name for entry in found.entries}
        self.assertIn("mu.square", names)
        self.assertNotIn("mu.shapes.square", names)
        self.assertIn("mu.tools.secret.kept", names)  # nothing is hidden here


class TensorFlow(unittest.TestCase):
    """The parts of Keras that belong to TensorFlow, tested without TensorFlow."""

    def setUp(self):
        stand_in = types.ModuleType("tensorflow")
        stand_in.__version__ = "2.21.0"
        names = ("tensorflow", "pmdriver.tensorflow.surface")
        before = {name: sys.modules.pop(name, None) for name in names}
        self.addCleanup(self._put_back, before)
        sys.modules["tensorflow"] = stand_in
        self.surface = frameworks.surface("tensorflow")

    @staticmethod
    def _put_back(before):
        for name, module in before.items():
            sys.modules.pop(name, None)
            if module is not None:
                sys.modules[name] = module

    def test_keras_modules_are_public(self):
        lazy = types.ModuleType("keras._tf_keras.keras")
        older = types.ModuleType("keras._tf_keras.keras.layers")
        own = types.ModuleType("keras.callbacks")
        inside = types.ModuleType("keras.src.callbacks")
        other = types.ModuleType("keras_other")
        self.assertTrue(self.surface.leads_to(lazy, older))
        self.assertTrue(self.surface.leads_to(lazy, own))
        self.assertTrue(self.surface.offers_all(own))
        self.assertFalse(self.surface.leads_to(own, inside))
        self.assertFalse(self.surface.leads_to(own, other))
        self.assertFalse(self.surface.offers_all(inside))

    def test_modules_of_keras_2_are_public(self):
        lazy = types.ModuleType("tf_keras.api._v2.keras")
        inside = types.ModuleType("tf_keras.src.layers")
        self.assertTrue(self.surface.leads_to(lazy, types.ModuleType("tf_keras.api._v2.keras.a")))
        self.assertTrue(self.surface.offers_all(lazy))
        self.assertFalse(self.surface.leads_to(lazy, inside))
        self.assertTrue(self.surface.is_own("keras.src"))
        self.assertFalse(self.surface.is_own("tf_keras.src"))
        stand_in = types.ModuleType("tensorflow")
        stand_in.__version__, stand_in.keras = "2.21.0", lazy
        sys.modules["tensorflow"] = stand_in
        del sys.modules["pmdriver.tensorflow.surface"]
        chosen = frameworks.surface("tensorflow")
        self.assertTrue(chosen.is_own("tf_keras.src"))
        self.assertFalse(chosen.is_own("keras.src"))

    def test_names_that_keras_2_declares(self):
        class Dense: ...

        Dense._keras_api_names = ("keras.layers.Dense",)
        Dense._keras_api_names_v1 = ("keras.layers.Dense",)
        names = ["tf.keras.layers.Dense", "tf.compat.v1.keras.layers.Dense"]
        self.assertEqual(self.surface.declared(Dense), names)


if __name__ == "__main__":
    unittest.main()
