# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a component in Standard mode is ready, by its Deployments. Source: KServe pkg/apis/serving/v1beta1/inference_service_status.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....kube.condition import Truth
from ....kube.manifest import Json
from ....kube.release import Since
from ...kserve.releases import KServe

#: How messages call the Deployments of a predictor on several nodes.
_NODES = ("predictor-container", "worker-container")
_COMPLETE = "NewReplicaSetAvailable"
#: Whether what is available is ready while its rollout continues.
_TRUSTS_AVAILABLE: Since[bool] = Since({KServe.V0_17: False, KServe.V0_20: True})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a Deployment, or several, say."""

    status: Truth
    reason: str = ""
    message: str = ""


def deployments_verdict(deployments: Sequence[Json | None], release: KServe) -> Verdict:
    """Return what a component's Deployments say together: the one of its pods, and that of its workers where it has some.

    Each is judged for itself, and the first that is not ready decides.
    """
    said = [deployment_verdict(live or {}, release) for live in deployments]
    if len(said) == 1:
        return said[0]
    deciding = next((one for one in said if one.status != "True"), said[0])
    texts = [
        f"{node}: {one.message}" for node, one in zip(_NODES, said, strict=True) if one.message
    ]
    return Verdict(deciding.status, deciding.reason, ", ".join(texts))


def deployment_verdict(live: Json, release: KServe) -> Verdict:
    """Return what the conditions of one Deployment say; of several that have a say, the last rule decides."""
    said = {one.get("type"): one for one in (live.get("status") or {}).get("conditions") or ()}
    verdict = Verdict("False")
    available, progressing = said.get("Available") or {}, said.get("Progressing") or {}
    if available.get("status") == "True":
        verdict = _of("True", available)
    if progressing.get("status") == "False" and progressing.get("message"):
        verdict = _of("False", progressing)
    elif progressing.get("status") == "True":
        complete = progressing.get("reason") == _COMPLETE
        if complete or not (verdict.status == "True" and _TRUSTS_AVAILABLE.at(release)):
            verdict = _of("True" if complete else "Unknown", progressing)
    if available.get("status") == "False":
        verdict = _of("False", available)
    failure = said.get("ReplicaFailure") or {}
    if failure.get("status") == "True":
        verdict = _of("False", failure)
    return verdict


def _of(status: Truth, condition: Json) -> Verdict:
    return Verdict(status, condition.get("reason") or "", condition.get("message") or "")
