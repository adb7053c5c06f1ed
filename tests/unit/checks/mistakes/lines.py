# SPDX-License-Identifier: GPL-3.0-or-later
"""Single lines that come to nothing: annotations that their readers cannot read, items that stand twice, labels that no node has."""

from __future__ import annotations

from tests.unit.checks.services import custom_with, graph, llm, server
from tests.unit.checks.surroundings import CONFIG, NODE
from tests.unit.kinds.llm_inference_service.build import document as llm_inference_service
from tests.unit.kinds.model_service.build import document as model_service

from .mistake import IG, IS, LLM, MS, Mistake

PORTS = {"traffic.sidecar.istio.io/excludeInboundPorts": "http"}
AT_PORTS = 'annotations["traffic.sidecar.istio.io/excludeInboundPorts"]'
ZONE = {"zone": "y"}
SPOT = {"key": "spot", "operator": "Exists"}

#: Rule → kind → the mistake.
LINES: dict[str, dict[str, Mistake]] = {
    "pod-annotation": {
        LLM: Mistake(llm(annotations=PORTS), f"spec.{AT_PORTS}"),
        IS: Mistake(custom_with(annotations=PORTS), f"spec.predictor.{AT_PORTS}", (CONFIG,)),
        IG: Mistake(
            {**graph(), "metadata": {**graph()["metadata"], "annotations": PORTS}},
            f"metadata.{AT_PORTS}",
            (CONFIG,),
        ),
    },
    "listed-twice": {
        MS: Mistake(
            model_service(
                httpRoute={
                    "gatewayRef": {"name": "edge"},
                    "hostnames": ["a.example.com", "a.example.com"],
                }
            ),
            "spec.httpRoute.hostnames[1]",
        ),
        LLM: Mistake(
            llm_inference_service(template={**server(), "tolerations": [SPOT, SPOT]}),
            "spec.template.tolerations[1]",
        ),
        IS: Mistake(
            custom_with(tolerations=[SPOT, SPOT]), "spec.predictor.tolerations[1]", (CONFIG,)
        ),
        IG: Mistake(graph(tolerations=[SPOT, SPOT]), "spec.tolerations[1]", (CONFIG,)),
    },
    "node-absent": {
        MS: Mistake(
            model_service(decode={"nodeSelector": ZONE}), "spec.decode.nodeSelector.zone", (NODE,)
        ),
        LLM: Mistake(
            llm_inference_service(template={**server(), "nodeSelector": ZONE}),
            "spec.template.nodeSelector.zone",
            (NODE,),
        ),
        IS: Mistake(
            custom_with(nodeSelector=ZONE), "spec.predictor.nodeSelector.zone", (CONFIG, NODE)
        ),
        IG: Mistake(graph(nodeSelector=ZONE), "spec.nodeSelector.zone", (CONFIG, NODE)),
    },
}
