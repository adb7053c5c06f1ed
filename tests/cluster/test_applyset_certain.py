# SPDX-License-Identifier: GPL-3.0-or-later
"""What is not tried before an installation because nothing can be wrong with it: the real API server agrees."""

from __future__ import annotations

import pytest

from tests.lab.client import Client

from .support.certain import CERTAIN


@pytest.mark.parametrize("name", sorted(CERTAIN))
def test_the_api_server_takes_what_is_certain(client: Client, namespace: str, name: str) -> None:
    manifest = CERTAIN[name]
    metadata = dict(manifest["metadata"])
    if not manifest["kind"].startswith("Cluster"):
        metadata["namespace"] = namespace
    client.create({**manifest, "metadata": metadata}, dryRun="All", fieldValidation="Strict")
