"""Makes the Debian package of an installed static program, with dpkg-deb.

The program depends on no packages, so one file serves every version of Debian and Ubuntu. Debian's
standard tools would add dependencies on the libraries of the system that builds the package.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import tempfile
import textwrap
from email.utils import formatdate
from pathlib import Path

from notices import Part
from wheels import ROOT, Member, epoch, members, version

MAINTAINER = os.environ.get("DEBEMAIL", "portmeter maintainers <maintainers@portmeter.invalid>")
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
#: Findings of lintian that are intended, each with the reason.
OVERRIDES = """\
# One program for every version of Debian and Ubuntu (docs/install.md).
portmeter: shared-library-lacks-prerequisites [usr/bin/portmeter]
portmeter: embedded-library bzip2 [usr/bin/portmeter]
portmeter: embedded-library zlib [usr/bin/portmeter]
# The case files have a licence of their own, and may be copied with it.
portmeter: extra-license-file [usr/lib/portmeter/suites/LICENSE]
"""
DESCRIPTION = """\
portmeter measures how portable a machine-learning framework is: PyTorch, TensorFlow or JAX. It
finds out which functions of the framework work on a device, which fail and why, and how much
slower or faster they are than on a reference device. It also counts which functions Python code
uses.
"""


def control(found: list[Part], machine: str, size: int) -> str:
    """Return the control file of the package. `size` is the installed size in bytes."""
    sources = sorted({one.source.replace(" ", " (= ") + ")" for one in found})
    text = textwrap.indent(textwrap.fill(DESCRIPTION, 76), " ")
    return (
        f"Package: portmeter\nVersion: {version()}\nArchitecture: {ARCHITECTURES[machine]}\n"
        f"Maintainer: {MAINTAINER}\nInstalled-Size: {(size + 1023) // 1024}\n"
        f"Built-Using: {', '.join(sources)}\nRecommends: python3 (>= 3.9), python3-venv\n"
        "Suggests: gnuplot-nox\nSection: science\nPriority: optional\n"
        f"Description: measure the portability of machine-learning frameworks\n{text}\n"
    )


def changelog() -> str:
    """Return a changelog in Debian's format, which refers to CHANGELOG.md."""
    return (
        f"portmeter ({version()}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n"
        f" -- {MAINTAINER}  {formatdate(epoch())}\n"
    )


def content(tree: Path, found: list[Part], notices: bytes) -> list[Member]:
    """Return the files of the package, by their names from the root."""
    placed = []
    for member in members(tree):
        name, data = f"usr/{member.name}", member.data
        if name.startswith("usr/share/man/"):
            name, data = f"{name}.gz", gzip.compress(data, 9, mtime=0)
        name = name.replace("/zsh/site-functions/", "/zsh/vendor-completions/")
        placed.append(member._replace(name=name, data=data))
    own = "Copyright: the authors of portmeter. The licences Apache-2.0, LGPL-2.1, LGPL-3 and\n"
    texts = "GPL-3 are in /usr/share/common-licenses.\n\n"
    documents = {
        "changelog.gz": gzip.compress(changelog().encode(), 9, mtime=0),
        "copyright": (own + texts).encode() + notices,
        "install.md": (ROOT / "docs" / "install.md").read_bytes(),
    }
    placed += [Member(f"usr/share/doc/portmeter/{name}", data) for name, data in documents.items()]
    return [*placed, Member("usr/share/lintian/overrides/portmeter", OVERRIDES.encode())]


def write_deb(folder: Path, tree: Path, machine: str, found: list[Part], notices: bytes) -> Path:
    """Write the package; return its path. dpkg-deb limits the times of files to `epoch()`."""
    path = folder / f"portmeter_{version()}_{ARCHITECTURES[machine]}.deb"
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch, "root")
        placed = content(tree, found, notices)
        size = sum(len(member.data) for member in placed)
        fields = Member("DEBIAN/control", control(found, machine, size).encode())
        sums = [f"{hashlib.md5(one.data).hexdigest()}  {one.name}\n" for one in sorted(placed)]
        for member in [*placed, fields, Member("DEBIAN/md5sums", "".join(sums).encode())]:
            (root / member.name).parent.mkdir(parents=True, exist_ok=True)
            (root / member.name).write_bytes(member.data)
            (root / member.name).chmod(0o755 if member.executable else 0o644)
        for folder_of in [root, *(path for path in root.rglob("*") if path.is_dir())]:
            folder_of.chmod(0o755)
        command = ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, path]
        env = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch())}
        subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL)
    return path
