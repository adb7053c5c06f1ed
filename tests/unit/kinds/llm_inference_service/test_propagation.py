# SPDX-License-Identifier: GPL-3.0-or-later
"""Which labels and annotations of a service its workloads carry. Source: KServe pkg/controller/v1alpha2/llmisvc/label_propagation_test.go@v0.17.0."""

from __future__ import annotations

import pytest

from module_utils.kube.manifest import Json

from .build import document
from .preset_world import children

SCRAPED = {
    "prometheus.io/scrape": "true",
    "prometheus.io/port": "8000",
    "prometheus.io/path": "/metrics",
    "prometheus.io/scheme": "http",
}


def labels(template: Json) -> Json:
    found: Json = template["metadata"]["labels"]
    return found


#: Row of the suite → metadata of the service, its spec → what Deployment and pod carry besides.
PROPAGATED: dict[str, tuple[Json, Json, Json, Json]] = {
    "annotations of networks and queues are passed on": (
        {
            "annotations": {
                "k8s.v1.cni.cncf.io/networks": "a",
                "kueue.x-k8s.io/x": "b",
                "random": "c",
            }
        },
        {},
        {"k8s.v1.cni.cncf.io/networks": "a", "kueue.x-k8s.io/x": "b"},
        {"k8s.v1.cni.cncf.io/networks": "a", "kueue.x-k8s.io/x": "b"},
    ),
    "P3 KServe's own annotations are not passed on": (
        {"annotations": {"internal.serving.kserve.io/x": "a"}},
        {},
        {},
        {},
    ),
    "what kubectl remembers is not passed on": (
        {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"}},
        {},
        {},
        {},
    ),
    "what Prometheus needs is passed on": ({"annotations": SCRAPED}, {}, SCRAPED, SCRAPED),
    "annotations of the spec win on pods": (
        {"annotations": {"kueue.x-k8s.io/x": "metadata"}},
        {"annotations": {"kueue.x-k8s.io/x": "spec", "extra": "1"}},
        {"kueue.x-k8s.io/x": "metadata"},
        {"kueue.x-k8s.io/x": "spec", "extra": "1"},
    ),
    "what matches nothing is not passed on": ({"annotations": {"team": "a"}}, {}, {}, {}),
    "annotations of the spec alone reach pods alone": (
        {},
        {"annotations": {"a": "1"}},
        {},
        {"a": "1"},
    ),
}


@pytest.mark.parametrize("row", PROPAGATED)
def test_annotations_are_passed_on(row: str) -> None:
    metadata, spec, on_object, on_pod = PROPAGATED[row]
    given = document(**spec)
    given["metadata"] |= metadata
    manifest = children(given)["Deployment", "chat-kserve"]
    assert manifest["metadata"].get("annotations", {}) == on_object
    assert manifest["spec"]["template"]["metadata"].get("annotations", {}) == on_pod


def test_labels_of_queues_are_passed_on_to_object_selector_and_pod() -> None:
    given = document(labels={"extra": "1"}, prefill={"labels": {"more": "2"}})
    given["metadata"]["labels"] = {
        "kueue.x-k8s.io/queue-name": "q",
        "random": "x",
        "app.kubernetes.io/name": "other",
    }
    found = children(given)
    for name, extra in (("chat-kserve", set()), ("chat-kserve-prefill", {"more"})):
        manifest = found["Deployment", name]
        own = labels(manifest)
        assert (
            own
            == manifest["spec"]["selector"]["matchLabels"]
            == labels(manifest["spec"]["template"])
        )
        assert own["app.kubernetes.io/name"] == "chat"
        assert {"kueue.x-k8s.io/queue-name", "extra", *extra} <= own.keys()
        assert "random" not in own
