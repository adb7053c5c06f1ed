# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every supported ansible-core, each in an environment of its own, and the Kubernetes of before: `make test-matrix`.

What depends on ansible-core is run: its sanity tests, filters, tests, options, and plays on the lab. A Python that is missing is told
and counted. On an older Kubernetes all that needs a cluster runs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from .lab.programs import OLDER, VARIABLE
from .tools.steps import Step, run_steps
from .tools.tree import BUILD, CHECKOUT

#: ansible-core by the Pythons that can run it, the oldest first.
CORES = (
    ("2.18.19", ("python3.11", "python3.12", "python3.13")),
    ("2.19.14", ("python3.11", "python3.12", "python3.13")),
    ("2.21.5", ("python3.12", "python3.13")),
)
TESTS = (
    "tests/unit/filter",
    "tests/unit/test",
    "tests/unit/modules",
    "tests/unit/fleet",
    "tests/unit/reconcile",
    "tests/unit/task",
    "tests/unit/plugin_utils",
    "tests/cluster/test_ansible.py",
)
PACKAGES = ("kubernetes", "jmespath", "pytest", "pytest-xdist", "hypothesis")


def interpreter(names: tuple[str, ...]) -> str | None:
    """Return the first of these Pythons that starts; a name on PATH may be a stand-in for one that is not there."""
    for name in (sys.executable, *names):
        if (
            name == sys.executable
            and f"python{sys.version_info[0]}.{sys.version_info[1]}" not in names
        ):
            continue
        path = shutil.which(name)
        if (
            path
            and subprocess.run([path, "-c", ""], check=False, capture_output=True).returncode == 0
        ):
            return path
    return None


def steps(core: str, python: str) -> list[Step]:
    """Return the steps of one ansible-core: its environment, then the tests in it."""
    home = BUILD / "matrix" / core
    own = home / "bin" / "python"
    lab = ["-r", str(CHECKOUT / "tests" / "lab" / "requirements.txt")]
    install = [
        str(own),
        "-m",
        "pip",
        "install",
        "--quiet",
        f"ansible-core=={core}",
        *PACKAGES,
        *lab,
    ]
    path = os.pathsep.join((str(home / "bin"), os.environ.get("PATH", "")))
    return [
        Step(f"ansible-core {core}: environment", [python, "-m", "venv", str(home)]),
        Step(f"ansible-core {core}: packages", install),
        Step(
            f"ansible-core {core}: tests",
            [str(own), "-m", "pytest", "-q", "-n", "2", *TESTS],
            env={"PATH": path},
        ),
        Step(
            f"ansible-core {core}: sanity",
            [str(own), "-m", "tests.tools.sanity"],
            env={"PATH": path, "PYTHONPATH": ""},
        ),
    ]


def main() -> int:
    """Run them and return the exit code."""
    planned: list[Step] = []
    missing = 0
    for core, pythons in CORES:
        python = interpreter(pythons)
        if python is None:
            missing += 1
            print(
                f"ansible-core {core}: not run: none of {', '.join(pythons)} is installed",
                flush=True,
            )
        else:
            planned += steps(core, python)
    planned += [
        Step(
            f"Kubernetes {name}: tests",
            [sys.executable, "-m", "pytest", "-q", "-n", "2", "tests/cluster"],
            env={VARIABLE: name},
        )
        for name in OLDER
    ]
    code = run_steps("matrix", planned)
    print(f"{missing} not run")
    return code


if __name__ == "__main__":
    sys.exit(main())
