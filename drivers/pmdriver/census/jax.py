"""What a census needs to know about JAX."""

from __future__ import annotations

import enum
import types
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pmdriver.census import jax_tests, judge
from pmdriver.census.calls import Candidate, Case, array, by_names, made_texts, texts
from pmdriver.census.kit import Kit
from pmdriver.census.words import Words

_F34 = "float32[3,4] uniform(0.1,0.9)"
_KEY = array("key(7)")

_MESH = "jax.sharding.Mesh(np.array(jax.devices()[:1]), ('x',))"

_NAMED = f"jax.sharding.NamedSharding({_MESH}, jax.sharding.PartitionSpec('x'))"

_TREES = [
    array(_F34), Candidate("[{0}]", (_F34,)), Candidate("({0},)", (_F34,)),
    array("float32[] uniform(0.1,0.9)"), Candidate("dict(a={0})", (_F34,)),
]  # fmt: skip

_REF = Candidate("jax.new_ref({0})", (_F34,), is_made=True)
_ROTATIONS = Candidate(
    "jax.scipy.spatial.transform.Rotation.from_rotvec({0})",
    ("float32[2,3] normal",),
    is_made=True,
)

_OBJECTS = by_names({
    "key|rng|random_key": [_KEY],
    "keys": [Candidate("jax.random.split({0}, 4)", ("key(7)",), is_made=True), _KEY],
    "mesh": texts(_MESH),
    "spec|pspec|partition_spec": texts("jax.sharding.PartitionSpec('x')"),
    "sharding|shardings|s": texts(
        "jax.sharding.SingleDeviceSharding(device)",
        _NAMED,
    ),
    "device": texts("device", "[device]"),
    "devices": texts("np.array([device])", "[device]", "device"),
    "cond_fun": texts("lambda a: jnp.sum(jnp.abs(a)) < 100"),
    "body_fun": texts("lambda a: 2 * a + 1", "lambda i, a: a + i"),
    "tree|pytree|init|carry|xs|operands|init_val|initial|val|primals|tangents|args|cotangents"
    "|params|state": _TREES,
    "branches": texts("[lambda *a: a[0], lambda *a: a[0]]"),
    "dimension_numbers|dnums|dn": texts(
        "(((1,), (0,)), ((), ()))", "('NCHW', 'OIHW', 'NCHW')"
    ),
    "padding|padding_config|pads": texts(
        "'SAME'", "((0, 0), (0, 0))", "[(0, 0, 0), (0, 0, 0)]", "2"
    ),
    "axis_name": texts("'x'"),
    "treedef": texts("jax.tree.structure([1, 2])"),
    "outer_treedef": texts("jax.tree.structure([1, 2])"),
    "inner_treedef": texts("jax.tree.structure((1, 2))"),
    "pytree_to_transpose": [Candidate("[({0}, {1}), ({2}, {3})]", (_F34,) * 4)],
    "ref": [_REF], "rotations": [_ROTATIONS],
    "global_shape": texts("(3, 4)"),
    "data_callback": texts("lambda index: np.zeros((3, 4))[index]"),
    "axis_shapes": texts("(1,)"), "axis_names": texts("('x',)"),
    "fft_type": texts("jax.lax.FftType.FFT"), "fft_lengths": texts("(4,)"),
    "computation": texts("jax.lax.add"),
    "window_dimensions|window_strides": texts("(2, 2)", "(1, 1)"),
    "ufunc|update_func": texts("jnp.add"),
    "mask_func": texts("jnp.triu"),
    "memory_kind": texts("'device'"),
    "method": texts("'bilinear'", "'BFGS'"),
})  # fmt: skip

_MORE = {
    "k": _KEY,
    "f14": array("float32[1,4] uniform(0.1,0.9)"),  # for a map over one device
    "shape34": texts("(3, 4)")[0],
}

_ORDER = (
    "f34", "f44", "f4", "j34", "b34", "f2388", "f238", "c34", "f", "j4", "f234", "u34", "f2883",
    "f23888", "j", "k", "f3",
)  # fmt: skip

_FUNCTIONS = made_texts(
    "lambda *a: 2 * a[0]", "lambda *a: sum(jnp.sum(x ** 3) for x in a)", "lambda *a: tuple(a)",
    "lambda a, b=1: a + b", "lambda *a: (a[0], a[0])", "lambda *a: jnp.sum(a[0]) < -1",
    "lambda *a: a[0]",
)  # fmt: skip


#: Why values that nothing has written are not compared: "an empty array of possibly uninitialized
#: values. This initialization is backend dependent." (the docstring of `jax.lax.empty`)
UNWRITTEN = "the values of the output are not initialized"

#: Primitives that call a computation: its results are their results.
_CALLING = ("pjit", "jit", "closed_call", "core_call")


class JaxKit(Kit):
    """The `Kit` of JAX."""

    batch = 16
    uses_of_objects = (
        ("f34",), ("f4",), ("f34", "f34"), ("k", "shape34"), ("f14",),
    )  # fmt: skip
    prelude = (
        "import functools\nimport math\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n"
        "from functools import partial\nfrom jax import lax, random\n"
    )

    def __init__(self, framework: Any) -> None:
        dtypes = texts("jnp.float32", "jnp.int32", "jnp.complex64", "jnp.uint8")
        super().__init__(framework, Words(_ORDER, dtypes, _FUNCTIONS, _OBJECTS, _MORE))

    def owners(self, owner: str) -> list[Candidate]:
        """Return arrays for JAX's classes of arrays, or objects that no constructor makes."""
        if owner in ("jax.Array", "jax.numpy.ndarray"):
            return self.words.some("f34", "j34", "f44", "b34", "c34", "f4", "f")
        return _OWNERS.get(owner, [])

    def special(self, value: Any) -> Candidate | None:
        """Return a candidate for a scalar key of a random generator."""
        if isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
            return _KEY if value.ndim == 0 else None
        return None

    def judge(self, case: Case) -> judge.Verdict:
        """Judge a case; find out whether it returns values that are not initialized."""
        verdict = super().judge(case)
        if verdict.what == judge.HOST_ONLY or verdict.case.compare != "close":
            return verdict
        if not self._returns_unwritten(verdict.case):
            return verdict
        shaped = verdict.case._replace(compare="shape", repeat="fresh", tolerance=None)
        return verdict._replace(what=judge.NO_VALUES, case=shaped, reason=UNWRITTEN)

    def _returns_unwritten(self, case: Case) -> bool:
        ready = self._ready(case)
        try:
            names = self.scene(case).names
            traced = jax.make_jaxpr(lambda: eval(ready.call, names))()
        except Exception:
            return False  # a call that reads values cannot be traced
        return _has_unwritten(traced.jaxpr)

    def metadata(self, wanted: set[str]) -> dict[str, list[Any]]:
        """Return the harnesses with which JAX tests its primitives."""
        return jax_tests.makers(wanted)

    def metadata_absence(self) -> str:
        """Say why the harnesses cannot be read; empty if they can."""
        return jax_tests.absence()

    def dtype_text(self, value: Any) -> str | None:
        """Return the text of dtypes, and of functions, enumerations and records of `jax.lax`."""
        if text := _of_lax(value):
            return text
        if isinstance(value, np.dtype):
            return f"np.dtype({value.name!r})"
        if isinstance(value, type) and issubclass(value, np.generic):
            return f"np.{value.__name__}"
        own = getattr(value, "dtype", None)
        if isinstance(own, np.dtype) and value is getattr(jnp, own.name, None):
            return f"jnp.{own.name}"
        return None


def _has_unwritten(jaxpr: Any) -> bool:
    """Return whether a result of a computation is that of the primitive ``empty``."""
    results = {id(each) for each in jaxpr.outvars}
    for equation in jaxpr.eqns:
        if not any(id(each) in results for each in equation.outvars):
            continue
        if equation.primitive.name == "empty":
            return True
        inner = equation.params.get("jaxpr") or equation.params.get("call_jaxpr")
        is_call = equation.primitive.name in _CALLING and inner is not None
        if is_call and _has_unwritten(getattr(inner, "jaxpr", inner)):
            return True
    return False


def _of_lax(value: Any) -> str | None:
    """Return the text of a function, a member of an enumeration or a named tuple of `jax.lax`."""
    if isinstance(value, types.FunctionType):
        is_public = getattr(jax.lax, value.__name__, None) is value
        return f"jax.lax.{value.__name__}" if is_public else None
    own = type(value).__name__
    if getattr(jax.lax, own, None) is not type(value):
        return None
    if isinstance(value, enum.Enum):
        return f"jax.lax.{own}.{value.name}"
    text = f"jax.lax.{value!r}"
    try:
        return text if eval(text, {"jax": jax}) == value else None
    except SyntaxError:
        return None


_OWNERS = {
    "jax.Device": texts("device"),
    "jax.Ref": [_REF],
    "jax.numpy.ufunc": texts("jnp.add"),
    "jax.ref.AbstractRef": texts("jax.ref.AbstractRef(jax.core.ShapedArray((3,), jnp.float32))"),
    "jax.scipy.spatial.transform.Rotation": [_ROTATIONS],
    "jax.scipy.stats.gaussian_kde": [
        Candidate("jax.scipy.stats.gaussian_kde({0})", ("float32[20] normal",), is_made=True),
    ],
    "jax.sharding.NamedSharding": texts(_NAMED),
    "jax.sharding.Sharding": texts("jax.sharding.SingleDeviceSharding(device)", _NAMED),
    "jax.tree_util.PyTreeDef": texts("jax.tree.structure([1, (2, 3)])"),
}

KIT = JaxKit
