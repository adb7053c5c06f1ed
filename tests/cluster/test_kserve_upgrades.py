# SPDX-License-Identifier: GPL-3.0-or-later
"""The role controllers takes KServe from 0.17 through every release to 0.21, while services, their objects and their pods stay as they are.

The pods of KServe are played: certificates, webhooks, converter and leaders, over real TLS. 0.18 and 0.21 are unjudged (kserve_bundles).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from module_utils.kube.manifest import Json
from tests.lab.client import ApiError, Client, wait_until
from tests.lab.control_plane import ControlPlane
from tests.objects import thing
from tests.tools.controllers_cluster import LEASES

from .support.broken_pods import meanwhile
from .support.cluster import there
from .support.entries import Entries
from .support.kserve_bundles import kserve_bundle
from .support.llm_services import llm
from .support.playbooks import FAILED, WELL, Playbooks
from .support.played_controllers import (
    CertManager,
    answered_here,
    keep_lease,
    names_of,
    webhook_server,
)
from .test_applyset_order import recorded

RELEASES = ("v0.17.0", "v0.18.0", "v0.19.0", "v0.20.0", "v0.21.0")
GROUP, PLACE = "serving.kserve.io", "served"
CRD = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
#: Custom resources whose controllers do nothing here: kind, versions, and a spec.
_STORED: dict[str, tuple[tuple[str, ...], Json]] = {
    "LLMInferenceService": (("v1alpha1", "v1alpha2"), {"model": {"uri": "hf://acme/chat"}}),
    "LLMInferenceServiceConfig": (("v1alpha1", "v1alpha2"), {"model": {"uri": "hf://acme/chat"}}),
    "InferenceGraph": (
        ("v1alpha1",),
        {"nodes": {"root": {"routerType": "Sequence", "steps": [{"serviceName": "iris"}]}}},
    ),
    "TrainedModel": (
        ("v1alpha1",),
        {
            "inferenceService": "iris",
            "model": {"framework": "sklearn", "memory": "1Gi", "storageUri": "s3://models/iris"},
        },
    ),
    "ServingRuntime": (
        ("v1alpha1",),
        {"containers": [{"name": "kserve-container", "image": "registry.example.com/server:1"}]},
    ),
}
#: Objects by which a release is known, with the first that has them; those that left a bundle stay.
_SINCE = {
    "v0.18.0": [(*CRD, f"localmodelnamespacecaches.{GROUP}")],
    "v0.19.0": [
        (
            "admissionregistration.k8s.io/v1",
            "MutatingWebhookConfiguration",
            f"llminferenceservice.{GROUP}",
        )
    ],
    "v0.20.0": [
        (*CRD, "inferenceobjectives.llm-d.ai"),
        (*CRD, "inferenceobjectives.inference.networking.x-k8s.io"),
    ],
}


@dataclass
class Cluster:
    """KServe's releases on a control plane of these tests alone. port: where their webhooks are answered."""

    client: Client
    entries: Entries
    playbooks: Playbooks
    port: int

    def bundle(self, version: str) -> list[Json]:
        """Return what a release consists of, its webhooks answered here."""
        return answered_here(kserve_bundle(version), self.port)

    def install(self, version: str) -> tuple[int, str]:
        """Run the role, which checks what it installed; return its exit code and what it printed."""
        file = self.playbooks.folder / f"{version}.json"
        listed = {"apiVersion": "v1", "kind": "List", "items": self.bundle(version)}
        file.write_text(json.dumps(listed), encoding="utf-8")
        component = {"name": "kserve", "version": version, "src": str(file)}
        return self.playbooks.run(
            "install", controllers_components=[component], controllers_wait_timeout=120
        )


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster in which the pods of every release of KServe are played."""
    with ControlPlane(nodes="cpu") as plane:
        plane.install_crds(*recorded("cert-manager-crds-synthetic"))
        plane.client.create(thing("v1", "Namespace", PLACE))
        certificates = CertManager(plane.client)
        names = names_of(kserve_bundle(RELEASES[-1]))
        with webhook_server(certificates.authority, names, tmp_path) as port:

            def act() -> None:
                certificates.act()
                for lease in LEASES:
                    keep_lease(plane.client, lease, "kserve")

            with meanwhile(act):
                entries = Entries(plane.kubeconfig)
                playbooks = Playbooks(tmp_path, plane.kubeconfig)
                yield Cluster(plane.client, entries, playbooks, port)


def test_kserve_goes_through_every_release_and_services_stay(cluster: Cluster) -> None:
    code, printed = cluster.install(RELEASES[0])
    assert code == WELL, printed
    _store(cluster.client)
    made = _reconciled(cluster)
    assert made["changed"]
    running = _running(cluster.client)
    edit = {"data": {"deploy": json.dumps({"defaultDeploymentMode": "Standard"})}}
    cluster.client.patch(thing("v1", "ConfigMap", "inferenceservice-config", "kserve"), edit)
    code, printed = cluster.install(RELEASES[2])
    assert code == FAILED
    assert "more than one minor release later" in printed
    for version in RELEASES[1:]:
        code, printed = cluster.install(version)
        assert code == WELL, printed
        _look(cluster, version, running)
    assert _settled(cluster, RELEASES[-1])


def _store(client: Client) -> None:
    """Keep an object of each kind in each of its versions."""
    for kind, (versions, spec) in _STORED.items():
        for version in versions:
            name = f"{kind.lower()}-{version}"
            client.create(thing(f"{GROUP}/{version}", kind, name, PLACE, spec=spec))


def _services() -> list[Json]:
    """Return a service of each kind that is made without its controller and reached from inside alone."""
    container = {
        "image": "registry.example.com/server:1",
        "resources": {"requests": {"cpu": "10m"}, "limits": {"cpu": "10m"}},
    }
    iris = thing(
        f"{GROUP}/v1beta1",
        "InferenceService",
        "iris",
        PLACE,
        spec={"predictor": {"containers": [container]}},
    )
    iris["metadata"]["annotations"] = {f"{GROUP}/deploymentMode": "Standard"}
    iris["metadata"]["labels"] = {"networking.kserve.io/visibility": "cluster-local"}
    return [iris, llm("chat", PLACE)]


def _reconciled(cluster: Cluster) -> Json:
    """Reconcile the services while their controllers are stopped, as a run without them asks for."""
    controllers = [
        thing("apps/v1", "Deployment", name, "kserve")
        for name in ("kserve-controller-manager", "llmisvc-controller-manager")
    ]
    for each in controllers:
        cluster.client.patch(each, {"spec": {"replicas": 0}})
    _await_stopped(cluster.client, controllers)
    result = cluster.entries.reconcile(
        *_services(), settings={"config_prefix": "modelops-"}, wait=True, wait_timeout=60.0
    )
    for each in controllers:
        cluster.client.patch(each, {"spec": {"replicas": 1}})
    return result


def _await_stopped(client: Client, controllers: list[Json]) -> None:
    """Wait until nothing of controllers runs: a run that still sees a pod of theirs leaves the services to them."""

    def look() -> tuple[bool, list[Json]]:
        found = [there(client, each) for each in controllers]
        left = [
            each["status"]
            for each in found
            if each["status"].get("replicas")
            or each["status"].get("observedGeneration") != each["metadata"]["generation"]
        ]
        return not left, left

    wait_until(look, "the controllers to stop", 60)


def _running(client: Client) -> dict[str, str]:
    """Return the uid of each pod of services."""
    return {
        each["metadata"]["name"]: each["metadata"]["uid"]
        for each in client.list_all("v1", "Pod")
        if each["metadata"]["namespace"] == PLACE
    }


def _look(cluster: Cluster, version: str, running: dict[str, str]) -> None:
    """Assert what holds after each upgrade."""
    client = cluster.client
    again = _reconciled(cluster)
    releases = {each["release"]["version"] for each in again["services"]}
    assert (again["changed"], releases) == (False, {"0.17"}), version
    assert _running(client) == running, version
    for kind, (versions, spec) in _STORED.items():
        for stored in versions:
            for asked in versions:
                name = f"{kind.lower()}-{stored}"
                live = there(client, thing(f"{GROUP}/{asked}", kind, name, PLACE))
                assert live["spec"].items() >= spec.items(), (version, kind, asked)
        crd = there(client, thing(*CRD, f"{kind.lower()}s.{GROUP}"))
        storage = [each["name"] for each in crd["spec"]["versions"] if each["storage"]]
        assert crd["status"]["storedVersions"] == storage, (version, kind)
    _webhooks_answer(client)
    for since, objects in _SINCE.items():
        present = [client.get(*each) is not None for each in objects]
        assert not any(present[:1]) if version < since else all(present), (version, objects)
    config = there(client, thing("v1", "ConfigMap", "inferenceservice-config", "kserve"))
    assert json.loads(config["data"]["deploy"])["defaultDeploymentMode"] == "Standard", version
    manager = thing("apps/v1", "Deployment", "kserve-controller-manager", "kserve")
    images = [
        each["image"] for each in there(client, manager)["spec"]["template"]["spec"]["containers"]
    ]
    assert f"kserve/kserve-controller:{version}" in images


def _webhooks_answer(client: Client) -> None:
    """Assert that the webhooks of both kinds of services admit and refuse."""
    for wanted in _services():
        name = {
            "name": "another",
            "namespace": PLACE,
            "annotations": wanted["metadata"].get("annotations"),
        }
        client.create({**wanted, "metadata": name}, dryRun="All")
        with pytest.raises(ApiError, match="denied"):
            client.create(
                {**wanted, "metadata": {**name, "labels": {"refuse": "it"}}}, dryRun="All"
            )


def _settled(cluster: Cluster, version: str) -> bool:
    again = cluster.entries.applyset(
        name="kserve",
        component="kserve",
        version=version,
        definition=cluster.bundle(version),
        check_mode=True,
    )
    return not again.get("failed") and not again["changed"]
