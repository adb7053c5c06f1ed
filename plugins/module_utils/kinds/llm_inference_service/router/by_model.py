# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether requests may name their model in a header, to reach a service by the path of the API alone."""

from __future__ import annotations

from ....kube.release import Since
from ...kserve.releases import KServe

#: Keys of inferenceservice-config and annotations of Gateways then say where.
ROUTES_BY_MODEL: Since[bool] = Since({KServe.V0_17: False, KServe.V0_19: True})

#: On a Gateway, `false` keeps such routes away; on a service, `true` says that its engine has the name that they give.
MODEL_ANNOTATION = "serving.kserve.io/model-based-routing-enabled"
#: Whether such routes need the word of the service, with its presets.
ASKS_SERVICE: Since[bool] = Since({KServe.V0_17: False, KServe.V0_20: True})
