# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between releases of KServe where InferenceService is concerned: data, read by the builders.

Source: KServe pkg/controller/v1beta1/inferenceservice/@v0.17.0.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Release:
    """The behaviour of one release."""

    name: str


V0_17 = Release("0.17")
RELEASES = {release.name: release for release in (V0_17,)}

_ADVICE = (
    "is known of LLMInferenceService, but not of InferenceService, whose children are those of {} alone: give the InferenceServices "
    "a task of their own with releases.kserve: {} (docs/kserve_releases.md says what that leaves out)"
)
#: Releases that the other kind of KServe knows, with what to do.
REFUSED = dict.fromkeys(("0.18", "0.19"), _ADVICE.format(V0_17.name, V0_17.name))
