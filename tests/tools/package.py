# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Make what a release consists of below build/package, and try it: tarball, checksum, bill of materials, importer, installation."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from .environment import ENVIRONMENTS
from .steps import Step, run_steps
from .tarball import tarball
from .tree import BUILD

#: Where words are checked, code and its comments included.
WRITTEN = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "changelogs",
    "docs",
    "examples",
    "meta",
    "molecule",
    "playbooks",
    "plugins",
    "roles",
)
#: Words of Kubernetes that look like slips.
WORDS = "notin,uptodate"
#: Galaxy's own settings, but that nothing is asked of other sites and that a missing tag of the catalogue is no warning.
IMPORTER = """[galaxy-importer]
RUN_ANSIBLE_DOC=True
RUN_ANSIBLE_LINT=True
OFFLINE_ANSIBLE_LINT=True
CHECK_REQUIRED_TAGS=True
"""


def main() -> int:
    """Run the steps and return the exit code."""
    code = run_steps("package", [Step("tarball", [sys.executable, "-m", "tests.tools.tarball"])])
    return code or run_steps("package", _trials())


def _trials() -> list[Step]:
    release = next(each for each in ENVIRONMENTS if "release" in each.stages)
    python = str(release.python)
    return [
        Step("public surface", [sys.executable, "-m", "tests.tools.public_surface", "--check"]),
        Step("bill of materials", [python, "-m", "tests.tools.bill_of_materials"]),
        _importer(python),
        Step("installed", [sys.executable, "-m", "tests.tools.installed"]),
        Step(
            "spelling",
            [str(release.place / "bin" / "codespell"), "--ignore-words-list", WORDS, *WRITTEN],
        ),
    ]


def _importer(python: str) -> Step:
    home = BUILD / "importer"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    settings = home / "galaxy-importer.cfg"
    # It calls the ansible-doc and ansible-lint beside it.
    path = os.pathsep.join([str(Path(python).parent), os.environ.get("PATH", os.defpath)])
    settings.write_text(IMPORTER)
    return Step(
        "galaxy-importer",
        [python, "-m", "galaxy_importer.main", str(tarball())],
        cwd=home,
        env={
            "GALAXY_IMPORTER_CONFIG": str(settings),
            "HOME": str(home),
            "PATH": path,
            "PYTHONPATH": "",
        },
    )


if __name__ == "__main__":
    sys.exit(main())
