# SPDX-License-Identifier: GPL-3.0-or-later
"""Every field of an InferenceGraph: type, default, limits, meaning.

The order of the fields is that of the Go types, in which the router gets the graph as JSON.
Source: KServe pkg/apis/serving/v1alpha1/inference_graph.go@v0.17.0.
"""

from __future__ import annotations

import dataclasses

from ...kube.core_schema import TOLERATION, resources, string_map
from ...kube.pod_schema import POD_SPEC
from ...kube.schema import Boolean, Integer, ListOf, MapOf, Object, Row, Text, custom_resource, rows
from .spec import API_VERSION, KIND, ROUTER_TYPES
from .status_schema import STATUS

STEP = Object(
    description="Whom a request goes to; exactly one of `nodeName`, `serviceName` and `serviceUrl`.",
    fields={
        "name": Text(
            description="The name of its response in an Ensemble; unique within the node."
        ),
        "nodeName": Text(description="Another node of the graph."),
        "serviceName": Text(description="An InferenceService of the graph's namespace."),
        "serviceUrl": Text(description="The URL of anything that answers a POST."),
        "data": Text(
            description="`$response`: the step gets the response of the previous step; anything else: the request."
        ),
        "mapPredictionsToInstances": Boolean(
            description="Whether `predictions` in the step's input become `instances`; in a Sequence."
        ),
        "weight": Integer(
            description="The share of requests in percent; in a Splitter, where all add up to 100.",
            bits=64,
        ),
        "condition": Text(
            description="A gjson path. In a Switch, the first step whose path is in the request gets it; "
            "a Sequence ends before a step whose path is not in the response so far."
        ),
        "dependency": Text(
            description="`Hard`: if the step fails, the node ends with its response.",
            enum=("Soft", "Hard"),
        ),
    },
)

NODE = Object(
    description="One node.",
    fields={
        "routerType": Text(
            description="`Sequence`: one step after the other. `Splitter`: one step by weight. `Ensemble`: all steps in parallel. "
            "`Switch`: the first step whose condition holds.",
            enum=ROUTER_TYPES,
        ),
        "steps": ListOf(description="Where requests are sent.", items=STEP, title="name"),
    },
    required=("routerType",),
)

_AFFINITY = dataclasses.replace(
    POD_SPEC.fields["affinity"],
    description="Node and pod affinity of the router's pods, as in a pod.",
)

SPEC = Object(
    description="What is wanted.",
    fields={
        "nodes": MapOf(
            description="The nodes by name. Requests begin at `root`.",
            values=NODE,
        ),
        "resources": resources(
            "Resources of the router's pods; by default those of `inferenceservice-config`."
        ),
        "affinity": _AFFINITY,
        "timeout": Integer(
            description="Seconds after which Knative gives up a request; without effect in Standard mode.",
            bits=64,
        ),
        "routerTimeouts": Object(
            description="Time limits of the router, in seconds.",
            fields={
                "serverRead": Integer(description="For reading a request; 60 by default.", bits=64),
                "serverWrite": Integer(
                    description="For writing a response; 60 by default.", bits=64
                ),
                "serverIdle": Integer(
                    description="For a connection without a request; 180 by default.", bits=64
                ),
                "serviceClient": Integer(description="For one step; none by default.", bits=64),
            },
        ),
        "minReplicas": Integer(description="Fewest pods; 1 by default or if less."),
        "maxReplicas": Integer(description="Most pods; `minReplicas` if less."),
        "scaleTarget": Integer(
            description="Share of the request in percent above which pods are added; 80 by default for `cpu`."
        ),
        "scaleMetric": Text(
            description="The metric: `cpu` (default) or `memory`; `concurrency` and `rps` need Knative.",
            enum=("cpu", "memory", "concurrency", "rps"),
        ),
        "tolerations": ListOf(
            description="Taints that the router's pods tolerate.", items=TOLERATION
        ),
        "nodeSelector": string_map("Labels of the nodes on which the router's pods may run."),
        "nodeName": Text(description="The one node on which the router's pods run."),
        "serviceAccountName": Text(description="The account of the router's pods."),
    },
    required=("nodes",),
)

ROOT = custom_resource(
    "A graph of models through which requests pass.", API_VERSION, KIND, SPEC, STATUS
)


def documentation() -> tuple[Row, ...]:
    """Return every field below `spec` in order, for the documentation table; what is in pods is that of Kubernetes."""
    hidden = ("spec.affinity.", "spec.tolerations[].", "spec.resources.")
    nodes = tuple(rows(NODE, "spec.nodes.<name>"))
    found = [each for each in rows(SPEC, "spec") if not each.path.startswith(hidden)]
    return (found[0], *nodes, *found[1:])
