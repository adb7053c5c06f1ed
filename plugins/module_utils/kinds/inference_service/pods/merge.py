# SPDX-License-Identifier: GPL-3.0-or-later
"""A component's containers and pod laid over those of its runtime. Source: KServe pkg/controller/v1beta1/inferenceservice/utils/utils.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Sequence

from ....kube.manifest import Json
from ....kube.pod_merge_keys import CONTAINER, POD_SPEC, as_go_writes
from ....kube.pod_schema import CONTAINER as CONTAINER_SCHEMA
from ....kube.pod_schema import POD_SPEC as POD_SCHEMA
from ....kube.release import Since
from ....kube.strategic_merge import MergeError, merge
from ...kserve.container_merge import with_one_value_each
from ...kserve.pod import container_of
from ...kserve.releases import KServe
from ..errors import ModelFailure, Unbuildable

#: What a runtime says about pods beside their containers; all else that it says is left out.
_OF_RUNTIME = (
    "nodeSelector",
    "affinity",
    "tolerations",
    "volumes",
    "imagePullSecrets",
    "schedulerName",
)
#: What later releases take from it, too. Source: the same file at aaac4e294dae.
_LATER: Since[tuple[str, ...]] = Since({KServe.V0_17: (), KServe.V0_21: ("resourceClaims",)})
INVALID_SPEC = "InvalidPredictorSpec"


def container_part(part: Json) -> Json:
    """Return the fields of a container among others, for example those of a model."""
    return _only(part, CONTAINER_SCHEMA.fields)


def pod_part(part: Json) -> Json:
    """Return the fields of a pod spec among others, for example those of a component."""
    return _only(part, POD_SCHEMA.fields)


def _only(part: Json, fields: object) -> Json:
    names = fields if isinstance(fields, dict) else {}
    written: Json = as_go_writes({key: part[key] for key in part if key in names})
    return written


def merged_container(base: Json, over: Json, release: KServe) -> Json:
    """Return a container of a runtime with what the service says; its arguments come behind. Raises Unbuildable."""
    base = as_go_writes(base)
    try:
        merged = merge(base, over, CONTAINER)
    except MergeError as error:
        raise _unmergeable("failed to merge container", error) from None
    merged = with_one_value_each(merged, over, release)
    args = [*(base.get("args") or ()), *(over.get("args") or ())]
    return {**merged, "args": args} if args else merged


def runtime_container(containers: Sequence[Json], name: str, where: str) -> Json:
    """Return the container of a name among those of a runtime. where: what lists them, for the message. Raises Unbuildable."""
    found = container_of({"containers": containers}, name)
    if found is None:
        message = f"failed to find {name} in ServingRuntime containers"
        raise Unbuildable(
            message,
            model=ModelFailure(INVALID_SPEC, message),
            path="spec.predictor.model.runtime",
            advice=f'call one container of {where} "{name}", or use another runtime',
            rule="runtime-containers",
        )
    return found


def merged_pod(runtime: Json, over: Json, release: KServe) -> Json:
    """Return what a runtime says about pods, with what the service says. runtime: its spec, or its part for workers. Raises Unbuildable."""
    known = (*_OF_RUNTIME, *_LATER.at(release))
    base = as_go_writes({key: runtime[key] for key in known if runtime.get(key) is not None})
    try:
        return merge(base, over, POD_SPEC)
    except MergeError as error:
        raise _unmergeable("failed to consolidate serving runtime PodSpecs", error) from None


def _unmergeable(what: str, error: MergeError) -> Unbuildable:
    message = f"{what}. Detail: {error}"
    return Unbuildable(
        message,
        model=ModelFailure(INVALID_SPEC, message),
        path="spec.predictor",
        advice="give each item of these lists its key, in the service and in its runtime",
        rule="runtime-merge",
    )
