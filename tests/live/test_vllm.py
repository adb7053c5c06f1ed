# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The real vLLM, for processors, as a preset of the collection starts it, behind gateway and picker. LONG=1 alone: it takes 6 GB.

Its model is made here and says nothing sensible. Its packages are a folder of the node, since an image of them would be held in memory.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.cluster.support.entries import Entries
from tests.cluster.support.llm_services import routed
from tests.lab.client import Client
from tests.lab.errors import LabError
from tests.long import LONG

from . import images, mounts, tiny_model, wheels
from .asking import until
from .kserve import ask, over_tls
from .lab import Live
from .programs import VLLM_VERSION, VLLM_WHEELS
from .sources import Sources

Json = dict[str, Any]
#: Its start takes about a minute of processor time, on a busy machine several.
READY_WITHIN = 540.0
pytestmark = pytest.mark.skipif(not LONG, reason="not run: the real vLLM takes 6 GB; LONG=1")


@pytest.fixture
def service(live: Live, client: Client, namespace: str) -> Json:
    """A service whose model is on a volume, and whose engine finds its packages on the node."""
    try:
        site, image = wheels.there(VLLM_WHEELS), live.bring(images.VLLM)
    except LabError as error:
        pytest.skip(f"not run: {error}")
    client.apply_all(Sources.volume("models", namespace))
    folder = mounts.RUN / "volumes" / namespace / "chat"
    path = os.pathsep.join((str(site), os.environ.get("PYTHONPATH", "")))
    subprocess.run(
        [sys.executable, str(tiny_model.__file__), str(folder)],
        env={**os.environ, "PYTHONPATH": path},
        check=True,
        capture_output=True,
    )
    engine = {
        "name": "main",
        "image": image,
        "args": ["--enforce-eager", "--max-model-len=256"],
        "volumeMounts": [{"name": "site", "mountPath": wheels.PLACE, "readOnly": True}],
    }
    made = routed("real", namespace)
    made["spec"]["model"]["uri"] = "pvc://models/chat"
    made["spec"]["template"] = {
        "containers": [engine],
        "volumes": [{"name": "site", "hostPath": {"path": str(site)}}],
    }
    return made


def test_preset_with_the_real_vllm_is_answered_through_gateway_and_picker(
    service: Json, client: Client, secured: Entries, answered: Callable[[object], None]
) -> None:
    over_tls(client, service)
    result = secured.reconcile(service, wait=True, wait_timeout=READY_WITHIN, wait_for="answer")
    found = result["services"][0]["answer"]
    assert (found["status"], found["model"]) == (200, service["spec"]["model"]["name"]), found
    answer = until(200, lambda: ask(service))
    assert answer.pod.startswith(f"vllm-{VLLM_VERSION}"), answer
    assert answer.json()["usage"]["completion_tokens"] > 0, answer
    answered(answer)
