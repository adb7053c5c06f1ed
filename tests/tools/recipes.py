# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The recipes of docs/recipes.md, as tests render and reconcile them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from ansible_collections.modelops.inference.plugins.module_utils.kinds.registry import KINDS

from .tree import CHECKOUT

Json = dict[str, Any]
PAGE = CHECKOUT / "docs" / "recipes.md"
MODULE = "modelops.inference.llmisvc_reconcile"
SERVICES = {kind for dummy, kind in KINDS}


@dataclass
class Recipe:
    """What one section of the page holds."""

    services: list[Json] = field(default_factory=list)
    others: list[Json] = field(default_factory=list)
    tasks: list[Json] = field(default_factory=list)
    settings: Json = field(default_factory=dict)
    releases: Json = field(default_factory=dict)

    def add(self, found: Any) -> None:
        """Sort one YAML document of the page."""
        if isinstance(found, list):
            self.tasks += found
        elif found.get("kind") in SERVICES:
            self.services.append(found)
        elif "kind" in found:
            self.others.append(found)
        else:
            self.settings |= found.get("model_services_settings") or {}
            self.releases |= found.get("model_services_releases") or {}


def recipes(team: str = "team-") -> Mapping[str, Recipe]:
    """Return the recipes by their headings; that of an empty heading is the introduction.

    team: how the names of the teams' namespaces begin, so that recipes do not meet on one cluster.
    """
    found: dict[str, Recipe] = {}
    text = PAGE.read_text("utf-8").replace("team-", team)
    for section in re.split(r"^## ", "\n" + text, flags=re.MULTILINE):
        heading, dummy, body = section.partition("\n")
        recipe = found.setdefault(heading, Recipe())
        for block in re.findall(r"^```yaml\n(.*?)^```$", body, re.MULTILINE | re.DOTALL):
            for document in yaml.safe_load_all(block):
                recipe.add(document)
    return found
