# SPDX-License-Identifier: GPL-3.0-or-later
"""What checks say of a service, without a task around it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from module_utils.fleet.service import Service
from module_utils.kinds.registry import KINDS
from module_utils.kube.problem import InputError, Problem
from module_utils.kube.reader import Reader
from module_utils.kube.release import ChosenRelease
from tests.unit.modules.task import run


def checked(
    typed: Any, settings: Any, reader: Reader, written: dict[str, Any] | None = None
) -> list[Problem]:
    """Return everything that checks find; nothing of a service that cannot be built."""
    reference = typed.reference
    kind = KINDS[reference.api_version, reference.kind]
    release = ChosenRelease(settings.release, "option", "")
    service = Service(str(reference), kind, reference, typed, settings, release, written or {})
    try:
        intent = service.compile(reader)
    except InputError:
        return []
    service.judge(intent)
    manifests = [child.manifest.to_dict() for child in intent.children]
    return [*service.problems, *service.advice(intent.basis, manifests, reader)]


def warnings(document: dict[str, Any], reader: Reader, **options: Any) -> dict[str, Problem]:
    """Return what is found when a custom resource is loaded and checked: rule → warning. It has to be one without an error."""
    api_version = {kind: version for version, kind in KINDS}[document["kind"]]
    kind = KINDS[api_version, document["kind"]]
    settings = kind.settings(options, {})
    loaded = kind.load(document, settings)
    assert loaded.service is not None, [str(problem) for problem in loaded.problems]
    found = [*loaded.problems, *checked(loaded.service, settings, reader, document)]
    return {problem.rule: problem for problem in found}


def problems_of(
    service: dict[str, Any], *objects: dict[str, Any], release: str = "0.17"
) -> list[dict[str, Any]]:
    """Return what a task says of a service that it renders."""
    result = run(
        state="rendered",
        services=[service],
        cluster_objects=list(objects),
        releases={"kserve": release},
    )
    assert not result.get("failed"), result["msg"]
    problems: list[dict[str, Any]] = result["services"][0]["problems"]
    return problems


def told_by(
    rules: Collection[str], service: dict[str, Any], *objects: dict[str, Any], release: str = "0.17"
) -> list[str]:
    """Return what a task warns about by some rules, each with its field."""
    return [
        f"{each['path']}: {each['message']}"
        for each in problems_of(service, *objects, release=release)
        if each["rule"] in rules
    ]
