# SPDX-License-Identifier: GPL-3.0-or-later
"""The roles for KServe's kinds, run as their users run them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.lab.cluster import Cluster

from .support import inference_services, llm_services
from .support.places import knowing, own_namespace
from .support.roles import run_role

#: By role: what makes a service of a name and a namespace, and the settings of the task.
ROLES: dict[str, tuple[Any, dict[str, Any]]] = {
    "inference_services": (inference_services.isvc, inference_services.SETTINGS),
    "llm_inference_services": (llm_services.routed, {"config_prefix": "modelops-"}),
}


client = knowing(inference_services.prepare, llm_services.prepare)
place = own_namespace("role")


@pytest.mark.parametrize("role", ROLES)
def test_a_folder_of_services_is_made_ready_looked_at_and_removed(
    role: str, lab: Cluster, place: str, tmp_path: Path
) -> None:
    make, settings = ROLES[role]
    services = tmp_path / "services"
    services.mkdir()
    for name in ("iris", "wine"):
        text = yaml.safe_dump(make(name, place))
        (services / f"{name}.yaml").write_text(text, encoding="utf-8")
    given = {"src": [str(services)], "settings": settings}
    first = run_role(tmp_path, lab, role, "main", **given)
    assert f"{place}/iris" in first
    assert "2 services, 2 ready" in first
    assert "changed=0" in run_role(tmp_path, lab, role, "main", **given)
    look = run_role(tmp_path, lab, role, "status", fail_on=["not_ready", "drift"], **given)
    assert f"{place}/wine" in look
    # An inventory says what its fleet waits for, whatever state a run is given.
    given["wait_for"], given["answer"] = "answer", {"timeout": 5}
    assert "changed=1" in run_role(tmp_path, lab, role, "main", state="absent", **given)
