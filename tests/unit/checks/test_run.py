# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks run one by one: what one of them may not read keeps none of the others from its work."""

from __future__ import annotations

from typing import Any

from module_utils.kinds.check import WARNING, Check
from module_utils.kinds.field_map import Place
from module_utils.kube.reader import NotAllowed
from module_utils.kube.reference import Reference
from tests.objects import Cluster

from .checked import warnings
from .mistakes.mistake import MS
from .mistakes.table import MISTAKES
from .services import S3, llm
from .surroundings import CONFIG


class WithoutGateways(Cluster):
    """A cluster in which nobody may look at Gateways."""

    def get(self, reference: Reference) -> dict[str, Any] | None:
        if reference.kind == "Gateway":
            raise NotAllowed
        return super().get(reference)


def test_what_may_not_be_read_loses_one_check_alone() -> None:
    service = llm(model={"uri": "s3://b/m"}, router={"route": {}, "gateway": {}})
    found = warnings(service, WithoutGateways([CONFIG, *S3]))
    assert "secret-entry" in found
    assert "gateway-admits" not in found
    assert "reading Gateways" in found["could-not-look"].message


def test_a_check_never_stops_a_service() -> None:
    """Its controller would render it as well."""
    found = warnings(MISTAKES["shared-devices"][MS].service, Cluster())
    assert found["shared-devices"].severity == "warning"


def test_a_finding_names_the_object_that_says_it() -> None:
    row = Check("some-rule", WARNING, finds="{flag} is {{wrong}}", fix="leave it out")
    found = row.at(Place("spec.model", "ClusterServingRuntime own"), flag="--a")
    assert found.path == "spec.model"
    assert found.message == "ClusterServingRuntime own: --a is {wrong}; leave it out"
