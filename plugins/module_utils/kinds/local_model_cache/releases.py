# SPDX-License-Identifier: GPL-3.0-or-later
"""How far each release of KServe is reproduced where caches of models are concerned. docs/kserve_releases.md says what is left out."""

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
#: KServe 0.17 has no caches of one namespace.
NAMESPACE_BACKING: Mapping[KServe, Backing] = {**BACKING, KServe.V0_17: "refused"}
