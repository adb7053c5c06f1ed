# SPDX-License-Identifier: GPL-3.0-or-later
"""What we ask of a certificate is what the controller's own covered in the end."""

from __future__ import annotations

import pytest

from module_utils.kinds.llm_inference_service.certificate.request import certificate_request
from module_utils.kinds.llm_inference_service.errors import Unbuildable
from module_utils.kinds.llm_inference_service.presets.resolve import resolve

from .cases import llm_cases, read_all

CASES = {
    name: case for name, case in llm_cases().items() if (case.folder / "certificate.yaml").exists()
}
#: Names that no child can have are refused before anything is resolved.
REFUSED = {"name-with-dots"}


@pytest.mark.parametrize("name", sorted(CASES.keys() - REFUSED))
def test_the_same_names_are_covered(name: str) -> None:
    case, cluster = CASES[name], CASES[name].reader()
    (recorded,) = read_all(case.folder / "certificate.yaml")
    try:
        ours = certificate_request(resolve(case.service(), case.settings(), cluster), cluster)
    except Unbuildable:
        pytest.fail("a service with a certificate is one that can be resolved")
    assert list(ours.dns_names) == recorded["dnsNames"]
    assert set(ours.addresses) <= set(recorded["ipAddresses"])


def test_every_recorded_certificate_is_looked_at() -> None:
    assert len(CASES) == 138
