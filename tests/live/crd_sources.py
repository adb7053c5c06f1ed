# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""CRDs that a real gateway and a real picker read beside those of the lab."""

from __future__ import annotations

from ..lab.crd_sources import KSERVE_CACHES, KSERVE_RUNTIMES, Bundle
from .programs import ISTIO_VERSION, PICKER_VERSION

#: All kinds of Istio's control plane; it lists each of them.
ISTIO = Bundle("istio.io/istio", ISTIO_VERSION, ("manifests/charts/base/files/crd-all.gen.yaml",))
#: The picker lists pools, objectives and rewrites.
PICKER = Bundle(
    "sigs.k8s.io/gateway-api-inference-extension",
    f"v{PICKER_VERSION}",
    tuple(
        f"config/crd/bases/inference.networking.{name}.yaml"
        for name in (
            "k8s.io_inferencepools",
            "x-k8s.io_inferenceobjectives",
            "x-k8s.io_inferencemodelrewrites",
        )
    ),
)
#: All that the lab serves; nothing can be fetched once it runs, since its network leads nowhere.
BUNDLES = (ISTIO, PICKER, KSERVE_RUNTIMES, KSERVE_CACHES)
