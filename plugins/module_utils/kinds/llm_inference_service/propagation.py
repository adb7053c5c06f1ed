# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of a service's labels and annotations its workloads get. Source: KServe pkg/controller/v1alpha2/llmisvc/workload.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kube.release import Since
from ..kserve.local_models import LABEL
from ..kserve.releases import KServe
from .local_model import READS_CACHES
from .resolved import Resolved
from .router.by_model import ASKS_SERVICE, MODEL_ANNOTATION

_ANNOTATION_PREFIXES = ("k8s.v1.cni.cncf.io", "kueue.x-k8s.io", "prometheus.io")
_LABEL_PREFIXES = ("kueue.x-k8s.io",)
_GROUP_PREFIXES = ("leaderworkerset.sigs.k8s.io",)

#: Whether prefill pods get the labels and annotations of the spec beside their own.
_PREFILL_SHARES: Since[bool] = Since({KServe.V0_17: True, KServe.V0_20: False})

Texts = dict[str, str]


def object_annotations(resolved: Resolved, *, group: bool = False) -> Texts:
    """Return the annotations of a workload. group: it is a LeaderWorkerSet."""
    prefixes = _ANNOTATION_PREFIXES + (_GROUP_PREFIXES if group else ()) + _of_caches(resolved)
    return _of(resolved.service.annotations, prefixes)


def pod_annotations(resolved: Resolved, *, prefill: bool = False, group: bool = False) -> Texts:
    """Return the annotations of a workload's pods: those of the workload, then what the spec says."""
    said = without_own_marks(_said(resolved, "annotations", prefill), resolved)
    return {**object_annotations(resolved, group=group), **said}


def without_own_marks(annotations: Texts, resolved: Resolved) -> Texts:
    """Return annotations of a spec without what is said to KServe alone."""
    kept_back = ASKS_SERVICE.at(resolved.settings.release)
    return {k: v for k, v in annotations.items() if not (kept_back and k == MODEL_ANNOTATION)}


def pod_labels(base: Mapping[str, str], resolved: Resolved, *, prefill: bool = False) -> Texts:
    """Return the labels of a workload's pods.

    base: those by which the pods are known. For a Deployment the result is its own labels and its selector, too: there
    the controller has one map for all three.
    """
    queue = _of(resolved.service.labels, _LABEL_PREFIXES + _of_caches(resolved))
    return {**base, **queue, **_said(resolved, "labels", prefill)}


def _of_caches(resolved: Resolved) -> tuple[str, ...]:
    return (LABEL,) if READS_CACHES.at(resolved.settings.release) else ()


def _of(texts: Mapping[str, str], prefixes: tuple[str, ...]) -> Texts:
    return {key: value for key, value in texts.items() if key.startswith(prefixes)}


def _said(resolved: Resolved, field: str, prefill: bool) -> Texts:
    own: Any = (resolved.at("prefill", field) or {}) if prefill else {}
    shared = not prefill or _PREFILL_SHARES.at(resolved.settings.release)
    common: Any = (resolved.at(field) or {}) if shared else {}
    return {**common, **own}
