"""Finds public headers and the functions that they declare, for trend and check-interfaces."""

from __future__ import annotations

from pathlib import Path

from csource import ATTRIBUTE, KEYWORDS, NAME, WORDS, chunks


def is_public(path: Path) -> bool:
    """Return whether other rooms may include a header: its name does not end in _private.h."""
    return path.suffix == ".h" and not path.stem.endswith("_private")


def functions(header: str) -> list[str]:
    """Return the names of the functions that a header declares or defines inline, in order.

    A list of words (PM_WORDS of base/words.h) counts as data: its functions are not included.
    """
    found = []
    for head, _ in chunks(WORDS.sub("", header)):
        plain = ATTRIBUTE.sub(" ", head).strip()
        if "(" not in plain or plain.startswith("typedef") or "=" in plain.split("(")[0]:
            continue
        names = [n for n in NAME.findall(plain[: plain.index("(")]) if n not in KEYWORDS]
        if names:
            found.append(names[-1])
    return found
