"""Run a program and note which functions its calls really called.

``PYTHON trace.py INVENTORY ROOT NAME OUT`` imports the framework. Then it runs, in the folder
`ROOT`, the program `NAME` that the file ``drives`` beside trace.py has. Each Python file below
`ROOT` is compiled with every call ``f(x)`` changed into ``record(site, f)(x)``. This shows the
called object itself, even if it is a class or a function in C; a profile hook would show only its
frame. `OUT` gets JSON: for each call that ran, its file, the places at which it may be reported,
and the public names of what it called. A function belongs to the framework if its ``__module__``
does, or that of the class that has the method. So functions that the inventory lacks are found,
too.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import importlib.machinery
import json
import os
import random
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
#: A test that takes more seconds of CPU time, or of time by the clock, is ended.
MOST_SECONDS = 10
MOST_SECONDS_WAITED = 60
#: Of several tests that differ only in their parameters, this number run.
MOST_ALIKE = 3
#: Classes that replace arrays while a function is traced; calls of their methods are not recorded.
SYMBOLIC = {"torch.fx.proxy.Proxy", "torch.fx.proxy.Attribute", "jax._src.core.Tracer"}
#: After "overridden:", this means any function that a test replaced by a mock.
ANYTHING = "*"


def attempt_subclass(cls: type, base: type) -> bool:
    """Return whether a class is a subclass of `base`, even if only `base` says so."""
    try:
        return issubclass(cls, base)
    except TypeError:  # protocols with data can be checked only for objects
        return False


@functools.cache
def is_symbolic(cls: type) -> bool:
    """Return whether objects of a class replace arrays."""
    return any(f"{one.__module__}.{one.__qualname__}" in SYMBOLIC for one in cls.__mro__)


class Names:
    """The canonical names of a framework's objects, by identity.

    Parameters
    ----------
    path
        The path of an inventory's document (docs/internals/protocol.md).
    """

    def __init__(self, path: str) -> None:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        self.root, self.short = document["root"], document["short"]
        importlib.import_module(self.root)
        self.functions: dict[str, str] = {}
        self.objects: dict[int, tuple[str, Any]] = {}
        self.classes: dict[int, str] = {}
        self.foreign: dict[int, set[str]] = {}  # public names of objects of other packages
        self.bases: dict[type, list[type]] = {}
        self.twins: dict[int, set[str]] = {}  # each name of an object
        self.unlisted: dict[int, tuple[str, Any]] = {}  # public, but not in the inventory
        self.defined: dict[tuple[str, str], str] = {}  # also finds functions replaced later
        self.packages = {self.root, "jaxlib", "ml_dtypes", self._keras()} - {""}
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
                    continue  # as torch.nn.functional.DType, which is int, and torch.hub.tqdm
                self.objects.setdefault(id(value), (entry["name"], value))
                self.twins.setdefault(id(value), set()).add(entry["name"])
                if isinstance(value, FunctionType):
                    key = (value.__module__, value.__qualname__)
                    self.defined.setdefault(key, entry["name"])
                if entry["kind"] == "class" and isinstance(value, type):
                    self.classes.setdefault(id(value), entry["name"])
        self._walk()

    def _keras(self) -> str:
        """Return the package that the framework exports as its Keras: `keras` or `tf_keras`."""
        model = getattr(getattr(sys.modules[self.root], "keras", None), "Model", None)
        return str(getattr(model, "__module__", "")).split(".")[0]

    def _walk(self) -> None:
        """Note the functions and classes of public modules that the inventory lacks.

        They are public if their module lists them, or defines them and lists nothing. Modules of
        JAX export from its private folder. TensorFlow's public modules are generated, and the
        inventory has all of them.
        """
        for path, module in sorted(sys.modules.items()):
            parts = path.split(".")
            private = self.root == "tensorflow" or any(part.startswith("_") for part in parts)
            if parts[0] != self.root or private:
                continue
            listed = vars(module).get("__all__")
            for name, value in list(vars(module).items()):
                if name.startswith("_") or not callable(value) or not self.is_own(value):
                    continue
                module_of = str(getattr(value, "__module__", ""))
                defined = module_of == path or module_of.startswith("jax._src.")
                if id(value) in self.objects or (name not in listed if listed else not defined):
                    continue
                public = ".".join([self.short, *parts[1:], name])
                self.unlisted.setdefault(id(value), (public, value))

    def _find(self, dotted: str) -> Any:
        first, *rest = dotted.split(".")
        value: Any = sys.modules[self.root if first == self.short else first]
        for part in rest:
            try:
                if isinstance(value, ModuleType) and not hasattr(value, part):
                    importlib.import_module(f"{value.__name__}.{part}")  # jax.test_util
                value = getattr(value, part)
            except Exception:  # noqa: BLE001 - lazy modules may raise any exception
                return None
        return value

    def is_own(self, value: Any) -> bool:
        """Return whether a class or function is defined in the framework, or in a package that is
        part of it. With Keras 3, a class of `tf_keras` belongs to another package.
        """
        first = str(getattr(value, "__module__", "")).split(".")[0]
        return first in self.packages

    def is_passed_on(self, value: Any) -> bool:
        """Return whether an object of the inventory is a class or function of another package."""
        if isinstance(value, (FunctionType, MethodType, BuiltinFunctionType)):
            module = getattr(value, "__module__", None)  # C functions may have none
            return module not in {None, "builtins"} and not self.is_own(value)
        return isinstance(value, type) and not self.is_own(value)

    def of(self, called: Any, attribute: str = "") -> tuple[str, str]:
        """Return the public name of what is called, or "", and "call" or "instance call".

        The name is the canonical one, or one that the inventory lacks.

        Parameters
        ----------
        called
            What is called.
        attribute
            The name under which it was looked up: some methods are functions with other names.
        """
        while isinstance(called, functools.partial) and id(called) not in self.objects:
            called = called.func
        if id(called) in self.objects and self.objects[id(called)][1] is called:
            return self.objects[id(called)][0], "call"
        if id(called) in self.unlisted and self.unlisted[id(called)][1] is called:
            return self.unlisted[id(called)][0], "call"
        if isinstance(called, FunctionType):
            return self.defined.get((called.__module__, called.__qualname__), ""), "call"
        on = getattr(called, "__self__", None)
        if on is not None and not isinstance(on, ModuleType):
            cls = on if isinstance(on, type) else type(on)
            return self._bound(called, cls, attribute), "call"
        return self._instance(type(called)), "instance call"

    def _bound(self, called: Any, cls: type, attribute: str) -> str:
        """Return the method's public name in the object's class, or else in one that shares it."""
        name = str(getattr(called, "__name__", ""))
        inner = getattr(called, "__func__", None)
        given = giver(cls, name, inner)
        found = self._member(cls, attribute, given) or self._member(cls, name, given)
        if not found and id(inner) in self.objects and self.objects[id(inner)][1] is inner:
            other = self.objects[id(inner)][0]
            return other if other.rpartition(".")[2] == name else ""
        return found

    def _member(self, cls: type, name: str, given: type | None = None) -> str:
        """Return a method's public name in the first class that has it, beginning with `given`."""
        bases = self._bases(cls)
        for base in bases[bases.index(given) if given in bases else 0 :]:
            path = f"{self.classes.get(id(base), '')}.{name}"
            if path in self.functions:
                return self.functions[path]
            if name in vars(base) and not self.is_own(base):
                return ""
        return ""

    def _bases(self, cls: type) -> list[type]:
        """Return the bases of a class in order, then the classes that accept it as a subclass."""
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
        """Return names that are also right if ``of`` gives another name or none.

        These names are:

        - the public names of an object that another package defines (``jax.numpy.dtype`` is
          NumPy's), or that the inventory has under several names;
        - for a call of an instance, the nearest public classes, if its class inherits from two;
        - after "overridden:", the framework's method that a method or property of the project's
          class overrides, or the function of a module that a test replaced;
        - for a mock, "overridden:*", because nothing says what the mock replaced.
        """
        if is_mock(called):
            return [f"overridden:{ANYTHING}"]
        for names in (self.foreign, self.twins):
            if id(called) in names:
                return sorted(names[id(called)])
        if isinstance(looked_up_on, ModuleType):
            root, _, rest = looked_up_on.__name__.partition(".")
            short = self.short if root == self.root else root
            path = ".".join(part for part in (short, rest, attribute) if part)
            if path in self.functions:
                return [f"overridden:{self.functions[path]}"]
        on = getattr(called, "__self__", None)
        if on is None and not isinstance(called, (type, FunctionType)):
            public = [base for base in type(called).__mro__ if id(base) in self.classes]
            return [self.classes[id(base)] for base in public if base is nearest(base, public)]
        on = looked_up_on if on is None else on
        found = []
        for base in self._bases(type(on)) if on is not None else []:
            path = f"{self.classes.get(id(base), '')}.{attribute}"
            if path in self.functions:
                ran = is_same(getattr(base, attribute, None), called)
                found.append(self.functions[path] if ran else f"overridden:{self.functions[path]}")
        return found


def is_mock(called: Any) -> bool:
    """Return whether a test replaced an object by a mock, or by a function that has a mock."""
    mock = sys.modules.get("unittest.mock")
    return mock is not None and isinstance(
        vars(called).get("mock", called) if isinstance(called, FunctionType) else called,
        mock.NonCallableMock,
    )


def nearest(cls: type, classes: list[type]) -> type:
    """Return the first of `classes` that inherits from `cls`, or is `cls`."""
    return next(one for one in classes if issubclass(one, cls))


def giver(cls: type, name: str, function: Any) -> type | None:
    """Return the class that gives a method: the first in the order of inheritance that has it.

    ``super().forward()`` calls one that the object's own class overrides.
    """
    for base in cls.__mro__:
        own = vars(base).get(name)
        if function is not None and getattr(own, "__func__", own) is function:
            return base
    return None


def is_same(attribute: Any, called: Any) -> bool:
    """Return whether the attribute of a class is the function of the called method."""
    ran = getattr(called, "__func__", None)
    return ran is not None and getattr(attribute, "__func__", attribute) is ran


def bracket(lines: list[bytes], line: int, column: int) -> tuple[int, int]:
    """Return line and column, from 1, of the opening bracket at or after a place."""
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


def dotted_places(func: ast.AST, line: int, column: int) -> list[tuple[int, int]]:
    """Return where a call on one line may be reported, from the place of its last name."""
    text = ast.unparse(func)
    plain = re.fullmatch(r"[\w.]+", text)
    start = column - len(text.rpartition(".")[0].encode()) - 1 if plain and "." in text else column
    return sorted({(line, start), (line, column)})


def places_in_string(text: ast.JoinedStr, lines: list[bytes]) -> dict[ast.Call, tuple[int, int]]:
    """Return where the calls in an f-string are: Python before 3.12 gives other lines and columns.

    The n-th call of a name is assumed to be where the name is followed by a bracket for the n-th
    time.
    """
    first, last = text.lineno, text.end_lineno or text.lineno
    starts = {line: text.col_offset if line == first else 0 for line in range(first, last + 1)}
    found, seen = {}, Counter[bytes]()
    for call in (node for node in ast.walk(text) if isinstance(node, ast.Call)):
        func = call.func
        name = getattr(func, "attr", getattr(func, "id", "")).encode()
        spots = [
            (line, match.start() + 1)
            for line, start in starts.items()
            for match in re.finditer(rb"(?<!\w)" + name + rb"\s*\(", lines[line - 1])
            if name and match.start() >= start
        ]
        if seen[name] < len(spots):
            found[call] = spots[seen[name]]
        seen[name] += 1
    return found


def is_mangled(attribute: str) -> bool:
    """Return whether Python mangles a name within a class."""
    return attribute.startswith("__") and not attribute.endswith("__")


class Recorder(ast.NodeTransformer):
    """Puts ``record(site, called)`` around what each call of a file calls; for an attribute, it
    is ``record(site, object, name)``.
    """

    def __init__(self, path: str, text: bytes, sites: list[dict[str, Any]]) -> None:
        self.path, self.lines, self.sites = path, text.splitlines(), sites
        self.in_strings: dict[ast.Call, tuple[int, int]] = {}

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:  # noqa: N802
        """Note the places of the calls in an f-string."""
        self.in_strings.update(places_in_string(node, self.lines))
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:  # noqa: N802
        """Change one call."""
        where = places(node, self.lines)
        if node in self.in_strings:
            where = dotted_places(node.func, *self.in_strings[node])
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


def identity(called: Any, on: Any) -> Any:
    """Return a value that is equal for two calls of the same function or class, or None."""
    if isinstance(called, (FunctionType, type)):
        return called
    if isinstance(called, (MethodType, BuiltinFunctionType)):
        return (
            type(on),
            getattr(called, "__func__", called.__name__),
            on if isinstance(on, (type, ModuleType)) else None,
        )
    return None


class Tracer:
    """Compiles the files below a folder so that their calls are recorded."""

    def __init__(self, names: Names, root: str) -> None:
        self.names = names
        self.root = os.path.realpath(root) + os.sep
        self.sites: list[dict[str, Any]] = []
        self.last: dict[int, Any] = {}  # the last called object of each site, to skip equal calls

    def record(self, number: int, value: Any, attribute: str = "") -> Any:
        """Note and return the object that a call calls: a value, or an attribute of it."""
        called = getattr(value, attribute) if attribute else value
        on = getattr(called, "__self__", called)
        if is_symbolic(type(on)):
            return called
        site = self.sites[number]
        what = identity(called, on)
        if what is not None and self.last.get(number) == what:
            return called
        self.last[number] = what
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
        """Let imports, and `runpy`, compile files of the folder with this class."""
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
    """Raised when a program has run long enough."""


def limited(action: Any, seconds: int) -> Any:
    """Call a function, and end it after some seconds; return its result."""

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
    """Run tests of the folder by pytest, in this process, and begin none after some seconds.

    Their order is random, but always the same: what runs is a sample of all, not the first folder.
    """
    pytest = importlib.import_module("pytest")
    until = 0.0

    class Limit:
        @staticmethod
        def pytest_collection_modifyitems(items: list[Any]) -> None:
            seen: Counter[str] = Counter()
            for item in items[:]:
                test = re.sub(r"[\d_]*(\[.*)?$", "", item.nodeid)
                seen[test] += 1
                if seen[test] > MOST_ALIKE:
                    items.remove(item)
            random.Random(0).shuffle(items)

        @staticmethod
        def pytest_runtest_setup(item: Any) -> None:
            nonlocal until
            del item
            until = until or time.monotonic() + seconds
            if time.monotonic() > until:
                pytest.exit("long enough")
            signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
            signal.alarm(MOST_SECONDS_WAITED)

    def end(*_: Any) -> None:
        raise Enough

    signal.signal(signal.SIGALRM, end)
    signal.signal(signal.SIGPROF, end)
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
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)


def attempt(action: Any, *arguments: Any, **options: Any) -> Any:
    """Call a function, and continue if it fails: the calls before its failure count."""
    try:
        return action(*arguments, **options)
    except Exception:  # noqa: BLE001
        traceback.print_exc(limit=-3)
        return None


def fake_images(count: int = 32) -> None:
    """Replace the data sets of torchvision by a few random images, which need no network."""
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
    """Run one program, and write its calls."""
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
