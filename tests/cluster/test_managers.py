# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a manager of KServe is told by its name and reason, and nothing else is told beside it."""

from __future__ import annotations

import base64
import datetime
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.control_plane import ControlPlane
from tests.objects import thing
from tests.tools.controllers_cluster import LEASES

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
from .test_applyset_order import recorded

_ADMISSION = "admissionregistration.k8s.io/v1"
_CRD = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
_KSERVE = "serving.kserve.io"
KSERVE_LEASE, LLM_LEASE = LEASES


@dataclass
class Installed:
    """KServe's bundle as it runs. led: the Leases that are renewed. undo: what brings back what no installation does.

    acting: held while the pods do something, by themselves or for a test.
    """

    client: Client
    entries: Entries
    bundle: list[Json]
    certificates: CertManager
    led: set[str] = field(default_factory=lambda: set(LEASES))
    undo: list[Callable[[], object]] = field(default_factory=list)
    acting: threading.Lock = field(default_factory=threading.Lock)

    def act(self) -> None:
        """Do what the pods would do."""
        self.certificates.act()
        with self.acting:
            for lease in self.led:
                keep_lease(self.client, lease, "kserve")

    def stop_leading(self, lease: str) -> None:
        """Let a Lease be renewed no more from now on."""
        with self.acting:
            self.led.discard(lease)

    def install(self) -> None:
        """Bring everything back."""
        with self.acting:
            self.led = set(LEASES)
        while self.undo:
            self.undo.pop()()
        options = {"component": "kserve", "version": "v0.17.0", "wait_timeout": 60.0}
        done(self.entries.applyset(name="kserve", definition=self.bundle, **options))

    def wrong(self) -> dict[str, str]:
        """Return the checks that do not hold, as the role asks for them."""
        found = self.entries.applyset(
            name="kserve", state="gathered", component="kserve", checks=True
        )
        return {each["name"]: each["message"] for each in found["checks"] if not each["ok"]}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    """KServe on a control plane of these tests alone, its pods played."""
    folder = tmp_path_factory.mktemp("webhooks")
    with ControlPlane(nodes="cpu") as plane:
        plane.install_crds(*recorded("cert-manager-crds-synthetic"))
        bundle = recorded("bundle-synthetic")
        names = names_of(bundle)
        certificates = CertManager(plane.client)
        with webhook_server(certificates.authority, names, folder) as port:
            made = answered_here(bundle, port)
            played = Installed(plane.client, Entries(plane.kubeconfig), made, certificates)
            with meanwhile(played.act):
                played.install()
                yield played


@pytest.fixture
def kserve(running: Installed) -> Iterator[Installed]:
    """The same, whole again after each test."""
    yield running
    running.install()


def test_an_installed_release_passes_every_check_of_its_managers(kserve: Installed) -> None:
    assert kserve.wrong() == {}


def _no_lease(kserve: Installed) -> None:
    kserve.stop_leading(LLM_LEASE)
    kserve.client.delete(thing("coordination.k8s.io/v1", "Lease", LLM_LEASE, "kserve"))


def _stale_lease(kserve: Installed) -> None:
    kserve.stop_leading(KSERVE_LEASE)
    lease = thing("coordination.k8s.io/v1", "Lease", KSERVE_LEASE, "kserve")
    kserve.client.patch(lease, {"spec": {"leaseDurationSeconds": 1}})


def _no_webhook(kserve: Installed) -> None:
    name = f"trainedmodel.{_KSERVE}"
    kserve.client.delete(thing(_ADMISSION, "ValidatingWebhookConfiguration", name))


def _unserved_version(kserve: Installed) -> None:
    _change_versions(kserve.client, {"v1alpha1": {"served": False}})


def _other_storage(kserve: Installed) -> None:
    client = kserve.client
    crd = _change_versions(client, {"v1alpha1": {"storage": True}, "v1alpha2": {"storage": False}})

    def undo() -> None:
        client.patch(crd, {"spec": {"versions": crd["spec"]["versions"]}})
        client.patch_status(crd, {"storedVersions": ["v1alpha2"]})

    kserve.undo.append(undo)


def _change_versions(client: Client, changes: dict[str, Json]) -> Json:
    crd = client.get(*_CRD, f"llminferenceservices.{_KSERVE}")
    assert crd is not None
    versions = [each | changes.get(each["name"], {}) for each in crd["spec"]["versions"]]
    client.patch(crd, {"spec": {"versions": versions}})
    return crd


def _no_crd(kserve: Installed) -> None:
    crd = thing(*_CRD, f"localmodelnodegroups.{_KSERVE}")
    kserve.client.delete(crd)
    kserve.client.wait_for(crd, lambda live: live is None)


def _certificate(hosts: str, lifetime: int = 1) -> Callable[[Installed], None]:
    def change(kserve: Installed) -> None:
        authority = kserve.certificates.authority
        pair = authority.server(hosts, [hosts], datetime.timedelta(minutes=lifetime))
        data = {"tls.crt": base64.b64encode(pair.certificate.encode()).decode()}
        secret = kserve.client.get("v1", "Secret", "localmodel-webhook-server-cert", "kserve")
        assert secret is not None
        kserve.undo.append(lambda: kserve.client.patch(secret, {"data": secret["data"]}))
        kserve.client.patch(secret, {"data": data})

    return change


def _two_local_managers(kserve: Installed) -> None:
    name = "kserve-localmodel-controller-manager"
    workload = thing("apps/v1", "Deployment", name, "kserve")
    kserve.undo.append(lambda: kserve.client.patch(workload, {"spec": {"replicas": 1}}))
    kserve.client.patch(workload, {"spec": {"replicas": 2}})
    kserve.client.wait_for(workload, lambda live: (live or {})["status"].get("readyReplicas") == 2)


def _no_agent(kserve: Installed) -> None:
    name = "kserve-localmodelnode-agent"
    kserve.client.delete(thing("apps/v1", "DaemonSet", name, "kserve"))


def _cache(kserve: Installed) -> None:
    spec = {"sourceModelUri": "hf://org/m", "modelSize": "1Gi", "nodeGroups": ["gpus"]}
    cache = thing(f"{_KSERVE}/v1alpha1", "LocalModelCache", "m", spec=spec)
    kserve.undo.append(lambda: kserve.client.delete(cache))
    kserve.client.create(cache)


_WEBHOOK = "localmodel-webhook-server-service.kserve.svc"


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        pytest.param(_no_lease, {f"leader/{LLM_LEASE}": "there is no such Lease"}, id="lease"),
        pytest.param(_stale_lease, {f"leader/{KSERVE_LEASE}": "does not renew it"}, id="renewal"),
        pytest.param(
            _no_webhook,
            {f"webhook/trainedmodel.{_KSERVE}": "does not exist: what it would refuse is stored"},
            id="webhook",
        ),
        pytest.param(
            _unserved_version,
            {f"version/llminferenceservices.{_KSERVE}": "it does not serve v1alpha1"},
            id="version",
        ),
        pytest.param(
            _other_storage,
            {
                f"version/llminferenceservices.{_KSERVE}": "kept in v1alpha1, and llmisvc-controller-manager keeps them in v1alpha2",
                f"crd/llminferenceservices.{_KSERVE}": "may still be kept in v1alpha2",
            },
            id="storage",
        ),
        pytest.param(
            _no_crd,
            {f"crd/localmodelnodegroups.{_KSERVE}": "kserve-localmodel-controller-manager works"},
            id="crd",
        ),
        pytest.param(
            _certificate(_WEBHOOK, -1),
            {f"authority/localmodelcache.{_KSERVE}": "its certificate expired on"},
            id="expired",
        ),
        pytest.param(
            _certificate("elsewhere.kserve.svc"),
            {f"authority/localmodelcache.{_KSERVE}": f"its certificate is not for {_WEBHOOK}"},
            id="name",
        ),
        pytest.param(
            _two_local_managers,
            {"leader/kserve-local-model-manager-leader-lock": "2 pods work at the same time"},
            id="replicas",
        ),
        pytest.param(
            _cache,
            {"nodes/kserve-localmodelnode-agent": "label nodes kserve/localmodel=worker"},
            id="nodes",
        ),
    ],
)
def test_what_is_wrong_with_a_manager_is_told_with_its_reason(
    kserve: Installed, spoil: Callable[[Installed], None], told: dict[str, str]
) -> None:
    spoil(kserve)
    wrong = kserve.wrong()
    assert wrong.keys() == told.keys(), wrong
    for name, text in told.items():
        assert text in wrong[name]


def test_a_component_whose_manager_is_gone_says_which(kserve: Installed) -> None:
    _no_agent(kserve)
    found = kserve.entries.applyset(
        name="kserve", state="gathered", component="kserve_localmodel", checks=True
    )
    wrong = {each["name"]: each["message"] for each in found["checks"] if not each["ok"]}
    assert wrong == {"manager/kserve-localmodelnode-agent": "the set holds no such DaemonSet"}
