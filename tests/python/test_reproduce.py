"""Tests of reproducers: the script for each framework, and the quoting of texts of a case."""

from __future__ import annotations

import ast
import struct
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "drivers"))

import reproduce  # noqa: E402  the path above


def job(framework: str, device: str, variant: str = "", **more: Any) -> dict[str, Any]:
    """Return a job of a failing case with two inputs: an array in a file, and a list."""
    values = struct.pack("<3f", 1.0, float("nan"), float("-inf"))
    with tempfile.NamedTemporaryFile(delete=False) as body:
        body.write(values)
    spec = {
        "name": "x",
        "spec": "float32[3] normal",
        "dtype": "float32",
        "offset": 0,
        "bytes": 12,
        "host": False,
    }
    return {
        "framework": framework,
        "device": device,
        "variant": variant,
        "definition": {"call": "f(x)", "output": "out"},
        "inputs": [spec, {"name": "k", "literal": [1, "a"]}],
        "body": body.name,
        "values": "seeded",
        "npz": body.name + ".npz",
        "comments": ["title", "message"],
        "failure": {"kind": "raised", "message": "m"},
        **more,
    }


class Scripts(unittest.TestCase):
    """The scripts that `script` writes."""

    def test_modules_of_the_environment_are_imported_after_the_framework(self) -> None:
        """A text that is not the name of a module, as in a foreign database, is not written."""
        text = reproduce.script(job("pytorch", "toy", modules="my_backend,a.b,x;y,"))
        lines = text.splitlines()
        first = lines.index("import torch")
        self.assertEqual(lines[first + 1 : first + 3], ["import my_backend", "import a.b"])
        self.assertNotIn("y", {line.removeprefix("import x;") for line in lines})
        self.assertNotIn("x;y", text)

    def test_each_framework_is_written_its_own_way(self) -> None:
        meta = reproduce.script(job("pytorch", "meta"))
        self.assertIn('device = torch.device("meta")', meta)
        self.assertIn("run(device, torch.as_tensor(x).to(device, torch.float32), k)", meta)
        self.assertIn("x = rng.normal(0.0, 1.0, (3,))", meta)
        self.assertIn("k = [1, 'a']", meta)
        compiled = reproduce.script(job("pytorch", "cuda:1", "inductor"))
        self.assertIn("torch.compile(call, fullgraph=True)", compiled)
        self.assertIn('torch.device("cuda:1")', compiled)
        xla = reproduce.script(job("tensorflow", "xla", "jit"))
        self.assertIn('os.environ["TF_XLA_FLAGS"] = "--tf_xla_enable_xla_devices"', xla)
        self.assertIn("jit_compile=True", xla)
        self.assertIn('device = "/device:XLA_CPU:0"\nwith tf.device(device):', xla)
        lowered = reproduce.script(job("jax", "lower-tpu"))
        self.assertIn('call.trace(x, k).lower(lowering_platforms=("tpu",))', lowered)
        self.assertIn('jax.devices("cpu")[0]', lowered)
        for text in (meta, compiled, xla, lowered):
            ast.parse(text)
            self.assertLessEqual(len(text.splitlines()), 30)

    def test_values_are_written_out_or_kept_in_a_file(self) -> None:
        written = reproduce.script(job("jax", "cpu", values="literal"))
        self.assertIn(
            'x = np.array([1.0, np.nan, -np.inf], dtype="float32").reshape((3,))', written
        )
        many = job("jax", "cpu", values="literal")
        many["inputs"][0].update(spec="float32[65] normal", bytes=260)
        Path(many["body"]).write_bytes(bytes(260))
        with self.assertRaisesRegex(reproduce.CannotReproduceError, "65 numbers, more than 64"):
            reproduce.script(many)
        many["inputs"][0]["spec"] = "float32[65] special"  # special values are not drawn either
        many["values"] = "seeded"
        with self.assertRaisesRegex(reproduce.CannotReproduceError, "65 numbers, more than 64"):
            reproduce.script(many)

    def test_special_values_are_never_drawn(self) -> None:
        special = job("pytorch", "meta")
        special["inputs"][0]["spec"] = "float32[3] special"
        self.assertIn("np.array([1.0, np.nan", reproduce.script(special))

    def test_a_message_in_a_comment_does_nothing(self) -> None:
        for newline in ("\n", "\r", "\x0c", "\u2028", "\x00"):
            evil = job("pytorch", "meta", comments=[f"a{newline}import os; os.abort()", "b"])
            text = reproduce.script(evil)
            self.assertIn("# a?import os; os.abort()", text.split("\n"))
            self.assertNotIn("os.abort", ast.unparse(ast.parse(text)))

    def test_a_message_in_the_script_is_a_literal(self) -> None:
        evil = job("pytorch", "meta", failure={"kind": "not raised", "message": "'); boom('"})
        calls = [
            n.func for n in ast.walk(ast.parse(reproduce.script(evil))) if isinstance(n, ast.Call)
        ]
        self.assertNotIn("boom", [c.id for c in calls if isinstance(c, ast.Name)])

    def test_statements_setup_and_context(self) -> None:
        definition = {
            "context": "tf.Graph().as_default()",
            "setup": "y = x\nz = y",
            "call": "z.update(1)",
            "output": "(out, z)",
        }
        text = reproduce.script(job("tensorflow", "cpu", definition=definition))
        self.assertIn("    with tf.Graph().as_default():\n        y = x\n        z = y\n", text)
        self.assertIn("        return (out, z)", text)
        statement = {"call": "x[0] = 1", "output": "x"}
        text = reproduce.script(job("pytorch", "cpu", "inductor", definition=statement))
        self.assertIn("    def call(x, k):\n        x[0] = 1\n", text)
        ast.parse(text)

    def test_what_cannot_be_written(self) -> None:
        with self.assertRaisesRegex(reproduce.CannotReproduceError, "writes no reproducers"):
            reproduce.script(job("other", "cpu"))

    def test_a_setup_that_ran_on_the_host(self) -> None:
        """The script also runs the setup on the host, and moves what the call reads."""
        definition = {
            "setup": "y = [x.to_sparse()]\nunread = [z for z in y]\ndef f(a): b = a; return b",
            "call": "f(y[0])",
        }
        failure = {"kind": "raised", "message": "m", "setup_on_host": True}
        for framework, device, put in (
            ("pytorch", "meta", "    x = torch.as_tensor(x).to(device, torch.float32)\n"),
            ("tensorflow", "xla", "    with tf.device(device):\n        x = tf.constant(x)"),
            ("jax", "cuda", 'jax.device_put(jnp.asarray(x, dtype="float32"), device)\n'),
        ):
            text = reproduce.script(job(framework, device, definition=definition, failure=failure))
            before, after = text.split("device = target_device")
            self.assertIn(put, before)
            self.assertIn("y = [x.to_sparse()]", before)
            self.assertIn(" y = move(y)", after)
            self.assertIn("run(device, x, k)", after)
            for name in ("unread", "f", "b", "z"):
                self.assertNotIn(f"{name} = move({name})", text)
            self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_a_folder_of_its_own(self) -> None:
        own = {"call": "save(x, 'file://$tmp/a')"}
        text = reproduce.script(job("pytorch", "cpu", definition=own))
        self.assertIn("import os\nimport tempfile\n", text)
        self.assertIn("\nos.chdir(tempfile.mkdtemp())\ndef run", text)
        self.assertIn("out = save(x, 'file://./a')", text)

    def test_a_long_script_is_written_densely(self) -> None:
        setup = "".join(
            f"def f{i}(a):\n    if a:\n        return {i}\n    b = a\n    c = b\n    return c\n"
            for i in range(6)
        )
        setup += "try:\n    y = f1(0)\nfinally:\n    z = 'a\\nb'\n"
        definition = {"setup": setup + "x += y", "call": "x + f5(1)", "output": "out"}
        text = reproduce.script(job("pytorch", "cpu", definition=definition))
        self.assertLessEqual(len(text.splitlines()), 30)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        self.assertTrue(text.startswith("# title\n# message\nimport numpy as np; import torch"))
        self.assertIn("        if a: return 5\n        b = a; c = b; return c\n", text)
        made: dict[str, Any] = {}
        code = "import numpy as np\n" + text[text.index("    def f0") :].partition("device =")[0]
        exec("def run(x):\n" + code.partition("\n")[2], made)  # noqa: S102  the code of the script
        self.assertEqual(made["run"](1), 6)


if __name__ == "__main__":
    unittest.main()
