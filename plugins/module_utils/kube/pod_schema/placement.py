# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a pod may run: affinity and spread.

The order of the fields is that of the Go types, in which messages of controllers show values.
Source: k8s.io/api v0.34, as the CRDs of KServe v0.17 embed it.
"""

from __future__ import annotations

from ..schema import ListOf, Object
from .basics import INT32, LABEL_SELECTOR, SELECTOR_TERM, TEXT, TEXTS

NODE_TERM = Object(
    fields={
        "matchExpressions": ListOf(items=SELECTOR_TERM),
        "matchFields": ListOf(items=SELECTOR_TERM),
    },
    atomic=True,
)

NODE_AFFINITY = Object(
    fields={
        "requiredDuringSchedulingIgnoredDuringExecution": Object(
            fields={"nodeSelectorTerms": ListOf(items=NODE_TERM)},
            required=("nodeSelectorTerms",),
            atomic=True,
        ),
        "preferredDuringSchedulingIgnoredDuringExecution": ListOf(
            items=Object(
                fields={
                    "weight": INT32,
                    "preference": NODE_TERM,
                },
                required=("preference", "weight"),
            )
        ),
    }
)

POD_TERM = Object(
    fields={
        "labelSelector": LABEL_SELECTOR,
        "namespaces": TEXTS,
        "topologyKey": TEXT,
        "namespaceSelector": LABEL_SELECTOR,
        "matchLabelKeys": TEXTS,
        "mismatchLabelKeys": TEXTS,
    },
    required=("topologyKey",),
)

POD_AFFINITY = Object(
    fields={
        "requiredDuringSchedulingIgnoredDuringExecution": ListOf(items=POD_TERM),
        "preferredDuringSchedulingIgnoredDuringExecution": ListOf(
            items=Object(
                fields={
                    "weight": INT32,
                    "podAffinityTerm": POD_TERM,
                },
                required=("podAffinityTerm", "weight"),
            )
        ),
    }
)

AFFINITY = Object(
    fields={
        "nodeAffinity": NODE_AFFINITY,
        "podAffinity": POD_AFFINITY,
        "podAntiAffinity": POD_AFFINITY,
    }
)

TOPOLOGY_SPREAD = Object(
    fields={
        "maxSkew": INT32,
        "topologyKey": TEXT,
        "whenUnsatisfiable": TEXT,
        "labelSelector": LABEL_SELECTOR,
        "minDomains": INT32,
        "nodeAffinityPolicy": TEXT,
        "nodeTaintsPolicy": TEXT,
        "matchLabelKeys": TEXTS,
    },
    required=("maxSkew", "topologyKey", "whenUnsatisfiable"),
)
