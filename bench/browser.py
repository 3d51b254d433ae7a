"""Drives Chromium by its pipe (the DevTools protocol), for benchmarks of HTML pages.

``BENCH_BROWSER_OPTIONS`` has more options of the browser, such as the one that it needs for root.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import measure

NAMES = ("chromium", "chromium-headless-shell", "google-chrome")
OPTIONS = (
    "--headless --disable-gpu --no-first-run --disable-extensions --disable-sync"
    " --disable-component-update --disable-background-networking --disable-default-apps"
    " --remote-debugging-pipe --window-size=1280,900"
)
PATIENCE_S = 60


def find() -> str:
    """Return the path of a browser."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    return path or measure.fail("no Chromium")


class Browser:
    """A browser with one tab. Its files are in a new folder of the current folder."""

    def __init__(self, program: str) -> None:
        (there, self.to), (self.of, back) = os.pipe(), os.pipe()

        def descriptors() -> None:
            # 3 and 4 may be among the pipes' own descriptors, so these are first copied elsewhere.
            os.dup2(there, 100)
            os.dup2(back, 101)
            os.dup2(100, 3)
            os.dup2(101, 4)

        options = [*OPTIONS.split(), *os.environ.get("BENCH_BROWSER_OPTIONS", "").split()]
        self.process = subprocess.Popen(
            [program, *options, "--user-data-dir=" + tempfile.mkdtemp(dir=".")],
            preexec_fn=descriptors,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(there)
        os.close(back)
        self.session: dict[str, str] = {}
        self.number, self.bytes = 0, b""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self.session = {"sessionId": attached["sessionId"]}

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of a method of the protocol."""
        self.number += 1
        asked = {"id": self.number, "method": method, "params": params, **self.session}
        try:
            os.write(self.to, json.dumps(asked).encode() + b"\0")
        except BrokenPipeError:
            measure.fail("Chromium ended: does it need an option in BENCH_BROWSER_OPTIONS?")
        while True:
            answer = self.answer()
            if answer.get("id") == self.number:
                if "error" in answer:
                    measure.fail(f"{method}: {answer['error']}")
                return answer["result"]

    def answer(self) -> dict[str, Any]:
        """Return the next message of the browser: an answer or an event."""
        while b"\0" not in self.bytes:
            more = os.read(self.of, 1 << 20)
            if not more:
                measure.fail("Chromium ended: does it need an option in BENCH_BROWSER_OPTIONS?")
            self.bytes += more
        one, _, self.bytes = self.bytes.partition(b"\0")
        return json.loads(one)

    def see(self, expression: str) -> Any:
        """Return the value of an expression of the page, or of its promise."""
        answer = self.ask(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            measure.fail(f"{answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression: str) -> None:
        """Wait until an expression of the page is true."""
        end = time.monotonic() + PATIENCE_S
        while not self.see(expression):
            if time.monotonic() > end:
                measure.fail(f"not true after {PATIENCE_S} s: {expression}")
            time.sleep(0.05)

    def go(self, page: Path) -> None:
        """Load a file, and wait for the end of loading."""
        self.ask("Page.navigate", url="about:blank")
        self.wait("location.href === 'about:blank'")
        self.ask("Page.navigate", url="file://" + os.path.abspath(page))
        self.wait("location.protocol + document.readyState === 'file:complete'")

    def end(self) -> None:
        """End the browser."""
        self.process.kill()
        self.process.wait()
