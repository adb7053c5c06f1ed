# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that have a say in where other pods go: affinity, anti-affinity and topology spread."""

from __future__ import annotations

import pytest

from .build import Json, deployment, judge, node, pod, said

FITS, LACKS, UNCERTAIN = "fits", "does not fit", "uncertain"
HOST = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"


def zoned(name: str, zone: str, devices: int = 8, **more: object) -> Json:
    return node(name, devices, labels={ZONE: zone}, **more)  # type: ignore[arg-type]


def other(name: str, on: str, devices: int = 0, **labels: str) -> Json:
    """Return a pod in the namespace of ours."""
    made = pod(name, devices, on)
    made["metadata"] |= {"namespace": "team-a", "labels": labels}
    return made


def spread(key: str = ZONE, app: str = "chat", **more: object) -> Json:
    selector = {"matchLabels": {"app": app}}
    constraint = {"topologyKey": key, "maxSkew": 1, "labelSelector": selector, **more}
    return {"topologySpreadConstraints": [constraint]}


def together(key: str = ZONE, app: str = "chat", **more: object) -> Json:
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}, **more}
    return {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


ZONES = [zoned("a1", "a"), zoned("a2", "a"), zoned("b1", "b")]


@pytest.mark.parametrize(
    ("replicas", "spec", "nodes", "pods", "verdict"),
    [
        # Two nodes and one: the second zone is full after one pod, and the first must not get two ahead.
        (3, spread(), ZONES, [], FITS),
        (4, spread(), [*ZONES, zoned("a3", "a")], [], LACKS),
        (4, spread(maxSkew=2), [*ZONES, zoned("a3", "a")], [], FITS),
        (4, spread(whenUnsatisfiable="ScheduleAnyway"), [*ZONES, zoned("a3", "a")], [], FITS),
        # What runs already counts.
        (2, spread(), ZONES, [other("x", "b1", app="chat-2")], FITS),
        # A zone whose only node is cordoned is a zone all the same, and stays empty.
        (2, spread(), [*ZONES[:2], zoned("b1", "b", unschedulable=True)], [], LACKS),
        (
            2,
            spread(nodeTaintsPolicy="Honor"),
            [*ZONES[:2], zoned("b1", "b", unschedulable=True)],
            [],
            FITS,
        ),
        (2, {**spread(), "nodeSelector": {ZONE: "a"}}, ZONES, [], FITS),
        (
            2,
            {**spread(nodeAffinityPolicy="Ignore"), "nodeSelector": {ZONE: "a"}},
            ZONES,
            [],
            LACKS,
        ),
        (2, spread(minDomains=3), ZONES, [], FITS),
        (3, spread(minDomains=3), ZONES, [], LACKS),
        # Nodes without the label take none.
        (1, spread(), [node("bare")], [], LACKS),
        # A constraint that does not count the pods themselves only looks at others.
        (3, spread(app="web"), ZONES, [], FITS),
        (
            3,
            spread(app="web"),
            ZONES,
            [other("w1", "a1", app="web"), other("w2", "a2", app="web")],
            LACKS,
        ),
        # An empty selector counts no pod.
        (
            3,
            {"topologySpreadConstraints": [{"topologyKey": ZONE, "labelSelector": {}}]},
            ZONES,
            [],
            FITS,
        ),
        (4, spread(HOST), [*ZONES, node("d", 0)], [], LACKS),
    ],
)
def test_spread(
    replicas: int, spec: Json, nodes: list[Json], pods: list[Json], verdict: str
) -> None:
    assert said(deployment(8, replicas, **spec), nodes, pods)[0] == verdict


@pytest.mark.parametrize(
    ("replicas", "spec", "pods", "verdict"),
    [
        # The first pod may choose the zone with one node, and then the second finds no room.
        (1, together(), [], FITS),
        (2, together(), [], UNCERTAIN),
        (3, together(), [], LACKS),
        (1, together(app="cache"), [], LACKS),
        (2, together(app="cache"), [other("c", "a1", app="cache")], FITS),
        (2, together(app="cache"), [other("c", "b1", app="cache")], LACKS),
        (1, together(HOST, app="cache"), [other("c", "b1", 8, app="cache")], LACKS),
        # A pod of another namespace counts only where it is named.
        (1, together(app="cache"), [pod("cache", 0, "a1")], LACKS),
        (1, together(app="cache", namespaces=["others"]), [pod("cache", 0, "a1")], FITS),
        (1, together(app="cache", namespaceSelector={}), [pod("cache", 0, "a1")], FITS),
        (
            1,
            together(app="cache", namespaceSelector={"matchLabels": {"team": "a"}}),
            [pod("cache", 0, "a1")],
            UNCERTAIN,
        ),
    ],
)
def test_affinity_to_pods(replicas: int, spec: Json, pods: list[Json], verdict: str) -> None:
    assert said(deployment(8, replicas, **spec), ZONES, pods)[0] == verdict


def test_reason_names_what_keeps_the_pods_away() -> None:
    text = said(deployment(8, **together(app="cache")), ZONES)[1]
    assert f"a1, a2, b1 (affinity to pods in the same {ZONE}, where none runs)" in text
    web = [other("w1", "a1", app="web"), other("w2", "a2", app="web")]
    text = said(deployment(8, 2, **spread(app="web")), ZONES, web)[1]
    assert f"a1, a2 (spread over {ZONE}: too many pods are in a already)" in text


def test_spread_of_a_new_template_is_not_certain_while_its_hash_is_not_known() -> None:
    verdict, text = said(deployment(1, **spread(matchLabelKeys=["pod-template-hash"])), ZONES)
    assert verdict == UNCERTAIN
    assert "the label pod-template-hash, which a controller sets" in text


def test_workloads_that_speak_of_each_other_are_not_judged() -> None:
    cache = deployment(1, name="cache")
    answers, dummy = judge([deployment(1, **together(app="cache")), cache], ZONES)
    assert [answer.verdict.value for answer in answers] == [UNCERTAIN, UNCERTAIN]
    large = deployment(9, **together(app="cache"))
    answers, dummy = judge([large, cache], ZONES)
    assert [answer.verdict.value for answer in answers] == [LACKS, UNCERTAIN]


@pytest.mark.parametrize(
    ("groups", "size", "key", "verdict"),
    [
        # Two zones: one with two nodes, one with one. Other groups may be there, so it is never certain.
        (1, 2, ZONE, UNCERTAIN),
        (2, 1, ZONE, UNCERTAIN),
        (2, 2, ZONE, LACKS),
        (3, 1, ZONE, LACKS),
        (3, 1, "", FITS),
    ],
)
def test_groups_that_want_a_domain_each(groups: int, size: int, key: str, verdict: str) -> None:
    template = deployment(8)["spec"]["template"]
    annotations = {"leaderworkerset.sigs.k8s.io/exclusive-topology": key} if key else {}
    group = {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": "wide", "namespace": "team-a", "annotations": annotations},
        "spec": {
            "replicas": groups,
            "leaderWorkerTemplate": {"size": size, "workerTemplate": template},
        },
    }
    found, text = said(group, ZONES)
    assert found == verdict
    assert ("exclusive topology of groups" in text) is (verdict == UNCERTAIN)


def test_example_keeps_to_the_spread() -> None:
    (answer,), dummy = judge([deployment(1, 4, **spread())], ZONES)
    zones = {"a1": "a", "a2": "a", "b1": "b"}
    counts = [sum(n for name, n in answer.placed.items() if zones[name] == z) for z in "ab"]
    assert counts == [2, 2]
