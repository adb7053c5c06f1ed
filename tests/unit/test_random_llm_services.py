# SPDX-License-Identifier: GPL-3.0-or-later
"""The services at random that are given to KServe's controllers leave no field of a release out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.schema import (
    documentation,
)
from tests.differential.llm_inputs import Generator
from tests.differential.modules import MODULES

#: Seeds of 100 services each.
SEEDS = range(1, 13)


def paths(value: Any, path: str) -> Iterator[str]:
    """Yield the path of every field below a value, as the tables of fields write it."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield f"{path}.{key}"
            yield from paths(one, f"{path}.{key}")
    elif isinstance(value, list):
        for one in value:
            yield from paths(one, f"{path}[]")


@pytest.mark.parametrize("release", [one for one in MODULES if one > KServe.V0_17])
def test_services_at_random_have_every_field_of_their_release(release: KServe) -> None:
    """Fields without words of ours belong to the APIs of others: `tests.tools.fields`. 0.17 does nothing with most of `scaling`."""
    given = {
        path
        for seed in SEEDS
        for case in Generator(seed, release).cases(100)
        for path in paths(case.document["spec"], "spec")
    }
    fields = {row.path for row in documentation(release=release) if row.schema.description}
    assert sorted(fields - given) == []
