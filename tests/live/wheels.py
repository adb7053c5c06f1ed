# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Python packages for images: installed once into a folder of the lab's cache, for the running Python."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ..lab import paths
from ..lab.errors import LabError
from ..lab.files import locked
from . import libraries
from .oci import File
from .programs import Wheels

#: Where an image has them.
PLACE = "/opt/site"
#: Beside other work at the lowest priority, minutes pass.
_PATIENCE = 1200.0


def folder(packages: Wheels) -> Path:
    """Where these packages are, or would be."""
    digest = hashlib.sha256(repr((packages, sys.version)).encode()).hexdigest()[:16]
    return paths.cache() / f"live-wheels-{digest}"


def installed(packages: Wheels) -> Path:
    """Return the folder with these packages and what they need. Raises LabError."""
    place = folder(packages)
    with locked(paths.cache() / "locks" / place.name):
        if not place.is_dir():
            _install(place, packages)
    return place


def there(packages: Wheels) -> Path:
    """Return the folder with these packages where they were installed before. Raises LabError: within the live lab nothing is fetched."""
    place = folder(packages)
    if not place.is_dir():
        raise LabError(f"{', '.join((*packages.whole, *packages.bare))} were not brought")
    return place


def files(place: Path) -> list[File]:
    """The packages as an image holds them, with the libraries of this machine that they load."""
    found = [path for path in place.rglob("*") if path.is_file() and not _is_unwanted(path)]
    own = [File(f"{PLACE}/{path.relative_to(place)}", path, mode=0o644) for path in found]
    return [*own, *system_libraries(place)]


def system_libraries(place: Path) -> list[File]:
    """The libraries of this machine that these packages load."""
    extensions = [path for path in place.rglob("*.so*") if path.is_file()]
    loaded = libraries.with_libraries(extensions)
    return [each for each in loaded if not each.path.startswith(str(place))]


def _is_unwanted(path: Path) -> bool:
    return path.suffix in (".pyc", ".pyi", ".h", ".c", ".pyx") or "tests" in path.parts


def _install(place: Path, packages: Wheels) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as temporary:
        target = Path(temporary) / "site"
        for words in ([*packages.whole], ["--no-deps", *packages.bare]):
            if words != ["--no-deps"]:
                _pip(["--target", str(target), *words])
        shutil.move(target, place)


def _pip(words: Sequence[str]) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # Images hold no compiled files of packages, and what runs here compiles what it loads.
    command = [*pip, "--prefer-binary", "--no-compile", *words]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_PATIENCE
        )
    except subprocess.TimeoutExpired as error:
        raise LabError(f"pip did not end within {_PATIENCE:.0f} s") from error
    if done.returncode:
        raise LabError(f"{' '.join(words)}: {done.stderr.strip()[-500:]}")
