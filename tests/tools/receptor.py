# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings receptor, the program of AWX's mesh: that of the system, else Debian's package, unpacked into the lab's cache.

Debian has it in its suite sid. The suite is read beside the system's own, in a folder of its own: nothing is installed, and the system's
lists of packages stay as they are. This takes ten seconds, once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ..lab import paths
from ..lab.files import locked

SUITE = "sid"
APT = Path("/etc/apt")
#: Seconds for one command that asks a mirror.
PATIENCE = 120.0


class NotToBeHad(Exception):
    """Receptor is not on this machine and cannot be brought; the text says why."""


def bring() -> Path:
    """Return the path of receptor. Raises NotToBeHad."""
    if own := shutil.which("receptor"):
        return Path(own)
    place = paths.cache() / f"receptor-{SUITE}"
    program = place / "usr" / "bin" / "receptor"
    with locked(paths.cache() / "locks" / "receptor"):
        if not program.is_file():
            _unpack(place)
    return program


def source(lines: Iterable[str]) -> str:
    """Return Debian's own source of packages among these lines of a `.sources` file, for the suite sid and its part main.

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
                wanted = {**stanza, "Types": "deb", "Suites": SUITE, "Components": "main"}
                return "".join(f"{field}: {text}\n" for field, text in wanted.items())
            stanza = {}
    return ""


def _unpack(place: Path) -> None:
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise NotToBeHad("install it; Debian's package could be taken where apt-get is")
    sources = APT / "sources.list.d" / "debian.sources"
    text = source(sources.read_text("utf-8").splitlines()) if sources.is_file() else ""
    if not text:
        raise NotToBeHad(f"install it; {sources} names no archive to take Debian's package from")
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as folder:
        package = _download(Path(folder), text)
        unpacked = Path(folder) / "unpacked"
        _run(["dpkg-deb", "--extract", str(package), str(unpacked)], Path(folder))
        shutil.rmtree(place, ignore_errors=True)
        unpacked.replace(place)


def _download(folder: Path, text: str) -> Path:
    """Fetch the package into this folder, with lists that are read for this alone."""
    for name in ("sources", "lists/partial", "archives/partial"):
        (folder / name).mkdir(parents=True)
    (folder / "sources" / "sid.sources").write_text(text, encoding="utf-8")
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
    _run([*apt, "download", "receptor"], folder)
    return next(folder.glob("receptor_*.deb"))


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
