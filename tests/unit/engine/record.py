# SPDX-License-Identifier: GPL-3.0-or-later
"""Records what a real API server makes of our applies: `python -m tests.unit.engine.record KUBECONFIG`.

To be run once for a Kubernetes version, on an empty lab (`python -m tests.lab up`); the tests read `recordings/` alone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from module_utils.cluster.connection import connect
from module_utils.engine.desired import Desired, desired
from module_utils.engine.policy import Policy
from module_utils.fleet.load import load_fleet
from module_utils.fleet.release_finder import ReleaseFinder
from module_utils.fleet.settings import Settings
from module_utils.kinds.model_service.kind import MODEL_SERVICE
from module_utils.kube.intent import Child, Stage
from module_utils.kube.manifest import Json, Manifest
from module_utils.kube.reference import Reference
from module_utils.reconcile.reconciler import Reconciler
from module_utils.reconcile.run import Run
from module_utils.task.manifest_loader import given
from tests.cluster.support.services import full, small
from tests.lab import crds
from tests.lab.client import Client
from tests.objects import thing

from .recorded import FOLDER, to_json

OURS = "modelops.inference"
NAMESPACE = "recorded"
PARENT = Reference("v1", "ConfigMap", NAMESPACE, "parent")
SERVICE = Reference(MODEL_SERVICE.api_version, MODEL_SERVICE.kind, NAMESPACE, "parent")


def main() -> None:
    """Record the children of a service, and what others do to objects of ours."""
    path = Path(sys.argv[1])
    client = Client.of(path)
    crds.install(client, [MODEL_SERVICE.crd()])
    client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    _save("service", _service(path, client))
    uid = client.apply(thing("v1", "ConfigMap", PARENT.name, NAMESPACE))["metadata"]["uid"]
    _save("stored", [_stored(client, uid, *case) for case in STORED])
    _save("changed", [_changed(client, uid, *case) for case in CHANGED])


def _save(name: str, cases: list[Json]) -> None:
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    (FOLDER / f"{name}.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def _service(path: Path, client: Client) -> list[Json]:
    """Reconcile one service with a child of every kind and one whose replicas are nobody's; return each object."""
    documents = [full("chat", NAMESPACE), small("small", NAMESPACE)]
    services, _none = load_fleet(
        given("services", documents), Settings({}, {}), None, skip_invalid=False
    )
    with connect({"kubeconfig": str(path), "environment": {}}) as cluster:
        for dummy in range(2):
            releases = ReleaseFinder(cluster, Policy().fleet, [NAMESPACE], {})
            run = Run(
                cluster,
                Policy(),
                releases,
                reconciler="direct",
                skip_invalid=False,
                fit="ignore",
            )
            reconciler = Reconciler(run)
            reconciler.run(services)
    return [
        _case(str(wanted.reference), wanted, plan.owner_uid if wanted.parent else "", live)
        for plan in reconciler.done.plans
        for wanted in (plan.parent, *plan.children)
        if (live := _read(client, wanted.reference))
    ]


def _case(name: str, wanted: Desired, uid: str, live: Json, **more: Any) -> Json:
    return {"name": name, "desired": to_json(wanted), "uid": uid, "live": live, **more}


def _read(client: Client, wanted: Reference) -> Json | None:
    """Return an object as a run lists it: Secrets without their data."""
    found = client.get(wanted.api_version, wanted.kind, wanted.name, wanted.namespace)
    if found and wanted.kind == "Secret":
        found.pop("data", None)
    return found


def wanted_object(name: str, api_version: str, kind: str, body: Json) -> Desired:
    """Return an object as the engine applies it."""
    manifest = Manifest(api_version, kind, name, NAMESPACE, labels={"app": name}, body=body)
    return desired(Child(Stage.WORKLOAD, manifest), SERVICE, "default").owned_by(PARENT)


def _stored(client: Client, uid: str, name: str, api_version: str, kind: str, body: Json) -> Json:
    """Apply an object twice; `settles`: the second apply bumps nothing."""
    wanted = wanted_object(name, api_version, kind, body)
    first = client.apply(wanted.manifest(uid), manager=OURS)
    second = client.apply(wanted.manifest(uid), manager=OURS)
    versions = [each["metadata"]["resourceVersion"] for each in (first, second)]
    return _case(name, wanted, uid, second, settles=versions[0] == versions[1])


def pod(*containers: Json, **spec: Any) -> Json:
    """Return a pod template."""
    return {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": list(containers), **spec}}


def deployment(*containers: Json, **spec: Any) -> Json:
    """Return what is in a Deployment of no pods, so that nobody writes a status meanwhile."""
    selector = {"matchLabels": {"app": "x"}}
    return {"spec": {"replicas": 0, "selector": selector, "template": pod(*containers, **spec)}}


CONTAINER: Json = {
    "name": "main",
    "image": "registry.example.com/main:1.0",
    "env": [{"name": "FIRST", "value": "1"}, {"name": "SECOND", "value": "$(FIRST)"}],
    "ports": [{"name": "http", "containerPort": 8000, "protocol": "TCP"}],
}
#: name, apiVersion, kind, body: what servers store in another form than it is sent.
STORED: tuple[tuple[str, str, str, Json], ...] = (
    ("plain", "apps/v1", "Deployment", deployment(CONTAINER)),
    (
        "quantities",
        "apps/v1",
        "Deployment",
        deployment({**CONTAINER, "resources": {"limits": {"cpu": "1000m", "memory": "1024Mi"}}}),
    ),
    (
        "empty-text",
        "apps/v1",
        "Deployment",
        deployment({**CONTAINER, "env": [{"name": "EMPTY", "value": ""}]}),
    ),
    ("empty-list", "apps/v1", "Deployment", deployment({**CONTAINER, "args": []})),
    (
        "port-without-protocol",
        "apps/v1",
        "Deployment",
        deployment({**CONTAINER, "ports": [{"containerPort": 8000}]}),
    ),
    (
        "field-reference",
        "apps/v1",
        "Deployment",
        deployment(
            {
                **CONTAINER,
                "env": [{"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
            }
        ),
    ),
    (
        "empty-dir",
        "apps/v1",
        "Deployment",
        deployment(CONTAINER, volumes=[{"name": "tmp", "emptyDir": {}}]),
    ),
    (
        "claim-templates",
        "apps/v1",
        "StatefulSet",
        {
            "spec": {
                **deployment(CONTAINER)["spec"],
                "serviceName": "x",
                "volumeClaimTemplates": [
                    {
                        "metadata": {"name": "data"},
                        "spec": {
                            "accessModes": ["ReadWriteOnce"],
                            "resources": {"requests": {"storage": "1Gi"}},
                        },
                    }
                ],
            }
        },
    ),
    (
        "number-or-text",
        "policy/v1",
        "PodDisruptionBudget",
        {"spec": {"minAvailable": "50%", "selector": {"matchLabels": {"app": "x"}}}},
    ),
    (
        "service",
        "v1",
        "Service",
        {"spec": {"selector": {"app": "x"}, "ports": [{"port": 80, "protocol": "TCP"}]}},
    ),
    (
        "route",
        "gateway.networking.k8s.io/v1",
        "HTTPRoute",
        {
            "spec": {
                "parentRefs": [{"name": "edge"}],
                "rules": [
                    {"backendRefs": [{"name": "a", "port": 80, "weight": 5}]},
                    {"backendRefs": [{"name": "b", "port": 80}]},
                ],
            }
        },
    ),
    ("config", "v1", "ConfigMap", {"data": {"key": "value", "text": "über <&> 日本"}}),
)

Do = Callable[[Client, Json], Any]


def _container(change: Callable[[Json], Any]) -> Do:
    def act(client: Client, live: Json) -> None:
        change(live["spec"]["template"]["spec"]["containers"][0])
        for name in ("managedFields", "resourceVersion"):
            live["metadata"].pop(name)
        client.request(
            "PUT",
            client.path("apps/v1", "Deployment", NAMESPACE, live["metadata"]["name"]),
            query={"fieldManager": "kubectl-edit"},
            body=live,
        )

    return act


def _patch(patch: Json, **options: Any) -> Do:
    return lambda client, live: client.patch(live, patch, **options)


def _applied(manager: str, body: Json) -> Do:
    def act(client: Client, live: Json) -> None:
        meta = {key: live["metadata"][key] for key in ("name", "namespace")}
        identity = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta}
        client.apply(_merged(identity, body), manager=manager)

    return act


def _merged(one: Json, other: Json) -> Json:
    return {
        **one,
        **{
            key: _merged(one[key], value) if isinstance(one.get(key), dict) else value
            for key, value in other.items()
        },
    }


def _in_front(client: Client, live: Json) -> None:
    """Add a container as an injector does that names no manager of its own."""
    inject = {"name": "sidecar", "image": "sidecar:1"}
    client.request(
        "PATCH",
        client.path("apps/v1", "Deployment", NAMESPACE, live["metadata"]["name"]),
        body=[{"op": "add", "path": "/spec/template/spec/containers/0", "value": inject}],
        content_type="application/json-patch+json",
    )


def _again(client: Client, live: Json) -> None:
    manifest = {key: live[key] for key in ("apiVersion", "kind", "spec")}
    kept = {key: live["metadata"][key] for key in ("name", "namespace", "labels", "annotations")}
    client.delete(live)
    client.wait_for(live, lambda found: found is None)
    client.create({**manifest, "metadata": kept}, fieldManager="velero")


#: name, what somebody does, whether an apply of ours puts something back.
CHANGED: tuple[tuple[str, Do], ...] = (
    ("nothing", lambda _client, _live: None),
    ("a status is written", _patch({"status": {"observedGeneration": 7}}, subresource="status")),
    ("somebody adds an annotation", _patch({"metadata": {"annotations": {"theirs": "x"}}})),
    ("somebody adds a label", _applied("other", {"metadata": {"labels": {"theirs": "x"}}})),
    ("somebody adds an owner of the same field", _applied("other", {"spec": {"replicas": 0}})),
    ("somebody sets a field that we leave alone", _patch({"spec": {"minReadySeconds": 5}})),
    ("somebody changes the image", _container(lambda c: c.update(image="other:2"))),
    ("somebody changes an environment value", _container(lambda c: c["env"][0].update(value="2"))),
    ("somebody adds an environment variable", _container(lambda c: c["env"].append({"name": "X"}))),
    (
        "somebody adds an environment variable in front",
        _container(lambda c: c["env"].insert(0, {"name": "X"})),
    ),
    ("somebody adds a container in front", _in_front),
    ("somebody removes an environment variable", _container(lambda c: c["env"].pop(1))),
    ("somebody reorders the environment", _container(lambda c: c["env"].reverse())),
    ("somebody changes a label of ours", _patch({"metadata": {"labels": {"app": "y"}}})),
    ("somebody removes a label of ours", _patch({"metadata": {"labels": {"app": None}}})),
    ("somebody scales", _patch({"spec": {"replicas": 1}}, subresource="scale")),
    ("another applier takes a field", _applied("other", {"spec": {"replicas": 2}})),
    ("somebody removes the owner", _patch({"metadata": {"ownerReferences": None}})),
    ("the managed fields are wiped", _patch({"metadata": {"managedFields": [{}]}})),
    ("a backup is restored", _again),
)


def _changed(client: Client, uid: str, name: str, act: Do) -> Json:
    """Let somebody act on an object of ours, then apply it again as a dry run, and in earnest."""
    key = f"changed-{[case[0] for case in CHANGED].index(name)}"
    wanted = wanted_object(key, "apps/v1", "Deployment", deployment(CONTAINER))
    client.apply(wanted.manifest(uid), manager=OURS)
    act(client, there(client, wanted.reference))
    live = there(client, wanted.reference)
    after = client.apply(wanted.manifest(uid), manager=OURS)
    return _case(name, wanted, uid, live, after=after)


def there(client: Client, wanted: Reference) -> Json:
    """Return an object that has to be there."""
    found = _read(client, wanted)
    if found is None:
        raise LookupError(str(wanted))
    return found


if __name__ == "__main__":
    main()
