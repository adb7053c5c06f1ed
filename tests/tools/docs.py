# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write the documentation of every plugin and role as text below build/docs."""

from __future__ import annotations

import json
import subprocess

from .steps import tool
from .tree import BUILD, sync

KINDS = ("module", "filter", "test", "role")


def main() -> None:
    """Ask ansible-doc for each, and name the files written."""
    sync()
    output = BUILD / "docs"
    output.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        listed = _ansible_doc("--type", kind, "--list", "--json", "modelops.inference")
        for name in json.loads(listed):
            path = output / f"{kind}.{name}.txt"
            path.write_text(_ansible_doc("--type", kind, name))
            print(path)


def _ansible_doc(*arguments: str) -> str:
    command = [tool("ansible-doc"), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
