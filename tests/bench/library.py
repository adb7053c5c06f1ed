# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What our own code costs without any cluster: to load it, and to compile services."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable

from module_utils.fleet.compile import compile_fleet, paired
from module_utils.fleet.load import load_fleet
from module_utils.fleet.settings import Settings
from module_utils.kube.reader import GivenObjects
from module_utils.task.manifest_loader import given

from .fleets import L
from .plane import BUILD, Bench, entry
from .runs import Json
from .workload import services

RUNS = 7
#: Loads the action as ansible-playbook does, which has loaded the rest of itself by then.
LOAD = """
import time
from ansible.executor import module_common, task_executor
from ansible.plugins.loader import action_loader, init_plugin_loader

init_plugin_loader()
began = time.process_time()
action_loader.get("modelops.inference.llmisvc_reconcile", class_only=True)
ours = time.process_time() - began
import urllib3
print(ours, time.process_time() - began)
"""


def loading(_bench: Bench) -> list[Json]:
    """Return load: CPU seconds that the action's import takes in the Ansible process, without and with urllib3."""
    environment = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(BUILD / "tree")}
    for name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE"):
        environment.pop(name, None)
    command = [sys.executable, "-c", LOAD]
    found = []
    for dummy in range(RUNS):
        answer = subprocess.run(command, env=environment, check=True, capture_output=True)
        found.append([float(word) for word in answer.stdout.split()])
    alone, both = (round(statistics.median(column), 3) for column in zip(*found, strict=True))
    ours = {"runs": RUNS, "import_cpu_s": alone, "import_with_urllib3_cpu_s": both}
    return [entry("load", 0, {"ours": ours})]


def compiling(_bench: Bench) -> list[Json]:
    """Return compile: CPU seconds for one ModelService."""
    return [compiled("compile", services(L), {"gateway_name": ""}, ())]


def compiled(name: str, documents: list[Json], settings: Json, objects: Iterable[Json]) -> Json:
    """Return what it costs to load one of some services (defaults, every check) and to compile it, in CPU seconds.

    objects: what is in the cluster.
    """
    loads, compiles = [], []
    for dummy in range(RUNS):
        began = time.process_time()
        loaded, dummy_complaints = load_fleet(
            given("services", documents), Settings(settings, {}), "bench", skip_invalid=False
        )
        middle = time.process_time()
        compile_fleet(loaded, GivenObjects(objects), paired)
        loads.append((middle - began) / len(documents))
        compiles.append((time.process_time() - middle) / len(documents))
    ours = {
        "runs": RUNS,
        "load_s": round(statistics.median(loads), 6),
        "compile_s": round(statistics.median(compiles), 6),
    }
    return entry(name, len(documents), {"ours": ours})
