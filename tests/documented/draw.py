"""Draws documented names of a framework: ``draw.py jax REPOSITORY``, ``draw.py tensorflow SITE``.

The names are drawn with a stated seed from the documentation's own sources, independently of the
names in an inventory. `README.md` says which sources these are, and how the names of PyTorch were
drawn, whose index this program cannot read.

``jax REPOSITORY``
    ``REPOSITORY`` is a git directory of JAX with the tag. The names are those that an
    ``autosummary``, ``autofunction``, ``autoclass`` or ``automethod`` of ``docs/*.rst`` lists.
``tensorflow SITE``
    ``SITE`` is the folder of installed packages. The names are those of the functions and classes
    in the generated modules, from which TensorFlow's golden API files are made. If an object has
    several public names, the documentation uses the first one in the object's export in the source.
"""

from __future__ import annotations

import ast
import functools
import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

COUNT = 200
JAX_TAG = "jax-v0.10.2"
TENSORFLOW_TAG = "v2.21.0"


def drawn(framework: str, names: set[str], which: str = "") -> tuple[str, list[str]]:
    """Return the seed and the sorted sample of a framework's names."""
    seed = f"portmeter: documented names of {framework}{which}"
    return seed, sorted(random.Random(seed).sample(sorted(names), COUNT))


# --------------------------------------------------------------------------------------- jax

_MODULE = re.compile(r"\s*\.\. (?:currentmodule|module|automodule|py:module):: (\S+)")
_OBJECT = re.compile(r"\s*\.\. auto(?:function|class|method):: (\S+)")
_LISTED = re.compile(r"\s+([A-Za-z][\w.]*)\s*$")


def listed_in(text: str) -> Iterator[str]:
    """Yield the names that a page lists, each with its module."""
    module, summary = "jax", -1
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip())
        if line.strip() and depth <= summary:
            summary = -1
        name = None
        if match := _MODULE.match(line):
            module = match[1]
        elif line.lstrip().startswith(".. autosummary::"):
            summary = depth
        elif (match := _OBJECT.match(line)) or summary >= 0 and (match := _LISTED.match(line)):
            name = match[1]
        if name:
            yield name if name.startswith("jax.") else f"{module}.{name}"


def jax_names(repository: str) -> set[str]:
    """Return the names that the documentation's pages list at the tag."""
    git = ["git", "--git-dir", repository]
    tree = [*git, "ls-tree", "-r", "--name-only", JAX_TAG, "docs"]
    pages = subprocess.run(tree, check=True, capture_output=True, text=True).stdout.split()
    names: set[str] = set()
    for page in pages:
        if page.endswith(".rst"):
            show = [*git, "show", f"{JAX_TAG}:{page}"]
            text = subprocess.run(show, check=True, capture_output=True, text=True).stdout
            names.update(listed_in(text))
    return {name for name in names if not re.search(r"\._", name)}


# -------------------------------------------------------------------------------- tensorflow


def imports_of(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the public name, module and own name of each import of a generated module."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            for alias in node.names:
                public = alias.asname or alias.name
                if not public.startswith("_"):
                    yield public, node.module, alias.name


def strings(node: ast.AST | None) -> list[str]:
    return [n.value for n in ast.walk(node) if isinstance(n, ast.Constant)] if node else []


@functools.cache
def exports_of(path: Path) -> dict[str, list[str]]:
    """Return a source file's functions and classes, each with its exported names."""
    found: dict[str, list[str]] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            continue
        found.setdefault(node.name, [])
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call):
                name = getattr(mark.func, "id", getattr(mark.func, "attr", ""))
                if name == "tf_export" and mark.args:
                    texts = [a.value for a in mark.args if isinstance(a, ast.Constant)]
                    found[node.name] = [f"tf.{text}" for text in texts]
                elif name == "keras_export":
                    found[node.name] = [
                        f"tf.{text.replace('._legacy.', '.')}" for text in strings(mark.args[0])
                    ]
    return found


def tensorflow_names(site: str) -> tuple[set[str], dict[str, list[str]]]:
    """Return the public functions and classes, and the names under which each is exported."""
    names: dict[str, list[str]] = {}
    trees = {"tf": "tensorflow/_api/v2", "tf.keras": "keras/_tf_keras/keras"}
    for prefix, folder in trees.items():
        for init in sorted(Path(site, folder).rglob("__init__.py")):
            module = ".".join([prefix, *init.parent.relative_to(Path(site, folder)).parts])
            if re.search(r"\._|compat\.v[12]", module + "."):
                continue
            for public, home, own in imports_of(init):
                source = Path(site, *home.split(".")).with_suffix(".py")
                exports = exports_of(source) if source.is_file() else {}
                if own in exports:
                    names[f"{module}.{public}"] = exports[own]
    return set(names), {
        name: [export for export in exports if export in names or export.count(".") == 1]
        for name, exports in names.items()
    }


def rows_of(sample: list[str], homes: dict[str, list[str]]) -> str:
    """Return the rows of a sample, each with its exported name if that is different."""
    rows = [
        {"name": name, "canonical": homes[name][0]}
        if homes.get(name) and homes[name][0] != name
        else {"name": name}
        for name in sample
    ]
    return ",\n".join(f"    {json.dumps(row)}" for row in rows)


def main(framework: str, source: str) -> None:
    """Print the document of one framework."""
    document: dict[str, Any] = {"framework": framework}
    homes: dict[str, list[str]] = {}
    if framework == "jax":
        document["source"] = f"docs/*.rst of JAX at tag {JAX_TAG}"
        names = jax_names(source)
    else:
        document["source"] = f"generated API modules of TensorFlow {TENSORFLOW_TAG}, Keras 3.15.1"
        names, homes = tensorflow_names(source)
    document["seed"], sample = drawn(framework, names)
    document["of"] = len(names)
    head = json.dumps(document, indent=2)[:-2]
    seed, second = drawn(framework, names - set(sample), ", second draw")
    print(f'{head},\n  "names": [\n{rows_of(sample, homes)}\n  ],')
    print(f'  "second": {{"seed": "{seed}", "names": [\n{rows_of(second, homes)}\n  ]}}\n}}')


if __name__ == "__main__":
    main(*sys.argv[1:])
