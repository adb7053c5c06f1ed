# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run every molecule scenario of the tree: `python -m tests.tools.molecule [SCENARIO …]`.

The one that needs kind and a container engine is only checked for its syntax where kind is not installed, and that is said.

A control plane that a scenario starts ends with this process, however that ends.
"""

from __future__ import annotations

import os
import shutil
import sys

from .steps import Step, run_steps, tool
from .tree import COLLECTION, sync

KIND = "kind"


def main() -> int:
    """Run them and return the exit code; molecule's own summary is not to be trusted."""
    sync()
    found = sorted(path.parent.name for path in COLLECTION.glob("molecule/*/molecule.yml"))
    owner = {"LAB_OWNER": str(os.getpid())}
    steps = [
        Step(name, [tool("molecule"), command, "--scenario-name", name], cwd=COLLECTION, env=owner)
        for name in sys.argv[1:] or found
        for command in ("test" if name != KIND or shutil.which("kind") else "syntax",)
    ]
    untried = any("syntax" in step.command for step in steps)
    if untried:
        steps.append(_also_of_kind())
    code = run_steps("molecule", steps)
    if untried:
        print(
            "not run: kind is not installed, so the scenario of this name was only checked for its syntax"
        )
    return code


def _also_of_kind() -> Step:
    """Return the check of what molecule's own leaves out: the playbooks that make the cluster of kind and remove it."""
    playbooks = [f"molecule/{KIND}/{name}.yml" for name in ("create", "destroy")]
    command = [tool("ansible-playbook"), "--syntax-check", "--inventory", "localhost,", *playbooks]
    return Step(f"{KIND}: create, destroy", command, cwd=COLLECTION)


if __name__ == "__main__":
    sys.exit(main())
