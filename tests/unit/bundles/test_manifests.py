# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with the objects of a bundle is told with where they stand, all at once."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.modules import applyset
from tests.unit.modules.task import result_of

MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}


def told(*definition: Any) -> str:
    """Return the error of a set that cannot be."""
    result = result_of(applyset, {"name": "x", "definition": list(definition)})
    assert result["failed"]
    return str(result["msg"])


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ({"kind": "ConfigMap", "metadata": {"name": "a"}}, "apiVersion: missing; this is no"),
        ({**MAP, "kind": 5}, "kind: 5 is not a text; this is no Kubernetes object"),
        ({**MAP, "metadata": {}}, "metadata.name: missing"),
        ({**MAP, "metadata": {"generateName": "a-"}}, "an object that is found again needs one"),
        ({**MAP, "metadata": "a"}, "metadata: str is not a map"),
        (5, "int is not a manifest; give a map with apiVersion and kind"),
    ],
)
def test_what_is_no_object_is_told(manifest: Any, said: str) -> None:
    assert said in told(manifest)


def test_every_object_that_is_wrong_is_told() -> None:
    said = told({}, MAP, 5, MAP)
    assert "definition[0]: 3 problems" in said
    assert "definition[2]: 1 problem" in said
