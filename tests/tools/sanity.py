# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run ansible-test's sanity tests over the copied tree, all of them, with the running Python.

ansible-test keeps its environments in the home folder and passes none of pip's variables on, so it gets a home of its
own below build/ that holds pip's settings of this machine.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from .steps import tool
from .tree import BUILD, COLLECTION, TREE_ROOT, sync

HOME = BUILD / "home"
LOG = BUILD / "sanity.log"

STARTED = re.compile(r'Running sanity test "([^"]+)"')
FAILED = re.compile(r"FATAL: The \d+ sanity test\(s\) listed below")

#: ansible-test looks for these before it downloads a script from its own server, which a machine may not reach. The
#: names follow the pip version that ansible-core pins: 2.18 and 2.19, then 2.20 and later.
BOOTSTRAP_FILES = ("get_pip_24_2.py", "get_pip_25_2.py")
BOOTSTRAP = "import ensurepip\nensurepip.bootstrap(default_pip=True)\n"


def main() -> int:
    """Run every sanity test, or those named by `--test`, and return the exit code."""
    sync()
    if ignored := sorted(COLLECTION.glob("tests/sanity/ignore*.txt")):
        _say(f"{ignored[0].name} must not exist: repair what it hides")
        return 1
    # In the checkout's own repository the tree is ignored, and ansible-test would find no file to test.
    subprocess.run(["git", "init", "--quiet", str(TREE_ROOT)], check=True)
    _write_home()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    chosen = sys.argv[1:]
    wanted = chosen.count("--test") or len(_ansible_test("--list-tests").splitlines())
    started, code = _run(["--color", "no", "--python", version, *chosen], wanted)
    failed = _failed()
    if code and not failed:
        failed = ["ansible-test itself"]
    if len(started) < wanted:
        failed.append(f"{wanted - len(started)} that never started")
    if failed:
        _say(f"failed: {', '.join(failed)}; all output is in {LOG}")
    _say(f"{max(wanted - len(failed), 0)} passed, {len(failed)} failed")
    return 1 if failed else 0


def _run(arguments: list[str], wanted: int) -> tuple[list[str], int]:
    """Run ansible-test, show what a reader needs of its output, and return the tests that started."""
    started: list[str] = []
    command = [tool("ansible-test"), "sanity", *arguments]
    with (
        LOG.open("w") as log,
        subprocess.Popen(
            command,
            cwd=COLLECTION,
            env=_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process,
    ):
        for line in process.stdout or ():
            log.write(line)
            if match := STARTED.match(line):
                started.append(match[1])
                _say(f"[{len(started)}/{wanted}] {match[1]}")
            elif line.startswith("Installing requirements"):
                _say("  installing what this test needs, once")
            elif line.startswith(("ERROR: ", "FATAL: ")):
                print(line, end="", flush=True)
    return started, process.returncode


def _failed() -> list[str]:
    """Return the names below ansible-test's last line, which says how many failed."""
    lines = LOG.read_text().splitlines()
    places = [number for number, line in enumerate(lines) if FAILED.match(line)]
    return [line.split()[0] for line in lines[places[-1] + 1 :] if line.strip()] if places else []


def _ansible_test(*arguments: str) -> str:
    command = [tool("ansible-test"), "sanity", *arguments]
    done = subprocess.run(
        command, cwd=COLLECTION, env=_environment(), check=True, capture_output=True, text=True
    )
    return done.stdout


def _environment() -> dict[str, str]:
    return {**os.environ, "HOME": str(HOME), "PATH": _path()}


def _write_home() -> None:
    cache = HOME / ".ansible" / "test" / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    for name in BOOTSTRAP_FILES:
        (cache / name).write_text(BOOTSTRAP)
    pip_conf = HOME / ".config" / "pip" / "pip.conf"
    pip_conf.parent.mkdir(parents=True, exist_ok=True)
    # May hold credentials of a private index.
    pip_conf.touch(mode=0o600)
    pip_conf.write_text(_pip_settings())


def _pip_settings() -> str:
    """Return the settings that pip finds in files and in PIP_* variables, as one file."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    settings: dict[str, str] = {}
    for line in lines:
        name, dummy, value = line.partition("=")
        section, dummy, key = name.rpartition(".")
        if section in ("global", "install", ":env:") and key != "config-file":
            settings[key] = value.strip("'\"").replace("\\n", "\n    ")
    return "\n".join(["[global]", *(f"{key} = {value}" for key, value in settings.items()), ""])


def _path() -> str:
    """Return PATH with the running environment first and without pyenv's shims, which stop ansible-test."""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    real = [entry for entry in entries if Path(entry).name != "shims"]
    return os.pathsep.join([str(Path(sys.executable).parent), *real])


def _say(line: str) -> None:
    print(f"sanity: {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
