# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of `applyset`: the same work as the module, in the Ansible process."""

from __future__ import annotations

from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.task import manifest_loader
from ansible_collections.modelops.inference.plugins.plugin_utils.in_process import InProcessAction


class ActionModule(InProcessAction):
    """Runs `applyset`."""

    MODULE = "applyset"

    def _as_content(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Replace paths by what they hold: the module may run where these files are not. Raises InputError."""
        if arguments.get("src"):
            documents = [document.value for document in manifest_loader.read(arguments.pop("src"))]
            given = arguments.get("definition")
            if isinstance(given, str):
                parsed = manifest_loader.parse_text(given, "definition")
                given = [document.value for document in parsed]
            elif not isinstance(given, list):
                given = [] if given is None else [given]
            arguments["definition"] = [*documents, *given]
        return arguments
