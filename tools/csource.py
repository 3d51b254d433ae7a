"""Reads C sources as text, for the checks in this folder, without a build or a compiler.

These functions rely on the format of clang-format and on two rules: no macros hide braces, except
those of base/words.h, which are known here, and preprocessor conditionals do not divide a
definition.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)
      | (?P<string>"(?:\\.|[^"\\\n])*")
      | (?P<character>'(?:\\.|[^'\\\n])*')""",
    re.DOTALL | re.VERBOSE,
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
BRACE = re.compile(r"([{};])")
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
# PM_WORDS and PM_WORDS_DEFINE of base/words.h, and below what they declare and define.
WORDS = re.compile(r"^PM_WORDS\((\w+),\s*\w+,\s*(\w+)\);", re.MULTILINE)
WORDS_DEFINE = re.compile(r"^PM_WORDS_DEFINE\((\w+),\s*\w+,\s*(\w+)\);", re.MULTILINE)
DECLARED_WORDS = (
    r"enum pm_\1 { \2_COUNT }; extern const struct pm_words pm_\1_words; "
    r"const char *pm_\1_text(enum pm_\1 word); bool pm_\1_parse(const char *text);"
)
DEFINED_WORDS = (
    r"const struct pm_words pm_\1_words = { 0 }; "
    r"const char *pm_\1_text(enum pm_\1 word) {} bool pm_\1_parse(const char *text) {}"
)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")
NAME = re.compile(r"\b[A-Za-z_]\w*")
# An identifier that may be a symbol: not a member (a.b, a->b) and not a tag (struct a).
MENTION = re.compile(r"(?<![\w.])(?<!->)(?<!struct )(?<!enum )(?<!union )[A-Za-z_]\w*")
KEYWORDS = {"static", "extern", "typedef", "inline", "const", "struct", "enum", "union"}


def kept(of_text: Callable[[str], Iterable[Any]]) -> Callable[[str], tuple[Any, ...]]:
    """Cache the results of a function of a text: checks call it many times for each file."""

    @functools.wraps(of_text)
    @functools.cache
    def whole(text: str) -> tuple[Any, ...]:
        return tuple(of_text(text))

    return whole


def blank(text: str) -> str:
    """Replace all characters except line ends by spaces, so that offsets stay the same."""
    return re.sub(r"[^\n]", " ", text)


@functools.cache
def code(text: str) -> str:
    """Return the text with comments, strings and character literals replaced by spaces."""
    return TOKEN.sub(lambda match: blank(match.group()), text)


def strings(text: str) -> Iterable[tuple[int, str]]:
    """Yield line and content of each string literal, without those of #include."""
    for match in TOKEN.finditer(INCLUDE.sub(lambda match: blank(match.group()), text)):
        if match.lastgroup == "string":
            yield text.count("\n", 0, match.start()) + 1, match.group()[1:-1]


@kept
def includes(text: str) -> Iterable[tuple[int, str]]:
    """Yield line and name of each #include "name"."""
    uncommented = TOKEN.sub(
        lambda match: blank(match.group()) if match.lastgroup == "comment" else match.group(), text
    )
    for match in INCLUDE.finditer(uncommented):
        yield text.count("\n", 0, match.start()) + 1, match.group(1)


@kept
def chunks(text: str) -> Iterable[tuple[str, str]]:
    """Yield head and body of each declaration or definition at file level; bodies may be empty."""
    plain = DIRECTIVE.sub(lambda match: blank(match.group()), code(text))
    plain = WORDS_DEFINE.sub(DEFINED_WORDS, WORDS.sub(DECLARED_WORDS, plain))
    head, body, depth = [], [], 0
    for part in BRACE.split(plain):  # between braces and semicolons, and each of these
        depth += part == "{"
        if depth:
            body.append(part)
        elif part != ";":
            head.append(part)
        depth -= part == "}"
        words = "".join(head).split() if part in (";", "}") and not depth else []
        # After the brace of a struct, an initializer or an array, the chunk continues to the `;`.
        ends = part == ";" or (
            part == "}" and words and words[-1].endswith(")") and "=" not in words
        )
        if ends and not depth:
            yield " ".join(words or "".join(head).split()), "".join(body)
            head, body = [], []


class Definition(NamedTuple):
    """A function or object that a file defines."""

    name: str
    static: bool


def defined(head: str, body: str) -> Definition | None:
    """Return the function or object that a chunk defines, or None."""
    head = ATTRIBUTE.sub(" ", head).strip()
    words = set(NAME.findall(head))
    if not head or "typedef" in words or "extern" in words:
        return None
    declarator = head.split("=")[0]
    if "(" in declarator:
        if not body and "=" not in head:
            return None  # a prototype
        names = NAME.findall(declarator[: declarator.index("(")])
    else:
        names = NAME.findall(re.sub(r"\[[^\]]*\]", " ", declarator))
        tags = re.match(r"(?:\w+ )*?(?:struct|enum|union)\b", declarator)
        named = len([name for name in names if name not in KEYWORDS])
        if tags and named < 2 and "=" not in head:
            return None  # a struct, an enum or a union only
    names = [name for name in names if name not in KEYWORDS]
    return Definition(names[-1], "static" in words) if names else None


@kept
def definitions(text: str) -> Iterable[Definition]:
    """Yield the functions and objects that a file defines at file level."""
    for head, body in chunks(text):
        found = defined(head, body)
        if found:
            yield found


@functools.cache
def mentions(text: str) -> frozenset[str]:
    """Return the identifiers that a file's code and macros use, except members and tags."""
    return frozenset(MENTION.findall(code(INCLUDE.sub("", text))))


@functools.cache
def inline_mentions(text: str) -> frozenset[str]:
    """Return the identifiers that a header's functions and macros use, and so its users too."""
    found: set[str] = set()
    for head, body in chunks(text):
        if "(" in head and body:
            found |= set(MENTION.findall(body))
    for match in DIRECTIVE.finditer(code(text)):
        if DEFINE.match(match.group()):
            found |= set(MENTION.findall(match.group()))
    return frozenset(found)


@functools.cache
def declared(text: str) -> frozenset[str]:
    """Return the names that a header declares: functions, types, constants and macros.

    Tags have a namespace of their own: the tag of ``struct a`` is returned as ``struct a``, as are
    the tags of enums and unions.
    """
    found = set()
    for head, body in chunks(text):
        plain = ATTRIBUTE.sub(" ", head)
        before = plain.split("(")[0].split("=")[0]
        is_type = re.fullmatch(r"(?:struct|enum|union)(?: \w+)?", before.strip())
        names = [] if is_type else NAME.findall(before)[-1:]
        found |= {name for name in names if name not in KEYWORDS}
        tags = re.findall(r"\b(?:struct|enum|union) (\w+)", before) if body else []
        found |= {f"struct {tag}" for tag in tags}
        if re.match(r"(?:typedef )?enum\b", plain):
            found |= set(re.findall(r"[{,]\s*(\w+)", body))
    for match in DIRECTIVE.finditer(code(text)):
        found |= set(DEFINE.findall(match.group()))
    return frozenset(found)


def is_umbrella(text: str) -> bool:
    """Return whether a header only includes other headers."""
    return bool(INCLUDE.search(text)) and not any(head or body for head, body in chunks(text))


def sources(folder: Path) -> list[Path]:
    """Return the C sources and headers in a folder and its subfolders, in order."""
    return sorted(path for path in folder.rglob("*.[ch]") if path.is_file())
