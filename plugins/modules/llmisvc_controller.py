# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Stops and starts a controller in the cluster; the work is in `module_utils/modules/llmisvc_controller.py`."""

from __future__ import annotations

DOCUMENTATION = r"""
module: llmisvc_controller
short_description: Stop and start the controller of a kind of inference services
version_added: 1.0.0
author:
  - modelops.inference contributors (@modelops)
description:
  - Finds the Deployment of the controller in the cluster by its labels, stops it, and starts it again with the replicas that it had.
  - Services are taken over from a controller that is stopped, and given back before it is started;
    see M(modelops.inference.llmisvc_reconcile) and its option O(modelops.inference.llmisvc_reconcile#module:adopt).
  - Also pause whatever deploys the controller, for example a GitOps tool; otherwise it starts the controller again.
options:
  kind:
    description:
      - The kind whose controller to stop or start.
    type: str
    choices: [InferenceGraph, InferenceService, LLMInferenceService, LocalModelCache, LocalModelNamespaceCache, ModelService]
    default: ModelService
  state:
    description:
      - V(gathered) changes nothing.
      - V(stopped) scales each Deployment of the controller to 0, notes its replicas in the annotation C(inference.modelops.io/replicas), and
        waits until its pods are gone.
      - V(started) scales it back to the noted replicas and waits until one of them is ready.
    type: str
    choices: [gathered, started, stopped]
    default: gathered
  wait_timeout:
    description:
      - Seconds to wait for the pods.
    type: float
    default: 120
extends_documentation_fragment:
  - modelops.inference.auth
  - modelops.inference.requests
  - modelops.inference.attributes
  - modelops.inference.attributes.action_group
attributes:
  check_mode:
    support: full
  diff_mode:
    support: none
    details:
      - RV(controllers) has the replicas before and after.
  idempotent:
    support: full
seealso:
  - module: modelops.inference.llmisvc_reconcile
"""

EXAMPLES = r"""
- name: Find the controller and its services
  modelops.inference.llmisvc_controller:
  register: operator

- name: Stop it
  modelops.inference.llmisvc_controller:
    state: stopped

- name: Start it again
  modelops.inference.llmisvc_controller:
    state: started
"""

RETURN = r"""
controllers:
  description: One entry for each Deployment of the controller.
  returned: always
  type: list
  elements: dict
  contains:
    namespace:
      description: Its namespace.
      type: str
    name:
      description: Its name.
      type: str
    images:
      description: The images of its containers; the tag names the release.
      type: list
      elements: str
    replicas_before:
      description: How many replicas it had.
      type: int
    replicas:
      description: How many it has now, or would have.
      type: int
services:
  description: The services that carry the controller's finalizer, each with C(namespace) and C(name). They wait for it while it is stopped.
  returned: always
  type: list
  elements: dict
stats:
  description:
    - What the run cost, in C(requests), C(reads), C(writes), C(lease_requests), C(skipped) (objects that needed no request), C(rounds)
      and C(elapsed_s).
  returned: always
  type: dict
"""

from ansible_collections.modelops.inference.plugins.module_utils.module_runner import run_module
from ansible_collections.modelops.inference.plugins.module_utils.modules import llmisvc_controller


def main() -> None:
    """Run the entry as a module."""
    run_module(llmisvc_controller.ARGUMENT_SPEC, llmisvc_controller.run, llmisvc_controller.EMPTY)


if __name__ == "__main__":
    main()
