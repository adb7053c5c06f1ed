# SPDX-License-Identifier: GPL-3.0-or-later
"""A new service that nothing says more of gets a release whose status the CRD in the cluster can hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.fleet.settings import newest
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.spec import (
    API_VERSION,
    KIND,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.status_schema import (
    status_fields,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.registry import WRITTEN

REGISTERED = WRITTEN[API_VERSION, KIND]
#: The kind as it were, if all of its releases were proved.
ALL_PROVED = replace(
    REGISTERED, releases=replace(REGISTERED.releases, backing=dict.fromkeys(KServe, "proved"))
)


@pytest.mark.parametrize(
    ("has", "chosen"),
    [
        (KServe.V0_17, KServe.V0_18),
        (KServe.V0_18, KServe.V0_18),
        (KServe.V0_19, KServe.V0_19),
        # Its status has the fields of the release before.
        (KServe.V0_20, KServe.V0_21),
        (KServe.V0_21, KServe.V0_21),
    ],
)
def test_newest_release_is_one_whose_status_the_crd_declares(has: KServe, chosen: KServe) -> None:
    found = newest(ALL_PROVED, "nothing says more", status_fields(has))
    assert found.release == chosen
    assert ("of those whose status" in found.reason) == (chosen < KServe.V0_20)


def test_a_crd_that_nobody_has_seen_keeps_no_release_out() -> None:
    found = newest(ALL_PROVED, "no cluster is looked at")
    assert (found.release, found.source) == (KServe.V0_21, "newest")
