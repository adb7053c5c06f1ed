# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Packages of the system's distribution, unpacked into a folder: nothing is installed.

A suite is read beside the system's own, in a folder of its own, so the system's lists of packages stay as they are. Takes ten
seconds, once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..lab import paths
from ..lab.files import locked

SOURCES = Path("/etc/apt/sources.list.d")
#: Seconds for one command that asks a mirror.
PATIENCE = 120.0


class NotToBeHad(Exception):
    """The packages cannot be brought to this machine; the text says why."""


def unpacked(name: str, packages: Sequence[str], suite: str = "") -> Path:
    """Return the folder of this name in the lab's cache, with these packages unpacked into it. Raises NotToBeHad.

    suite: of the distribution, for example sid; empty: the one that the system itself has.
    """
    place = paths.cache() / name
    with locked(paths.cache() / "locks" / name):
        if not place.is_dir():
            _unpack(place, packages, suite or _own_suite())
    return place


def source(lines: Iterable[str], suite: str) -> str:
    """Return the distribution's own source of packages among these lines of a `.sources` file, for this suite.

    Empty where there is none; the archive of security updates has no such suite.
    """
    stanza: dict[str, str] = {}
    for line in (*lines, ""):
        name, colon, value = line.partition(":")
        if line.startswith("#"):
            continue
        if colon:
            stanza[name] = value.strip()
        elif stanza and not line.strip():
            if "deb" in stanza.get("Types", "").split() and "-security" not in stanza.get(
                "Suites", ""
            ):
                wanted = {**stanza, "Types": "deb", "Suites": suite}
                return "".join(f"{field}: {text}\n" for field, text in wanted.items())
            stanza = {}
    return ""


def _own_suite() -> str:
    release = Path("/etc/os-release")
    lines = release.read_text("utf-8").splitlines() if release.is_file() else []
    for line in lines:
        if line.startswith("VERSION_CODENAME="):
            return line.partition("=")[2].strip('"')
    raise NotToBeHad(f"{release} does not name a suite of Debian or Ubuntu")


def _unpack(place: Path, packages: Sequence[str], suite: str) -> None:
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise NotToBeHad("install it; Debian's package could be taken where apt-get is")
    files = [SOURCES / f"{name}.sources" for name in ("debian", "ubuntu")]
    found = [
        source(file.read_text("utf-8").splitlines(), suite) for file in files if file.is_file()
    ]
    if not any(found):
        raise NotToBeHad(f"install it; {files[0]} names no archive to take Debian's package from")
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as folder:
        target = Path(folder) / "unpacked"
        for package in _download(Path(folder), found[0], packages):
            _run(["dpkg-deb", "--extract", str(package), str(target)], Path(folder))
        _merge_usr(target)
        target.chmod(0o755)
        target.replace(place)


def _merge_usr(root: Path) -> None:
    """Put what a package has in /bin, /sbin and /lib below /usr, as systems of today do."""
    for name in ("bin", "sbin", "lib"):
        if (root / name).is_dir():
            shutil.copytree(root / name, root / "usr" / name, symlinks=True, dirs_exist_ok=True)
            shutil.rmtree(root / name)


def _download(folder: Path, text: str, packages: Sequence[str]) -> list[Path]:
    """Fetch the packages into this folder, with lists that are read for this alone."""
    for name in ("sources", "lists/partial", "archives/partial"):
        (folder / name).mkdir(parents=True)
    (folder / "sources" / "wanted.sources").write_text(text, encoding="utf-8")
    options = {
        "Dir::Etc::SourceList": os.devnull,
        "Dir::Etc::SourceParts": folder / "sources",
        "Dir::State::Lists": folder / "lists",
        "Dir::Cache": folder,
        "APT::Sandbox::User": "root",
        "Acquire::Languages": "none",
    }
    apt = ["apt-get", "-q", *(f"-o{name}={value}" for name, value in options.items())]
    _run([*apt, "update"], folder)
    _run([*apt, "download", *packages], folder)
    return sorted(folder.glob("*.deb"))


def _run(command: list[str], folder: Path) -> None:
    """Run a command of the packaging system. Raises NotToBeHad with its own words."""
    try:
        done = subprocess.run(
            command, cwd=folder, check=False, capture_output=True, text=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired as error:
        raise NotToBeHad(f"{command[0]} did not answer within {PATIENCE:.0f} s") from error
    if done.returncode:
        words = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise NotToBeHad(f"{command[0]} failed: {''.join(words)}")
