# SPDX-License-Identifier: GPL-3.0-or-later
"""Our fit against the real scheduler, on random clusters; `make fuzz-fit` has many more."""

from __future__ import annotations

from random import Random

import pytest

from tests.fuzz.clusters import decide, random_cluster
from tests.lab.control_plane import ControlPlane
from tests.lab.fixtures import fresh_namespace

CLUSTERS = 24


@pytest.mark.parametrize("seed", [1])
def test_fit_agrees_with_the_scheduler(seed: int, own_lab: ControlPlane) -> None:
    random = Random(seed)
    # Its nodes come and go, which tests that count devices would notice.
    with fresh_namespace(own_lab.client, "bare") as namespace:
        clusters = [random_cluster(random) for dummy in range(CLUSTERS)]
        decided = decide(own_lab.client, namespace, clusters)
    assert [line for each in decided for line in each.disagreements()] == []
    verdicts = {answer.verdict for each in decided for answer in each.answers}
    assert len(verdicts) == 3, "the clusters are too much alike to show anything"
