# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of what a cache consists of and is read from, and what their objects are read for."""

from __future__ import annotations

from ...kube import gvk
from ..children import ObjectKind
from ..kserve.local_models import API_VERSION, CACHE, NAMESPACE_CACHE
from ..kserve.storage.containers import KIND as STORAGE_CONTAINER

VOLUME = ObjectKind("v1", "PersistentVolume")
CLAIM = ObjectKind("v1", "PersistentVolumeClaim", compared=True)
JOB = ObjectKind("batch/v1", "Job", observed=True, compared=True)

NODE_GROUP = "LocalModelNodeGroup"
INFERENCE_SERVICE = (gvk.KSERVE_V1BETA1, "InferenceService")
LLM_INFERENCE_SERVICE = ("serving.kserve.io/v1alpha2", "LLMInferenceService")
#: What others keep.
READS = (
    ObjectKind("v1", "Node", common=True),
    ObjectKind(API_VERSION, NODE_GROUP, common=True),
    ObjectKind(API_VERSION, CACHE, common=True),
    ObjectKind(API_VERSION, NAMESPACE_CACHE, common=True),
    ObjectKind(API_VERSION, STORAGE_CONTAINER, common=True),
    ObjectKind(*INFERENCE_SERVICE, common=True),
    ObjectKind(*LLM_INFERENCE_SERVICE, common=True),
)
