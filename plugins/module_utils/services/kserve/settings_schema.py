# SPDX-License-Identifier: GPL-3.0-or-later
"""What each kind of KServe reads of the option `settings` of a task."""

from __future__ import annotations

from ...kube.schema import Text

KSERVE_NAMESPACE = Text(
    description="Where `inferenceservice-config` and what services share is.", default="kserve"
)
CLUSTER_DOMAIN = Text(description="DNS domain of the cluster.", default="cluster.local")
