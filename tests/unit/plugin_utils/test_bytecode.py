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
#: Prints how often garbage was looked for while a room was imported, and whether it is looked for afterwards.
COLLECTED = f"""
import gc
import sys

found = []

def note(phase, dummy):
    frame = sys._getframe(1)
    while frame is not None:
        if "inference.plugins.module_utils" in frame.f_globals.get("__name__", ""):
            found.append(phase)
            return
        frame = frame.f_back

gc.callbacks.append(note)
{LOAD}
loaded = sum("inference.plugins.module_utils" in name for name in sys.modules)
print(loaded, len(found), gc.isenabled(), gc.get_freeze_count())
"""


def _run(script: str, **variables: str) -> str:
    environment = {**os.environ, **variables}
    for name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE"):
        environment.pop(name, None)
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return done.stdout


def _load(cache: Path) -> dict[Path, int]:
    _run(LOAD, PYTHONPYCACHEPREFIX=str(cache))
    kept = (path for path in cache.rglob("*.pyc") if "module_utils" in path.parts)
    return {path: path.stat().st_mtime_ns for path in kept if "inference" in path.parts}


def test_rooms_are_compiled_once(tmp_path: Path) -> None:
    first = _load(tmp_path)
    names = {path.name.partition(".")[0] for path in first}
    assert {"llmisvc_reconcile", "connection", "noop_proof", "reference"} <= names
    assert _load(tmp_path) == first


def test_nobody_looks_for_garbage_while_rooms_are_loaded() -> None:
    loaded, collections, enabled, frozen = _run(COLLECTED).split()
    assert int(loaded) > 100
    assert (collections, enabled, frozen) == ("0", "True", "0")
