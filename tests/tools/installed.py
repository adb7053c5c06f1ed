# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Install the built tarball into an empty home, beside nothing but its requirements, and use it from there as its README says.

It is carried there as docs/air_gapped.md says: the commands of that page run. Services are rendered without a cluster, and a slip is
named; then one service is made ready on a control plane, a second run changes nothing, an upgrade neither, and service and collection
are removed.
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
        if not user.is_told_of_a_slip():
            print("installed: a misspelt field was not named")
            return 1
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
            user.upgrade()
            third = user.play("reconcile", **options)
            last = user.play("reconcile", **options, model_services_state="absent")
        left = user.remove()
    if "changed=1" not in first or "changed=0" not in second or "changed=0" not in third:
        print(f"installed: only the first run has to change something:\n{second}{third}")
        return 1
    if "0 unchanged" not in last or " deleted" not in last or left:
        print(f"installed: service or collection were not removed: {left}\n{last}")
        return 1
    print(
        f"installed: {written} files rendered, a slip named, one service ready, nothing changed by a second run and an upgrade, all removed"
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

    def upgrade(self) -> None:
        """Install the tarball over itself, as docs/upgrading.md says."""
        self._follow("docs/upgrading.md", "ansible-galaxy ")

    def remove(self) -> list[str]:
        """Remove the collection as docs/upgrading.md says, and return what is left of it."""
        self._follow("docs/upgrading.md", "rm ")
        return [str(place) for place in self._home.rglob("modelops/inference")]

    def _follow(self, page: str, beginning: str) -> None:
        for command in pages.commands(page):
            if command.startswith(beginning):
                self.run(*shlex.split(command.replace("~", str(self._home))))

    def is_told_of_a_slip(self) -> bool:
        """Misspell a field of a service, and return whether the run that fails names it and says what was meant."""
        slip = self._home / "slip.yaml"
        slip.write_text((EXAMPLES / "tiny.yaml").read_text().replace("engine:", "engin:"))
        options = ("modelops.inference.render", "-e", f"model_services_src={slip}")
        done = self._start("ansible-playbook", *options)
        return done.returncode != 0 and 'did you mean "engine"?' in done.stdout

    def play(self, playbook: str, **options: object) -> str:
        """Run a playbook of the collection and return what it printed."""
        words = [word for name, value in options.items() for word in ("-e", f"{name}={value}")]
        return self.run("ansible-playbook", f"modelops.inference.{playbook}", *words)

    def run(self, program: str, *words: str) -> str:
        """Run a program. Raises CalledProcessError, after its output was shown."""
        done = self._start(program, *words)
        if done.returncode:
            print(done.stdout, done.stderr, sep="\n")
        done.check_returncode()
        return done.stdout

    def _start(self, program: str, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [shutil.which(program, path=self._path) or program, *words],
            cwd=self._home,
            env={"PATH": self._path, "HOME": str(self._home), "LANG": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=False,
        )


if __name__ == "__main__":
    sys.exit(main())
