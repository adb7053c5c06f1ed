# SPDX-License-Identifier: GPL-3.0-or-later
"""What the installation's ConfigMap says of certificates and of gateways. The letters are those of the controller's own test suite."""

from __future__ import annotations

import pytest

from module_utils.kinds.llm_inference_service.errors import Unbuildable
from module_utils.kinds.llm_inference_service.read_system_config import read_system_config
from module_utils.kinds.llm_inference_service.settings import Settings
from module_utils.kinds.llm_inference_service.system_config import Certificates
from module_utils.kube.manifest import Json

from .preset_world import config_map, system_config, world

EXPIRES, RESTARTS = "certificates.kserve.io/expiration", "certificates.kserve.io/cert-hash"

#: Row of the suite → the entry `scheduler`, the annotations that say when a certificate ends, and the one that restarts a picker.
CERTIFICATES: dict[str, tuple[Json, Certificates]] = {
    "without an entry the known annotations hold": ({}, Certificates((EXPIRES,), RESTARTS)),
    "other times to end leave the restart as it is": (
        {"expirationAnnotations": ["a/end", "b/end"]},
        Certificates(("a/end", "b/end"), RESTARTS),
    ),
    "another restart leaves the time to end as it is": (
        {"restartAnnotation": "a/restart"},
        Certificates((EXPIRES,), "a/restart"),
    ),
    "both may be given": (
        {"expirationAnnotations": ["a/end"], "restartAnnotation": "a/restart"},
        Certificates(("a/end",), "a/restart"),
    ),
}


@pytest.mark.parametrize("row", CERTIFICATES)
def test_annotations_of_certificates_are_the_installations(row: str) -> None:
    entry, wanted = CERTIFICATES[row]
    found = read_system_config(Settings(), world(system_config(scheduler=entry)))
    assert found.certificates == wanted


def test_a_missing_entry_is_an_empty_one() -> None:
    assert read_system_config(Settings(), world()).certificates == Certificates()


def test_an_entry_that_is_no_json_is_refused_with_its_name() -> None:
    broken = config_map("inferenceservice-config", {**system_config()["data"], "scheduler": "{"})
    broken["metadata"]["namespace"] = "kserve"
    with pytest.raises(Unbuildable, match="scheduler") as caught:
        read_system_config(Settings(), world(broken))
    assert "ConfigMap kserve/inferenceservice-config" in caught.value.problem.message
