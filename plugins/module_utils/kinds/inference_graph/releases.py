# SPDX-License-Identifier: GPL-3.0-or-later
"""How far each release of KServe is reproduced where InferenceGraph is concerned. docs/kserve_releases.md says what is left out."""

from __future__ import annotations

from collections.abc import Mapping

from ...kube.release import Backing
from ..kserve.releases import KServe

BACKING: Mapping[KServe, Backing] = {
    KServe.V0_17: "proved",
    KServe.V0_18: "unjudged",
    KServe.V0_19: "proved",
    KServe.V0_20: "proved",
    KServe.V0_21: "unjudged",
}
