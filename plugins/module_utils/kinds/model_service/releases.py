# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between releases of model-operator: six switches and a gateway name.

Source: model-operator internal/modelservice/, internal/labels/@v0.9.0-alpha.2.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OperatorRelease:
    """The behaviour of one release.

    always_secure_proxy_flag: the proxy gets `--secure-proxy` even where the author says nothing.
    nixl_port: a literal VLLM_NIXL_SIDE_CHANNEL_PORT becomes a container port.
    pod_monitors_by_default: PodMonitors exist unless they are switched off.
    serving_label_on_monitors: PodMonitors carry `llm-d.ai/inference-serving`.
    monitor_relabelling: PodMonitors add the label `model_service` to each series.
    role_annotations: decode and prefill take annotations for their pods.
    """

    name: str
    default_gateway: str
    always_secure_proxy_flag: bool = False
    nixl_port: bool = False
    pod_monitors_by_default: bool = False
    serving_label_on_monitors: bool = False
    monitor_relabelling: bool = False
    role_annotations: bool = False


ALPHA2 = OperatorRelease(
    "0.9.0-alpha.2", default_gateway="llm-d-infra-inference-gateway", serving_label_on_monitors=True
)
V1 = OperatorRelease(
    "1.0.1",
    default_gateway="otterscale-llm-d-infra-inference-gateway",
    always_secure_proxy_flag=True,
    nixl_port=True,
    pod_monitors_by_default=True,
    monitor_relabelling=True,
    role_annotations=True,
)
RELEASES = {release.name: release for release in (ALPHA2, V1)}
