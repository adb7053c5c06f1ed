# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of `epp_config`: the same work as the module, in the Ansible process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import InputError
from ansible_collections.modelops.inference.plugins.module_utils.picker.input import as_string
from ansible_collections.modelops.inference.plugins.plugin_utils.in_process import InProcessAction


class ActionModule(InProcessAction):
    """Runs `epp_config`."""

    MODULE = "epp_config"

    def _with_paths(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Make `src`, one file, absolute."""
        if isinstance(arguments.get("src"), str):
            arguments["src"] = self._find(arguments["src"])
        return arguments

    def _as_content(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Replace the file by what it holds: the module may run where it is not. Raises InputError."""
        path = arguments.pop("src", None)
        if path is not None:
            try:
                arguments["config"] = as_string(Path(path).read_bytes())
            except OSError as error:
                message = f"{path} cannot be read: {error.strerror}"
                raise InputError.single("epp_config", "src", message) from None
        return arguments
