# SPDX-License-Identifier: GPL-3.0-or-later
"""The releases of the real projects, made from their modules: installed, left alone, checked, and removed without a trace.

Pods get ready by kwok; certificates, injection and the webhooks' answers are played by this test, over real TLS.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from module_utils.kube.manifest import Json
from tests.lab.bundles import release
from tests.lab.control_plane import ControlPlane
from tests.lab.faults import writes
from tests.lab.proxy import Proxy
from tests.objects import thing

from .support.broken_pods import meanwhile
from .support.entries import Entries
from .support.played_controllers import (
    CertManager,
    answered_here,
    keep_lease,
    names_of,
    webhook_server,
)
from .test_applyset import done
from .test_applyset_order import everything, recorded

LEASES = {
    "kserve": (
        "kserve-controller-manager-leader-lock",
        "llminferenceservice-kserve-controller-manager",
    ),
    "lws": ("b8b2488c.x-k8s.io",),
}


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    """A control plane of these tests alone, with cert-manager's kinds."""
    with ControlPlane(nodes="cpu") as running:
        running.install_crds(*recorded("cert-manager-crds-synthetic"))
        yield running


def install(plane: ControlPlane, component: str, definition: list[Json]) -> Json:
    """Install a component twice; the second time nothing is written. Returns the result of its checks."""
    options = {"name": component.replace("_", "-"), "component": component, "wait_timeout": 300.0}
    with Proxy(plane) as proxy:
        counted = Entries(proxy.kubeconfig)
        first = counted.applyset(**options, definition=definition)
        assert len(done(first)) == len(definition) + 1
        proxy.reset()
        again = counted.applyset(**options, definition=definition)
        assert done(again) == {}
        assert (again["unchanged"], proxy.count(writes())) == (len(definition), 0)
        assert proxy.requests <= 40
    found = Entries(plane.kubeconfig).applyset(
        state="gathered", checks=True, **options, definition=definition
    )
    assert found["drift"] == []
    return found


def remove(plane: ControlPlane, component: str, **options: Any) -> None:
    """Remove a component with its CRDs."""
    name = component.replace("_", "-")
    given = {"state": "absent", "name": name, "keep_crds": False, **options}
    done(Entries(plane.kubeconfig).applyset(**given))


@pytest.mark.parametrize("component", ["gateway_api", "inference_extension"])
def test_kinds_as_their_projects_release_them(plane: ControlPlane, component: str) -> None:
    before = everything(plane.client)
    found = install(plane, component, release(component))
    assert not found.get("failed"), found["msg"]
    remove(plane, component)
    assert everything(plane.client) - before == set()


def test_leader_worker_set_as_its_project_releases_it(
    plane: ControlPlane, certificates: CertManager, tmp_path: Path
) -> None:
    before = everything(plane.client)
    bundle = release("lws")
    names = names_of(bundle)

    def act() -> None:
        # Its manager makes its own certificate, injects the authority, and leads.
        certificates.inject_everywhere()
        keep_lease(plane.client, *LEASES["lws"], "lws-system")

    with webhook_server(certificates.authority, names, tmp_path) as port, meanwhile(act):
        found = install(plane, "lws", answered_here(bundle, port))
        assert not found.get("failed"), found["msg"]
        remove(plane, "lws")
    assert everything(plane.client) - before - {f"Lease lws-system/{LEASES['lws'][0]}"} == set()


def test_kserve_as_its_project_releases_it_with_its_runtimes(
    plane: ControlPlane, certificates: CertManager, tmp_path: Path
) -> None:
    before = everything(plane.client)
    bundle, resources = release("kserve"), release("kserve_resources")
    names = names_of(bundle)

    def act() -> None:
        certificates.act()
        for lease in LEASES["kserve"]:
            keep_lease(plane.client, lease, "kserve")

    with webhook_server(certificates.authority, names, tmp_path) as port, meanwhile(act):
        found = install(plane, "kserve", answered_here(bundle, port))
        assert not found.get("failed"), found["msg"]
        sorts = {each["name"].partition("/")[0] for each in found["checks"]}
        assert {
            "webhook",
            "conversion",
            "authority",
            "access",
            "leader",
            "start",
            "version",
        } <= sorts
        more = {"name": "kserve-resources", "wait_timeout": 60.0}
        entries = Entries(plane.kubeconfig)
        assert len(done(entries.applyset(**more, definition=resources))) == len(resources) + 1
        assert done(entries.applyset(**more, definition=resources)) == {}
        service = thing(
            "serving.kserve.io/v1beta1",
            "InferenceService",
            "served",
            "default",
            spec={"predictor": {"model": {"modelFormat": {"name": "sklearn"}}}},
        )
        plane.client.create(service)
        still = entries.applyset(state="absent", name="kserve", keep_crds=False)
        assert "InferenceService default/served" in still["msg"]
        plane.client.delete(service)
        done(entries.applyset(state="absent", name="kserve-resources"))
        remove(plane, "kserve")
    assert everything(plane.client) - before == set()


@pytest.fixture(scope="module")
def certificates(plane: ControlPlane) -> CertManager:
    """cert-manager, played."""
    return CertManager(plane.client)
