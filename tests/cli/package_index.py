"""A package index on loopback with small wheels that it makes in the given versions.

Usage: ``package_index.py FOLDER WHEEL...``: each WHEEL is ``INDEX/NAME==VERSION[EXTRA:NEEDS]``,
where the part in brackets may be missing. Writes the wheels to FOLDER/served, and the line
``http://127.0.0.1:PORT`` to FOLDER/address. Then serves until it is ended: ``/INDEX/NAME/`` lists
the wheels of a name. Adds the name of each downloaded wheel to FOLDER/downloaded.
"""

from __future__ import annotations

import http.server
import re
import sys
import zipfile
from pathlib import Path


def write_wheel(folder: Path, name: str, version: str, extra: str) -> None:
    """Write a wheel whose module has its version, with an optional extra ``EXTRA:NEEDS``."""
    module = name.replace("-", "_")
    folder.mkdir(parents=True, exist_ok=True)
    information = f"{module}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    if extra:
        key, needs = extra.split(":")
        metadata += f"Provides-Extra: {key}\nRequires-Dist: {needs}; extra == '{key}'\n"
    members = {
        f"{module}/__init__.py": f"__version__ = {version!r}\n",
        f"{module}/version.py": f"__version__ = {version!r}\n",
        f"{information}/METADATA": metadata,
        f"{information}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in [*members, f"{information}/RECORD"])
    with zipfile.ZipFile(folder / f"{module}-{version}-py3-none-any.whl", "w") as wheel:
        for path, text in {**members, f"{information}/RECORD": record}.items():
            wheel.writestr(path, text)


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and notes each wheel that was sent completely."""

    def do_GET(self) -> None:
        """Answer, and note the wheel that was asked for."""
        super().do_GET()
        if self.path.endswith(".whl"):
            with (Path(self.directory).parent / "downloaded").open("a") as out:
                print(*self.path.split("/")[1:2], Path(self.path).name, file=out)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def main() -> None:
    """Make the wheels, and serve them."""
    folder = Path(sys.argv[1]).resolve()
    for asked in sys.argv[2:]:
        index, name, version, extra = re.fullmatch(
            r"(.*)/(.*)==([^\[]*)(?:\[(.*)\])?", asked
        ).groups("")
        normal = re.sub(r"[-_.]+", "-", name)  # as pip requests it
        write_wheel(folder / "served" / index / normal, name, version, extra)

    def handler(*words: object) -> Handler:
        return Handler(*words, directory=str(folder / "served"))

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        (folder / "address.part").write_text(f"http://127.0.0.1:{server.server_port}\n")
        (folder / "address.part").rename(folder / "address")
        server.serve_forever()


if __name__ == "__main__":
    main()
