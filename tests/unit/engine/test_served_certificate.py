# SPDX-License-Identifier: GPL-3.0-or-later
"""A certificate that an API server would refuse is told with the reason."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.engine.applyset.served_certificate import (
    certificate_fault,
    same_authority,
)
from tests.lab import pki

NAME = "web.ops.svc"
NOW = datetime.now(UTC)
OURS, OTHER = pki.Authority.new("ours"), pki.Authority.new("other")


def text(pem: str) -> str:
    return base64.b64encode(pem.encode()).decode()


BUNDLE = text(OURS.pair.certificate)
SERVED = OURS.server(NAME, [NAME]).certificate


@pytest.mark.parametrize(
    ("bundle", "certificate", "now", "told"),
    [
        (BUNDLE, SERVED, NOW, ""),
        (BUNDLE, SERVED, NOW + timedelta(days=31), "its certificate expired on"),
        (BUNDLE, SERVED, NOW - timedelta(days=1), "its certificate is valid from"),
        (BUNDLE, OTHER.server(NAME, [NAME]).certificate, NOW, "is not signed by the authority"),
        (BUNDLE, OURS.server("x", ["x.ops.svc"]).certificate, NOW, f"is not for {NAME}"),
        (BUNDLE, OURS.client("x").certificate, NOW, f"is not for {NAME}"),
        (BUNDLE, "no certificate", NOW, "its tls.crt cannot be read"),
        (BUNDLE, "", NOW, "it holds no tls.crt"),
        (text("none"), SERVED, NOW, "is not signed by the authority"),
        # Two authorities, while one takes over from the other.
        (text(OTHER.pair.certificate + OURS.pair.certificate), SERVED, NOW, ""),
        # Its own authority.
        (text(SERVED), SERVED, NOW, ""),
    ],
)
def test_certificate_that_the_api_server_refuses_is_told(
    bundle: str, certificate: str, now: datetime, told: str
) -> None:
    texts = {"tls.crt": text(certificate)} if certificate else {}
    found = certificate_fault(bundle, texts, [NAME], now)
    assert (told in found) if told else not found


def test_authority_is_compared_without_the_ends_of_its_lines() -> None:
    held = {"ca.crt": text(OURS.pair.certificate + "\n")}
    assert same_authority(BUNDLE, held)
    assert not same_authority(text(OTHER.pair.certificate), held)
    assert same_authority(BUNDLE, {"tls.crt": BUNDLE})
