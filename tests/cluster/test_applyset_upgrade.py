# SPDX-License-Identifier: GPL-3.0-or-later
"""What an upgrade may break, and does not: edits of people, services without a mode, controllers that look only once, readable objects.

Pods get ready by kwok; certificates and the converter are played by this test, over real TLS.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import build
from tests.lab.client import Client
from tests.lab.control_plane import ControlPlane
from tests.lab.faults import writes
from tests.lab.proxy import Proxy
from tests.objects import thing

from .support.broken_pods import meanwhile
from .support.bundles import config, crd, deployment
from .support.entries import Entries
from .support.places import on, own_namespace
from .support.played_controllers import CertManager, webhook_server
from .support.webhook import deny, webhook
from .test_applyset import done, refused
from .test_applyset_order import converted, recorded

Json = dict[str, Any]
CONFIG = "inferenceservice-config"
MODE = "serving.kserve.io/deploymentMode"


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    """A control plane of these tests alone, with cert-manager's kinds and InferenceServices."""
    with ControlPlane(nodes="cpu") as running:
        running.install_crds(*recorded("cert-manager-crds-synthetic"))
        running.install_crds(crd("serving.kserve.io", "InferenceService", ("v1beta1",)))
        yield running


client, entries = on("plane")


place = own_namespace("up")


def settings(place: str, **data: Any) -> Json:
    """Return a ConfigMap of JSON texts."""
    texts = {key: v if isinstance(v, str) else json.dumps(v) for key, v in data.items()}
    return config("settings", place, **texts)


def data_of(client: Client, place: str, name: str = "settings") -> Json:
    """Return what a ConfigMap holds now."""
    live = client.get("v1", "ConfigMap", name, place)
    assert live is not None
    return {key: _value(text) for key, text in live["data"].items()}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def test_edits_of_people_stay_and_the_rest_follows_the_release(
    entries: Entries, plane: ControlPlane, client: Client, place: str
) -> None:
    options = {"name": "demo", "namespace": place, "keep_edits": ["settings"]}
    first = settings(place, deploy={"mode": "A", "x": 1}, level="one")
    done(entries.applyset(**options, definition=first))
    edit = {"deploy": json.dumps({"mode": "B", "x": 1}), "own": "theirs"}
    client.patch(config("settings", place), {"data": edit})
    assert entries.applyset(**options, definition=first)["edits"] == [
        {
            "kind": "ConfigMap",
            "namespace": place,
            "name": "settings",
            "path": "deploy.mode",
            "clash": False,
        }
    ]
    with Proxy(plane) as proxy:
        again = Entries(proxy.kubeconfig).applyset(**options, definition=first)
        assert (again["changed"], proxy.count(writes())) == (False, 0)
    second = settings(place, deploy={"mode": "A", "x": 2, "new": True}, level="two")
    upgraded = entries.applyset(**options, definition=second)
    assert upgraded["warnings"] == []
    kept = {"mode": "B", "x": 2, "new": True}
    assert data_of(client, place) == {"deploy": kept, "level": "two", "own": "theirs"}
    third = settings(place, deploy={"mode": "C", "x": 2}, level="two")
    clash = entries.applyset(**options, definition=third)
    assert [text for text in clash["warnings"] if 'deploy.mode is "B"' in text]
    assert data_of(client, place)["deploy"] == {"mode": "B", "x": 2}
    assert entries.applyset(**options, definition=third, state="gathered")["drift"] == []
    said = {"config": {"settings": {"deploy": {"mode": "C"}}}}
    done(entries.applyset(**options, definition=third, transform=said))
    assert data_of(client, place)["deploy"]["mode"] == "C"
    client.patch(config("settings", place), {"data": {"level": "mine"}})
    done(entries.applyset(**{**options, "keep_edits": []}, definition=third))
    assert data_of(client, place)["level"] == "two"


def test_what_kubectl_applied_is_taken_over_whole_and_what_people_edited_stays(
    entries: Entries, plane: ControlPlane, client: Client, place: str, tmp_path: Path
) -> None:
    old = deployment("web", place)
    old["spec"]["minReadySeconds"] = 3
    bundle = [settings(place, deploy={"mode": "A", "image": "r/agent:v1"}, gone="x"), old]
    file = tmp_path / "old.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": bundle}))
    subprocess.run(
        [build.program("kubectl"), "apply", "-f", file],
        env={**os.environ, "KUBECONFIG": str(plane.kubeconfig)},
        check=True,
        capture_output=True,
    )
    edit = {"deploy": json.dumps({"mode": "B", "image": "r/agent:v1"}), "own": "theirs"}
    client.patch(config("settings", place), {"data": edit})
    new = [settings(place, deploy={"mode": "A", "image": "r/agent:v2"}), deployment("web", place)]
    options = {"name": "demo", "namespace": place, "keep_edits": ["settings"]}
    assert "adopt: true" in refused(entries.applyset(**options, definition=new))
    done(entries.applyset(**options, definition=new, adopt=True))
    merged = {"mode": "B", "image": "r/agent:v2"}
    assert data_of(client, place) == {"deploy": merged, "own": "theirs"}
    live = client.get("apps/v1", "Deployment", "web", place)
    assert live is not None
    assert "minReadySeconds" not in live["spec"]
    assert not [key for key in live["metadata"]["annotations"] if key.startswith("kubectl.")]
    assert done(entries.applyset(**options, definition=new)) == {}


def kserve(place: str, **deploy: str) -> list[Json]:
    """Return the parts of KServe that upgrades speak of."""
    texts = {"deploy": json.dumps(deploy), "logger": json.dumps({"image": "kserve/agent:v0.17.0"})}
    return [config(CONFIG, place, **texts), deployment("kserve-controller-manager", place)]


def test_a_controller_starts_anew_once_an_optional_kind_or_a_setting_of_its_start_comes(
    entries: Entries, plane: ControlPlane, place: str
) -> None:
    options = {"name": "kserve", "namespace": place, "wait_timeout": 90.0}
    bundle = kserve(place, defaultDeploymentMode="Knative")
    done(entries.applyset(**options, definition=bundle, component="kserve"))
    look = {"state": "gathered", "name": "kserve", "namespace": place, "checks": True}
    name = "start/kserve-controller-manager"
    assert [each["ok"] for each in entries.applyset(**look)["checks"] if each["name"] == name] == [
        True
    ]
    plane.install_crds(crd("keda.sh", "ScaledObject", ("v1alpha1",)))
    checked = entries.applyset(**look)
    wrong = next(each for each in checked["checks"] if each["name"] == name)
    assert "it started before ScaledObject.keda.sh existed" in wrong["message"]
    assert name in checked["msg"]
    # The component is noted with the set.
    assert done(entries.applyset(**options, definition=bundle)) == {
        "Deployment/kserve-controller-manager": "updated"
    }
    assert done(entries.applyset(**options, definition=bundle)) == {}
    other = kserve(place, defaultDeploymentMode="Standard")
    assert done(entries.applyset(**options, definition=other)) == {
        f"ConfigMap/{CONFIG}": "updated",
        "Deployment/kserve-controller-manager": "updated",
    }
    # What is read again and again starts nothing anew.
    other[0]["data"]["logger"] = json.dumps({"image": "kserve/agent:v0.17.1"})
    assert done(entries.applyset(**options, definition=other)) == {f"ConfigMap/{CONFIG}": "updated"}


def test_a_component_of_an_older_release_beneath_is_named_before_an_upgrade(
    entries: Entries, place: str
) -> None:
    lws = {"name": "lws", "namespace": place, "component": "lws", "wait": False}
    done(entries.applyset(**lws, definition=deployment("lws", place), version="v0.7.0"))
    options = {"name": "kserve", "namespace": place, "component": "kserve", "wait": False}
    bundle = kserve(place, defaultDeploymentMode="Standard")
    told = {}
    for version in ("v0.17.0", "v0.18.0", "v0.18.0"):
        result = entries.applyset(**options, definition=bundle, version=version)
        done(result)
        beneath = [text for text in result["warnings"] if "is made for" in text]
        told.setdefault(version, []).append(beneath)
    (warned, again) = told["v0.18.0"]
    assert (told["v0.17.0"], again) == ([[]], [])
    assert len(warned) == 1
    assert "made for lws v0.8.0, and the cluster has v0.7.0" in warned[0]
    done(entries.applyset(**lws, definition=deployment("lws", place), version="v0.8.0"))
    predicted = entries.applyset(**options, definition=bundle, version="v0.19.0", check_mode=True)
    assert "is made for" not in str(predicted["warnings"])


def test_services_without_a_mode_are_not_moved_by_a_new_default(
    entries: Entries, client: Client, place: str
) -> None:
    options = {"name": "kserve", "namespace": place, "component": "kserve", "wait": False}
    done(entries.applyset(**options, definition=kserve(place, defaultDeploymentMode="Serverless")))
    kind = ("serving.kserve.io/v1beta1", "InferenceService")
    client.create(thing(*kind, "plain", place, spec={}))
    fixed = thing(*kind, "fixed", place, spec={})
    fixed["metadata"]["annotations"] = {MODE: "Knative"}
    client.create(fixed)
    # Only the word differs.
    same = kserve(place, defaultDeploymentMode="Knative")
    done(entries.applyset(**options, definition=same))
    other = kserve(place, defaultDeploymentMode="Standard")
    message = refused(entries.applyset(**options, definition=other))
    assert "defaultDeploymentMode changes from Knative to Standard" in message
    assert f"1 InferenceServices name no mode and would follow: {place}/plain" in message
    client.patch(thing(*kind, "plain", place), {"metadata": {"annotations": {MODE: "Knative"}}})
    done(entries.applyset(**options, definition=other))


def test_legacy_modes_are_named_before_an_upgrade(
    entries: Entries, client: Client, place: str
) -> None:
    options = {"name": "kserve", "namespace": place, "component": "kserve", "wait": False}
    bundle = kserve(place, defaultDeploymentMode="Standard")
    done(entries.applyset(**options, definition=bundle, version="v0.16.0"))
    old = thing("serving.kserve.io/v1beta1", "InferenceService", "old", place, spec={})
    old["metadata"]["annotations"] = {MODE: "RawDeployment"}
    client.create(old)
    message = refused(entries.applyset(**options, definition=bundle, version="v0.17.0"))
    assert "1 InferenceServices still have a deployment mode of releases before 0.16" in message
    assert f"{place}/old" in message
    client.patch(old, {"metadata": {"annotations": {MODE: "Standard"}}})
    done(entries.applyset(**options, definition=bundle, version="v0.17.0"))


def test_objects_stay_readable_when_their_converter_comes_before_the_injector(
    entries: Entries, plane: ControlPlane, client: Client, tmp_path: Path
) -> None:
    group, cert_manager = "brought.example.com", CertManager(plane.client, injects=False)
    space = thing("v1", "Namespace", "conv")
    done(entries.applyset(name="brought", definition=[space, crd(group, versions=("v1alpha1",))]))
    client.create(thing(f"{group}/v1alpha1", "Widget", "w", "conv", spec={"a": 1}))
    names = {"dnsNames": ["converter.conv.svc"], "secretName": "served", "issuerRef": {"name": "x"}}
    runs = [
        space,
        thing("cert-manager.io/v1", "Certificate", "any", "conv", spec=names),
        deployment("converter", "conv"),
        thing(
            "v1",
            "Service",
            "converter",
            "conv",
            spec={"type": "ExternalName", "externalName": "localhost"},
        ),
    ]
    options = {"name": "brought", "wait_timeout": 60.0}
    with (
        webhook_server(cert_manager.authority, names["dnsNames"], tmp_path) as port,
        meanwhile(cert_manager.act),
    ):
        both = converted(group, port, ("v1", "v1alpha1"))
        done(entries.applyset(**options, definition=[*runs, both]))
        for version in ("v1", "v1alpha1"):
            assert client.get(f"{group}/{version}", "Widget", "w", "conv") is not None
        assert done(entries.applyset(**options, definition=[*runs, both])) == {}
    # A release without the converter: what was injected does not stand in its way.
    plain = crd(group, versions=("v1", "v1alpha1"))
    predicted = entries.applyset(**options, definition=[*runs, plain], check_mode=True)
    assert done(predicted) == {f"CustomResourceDefinition/widgets.{group}": "updated"}
    done(entries.applyset(**options, definition=[*runs, plain]))
    live = client.get("apiextensions.k8s.io/v1", "CustomResourceDefinition", f"widgets.{group}")
    assert live is not None
    assert live["spec"]["conversion"] == {"strategy": "None"}
    client.delete(thing(f"{group}/v1", "Widget", "w", "conv"))
    done(entries.applyset(state="absent", name="brought", keep_crds=False))


def test_what_is_in_use_goes_after_what_uses_it(
    entries: Entries, client: Client, place: str, tmp_path: Path
) -> None:
    group = f"{place}.example.com"
    kind = (f"{group}/v1", "Widget")
    done(entries.applyset(name="used", namespace=place, definition=crd(group)))
    for name in ("cache", "service"):
        client.create(thing(*kind, name, place, spec={}))

    def judge(request: Json) -> Json:
        used = request["name"] == "cache" and client.get(*kind, "service", place)
        return deny("a service uses it") if used else {"allowed": True}

    operations = ("CREATE", "DELETE")
    with webhook(client, place, tmp_path, judge, ["widgets"], operations=operations):
        options = {"name": "used", "namespace": place, "state": "absent", "keep_crds": False}
        gone = done(entries.applyset(**options, delete_objects=True))
    assert {"Widget/cache": "deleted", "Widget/service": "deleted"}.items() <= gone.items()
