# SPDX-License-Identifier: GPL-3.0-or-later
"""What the server stores in another form than it is sent costs one more write at first, and none in later runs.

Where tools that decide by themselves whether an apply is needed went wrong: one test for each report, with real objects.

What they have in common: an apply that the server would act on is sent, and what an apply cannot change is not sent for ever.
Not here, since it cannot happen to us:

| reported elsewhere | why not here |
|---|---|
| `stringData` is owned but stored as `data` | no child of ours sends the content of a Secret |
| the server sorts a list (topology variables) | none of our kinds does; the order of what is keyed is a test |
| an annotation grows beyond 256 KiB | ours hold hashes and a name, whatever the size of the object |
| entries of client-side applies | they are of other managers; taking over such objects is `adopt` |
"""

from __future__ import annotations

import pytest

from module_utils.kube.manifest import Json
from tests.lab.client import Client

from .support.engine import Engine
from .support.replaced import (
    CONTAINER,
    DEPLOYMENT,
    ROUTE,
    live,
    pods,
    replace_without_trace,
    route,
)

SETTLED = "inference.modelops.io/settled"


def settles(
    client: Client, made: Engine, kind: tuple[str, str], body: Json, warning: str = ""
) -> Json:
    """Apply an object and see that no later run writes; return it. warning: what each run says."""
    wanted = made.child(*kind, body)
    first = made.run(wanted)
    assert first.actions["x"] == "created"
    for ran in (first, made.run(wanted), made.run(wanted)):
        assert warning in ran.warnings
        assert bool(warning) == bool(ran.warnings)
        assert ran is first or (ran.writes, ran.reasons) == (0, "")
    return live(client, made, kind)


#: By name: kind, content, whether the object needs a mark, and what is warned about.
CHANGED_FORM: dict[str, tuple[tuple[str, str], Json, bool, str]] = {
    "quantities": (
        DEPLOYMENT,
        pods({"resources": {"limits": {"cpu": "1000m", "memory": "1024Mi"}}}),
        True,
        "",
    ),
    "empty text": (DEPLOYMENT, pods({"env": [{"name": "EMPTY", "value": ""}]}), True, ""),
    "empty list": (DEPLOYMENT, pods({"args": []}), True, ""),
    "empty list of rules": (("rbac.authorization.k8s.io/v1", "Role"), {"rules": []}, True, ""),
    "feature behind a gate": (
        ("v1", "PersistentVolumeClaim"),
        {
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}},
                "dataSourceRef": {"kind": "PersistentVolumeClaim", "name": "y", "namespace": "z"},
            }
        },
        True,
        "dataSourceRef was removed",
    ),
    "defaults of a claim template": (
        ("apps/v1", "StatefulSet"),
        {
            "spec": {
                "replicas": 0,
                "serviceName": "x",
                "selector": {"matchLabels": {"app": "x"}},
                "template": pods()["spec"]["template"],
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
        False,
        "",
    ),
    "default of a field reference": (
        DEPLOYMENT,
        pods({"env": [{"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}]}),
        False,
        "",
    ),
    "defaults of a route": (ROUTE, route(), False, ""),
    "key completed by a default": (
        DEPLOYMENT,
        pods({"ports": [{"containerPort": 8000}]}),
        False,
        "",
    ),
    "integer written as a float": (DEPLOYMENT, pods(minReadySeconds=5.0), False, ""),
    "number or text": (
        ("policy/v1", "PodDisruptionBudget"),
        {"spec": {"minAvailable": "50%", "selector": {"matchLabels": {"app": "x"}}}},
        False,
        "",
    ),
    "duration of a custom resource": (
        ROUTE,
        route(rules=[{"backendRefs": [{"name": "a", "port": 80}], "timeouts": {"request": "60s"}}]),
        False,
        "",
    ),
}


@pytest.mark.parametrize("name", CHANGED_FORM)
def test_other_form_costs_no_write_in_later_runs(client: Client, made: Engine, name: str) -> None:
    kind, body, marked, warning = CHANGED_FORM[name]
    stored = settles(client, made, kind, body, warning)
    assert (SETTLED in stored["metadata"]["annotations"]) is marked


def test_mark_proves_nothing_once_somebody_touched_the_object(client: Client, made: Engine) -> None:
    body = pods({"args": []})
    settles(client, made, DEPLOYMENT, body)
    changed = live(client, made, DEPLOYMENT)
    changed["spec"]["template"]["spec"]["containers"][0]["image"] = "other:2"
    replace_without_trace(client, changed)
    wanted = made.child(*DEPLOYMENT, body)
    assert made.run(wanted).changed
    assert (
        live(client, made, DEPLOYMENT)["spec"]["template"]["spec"]["containers"][0]["image"]
        == (CONTAINER["image"])
    )
    assert made.run(wanted).writes == 0


def test_mark_goes_with_what_made_it_necessary(client: Client, made: Engine) -> None:
    settles(client, made, DEPLOYMENT, pods({"args": []}))
    wanted = made.child(*DEPLOYMENT, pods())
    assert made.run(wanted).writes == 1
    assert SETTLED not in live(client, made, DEPLOYMENT)["metadata"]["annotations"]
    assert made.run(wanted).writes == 0
