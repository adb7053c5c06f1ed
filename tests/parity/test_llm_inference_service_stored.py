# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server stores of a service reads as the older version as it says it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from module_utils.kinds.llm_inference_service.conversion import to_v1alpha1
from module_utils.kube.manifest import Json

RECORDINGS = Path(__file__).parent / "recordings" / "llm_inference_service"

OLD = sorted(p.parent.name for p in RECORDINGS.glob("*/stored-v1alpha1.yaml"))
#: KServe keeps the first of several ports and drops the others: docs/differences.md, L43.
SEVERAL_PORTS = {"v1a2-read-as-v1a1"}


def read(case: str, file: str) -> Json:
    found: Json = yaml.safe_load((RECORDINGS / case / file).read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("case", sorted(set(OLD) - SEVERAL_PORTS))
def test_a_stored_service_reads_as_the_older_version(case: str) -> None:
    old, stored = to_v1alpha1(read(case, "stored.yaml")), read(case, "stored-v1alpha1.yaml")
    assert old["spec"] == stored["spec"]
    assert old["metadata"].get("annotations") == stored["metadata"].get("annotations")


@pytest.mark.parametrize("case", sorted(SEVERAL_PORTS))
def test_ports_that_would_be_lost_are_refused(case: str) -> None:
    with pytest.raises(ValueError, match="holds exactly one"):
        to_v1alpha1(read(case, "stored.yaml"))


def test_recordings_are_there() -> None:
    assert len(OLD) == 5
