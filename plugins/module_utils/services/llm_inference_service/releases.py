# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between releases of KServe where LLMInferenceService is concerned: data, read by the builders.

Source: reference/kserve-llmisvc.md §10.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Release:
    """The behaviour of one release.

    sidecar_pool_groups: API groups of the pools that the routing sidecar of a decode pod may read.
    bare_scheduler_template_wipes_containers: a scheduler's template without `containers` takes the preset's away.
    picker: the endpoint picker of the release's own presets, as a target of `endpoint_picker`.
    """

    name: str
    sidecar_pool_groups: tuple[str, ...] = ("inference.networking.x-k8s.io",)
    bare_scheduler_template_wipes_containers: bool = True
    picker: str = "llmd:0.4"


V0_17 = Release("0.17")
RELEASES = {release.name: release for release in (V0_17,)}
