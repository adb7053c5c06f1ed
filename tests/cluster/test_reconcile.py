# SPDX-License-Identifier: GPL-3.0-or-later
"""Services are made so, stay so, and come back when somebody changes their children."""

from __future__ import annotations

import pytest

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.proxy import Proxy

from .support.cluster import OWNER, owned, read, there, written_children
from .support.entries import Entries, actions, reasons
from .support.services import (
    CLUSTER_SCOPED,
    children,
    custom_resource,
    deployment,
    full,
    reference,
    small,
)

TAKEN_BACK = "inference.modelops.io/taken-back"


def names(references: list[Json]) -> set[str]:
    return {f"{each['kind']}/{each['metadata']['name']}" for each in references}


def test_first_run_creates_exactly_the_children(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = full("chat", namespace)
    result = entries.reconcile(service)
    assert result["changed"]
    wanted = names(children("chat", namespace))
    assert set(owned(client, service)) == wanted
    assert actions(result) == dict.fromkeys(wanted | {"ModelService/chat"}, "created")


def test_children_are_owned_by_the_custom_resource(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = full("chat", namespace)
    entries.reconcile(service)
    uid = there(client, custom_resource(service))["metadata"]["uid"]
    for name, child in owned(client, service).items():
        owners = child["metadata"].get("ownerReferences", [])
        if child["kind"] in CLUSTER_SCOPED:
            assert owners == [], name
        else:
            assert [owner["uid"] for owner in owners] == [uid], name


def test_second_run_writes_nothing_and_takes_at_most_20_requests(
    entries: Entries, counted: Entries, proxy: Proxy, bare_namespace: str
) -> None:
    fleet = [full(f"chat-{number}", bare_namespace) for number in range(3)]
    entries.reconcile(*fleet)
    entries.run(*fleet, wait=True, wait_timeout=60.0, wait_for="DecodeReady")
    entries.reconcile(*fleet)
    proxy.reset()
    result = counted.reconcile(*fleet)
    assert not result["changed"]
    assert proxy.writes == 0
    assert result["stats"]["writes"] == 0
    assert result["stats"]["requests"] == proxy.requests <= 20
    assert result["stats"]["skipped"] == 3 * (len(children("chat", bare_namespace)) + 1)


def test_requests_and_writes_are_counted_as_the_server_sees_them(
    counted: Entries, proxy: Proxy, namespace: str
) -> None:
    stats = counted.reconcile(small("chat", namespace))["stats"]
    assert stats["requests"] == proxy.requests
    lease_writes = proxy.count(lambda seen: seen.is_write and seen.resource.plural == "leases")
    assert lease_writes > 0
    assert stats["writes"] == proxy.writes - lease_writes


def test_run_after_the_pods_started_changes_nothing(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = small("chat", namespace)
    entries.reconcile(service, wait=True, wait_timeout=60.0)
    before = written_children(client, service)
    result = entries.reconcile(service)
    assert not result["changed"]
    assert written_children(client, service) == before


def test_deleted_children_come_back(entries: Entries, client: Client, namespace: str) -> None:
    service = full("chat", namespace)
    entries.reconcile(service)
    for child in children("chat", namespace):
        client.delete(child)
    # A pool or a Deployment may be held for a moment by its finalizers.
    for child in children("chat", namespace):
        client.wait_for(child, lambda found: found is None)
    result = entries.reconcile(service)
    assert actions(result) == dict.fromkeys(names(children("chat", namespace)), "created")
    assert set(owned(client, service)) == names(children("chat", namespace))
    assert not entries.reconcile(service)["changed"]


#: What somebody does to each child that has something to change: kind and name → merge patch.
EDITS: dict[tuple[str, str, str], Json] = {
    ("v1", "ConfigMap", "chat-epp-config"): {"data": None},
    ("v1", "Service", "chat-epp"): {"spec": {"selector": {"inferencepool": "other"}}},
    ("rbac.authorization.k8s.io/v1", "Role", "chat-epp"): {"rules": []},
    ("rbac.authorization.k8s.io/v1", "RoleBinding", "chat-epp"): {"subjects": []},
    ("rbac.authorization.k8s.io/v1", "ClusterRole", "NAMESPACE-chat-epp"): {"rules": []},
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "NAMESPACE-chat-epp"): {"subjects": []},
    ("apps/v1", "Deployment", "chat-decode"): {"spec": {"replicas": 7}},
    ("apps/v1", "Deployment", "chat-prefill"): {
        "spec": {"template": {"spec": {"securityContext": {"runAsNonRoot": False}}}}
    },
    ("apps/v1", "Deployment", "chat-epp"): {
        "spec": {"template": {"spec": {"serviceAccountName": "default"}}}
    },
    ("inference.networking.k8s.io/v1", "InferencePool", "chat"): {
        "spec": {"endpointPickerRef": {"failureMode": "FailClose"}}
    },
    ("gateway.networking.k8s.io/v1", "HTTPRoute", "chat"): {
        "spec": {"parentRefs": [{"name": "elsewhere"}]}
    },
    ("networking.istio.io/v1beta1", "DestinationRule", "chat-epp"): {
        "spec": {"host": "elsewhere.example.com"}
    },
    ("monitoring.coreos.com/v1", "PodMonitor", "chat-decode"): {
        "spec": {"podMetricsEndpoints": [{"port": "http", "interval": "1s"}]}
    },
    ("monitoring.coreos.com/v1", "ServiceMonitor", "chat-epp"): {
        "spec": {"endpoints": [{"port": "http-metrics"}]}
    },
    ("v1", "Secret", "chat-epp-sa-metrics-reader-secret"): {
        "metadata": {"labels": {"app.kubernetes.io/name": "other"}}
    },
    ("v1", "ServiceAccount", "chat-epp"): {
        "metadata": {"labels": {"app.kubernetes.io/name": "other"}}
    },
}


def edited(key: tuple[str, str, str], namespace: str) -> Json:
    api_version, kind, name = key
    return reference(api_version, kind, name.replace("NAMESPACE", namespace), namespace)


def content(live: Json) -> Json:
    """Return what an author sees of an object."""
    meta = {key: live["metadata"].get(key) for key in ("labels", "annotations")}
    meta["annotations"] = {
        key: value
        for key, value in (meta["annotations"] or {}).items()
        if not key.startswith("deployment.kubernetes.io/") and key != TAKEN_BACK
    }
    rest = {key: value for key, value in live.items() if key not in ("metadata", "status")}
    return {**rest, "metadata": meta}


def test_edits_of_every_kind_are_repaired(entries: Entries, client: Client, namespace: str) -> None:
    service = full("chat", namespace)
    entries.reconcile(service)
    targets = {key: edited(key, namespace) for key in EDITS}
    before = {key: content(there(client, target)) for key, target in targets.items()}
    for key, target in targets.items():
        client.patch(target, EDITS[key])
        assert content(there(client, target)) != before[key], f"the edit of {key} does nothing"
    result = entries.reconcile(service)
    assert actions(result) == dict.fromkeys(names(list(targets.values())), "updated")
    assert {key: content(there(client, target)) for key, target in targets.items()} == before
    assert not entries.reconcile(service)["changed"]


def test_field_taken_by_somebody_else_is_taken_back_and_they_are_named(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = full("chat", namespace)
    entries.reconcile(service)
    client.apply(
        {**deployment("chat-decode", namespace), "spec": {"replicas": 5}}, manager="autopilot"
    )
    result = entries.reconcile(service)
    assert there(client, deployment("chat-decode", namespace))["spec"]["replicas"] == 2
    assert "took back" in reasons(result)
    assert "autopilot" in reasons(result)
    assert not any("second time" in warning for warning in result["warnings"])


def test_field_taken_twice_in_a_row_has_two_owners(
    counted: Entries, client: Client, proxy: Proxy, namespace: str
) -> None:
    """R5: the first run remembers from whom it took the field back, and a run without a change writes nothing for it."""
    service = full("chat", namespace)
    theirs = {**deployment("chat-decode", namespace), "spec": {"replicas": 5}}
    counted.reconcile(service)
    client.apply(theirs, manager="autopilot")
    counted.reconcile(service)
    proxy.reset()
    assert not counted.reconcile(service)["changed"]
    assert proxy.count(lambda seen: seen.is_write and seen.resource.plural == "deployments") == 0
    client.apply(theirs, manager="autopilot")
    result = counted.reconcile(service)
    assert there(client, deployment("chat-decode", namespace))["spec"]["replicas"] == 2
    (warning,) = (each for each in result["warnings"] if "second time in a row" in each)
    assert "autopilot has taken spec.replicas" in warning
    assert f"Deployment {namespace}/chat-decode" in warning
    other = full("chat", namespace, engine={"image": "registry.example.com/e:2"})
    counted.reconcile(other)
    meta = there(client, deployment("chat-decode", namespace))["metadata"]
    assert TAKEN_BACK not in meta["annotations"], "an apply that takes nothing back forgets"


def test_without_force_a_field_taken_by_somebody_else_fails_that_object(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = full("chat", namespace)
    entries.reconcile(service)
    client.apply(
        {**deployment("chat-decode", namespace), "spec": {"replicas": 5}}, manager="autopilot"
    )
    result = entries.run(service, force_conflicts=False)
    assert result["failed"]
    assert "autopilot" in result["msg"]
    assert "replicas" in result["msg"]
    assert there(client, deployment("chat-decode", namespace))["spec"]["replicas"] == 5


def test_label_that_was_taken_away_comes_back(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = full("chat", namespace)
    entries.reconcile(service)
    gone = {"metadata": {"labels": None}}
    targets = children("chat", namespace)
    before = [there(client, target)["metadata"]["labels"] for target in targets]
    for target in targets:
        client.patch(target, gone)
    result = entries.reconcile(service)
    assert set(actions(result)) == names(targets)
    assert [there(client, target)["metadata"]["labels"] for target in targets] == before


def test_order_of_variables_comes_back(entries: Entries, client: Client, namespace: str) -> None:
    def order() -> list[str]:
        live = there(client, deployment("chat-decode", namespace))
        engine = next(
            each
            for each in live["spec"]["template"]["spec"]["containers"]
            if each["name"] == "vllm"
        )
        return [variable["name"] for variable in engine["env"]]

    service = full("chat", namespace)
    entries.reconcile(service)
    wanted = order()
    swapped = [{"name": "SECOND", "value": "2"}, {"name": "FIRST", "value": "1"}]
    container = {"name": "vllm", "env": swapped}
    client.apply(
        {
            **deployment("chat-decode", namespace),
            "spec": {"template": {"spec": {"containers": [container]}}},
        },
        manager="kubectl",
    )
    assert order() != wanted
    assert entries.reconcile(service)["changed"]
    assert order() == wanted


def test_what_others_add_is_no_change_and_stays(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = full("chat", namespace)
    entries.reconcile(service)
    added = {"labels": {"example.com/team": "a"}, "annotations": {"example.com/note": "keep"}}
    for child in children("chat", namespace):
        client.patch(child, {"metadata": added})
    result = entries.reconcile(service)
    assert not result["changed"]
    changed = full("chat", namespace, decode={"replicas": 3})
    assert entries.reconcile(changed)["changed"]
    for child in children("chat", namespace):
        meta = there(client, child)["metadata"]
        assert meta["labels"]["example.com/team"] == "a"
        assert meta["annotations"]["example.com/note"] == "keep"


def test_rollout_restart_is_left_alone(entries: Entries, client: Client, namespace: str) -> None:
    service = full("chat", namespace)
    entries.reconcile(service)
    restarted = {"kubectl.kubernetes.io/restartedAt": "2026-01-02T03:04:05Z"}
    patch = {"spec": {"template": {"metadata": {"annotations": restarted}}}}
    client.patch(deployment("chat-decode", namespace), patch)
    assert not entries.reconcile(service)["changed"]
    entries.reconcile(full("chat", namespace, decode={"replicas": 3}))
    live = there(client, deployment("chat-decode", namespace))
    assert live["spec"]["replicas"] == 3
    assert live["spec"]["template"]["metadata"]["annotations"] == restarted


def test_change_of_the_service_reaches_its_children(
    entries: Entries, client: Client, namespace: str
) -> None:
    entries.reconcile(small("chat", namespace))
    result = entries.reconcile(
        small("chat", namespace, engine={"image": "registry.example.com/e:2"})
    )
    assert result["changed"]
    assert actions(result) == {"ModelService/chat": "updated", "Deployment/chat-decode": "updated"}
    live = there(client, deployment("chat-decode", namespace))
    assert live["spec"]["template"]["spec"]["containers"][0]["image"] == "registry.example.com/e:2"


def test_replicas_that_the_author_left_out_belong_to_an_autoscaler(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = small("chat", namespace)
    entries.reconcile(service)
    decode = deployment("chat-decode", namespace)
    client.patch(decode, {"spec": {"replicas": 4}})
    assert not entries.reconcile(service)["changed"]
    entries.reconcile(small("chat", namespace, engine={"image": "registry.example.com/e:2"}))
    assert there(client, decode)["spec"]["replicas"] == 4


def test_replicas_that_the_author_gives_are_enforced(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = small("chat", namespace, decode={"replicas": 2})
    entries.reconcile(service)
    decode = deployment("chat-decode", namespace)
    client.patch(decode, {"spec": {"replicas": 4}})
    assert entries.reconcile(service)["changed"]
    assert there(client, decode)["spec"]["replicas"] == 2


def test_replicas_that_the_author_takes_out_keep_their_number(
    entries: Entries, client: Client, namespace: str
) -> None:
    entries.reconcile(small("chat", namespace, decode={"replicas": 3}))
    entries.reconcile(small("chat", namespace))
    decode = deployment("chat-decode", namespace)
    assert there(client, decode)["spec"]["replicas"] == 3
    client.patch(decode, {"spec": {"replicas": 5}})
    assert not entries.reconcile(small("chat", namespace))["changed"]
    assert there(client, decode)["spec"]["replicas"] == 5


#: What the small service does not have.
SURPLUS = (
    "Deployment/chat-prefill",
    "PodMonitor/chat-decode",
    "PodMonitor/chat-prefill",
    "ServiceMonitor/chat-epp",
    "Secret/chat-epp-sa-metrics-reader-secret",
    "ClusterRole/NAMESPACE-chat-epp",
    "ClusterRoleBinding/NAMESPACE-chat-epp",
)


def test_removed_features_take_their_children_along(
    entries: Entries, client: Client, namespace: str
) -> None:
    entries.reconcile(full("chat", namespace))
    service = small("chat", namespace)
    result = entries.reconcile(service, max_deletions=20)
    gone = {name.replace("NAMESPACE", namespace) for name in SURPLUS}
    assert {name for name, action in actions(result).items() if action == "deleted"} == gone
    assert set(owned(client, service)) == names(children("chat", namespace)) - gone
    assert not entries.reconcile(service)["changed"]


def test_without_prune_they_stay(entries: Entries, client: Client, namespace: str) -> None:
    entries.reconcile(full("chat", namespace))
    service = small("chat", namespace)
    result = entries.reconcile(service, prune=False)
    assert "deleted" not in actions(result).values()
    assert set(owned(client, service)) == names(children("chat", namespace))


def test_more_deletions_than_allowed_are_refused(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = full("chat", namespace)
    entries.reconcile(service, fleet=namespace)
    before = written_children(client, service)
    message = entries.refused(small("chat", namespace), fleet=namespace, max_deletions=6)
    assert "max_deletions" in message
    assert "7 of 18 objects" in message
    assert written_children(client, service) == before


def test_what_an_edited_service_no_longer_wants_is_one_deletion(
    entries: Entries, client: Client, namespace: str
) -> None:
    """Its author has looked at it. Where a number is given, each object counts."""
    entries.reconcile(full("chat", namespace), fleet=namespace)
    entries.reconcile(small("chat", namespace), fleet=namespace)
    gone = {name.replace("NAMESPACE", namespace) for name in SURPLUS}
    assert not gone & set(owned(client, small("chat", namespace)))


@pytest.mark.parametrize("settings", [{}, {"gateway_name": ""}], ids=["default-route", "no-route"])
def test_default_route_is_switched_by_a_setting(
    entries: Entries, client: Client, namespace: str, settings: Json
) -> None:
    service = small("chat", namespace)
    entries.reconcile(service)
    entries.reconcile(service, settings=settings)
    route = read(client, reference("gateway.networking.k8s.io/v1", "HTTPRoute", "chat", namespace))
    assert (route is None) == bool(settings)


def test_token_secret_is_filled_by_kubernetes_and_written_once(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = full("chat", namespace)
    entries.reconcile(service)
    secret = reference("v1", "Secret", "chat-epp-sa-metrics-reader-secret", namespace)
    filled = client.wait_for(secret, lambda found: found and found.get("data", {}).get("token"))
    assert filled is not None
    entries.reconcile(full("chat", namespace, decode={"replicas": 3}))
    assert (
        there(client, secret)["metadata"]["resourceVersion"]
        == (filled["metadata"]["resourceVersion"])
    )


def test_owner_annotation_names_the_service(
    entries: Entries, client: Client, namespace: str
) -> None:
    entries.reconcile(small("chat", namespace))
    annotations = there(client, deployment("chat-decode", namespace))["metadata"]["annotations"]
    assert annotations[OWNER] == f"ModelService/{namespace}/chat"


def test_mask_is_no_input(entries: Entries, bare_namespace: str) -> None:
    env = [{"name": "HF_TOKEN", "value": "hub-secret"}]
    engine = {"image": "registry.example.com/e:1", "env": env}
    service = small("chat", bare_namespace, engine=engine)
    entries.reconcile(service)
    gathered = entries.reconcile(service, state="gathered")["gathered"]
    assert "hub-secret" not in str(gathered)
    message = entries.refused(*gathered)
    assert "spec.engine.env[0].value: contains the mask of a secret" in message
