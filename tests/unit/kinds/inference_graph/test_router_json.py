# SPDX-License-Identifier: GPL-3.0-or-later
"""The router gets the graph byte for byte as KServe's controller writes it."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.manifest import Json

from .build import document, node, router

HERE = "http://x"


def written(nodes: Json, **spec: Any) -> str:
    return str(router(document(nodes, **spec))["args"][1])


@pytest.mark.parametrize(
    ("nodes", "spec", "expected"),
    [
        (
            {"root": node("Sequence", {"serviceUrl": HERE})},
            {},
            '{"nodes":{"root":{"routerType":"Sequence","steps":[{"serviceUrl":"http://x"}]}},"resources":{}}',
        ),
        (
            {"root": {"routerType": "Sequence"}, "B": {"routerType": "Switch", "steps": []}},
            {
                "maxReplicas": 0,
                "minReplicas": 0,
                "nodeName": "",
                "tolerations": [],
                "nodeSelector": {},
            },
            '{"nodes":{"B":{"routerType":"Switch"},"root":{"routerType":"Sequence"}},"resources":{},"minReplicas":0}',
        ),
        (
            {
                "root": node(
                    "Switch",
                    {
                        "dependency": "Hard",
                        "condition": 'a.#(b<="c" && d>1)',
                        "mapPredictionsToInstances": False,
                        "data": "",
                        "serviceUrl": "http://x?a=1&b=2",
                        "name": "n",
                        "weight": 0,
                    },
                )
            },
            {},
            (
                '{"nodes":{"root":{"routerType":"Switch","steps":[{"name":"n","serviceUrl":"http://x?a=1\\u0026b=2","weight":0,'
                '"condition":"a.#(b\\u003c=\\"c\\" \\u0026\\u0026 d\\u003e1)","dependency":"Hard"}]}},"resources":{}}'
            ),
        ),
        (
            {"root": node("Sequence", {"serviceUrl": HERE})},
            {
                "serviceAccountName": "s",
                "scaleMetric": "cpu",
                "scaleTarget": 5,
                "maxReplicas": 2,
                "routerTimeouts": {"serviceClient": 1, "serverRead": 2},
                "timeout": 3,
                "affinity": {
                    "podAffinity": {},
                    "nodeAffinity": {
                        "requiredDuringSchedulingIgnoredDuringExecution": {
                            "nodeSelectorTerms": [
                                {
                                    "matchExpressions": [
                                        {"values": ["x"], "operator": "In", "key": "k"}
                                    ]
                                }
                            ]
                        }
                    },
                },
                "resources": {"requests": {"memory": "1024Mi", "cpu": "0.5"}, "limits": {"cpu": 1}},
                "tolerations": [{"tolerationSeconds": 0, "effect": "NoExecute", "key": "k"}],
            },
            (
                '{"nodes":{"root":{"routerType":"Sequence","steps":[{"serviceUrl":"http://x"}]}},'
                '"resources":{"limits":{"cpu":"1"},"requests":{"cpu":"500m","memory":"1Gi"}},'
                '"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":'
                '[{"matchExpressions":[{"key":"k","operator":"In","values":["x"]}]}]}},"podAffinity":{}},'
                '"timeout":3,"routerTimeouts":{"serverRead":2,"serviceClient":1},"maxReplicas":2,"scaleTarget":5,'
                '"scaleMetric":"cpu","tolerations":[{"key":"k","effect":"NoExecute","tolerationSeconds":0}],"serviceAccountName":"s"}'
            ),
        ),
    ],
)
def test_the_graph_is_written_as_go_writes_it(nodes: Json, spec: Json, expected: str) -> None:
    assert written(nodes, **spec) == expected


def test_a_service_keeps_its_name_beside_its_url() -> None:
    nodes = {"root": node("Sequence", {"name": "a", "serviceName": "iris", "data": "$response"})}
    inside = "http://iris-predictor.team-a.svc.cluster.local/v1/models/iris:predict"
    step = f'{{"name":"a","serviceName":"iris","serviceUrl":"{inside}","data":"$response"}}'
    assert step in written(nodes)


def test_signs_outside_ascii_stay() -> None:
    assert '"condition":"größe.✓"' in written(
        {"root": node("Switch", {"serviceUrl": HERE, "condition": "größe.✓"})}
    )
