# SPDX-License-Identifier: GPL-3.0-or-later
"""The volumes of a cache and their claims: one of each group for the download, and one of each group in each namespace that uses it.

What they hold is that of the group when they are made; nobody changes it afterwards, since a volume cannot change.
Source: KServe pkg/controller/v1alpha1/localmodel/reconcilers/{localmodelcache_reconciler,localmodelnamespacecache_reconciler,utils}.go@v0.20.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from .. import names
from ..resolved import Resolved

#: The API refuses most changes of it.
ONCE = (("spec",),)


def download_volumes(resolved: Resolved) -> Iterator[Child]:
    """Yield the volume of each group into which the model is fetched, with its claim beside the Jobs."""
    cache, jobs = resolved.cache, resolved.config.local_model.job_namespace
    for group, spec in resolved.groups.items():
        volume = names.download_volume(cache.name, cache.namespace, group)
        yield from _pair(
            spec, volume, names.download_claim(cache.name, cache.namespace, group), jobs
        )


def service_volumes(resolved: Resolved) -> Iterator[Child]:
    """Yield the volume of each group from which the services of a namespace read, with its claim."""
    cache = resolved.cache
    if not resolved.config.local_model.volumes:
        return
    used = {(each.service.namespace, each.group or cache.groups[0]) for each in resolved.users}
    for place, group in sorted(used):
        # A service may name a group that the cache has not.
        if group in resolved.groups:
            yield from _pair(
                resolved.groups[group],
                names.volume(cache.name, group, place),
                names.claim(cache.name, group),
                place,
            )


def _pair(spec: Json, volume: str, claim: str, namespace: str) -> Iterator[Child]:
    yield Child(
        stage=Stage.CONFIG,
        manifest=Manifest(
            api_version="v1",
            kind="PersistentVolume",
            name=volume,
            body={"spec": spec["persistentVolumeSpec"]},
        ),
        unclaimed=ONCE,
    )
    yield Child(
        stage=Stage.SERVICE,
        manifest=Manifest(
            api_version="v1",
            kind="PersistentVolumeClaim",
            name=claim,
            namespace=namespace,
            body={"spec": {**spec["persistentVolumeClaimSpec"], "volumeName": volume}},
        ),
        unclaimed=ONCE,
    )
