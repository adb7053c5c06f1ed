# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How requests are made, shared by every module that talks to a cluster."""

from __future__ import annotations


class ModuleDocFragment:
    """Connections and limits of time: `REQUESTS` in module_utils/task/arguments.py."""

    DOCUMENTATION = r"""
options:
  concurrency:
    description:
      - How many connections to the API server are used in parallel.
    type: int
    default: 8
  request_timeout:
    description:
      - Seconds for each request.
    type: float
    default: 30
  deadline:
    description:
      - Seconds for the whole task, waiting included. By default there is no limit.
    type: float
requirements:
  - python >= 3.11
  - urllib3 >= 2, < 3
  - PyYAML >= 6
  - cryptography >= 42, for services that have keys (C(LLMInferenceService))
  - kubernetes >= 29, for a kubeconfig with the auth-provider C(oidc)
  - PySocks >= 1, for a SOCKS proxy
"""
