# SPDX-License-Identifier: GPL-3.0-or-later
"""The labels of the Jobs that fill caches. Source: KServe pkg/controller/v1alpha1/localmodelnode/controller.go@v0.20.0."""

from __future__ import annotations

from ..kserve.local_models import LABEL, NAMESPACE_LABEL
from .spec import LocalModelCache

Labels = dict[str, str]

_MODEL, _NODE, _NAMESPACE = "model", "node", "modelNamespace"


def job_labels(cache: LocalModelCache, node: str = "") -> Labels:
    """Return the labels of the Jobs of a cache. node: of that node alone."""
    return labels(cache.name, cache.namespace, node)


def labels(name: str, namespace: str = "", node: str = "") -> Labels:
    """Return the labels of the Jobs of a cache by its name; its namespace is empty for one of the whole cluster."""
    place = {_NAMESPACE: namespace} if namespace else {}
    return {_MODEL: name, **({_NODE: node} if node else {}), **place}


def readers(name: str, namespace: str = "") -> Labels:
    """Return the labels of the workloads and pods that read from a cache."""
    return {LABEL: name, **({NAMESPACE_LABEL: namespace} if namespace else {})}


def all_labels(name: str, namespace: str = "") -> dict[str, Labels]:
    """Return the label sets of a cache by what carries them."""
    return {"job": labels(name, namespace), "reader": readers(name, namespace)}
