# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role `controllers` takes KServe from one release to the next while a service of each kind is asked.

KServe's objects are those that it releases; its programs and the engines are stand-ins, and this test issues the certificates. It is the last
scenario: from then on the webhooks of KServe answer for its kinds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.support.broken_pods import meanwhile
from tests.cluster.support.cluster import there
from tests.cluster.support.entries import Entries
from tests.cluster.support.kserve_bundles import kserve_bundle
from tests.cluster.support.llm_services import routed
from tests.cluster.support.playbooks import WELL, Playbooks
from tests.cluster.support.played_controllers import CertManager, keep_lease
from tests.cluster.test_take_over import pods
from tests.lab import bundles, crds
from tests.lab.client import Client, wait_until
from tests.long import LONG
from tests.objects import thing
from tests.tools.controllers_cluster import LEASES, recorded

from . import images, kserve
from .asking import Answer, ask, until
from .gateway import KSERVE
from .lab import Live
from .load import Load
from .test_rollouts import REQUESTS

Json = dict[str, Any]
BEFORE, AFTER = images.UPGRADED
#: Pods are not left to a webhook once there is one, which would replace them.
WITHOUT_WEBHOOK: Json = {**kserve.OPTIONS["settings"], "pod_mutation": "rendered"}
WAIT: Json = {"wait": True, "wait_timeout": kserve.READY_WITHIN, "settings": WITHOUT_WEBHOOK}
_CONFIG, _EXTENSION = "inferenceservice-config", ".inference.networking."


def bundle(release: str) -> list[Json]:
    """Return a release's objects, configured for the live lab, which has newer CRDs of the inference extension; nothing is pulled."""
    made = [each for each in kserve_bundle(release) if _EXTENSION not in each["metadata"]["name"]]
    for each in made:
        if each["kind"] == "ConfigMap" and each["metadata"]["name"] == _CONFIG:
            each["data"] = {name: json.dumps(block) for name, block in configuration().items()}
        pod = (each.get("spec") or {}).get("template", {}).get("spec", {})
        for container in pod.get("containers", ()):
            container["imagePullPolicy"] = "IfNotPresent"
    return made


def configuration() -> Json:
    """Return KServe's configuration on the live lab."""
    storage = {**kserve.CONFIGURATION["storageInitializer"], "image": images.INITIALIZER}
    return {**kserve.CONFIGURATION, "storageInitializer": storage}


@dataclass
class Site:
    """KServe as a site installs it."""

    client: Client
    playbooks: Playbooks

    def install(self, release: str) -> None:
        """Run the role, which checks what it installed."""
        file = self.playbooks.folder / f"{release}.json"
        listed = {"apiVersion": "v1", "kind": "List", "items": bundle(release)}
        file.write_text(json.dumps(listed), encoding="utf-8")
        component = {"name": "kserve", "version": release, "src": str(file)}
        wanted: Json = {
            "controllers_components": [component],
            "controllers_wait_timeout": 170,
            # The live lab has made its CRDs.
            "controllers_adopt": True,
        }
        code, printed = self.playbooks.run("install", **wanted)
        assert code == WELL, printed

    def stop(self) -> None:
        """Stop the managers of services, so that a run takes their place."""
        names = ("kserve-controller-manager", "llmisvc-controller-manager")
        managers = [thing("apps/v1", "Deployment", name, KSERVE) for name in names]
        for each in managers:
            self.client.patch(each, {"spec": {"replicas": 0}})

        def look() -> tuple[bool, list[Json]]:
            left = [there(self.client, each)["status"].get("replicas") for each in managers]
            return not any(left), left

        wait_until(look, "the managers to stop", 60)


@pytest.fixture
def site(live: Live, client: Client, tmp_path: Path) -> Iterator[Site]:
    """A cluster of which KServe's certificates and leaders are played."""
    if not LONG:
        pytest.skip("not run: installing and upgrading KServe takes minutes; LONG=1")
    if absent := [each for each in images.UPGRADED if not bundles.is_there("kserve", each)]:
        told = ", ".join(absent)
        pytest.skip(f"not run: KServe {told} is not in the cache; run `make cluster` first")
    live.bring(images.MANAGER)
    crds.install(client, recorded("cert-manager-crds-synthetic"))
    certificates = CertManager(client)

    def act() -> None:
        certificates.act()
        for lease in LEASES:
            keep_lease(client, lease, KSERVE)

    with meanwhile(act):
        yield Site(client, Playbooks(tmp_path, live.kubeconfig))


def predictor(namespace: str) -> Json:
    """Return an InferenceService whose only container is the engine."""
    container = {
        "name": "kserve-container",
        "image": images.ENGINE,
        "command": ["vllm"],
        "args": ["serve", "--port=8080", "--served-model-name=iris"],
        "readinessProbe": {"httpGet": {"path": "/health", "port": 8080}, "periodSeconds": 2},
        "resources": kserve.SMALL,
    }
    spec = {"predictor": {"containers": [container], "minReplicas": 1, "maxReplicas": 1}}
    made = thing("serving.kserve.io/v1beta1", "InferenceService", "iris", namespace, spec=spec)
    made["metadata"]["annotations"] = {"serving.kserve.io/deploymentMode": "Standard"}
    return made


def test_upgrade_of_kserve_by_stand_in_managers_costs_no_request_and_no_pod_of_stand_in_engines(
    site: Site,
    secured: Entries,
    client: Client,
    namespace: str,
    answered: Callable[[object], None],
) -> None:
    chat, iris = routed("chat", namespace), predictor(namespace)
    kserve.over_tls(client, chat)
    made = secured.reconcile(chat, iris, **WAIT)
    assert [each["ready"] for each in made["services"]] == [True, True], made
    site.install(BEFORE)
    found = {each["kind"]: each for each in made["services"]}
    host = {"Host": found["InferenceService"]["request"]["host"]}

    def ask_iris() -> Answer:
        return ask("/v1/models", headers=host)

    until(200, lambda: kserve.ask(chat))
    until(200, ask_iris)
    before = pods(client, namespace)
    with Load(lambda: kserve.ask(chat)) as load, Load(ask_iris) as loaded:
        site.install(AFTER)
        load.go_on_until(REQUESTS)
        loaded.go_on_until(REQUESTS)
    for which, each in (("LLMInferenceService", load), ("InferenceService", loaded)):
        answered(f"KServe {BEFORE} becomes {AFTER}, {which}: {each}")
        assert not each.failed, str(each)
    site.stop()
    assert not secured.reconcile(chat, iris, **WAIT)["changed"]
    assert pods(client, namespace) == before
