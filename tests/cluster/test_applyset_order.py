# SPDX-License-Identifier: GPL-3.0-or-later
"""applyset installs and removes what has webhooks and converters: KServe's own objects, on a control plane of their own.

Pods get ready by kwok; certificates, injection and the webhooks' answers are played by this test, over real TLS.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest
import yaml

from module_utils.kube.manifest import Json
from tests.lab import crds
from tests.lab.client import ApiError, Client
from tests.lab.control_plane import ControlPlane
from tests.lab.faults import writes
from tests.lab.proxy import Proxy
from tests.objects import thing

from .support.broken_pods import meanwhile
from .support.bundles import config, crd, deployment, service
from .support.entries import Entries
from .support.played_controllers import CertManager, answered_here, names_of, webhook_server
from .test_applyset import done, refused

#: Of the Go modules of the projects, untouched.
REAL = ("gateway-api", "inference-extension", "lws", "prometheus")
RECORDED = Path(__file__).parents[1] / "parity" / "recordings" / "install"


def recorded(name: str) -> list[Json]:
    """Return the objects of a recorded bundle."""
    text = (RECORDED / f"{name}.yaml").read_text(encoding="utf-8")
    return [each for each in yaml.safe_load_all(text) if each]


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    """A control plane of these tests alone: webhooks on custom resources are of the whole cluster."""
    with ControlPlane(nodes="cpu") as running:
        yield running


@pytest.fixture(scope="module")
def certificates(plane: ControlPlane) -> CertManager:
    """cert-manager, played."""
    return CertManager(plane.client)


@pytest.fixture
def kserve(certificates: CertManager, tmp_path: Path) -> Iterator[list[Json]]:
    """KServe's bundle, its webhooks answered here."""
    bundle = recorded("bundle-synthetic")
    names = names_of(bundle)
    with (
        webhook_server(certificates.authority, names, tmp_path) as port,
        meanwhile(certificates.act),
    ):
        yield answered_here(bundle, port)


@pytest.fixture
def kserve_entries(plane: ControlPlane) -> Entries:
    """The modules on that control plane."""
    return Entries(plane.kubeconfig)


def everything(client: Client) -> set[str]:
    """Return the names of all that a bundle may leave behind."""
    kinds = [
        ("v1", "Namespace"),
        ("v1", "ConfigMap"),
        ("v1", "Secret"),
        ("v1", "Service"),
        ("v1", "ServiceAccount"),
        ("apps/v1", "Deployment"),
        ("apps/v1", "DaemonSet"),
        ("rbac.authorization.k8s.io/v1", "Role"),
        ("rbac.authorization.k8s.io/v1", "RoleBinding"),
        ("rbac.authorization.k8s.io/v1", "ClusterRole"),
        ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
        ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
        ("coordination.k8s.io/v1", "Lease"),
    ]
    return {
        f"{kind} {each['metadata'].get('namespace', '')}/{each['metadata']['name']}"
        for api_version, kind in kinds
        for each in client.list_all(api_version, kind)
        if each["metadata"].get("namespace") != "kube-node-lease"
    }


def test_kserve_is_installed_left_alone_and_removed_without_a_trace(
    kserve_entries: Entries, plane: ControlPlane, kserve: list[Json], certificates: CertManager
) -> None:
    client = plane.client
    options = {"name": "kserve", "namespace": "default", "wait_timeout": 60.0}
    message = refused(kserve_entries.applyset(**options, definition=kserve))
    assert message.count("install cert-manager") == 4
    assert client.get("v1", "Namespace", "kserve") is None
    plane.install_crds(*recorded("cert-manager-crds-synthetic"))
    before = everything(client)
    with Proxy(plane) as proxy:
        counted = Entries(proxy.kubeconfig)
        first = counted.applyset(**options, definition=kserve)
        assert len(done(first)) == len(kserve) + 1
        made = [record.resource.plural for record in proxy.records if writes()(record)]
        _check_order(made)
        proxy.reset()
        again = counted.applyset(**options, definition=kserve)
        assert done(again) == {}
        assert (proxy.count(writes()), again["unchanged"]) == (0, len(kserve))
        assert proxy.requests <= 30
    for kind in ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"):
        for each in client.list_all("admissionregistration.k8s.io/v1", kind):
            for entry in each["webhooks"]:
                assert entry["clientConfig"]["caBundle"] == certificates.bundle
    removed = kserve_entries.applyset(state="absent", name="kserve", keep_crds=False)
    assert len(done(removed)) == len(kserve) + 1
    assert everything(client) - before == set()


def _check_order(made: list[str]) -> None:
    """What is written, in order: a webhook comes after the workloads, and an object of its kind after the webhook."""
    last_workload = max(
        place for place, each in enumerate(made) if each in ("deployments", "daemonsets")
    )
    first_webhook = made.index("validatingwebhookconfigurations")
    assert max(
        place for place, each in enumerate(made) if each == "customresourcedefinitions"
    ) < made.index("serviceaccounts")
    assert made.index("certificates") < made.index("deployments")
    assert last_workload < first_webhook < made.index("clusterstoragecontainers")


def test_webhooks_are_not_left_behind_by_workloads_that_do_not_start(
    kserve_entries: Entries, plane: ControlPlane
) -> None:
    broken = deployment("web", "stuck")
    broken["spec"]["template"]["spec"]["nodeSelector"] = {"no": "such-node"}
    hook = thing(
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        "stuck",
        webhooks=[],
    )
    definition = [thing("v1", "Namespace", "stuck"), broken, hook, config("one", "stuck")]
    result = kserve_entries.applyset(name="stuck", definition=definition, wait_timeout=2.0)
    assert result["failed"]
    assert "it does not work after 2 s: Deployment stuck/web: " in result["msg"]
    actions = {
        each["name"]: each["action"] for each in result["objects"] if each["kind"] == hook["kind"]
    }
    assert actions == {"stuck": "skipped"}
    assert plane.client.get(hook["apiVersion"], hook["kind"], "stuck") is None
    assert "Namespace/stuck" in done(kserve_entries.applyset(state="absent", name="stuck"))
    assert plane.client.get("v1", "Namespace", "stuck") is None


def converted(group: str, port: int, versions: tuple[str, ...]) -> Json:
    """Return a CRD whose objects a webhook converts."""
    client = {
        "service": {"name": "converter", "namespace": "conv", "path": "/convert", "port": port}
    }
    conversion = {
        "strategy": "Webhook",
        "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": client},
    }
    found = crd(group, versions=versions, conversion=conversion)
    found["metadata"]["annotations"] = {"cert-manager.io/inject-ca-from": "conv/any"}
    return found


def test_a_converter_is_never_asked_before_it_runs_and_objects_stay_readable(
    kserve_entries: Entries, plane: ControlPlane, certificates: CertManager, tmp_path: Path
) -> None:
    group, client = "conv.example.com", plane.client
    base = [thing("v1", "Namespace", "conv"), crd(group, versions=("v1alpha1",))]
    done(kserve_entries.applyset(name="conv", definition=base))
    client.create(thing(f"{group}/v1alpha1", "Widget", "w", "conv", spec={"a": 1}))
    runs = [deployment("converter", "conv"), service("converter", "conv")]
    with (
        webhook_server(certificates.authority, ["converter.conv.svc"], tmp_path) as port,
        meanwhile(certificates.act),
    ):
        runs[1]["spec"] = {"type": "ExternalName", "externalName": "localhost"}
        upgraded = [base[0], converted(group, port, ("v1", "v1alpha1")), *runs]
        with Proxy(plane) as proxy:
            result = Entries(proxy.kubeconfig).applyset(name="conv", definition=upgraded)
            made = [record.resource.plural for record in proxy.records if writes()(record)]
        assert done(result)["CustomResourceDefinition/widgets.conv.example.com"] == "updated"
        assert made.index("deployments") < made.index("customresourcedefinitions")
        assert client.get(f"{group}/v1", "Widget", "w", "conv") is not None
        # The release after next has forgotten the first version: what is stored in it is moved before.
        later = deepcopy(upgraded)
        later[1] = converted(group, port, ("v1",))
        done(kserve_entries.applyset(name="conv", definition=later))
        live = client.get("apiextensions.k8s.io/v1", "CustomResourceDefinition", f"widgets.{group}")
        assert live is not None
        assert live["status"]["storedVersions"] == ["v1"]
        message = refused(kserve_entries.applyset(state="absent", name="conv", keep_crds=False))
        assert "Widget conv/w" in message
        assert "keep_crds: true" in message
    kept = kserve_entries.applyset(state="absent", name="conv")
    assert done(kept)["CustomResourceDefinition/widgets.conv.example.com"] == "updated"
    assert any("Namespace conv is kept" in warning for warning in kept["warnings"])
    live = client.get("apiextensions.k8s.io/v1", "CustomResourceDefinition", f"widgets.{group}")
    assert live is not None
    assert live["spec"]["conversion"] == {"strategy": "None"}
    assert client.get(f"{group}/v1", "Widget", "w", "conv") is not None


def test_crds_as_their_projects_release_them_are_settled_after_one_install(
    plane: ControlPlane,
) -> None:
    definition = crds.load(*REAL)
    with Proxy(plane) as proxy:
        counted = Entries(proxy.kubeconfig)
        first = counted.applyset(name="real", definition=definition)
        assert len(done(first)) == len(definition) + 1
        proxy.reset()
        again = counted.applyset(name="real", definition=definition)
        assert done(again) == {}
        assert (again["unchanged"], proxy.count(writes())) == (len(definition), 0)
        assert proxy.requests <= 5
        removed = done(counted.applyset(state="absent", name="real", keep_crds=False))
        assert len(removed) == len(definition) + 1


def test_a_release_that_would_lose_stored_objects_is_refused(
    kserve_entries: Entries,
) -> None:
    group = "skip.example.com"
    done(kserve_entries.applyset(name="skip", definition=crd(group, versions=("v1alpha1",))))
    message = refused(kserve_entries.applyset(name="skip", definition=crd(group, versions=("v2",))))
    assert "keeps objects in version v1alpha1" in message
    assert "release in between" in message
    done(kserve_entries.applyset(state="absent", name="skip", keep_crds=False))


def test_a_set_whose_webhook_lost_its_server_is_removed_all_the_same(
    kserve_entries: Entries, plane: ControlPlane, certificates: CertManager, tmp_path: Path
) -> None:
    group, client = "mute.example.com", plane.client
    definition = guarded(group, "mute", ["DELETE"], certificates)
    with webhook_server(certificates.authority, ["mute.mute.svc"], tmp_path) as port:
        done(kserve_entries.applyset(name="mute", definition=answered_here(definition, port)))
    client.delete(service("mute", "mute"))
    with pytest.raises(ApiError):
        client.delete(thing(f"{group}/v1", "Widget", "w", "mute"))
    done(kserve_entries.applyset(state="absent", name="mute", keep_crds=False))
    assert client.get("v1", "Namespace", "mute") is None


def guarded(group: str, name: str, operations: list[str], certificates: CertManager) -> list[Json]:
    """Return a set with an object of a kind that a webhook is asked about."""
    rule = {
        "apiGroups": [group],
        "apiVersions": ["*"],
        "operations": operations,
        "resources": ["*"],
    }
    hook = {
        "name": group,
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "clientConfig": {
            "service": {"name": name, "namespace": name, "path": "/"},
            "caBundle": certificates.bundle,
        },
        "rules": [rule],
    }
    kind = "ValidatingWebhookConfiguration"
    return [
        thing("v1", "Namespace", name),
        crd(group),
        thing("admissionregistration.k8s.io/v1", kind, name, webhooks=[hook]),
        {**service(name, name), "spec": {"type": "ExternalName", "externalName": "localhost"}},
        thing(f"{group}/v1", "Widget", "w", name, spec={}),
    ]


def test_an_object_whose_webhook_starts_late_is_tried_again(
    kserve_entries: Entries, plane: ControlPlane, certificates: CertManager, tmp_path: Path
) -> None:
    group, client = "late.example.com", plane.client
    definition = guarded(group, "late", ["*"], certificates)
    with webhook_server(certificates.authority, ["late.late.svc"], tmp_path) as port:
        pass
    answered_here(definition, port)
    impatient = kserve_entries.applyset(name="late", definition=definition, wait_timeout=1.0)
    assert "failed calling webhook" in impatient["msg"]
    with pytest.raises(ApiError):
        client.create(thing(f"{group}/v1", "Widget", "x", "late", spec={}))
    with webhook_server(certificates.authority, ["late.late.svc"], tmp_path, port):
        assert done(kserve_entries.applyset(name="late", definition=definition)) == {
            "Widget/w": "created"
        }
        refusing = deepcopy(definition)
        refusing[-1]["metadata"]["labels"] = {"refuse": "yes"}
        result = kserve_entries.applyset(name="late", definition=refusing)
        assert "denied the request" in result["msg"]
        done(kserve_entries.applyset(state="absent", name="late", keep_crds=False))
    assert client.get("v1", "Namespace", "late") is None
