"""Tests which modules of `pmdriver` may import each other, and that none hides a framework.

Also tests the driver that docs/internals/drivers.md shows.
"""

from __future__ import annotations

import ast
import csv
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from unittest import mock

import support
from pmdriver import frameworks
from pmdriver.framework import Framework
from pmdriver.job import execution

ROOT = Path(__file__).resolve().parent.parent.parent
DRIVERS = ROOT / "drivers"
BUILD = (ROOT / os.environ.get("PORTMETER_BUILD", "build")).resolve()

#: The folders from which each folder may import, besides itself. A framework's folder may import
#: from all of these. No other folder may import from it: `pmdriver.frameworks` finds it by name.
SHARED = {"": [], "job": [""], "process": ["", "job"], "record": [], "census": ["", "job"],
          "forecast": ["", "census", "job"]}  # fmt: skip

Imports = dict[str, set[str]]


def module_names(package: Path) -> dict[str, Path]:
    """Return the modules of a package by their dotted names; a package is its ``__init__``."""
    names = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


def imported(tree: ast.Module, modules: dict[str, Path]) -> Iterator[str]:
    """Yield the modules, among `modules`, that a module's text imports anywhere in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found = [f"{node.module}.{alias.name}" for alias in node.names]
            found = [name if name in modules else str(node.module) for name in found]
        else:
            continue
        yield from (name for name in found if name in modules)


def all_imports(package: Path) -> Imports:
    """Return, for each module of a package, the modules of the package that it imports."""
    modules = module_names(package)
    return {
        name: set(imported(ast.parse(path.read_text()), modules)) for name, path in modules.items()
    }


def circles(imports: Imports) -> list[str]:
    """Return every group of modules that import each other, as ``a -> b -> a``."""
    found, done = [], set()

    def visit(name: str, line: list[str]) -> None:
        if name in line:
            found.append(" -> ".join([*line[line.index(name) :], name]))
        elif name not in done:
            for other in sorted(imports[name]):
                visit(other, [*line, name])
            done.add(name)

    for name in sorted(imports):
        visit(name, [])
    return found


def folder_of(name: str, imports: Imports) -> str:
    """Return the folder of a module, such as ``job``; an empty text if it is in no folder."""
    parts = name.split(".")
    is_package = any(other.startswith(name + ".") for other in imports)
    return parts[1] if len(parts) > 2 or (len(parts) == 2 and is_package) else ""


def forbidden(imports: Imports) -> list[str]:
    """Return each import that the folders of its two modules do not allow, as ``a -> b``."""
    found = []
    for name, others in imports.items():
        own = folder_of(name, imports)
        allowed = {own, *SHARED.get(own, SHARED)}
        found += [
            f"{name} -> {other}"
            for other in sorted(others)
            if folder_of(other, imports) not in allowed
        ]
    return found


class Arrows(unittest.TestCase):
    """The imports between modules."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.imports = all_imports(DRIVERS / "pmdriver")

    def made(self, **texts: str) -> Imports:
        """Return the imports of the package with some modules replaced or added."""
        with tempfile.TemporaryDirectory() as folder:
            package = Path(folder) / "pmdriver"
            for name, path in module_names(DRIVERS / "pmdriver").items():
                copy = package / path.relative_to(DRIVERS / "pmdriver")
                copy.parent.mkdir(parents=True, exist_ok=True)
                text = texts.get(name.replace(".", "_"), "")
                copy.write_text(path.read_text() + "\n" + text)
            return all_imports(package)

    def test_they_are_found(self) -> None:
        self.assertIn("pmdriver.job.source", self.imports["pmdriver.job.scene"])
        self.assertIn("pmdriver.failure", self.imports["pmdriver.process.server"])
        self.assertIn("pmdriver.pytorch.devices", self.imports["pmdriver.pytorch.framework"])

    def test_no_circle(self) -> None:
        self.assertEqual(circles(self.imports), [])

    def test_a_circle_is_found_wherever_the_import_is(self) -> None:
        for text in (
            "from pmdriver.job import execution",
            "def later():\n    import pmdriver.job.execution",
            "if TYPE_CHECKING:\n    from pmdriver.job.execution import Execution",
        ):
            found = circles(self.made(pmdriver_framework=text))
            self.assertIn(
                "pmdriver.framework -> pmdriver.job.execution -> pmdriver.framework", found
            )

    def test_the_folders_law(self) -> None:
        self.assertEqual(forbidden(self.imports), [])

    def test_a_breach_is_found(self) -> None:
        for name, text in (
            ("pmdriver_jax_surface", "from pmdriver.tensorflow import surface"),
            ("pmdriver_null_framework", "def f():\n    from pmdriver.pytorch.devices import Cpu"),
            ("pmdriver_process_server", "import pmdriver.null.commands"),
            ("pmdriver_job_execution", "from pmdriver.process import wire"),
            ("pmdriver_failure", "from pmdriver import job"),
        ):
            module = name.replace("_", ".")
            found = forbidden(self.made(**{name: text}))
            self.assertEqual([line.split(" -> ")[0] for line in found], [module])

    def test_only_absolute_imports(self) -> None:
        for path in module_names(DRIVERS / "pmdriver").values():
            for node in ast.walk(ast.parse(path.read_text())):
                self.assertFalse(isinstance(node, ast.ImportFrom) and node.level, path)


class OnePlace(unittest.TestCase):
    """Code that may be in one module only."""

    def users(self, pattern: str) -> list[str]:
        """Return the files below drivers/ in which a pattern occurs."""
        paths = sorted(DRIVERS.rglob("*.py"))
        return [str(p.relative_to(DRIVERS)) for p in paths if re.search(pattern, p.read_text())]

    def test_one_module_makes_the_header_of_a_result(self) -> None:
        for key in ("not_applicable", "harness", "extern_kernels"):
            self.assertEqual(self.users(rf'"{key}":'), ["pmdriver/job/result.py"])

    def test_one_module_turns_exceptions_into_text(self) -> None:
        for pattern in (r"type\(\w*error\w*\)", r"\bformat_exception\b", r"\bextract_tb\b"):
            self.assertEqual(self.users(pattern), ["pmdriver/failure.py"])


def page_block(language: str) -> str:
    """Return the first block of code in a language on the page about drivers."""
    page = (ROOT / "docs" / "internals" / "drivers.md").read_text()
    return page.partition(f"```{language}\n")[2].partition("```\n")[0]


#: Cases of the toy, in one file each.
TOY_CASES = """function: toy.{0}
cases:
  - name: rows
    inputs: {{x: "float32[4,30] normal"}}
    call: toy.{1}
"""


def toy_home(folder: Path) -> Path:
    """Make a home folder with the toy's driver, planted faults and cases; return its path."""
    home = folder / "home"
    shutil.copytree(DRIVERS, home / "drivers", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "data", home / "data")
    texts = {
        "drivers/pmdriver/toy/__init__.py": "",
        "drivers/pmdriver/toy/framework.py": page_block("python"),
        "suites/VERSION": (ROOT / "suites" / "VERSION").read_text(),
        "suites/planted-faults/toy.yaml": page_block("yaml"),
        "suites/toy/toy.add.yaml": TOY_CASES.format("add", "add(x, x)"),
        "suites/toy/toy.sort.yaml": TOY_CASES.format("sort", "sort(x)"),
    }
    for name, text in texts.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    return home


def build_command(target: str) -> list[str]:
    """Return the command that makes a file of the build folder."""
    asked = ["ninja", "-C", BUILD, "-t", "commands", "-s", target]
    return shlex.split(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)


def toy_program(folder: Path) -> Path:
    """Link portmeter with the toy's row in the table of frameworks; return its path."""
    devices, _, row = page_block("c").partition("    {.name")
    source = (ROOT / "src" / "measuring" / "environment" / "frameworks.c").read_text()
    table = "static const struct pm_framework frameworks[] = {\n"
    (folder / "frameworks.c").write_text(
        source.replace(table, devices + table + "    {.name" + row)
    )

    compiled, program = folder / "frameworks.o", folder / "portmeter"
    compile_one = build_command("src/measuring/environment/libpm_environment.a.p/frameworks.c.o")
    places = {"frameworks.c": folder / "frameworks.c", "frameworks.c.o": compiled}
    places["frameworks.c.o.d"] = folder / "frameworks.d"
    link = build_command("portmeter")
    link[link.index("portmeter")] = str(program)
    # the object comes before the archive that has the table of the build
    link.insert(link.index(str(program)) + 1, str(compiled))
    for words in ([str(places.get(Path(word).name, word)) for word in compile_one], link):
        subprocess.run(words, cwd=BUILD, check=True)
    return program


class Frameworks(unittest.TestCase):
    """Every folder of a framework is found by its name, and hides no other package."""

    NAMES = sorted(
        path.name
        for path in (DRIVERS / "pmdriver").iterdir()
        if path.name.isidentifier() and path.name not in SHARED and any(path.glob("*.py"))
    )

    def test_each_has_a_part_that_is_looked_up(self) -> None:
        self.assertLess({"jax", "null", "numpy", "pytorch", "tensorflow"}, {*self.NAMES, ""})
        for name in self.NAMES:
            parts = {path.stem for path in (DRIVERS / "pmdriver" / name).glob("*.py")}
            self.assertTrue(parts & {"framework", "surface"}, name)

    def test_null_is_a_framework_like_the_others(self) -> None:
        self.assertIsInstance(frameworks.framework("null"), Framework)
        self.assertEqual(frameworks.framework("null").name, "null")

    def test_what_there_is_not(self) -> None:
        for look_up, name, why in (
            (frameworks.framework, "caffe", "no driver for framework 'caffe': check the name"),
            (frameworks.surface, "null", "names no public modules"),
        ):
            with self.assertRaisesRegex(LookupError, why):
                look_up(name)

    def test_a_framework_that_is_only_listed(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "listed").mkdir()
            for name in ("__init__", "surface"):
                (Path(folder) / "listed" / f"{name}.py").write_text("SURFACE = 3")
            package = sys.modules["pmdriver"]
            with mock.patch.object(package, "__path__", [*package.__path__, folder]):
                self.assertEqual(frameworks.surface("listed"), 3)
                with self.assertRaisesRegex(LookupError, "cannot measure yet"):
                    frameworks.framework("listed")
        for name in ("pmdriver.listed", "pmdriver.listed.surface"):
            sys.modules.pop(name)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "no numpy")
    def test_the_toy_of_the_page_is_a_driver(self) -> None:
        """The driver in docs/internals/drivers.md is measured; its planted fallback is detected."""
        page = (DRIVERS.parent / "docs" / "internals" / "drivers.md").read_text()
        text = page.partition("```python\n")[2].partition("```\n")[0]
        self.assertTrue(0 < text.count("\n") <= 200)
        names: dict = {"__name__": "toy"}
        exec(compile(text, "docs/internals/drivers.md", "exec"), names)
        toy = names["FRAMEWORK"]()
        self.assertEqual(toy.import_all()["version"], "1.0")
        self.assertEqual([row["device"] for row in toy.devices()], ["cpu", "toy"])
        x = {"x": ("float32", (3,), [2.0, 1.0, 3.0])}
        for device, call, fallback, values in (
            ("toy", "toy.add(x, x)", [], [4.0, 2.0, 6.0]),
            ("toy", "toy.sort(x)", ["toy::sort"], [1.0, 2.0, 3.0]),
            ("cpu", "toy.sort(x)", [], [1.0, 2.0, 3.0]),
        ):
            toy.start(support.setting(device=device))
            header, buffers = execution.run(toy, *support.job(call, x), support.Channel())
            self.assertIsNone(header["raised"] or header["harness"])
            self.assertEqual(
                (header["fallback"], header["outputs"][0]["device"]), (fallback, device)
            )
            self.assertEqual(support.unpacked("float32", buffers[0]), values)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "no numpy")
    @unittest.skipUnless((BUILD / "build.ninja").exists(), "portmeter is not built")
    def test_the_toy_of_the_page_is_measured(self) -> None:
        """The lines in docs/internals/drivers.md make the toy a framework of portmeter."""
        with tempfile.TemporaryDirectory() as folder:
            home = toy_home(Path(folder))
            program = toy_program(Path(folder))
            variables = {
                **{k: v for k, v in os.environ.items() if not k.startswith("PORTMETER")},
                "PORTMETER_HOME": str(home),
                "PORTMETER_DATA": f"{folder}/data",
                "PORTMETER_DB": f"{folder}/toy.db",
            }
            for words, status in (
                (["env", "add", "toy", sys.executable], 0),
                (["run", "--target", "toy@toy", "--outcomes-only", "--exit-code"], 1),
                (["report", "--table", "functions", "--format", "csv"], 0),
            ):
                ended = subprocess.run(
                    [program, *words], env=variables, capture_output=True, text=True, check=False
                )
                self.assertEqual(ended.returncode, status, ended.stderr)
            rows = csv.DictReader(ended.stdout.splitlines())
            found = {row["function"]: row for row in rows if row["target"] == "toy@toy"}
        self.assertEqual(found["toy.add"]["verdict"], "works")
        self.assertEqual(found["toy.sort"]["verdict"], "fails")
        self.assertEqual(found["toy.sort"]["reason"], "silent fallback")
        self.assertEqual(found["toy.sort"]["message"], "toy::sort on the host")

    def test_no_folder_hides_a_framework(self) -> None:
        """A script runs by its path, so Python looks for modules in the folder of scripts first."""
        code = (
            "import importlib.util, json, sys; sys.path[0] = sys.argv[1]; import pmdriver\n"
            "specs = map(importlib.util.find_spec, sys.argv[2:])\n"
            "print(json.dumps([spec.origin for spec in specs if spec]))"
        )
        command = [sys.executable, "-c", code, str(DRIVERS), "pmdriver.numpy", *self.NAMES]
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        said = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE).stdout
        own, *others = json.loads(said)
        self.assertEqual(own, str(DRIVERS / "pmdriver" / "numpy" / "__init__.py"))
        self.assertEqual([path for path in others if path and str(DRIVERS) in path], [])

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "no numpy")
    def test_a_driver_finds_the_framework_of_its_name(self) -> None:
        command = [sys.executable, str(DRIVERS / "probe.py"), "numpy"]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        self.assertEqual(json.loads(said)["framework_version"], metadata.version("numpy"))

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "no numpy")
    def test_a_probe_says_what_failed(self) -> None:
        code = (
            "import runpy, sys; sys.path.insert(0, sys.argv[1])\n"
            "from pmdriver.numpy.framework import NumPy\n"
            "setattr(NumPy, sys.argv[2], lambda self: 1 / 0)\n"
            "sys.argv[1:] = ['numpy']\n"
            "runpy.run_path(f'{sys.path[0]}/probe.py', run_name='__main__')"
        )
        for method, why in (
            ("import_all", "'numpy' cannot be imported: ZeroDivisionError"),
            ("devices", "the devices of 'numpy' cannot be listed: ZeroDivisionError"),
        ):
            command = [sys.executable, "-c", code, str(DRIVERS), method]
            said = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
            self.assertIn(why, json.loads(said)["error"])

    def test_no_cache_of_a_folder_is_installed(self) -> None:
        text = (ROOT / "meson.build").read_text()
        for folder in (*self.NAMES, *filter(None, SHARED)):
            self.assertIn(f"'{folder}'", text, "meson.build, the folders of drivers/pmdriver")


if __name__ == "__main__":
    unittest.main()
