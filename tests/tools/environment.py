# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Make an environment: `python environment.py run`, `test` (both in .venv, one on top of the other), and apart from
them `release`, `installed` or `interfaces`.

Uses the standard library alone, since it runs before anything is installed. An environment is made anew when a
requirement file, the Python version or the checkout's place changes; when nothing changed this takes milliseconds.
"""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Environment:
    """A place below the checkout, and its requirement files by stage; a stage depends on the one before it."""

    place: Path
    stages: dict[str, tuple[str, ...]]

    @property
    def python(self) -> Path:
        return self.place / "bin" / "python"

    def stamp(self, stage: str) -> Path:
        return self.place / f".stage-{stage}"


ENVIRONMENTS = (
    Environment(
        CHECKOUT / ".venv",
        {
            "run": ("tests/requirements-run.txt", "tests/lab/requirements.txt"),
            "test": ("tests/requirements.txt",),
        },
    ),
    # What few targets need, and what would get in the way of the rest.
    Environment(
        CHECKOUT / "build" / "environments" / "release",
        {"release": ("tests/requirements-release.txt",)},
    ),
    Environment(
        CHECKOUT / "build" / "environments" / "installed",
        {"installed": ("requirements.txt", "tests/requirements-run.txt")},
    ),
    Environment(
        CHECKOUT / "build" / "environments" / "interfaces",
        {
            "interfaces": (
                "tests/requirements-run.txt",
                "tests/lab/requirements.txt",
                "tests/requirements-interfaces.txt",
            )
        },
    ),
)


def main() -> None:
    """Bring the environment up to the wanted stage."""
    wanted = sys.argv[1]
    if any(importlib.util.find_spec(module) is None for module in ("venv", "ensurepip")):
        sys.exit(
            f"{sys.executable} has no venv module. On Debian and Ubuntu: apt-get install python3-venv"
        )
    environment = next(each for each in ENVIRONMENTS if wanted in each.stages)
    names = list(environment.stages)[: list(environment.stages).index(wanted) + 1]
    digests = {name: _digest(environment, name) for name in names}
    for name in names:
        stamp = environment.stamp(name)
        if stamp.is_file() and stamp.read_text() != digests[name]:
            _say("the requirements changed: the environment is made anew")
            shutil.rmtree(environment.place)
            break
    for number, name in enumerate(names, start=1):
        if not environment.stamp(name).is_file():
            _install(environment, names[:number])
            environment.stamp(name).write_text(digests[name])


def _install(environment: Environment, names: list[str]) -> None:
    """Install the last of the stages. The earlier ones are named again so that their pins hold."""
    started = time.monotonic()
    if not environment.python.exists():
        shutil.rmtree(environment.place, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(environment.place)], check=True)
    files = _files(environment, names[-1])
    _say(f"installing {', '.join(str(file.relative_to(CHECKOUT)) for file in files)}")
    every = [file for name in names for file in _files(environment, name)]
    options = [argument for file in every for argument in ("-r", str(file))]
    pip = [
        str(environment.python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    code = subprocess.run([*pip, *options], check=False).returncode
    if code:
        sys.exit("environment: pip could not install the requirements; its message is above")
    _say(f"stage '{names[-1]}' is ready ({time.monotonic() - started:.0f} s)")


def _files(environment: Environment, stage: str) -> list[Path]:
    return [path for name in environment.stages[stage] if (path := CHECKOUT / name).is_file()]


def _digest(environment: Environment, stage: str) -> str:
    place = environment.place.resolve()
    digest = hashlib.sha256(f"{sys.version_info[:3]} {place}".encode())
    for file in _files(environment, stage):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _say(line: str) -> None:
    print(f"environment: {line}", flush=True)


if __name__ == "__main__":
    main()
