# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Install the built tarball into an empty home, beside nothing but its requirements, and use it from there as its README says.

It is carried there as docs/air_gapped.md says: the commands of that page run. Services are rendered without a cluster; then one is made
ready on a control plane, and a second run changes nothing.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ..lab.control_plane import ControlPlane
from ..lab.crd_sources import MODEL_SERVICE
from . import pages
from .environment import ENVIRONMENTS
from .tarball import PACKAGE, SUMS
from .tree import CHECKOUT

EXAMPLES = CHECKOUT / "examples" / "services"
#: Each of the fifteen example services becomes a dozen files and more.
LEAST_FILES = 100


def main() -> int:
    """Install and use it; return the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        user = User(Path(folder))
        user.carry()
        rendered = Path(folder) / "rendered"
        user.play("render", model_services_src=EXAMPLES, model_services_dest=rendered)
        written = len(list(rendered.rglob("*.yaml")))
        if written < LEAST_FILES:
            print(f"installed: only {written} files were rendered")
            return 1
        with ControlPlane(nodes="gpu", crds=MODEL_SERVICE) as plane:
            options = {
                "model_services_src": EXAMPLES / "tiny.yaml",
                "model_services_create_namespaces": "true",
                "model_services_kubeconfig": plane.kubeconfig,
            }
            first, second = (user.play("reconcile", **options) for dummy in range(2))
    if "changed=1" not in first or "changed=0" not in second:
        print(f"installed: the first run has to change something, the second nothing:\n{second}")
        return 1
    print(
        f"installed: {written} files rendered, one service ready, nothing changed by a second run"
    )
    return 0


class User:
    """Somebody with an empty home, in a folder of no meaning."""

    def __init__(self, home: Path) -> None:
        self._home = home
        place = next(each.place for each in ENVIRONMENTS if "installed" in each.stages)
        self._path = f"{place / 'bin'}:{os.defpath}"

    def carry(self) -> None:
        """Run what docs/air_gapped.md and the README say of the tarball and of packages, first with a network, then as if there were none."""
        for place in (*PACKAGE.glob("*.tar.gz"), PACKAGE / SUMS, CHECKOUT / "requirements.txt"):
            shutil.copy(place, self._home)
        for command in pages.commands("docs/air_gapped.md"):
            if command.startswith(("pip ", "sha256sum ", "ansible-galaxy ")):
                self.run(*shlex.split(command))
        for command in pages.commands("README.md"):
            if any(each in command for each in (".tar.gz", "~/.ansible/")):
                words = shlex.split(command.replace("~", str(self._home)))
                self.run(*words, *(["--force"] if "galaxy" in words[0] else []))

    def play(self, playbook: str, **options: object) -> str:
        """Run a playbook of the collection and return what it printed."""
        words = [word for name, value in options.items() for word in ("-e", f"{name}={value}")]
        return self.run("ansible-playbook", f"modelops.inference.{playbook}", *words)

    def run(self, program: str, *words: str) -> str:
        """Run a program. Raises CalledProcessError, after its output was shown."""
        done = subprocess.run(
            [shutil.which(program, path=self._path) or program, *words],
            cwd=self._home,
            env={
                "PATH": self._path,
                "HOME": str(self._home),
                "LANG": "C.UTF-8",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            print(done.stdout, done.stderr, sep="\n")
        done.check_returncode()
        return done.stdout


if __name__ == "__main__":
    sys.exit(main())
