# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Make the environment .venv in stages: `python environment.py run` or `python environment.py test`.

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
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
VENV = CHECKOUT / ".venv"
PYTHON = VENV / "bin" / "python"

#: Requirement files by stage. A stage stands on the one before it.
STAGES = {
    "run": ("tests/requirements-run.txt", "tests/lab/requirements.txt"),
    "test": ("tests/requirements.txt",),
}


def main() -> None:
    """Bring the environment up to the wanted stage."""
    wanted = sys.argv[1]
    if any(importlib.util.find_spec(module) is None for module in ("venv", "ensurepip")):
        sys.exit(
            f"{sys.executable} has no venv module. On Debian and Ubuntu: apt-get install python3-venv"
        )
    names = list(STAGES)[: list(STAGES).index(wanted) + 1]
    digests = {name: _digest(name) for name in names}
    for name in names:
        stamp = _stamp(name)
        if stamp.is_file() and stamp.read_text() != digests[name]:
            _say("the requirements changed: the environment is made anew")
            shutil.rmtree(VENV)
            break
    for name in names:
        if not _stamp(name).is_file():
            _install(name)
            _stamp(name).write_text(digests[name])


def _install(stage: str) -> None:
    started = time.monotonic()
    if not PYTHON.exists():
        shutil.rmtree(VENV, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    # Earlier stages are named again so that their pins hold.
    stages = list(STAGES)[: list(STAGES).index(stage) + 1]
    files = [file for name in stages for file in _files(name)]
    _say(f"installing {', '.join(str(file.relative_to(CHECKOUT)) for file in _files(stage))}")
    options = [argument for file in files for argument in ("-r", str(file))]
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    code = subprocess.run([*pip, *options], check=False).returncode
    if code:
        sys.exit("environment: pip could not install the requirements; its message is above")
    _say(f"stage '{stage}' is ready ({time.monotonic() - started:.0f} s)")


def _files(stage: str) -> list[Path]:
    return [path for name in STAGES[stage] if (path := CHECKOUT / name).is_file()]


def _digest(stage: str) -> str:
    digest = hashlib.sha256(f"{sys.version_info[:3]} {VENV.resolve()}".encode())
    for file in _files(stage):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _stamp(stage: str) -> Path:
    return VENV / f".stage-{stage}"


def _say(line: str) -> None:
    print(f"environment: {line}", flush=True)


if __name__ == "__main__":
    main()
