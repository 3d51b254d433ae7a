"""Run a program and write down what its calls really called.

``PYTHON trace.py INVENTORY ROOT NAME OUT`` imports the framework, then runs the program `NAME` of
the file ``drives`` in the folder `ROOT`. Each Python file below `ROOT` is compiled with every call
``f(x)`` changed into ``record(site, f)(x)``, so that the object that is called is seen itself, C
functions and classes too, where a profile hook sees only its frame. `OUT` gets JSON: for each call
that ran its file, the places at which it may be reported, and the canonical names of what it
called.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import importlib.machinery
import json
import os
import re
import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

RECORD = "__portmeter_record__"
#: A test that runs longer is ended.
MOST_SECONDS = 10
#: So many tests that only differ in their parameters run.
MOST_ALIKE = 3
#: Take the place of arrays while a function is traced: their methods are the arrays'.
SYMBOLIC = {"torch.fx.proxy.Proxy", "torch.fx.proxy.Attribute", "jax._src.core.Tracer"}


def attempt_subclass(cls: type, base: type) -> bool:
    """Whether a class is one of another, also where only that other one says so."""
    try:
        return issubclass(cls, base)
    except TypeError:  # protocols with data say it of objects only
        return False


@functools.cache
def is_symbolic(cls: type) -> bool:
    """Whether objects of a class take the place of arrays."""
    return any(f"{one.__module__}.{one.__qualname__}" in SYMBOLIC for one in cls.__mro__)


class Names:
    """The canonical names of a framework's objects, by identity.

    Parameters
    ----------
    path
        Of an inventory's document (docs/protocol.md).
    """

    def __init__(self, path: str) -> None:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        self.root, self.short = document["root"], document["short"]
        importlib.import_module(self.root)
        self.functions: dict[str, str] = {}
        self.objects: dict[int, tuple[str, Any]] = {}
        self.classes: dict[int, str] = {}
        self.foreign: dict[int, set[str]] = {}  # public names of what others define
        self.bases: dict[type, list[type]] = {}
        self.defined: dict[tuple[str, str], str] = {}  # for functions that were replaced since
        for entry in document["functions"]:
            for name in (entry["name"], *entry["aliases"]):
                self.functions[name] = entry["name"]
        for entry in document["functions"]:
            for name in (entry["name"], *entry["aliases"]):
                value = self._find(name)
                if value is None or isinstance(value, (ModuleType, str, int)):
                    continue
                if self.is_passed_on(value):
                    self.foreign.setdefault(id(value), set()).add(entry["name"])
                    continue  # torch.nn.functional.DType is int, torch.hub.tqdm a bar
                self.objects.setdefault(id(value), (entry["name"], value))
                if isinstance(value, FunctionType):
                    key = (value.__module__, value.__qualname__)
                    self.defined.setdefault(key, entry["name"])
                if entry["kind"] == "class" and isinstance(value, type):
                    self.classes.setdefault(id(value), entry["name"])

    def _find(self, dotted: str) -> Any:
        first, *rest = dotted.split(".")
        value: Any = sys.modules[self.root if first == self.short else first]
        for part in rest:
            try:
                if isinstance(value, ModuleType) and not hasattr(value, part):
                    importlib.import_module(f"{value.__name__}.{part}")  # jax.test_util
                value = getattr(value, part)
            except Exception:  # noqa: BLE001 - lazy modules raise what they like
                return None
        return value

    def is_own(self, value: Any) -> bool:
        """Whether a class or function is defined in the framework."""
        first = str(getattr(value, "__module__", "")).split(".")[0]
        return first in {self.root, "keras", "jaxlib", "ml_dtypes"}

    def is_passed_on(self, value: Any) -> bool:
        """Whether an object of the inventory is a class or function of another package."""
        if isinstance(value, (FunctionType, MethodType, BuiltinFunctionType)):
            module = getattr(value, "__module__", None)  # C functions may have none
            return module not in {None, "builtins"} and not self.is_own(value)
        return isinstance(value, type) and not self.is_own(value)

    def of(self, called: Any, attribute: str = "") -> tuple[str, str]:
        """Return the canonical name of what is called, or "", and "call" or "instance call".

        Parameters
        ----------
        called
            What is called.
        attribute
            The name that it was looked up by: some methods are functions of other names.
        """
        while isinstance(called, functools.partial):
            called = called.func
        if id(called) in self.objects and self.objects[id(called)][1] is called:
            return self.objects[id(called)][0], "call"
        if isinstance(called, FunctionType):
            return self.defined.get((called.__module__, called.__qualname__), ""), "call"
        on = getattr(called, "__self__", None)
        if on is not None and not isinstance(on, ModuleType):
            cls = on if isinstance(on, type) else type(on)
            return self._bound(called, cls, attribute), "call"
        return self._instance(type(called)), "instance call"

    def _bound(self, called: Any, cls: type, attribute: str) -> str:
        """Return the method's name in the object's class, or else in another that has it too."""
        name = str(getattr(called, "__name__", ""))
        found = self._member(cls, attribute) or self._member(cls, name)
        inner = getattr(called, "__func__", None)
        if not found and id(inner) in self.objects and self.objects[id(inner)][1] is inner:
            other = self.objects[id(inner)][0]
            return other if other.rpartition(".")[2] == name else ""
        return found

    def _member(self, cls: type, name: str) -> str:
        for base in self._bases(cls):
            path = f"{self.classes.get(id(base), '')}.{name}"
            if path in self.functions:
                return self.functions[path]
            if name in vars(base) and not self.is_own(base):
                return ""
        return ""

    def _bases(self, cls: type) -> list[type]:
        """Return the classes that a class inherits from, then those that say that it is one."""
        if cls not in self.bases:
            known = [value for _, value in self.objects.values() if id(value) in self.classes]
            own = self.is_own(cls)
            said = [one for one in known if own and attempt_subclass(cls, one)]
            self.bases[cls] = [*cls.__mro__, *(one for one in said if one not in cls.__mro__)]
        return self.bases[cls]

    def _instance(self, cls: type) -> str:
        for base in self._bases(cls):
            if id(base) in self.classes:
                return self.classes[id(base)]
            if not self.is_own(base):
                return ""
        return ""

    def also(self, called: Any, attribute: str, looked_up_on: Any = None) -> list[str]:
        """Return names that are right, too, where ``of`` gives another or none.

        The public name of what another package defines (``jax.numpy.dtype`` is NumPy's); for a call
        of an instance, the other nearest class, where its class inherits from two; and, behind
        "overridden:", the method that one of the project's own class overrides, also by a property
        of the object that it is looked up on.
        """
        if id(called) in self.foreign:
            return sorted(self.foreign[id(called)])
        on = getattr(called, "__self__", None)
        if on is None and not isinstance(called, (type, FunctionType)):
            public = [base for base in type(called).__mro__ if id(base) in self.classes]
            return [self.classes[id(base)] for base in public if base is nearest(base, public)]
        on = looked_up_on if on is None else on
        for base in self._bases(type(on)) if on is not None else []:
            path = f"{self.classes.get(id(base), '')}.{attribute}"
            if path in self.functions:
                return [f"overridden:{self.functions[path]}"]
        return []


def nearest(cls: type, classes: list[type]) -> type:
    """Return the first of the classes that inherits from a class."""
    return next(one for one in classes if issubclass(one, cls))


def bracket(lines: list[bytes], line: int, column: int) -> tuple[int, int]:
    """Return line and column, from 1, of the opening bracket at or behind a place."""
    while line <= len(lines):
        at = lines[line - 1].find(b"(", column)
        if at >= 0:
            return line, at + 1
        line, column = line + 1, 0
    return line, 1


def places(node: ast.Call, lines: list[bytes]) -> list[tuple[int, int]]:
    """Return where the call may be reported: what is called, its last name, or its bracket."""
    func = node.func
    end = (func.end_lineno or 0, func.end_col_offset or 0)
    found = [(func.lineno, func.col_offset + 1)]
    if isinstance(func, ast.Attribute):
        start: ast.AST = func
        while isinstance(start, ast.Attribute):
            start = start.value
        name = (end[0], end[1] - len(func.attr.encode()) + 1)
        return [*found, name] if isinstance(start, ast.Name) else [name]
    if isinstance(func, ast.Name):
        return found
    return [bracket(lines, *end)]


def is_mangled(attribute: str) -> bool:
    """Whether Python changes a name within a class."""
    return attribute.startswith("__") and not attribute.endswith("__")


class Recorder(ast.NodeTransformer):
    """Puts ``record(site, called)`` around what each call of a file calls; of an attribute, that
    is ``record(site, object, name)``.
    """

    def __init__(self, path: str, text: bytes, sites: list[dict[str, Any]]) -> None:
        self.path, self.lines, self.sites = path, text.splitlines(), sites

    def visit_Call(self, node: ast.Call) -> ast.AST:  # noqa: N802
        """Change one call."""
        where = places(node, self.lines)
        text = ast.unparse(node.func)[:120]
        self.generic_visit(node)
        number = len(self.sites)
        attribute = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        self.sites.append(
            {
                "file": self.path,
                "places": where,
                "text": text,
                "by": attribute,
                "names": {},
                "also": [],
            }
        )
        what = [node.func]
        if isinstance(node.func, ast.Attribute) and not is_mangled(attribute):
            what = [node.func.value, ast.Constant(attribute)]
        record = ast.Call(ast.Name(RECORD, ast.Load()), [ast.Constant(number), *what], [])
        node.func = ast.fix_missing_locations(ast.copy_location(record, node.func))
        return node


class Tracer:
    """Compiles the files below a folder so that their calls are recorded."""

    def __init__(self, names: Names, root: str) -> None:
        self.names = names
        self.root = os.path.realpath(root) + os.sep
        self.sites: list[dict[str, Any]] = []

    def record(self, number: int, value: Any, attribute: str = "") -> Any:
        """Note what a call calls, a value or an attribute of it, and return that."""
        called = getattr(value, attribute) if attribute else value
        on = getattr(called, "__self__", called)
        if is_symbolic(type(on)):
            return called
        site = self.sites[number]
        name = ":".join(self.names.of(called, site["by"]))
        if name not in site["names"]:
            looked_up_on = value if attribute else None
            site["also"].extend(self.names.also(called, site["by"], looked_up_on))
        site["names"][name] = site["names"].get(name, 0) + 1
        return called

    def compile(self, data: bytes, path: str) -> CodeType:
        """Compile a file with its calls recorded."""
        tree = ast.parse(data, path)
        relative = os.path.realpath(path)[len(self.root) :]
        Recorder(relative, data, self.sites).visit(tree)
        return compile(tree, path, "exec", dont_inherit=True)

    def install(self) -> None:
        """Let imports, and `runpy`, compile files of the folder by this class."""
        loader = importlib.machinery.SourceFileLoader
        plain = loader.get_code
        tracer = self

        def get_code(self: Any, fullname: str) -> Any:
            path = os.path.realpath(self.get_filename(fullname))
            if not path.startswith(tracer.root):
                return plain(self, fullname)
            return tracer.compile(self.get_data(path), path)

        loader.get_code = get_code  # type: ignore[method-assign,assignment]
        setattr(builtins, RECORD, self.record)

    def script(self, path: str, *arguments: str, seconds: int = 30) -> None:
        """Run a script of the folder, as ``python PATH ARGUMENTS`` would."""
        attempt(limited, lambda: self._script(path, *arguments), seconds)

    def _script(self, path: str, *arguments: str) -> None:
        where = os.path.realpath(path)
        module = ModuleType("__main__")
        module.__file__ = where
        kept = sys.argv, sys.path[:], sys.modules.get("__main__")
        sys.argv = [path, *arguments]
        sys.path.insert(0, os.path.dirname(where))
        sys.modules["__main__"] = module
        try:
            exec(self.compile(Path(where).read_bytes(), where), module.__dict__)  # noqa: S102
        except SystemExit as end:
            if end.code:
                print(f"{path}: status {end.code}", file=sys.stderr)
        finally:
            sys.argv, sys.path[:] = kept[0], kept[1]
            self._forget()
            if kept[2] is not None:
                sys.modules["__main__"] = kept[2]

    def _forget(self) -> None:
        """Forget the folder's modules: another script's may have the same names."""
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if file and name != "__main__" and os.path.realpath(file).startswith(self.root):
                del sys.modules[name]


class Enough(BaseException):
    """What runs has run for long enough."""


def limited(action: Any, seconds: int) -> Any:
    """Call something, and end it after some seconds."""

    def end(*_: Any) -> None:
        raise Enough

    signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        return action()
    except Enough:
        return None
    finally:
        signal.alarm(0)


def run_tests(*arguments: str, seconds: int = 60) -> None:
    """Run tests of the folder by pytest, in this process, and begin none after some seconds."""
    pytest = importlib.import_module("pytest")
    until = time.monotonic() + seconds

    class Limit:
        @staticmethod
        def pytest_collection_modifyitems(items: list[Any]) -> None:
            seen: Counter[str] = Counter()
            for item in items[:]:
                test = re.sub(r"[\d_]*(\[.*)?$", "", item.nodeid)
                seen[test] += 1
                if seen[test] > MOST_ALIKE:
                    items.remove(item)

        @staticmethod
        def pytest_runtest_setup(item: Any) -> None:
            del item
            if time.monotonic() > until:
                pytest.exit("long enough")
            signal.alarm(MOST_SECONDS)

    def end(*_: Any) -> None:
        raise Enough

    signal.signal(signal.SIGALRM, end)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    plain = [
        "-q",
        "-c",
        os.devnull,
        "--rootdir=.",
        "--assert=plain",
        "--continue-on-collection-errors",
        "-p",
        "no:cacheprovider",
        "--tb=line",
        "-W",
        "ignore",
    ]
    try:
        pytest.main([*plain, *arguments], plugins=[Limit])
    except Enough:
        pass
    finally:
        signal.alarm(0)


def attempt(action: Any, *arguments: Any, **options: Any) -> Any:
    """Call something, and go on if it fails: what ran before counts."""
    try:
        return action(*arguments, **options)
    except Exception:  # noqa: BLE001
        traceback.print_exc(limit=-3)
        return None


def fake_images(count: int = 32) -> None:
    """Let the data sets of torchvision be a few random images, which need no network."""
    sets = importlib.import_module("torchvision.datasets")
    sizes = {"MNIST": (1, 28, 28), "FashionMNIST": (1, 28, 28), "CIFAR10": (3, 32, 32)}
    sizes |= {"CIFAR100": (3, 32, 32), "ImageFolder": (3, 64, 64), "SVHN": (3, 32, 32)}

    def make(size: tuple[int, int, int]) -> type:
        class Few(sets.FakeData):
            def __init__(self, *_: Any, transform: Any = None, **__: Any) -> None:
                super().__init__(count, size, 10, transform)
                self.classes = [str(i) for i in range(10)]
                self.data = (importlib.import_module("torch").rand(count, *size[1:]) * 255).byte()
                self.targets = importlib.import_module("torch").arange(count) % 10

            def __getitem__(self, index: int) -> Any:
                image, label = super().__getitem__(index)
                if size[0] == 1 and hasattr(image, "convert"):
                    image = image.convert("L")
                if size[0] == 1 and getattr(image, "ndim", 0) == 3:
                    image = image[:1]
                return image, int(label)

        return Few

    for name, size in sizes.items():
        setattr(sets, name, make(size))


def drive_of(name: str) -> CodeType:
    """Compile the program below ``==> NAME`` in the file ``drives``."""
    text = Path(__file__).with_name("drives").read_text(encoding="utf-8")
    parts = re.split(r"^==> (\S+)\n", text, flags=re.MULTILINE)
    drives = dict(zip(parts[1::2], parts[2::2]))
    if name not in drives:
        sys.exit(f"no program '{name}': use one of {', '.join(drives)}")
    return compile(drives[name], f"drives:{name}", "exec")


def main(inventory: str, root: str, name: str, out: str) -> None:
    """Run one program."""
    sys.dont_write_bytecode = True
    names = Names(inventory)
    tracer = Tracer(names, root)
    drive = drive_of(name)
    out, root = os.path.realpath(out), os.path.realpath(root)
    os.chdir(root)
    sys.path.insert(0, root)
    tracer.install()
    given = {"script": tracer.script, "attempt": attempt, "run_tests": run_tests}
    attempt(exec, drive, {**given, "fake_images": fake_images, "__name__": "<drive>"})
    ran = [site for site in tracer.sites if site["names"]]
    Path(out).write_text(json.dumps({"sites": ran}), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
