"""Finds the libraries inside a static program, and writes the notices that their licences require.

The linker's map names each archive from which it linked something. dpkg names the package and its
version, and the package has the licences. A package that INSIDE does not describe is an error: read
its licence first.
"""

from __future__ import annotations

import re
import subprocess
import textwrap
from pathlib import Path
from typing import NamedTuple

from wheels import Member, version

#: By package, without the version in its name: the library, and the licence of the linked code.
INSIDE = {
    "libc6-dev": ("GNU C Library", "LGPL-2.1-or-later"),
    "libgcc-dev": ("GCC run-time library", "GPL-3.0-or-later WITH GCC-exception-3.1"),
    "libarchive-dev": ("libarchive", "BSD-2-Clause AND BSD-3-Clause"),
    "libbz2-dev": ("bzip2", "bzip2-1.0.6"),
    "libfyaml-dev": ("libfyaml", "MIT AND BSD-2-Clause"),
    "libisal-dev": ("ISA-L", "BSD-3-Clause"),
    "libjansson-dev": ("Jansson", "MIT"),
    "liblzma-dev": ("liblzma of XZ Utils", "LicenseRef-Public-Domain"),
    "libpopt-dev": ("popt", "MIT"),
    "libsqlite3-dev": ("SQLite", "blessing"),
    "libuv1-dev": ("libuv", "MIT AND ISC AND BSD-2-Clause AND BSD-3-Clause"),
    "libxxhash-dev": ("xxHash", "BSD-2-Clause"),
    "libzstd-dev": ("Zstandard", "BSD-3-Clause"),
    "nettle-dev": ("Nettle", "LGPL-3.0-or-later"),
    "zlib1g-dev": ("zlib", "Zlib"),
}
#: Texts that the notices refer to, by their names in /usr/share/common-licenses.
TEXTS = ("LGPL-2.1", "LGPL-3", "GPL-3")
RELINKING = """\
Relinking with other versions of these libraries

The GNU C Library and Nettle have the GNU Lesser General Public License. It allows you to replace
them: to link the program with versions that you changed. Everything that you need is free:

1. Unpack the sdist, portmeter-{version}.tar.gz. It is the whole source of portmeter.
2. On Debian 12, run make dist there once.
3. Put the static archive of your version of the library (libc.a, libnettle.a) into
   build-libraries/lib/, and remove build-static/.
4. Run make dist again. The new program is build-static/portmeter.

The exact sources of the versions below are those of Debian's source packages, which are named with
their versions. "apt-get source NAME=VERSION" gets them while Debian 12 has them, and Debian's
snapshot archive later. You may also modify portmeter and reverse engineer it for this purpose.
"""


class Part(NamedTuple):
    """A library inside the program."""

    name: str
    licence: str
    source: str  # Debian's source package and its version
    notice: str


def package_of(archive: str) -> str:
    """Return the Debian package that installed an archive."""
    paths = [archive, *([] if archive.startswith("/usr") else [f"/usr{archive}"])]
    for path in [*paths, str(Path(archive).resolve())]:
        found = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True, check=False)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    raise SystemExit(f"no Debian package has installed '{archive}': its licence is unknown")


def installed(archive: str) -> Part:
    """Describe the library of a package that is installed on this system."""
    package = package_of(archive)
    query = ["dpkg-query", "-W", "-f", "${source:Package} ${source:Version}", package]
    asked = subprocess.run(query, capture_output=True, text=True, check=True)
    return part(package, asked.stdout, Path("/usr/share/doc", package, "copyright"))


def unpacked(archive: str, libraries: Path) -> Part:
    """Describe the library of a package for another processor, which is unpacked, not installed."""
    sysroot = libraries / "sysroot"
    inside = f"./{Path(archive).relative_to(sysroot)}"
    for deb in sorted((libraries / "packages").glob("*.deb")):
        listed = subprocess.run(["dpkg-deb", "-c", deb], capture_output=True, text=True, check=True)
        if inside in (line.split()[5] for line in listed.stdout.splitlines()):
            query = [
                "dpkg-deb",
                "-W",
                "--showformat",
                "${Package} ${source:Package} ${source:Version}",
            ]
            asked = subprocess.run([*query, deb], capture_output=True, text=True, check=True)
            package, source = asked.stdout.split(" ", 1)
            return part(package, source, sysroot / "usr/share/doc" / package / "copyright")
    raise SystemExit(f"no package has '{inside}': its licence is unknown")


def built(libraries: Path) -> Part:
    """Describe ISA-L, which tools/dist-libraries has built from Debian's source."""
    debian = libraries / "libisal" / "debian"
    first = (debian / "changelog").read_text().splitlines()[0]
    source = re.sub(r"^(\S+) \((\S+)\).*", r"\1 \2", first)
    return part("libisal-dev", source, debian / "copyright")


def part(package: str, source: str, notice: Path) -> Part:
    """Describe the library of a package; end the program if its licence is not in INSIDE."""
    known = re.sub(r"-\d+-dev(-[a-z0-9]+-cross)?$", "-dev", package)
    if known not in INSIDE:
        raise SystemExit(f"'{package}' is inside the program: add its licence to tools/notices.py")
    return Part(*INSIDE[known], source, notice.read_text())


def parts(link_map: Path, libraries: Path) -> list[Part]:
    """Return the libraries that the program contains, by name."""
    taken = link_map.read_text().split("\nDiscarded input sections")[0]
    taken = taken.split("\nAs-needed library")[0]
    archives = set(re.findall(r"^(/\S+\.a)\(", taken, re.MULTILINE))
    top = libraries.resolve()

    def describe(path: str) -> Part:
        if path == str(top / "lib" / "libisal.a"):
            return built(libraries)
        if path.startswith(f"{top}/sysroot/"):
            return unpacked(path, top)
        return installed(path)

    return sorted({describe(path) for path in archives})


def expression(found: list[Part]) -> str:
    """Return the SPDX licence expression of the program with its libraries and case files."""
    single = {one for part in found for one in part.licence.split(" AND ")}
    return " AND ".join(sorted({*single, "Apache-2.0", "CC-BY-4.0"}))


def notices(found: list[Part]) -> list[Member]:
    """Return the file with the notices, and the licence texts to which it refers."""
    head = textwrap.dedent(f"""\
        portmeter {version()} is one program that contains these libraries. Its own licence is
        Apache-2.0 (LICENSE), and that of the case files in suites/ is CC-BY-4.0.

        """)
    rows = [f"{part.name:24} {part.source:28} {part.licence}\n" for part in found]
    text = head + "".join(rows) + "\n" + RELINKING.format(version=version())
    for one in found:
        text += f"\n{'=' * 80}\n{one.name} ({one.source})\n{'=' * 80}\n\n{one.notice}"
    common = Path("/usr/share/common-licenses")
    files = [Member(name, (common / name).read_bytes()) for name in TEXTS]
    return [Member("THIRD-PARTY-NOTICES", text.encode()), *files]
