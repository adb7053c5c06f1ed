# SPDX-License-Identifier: GPL-3.0-or-later
"""What we ask of a certificate is what the controller's own covered in the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from module_utils.kinds.llm_inference_service.certificate.request import (
    CertificateRequest,
    certificate_request,
)
from module_utils.kinds.llm_inference_service.errors import Unbuildable
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.presets.resolve import resolve

from .recorded_llm_services import cases, read_all, recorded_cluster, recorded_settings

CASES = {folder.name: folder for folder in cases() if (folder / "certificate.yaml").exists()}
#: Names that no child can have are refused before anything is resolved.
REFUSED = {"name-with-dots"}


def request(folder: Path) -> CertificateRequest:
    settings, cluster = recorded_settings(folder), recorded_cluster(folder)
    service = load(read_all(folder / "input.yaml")[0], settings).service
    assert service is not None
    return certificate_request(resolve(service, settings, cluster), cluster)


@pytest.mark.parametrize("name", sorted(CASES.keys() - REFUSED))
def test_the_same_names_are_covered(name: str) -> None:
    (recorded,) = read_all(CASES[name] / "certificate.yaml")
    try:
        ours = request(CASES[name])
    except Unbuildable:
        pytest.fail("a service with a certificate is one that can be resolved")
    assert list(ours.dns_names) == recorded["dnsNames"]
    assert set(ours.addresses) <= set(recorded["ipAddresses"])


def test_every_recorded_certificate_is_looked_at() -> None:
    assert len(CASES) == 138
