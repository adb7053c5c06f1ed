# SPDX-License-Identifier: GPL-3.0-or-later
"""Templates that nobody has filled in: services are data, and what is in braces reaches the pods as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView
from ..kube.problem import Problem
from ..kube.schema_check import child_path

#: A variable of Ansible, perhaps with filters. Those of KServe begin with a dot, and a template of a chat has statements, too.
_VARIABLE = re.compile(r"\{\{-?\s*(?P<name>[A-Za-z_][\w.]*)\s*(?:\|[^}]*)?-?\}\}", re.ASCII)
_STATEMENT = "{%"

TEMPLATE = Check(
    "template-left",
    WARNING,
    finds="nobody fills in the template of {variable}, since services are not templated",
    fix="put the value in before, for example with lookup('ansible.builtin.template', …)",
)


@check(TEMPLATE, costly=True)
def template_left(view: ServiceView) -> Iterator[Problem]:
    """Yield texts of the author with variables that nobody fills in."""
    for path, text in _texts(view.document.get("spec"), "spec"):
        found = _VARIABLE.search(text)
        # KServe fills in what is in an LLMInferenceService.
        if found and _STATEMENT not in text and any(found[0] in str(each) for each in view.made):
            yield TEMPLATE.at(path, variable=found["name"])


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        # Of images, only marks that no image has are reported.
        if "{{" in value and not path.endswith(".image"):
            yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, child_path(path, str(key)))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _texts(inner, f"{path}[{number}]")
