# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Looks at inference services; the work is in `module_utils/modules/llmisvc_info.py`."""

from __future__ import annotations

DOCUMENTATION = r"""
module: llmisvc_info
short_description: Get the status of inference services, their children and their drift
version_added: 1.0.0
author:
  - modelops.inference contributors (@modelops)
description:
  - Returns the services of a fleet, or the named ones, with their children and conditions.
  - Says what a run of M(modelops.inference.llmisvc_reconcile) would change (drift), and which objects are left over from services that are gone.
  - Reads only.
options:
  services:
    description:
      - Services to look at; kind, name and namespace are enough. By default, all services of the fleet, unless O(src) is given.
    type: list
    elements: dict
    default: []
  src:
    description:
      - Files, folders or globs with services to look at, on the Ansible controller.
    type: list
    elements: path
    default: []
  namespace:
    description:
      - The namespace of services without one; without services, the namespace to look into.
    type: str
  fleet:
    description:
      - The fleet to look at; V(default) by default.
    type: str
  settings:
    description:
      - As in M(modelops.inference.llmisvc_reconcile); they determine what counts as drift.
    type: dict
    default: {}
  upgrades:
    description:
      - Whether to list for each service what later releases of its controller would change (O(releases)).
    type: bool
    default: false
  topology:
    description:
      - Whether to read gateways and pods as well, and to return the path of requests to each service.
    type: bool
    default: false
  answer:
    description:
      - Whether to send a request to every service, as many at a time as O(concurrency) allows, and to return the responses. The task does not fail for a
        service that does not answer; C(answer.fault) says why.
    type: bool
    default: false
  answer_options:
    description:
      - The request that is sent with O(answer=true). Every part of it is optional.
    type: dict
    suboptions:
      through:
        description:
          - V(gateway) sends the request to the address of the gateway, as a client does.
          - V(apiserver) sends it through the API server's proxy, for an Ansible controller that cannot reach the gateway - to the Service of the
            gateway, or to the service's own if there is none. It needs the right to C(get) C(services/proxy), or with O(answer_options.body) to C(create) it.
        type: str
        choices: [gateway, apiserver]
        default: gateway
      path:
        description:
          - The path to request, with a leading slash, below the prefix of the route. Any status from 200 to 299 then counts as an answer.
          - By default, the path at which the protocol of the service says whether the model is loaded. C(/v1/models) for language models,
            whose response must name the model; C(/v1/models/NAME) or C(/v2/models/NAME/ready) for an InferenceService.
        type: str
      body:
        description:
          - A map, or JSON as text, that is posted to O(answer_options.path).
        type: raw
      headers:
        description:
          - Headers in addition to those that the route needs. Their values are not shown.
        type: dict
        default: {}
      timeout:
        description:
          - Seconds in which a service has to answer, 10 by default. A service that does not answer yet is asked again until then.
        type: float
      tls:
        description:
          - How the certificate of the gateway is checked.
        type: dict
        suboptions:
          ca_cert:
            description:
              - A file with the certificates of its authority, in PEM form, on the host that runs the module. By default, those of the system.
            type: path
          verify:
            description:
              - Whether to check it.
            type: bool
            default: true
extends_documentation_fragment:
  - modelops.inference.releases
  - modelops.inference.auth
  - modelops.inference.requests
  - modelops.inference.attributes
  - modelops.inference.attributes.action_group
  - modelops.inference.attributes.info_module
seealso:
  - module: modelops.inference.llmisvc_reconcile
"""

EXAMPLES = r"""
- name: Get every service of the fleet
  modelops.inference.llmisvc_info:
  register: fleet

- name: Report services that are not ready
  ansible.builtin.debug:
    msg: "{{ fleet.services | rejectattr('ready') | map(attribute='name') | list }}"

- name: Send a request to every service of the fleet
  modelops.inference.llmisvc_info:
    answer: true
    answer_options: {through: apiserver}
  register: canary

- name: Report services that do not answer
  ansible.builtin.debug:
    msg: "{{ canary.services | rejectattr('answer.fault', 'eq', '') | map(attribute='name') | list }}"

- name: Follow the requests to one LLMInferenceService, from its gateway to its pods
  modelops.inference.llmisvc_info:
    services:
      - apiVersion: serving.kserve.io/v1alpha2
        kind: LLMInferenceService
        metadata: {name: assistant, namespace: team-a}
    topology: true
  register: assistant

- name: Report what is not ready
  ansible.builtin.debug:
    msg: "{{ item.layer }} {{ item.kind }} {{ item.name }}: {{ item.state }} {{ item.message }}"
  loop: "{{ assistant.services[0].topology | rejectattr('state', 'in', ['ready', 'there']) }}"
  loop_control: {label: "{{ item.name }}"}
"""

RETURN = r"""
services:
  description:
    - One entry for each service, as M(modelops.inference.llmisvc_reconcile) returns it with all children, and C(drift), the objects that a run would
      change, each with C(action) and C(reason). C(pods) has name and uid of its pods, which show whether any was created again.
    - With O(upgrades=true), C(upgrades) has an entry for each later release that this collection reproduces, for services that it reconciles itself. Each has
      C(version), C(backing) (C(proved) or C(unjudged)), C(refused) (why it does not support the service), C(changes) (objects, each with
      C(action)) and C(restarts) (the workloads whose pods would be created again).
    - With O(topology=true), C(topology) lists its objects in the order of a request, each with C(group), C(kind), C(namespace), C(name), C(layer)
      (C(gateway), C(route), C(pool), C(picker), C(workload), C(pod), or C(other) for everything else), C(state) (C(ready), C(waiting), C(failed),
      C(missing), C(idle) if no replicas are wanted, C(there) if its kind has no state, C(unknown)), C(message), C(written) (when this collection
      last changed it), and of a pod its C(node) and the workload that it is C(of).
  returned: always
  type: list
  elements: dict
orphans:
  description: Objects of ours whose service is gone, each with C(kind), C(namespace), C(name) and C(service).
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
from ansible_collections.modelops.inference.plugins.module_utils.modules import llmisvc_info


def main() -> None:
    """Run the entry as a module."""
    run_module(llmisvc_info.ARGUMENT_SPEC, llmisvc_info.run, llmisvc_info.EMPTY)


if __name__ == "__main__":
    main()
