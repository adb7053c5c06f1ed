# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Loading an action the way ansible-playbook does keeps the bytecode of the rooms."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

LOAD = """
from ansible.plugins.loader import action_loader, init_plugin_loader

init_plugin_loader()
action_loader.get("modelops.inference.llmisvc_reconcile", class_only=True)
"""


def _load(cache: Path) -> dict[Path, int]:
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(cache)}
    for name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE"):
        environment.pop(name, None)
    subprocess.run([sys.executable, "-c", LOAD], env=environment, check=True)
    kept = (path for path in cache.rglob("*.pyc") if "module_utils" in path.parts)
    return {path: path.stat().st_mtime_ns for path in kept if "inference" in path.parts}


def test_rooms_are_compiled_once(tmp_path: Path) -> None:
    first = _load(tmp_path)
    names = {path.name.partition(".")[0] for path in first}
    assert {"llmisvc_reconcile", "connection", "noop_proof", "reference"} <= names
    assert _load(tmp_path) == first
