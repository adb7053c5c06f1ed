# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server stores of a service, in both versions, is what we read and convert."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from module_utils.kinds.llm_inference_service.conversion import to_v1alpha1
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.settings import Settings
from module_utils.kube.manifest import Json

RECORDINGS = Path(__file__).parent / "recordings" / "llm_inference_service"

#: Recorded cases whose name no child can have: docs/differences.md, L36.
REFUSED = {"name-with-dots"}
STORED = sorted(p.parent.name for p in RECORDINGS.glob("*/stored.yaml"))
OLD = sorted(p.parent.name for p in RECORDINGS.glob("*/stored-v1alpha1.yaml"))
#: KServe keeps the first of several ports and drops the others: docs/differences.md, L43.
SEVERAL_PORTS = {"v1a2-read-as-v1a1"}


def read(case: str, file: str) -> Json:
    found: Json = yaml.safe_load((RECORDINGS / case / file).read_text(encoding="utf-8"))
    return found


def told(spec: Any) -> Any:
    """Return what a spec says: the controller writes some fields that are empty, and leaves out some that are false."""
    if isinstance(spec, list):
        return [told(item) for item in spec]
    if not isinstance(spec, dict):
        return spec
    silent = {"resources": {}, "expert": False, "model": {"uri": ""}}
    return {
        key: told(value) for key, value in spec.items() if key not in silent or value != silent[key]
    }


@pytest.mark.parametrize("case", sorted(set(STORED) - REFUSED))
def test_defaults_and_conversion_are_those_of_the_api_server(case: str) -> None:
    service = load(read(case, "input.yaml"), Settings()).service
    stored = read(case, "stored.yaml")
    assert service is not None
    assert told(service.spec) == told(stored["spec"])
    assert dict(service.annotations) == (stored["metadata"].get("annotations") or {})


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
    assert len(STORED) >= 39
    assert len(OLD) == 5
