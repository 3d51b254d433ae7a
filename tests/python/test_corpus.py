"""Tests of the corpus readers with whole and damaged containers, and of the resolved rule.

The resolved rule is compared with Python's ast. Also tests tests/corpus/recall/trace.py. Runs
tests/scan_dump in build/, or in the build folder that ``PORTMETER_BUILD`` names.
"""

from __future__ import annotations

import gzip
import importlib.util
import io
import json
import lzma
import os
import random
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import unittest
import unittest.mock
import warnings
import zipfile
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("PORTMETER_BUILD", ROOT / "build"))
RECALL = ROOT / "tests" / "corpus" / "recall" / "trace.py"
DUMP = BUILD / "tests" / "scan_dump"
sys.path.insert(0, str(ROOT / "tests" / "corpus"))
import resolved_reference  # noqa: E402

SOURCE = "import torch\ntorch.relu(1)\n"
NAMES = "framework torch\nadd function torch.relu\n"


class Scan(NamedTuple):
    """The output of a scan."""

    relu: tuple[int, int]  # calls and repositories
    inputs: int
    ignored: int
    files: int
    without_content: int
    damages: list[tuple[str, int, str, str]]  # input, offset, "packed" or "unpacked", text


def line(source: str, **fields: object) -> bytes:
    """Return a line of JSON with this source."""
    return json.dumps({"repo_name": "a/b", "content": source, **fields}).encode() + b"\n"


def member(data: bytes) -> bytes:
    """Return a gzip member with this content."""
    return gzip.compress(data, mtime=0)


@unittest.skipUnless(DUMP.exists(), "scan_dump is not built")
class Readers(unittest.TestCase):
    """Plain and packed files, archives, folders and notebooks."""

    def setUp(self) -> None:
        self.scratch = tempfile.TemporaryDirectory(prefix="portmeter-corpus-")
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name)
        self.names = self.folder / "names"
        self.names.write_text(NAMES)

    def put(self, name: str, data: bytes) -> Path:
        """Write a file into the scratch folder's ``in``."""
        path = self.folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def scan(self, *paths: Path | str, stdin: bytes = b"", threads: int = 1) -> Scan:
        """Scan paths; names of inputs are cut to their last part."""
        command = [str(DUMP), str(self.names), str(threads), "0", *map(str, paths)]
        ended = subprocess.run(command, input=stdin, capture_output=True)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        relu, damages, totals = (0, 0), [], [0] * 8
        for text in ended.stdout.decode(errors="replace").splitlines():
            words = text.split(" ")
            if words[0] == "totals":
                totals = [int(word) for word in words[1:]]
            elif words[:2] == ["function", "torch.relu"]:
                relu = (int(words[2]), int(words[6]))
            elif words[0] == "damage":
                name = words[1].rsplit("/in/", 1)[-1]
                damages.append((name, int(words[2]), words[3], " ".join(words[4:])))
        return Scan(relu, totals[0], totals[1], totals[2], totals[6], damages)

    def test_json_lines_plain_and_packed(self) -> None:
        lines = line(SOURCE) + line("x = 1\n") + line(SOURCE, repo_name="c")
        for name, data in {
            "a.jsonl": lines,
            "a.json.gz": member(lines),
            "b.json.gz": b"".join(member(lines[i : i + 7]) for i in range(0, len(lines), 7)),
            "padded.json.gz": member(lines) + bytes(100),
        }.items():
            with self.subTest(name):
                scan = self.scan(self.put(name, data))
                self.assertEqual(scan.relu, (2, 2))
                self.assertEqual((scan.files, scan.damages), (3, []))

    def test_fields_may_have_any_order(self) -> None:
        fields = [
            b'{"content": "import torch\\ntorch.relu(1)", "max_stars_repo_name": "x"}\n',
            b'{"a": [{"content": 1}], "content": "import torch\\ntorch.relu(1)"}\n',
            b'{"content": null}\n\n  \n{"b": 1}\n',
            b'{"content": "import \\u0074orch\\ntorch.relu(1)", "repo": "x"}\n',
        ]
        scan = self.scan(self.put("a.jsonl", b"".join(fields)))
        self.assertEqual((scan.relu, scan.files, scan.without_content), ((3, 1), 3, 2))

    def test_surrogates_and_bytes_beyond_ascii(self) -> None:
        source = '"\\ud83d \\ude00 \\ud83d\\ude00 é"\\n'
        text = f'{{"content": "x = {source[1:-3]}\\nimport torch\\ntorch.relu(1)"}}\n'
        scan = self.scan(self.put("a.jsonl", text.encode()))
        self.assertEqual((scan.relu, scan.damages), ((1, 0), []))

    def test_lines_over_a_megabyte(self) -> None:
        long = line("# " + "x" * 3_000_000 + "\n" + SOURCE)
        scan = self.scan(self.put("a.json.gz", member(line(SOURCE) + long + line(SOURCE))))
        self.assertEqual((scan.relu[0], scan.damages), (3, []))

    def test_a_line_too_long_is_passed_over(self) -> None:
        first = line(SOURCE)
        long = line("x" * 9_000_000)
        scan = self.scan(self.put("a.jsonl", first + long + line(SOURCE)))
        self.assertEqual(scan.relu[0], 2)
        self.assertEqual(
            scan.damages,
            [
                (
                    "a.jsonl",
                    len(first),
                    "unpacked",
                    "the line is longer than portmeter's limit of 8388608 bytes",
                )
            ],
        )

    def test_a_last_line_cut_short(self) -> None:
        first = line(SOURCE)
        scan = self.scan(self.put("a.jsonl", first + line(SOURCE)[:-20]))
        self.assertEqual(scan.relu[0], 1)
        self.assertEqual(
            scan.damages, [("a.jsonl", len(first), "unpacked", "the last line is cut short")]
        )

    def test_a_broken_line_among_others(self) -> None:
        first = line(SOURCE)
        scan = self.scan(self.put("a.jsonl", first + b'{"content": "imp\n' + first))
        self.assertEqual(scan.relu[0], 2)
        self.assertEqual(
            scan.damages,
            [("a.jsonl", len(first), "unpacked", "the JSON object is cut short or malformed")],
        )

    def test_a_wrong_checksum(self) -> None:
        broken = bytearray(member(line(SOURCE)))
        broken[-5] ^= 1
        scan = self.scan(self.put("a.json.gz", bytes(broken) + member(line(SOURCE))))
        self.assertEqual(scan.relu[0], 2)
        self.assertEqual(
            scan.damages,
            [("a.json.gz", len(broken), "packed", "the gzip member has a wrong checksum")],
        )

    def test_a_gzip_cut_short(self) -> None:
        lines = b"".join(line(f"# {random.Random(i).random()}\n" + SOURCE) for i in range(50))
        whole = member(lines)
        scan = self.scan(self.put("a.json.gz", whole[: len(whole) // 2]))
        self.assertTrue(0 < scan.relu[0] < 50)
        kinds = {what for _, _, _, what in scan.damages}
        self.assertIn("the gzip member is cut short", kinds)
        self.assertEqual(scan.damages[0][1], len(whole) // 2)

    def test_offsets_of_lines_around_damage(self) -> None:
        first = line(SOURCE)
        stored = gzip.compress(first + first, 0)
        cut = stored[: stored.rindex(first) + 20]  # 20 bytes of the second line
        scan = self.scan(self.put("a.json.gz", cut))
        self.assertEqual(scan.relu[0], 1)
        self.assertEqual(
            scan.damages,
            [
                ("a.json.gz", len(cut), "packed", "the gzip member is cut short"),
                ("a.json.gz", len(first), "unpacked", "the JSON object is cut short or malformed"),
            ],
        )

    def test_reading_goes_on_behind_garbage(self) -> None:
        broken = bytearray(member(b"".join(line(SOURCE + "#" * i) for i in range(200))))
        broken[60:90] = bytes(range(200, 230))
        data = bytes(broken) + member(line(SOURCE, repo_name="later"))
        scan = self.scan(self.put("a.json.gz", data), self.put("b.json.gz", member(line(SOURCE))))
        self.assertGreaterEqual(scan.relu[0], 2)
        self.assertTrue(scan.damages)
        self.assertEqual(scan.damages[0][0], "a.json.gz")
        self.assertTrue(scan.damages[0][3].startswith("the gzip"), scan.damages)

    def test_a_gzip_that_is_none(self) -> None:
        scan = self.scan(self.put("a.json.gz", b"\x1f\x8b\x08" + b"no gzip" * 99))
        self.assertEqual(len(scan.damages), 1)
        self.assertEqual(scan.damages[0][0], "a.json.gz")

    def test_python_files_and_binaries(self) -> None:
        self.put("p/one.py", SOURCE.encode())
        self.put("p/old/two.py", b"\xef\xbb\xbf" + SOURCE.replace("\n", "\r\n").encode())
        self.put("p/image.py", b"\x89PNG\r\n\x00\x00" + bytes(50))
        self.put("p/empty.py", b"")
        self.put("p/README.md", b"import torch\ntorch.relu(1)\n")
        self.put("p/package.json", b'{\n "content": 1\n}\n')
        (self.folder / "in/p/link.py").symlink_to(self.folder / "in/p/one.py")
        scan = self.scan(self.folder / "in")
        self.assertEqual((scan.relu, scan.files, scan.ignored), ((2, 1), 3, 3))
        self.assertEqual(scan.inputs, 4)
        damage = ("p/image.py", 6, "unpacked", "the file is binary data, not Python source")
        self.assertEqual(scan.damages, [damage])

    def test_checkouts_are_repositories(self) -> None:
        for name in ("a", "b"):
            self.put(f"{name}/.git/config", b"")
            self.put(f"{name}/.git/hook.py", SOURCE.encode())
            self.put(f"{name}/x/one.py", SOURCE.encode())
        self.put("c/one.py", SOURCE.encode())
        self.put("c/two.py", SOURCE.encode())
        self.assertEqual(self.scan(self.folder / "in").relu, (4, 3))

    def tar(self, mode: str) -> bytes:
        """Return a tar of two Python files and a text file."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode=mode) as archive:
            for name, data in {"p/a.py": SOURCE, "p/b.txt": SOURCE, "p/ü.py": SOURCE}.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data.encode()))
        return packed.getvalue()

    def zip(self) -> bytes:
        """Return a zip of the same files."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in ("p/a.py", "p/b.txt", "p/ü.py"):
                archive.writestr(name, SOURCE)
        return packed.getvalue()

    def test_archives(self) -> None:
        archives = {
            "a.tar": self.tar("w"),
            "a.tar.gz": self.tar("w:gz"),
            "a.tar.xz": self.tar("w:xz"),
            "a.tar.bz2": self.tar("w:bz2"),
            "a.zip": self.zip(),
            "a-1.0-py3-none-any.whl": self.zip(),
        }
        for name, data in archives.items():
            with self.subTest(name):
                scan = self.scan(self.put(name, data))
                self.assertEqual((scan.relu, scan.damages, scan.files), ((2, 1), [], 2))
                self.assertEqual(self.scan("-", stdin=data).relu, (2, 1))
        self.assertEqual(self.scan(self.folder / "in", threads=2).relu, (12, 6))

    def packed(self, members: dict[str, bytes], mode: str) -> bytes:
        """Return a zip or a tar of these members."""
        packed = io.BytesIO()
        if mode == "zip":
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, data in members.items():
                    archive.writestr(name, data)
        else:
            with tarfile.open(fileobj=packed, mode=mode) as archive:
                for name, data in members.items():
                    member = tarfile.TarInfo(name)
                    member.size = len(data)
                    archive.addfile(member, io.BytesIO(data))
        return packed.getvalue()

    def test_archives_within_archives(self) -> None:
        inner = {
            "d/a.whl": self.zip(),
            "b.tar.gz": self.tar("w:gz"),
            "c.tar.xz": self.tar("w:xz"),
            "none.zip": b"text",
        }
        for mode in ("zip", "w", "w:gz", "w:bz2"):
            with self.subTest(mode):
                outer = self.packed({"a.py": SOURCE.encode(), **inner, "z.py": b"x"}, mode)
                scan = self.scan(
                    self.put("outer." + mode.replace("w:", "tar.").replace("w", "tar"), outer)
                )
                self.assertEqual((scan.relu[0], scan.files, scan.damages), (7, 8, []))
                self.assertEqual(scan.relu[1], 1)  # one repository
        deep = self.packed(
            {"in.zip": self.packed({"a.py": SOURCE.encode(), "b.whl": self.zip()}, "zip")}, "zip"
        )
        scan = self.scan(self.put("deep.zip", deep))
        self.assertEqual((scan.relu[0], len(scan.damages)), (1, 1))
        self.assertEqual(scan.damages[0][0], "deep.zip:in.zip:b.whl")
        self.assertIn("is not opened", scan.damages[0][3])
        cut = self.packed({"cut.zip": self.zip()[:60], "a.py": SOURCE.encode()}, "w")
        scan = self.scan(self.put("cut.tar", cut))
        self.assertEqual((scan.relu[0], len(scan.damages)), (1, 1))
        self.assertTrue(scan.damages[0][0].startswith("cut.tar:cut.zip"), scan.damages)
        whole = self.packed({"in.zip": self.zip() * 50}, "w:gz")
        self.assertTrue(self.scan(self.put("cut.tar.gz", whole[: len(whole) // 2])).damages)

    def test_broken_archives(self) -> None:
        tar, zipped = self.tar("w"), self.zip()
        broken = {
            "cut.tar": tar[:700],
            "cut.tar.gz": gzip.compress(tar)[:60],
            "cut.tar.xz": lzma.compress(tar)[:100],
            "cut.zip": zipped[: len(zipped) // 2],
        }
        for name, data in broken.items():
            with self.subTest(name):
                scan = self.scan(self.put(name, data))
                self.assertTrue(scan.damages)
                self.assertTrue(scan.damages[0][0].startswith(name), scan.damages)

    def test_where_a_zip_is_damaged(self) -> None:
        plain = self.zip()
        second, third = plain.index(b"PK\3\4", 1), plain.rindex(b"PK\3\4")
        directory = plain.index(b"PK\1\2")
        data = third + 30 + len("p/ü.py".encode())
        for name, at in {"member": third, "directory": directory, "data": data}.items():
            with self.subTest(name):
                broken = plain[:at] + b"\xff\xff" + plain[at + 2 :]
                damage = self.scan(self.put("a.zip", broken)).damages[0]
                self.assertTrue(second < damage[1] <= directory, damage)
                self.assertEqual(damage[2], "packed")

    def notebook(self, *cells: str, **keys: object) -> dict[str, object]:
        """Make a notebook with a cell of text, followed by these cells of code."""
        code = [{"cell_type": "code", "source": cell.splitlines(True)} for cell in cells]
        text = {"cell_type": "markdown", "source": "import torch; torch.relu(1)"}
        return {"cells": [text, *code], "metadata": {}, "nbformat": 4, **keys}

    def test_notebooks(self) -> None:
        start = "import torch\n"
        cells = {
            "plain": (start, "torch.relu(1)\ntorch.relu(2)", 2),
            "magics": (f"%matplotlib inline\n{start}!pip install 'torch", "torch.relu(1)", 1),
            "shell": (f"{start}!echo torch.relu(1) \\\n torch.relu(2)\nx = !torch.relu(3)", "", 0),
            "time": (f"%%time\n{start}torch.relu(1)", "%%bash\ntorch.relu(2)", 1),
            "operators": (
                f"{start}y = (torch.relu(1)\n  % torch.relu(2)\n  != torch.relu(3))",
                "",
                3,
            ),
            "indented": (f"{start}if x:\n  %time torch.relu(1)\n  torch.relu(2)", "", 1),
            "help": (f"{start}torch.relu(1)?\n?torch.relu(2)\ntorch.relu(3)", "", 1),
            "string": (f'{start}x = """\n%s\n!(""" + torch.relu(1)', "torch.relu(2)", 2),
            "brackets": (f"{start}!echo (\ntorch.relu(1)\n%cd (\ntorch.relu(2)", "", 2),
            "cut": (start, "torch.relu(1, (", 0),
            "endless": (start, "torch.relu(1, '''", 0),
        }
        for name, (first, second, calls) in cells.items():
            with self.subTest(name):
                notebook = self.notebook(first, second, "torch.relu" if calls else "")
                text = json.dumps(notebook, indent=1).encode()
                scan = self.scan(self.put("a.ipynb", text))
                self.assertEqual((scan.relu[0], scan.files, scan.damages), (calls, 1, []))
                self.assertEqual(self.scan("-", stdin=text).relu[0], calls)
                whole = line(json.dumps(notebook)) + line(SOURCE)
                scan = self.scan(self.put("a.jsonl", whole))
                self.assertEqual((scan.relu[0], scan.files, scan.damages), (calls + 1, 2, []))

    def test_notebooks_of_every_format(self) -> None:
        cell = {"cell_type": "code", "input": SOURCE, "language": "python"}
        other = {**cell, "language": "ruby"}
        old = {"nbformat": 3, "worksheets": [{"cells": [cell, other]}, {"cells": [cell]}]}
        one = self.notebook(SOURCE, metadata={"language_info": {"name": "python"}})
        single = {"nbformat": 4, "cells": [{"cell_type": "code", "source": SOURCE}]}
        for number, (notebook, calls) in enumerate(((old, 2), (one, 1), (single, 1))):
            with self.subTest(number):
                scan = self.scan(self.put("a.ipynb", json.dumps(notebook).encode()))
                self.assertEqual((scan.relu[0], scan.files, scan.damages), (calls, 1, []))

    def test_notebooks_that_python_reads(self) -> None:
        """A notebook loses no cell if Python's json reads it, even if strict readers refuse it."""
        plain = json.dumps(self.notebook(SOURCE))
        marked = json.dumps(self.notebook(SOURCE, mark=0))
        numbers = ("NaN", "-Infinity", "Infinity", "1e400", "-1E-999", "9" * 400, "[NaN,-1]")
        texts = {
            "repeated": plain.replace('"nbformat"', '"cells": 1, "cells": [], "nbformat"'),
            "last": '{"cells": [], ' + plain[1:],
            "high": plain.replace("torch.relu", r"'\ud800\\n'; torch.relu"),
            "low": plain.replace("torch.relu", r"'\uDFFF'; torch.relu"),
            "swapped": plain.replace("torch.relu", r"'\udc00\ud800\u0041'; torch.relu"),
            "pair": plain.replace("torch.relu", r"'\ud83d\ude00\ud83d'; torch.relu"),
            "escaped": plain.replace("torch.relu", r"'\\ud83d\ud83d'; torch.relu"),
            "nul": plain.replace("torch.relu", r"'\u0000'; torch.relu"),
            **{number: marked.replace('"mark": 0', f'"mark": {number}') for number in numbers},
        }
        for name, text in texts.items():
            with self.subTest(name):
                calls = 0 if name == "repeated" else 1
                self.assertEqual(len(json.loads(text)["cells"]), 2 * calls)
                scan = self.scan(self.put("a.ipynb", text.encode()))
                self.assertEqual((scan.relu[0], scan.files, scan.damages), (calls, 1, []))
                scan = self.scan(self.put("a.jsonl", line(text)))
                self.assertEqual((scan.relu[0], scan.files, scan.damages), (calls, 1, []))
        inner = line("CODE").replace(b"CODE", b'{\\"nbformat\\": 4, \\"cells\\": [CELL]}')
        source = rb"import torch; torch.relu(1, \ud800)"
        cell = rb"{\"cell_type\": \"code\", \"source\": \"" + source + rb"\"}"
        scan = self.scan(self.put("a.jsonl", inner.replace(b"CELL", cell)))
        self.assertEqual((scan.relu[0], scan.files, scan.damages), (1, 1, []))
        for wrong in ("NaNs", "- 1", "Infinite", r'"\ud80"', r'"\x"', "tru"):
            with self.subTest(wrong):
                text = marked.replace('"mark": 0', f'"mark": {wrong}')
                self.assertRaises(ValueError, json.loads, text)
                self.assertEqual(len(self.scan(self.put("a.ipynb", text.encode())).damages), 1)

    def test_what_is_no_notebook(self) -> None:
        foreign = self.notebook(SOURCE, metadata={"kernelspec": {"language": "R"}})
        scan = self.scan(self.put("r.ipynb", json.dumps(foreign).encode()))
        self.assertEqual((scan.relu, scan.files, scan.ignored, scan.damages), ((0, 0), 0, 1, []))
        whole = json.dumps(self.notebook(SOURCE)).encode()
        for data in (b"", b"{}", b"[]", whole[:-1], b'{"cells": []}', b"\xff", whole + b"{"):
            with self.subTest(data[:20]):
                scan = self.scan(self.put("none.ipynb", data))
                self.assertEqual((scan.relu, scan.files, len(scan.damages)), ((0, 0), 0, 1))
                self.assertIn("notebook", scan.damages[0][3])
        scan = self.scan(self.put("a.jsonl", line('{"cells": [') + line(SOURCE)))
        self.assertEqual((scan.relu[0], scan.files, scan.damages), (1, 2, []))

    def test_notebooks_in_folders_and_archives(self) -> None:
        data = json.dumps(self.notebook(SOURCE)).encode()
        self.put("a/n.ipynb", data)
        self.put("a/.ipynb_checkpoints/n-checkpoint.ipynb", data)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("p/n.ipynb", data)
            archive.writestr("p/bad.ipynb", b"{}")
            archive.writestr("p/.ipynb_checkpoints/n-checkpoint.ipynb", data)
        self.assertEqual(self.scan(self.folder / "in" / "a").relu, (1, 1))
        scan = self.scan(self.put("b.zip", packed.getvalue()))
        self.assertEqual((scan.relu, scan.damages[0][0]), ((1, 1), "b.zip:p/bad.ipynb"))
        self.assertEqual(len(scan.damages), 1)

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_a_file_of_a_folder_takes_four_system_calls(self) -> None:
        calls = []
        for count in (10, 210):
            for i in range(count):
                self.put(f"f/{i}.py", SOURCE.encode() if i % 5 else b"")
            trace = self.folder / "trace"
            command = ["strace", "-f", "-o", str(trace), str(DUMP), str(self.names), "1", "0"]
            folder = str(self.folder / "in" / "f")
            if subprocess.run([*command, folder], capture_output=True).returncode:
                self.skipTest("strace does not work here")
            kinds = Counter(text.split("(")[0].split()[-1] for text in trace.open())
            for other in ("brk", "mmap", "munmap", "mremap", "madvise", "getdents64"):
                kinds.pop(other, None)  # these manage memory and read the folder
            calls.append(sum(kinds.values()))
        self.assertLess((calls[1] - calls[0]) / 200, 4.1)

    def test_no_more_damages_than_anybody_reads(self) -> None:
        scan = self.scan(self.put("a.jsonl", line(SOURCE) + b"x\n" * 1000))
        self.assertEqual(len(scan.damages), 20)

    def test_a_pipe_in_small_pieces(self) -> None:
        data = member(line(SOURCE)) * 50
        process = subprocess.Popen(
            [str(DUMP), str(self.names), "2", "0", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert process.stdin and process.stdout
        for i in range(0, len(data), 97):
            process.stdin.write(data[i : i + 97])
            process.stdin.flush()
        output, _ = process.communicate()
        self.assertIn(b"function torch.relu 50 0 0 50 1", output)


def reference_files(limit: int) -> tuple[str, list[Path]]:
    """Return an installed framework, and files of its package that contain its name.

    If no framework is installed, return ``os`` and files of the standard library instead.
    """
    packages = Path(sysconfig.get_paths()["purelib"])
    for root in ("torch", "tensorflow", "jax"):
        if (packages / root).is_dir():
            found = sorted((packages / root).rglob("*.py"))
            break
    else:
        root, found = "os", sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    found = [path for path in found if root.encode() in path.read_bytes()]
    random.Random(1).shuffle(found)
    return root, found[:limit]


@unittest.skipUnless(DUMP.exists(), "scan_dump is not built")
@unittest.skipIf(sys.version_info < (3, 9), "the reference wants ast of 3.9")
def load_trace() -> ModuleType:
    """Import tests/corpus/recall/trace.py; the standard library has a module of the same name."""
    spec = importlib.util.spec_from_file_location("recall_trace", RECALL)
    assert spec is not None and spec.loader is not None
    recall = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recall)
    return recall


class Traced(unittest.TestCase):
    def test_what_the_framework_passes_on_is_not_a_site(self) -> None:
        """A function or class of a different package does not count, despite its public name."""
        source = "from os.path import join\nfrom fractions import Fraction\ndef own(): pass\n"
        entries = (("join", "function"), ("Fraction", "class"), ("own", "function"))
        functions = [{"name": f"madeup.{n}", "kind": k, "aliases": []} for n, k in entries]
        document = {"root": "madeup", "short": "madeup", "functions": functions}
        with (
            tempfile.TemporaryDirectory() as folder,
            unittest.mock.patch.object(sys, "path", [folder, *sys.path]),
        ):
            Path(folder, "madeup.py").write_text(source)
            Path(folder, "names.json").write_text(json.dumps(document))
            names = load_trace().Names(str(Path(folder, "names.json")))
            madeup = sys.modules.pop("madeup")
        self.assertEqual(names.of(madeup.own, "own")[0], "madeup.own")
        for name in ("join", "Fraction"):
            called = getattr(madeup, name)
            self.assertEqual(names.of(called, name)[0], "")
            self.assertEqual(names.also(called, name), [f"madeup.{name}"])
        specified = unittest.mock.create_autospec(madeup.own)
        for mock in (unittest.mock.Mock(), unittest.mock.MagicMock().own, specified):
            self.assertEqual(names.of(mock, "own")[0], "")
            self.assertEqual(names.also(mock, "own"), ["overridden:*"])
        self.assertEqual(names.also(madeup.own, "own"), ["madeup.own"])

    def test_a_property_overrides_a_method(self) -> None:
        """The value of a property of the project's class replaces the framework's method."""
        source = "class Variable:\n  def read(self): pass\n"
        kinds = (("Variable", "class"), ("Variable.read", "method"))
        functions = [{"name": f"madeup.{n}", "kind": k, "aliases": []} for n, k in kinds]
        document = {"root": "madeup", "short": "madeup", "functions": functions}
        mine = (
            "from madeup import Variable\nclass Mine(Variable):\n"
            "  read = property(lambda self: lambda: 1)\n  def __own(self): return 2\n"
            "  def run(self): return self.__own(), self.read()\nfound = Mine().run()\n"
        )
        with (
            tempfile.TemporaryDirectory() as folder,
            unittest.mock.patch.object(sys, "path", [folder, *sys.path]),
        ):
            Path(folder, "madeup.py").write_text(source)
            Path(folder, "names.json").write_text(json.dumps(document))
            recall = load_trace()
            tracer = recall.Tracer(recall.Names(str(Path(folder, "names.json"))), folder)
            given = {recall.RECORD: tracer.record, "__name__": "mine"}
            exec(tracer.compile(mine.encode(), str(Path(folder, "mine.py"))), given)
            del sys.modules["madeup"]
        self.assertEqual(given["found"], (2, 1))
        (site,) = (site for site in tracer.sites if site["by"] == "read")
        self.assertEqual(site["names"], {":call": 1})
        self.assertEqual(site["also"], ["overridden:madeup.Variable.read"])


class Resolved(unittest.TestCase):
    """The resolved rule, compared with Python's ast."""

    FILES = int(os.environ.get("PORTMETER_REFERENCE_FILES", 400))
    LEAST_EQUAL = 0.995

    def test_counts_are_those_of_the_ast(self) -> None:
        warnings.simplefilter("ignore")
        root, paths = reference_files(self.FILES)
        sources: dict[str, bytes] = {}
        known: Counter[str] = Counter()
        for path in paths:
            source = path.read_bytes()
            try:
                known.update(set(resolved_reference.dotted_paths(source, {root})))
            except (SyntaxError, ValueError, RecursionError):
                continue
            sources[str(path)] = source
        table = self.table(root, sorted(name for name in known if "." in name))
        got = self.counts(root, table, list(sources))
        pairs = equal = 0
        for path, source in sources.items():
            uses = resolved_reference.uses(source, {root}, table)
            for name in {*uses.calls, *uses.references, *got[path]}:
                wanted = (uses.calls[name], uses.references[name], uses.rebound[name])
                pairs += 1
                equal += got[path].get(name, (0, 0, 0)) == wanted
        self.assertGreater(pairs, 50)
        print(f"{equal} of {pairs} pairs of {len(sources)} files equal", file=sys.stderr)
        self.assertGreaterEqual(equal / pairs, self.LEAST_EQUAL)

    def table(self, root: str, names: list[str]) -> dict[str, str]:
        """Return a table of some of the names as functions; one in seven is an alias.

        A name that is a prefix of a different name is a module, not a function.
        """
        modules = {name.rsplit(".", 1)[0] for name in names}
        chosen = [name for name in names if name not in modules]
        chosen = [name for name in chosen if random.Random(name).random() < 0.6]
        table: dict[str, str] = {}
        for number, name in enumerate(chosen):
            table[name] = table[chosen[number - 1]] if number % 7 == 6 else name
        return table

    def counts(
        self, root: str, table: dict[str, str], paths: list[str]
    ) -> dict[str, dict[str, tuple[int, ...]]]:
        """Scan each file separately; return the counts of each."""
        lines = [f"framework {root}"]
        for name, canonical in table.items():
            lines.append(f"add function {canonical}" + (f" {name}" if name != canonical else ""))
        with tempfile.TemporaryDirectory(prefix="portmeter-corpus-") as folder:
            names = Path(folder) / "names"
            names.write_text("\n".join(lines) + "\n")
            output = subprocess.run(
                [str(DUMP), str(names), "each"],
                input="\n".join(paths).encode(),
                capture_output=True,
                check=True,
            ).stdout.decode()
        found: dict[str, dict[str, tuple[int, ...]]] = {}
        current: dict[str, tuple[int, ...]] = {}
        for text in output.splitlines():
            words = text.split(" ")
            if words[0] == "path":
                current = found[text[5:]] = {}
            elif words[0] == "function":
                current[words[1]] = (int(words[2]), int(words[3]), int(words[4]))
        return found


if __name__ == "__main__":
    unittest.main()
