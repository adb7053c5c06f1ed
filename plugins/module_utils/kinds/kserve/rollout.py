# SPDX-License-Identifier: GPL-3.0-or-later
"""How new pods of a Deployment in Standard mode take the place of old ones.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/deployment/deployment_reconciler.go@v0.17.0.
"""

from __future__ import annotations

from ...kube.fields import filled
from ...kube.manifest import Json
from .modes import STANDARD
from .system_config import Deploy


def usual_rollout(deploy: Deploy) -> Json:
    """Return the fields of a Deployment whose author says nothing; what is configured counts only where Standard is the usual mode."""
    rolling: Json = {"maxUnavailable": "25%", "maxSurge": "25%"}
    if deploy.default_mode == STANDARD and deploy.rollout:
        configured = {"maxUnavailable": deploy.max_unavailable, "maxSurge": deploy.max_surge}
        rolling |= filled(configured)
    return {
        "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling},
        "revisionHistoryLimit": 10,
        "progressDeadlineSeconds": 600,
    }
