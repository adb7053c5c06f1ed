# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whose behaviour is reproduced, shared by every module that compiles services."""

from __future__ import annotations


class ModuleDocFragment:
    """The releases of controllers: `SERVICES["releases"]` in module_utils/task/arguments.py."""

    DOCUMENTATION = r"""
options:
  releases:
    description:
      - Whose behaviour is reproduced.
    type: dict
    default: {}
    suboptions:
      model_operator:
        description:
          - A release of model-operator, V(0.9.0-alpha.2) or V(1.0.1). The default is V(0.9.0-alpha.2).
        type: str
      kserve:
        description:
          - A release of KServe, V(0.17), V(0.18), V(0.19), V(0.20) or V(0.21), for all services of the task. The default is V(auto).
          - With V(auto), each service keeps the release that created its objects. A service without objects gets the release of the
            controller in the cluster, otherwise the newest proved release whose status the CRD declares. If no
            cluster is read, the objects given in its place decide instead.
          - The result says which release each service has, and why. A service changes its release only if you set one here.
          - Another release than before may restart pods; a warning names the workloads before anything is written.
        type: str
"""
