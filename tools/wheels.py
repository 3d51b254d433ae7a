"""Makes wheels and sdists of portmeter, also as the build backend of pip (PEP 517).

It uses only the standard library. The same files give the same bytes: members are sorted, have the
time `epoch()`, and have only two modes, independent of the umask. tools/dist makes the wheels of a
release.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sysconfig
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SUMMARY = "Measures which functions of a machine-learning framework work on a device, and how fast"
LICENCE = "Apache-2.0 AND CC-BY-4.0"  # the program and its drivers; the case files in suites/
PACKAGE = "lib/portmeter/python/"  # the folder of the package `portmeter` in an installation
ZIP_BEGINS = 315532800  # 1980-01-01: a ZIP archive has no earlier times


class Member(NamedTuple):
    """A file of an archive."""

    name: str
    data: bytes
    executable: bool = False


def version() -> str:
    """Return the version of portmeter, from meson.build."""
    found = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text())
    assert found
    return found.group(1)


def git(*arguments: str) -> str:
    """Return what git prints for this tree; "" if there is no .git or no git."""
    command = ["git", "-C", str(ROOT), *arguments]
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        return ""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def epoch() -> int:
    """Return the Unix time of all files, at least ZIP_BEGINS.

    This is $SOURCE_DATE_EPOCH, or else the time of the commit or, without git, of meson.build.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH")
    committed = given or git("log", "-1", "--format=%ct").strip()
    return max(ZIP_BEGINS, int(committed or (ROOT / "meson.build").stat().st_mtime))


def members(folder: Path) -> list[Member]:
    """Read all files of a folder, named relative to it, except those in __pycache__."""
    return [
        Member(str(path.relative_to(folder)), path.read_bytes(), os.access(path, os.X_OK))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    ]


def write_tar(path: Path, top: str, content: list[Member]) -> None:
    """Write a .tar.gz in which everything is in the folder `top`."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for member in sorted(content):
            info = tarfile.TarInfo(f"{top}/{member.name}")
            info.size, info.mtime = len(member.data), epoch()
            info.mode = 0o755 if member.executable else 0o644
            tar.addfile(info, io.BytesIO(member.data))
    path.write_bytes(gzip.compress(packed.getvalue(), 9, mtime=epoch()))


def write_zip(path: Path, content: list[Member]) -> None:
    """Write a ZIP archive; its members stay in order, because a wheel ends with its metadata."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for member in content:
            info = zipfile.ZipInfo(member.name, time.gmtime(epoch())[:6])
            info.external_attr = (0o100755 if member.executable else 0o100644) << 16
            info.create_system = 3  # Unix, because the modes above are Unix modes
            info.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(info, member.data)


# --------------------------------------------------------------------------------------- wheels


def metadata(licence: str = LICENCE, files: tuple[str, ...] = ("LICENSE",)) -> bytes:
    """Return the METADATA of a wheel or the PKG-INFO of an sdist: core metadata 2.4."""
    fields = [
        "Metadata-Version: 2.4",
        "Name: portmeter",
        f"Version: {version()}",
        f"Summary: {SUMMARY}",
        f"License-Expression: {licence}",
        *(f"License-File: {name}" for name in files),
        "Classifier: Environment :: Console",
        "Classifier: Intended Audience :: Developers",
        "Classifier: Intended Audience :: Science/Research",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Programming Language :: C",
        "Classifier: Programming Language :: Python :: 3",
        "Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Classifier: Typing :: Typed",
        "Requires-Python: >=3.9",
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / "README.md").read_text(),
    ]
    return "\n".join(fields).encode()


def expanded(tag: str) -> list[str]:
    """Return the single tags of a compressed tag, such as py3-none-manylinux_2_17_x.linux_x."""
    python, abi, platforms = tag.split("-")
    return [f"{python}-{abi}-{platform}" for platform in platforms.split(".")]


def wheel_file(tag: str) -> bytes:
    """Return the content of the file WHEEL, with the tags of a wheel."""
    kind = "".join(f"Tag: {one}\n" for one in expanded(tag))
    made = f"Wheel-Version: 1.0\nGenerator: portmeter {version()}\nRoot-Is-Purelib: false\n"
    return (made + kind).encode()


def record(content: list[Member], name: str) -> Member:
    """Return the RECORD of a wheel: each file with digest and size, and RECORD without them."""
    lines = []
    for member in content:
        digest = base64.urlsafe_b64encode(hashlib.sha256(member.data).digest()).rstrip(b"=")
        lines.append(f"{member.name},sha256={digest.decode()},{len(member.data)}\n")
    return Member(name, "".join([*lines, f"{name},,\n"]).encode())


def write_wheel(
    folder: Path, tree: Path, tag: str, licences: list[Member], licence: str = LICENCE
) -> Path:
    """Write a wheel of an installation: bin/ becomes its scripts, the rest its data.

    An installer puts both under the prefix of an environment, so that the program finds
    lib/portmeter beside its own folder. The Python package goes to the environment's packages.
    Licences keep their names, and are with the metadata.
    """
    stem = f"portmeter-{version()}"
    scripts, data, info = (f"{stem}.data/scripts/", f"{stem}.data/data/", f"{stem}.dist-info/")
    content = []
    for member in members(tree):
        name = member.name
        if name.startswith(PACKAGE):
            content.append(member._replace(name=name[len(PACKAGE) :]))
        elif not name.startswith("share/doc/"):
            placed = scripts + name[4:] if name.startswith("bin/") else data + name
            content.append(member._replace(name=placed))
    names = tuple(member.name for member in licences)
    content += [member._replace(name=f"{info}licenses/{member.name}") for member in licences]
    content.append(Member(info + "METADATA", metadata(licence, names)))
    content.append(Member(info + "WHEEL", wheel_file(tag)))
    content.append(record(content, info + "RECORD"))
    path = folder / f"{stem}-{tag}.whl"
    write_zip(path, content)
    return path


def write_sdist(folder: Path) -> Path:
    """Write an sdist: the files that git tracks, and PKG-INFO."""
    names = git("ls-files", "-z").split("\0")
    if names == [""]:
        raise SystemExit("an sdist contains the files that git tracks: make it in a git checkout")
    files = [(name, ROOT / name) for name in names if name and (ROOT / name).is_file()]
    content = [Member(name, path.read_bytes(), os.access(path, os.X_OK)) for name, path in files]
    path = folder / f"portmeter-{version()}.tar.gz"
    write_tar(path, f"portmeter-{version()}", [*content, Member("PKG-INFO", metadata())])
    return path


# ------------------------------------------------------------------------ what pip asks (PEP 517)


def get_requires_for_build_wheel(config_settings: object = None) -> list[str]:
    """Return the packages that pip must install for the build: tools that are not on PATH."""
    return [name for name in ("meson", "ninja") if not shutil.which(name)]


def platform_tag() -> str:
    """Return the tag of a wheel that is only for this system."""
    return "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


def prepare_metadata_for_build_wheel(
    metadata_directory: str, config_settings: object = None
) -> str:
    """Write the metadata of a wheel, which pip reads before it builds the wheel."""
    folder = Path(metadata_directory, f"portmeter-{version()}.dist-info")
    folder.mkdir()
    (folder / "METADATA").write_bytes(metadata())
    (folder / "WHEEL").write_bytes(wheel_file(platform_tag()))
    return folder.name


def build_wheel(
    wheel_directory: str, config_settings: object = None, metadata_directory: object = None
) -> str:
    """Build the program with the libraries of this machine, and make a wheel only for it."""
    with tempfile.TemporaryDirectory() as scratch:
        build, tree = Path(scratch, "build"), Path(scratch, "tree")
        options = ["-Dtests=false", "-Dprefix=/usr", "-Dstrip=true"]
        for command in (
            ["meson", "setup", build, ROOT, *options],
            ["ninja", "-C", build],
            ["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", tree],
        ):
            subprocess.run(command, check=True)
        licences = [Member("LICENSE", (ROOT / "LICENSE").read_bytes())]
        return write_wheel(Path(wheel_directory), tree / "usr", platform_tag(), licences).name


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """Make an sdist of this checkout."""
    return write_sdist(Path(sdist_directory)).name
