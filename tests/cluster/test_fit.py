# SPDX-License-Identifier: GPL-3.0-or-later
"""Our fit against the real scheduler, on random clusters; `make fuzz-fit` has many more."""

from __future__ import annotations

from random import Random

import pytest

from tests.fuzz.clusters import decide, random_cluster
from tests.lab.client import Client

CLUSTERS = 24


@pytest.mark.parametrize("seed", [1])
def test_fit_agrees_with_the_scheduler(seed: int, client: Client, bare_namespace: str) -> None:
    random = Random(seed)
    decided = decide(client, bare_namespace, [random_cluster(random) for dummy in range(CLUSTERS)])
    assert [line for each in decided for line in each.disagreements()] == []
    verdicts = {answer.verdict for each in decided for answer in each.answers}
    assert len(verdicts) == 3, "the clusters are too much alike to show anything"
