"""Check lines of workflow commands by the grammar of GitHub's runner, and print their meaning.

Usage: annotations.py < LINES. Prints the level, file and place of each annotation. At the first
line that the runner would not accept as one annotation, prints what is wrong and returns status 1.
"""

import re
import sys

LINE = re.compile(rb"::(error|warning|notice) ([^:]*)::(.+)")
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffd]")
PROPERTY = re.compile(rb"(file|line|col|title)=([^,:]*)")


def decoded(value):
    for code, byte in ((b"0D", b"\r"), (b"0A", b"\n"), (b"3A", b":"), (b"2C", b","), (b"25", b"%")):
        value = value.replace(b"%" + code, byte)
    return value


for line in sys.stdin.buffer.read().split(b"\n")[:-1]:
    text = line.decode(errors="replace")
    if UNSAFE.search(text):
        sys.exit(f"not plain text: {line!r}")
    match = LINE.fullmatch(line)
    found = match and [PROPERTY.fullmatch(part) for part in match[2].split(b",")]
    if not found or not all(found):
        sys.exit(f"no annotation: {line!r}")
    of = {one[1].decode(): decoded(one[2]) for one in found}
    if int(of["line"]) < 1 or int(of["col"]) < 1:
        sys.exit(f"no place: {line!r}")
    print(match[1].decode(), of["file"], of["line"].decode(), of["col"].decode())
