# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Our kwok stages: they set the status that a gateway or another controller would set, where the lab does not run it."""

from __future__ import annotations

from collections.abc import Iterable

import yaml

from . import paths
from .client import Client, Manifest, wait_until


def stages() -> list[Manifest]:
    """Every stage in `stages/`, by file name."""
    return [
        yaml.safe_load(file.read_text(encoding="utf-8"))
        for file in sorted(paths.STAGES.glob("*.yaml"))
    ]


def await_descriptions(client: Client, found: Iterable[Manifest]) -> None:
    """Wait until OpenAPI describes the kinds of these stages: kwok gives up on a kind that it finds served but not described."""
    wanted = [stage["spec"]["resourceRef"] for stage in found]

    def look() -> tuple[bool, list[str]]:
        missing = [each["kind"] for each in wanted if not _is_described(client, each)]
        return not missing, missing

    wait_until(look, "kinds to be described")


def _is_described(client: Client, reference: Manifest) -> bool:
    path = f"/openapi/v3/apis/{reference['apiGroup']}"
    answer = client.request("GET", path, accept=(404,))
    if not isinstance(answer, dict):
        return False
    schemas = (answer.get("components") or {}).get("schemas") or {}
    kinds = (
        named.get("kind")
        for schema in schemas.values()
        for named in schema.get("x-kubernetes-group-version-kind") or ()
    )
    return reference["kind"] in kinds


def stages_for(definitions: Iterable[Manifest]) -> list[Manifest]:
    """The stages whose kinds are among these CRDs."""
    kinds = {(each["spec"]["group"], each["spec"]["names"]["kind"]) for each in definitions}
    return [stage for stage in stages() if _subject(stage) in kinds]


def _subject(stage: Manifest) -> tuple[str, str]:
    reference = stage["spec"]["resourceRef"]
    return str(reference["apiGroup"]).rpartition("/")[0], str(reference["kind"])
