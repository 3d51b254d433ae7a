"""Hook an interpreter: rewrite the program's files at their import, write the calls at the end.

`PORTMETER_RECORD` names a folder. Its `config.json` says what to record, and each process writes
its calls to a file of its own there.
"""

from __future__ import annotations

import ast
import atexit
import builtins
import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import sys
from types import CodeType, ModuleType
from typing import Any

from pmdriver.record import operators, rewrite
from pmdriver.record.sites import Recorder

_OUTSIDE = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)


class Hooks:
    """The hooks of one interpreter.

    Parameters
    ----------
    folder
        Where `config.json` is, and where the calls are written.
    """

    def __init__(self, folder: str) -> None:
        with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
            config = json.load(file)
        self.folder = folder
        self.root = os.path.join(os.path.realpath(config["root"]), "")
        self.inner = bool(config.get("inner", True))
        self.registered = False
        documents = []
        for path in config["names"]:
            with open(path, encoding="utf-8") as file:
                documents.append(json.load(file))
        self.sites = rewrite.Sites()
        self.recorder = Recorder(documents, self.sites, keep_values=config["keep_values"])

    def wants(self, path: str) -> str | None:
        """Return the path of a file relative to the project; None for files to leave unchanged."""
        real = os.path.realpath(path)
        if not real.startswith(self.root) or not real.endswith(".py"):
            return None
        if any(part in real for part in _OUTSIDE) or real.startswith(_prefix(self.root)):
            return None
        return real[len(self.root) :]

    def compile(self, source: bytes, path: str, name: str, *, main: bool = False) -> CodeType:
        """Compile a file of the project with its calls rewritten."""
        tree = rewrite.rewrite(ast.parse(source, path), name, self.sites)
        self.sites.files[path] = name
        if main:
            _plain_main(tree)
        return compile(tree, path, "exec", dont_inherit=True)

    def write(self) -> None:
        """Write the calls of this process to a file in the folder, if there are any."""
        document = self.recorder.document()
        if not document["calls"]:
            return
        path = os.path.join(self.folder, f"calls-{os.getpid()}-{id(self):x}.json")
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump(document, file)
        os.replace(path + ".part", path)

    def before_fork(self) -> None:
        """Make processes of multiprocessing, which run no exit functions, write their calls."""
        util = sys.modules.get("multiprocessing.util")
        if util is not None and not self.registered:
            self.registered = True
            util.register_after_fork(self, Hooks.finalize)

    def finalize(self) -> None:
        """Arrange that a forked process of multiprocessing writes its calls when it ends."""
        util = sys.modules["multiprocessing.util"]
        util.Finalize(None, self.write, exitpriority=-1000)

    def after_fork(self) -> None:
        """Forget the parent's calls in a forked child, which writes only its own."""
        self.recorder.clear()


def _prefix(root: str) -> str:
    """Return the folder of the interpreter's environment if it is inside the project."""
    prefix = os.path.join(os.path.realpath(sys.prefix), "")
    return prefix if prefix.startswith(root) and prefix != root else "\0"


def _plain_main(tree: Any) -> None:
    """Make the main module look like a script: without a spec and a package."""
    at = 0
    for at, node in enumerate(tree.body):  # noqa: B007
        documents = at == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not documents and not future:
            break
    added = ast.parse("__spec__ = __package__ = __cached__ = None").body
    for node in added:
        ast.copy_location(node, tree.body[at] if tree.body else node)
        ast.fix_missing_locations(node)
    tree.body[at:at] = added


class _Script(importlib.abc.Loader):
    """Finds and loads a script as the main module: the importer for the script's path."""

    def __init__(self, hooks: Hooks, path: str, name: str) -> None:
        self.hooks = hooks
        self.path = path
        self.name = name

    def find_spec(self, name: str, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != "__main__":
            return None
        if sys.path and sys.path[0] == self.path:
            sys.path[0] = os.path.dirname(os.path.realpath(self.path))
        sys.path_importer_cache.pop(self.path, None)
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def is_package(self, name: str) -> bool:
        return False

    def get_filename(self, name: str) -> str:
        return self.path

    def get_code(self, name: str) -> CodeType:
        with open(self.path, "rb") as file:
            return self.hooks.compile(file.read(), self.path, self.name, main=True)

    def exec_module(self, module: ModuleType) -> None:
        exec(self.get_code("__main__"), module.__dict__)


def _hook_script(hooks: Hooks) -> None:
    """Make Python run `python FILE` through an importer, as it does for a zip file."""

    def importer(path: str) -> _Script:
        # Only before the main module starts: afterwards, `runpy.run_path` would fail.
        begun = hasattr(sys.modules.get("__main__"), "__file__")
        name = hooks.wants(path) if not begun and os.path.isfile(path) else None
        if name is None:
            raise ImportError(path)
        return _Script(hooks, path, name)

    sys.path_hooks.insert(0, importer)


def _hook_imports(hooks: Hooks) -> None:
    loader = importlib.machinery.SourceFileLoader
    plain = loader.get_code

    def get_code(self: Any, name: str) -> Any:
        path = self.get_filename(name)
        within = hooks.wants(path)
        if within is None:
            return plain(self, name)
        try:
            return hooks.compile(self.get_data(path), path, within)
        except (SyntaxError, RecursionError):
            return plain(self, name)

    loader.get_code = get_code  # type: ignore[method-assign]


class _Later(importlib.abc.MetaPathFinder):
    """Calls `then` with the module `name` when the program has imported it."""

    def __init__(self, name: str, then: Any) -> None:
        self.name = name
        self.then = then

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        plain = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            plain(module)
            self.then(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _hook_pytest(hooks: Hooks) -> None:
    """Rewrite the files that pytest compiles itself, and keep it from reading its cached code."""

    def then(module: Any) -> None:
        plain = module.rewrite_asserts

        def rewrite_asserts(tree: Any, source: bytes, path: Any = None, config: Any = None) -> None:
            within = hooks.wants(str(path)) if path else None
            if within is not None:
                rewrite.rewrite(tree, within, hooks.sites)
                hooks.sites.files[str(path)] = within
            plain(tree, source, path, config)

        module.rewrite_asserts = rewrite_asserts
        module._read_pyc = lambda *args, **kwargs: None

    sys.meta_path.insert(0, _Later("_pytest.assertion.rewrite", then))


def _hook_notebooks(hooks: Hooks) -> None:
    def then(module: Any) -> None:
        plain = module.InteractiveShell.transform_ast

        def transform_ast(self: Any, node: Any) -> Any:
            name = f"cell {getattr(self, 'execution_count', 0)}"
            return rewrite.rewrite(plain(self, node), name, hooks.sites)

        module.InteractiveShell.transform_ast = transform_ast

    sys.meta_path.insert(0, _Later("IPython.core.interactiveshell", then))


def _hook_torch(hooks: Hooks) -> None:
    """Record what PyTorch's modules and operators call, in the thread that imports PyTorch."""

    def then(torch: Any) -> None:
        class Inner(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
            def __torch_function__(
                self, func: Any, types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                return hooks.recorder.inner(func, args, kwargs or {})

        Inner().__enter__()

    sys.meta_path.insert(0, _Later("torch", then))


def _hook_jax(hooks: Hooks) -> None:
    """Record JAX's operators, and make a call on a CPU finish before it returns.

    The time of a call is then its own.
    """

    def then(jax: Any) -> None:
        with contextlib.suppress(Exception):  # older versions lack the setting
            jax.config.update("jax_cpu_enable_async_dispatch", False)
        with contextlib.suppress(AttributeError, KeyError):  # other versions name them otherwise
            classes = [sys.modules["jax._src.array"].ArrayImpl, jax.core.Tracer]
            operators.hook(hooks.recorder, "jax", classes)

    sys.meta_path.insert(0, _Later("jax", then))


def _hook_tensorflow(hooks: Hooks) -> None:
    """Record TensorFlow's operators, and the functions that libraries compile."""

    def then(tf: Any) -> None:
        operators.hook(hooks.recorder, "tensorflow", [tf.Tensor, tf.Variable])
        if hooks.inner:
            operators.hook_functions(hooks.recorder, tf)

    sys.meta_path.insert(0, _Later("tensorflow", then))


def install(folder: str) -> None:
    """Hook this interpreter.

    Parameters
    ----------
    folder
        The value of `PORTMETER_RECORD`.
    """
    hooks = Hooks(folder)
    sys.dont_write_bytecode = True
    setattr(builtins, rewrite.CALL, hooks.recorder.call)
    _hook_script(hooks)
    _hook_imports(hooks)
    _hook_pytest(hooks)
    _hook_notebooks(hooks)
    _hook_jax(hooks)
    _hook_tensorflow(hooks)
    if hooks.inner:
        _hook_torch(hooks)
    atexit.register(hooks.write)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=hooks.before_fork, after_in_child=hooks.after_fork)
