# SPDX-License-Identifier: GPL-3.0-or-later
"""Our definitions of the caches of models say what KServe's say."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.local_model_cache.crd import crd
from tests.cluster.compared_crds import bare
from tests.lab import crds
from tests.lab.crd_sources import KSERVE_CACHES

THEIRS = {each["spec"]["names"]["kind"]: each for each in crds.documents(KSERVE_CACHES)}


@pytest.mark.parametrize("kind", ["LocalModelCache", "LocalModelNamespaceCache"])
def test_our_definition_says_what_kserve_s_says(kind: str) -> None:
    ours, theirs = crd(kind), THEIRS[kind]
    assert ours["spec"]["scope"] == theirs["spec"]["scope"]
    assert ours["spec"]["names"] == theirs["spec"]["names"]
    (mine,), (said,) = ours["spec"]["versions"], theirs["spec"]["versions"]
    assert _bare(mine["schema"]) == _bare(said["schema"])


def _bare(schema: Any) -> Any:
    """Return a schema without descriptions. Numbers of Go's type int have no width in theirs."""
    if not isinstance(schema, dict):
        return schema
    kept = {key: _bare(part) for key, part in bare(schema).items()}
    return {key: part for key, part in kept.items() if (key, part) != ("format", "int64")}
