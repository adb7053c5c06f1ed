# SPDX-License-Identifier: GPL-3.0-or-later
"""The CRD made from the schema is the operator's, field by field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from module_utils.kinds.model_service.crd import crd
from module_utils.kinds.model_service.releases import NEWEST, ModelOperator
from module_utils.kinds.model_service.schema import documentation

RECORDED = Path(__file__).parents[3] / "parity" / "recordings" / "model_service" / "crds"


def bare(value: Any) -> Any:
    """Return a schema without descriptions and without an order that has no meaning."""
    if isinstance(value, dict):
        kept = {
            key: bare(item)
            for key, item in value.items()
            if not (key == "description" and isinstance(item, str))
        }
        return (
            {**kept, "required": sorted(kept["required"])}
            if isinstance(kept.get("required"), list)
            else kept
        )
    return [bare(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("release", "file"),
    [
        (ModelOperator.V0_9_0_ALPHA_2, "modelservices-alpha2.yaml"),
        (ModelOperator.V1_0_1, "modelservices-v1.yaml"),
    ],
)
def test_crd_is_the_recorded_one(release: ModelOperator, file: str) -> None:
    assert bare(crd(release)) == yaml.safe_load((RECORDED / file).read_text())


def test_default_holds_the_fields_of_every_release() -> None:
    assert crd() == crd(NEWEST)


@pytest.mark.parametrize("release", ModelOperator)
def test_every_field_is_described(release: ModelOperator) -> None:
    assert not [row.path for row in documentation(release) if not row.schema.description]
