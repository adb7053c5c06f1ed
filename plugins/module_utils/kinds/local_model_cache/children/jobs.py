# SPDX-License-Identifier: GPL-3.0-or-later
"""The Jobs that fetch a model, one for each node, where KServe's agent on the node would start one.

Source: KServe pkg/controller/v1alpha1/localmodelnode/controller.go@v0.17.0, @v0.19.0, @v0.20.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ....kube.release import Since
from ...kserve.releases import KServe
from .. import names
from ..child_kinds import JOB
from ..container import VOLUME_NAME
from ..labels import job_labels
from ..resolved import Download, Resolved
from .volumes import ONCE

#: Whether the pod names its node, which passes the scheduler by, or selects it by its host name.
_NAMES_NODE: Since[bool] = Since({KServe.V0_17: True, KServe.V0_18: False})
_HOST_NAME = "kubernetes.io/hostname"


def jobs(resolved: Resolved) -> Iterator[Child]:
    """Yield the Job of each node that has one, or is to have one. Who starts it anew removes it: a Job that ended does not run again."""
    cache = resolved.cache
    for download in resolved.downloads:
        node = download.node.name
        yield Child(
            stage=Stage.WORKLOAD,
            manifest=Manifest(
                api_version=JOB.api_version,
                kind=JOB.kind,
                name=names.job(cache.name, cache.namespace, node),
                namespace=resolved.config.local_model.job_namespace,
                labels=job_labels(cache, node),
                body={"spec": _spec(resolved, download)},
            ),
            unclaimed=ONCE,
        )


def _spec(resolved: Resolved, download: Download) -> Json:
    cache, config = resolved.cache, resolved.config.local_model
    node = download.node
    claim = names.download_claim(cache.name, cache.namespace, node.group)
    by_name = _NAMES_NODE.at(resolved.settings.release)
    where: Json = {"nodeName": node.name} if by_name else {"nodeSelector": {_HOST_NAME: node.name}}
    volume = {"name": VOLUME_NAME, "persistentVolumeClaim": {"claimName": claim}}
    group = {} if config.fs_group is None else {"fsGroup": config.fs_group}
    pod = {
        **where,
        "containers": [download.container],
        "restartPolicy": "Never",
        "volumes": [volume, *download.volumes],
        "securityContext": group,
    }
    return {"ttlSecondsAfterFinished": config.job_ttl, "template": {"spec": pod}}
