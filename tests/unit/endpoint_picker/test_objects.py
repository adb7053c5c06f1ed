# SPDX-License-Identifier: GPL-3.0-or-later
"""A configuration and the objects around the picker have to agree."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.endpoint_picker.check import Report, check_document
from module_utils.endpoint_picker.objects import deployment_findings, flags_for, pool_findings
from module_utils.endpoint_picker.presets import preset
from module_utils.endpoint_picker.releases import release_of

KEY = "default-plugins.yaml"


def report(target: str, **more: Any) -> Report:
    """Return the check of the default preset with more in it."""
    release = release_of(target)
    return check_document({**preset("default", release), **more}, release, experimental=True)


def deployment(*args: str, replicas: int = 1) -> dict[str, Any]:
    """Return a picker's Deployment with these arguments."""
    if not any(each.startswith("--config") for each in args):
        args = (*args, f"--config-file=/config/{KEY}")
    mounts = [{"name": "config", "mountPath": "/config"}]
    containers = [{"name": "epp", "args": ["--pool-name", "chat", *args], "volumeMounts": mounts}]
    return {"spec": {"replicas": replicas, "template": {"spec": {"containers": containers}}}}


@pytest.mark.parametrize(
    ("target", "args", "rules"),
    [
        ("gaie:1.5", ["--config-file", f"/config/{KEY}"], []),
        ("gaie:1.5", ["--config-file=/config/other.yaml"], ["key-mismatch"]),
        ("gaie:1.5", [f"--config-file=/config/{KEY}", "--config-text", "x"], ["flag-conflict"]),
        ("gaie:1.5", ["--config-file", f"/config/sub/{KEY}"], []),
        ("gaie:1.5", ["--config-file", KEY], []),
        ("gaie:1.5", ["--config-file", f"/configs/{KEY}"], ["config-unread"]),
        ("gaie:1.5", ["--config-text", "x"], []),
        ("gaie:1.5", ["--config-fil=x"], ["flag-unknown"]),
        ("gaie:1.5", ["--poolNamespace=x"], ["flag-unknown"]),
        ("gaie:1.4", ["--total-queued-requests-metric=x"], ["flag-gone"]),
        ("gaie:1.3", ["--total-queued-requests-metric=x"], []),
        ("llmd:0.10", ["--model-server-metrics-port", "8000"], ["flag-gone"]),
        ("llmd:0.9", ["--model-server-metrics-port", "8000"], []),
    ],
)
def test_flags(target: str, args: list[str], rules: list[str]) -> None:
    found = deployment_findings(deployment(*args), report(target), release_of(target), KEY)
    assert [finding.rule for finding in found] == rules


@pytest.mark.parametrize("name", ["--pool-name", "--poolName"])
def test_picker_without_a_file_reads_no_configuration(name: str) -> None:
    container = {"name": "epp", "args": [f"{name}=chat"]}
    spec = {"template": {"spec": {"containers": [container, {"name": "proxy"}]}}}
    release = release_of("gaie:1.5")
    found = deployment_findings({"spec": spec}, report("gaie:1.5"), release, KEY)
    unknown = ["flag-unknown"] if name == "--poolName" else []
    assert [finding.rule for finding in found] == [*unknown, "config-unread"]


def test_alpha_plugins_need_their_flag() -> None:
    release = release_of("llmd:0.10")
    plugins = [*preset("default", release)["plugins"], {"type": "session-affinity-scorer"}]
    checked = report("llmd:0.10", plugins=plugins)
    assert flags_for(checked, release) == ["--allow-experimental-plugins"]
    (missing,) = deployment_findings(deployment(), checked, release, KEY)
    assert missing.rule == "flag-missing"
    args = "--allow-experimental-plugins=true"
    assert list(deployment_findings(deployment(args), checked, release, KEY)) == []
    assert flags_for(report("llmd:0.10"), release) == []


def test_several_replicas_need_a_leader() -> None:
    release = release_of("gaie:1.5")
    (finding,) = deployment_findings(deployment(replicas=2), report("gaie:1.5"), release, KEY)
    assert (finding.rule, finding.severity) == ("replicas-without-leader", "warning")
    led = deployment("--ha-enable-leader-election=true", replicas=2)
    assert list(deployment_findings(led, report("gaie:1.5"), release, KEY)) == []


def test_a_parser_has_to_read_the_protocol_of_the_pool() -> None:
    release = release_of("llmd:0.9")
    checked = report("llmd:0.9", requestHandler={"parsers": [{"pluginRef": "vllmgrpc-parser"}]})
    (finding,) = pool_findings({"spec": {}}, checked, release)
    assert (finding.rule, finding.severity) == ("parser-protocol", "error")
    assert (
        list(pool_findings({"spec": {"appProtocol": "kubernetes.io/h2c"}}, checked, release)) == []
    )
    assert list(pool_findings({"spec": {}}, report("llmd:0.9"), release)) == []


def test_pools_of_other_times_are_named() -> None:
    ports = {"spec": {"targetPorts": [{"number": 1}, {"number": 2}]}}
    (finding,) = pool_findings(ports, report("gaie:1.0"), release_of("gaie:1.0"))
    assert finding.rule == "pool-ports"
    old = {"apiVersion": "inference.networking.x-k8s.io/v1alpha2"}
    (finding,) = pool_findings(old, report("gaie:1.5"), release_of("gaie:1.5"))
    assert finding.rule == "pool-version"
