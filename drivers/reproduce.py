"""Writes a reproducer: a short Python script, without portmeter, that fails as a case did.

    python reproduce.py JOB

JOB is a JSON file that `src/results/explain` writes, with one job or a list of jobs. A job has
``framework``, ``modules`` (to import after the framework), ``device``, ``variant``, the
``definition`` of the case, its ``inputs`` with their values in the file ``body``, how the script
gets these values (``values``: ``seeded``, ``literal`` or ``file``, which writes ``npz``), the
``failure`` that the script must show, and ``comments`` for its first lines. For one job, the script
is printed; for a list, a JSON list of objects with ``script``, or ``why`` it is missing. No
framework is imported here; only ``file`` needs NumPy.
"""

from __future__ import annotations

import ast
import json
import math
import os
import re
import struct
import sys
import textwrap
from typing import Any

#: The name of a module that an environment imports after the framework.
MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
#: The largest number of elements that are written out.
MOST_LITERALS = 64
#: A longer script is written densely: several statements share a line of up to `LINE` characters.
MOST_LINES = 30
LINE = 100

#: How `struct` reads an element of a dtype; bfloat16 is the upper half of a float32.
CODES = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "uint8": "B",
    "uint16": "H",
    "uint32": "I",
    "uint64": "Q",
    "float16": "e",
    "bfloat16": "H",
    "float32": "f",
    "float64": "d",
    "complex64": "ff",
    "complex128": "dd",
}


class CannotReproduceError(Exception):
    """No script can be written for this case; the message says why, in one line."""


# ---------------------------------------------------------------------------------------- inputs


#: The specification of an input: "float32[4,200] normal(0,2) on host".
SPEC = re.compile(r"\w+\[([\d,\s]*)\]\s+(\w+)(?:\(([^)]*)\))?")


def parsed(spec: dict[str, Any]) -> dict[str, Any]:
    """Add the shape and the distribution of an input, from its specification."""
    shape, distribution, given = SPEC.match(spec["spec"]).groups()
    arguments = [float(a) for a in (given or "").split(",") if a.strip()]
    defaults = {"normal": [0.0, 1.0]}.get(distribution, [0.0, 0.0])
    return {
        **spec,
        "shape": [int(n) for n in shape.split(",") if n.strip()],
        "distribution": distribution,
        "arguments": (arguments + defaults[len(arguments) :])[:2],
    }


def stored_dtype(dtype: str) -> str:
    """Return the dtype in which NumPy stores the values: float32 for bfloat16."""
    return "float32" if dtype == "bfloat16" else dtype


def elements(spec: dict[str, Any], body: bytes) -> list[Any]:
    """Decode the values of an input, in C order."""
    code = CODES[spec["dtype"]]
    found = list(
        struct.iter_unpack("<" + code, body[spec["offset"] : spec["offset"] + spec["bytes"]])
    )
    if len(code) == 2:
        return [complex(*parts) for parts in found]
    if spec["dtype"] == "bfloat16":
        return [struct.unpack("<f", struct.pack("<I", part << 16))[0] for (part,) in found]
    return [part for (part,) in found]


def check_count(count: int) -> None:
    """Raise `CannotReproduceError` if there are too many numbers to write out."""
    if count > MOST_LITERALS:
        raise CannotReproduceError(
            f"the script would list {count:,} numbers, more than {MOST_LITERALS}"
        )


def literal(spec: dict[str, Any], body: bytes) -> str:
    """Return the text of a NumPy array with the values of an input."""
    if not body:
        raise CannotReproduceError(
            "the script needs the values of an input, which are not available"
        )
    values = ", ".join(map(repr, elements(spec, body)))
    text = values.replace("nan", "np.nan").replace("inf", "np.inf")
    dtype = stored_dtype(spec["dtype"])
    return f'np.array([{text}], dtype="{dtype}").reshape({tuple(spec["shape"])})'


def seeded(spec: dict[str, Any], body: bytes) -> str:
    """Return a text that makes values like those of an input, or one that lists the values.

    The values are listed if the distribution is unknown here, or an argument of it is not finite.
    """
    shape, dtype = tuple(spec["shape"]), stored_dtype(spec["dtype"])
    a, b = spec["arguments"]
    square = shape[-2:] if len(shape) > 1 else (1, 1)
    size = max(square)
    count = math.prod(shape)
    texts = {
        "normal": f"rng.normal({a!r}, {b!r}, {shape})",
        "uniform": f"rng.uniform({a!r}, {b!r}, {shape})",
        "integers": f"rng.integers({int(a)}, {int(b)}, {shape})",
        "bernoulli": f"(rng.random({shape}) < {a!r})",
        "permutation": f"rng.permuted(np.broadcast_to(np.arange({shape[-1] if shape else 1}), "
        f"{shape or (1,)}), axis=-1).reshape({shape})",
        "range": f"np.arange({count}).reshape({shape})",
        "zeros": f"np.zeros({shape})",
        "ones": f"np.ones({shape})",
        "full": f"np.full({shape}, {a!r})",
        "spd": f"np.broadcast_to(2 * np.eye({size}) + 0.1, {shape})",
        "orthogonal": f"np.broadcast_to(np.eye({square[0]}, {square[-1]}), {shape})",
        "triangular": f"np.broadcast_to(np.tri({size}) + np.eye({size}), {shape})",
    }
    text = texts.get(spec["distribution"])
    if text is None or "inf" in text or "nan" in text:
        check_count(count)
        return literal(spec, body)
    return f'{text}.astype("{dtype}")'


def save(path: str, specs: list[dict[str, Any]], body: bytes) -> None:
    """Write the values of all inputs into an .npz file."""
    import numpy as np  # only here, so that an interpreter without NumPy can write other scripts

    arrays = {
        spec["name"]: np.array(elements(spec, body), dtype=stored_dtype(spec["dtype"])).reshape(
            spec["shape"]
        )
        for spec in specs
    }
    np.savez(path, **arrays)


def input_lines(job: dict[str, Any]) -> list[str]:
    """Return the lines that make the inputs, as NumPy arrays or plain values."""
    arrays = [spec for spec in job["inputs"] if "literal" not in spec]
    body = b""
    if job["body"]:
        with open(job["body"], "rb") as file:
            body = file.read()
    lines = [f"{s['name']} = {s['literal']!r}" for s in job["inputs"] if "literal" in s]
    if job["values"] == "file":
        save(job["npz"], arrays, body)
        name = os.path.basename(job["npz"])
        lines.append(f"stored = np.load(os.path.join(os.path.dirname(__file__), {name!r}))")
        return lines + [f"{s['name']} = stored[{s['name']!r}]" for s in arrays]
    if job["values"] == "literal":
        check_count(sum(math.prod(spec["shape"]) for spec in arrays))
    make = literal if job["values"] == "literal" else seeded
    made = [f"{spec['name']} = {make(spec, body)}" for spec in arrays]
    if any("rng." in line for line in made):
        lines.append("rng = np.random.default_rng(1)")
    return lines + made


# ------------------------------------------------------------------------------------ frameworks


class PyTorch:
    """How to import PyTorch, put arrays on a device, and compile a call."""

    host = "got.cpu().double() if isinstance(got, torch.Tensor) else got"
    same = (
        "a.dtype == b.dtype and a.shape == b.shape and (a.is_meta or "
        "torch.allclose(a.cpu(), b.cpu(), {rtol}, {atol}, equal_nan=True))"
        " if isinstance(a, torch.Tensor) else a == b"
    )
    moves = {
        "torch.nn.Module": "v.to(device)",
        "torch.Tensor": "v.detach().to(device).requires_grad_(v.requires_grad)",
    }

    def __init__(self, device: str, mode: str, job: dict[str, Any]) -> None:
        """Set the texts that depend on the target."""
        self.mode = mode
        kind, _, index = device.partition(":")
        self.before = ['os.environ.setdefault("PJRT_DEVICE", "CPU")'] if kind == "xla" else []
        self.imports = ["import torch"] + (["import torch_xla"] if kind == "xla" else [])
        place = {"rocm": "cuda"}.get(kind, kind) + (":" + index if index else "")
        self.device = "torch_xla.device()" if kind == "xla" else f'torch.device("{place}")'
        self.reference = 'torch.device("cpu")'
        self.settings = ["torch.manual_seed(1)"] if job["definition"].get("modules") else []

    def put(self, name: str, dtype: str, device: str, on_host: bool) -> str:
        """Return the expression that puts an input where the call needs it."""
        place = '"cpu"' if on_host else device
        return f"torch.as_tensor({name}).to({place}, torch.{dtype})"

    def compiled(self, function: str) -> str:
        """Return the expression that compiles the function; empty if the mode does not compile."""
        return f"torch.compile({function}, fullgraph=True)" if self.mode == "inductor" else ""

    def call(self, names: str) -> str:
        """Return the expression that makes the compiled call."""
        return f"call({names})"

    def within(self, device: str) -> str:
        """Return the context of the call; an empty text if it needs none."""
        return ""


class TensorFlow:
    """The same as `PyTorch`, for TensorFlow."""

    host = "got.numpy() if isinstance(got, tf.Tensor) else got"
    same = (
        "a.dtype == b.dtype and a.shape == b.shape and "
        "np.allclose(a.numpy(), b.numpy(), {rtol}, {atol}, equal_nan=True)"
        " if isinstance(a, tf.Tensor) else a == b"
    )
    moves = {
        "tf.Variable": "tf.Variable(v.value(), trainable=v.trainable)",
        "tf.Tensor": "tf.identity(v)",
    }

    def __init__(self, device: str, mode: str, job: dict[str, Any]) -> None:
        """Set the texts that depend on the target."""
        self.mode = mode.split()
        kind, _, index = device.partition(":")
        flags = 'os.environ["TF_XLA_FLAGS"] = "--tf_xla_enable_xla_devices"'
        self.before = [flags] if kind == "xla" else []
        self.imports = ["import tensorflow as tf"]
        name = {"xla": "XLA_CPU", "cuda": "GPU", "rocm": "GPU"}.get(kind, kind.upper())
        self.device, self.reference = f'"/device:{name}:{index or 0}"', '"/device:CPU:0"'
        soft = "soft" in self.mode
        self.settings = [] if soft else ["tf.config.set_soft_device_placement(False)"]
        self.graph = bool(job["definition"].get("context"))

    def put(self, name: str, dtype: str, device: str, on_host: bool) -> str:
        """Return the expression that puts an input where the call needs it."""
        if self.graph or on_host:
            return name
        value = f"tf.constant({name})"
        return f"tf.cast({value}, tf.bfloat16)" if dtype == "bfloat16" else value

    def compiled(self, function: str) -> str:
        """Return the expression that compiles the function; empty if the mode does not compile."""
        jit = "jit" in self.mode
        return f"tf.function({function}, jit_compile=True, autograph=False)" if jit else ""

    def call(self, names: str) -> str:
        """Return the expression that makes the compiled call."""
        return f"call({names})"

    def within(self, device: str) -> str:
        """Return the context of the call; an empty text if it needs none."""
        return f"tf.device({device})"


class Jax:
    """The same as `PyTorch`, for JAX; ``lower-PLATFORM`` lowers the call for an absent platform."""

    host = "np.asarray(got)"
    same = (
        "a.dtype == b.dtype and a.shape == b.shape and "
        "np.allclose(a, b, {rtol}, {atol}, equal_nan=True)"
        " if isinstance(a, jax.Array) else a == b"
    )
    moves = {"jax.Array": "jax.device_put(v, device)"}

    def __init__(self, device: str, mode: str, job: dict[str, Any]) -> None:
        """Set the texts that depend on the target."""
        self.mode = mode
        self.platform = device.removeprefix("lower-") if device.startswith("lower-") else ""
        kind, _, index = ("cpu" if self.platform else device).partition(":")
        self.before: list[str] = []
        self.imports = ["import jax", "import jax.numpy as jnp"]
        self.device = f'jax.devices("{kind}")[{index or 0}]'
        self.reference = 'jax.devices("cpu")[0]'
        wide = any("64" in s.get("dtype", "") or "128" in s.get("dtype", "") for s in job["inputs"])
        wide = wide or (job["definition"].get("process") or {}).get("x64")
        self.settings = ['jax.config.update("jax_enable_x64", True)'] if wide else []

    def put(self, name: str, dtype: str, device: str, on_host: bool) -> str:
        """Return the expression that puts an input where the call needs it."""
        return (
            name if on_host else f'jax.device_put(jnp.asarray({name}, dtype="{dtype}"), {device})'
        )

    def compiled(self, function: str) -> str:
        """Return the expression that compiles the function; empty if the mode does not compile."""
        return f"jax.jit({function})" if self.mode == "jit" or self.platform else ""

    def call(self, names: str) -> str:
        """Return the expression that makes the compiled call."""
        lowered = f'.trace({names}).lower(lowering_platforms=("{self.platform}",))'
        return f"call{lowered}" if self.platform else f"call({names})"

    def within(self, device: str) -> str:
        """Return the context of the call; an empty text if it needs none."""
        return f"jax.default_device({device})"


FRAMEWORKS = {"pytorch": PyTorch, "tensorflow": TensorFlow, "jax": Jax}


# ---------------------------------------------------------------------------------------- script


def is_expression(text: str) -> bool:
    """Return whether a call is an expression, not statements."""
    try:
        ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        return False
    return True


def is_set_up_on_host(job: dict[str, Any]) -> bool:
    """Return whether the setup ran on the host, because the device cannot run it."""
    return bool(job["failure"].get("setup_on_host"))


#: Names that are bound within these do not exist outside.
SCOPES = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp,
          ast.GeneratorExp)  # fmt: skip


def bound(node: ast.AST) -> set[str]:
    """Return the names that statements assign, without those of inner scopes."""
    names = {node.id} if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else set()
    inner = [] if isinstance(node, SCOPES) else ast.iter_child_nodes(node)
    return names.union(*map(bound, inner))


def moved_names(job: dict[str, Any]) -> list[str]:
    """Return the names that a setup on the host may have bound to arrays that the call reads."""
    definition = job["definition"]
    setup = ast.parse(definition.get("setup", ""))
    inputs = {s["name"] for s in job["inputs"] if "literal" not in s and not s.get("host")}
    later = [definition["call"].strip(), definition.get("output", "out").strip()]
    trees = [*map(ast.parse, later), *(n for n in ast.walk(setup) if isinstance(n, SCOPES))]
    read = {n.id for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Name)}
    return sorted((bound(setup) | inputs) & (read | set(definition.get("arguments", []))))


def host_setup_lines(framework: Any, job: dict[str, Any]) -> list[str]:
    """Return the lines that run the setup on the host and move what it made to the device."""
    lines = [
        f"{s['name']} = {framework.put(s['name'], s['dtype'], 'device', s.get('host', False))}"
        for s in job["inputs"]
        if "literal" not in s
    ]
    lines += job["definition"].get("setup", "").rstrip().splitlines()
    within = framework.within("device")
    if within:
        lines = [f"with {within}:", *textwrap.indent("\n".join(lines), "    ").splitlines()]
    names = moved_names(job)
    return [
        "# The device cannot run the setup: the host runs it, and its results are moved.",
        f"target_device, device = device, {framework.reference}",
        *lines,
        "device = target_device",
        "def move(v):",
        "    if type(v) in (list, tuple): return type(v)(map(move, v))",
        *(f"    if isinstance(v, {kind}): return {how}" for kind, how in framework.moves.items()),
        "    return v",
        *(f"{name} = move({name})" for name in names),
    ]


def body_lines(framework: Any, job: dict[str, Any], names: list[str]) -> list[str]:
    """Return the lines of the function that makes the call."""
    definition = job["definition"]
    given = ", ".join([*names, *definition.get("arguments", [])])
    call = definition["call"].strip()
    if is_set_up_on_host(job):
        lines = host_setup_lines(framework, job)
    else:
        lines = definition.get("setup", "").rstrip().splitlines()
    lines += [f"{m} = {m}.to(device)" for m in definition.get("modules", [])]
    lines += [f"{n}.requires_grad_()" for n in definition.get("differentiated", [])]
    expression = is_expression(call)
    compiled = framework.compiled("call")
    if compiled:  # the function is called "call", as in messages of the framework
        inner = f"return {call}" if expression else call
        lines += [f"def call({given}):", *textwrap.indent(inner, "    ").splitlines()]
        lines += [f"call = {compiled}", f"out = {framework.call(given)}"]
    else:
        lines += [f"out = {call}"] if expression else call.splitlines() + ["out = None"]
    lines.append(f"return {' '.join(definition.get('output', 'out').split())}")
    context = " ".join(definition.get("context", "").split())
    return (
        [f"with {context}:", *textwrap.indent("\n".join(lines), "    ").splitlines()]
        if context
        else lines
    )


def run_text(framework: Any, job: dict[str, Any], device: str) -> str:
    """Return the expression that makes the call on a device."""
    puts = [
        s["name"]
        if "literal" in s or is_set_up_on_host(job)
        else framework.put(s["name"], s["dtype"], device, s.get("host", False))
        for s in job["inputs"]
    ]
    return f"run({', '.join([device, *puts])})"


def lines_on(framework: Any, device: str, statement: str) -> list[str]:
    """Return the lines that execute a statement in the context of a device."""
    within = framework.within(device)
    return [f"with {within}:", f"    {statement}"] if within else [statement]


def lines_on_place(framework: Any, job: dict[str, Any], place: str, name: str) -> list[str]:
    """Return the lines that make the call on ``device`` or ``reference``."""
    expression = getattr(framework, place)
    if any(spec["name"] == place for spec in job["inputs"]):
        return lines_on(framework, expression, f"{name} = {run_text(framework, job, expression)}")
    call = f"{name} = {run_text(framework, job, place)}"
    return [f"{place} = {expression}", *lines_on(framework, place, call)]


def tolerance(definition: dict[str, Any]) -> dict[str, float]:
    """Return rtol and atol of a case: one pair for all its parts."""
    given = definition.get("tolerance") or {}
    given = given if "rtol" in given else given.get("default") or {}
    exact = definition.get("compare") == "exact"
    rtol, atol = given.get("rtol", 1.3e-6), given.get("atol", 1e-5)
    return {"rtol": 0.0, "atol": 0.0} if exact else {"rtol": rtol, "atol": atol}


def expected_lines(framework: Any, definition: dict[str, Any], names: list[str]) -> list[str]:
    """Return the lines that compare the result with what NumPy computes in float64."""
    tolerances = tolerance(definition)
    wide = [f"{n} = {n}.astype(float) if {n}.dtype.kind == 'f' else {n}" for n in names]
    return [
        *wide,
        f"want = {' '.join(definition['expect'].split())}",
        'print("as expected:", want)',
        f"got = {framework.host}",
        "near = np.allclose(got, want, {rtol}, {atol}, equal_nan=True)".format(**tolerances),
        'assert near, "differs from the reference"',
    ]


def comparing_lines(framework: Any, job: dict[str, Any]) -> list[str]:
    """Return the lines that raise AssertionError unless the result is correct."""
    definition, failed = job["definition"], job["failure"]
    names = [s["name"] for s in job["inputs"] if "literal" not in s]
    if failed["kind"] == "check":
        check = " ".join(definition["check"].split())
        given = ", ".join(["out", *names])
        return [
            f"check = lambda {given}: {check}",
            f"assert check({', '.join(['got', *names])}), 'the check is false'",
        ]
    if failed["kind"] == "not raised":
        return [f"raise AssertionError({failed['message']!r})"]
    if failed["kind"] == "unexpected":
        return expected_lines(framework, definition, names)
    lines = lines_on_place(framework, job, "reference", "want")
    same = framework.same.format(**tolerance(definition))
    return lines + [
        'print("on the reference:", want)',
        "def same(a, b):",
        "    if isinstance(a, (tuple, list)):",
        "        return len(a) == len(b) and all(map(same, a, b))",
        f"    return {same}",
        'assert same(got, want), "differs from the reference"',
    ]


def harmless(text: str) -> str:
    """Replace characters of an untrusted text so that it stays in one line of a comment."""
    return re.sub(r"[^\x20-\x7e]", "?", text)


#: Statements that may share a line, and those that contain others.
SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise, ast.Assert, ast.Import)
BLOCKS = (ast.FunctionDef, ast.ClassDef, ast.With, ast.For, ast.If)


def dense_block(statement: Any, indent: str) -> list[str]:
    """Write a statement that contains others, in one line if this is short enough."""
    body = dense(statement.body, indent + "    ")
    one = len(body) == 1 and isinstance(statement.body[0], SIMPLE)
    statement.body = [ast.Pass()]
    head = textwrap.indent(ast.unparse(statement), indent).splitlines()[:-1]
    if one and len(head[-1]) + len(body[0].strip()) < LINE:
        return [*head[:-1], f"{head[-1]} {body[0].strip()}"]
    return head + body


def dense(statements: list[ast.stmt], indent: str = "") -> list[str]:
    """Write statements in few lines: several short ones share a line."""
    lines: list[str] = []
    beside = False
    for statement in statements:
        simple, text = isinstance(statement, SIMPLE), ast.unparse(statement)
        if simple and beside and len(lines[-1]) + len(text) < LINE - 1:
            lines[-1] += "; " + text
        elif isinstance(statement, BLOCKS) and not getattr(statement, "orelse", None):
            lines += dense_block(statement, indent)
        else:
            lines += textwrap.indent(text, indent).splitlines()
        beside = simple
    return lines


def shorter(text: str) -> str:
    """Write a script densely, in fewer lines."""
    comments = [line for line in text.splitlines() if line.startswith("#")]
    return "\n".join([*comments, *dense(ast.parse(text).body), ""])


def script(job: dict[str, Any]) -> str:
    """Write the whole script."""
    if job["framework"] not in FRAMEWORKS:
        raise CannotReproduceError(f"portmeter writes no reproducers for {job['framework']}")
    job["inputs"] = [s if "literal" in s else parsed(s) for s in job["inputs"]]
    framework = FRAMEWORKS[job["framework"]](job["device"], job["variant"], job)
    folder = "$tmp" in json.dumps(job["definition"])
    job["definition"] = json.loads(json.dumps(job["definition"]).replace("$tmp", "."))
    names = [spec["name"] for spec in job["inputs"]]
    inputs = input_lines(job)
    body = body_lines(framework, job, names)
    end = lines_on_place(framework, job, "device", "got")
    if job["failure"]["kind"] not in ("raised", "ended"):
        end += ['print("on the device:", got)', *comparing_lines(framework, job)]
    if folder:
        inputs.append("os.chdir(tempfile.mkdtemp())")
    text = "\n".join([*inputs, *body, *end, *framework.settings])
    imports = ["import os"] if framework.before or re.search(r"\bos\.", text) else []
    imports += (["import tempfile"] if folder else []) + framework.before
    imports += ["import numpy as np"] if "np." in text or job["inputs"] else []
    imports += ["import scipy"] if "scipy." in text else []
    whole = "\n".join(
        [
            *(f"# {harmless(line)}" for line in job["comments"]),
            *imports,
            *framework.imports,
            *plug_ins(job),
            *framework.settings,
            *inputs,
            f"def run({', '.join(['device', *names])}):",
            *textwrap.indent("\n".join(body), "    ").splitlines(),
            *end,
            "",
        ]
    )
    return shorter(whole) if whole.count("\n") > MOST_LINES else whole


def plug_ins(job: dict[str, Any]) -> list[str]:
    """Return the lines that import the modules that a framework does not load itself."""
    named = filter(MODULE.fullmatch, job.get("modules", "").split(","))
    return [f"import {name}" for name in named]


def answer(job: dict[str, Any] | None) -> dict[str, str]:
    """Return the script of a job in a list, or why it cannot be written; empty for null."""
    if job is None:
        return {}
    try:
        return {"script": script(job)}
    except CannotReproduceError as why:
        return {"why": str(why)}


def main() -> int:
    """Print the script of the job in a file, or the answers to a list of jobs.

    If the script of a single job cannot be written, print why and return 1.
    """
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    if isinstance(job, list):
        json.dump([answer(one) for one in job], sys.stdout)
        return 0
    try:
        sys.stdout.write(script(job))
    except CannotReproduceError as why:
        print(why)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
