# SPDX-License-Identifier: GPL-3.0-or-later
"""Our definition of InferenceGraph says what KServe's says, and what we store the API server stores, too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from module_utils.kinds.inference_graph.crd import crd
from module_utils.kinds.inference_graph.normalise import load
from module_utils.kinds.inference_graph.settings import Settings
from module_utils.kube.manifest import Json
from tests.cluster.compared_crds import bare
from tests.lab import crds
from tests.lab.client import ApiError, Client
from tests.lab.control_plane import ControlPlane
from tests.lab.crd_sources import KSERVE_GRAPHS
from tests.unit.kinds.inference_graph.build import document, node

IRIS: Json = {"serviceName": "iris"}
GRAPHS: dict[str, Json] = {
    "plain": document(),
    "everything": document(
        {
            "root": node(
                "Splitter",
                {**IRIS, "weight": 40, "name": "a", "dependency": "Hard"},
                {"nodeName": "b", "weight": 60, "data": "$response", "condition": "x"},
            ),
            "b": node("Ensemble", {"serviceUrl": "http://x", "mapPredictionsToInstances": True}),
        },
        resources={"limits": {"cpu": 1, "memory": "1Gi"}, "claims": [{"name": "a"}]},
        affinity={"podAntiAffinity": {}},
        timeout=1,
        routerTimeouts={"serverIdle": 5},
        minReplicas=0,
        maxReplicas=2,
        scaleTarget=60,
        scaleMetric="memory",
        tolerations=[{"key": "a", "operator": "Exists", "tolerationSeconds": 5}],
        nodeSelector={"a": "b"},
        nodeName="one",
        serviceAccountName="s",
    ),
    "empty parts": document(
        {"root": {"routerType": "Switch", "steps": []}}, resources={}, tolerations=[]
    ),
    "no type": document({"root": {"steps": [IRIS]}}),
    "another type": document({"root": node("Any", IRIS)}),
    "no nodes": {**document(), "spec": {}},
    "another metric": document(scaleMetric="gpu"),
    "text for a number": document(minReplicas="1"),
    "another dependency": document({"root": node("Sequence", {**IRIS, "dependency": ""})}),
    "an amount that is none": document(resources={"limits": {"cpu": "much"}}),
}


def test_our_definition_says_what_kserve_s_says() -> None:
    (theirs,) = crds.documents(KSERVE_GRAPHS)
    ours = crd()
    assert ours["spec"]["names"] == theirs["spec"]["names"]
    (mine,), (said,) = ours["spec"]["versions"], theirs["spec"]["versions"]
    assert mine["additionalPrinterColumns"] == said["additionalPrinterColumns"]
    assert bare(mine["schema"]) == bare(said["schema"])


@pytest.fixture(scope="module", params=["ours", "theirs"])
def client(request: pytest.FixtureRequest) -> Iterator[Client]:
    """A control plane with one of the definitions."""
    definitions = [crd()] if request.param == "ours" else crds.documents(KSERVE_GRAPHS)
    with ControlPlane(nodes="none", crds=definitions) as plane:
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}}
        plane.client.create(namespace)
        yield plane.client


@pytest.mark.parametrize("name", GRAPHS)
def test_what_the_api_server_takes_we_take_and_nothing_else(client: Client, name: str) -> None:
    given = GRAPHS[name]
    loaded = load(given, Settings())
    schema = {"type", "enum", "missing", "quantity", "range"}
    refused = any(problem.rule in schema for problem in loaded.problems)
    try:
        stored = client.create(given, dryRun="All")
    except ApiError:
        assert refused, "the server refuses it"
    else:
        assert not refused, [str(problem) for problem in loaded.problems]
        assert stored["spec"] == given["spec"]
