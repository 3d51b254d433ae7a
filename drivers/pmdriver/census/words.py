"""Candidates for an argument, by the parameter's name and annotation and the function's docstring.

`Words` has what differs between frameworks; the tables here apply to all frameworks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pmdriver.census.calls import Candidate, array, texts

#: The values of most arrays: positive numbers, for which most functions are defined.
UNIT = "uniform(0.1,0.9)"

#: Arrays by label: a letter for the dtype, then the sizes of the dimensions.
ARRAYS: dict[str, Candidate] = {
    **{
        f"f{sizes}": array(f"float32[{','.join(sizes)}] {UNIT}")
        for sizes in (
            "3", "4", "34", "43", "54", "234", "238", "283", "334", "433", "883", "2388", "2883",
            "3334", "4333", "23888", "28883", "33334", "43333", "",
        )
    },
    "f44": array("float32[4,4] spd"),
    "j4s": array("int32[4] range"),
    "i4s": array("int64[4] range"),
    "f4s": array("float32[4] range"),
    "f244": array("float32[2,4,4] spd"),
    "c34": array("complex64[3,4] normal"),
    "c44": array("complex64[4,4] spd"),
    "d34": array(f"float64[3,4] {UNIT}"),
    "b34": array("bool[3,4] bernoulli(0.5)"),
    "b4": array("bool[4] bernoulli(0.5)"),
    "b": array("bool[] bernoulli(0.5)"),
    "u34": array("uint8[3,4] integers(0,9)"),
    "u883": array("uint8[8,8,3] integers(0,255)"),
    "j4": array("int32[4] integers(0,3)"),
    "j3": array("int32[3] integers(0,3)"),
    "j34": array("int32[3,4] integers(0,3)"),
    "j": array("int32[] integers(0,3)"),
    "i4": array("int64[4] integers(0,3)"),
    "i3": array("int64[3] integers(0,3)"),
    "i34": array("int64[3,4] integers(0,3)"),
    "i": array("int64[] integers(0,3)"),
}  # fmt: skip

INTEGERS = texts("2", "1", "4", "3", "0", "8")
AXES = texts("0", "1", "(0,)", "-1", "(0, 1)")
SHAPES = texts(
    "(3, 4)", "(4, 3)", "4", "(12,)", "(2, 2)", "[8, 8]", "(4,)", "()", "(2, 3, 4)", "(2, 3, 8, 8)"
)  # fmt: skip
FLOATS = texts("0.5", "1.0", "2.0", "2")
TRUTHS = texts("True", "False")
INDICES = texts(
    "[0, 1]", "[1, 0]", "[[1, 1], [1, 1]]", "[[0], [1]]", "[2, 2]", "(0, 0)", "[0, 2, 4]"
)
WINDOWS = texts("2", "(2, 2)", "[1, 2, 2, 1]", "[8, 8]", "(1, 1)", "3", "[1, 1, 1, 1, 1]")
TEXTS = texts("'a'", "'relu'", "'mean'", "'sum'")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_INDEX_NAMES = _words(
    """indices index ids idx segment_ids target labels positions segments source_indices
    start_indices gather_indices scatter_indices permutation perm row_splits value_rowids
    row_lengths batch_sizes lengths sequence_length input_lengths target_lengths label_length
    logit_length partitions multiples repeats paddings begin strides offsets counts bins edges
    boundaries row_starts row_limits"""
)
_LIST_NAMES = _words("tensors arrays tensor_list matrices inputs_list tup arys sequences seq")
_DTYPE_NAMES = _words(
    """dtype out_type Tout output_type new_dtype T out_dtype Tcomplex Treal dtypes tout DstT to_type
    dtype1 dtype2 type1 type2 from_ to type"""
)
_SHAPE_NAMES = _words(
    """shape size output_size sizes newshape new_shape out_shape output_shape dense_shape
    sample_shape input_shape target_shape normalized_shape input_size block_shape crop_size s
    shapes window unflattened_size repeats reps dimensions event_shape dense_shapes"""
)
_FLOAT_NAMES = _words(
    """p rate lr learning_rate eps epsilon alpha beta gamma lambd threshold min_val max_val
    negative_slope value fill_value lower upper scale momentum margin delta factor base_lr max_lr
    clip_norm clip_value max_norm q"""
)
_WINDOW_NAMES = _words(
    """strides ksize window_dimensions window_strides window_shape dilations pool_size kernel_size
    size block_shape"""
)
_TEXT_NAMES = _words(
    """equation subscripts mode name padding data_format reduction method side fmt kind identifier
    activation pattern scope axis_name indexing subscript op_name reduce op_type delimiter sep
    namespace key title tag message msg unit encoding"""
)
_ARRAY_NAMES = re.compile(
    r"^(x\d?|y\d?|z|a|b|c|A|B|input\d?|other|tensor\d?|value|values|data|inputs|operand|operands"
    r"|lhs|rhs|logits|labels|targets?|preds?|y_true|y_pred|logit|self|mat\d?|vec\d?|vector|matrix"
    r"|weights?|bias|images?|arr|array|m|v|u|src|source|grad|grads|gradients?|query|key|log_probs"
    r"|probs|mean|scale|loc|std|sigma|stddev|alpha|beta|gamma|delta|concentration\d?|rate|df|t|e"
    r"|features?|batch\d|tensors?|p|q|sample|signals?|window|anchor|positive|negative|samples"
    r"|updates|out_grad|dy|diagonal|lam|low|high|minval|maxval|real|imag|abs|angle|condition|cond"
    r"|mask|pred|where|elems|new_tensor|min|max|start|end|stop|limit|lower|upper|bounds|boxes"
    r"|scores|filters?|kernel|hidden|hx|cx|state"
    r"|\w+_(boxes|masks?|images?|labels|logits|scores|weights|inputs?|tensors?|arrays?|probs))$"
)
_INTEGER_NAMES = re.compile(
    r"^(n|k|N|M|m|num|num_.*|.*_size|.*_channels|.*_features|units|depth|steps|rank|ndim|ndims"
    r"|count|sections|chunks|order|deg|groups|kernel|size|dim\d?|axis\d?|axes|dims|nbins|rows?"
    r"|cols?|r|filters|rate|factor|.*_dim|dim_.*|width|height|kernel_size|stride|strides|ksize"
    r"|window_.*|pool_size|length|maxlen|total|block_size|epoch|step|T_max|capacity|shift|shifts"
    r"|offset|bits|num_bits|diagonal|frame_length|frame_step|fft_length|max_.*|min_.*|source"
    r"|destination|nums?|index|lower|upper|level)$"
)
_AXIS_NAMES = re.compile(
    r"^(axis\d?|axes|dims?\d?|dimension|.*_dim(ension)?s?|dim_.*|source|destination)$"
)
_CALLABLE_NAMES = re.compile(
    r"^(fn|fun|func|function|f|callable|body|cond|.*_(fn|fun|func)|predicate|op|combiner"
    r"|computation|hook|.*_hook|callback|closure|.*_rule|getter|setter)$"
)
_FLAG_NAMES = re.compile(r"^(enabled|flag|mode|is_.*|use_.*|enable.*)$")
_NUMBERED = re.compile(r"(^|_)id$")
_KEYED = re.compile(r"\w_keys?$")
_SORTED = re.compile(
    r"^(segment_ids|row_splits|value_rowids|row_starts|row_limits|bins|edges|boundaries"
    r"|sorted_(sequence|inputs?))$"
)
_PATH_NAMES = re.compile(r"(path|file|filename|fname|dir|directory|prefix|logdir|fp)")

#: Types in annotations of parameters that take no array, unless an array is among them.
_PLAIN_TYPES = re.compile(
    r"\b(bool|str|int|symint|float|complex|bytes|dict|mapping|callable|path|pathlike|literal|supportsint"
    r"|supportsfloat|supportsindex|device|dtype|layout|memoryformat|namedtuple|generator|type)\b"
)
#: How the description of such a parameter begins.
_PLAIN_SAID = re.compile(
    r"\W*((optional|an?|the|python|single|non-negative|positive|one|either|or|list|tuple|sequence|iterable"
    r"|of|if)\W+)*(bool|boolean|str|string|name|int|integer|float|callable|function|dict|dictionary"
    r"|whether|true|false|path|file|directory)s?\b(?!\W+(\w+ )?(array|tensor|vector|labels|values))"
)
_LIST_ANNOTATION = re.compile(
    r"list\[tensor|sequence\[tensor|tensor\[\]|tuple\[tensor|sequence\[array|iterable\[tensor"
    r"|tensorlist"
)


#: The names of parameters that are the same thing after another word.
_NOUNS = _words(
    """module model layer optimizer tree pytree mesh sharding dataset iterator transform constraint
    dist distribution scheduler stream treedef operator variable key"""
)


class Words:
    """The candidates that depend on the framework.

    Attributes
    ----------
    arrays
        By label: those of `ARRAYS`, and others that only this framework has.
    order
        The labels that are tried if the kind of array is unknown, likely ones first.
    objects
        Candidates by the name of a parameter.
    dtypes
        The framework's dtypes.
    functions
        Candidates for a parameter that is a function.
    """

    def __init__(
        self,
        order: Sequence[str],
        dtypes: Sequence[Candidate],
        functions: Sequence[Candidate],
        objects: dict[str, list[Candidate]],
        more: dict[str, Candidate] | None = None,
    ) -> None:
        self.arrays = {**ARRAYS, **(more or {})}
        self.order = [label for label in order if label in self.arrays]
        self.dtypes = list(dtypes)
        self.functions = list(functions)
        self.objects = objects

    def own(self, parameter: str) -> list[Candidate]:
        """Return the candidates for a parameter's name, or else for its last word: `to_module`."""
        if parameter in self.objects:
            return self.objects[parameter]
        last = parameter.rpartition("_")[2]
        return self.objects.get(last, []) if last in _NOUNS else []

    def some(self, *labels: str) -> list[Candidate]:
        """Return the arrays with these labels, without those that the framework lacks."""
        return [self.arrays[label] for label in labels if label in self.arrays]


def quoted(text: str) -> list[Candidate]:
    """Return at most 6 words that a docstring quotes, as string literals."""
    found = re.findall(r"['\"`]{1,2}([A-Za-z_][A-Za-z0-9_,\->. ]{0,24})['\"`]{1,2}", text)
    skipped = ("None", "True", "False", "Tensor", "str", "int")
    return texts(*(repr(each) for each in dict.fromkeys(found) if each not in skipped))[:6]


def section(docs: str, parameter: str) -> str:
    """Return the part of a docstring that describes a parameter; empty if it has none."""
    name = rf"[ \t]*[-*]?[ \t]*[`*]{{0,2}}{re.escape(parameter)}[`*]{{0,2}}[ \t]*"
    after = r"[ \t]*[-*]?[ \t]*[`*]{0,2}\w+[`*]{0,2}[ \t]*(?:\([^)\n]*\))?[ \t]*:"
    match = re.search(
        rf"^{name}(?:\([^)\n]*\))?[ \t]*:(.*?)(?=^{after}|\n[ \t]*\n[A-Z]|\Z)",
        docs[:20_000],
        re.S | re.M,
    )
    return match.group(0)[:800] if match else ""


def lists(words: Words) -> list[Candidate]:
    """Return lists of two arrays with equal shapes and different values."""
    found = []
    for label in ("f34", "f44", "f4", words.order[2]):
        spec = words.arrays[label].specs
        if len(spec) == 1:
            found.append(Candidate("[{0}, {1}]", spec * 2))
    return found


def _is_plain(parameter: str, note: str, said: str) -> bool:
    """Return whether a parameter takes no array, by its annotation, description or name."""
    if note and "any" not in re.split(r"[^a-z]+", note) and _PLAIN_TYPES.search(note):
        return True
    head, _, rest = said.partition(":")
    in_brackets = head.partition("(")[2]
    if _PLAIN_SAID.match(in_brackets) or _PLAIN_SAID.match(rest[:90]):
        return True
    is_text = parameter in _TEXT_NAMES or parameter in _DTYPE_NAMES - {"T"}
    is_text = is_text or _NUMBERED.search(parameter) or _KEYED.search(parameter)
    is_function = _CALLABLE_NAMES.match(parameter) and not _ARRAY_NAMES.match(parameter)
    return bool(is_text or is_function or _FLAG_NAMES.match(parameter) or _is_path(parameter))


def _is_path(parameter: str) -> bool:
    return _PATH_NAMES.search(parameter) is not None


def _arrays(words: Words, function: str, parameter: str, docs: str, note: str) -> list[Candidate]:
    """Return arrays; those that suit the names of the function and the parameter come first."""
    lower = function.lower()
    bare = lower.rpartition(".")[2]
    found = list(words.some(*words.order))
    if "conv" in lower and re.search(r"weight|filter|rhs|kernel", parameter):
        found = words.some("f4333", "f433", "f43333", "f3334", "f334", "f33334") + found
    if re.search(
        r"conv|pool|image|pad|norm|interpol|resize|upsample|shuffle|fold|grid|depth|crop|flip",
        lower,
    ):
        large = ("f2388", "f2883", "f238", "f23888", "f883", "u883", "f283", "f28883")
        found = words.some(*large) + found
    if re.search(r"int(32|64)|integer", docs):
        found = words.some("i34", "i4", "j34", "j4", "i") + found
    if "complex" in docs or "complex" in lower:
        found = words.some("c34") + found
    if "string" in docs:
        found = words.some("s4", "s") + found
    if re.search(
        r"linalg|cholesky|inverse|det$|solve|(^|_)lu(_|$)|eig|(^|_)qr|svd|triang",
        lower if "linalg" in lower else bare,
    ):
        found = words.some("f44", "f244") + found
    if "bool" in docs[:200] or ("bool" in note and "float" not in note):
        found = words.some("b34", "b", "b4") + found
    wanted = rank_for(lower)
    if wanted:
        found.sort(key=lambda each: rank(each) != wanted)
    if re.search(r"bitwise|_shift|shift_|^gcd|^lcm|population|^invert$", bare):
        found = words.some("i34", "j34", "u34") + found
    if "sparse" in lower:
        found = words.some("s44") + found
    return found


def rank_for(function: str) -> int:
    """Return the number of dimensions to which a name such as ``conv2d`` points; 0 if to none."""
    found = re.search(r"([123])_?d(?![a-z])", function.lower())
    return int(found.group(1)) + 2 if found is not None else 0


def rank(candidate: Candidate) -> int:
    """Return the number of dimensions of a generated array; -1 for any other candidate."""
    if candidate.text != "{0}":
        return -1
    return len(candidate.specs[0].partition("[")[2].partition("]")[0].split(","))


def _strings(parameter: str, note: str, docs: str, said: str) -> list[Candidate]:
    is_text = "str" in re.split(r"[^a-z]+", note) or re.search(r"\b(string|str)\b", docs[:200])
    if not is_text and parameter not in _TEXT_NAMES:
        return []
    own = {
        "equation": ("'ij,jk->ik'", "'ij->ji'"),
        "subscripts": ("'ij,kj->ik'", "'ij->ji'"),
        "subscript": ("'ij->ji'",),
        "padding": ("'SAME'", "'same'", "1", "((0, 0), (0, 0))"),
        "data_format": ("'channels_last'", "'NHWC'"),
        "reduce": ("'sum'",),
    }.get(parameter, ())
    return quoted(said) + texts(*own) + TEXTS


def _numbers(parameter: str, note: str) -> list[Candidate]:
    found: list[Candidate] = []
    if re.search(r"\b(int|symint|dimsize)\b", note) or _INTEGER_NAMES.match(parameter):
        is_size = re.match(r"^(embed_dim|hidden_dim|key_dim|input_dim|output_dim)$", parameter)
        if _AXIS_NAMES.match(parameter) and not is_size:
            found += AXES
        if parameter in _WINDOW_NAMES:
            found += WINDOWS
        found += INTEGERS
    if (
        re.search(r"int\[|symint\[|sequence\[int|tuple\[int|shape|list\[int|\bsize\b", note)
        or parameter in _SHAPE_NAMES
    ):
        found += SHAPES + AXES
    if re.search(r"\b(float|scalar|number)\b", note) or parameter in _FLOAT_NAMES:
        found += FLOATS
    if "bool" in re.split(r"[^a-z]+", note) or _FLAG_NAMES.match(parameter):
        found += TRUTHS
    return found


#: Parameters that are rarely arrays, although some functions have arrays with these names.
_RARELY = _words(
    """indices index p lower upper value rate alpha beta gamma target labels source cond key state
    hidden"""
)


def _meant(
    words: Words,
    function: str,
    parameter: str,
    note: str,
    said: str,
    is_array: bool,
    is_plain: bool,
) -> list[Candidate]:
    """Return the candidates to which a parameter's name, annotation or description points.

    These are lists, dtypes, indices, functions, texts, numbers, shapes and paths; plain arrays
    come from `_arrays`.
    """
    lower = said.lower()
    found: list[Candidate] = []
    if (
        _LIST_ANNOTATION.search(note)
        or parameter in _LIST_NAMES
        or re.search(r"(list|sequence|tuple) of (`?tf\.)?(tensor|array|same)", lower)
    ):
        found += lists(words)
    if parameter in _DTYPE_NAMES or "dtype" in note:
        found += words.dtypes
    if parameter in _WINDOW_NAMES and not is_array:
        found += WINDOWS
    if _SORTED.match(parameter):
        found += words.some("j4s", "i4s", "f4s")
    if parameter in _INDEX_NAMES and not is_plain:
        found += words.some("i4", "i34", "j4", "j34", "i3", "j3", "i") + INDICES
    if re.search(r"(^|_)seed$", parameter):
        found += texts("[1, 2]", "0")
    if _NUMBERED.search(parameter):
        found += texts("0", "1")
    if _KEYED.search(parameter):
        found += texts("['a']", "'a'") if parameter.endswith("s") else texts("'a'")
    if re.match(r"(tuple|sequence|list)(\[any(, \.\.\.)?\])?$", note):
        found += [Candidate("({0},)", words.arrays["f34"].specs)]
    if re.search(r"\b(dict|mapping)\b", note):
        found += [Candidate("{'a': {0}}", words.arrays["f34"].specs), Candidate("{}")]
    if _CALLABLE_NAMES.match(parameter) or "callable" in note:
        found += words.functions
    if is_plain and re.match(r"[^:]*:?\W*(optional\W+)?(if|whether|bool|an?\W+bool)", lower):
        found += TRUTHS
    found += _strings(parameter, note, lower, said) + _numbers(parameter, note)
    if re.search(r"_(shape|size)s?$", parameter) and not is_array:
        found += (texts("(2, 3, 8, 8)") if "conv" in function.lower() else []) + SHAPES
    if _is_path(parameter):
        found += texts("'$tmp/new'", "'$tmp'")
    if re.search(r"(^|_)(config|kwargs|options)$", parameter) and not is_array:
        found += texts("{}")
    return found


def candidates(
    words: Words,
    function: str,
    parameter: str,
    annotation: str,
    docs: str,
    is_strict: bool = False,
    is_last_resort: bool = False,
) -> list[Candidate]:
    """Return what an argument may be, likely ones first.

    Parameters
    ----------
    words
        The framework's `Words`.
    function
        The name of the function.
    parameter, annotation
        The name of the parameter, and its annotation or type in a schema as text.
    docs
        The docstring of the function.
    is_strict
        Give arrays only if something says that the parameter takes them. This is for parameters
        that accept anything, such as those of classes, which only store them.
    is_last_resort
        Add arrays even so, because no call was accepted without them.
    """
    said = section(docs, parameter)
    note = annotation.replace("typing.", "").lower()
    note = re.sub(r"callable\[.*\]", "callable", note)  # such a function is not an array
    lower = said.lower()
    own = words.own(parameter)
    is_array = (
        "tensor" in note
        or "array" in note
        or not _KEYED.search(parameter)
        and bool(re.search(r"\b(Tensor|[aA]rray_?[lL]ike|array)\b(?! shape)", said[:160]))
    )
    is_plain = not is_array and _is_plain(parameter, note, lower)
    found = own + _meant(words, function, parameter, note, said, is_array, is_plain)
    is_named = _ARRAY_NAMES.match(parameter) is not None
    if is_plain or (is_strict and not is_array and not is_named):
        if found:
            is_known = bool(own) and not is_last_resort
            found += ([] if is_known else INTEGERS[:2]) + texts("None")
        else:
            found = INTEGERS[:2] + texts("None", "'a'", "True", "{}", "[]", "0.5")
            found += words.functions[:2] + SHAPES[:1]
        found = found[:36] + words.some("f34", words.order[2], "f44") if is_last_resort else found
        return list(dict.fromkeys(found))[:40]
    arrays = _arrays(words, function, parameter, lower, note)
    if is_array or is_named or not found:
        others = [each for each in found if each not in own]
        if parameter in _RARELY and found and (not is_array or found[0].specs):
            found = found[:3] + arrays + found[3:]
        elif is_array or is_named:
            rare = bool(own) and not is_named and not is_last_resort
            found = own + ([] if rare else arrays) + others
        else:
            found = arrays + INTEGERS[:2] + SHAPES[:1] + words.functions[:2] + lists(words)[:2]
            found += texts("None", "'a'", "'sum'", "{}", "[]")
    else:
        found += INTEGERS[:2] + texts("None")
        found += words.some("f34", words.order[2], "f44") if is_last_resort else []
    return list(dict.fromkeys(found))[:40]
