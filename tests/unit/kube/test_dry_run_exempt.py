# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects need no trial; that the API server really takes those is proved in tests/cluster/test_applyset_certain.py."""

from __future__ import annotations

import pytest

from module_utils.kube.dry_run_exempt import is_exempt
from tests.cluster.support.certain import CERTAIN, DOUBTFUL


@pytest.mark.parametrize("name", sorted(CERTAIN))
def test_plain_objects_are_certain(name: str) -> None:
    assert is_exempt(CERTAIN[name])


@pytest.mark.parametrize("name", sorted(DOUBTFUL))
def test_whatever_is_not_seen_to_be_right_is_tried(name: str) -> None:
    assert not is_exempt(DOUBTFUL[name])
