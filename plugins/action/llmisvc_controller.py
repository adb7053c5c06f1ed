# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of `llmisvc_controller`: the same work as the module, in the Ansible process."""

from __future__ import annotations

from ansible_collections.modelops.inference.plugins.plugin_utils.in_process import InProcessAction


class ActionModule(InProcessAction):
    """Runs `llmisvc_controller`."""

    MODULE = "llmisvc_controller"
