"""Runs CPython's tokenize on files named on standard input; prints CPU seconds, bytes, names."""

from __future__ import annotations

import io
import sys
import time
import tokenize


def main() -> None:
    """Tokenize all files; those that Python does not accept do not count."""
    texts = []
    for name in sys.stdin.read().splitlines():
        with open(name, "rb") as file:
            texts.append(file.read())
    took, total, names = 0.0, 0, 0
    for text in texts:
        begin = time.process_time()
        try:
            found = sum(
                token.type == tokenize.NAME
                for token in tokenize.tokenize(io.BytesIO(text).readline)
            )
        except (SyntaxError, tokenize.TokenError, UnicodeDecodeError, ValueError):
            continue
        took += time.process_time() - begin
        total += len(text)
        names += found
    print(f"{took:.6f} {total} {names}")


if __name__ == "__main__":
    main()
