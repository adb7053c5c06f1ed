# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reconciles inference services; the work is in `module_utils/modules/llmisvc_reconcile.py`."""

from __future__ import annotations

DOCUMENTATION = r"""
module: llmisvc_reconcile
short_description: Reconcile inference services with a cluster
version_added: 1.0.0
author:
  - modelops.inference contributors (@modelops)
description:
  - Takes a list of inference services, compiles each into exactly the objects that its own controller would create, and makes the cluster
    match, in few requests and without that controller.
  - Where the controller runs, it applies the custom resource instead and waits for what the controller reports.
  - A second run writes nothing.
  - It knows the kinds C(ModelService) of C(model.otterscale.io/v1alpha1), C(LLMInferenceService) of C(serving.kserve.io/v1alpha2) and
    C(v1alpha1), C(InferenceService) of C(serving.kserve.io/v1beta1), and C(InferenceGraph), C(LocalModelCache) and
    C(LocalModelNamespaceCache) of C(serving.kserve.io/v1alpha1).
  - A graph is checked against the services of its steps, from the task and from the cluster. Graphs and services may be in one list.
  - List a cache of a model together with the services that use it; the namespaces of these services get its volumes.
options:
  services:
    description:
      - Custom resources, each a map with the content of a manifest.
      - The values are data; they are never templated a second time.
    type: list
    elements: dict
    default: []
  src:
    description:
      - Files, folders or globs with custom resources, on the Ansible controller. Files may hold several YAML documents; empty ones are
        skipped. Of a folder, all files are read whose names end in C(.yaml), C(.yml) or C(.json).
      - A relative path is found as M(ansible.builtin.copy) finds its O(ansible.builtin.copy#module:src).
    type: list
    elements: path
    default: []
  state:
    description:
      - V(present) creates or updates the named services and never touches another one.
      - V(absent) removes the named services with everything they own; the documents need only kind, name and namespace.
      - V(overridden) also removes every other service of O(fleet), which is then required, within O(max_deletions).
      - V(rendered) returns the manifests, or writes them to O(dest), and never opens a connection.
      - V(gathered) returns the custom resources that are in the cluster and writes nothing.
    type: str
    choices: [present, absent, overridden, rendered, gathered]
    default: present
  reconciler:
    description:
      - Who creates the children of a service.
      - V(direct) is this module. It refuses a kind whose controller runs in the cluster, before any write.
      - V(controller) applies the custom resource and leaves the rest to the controller in the cluster.
      - V(auto) keeps the current owner of a service. A new one goes to the controller if it is in the cluster, otherwise to this module.
    type: str
    choices: [auto, direct, controller]
    default: auto
  fleet:
    description:
      - The fleet that the services belong to; a label value. Objects of another fleet are never touched.
      - The default is V(default). V(overridden) requires it.
    type: str
  namespace:
    description:
      - The namespace of services without one.
    type: str
  create_namespaces:
    description:
      - Whether to create a namespace that does not exist; otherwise it is an error.
    type: bool
    default: false
  settings:
    description:
      - What the controllers take as flags. Everything is optional; the defaults are those of the release in O(releases).
      - For C(ModelService) these are C(images.engine), C(images.endpoint_picker), C(images.routing_proxy), C(images.model_kit) (empty drops the
        init container that unpacks the model), C(gateway_name) (empty switches the default route off), C(gateway_namespace),
        C(cluster_domain), C(provider) (C(istio), C(gke) or C(none)), C(metrics_endpoint_auth), C(tracing.enabled),
        C(tracing.otel_endpoint), C(tracing.sampler), C(tracing.sampler_arg), C(operator_version) (the value of the version label, empty
        for none), C(model_registry.plain_http), C(shared_memory) (true, or a size such as C(8Gi), mounts memory at C(/dev/shm)) and
        C(drain_seconds) (serving pods keep answering for so many seconds after they are asked to stop, so a rollout loses no request).
      - For the kinds of KServe these are C(kserve_namespace), where C(inferenceservice-config) is, and C(cluster_domain).
      - For C(LLMInferenceService) also C(config_prefix) (C(modelops-) takes the collection's own presets), C(versioned_config) and
        C(wildcard_hostname).
      - For C(InferenceService) also C(pod_mutation), which says what adds models, agents and metrics to pods. C(webhook) leaves it to KServe's webhook,
        C(rendered) does it here, C(auto) checks whether the webhook exists.
    type: dict
    default: {}
  cluster_objects:
    description:
      - For V(rendered), manifests to treat as present (for example gateways), as maps or as paths like those of O(src).
    type: list
    elements: raw
    default: []
  dest:
    description:
      - For V(rendered), a folder on the Ansible controller (or on the host that runs the module). One file for each object is written
        below it, and only paths are returned.
      - A file is called C(NAMESPACE/KIND-NAME.yaml), or C(NAMESPACE/KIND.GROUP-NAME.yaml) where two API groups have an object of this kind
        and name. Objects without a namespace are in the folder C(_cluster).
    type: path
  prune:
    description:
      - Whether to delete children of the named services that are no longer wanted.
    type: bool
    default: true
  max_deletions:
    description:
      - How many objects one run may delete; if there are more, the task fails before any write.
      - Where it is not given, a fifth of the fleet's objects, at least 5 and at most 50; what a service no longer wants whose custom
        resource changes in the same run then counts as one. It does not count for V(absent), and not for a service that is stopped by
        its annotation.
    type: int
  wait:
    description:
      - Whether to watch until the services are ready, or with V(absent) gone. Their pods then still get their grace period to end.
      - The wait ends early for a service with a lasting fault, with the reason and the message of the pod or the route concerned.
        A fault must last for 20 seconds; a pod without a node for 30, unless an autoscaler announces a node for it.
      - A waiting run also reacts to the gateway. The route of an C(LLMInferenceService) names the older API group of pools first,
        and the newer one once the gateway has refused that. Without a wait, the next run switches it.
    type: bool
    default: false
  wait_timeout:
    description:
      - Seconds to wait. O(deadline) may end it sooner.
    type: float
    default: 600
  wait_for:
    description:
      - V(ready), V(answer), or the type of a condition that must be true, for example V(RouteAccepted).
      - With V(answer), the task sends a request to every service that has become ready, as O(answer) says, and fails if one does not answer. The message
        names the hop that failed. A service that cannot be called is refused before anything is written.
      - Another value than V(ready) needs O(wait=true), and services that run.
      - A type that services of a kind never have is refused before anything is written, with the one that was probably meant. With
        O(reconciler=controller), whose release may know others, only what is almost spelt like a type is refused.
      - If a service does not have the type, the wait fails and names those that it has. A missing Gateway only ends a wait for
        V(ready) or V(RouteAccepted).
    type: str
    default: ready
  answer:
    description:
      - The request that is sent to a service with O(wait_for=answer). Every part of it is optional.
      - Redirects are not followed, and at most 1 MiB of a response is read.
    type: dict
    suboptions:
      through:
        description:
          - V(gateway) sends the request to the address of the gateway, as a client does.
          - V(apiserver) sends it through the API server's proxy, for an Ansible controller that cannot reach the gateway - to the Service of the
            gateway, or to the service's own if there is none. It needs the right to C(get) C(services/proxy), or with O(answer.body) to C(create) it.
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
          - A map, or JSON as text, that is posted to O(answer.path), which it needs.
        type: raw
      headers:
        description:
          - Headers in addition to those that the route needs. Their values are not shown.
        type: dict
        default: {}
      timeout:
        description:
          - Seconds in which a service has to answer, 60 by default. A service that does not answer yet is asked again until then.
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
  force_conflicts:
    description:
      - Whether to take back a field of ours that another field manager has taken; the result says from whom.
      - If the same manager had also taken the field before the last apply, a warning says that the field has two owners.
      - With V(false) that object fails, and the message names field and manager.
    type: bool
    default: true
  adopt:
    description:
      - Whether objects may change hands. Objects that already exist under a child's name and are not ours are taken over, with the fields of whoever
        wrote them. Objects of another release or of another controller, and those whose pods would restart, are refused.
      - With O(reconciler=controller) the children of a service go back to its controller.
    type: bool
    default: false
  allow_restart:
    description:
      - Whether adoption may change pod templates, which restarts pods.
      - Whether pods may restart because a later release of the collection has presets with more content, although nobody changed the service.
    type: bool
    default: false
  recreate:
    description:
      - Kinds whose objects may be deleted and created again if a field must change that the API server does not allow to change, for
        example the selector of a Deployment. Otherwise that is an error, before any write if the field is known to be immutable.
      - The old object is deleted only after a dry run has shown that the API server accepts the new one.
    type: list
    elements: str
    choices: [ClusterRoleBinding, ConfigMap, Deployment, RoleBinding, Secret, Service]
    default: []
  skip_invalid:
    description:
      - Whether to continue with the valid services of the list if others have problems. Those are reported as warnings.
    type: bool
    default: false
  fit:
    description:
      - Whether to check, before the first write, if the pods of new or changed GPU workloads will find room. Reads nodes and pods.
      - With V(warn), a warning says what they lack; with V(require), that is an error and nothing is written; with V(ignore), it is not checked.
      - If the account may not list nodes, a warning says so. See M(modelops.inference.gpu_resources) for what is judged.
    type: str
    choices: [require, warn, ignore]
    default: warn
  verbose_result:
    description:
      - Whether the result also lists unchanged children. They are always counted.
    type: bool
    default: false
extends_documentation_fragment:
  - modelops.inference.releases
  - modelops.inference.auth
  - modelops.inference.requests
  - modelops.inference.attributes
  - modelops.inference.attributes.action_group
attributes:
  check_mode:
    support: full
    details:
      - Each write is a server-side dry run. An object in a namespace that the same run would create is predicted as created.
  diff_mode:
    support: full
  idempotent:
    support: full
notes:
  - The work is done in the Ansible process if the connection is local, without become and async, and the interpreter is Ansible's own;
    otherwise on the host, as for any module.
seealso:
  - module: modelops.inference.llmisvc_info
"""

EXAMPLES = r"""
- name: Serve the models of the folder and wait until they are ready
  modelops.inference.llmisvc_reconcile:
    src: [services/]
    wait: true

- name: Serve one small model without a GPU
  modelops.inference.llmisvc_reconcile:
    services:
      - apiVersion: model.otterscale.io/v1alpha1
        kind: ModelService
        metadata:
          name: tiny
          namespace: team-a
        spec:
          model:
            name: acme/tiny-1b
            image: registry.example.com/models/tiny:1.0
          engine: {}
          accelerator:
            type: cpu
          decode: {}
    create_namespaces: true

- name: Preview making the fleet match the folder
  modelops.inference.llmisvc_reconcile:
    src: [services/]
    state: overridden
    fleet: production
  check_mode: true
  diff: true

- name: Write the manifests to a folder, without a cluster
  modelops.inference.llmisvc_reconcile:
    src: [services/]
    state: rendered
    dest: rendered/

- name: Remove one service and everything it owns
  modelops.inference.llmisvc_reconcile:
    services:
      - apiVersion: model.otterscale.io/v1alpha1
        kind: ModelService
        metadata:
          name: tiny
          namespace: team-a
    state: absent
    wait: true
"""

RETURN = r"""
services:
  description: One entry for each service.
  returned: always
  type: list
  elements: dict
  contains:
    kind:
      description: Kind of the custom resource.
      type: str
    namespace:
      description: Namespace.
      type: str
    name:
      description: Name.
      type: str
    phase:
      description: The phase, in the words of the kind's controller.
      type: str
    ready:
      description: Whether the service works.
      type: bool
    conditions:
      description: Conditions with type, status, reason and message.
      type: list
      elements: dict
    url:
      description: Address of the service, from its status or else from RV(services[].request); empty if it is not known.
      type: str
    request:
      description: How the service is called.
      type: dict
      contains:
        url:
          description: Scheme, address and port of the gateway, and the prefix of the model server's paths; empty if it is not known.
          type: str
        host:
          description: The host name to send, if the address is not one.
          type: str
        headers:
          description: The headers that the route needs.
          type: dict
        model:
          description: The name of the model, which belongs in the body or the path of a request.
          type: str
        curl:
          description: A shell command that sends a request to the service; empty if the address is not known.
          type: str
        note:
          description: What is not known or does not work, for example that the gateway has no address yet; empty if all is well.
          type: str
    answer:
      description: The response with O(wait_for=answer); empty if no request was sent.
      type: dict
      contains:
        status:
          description: The HTTP status, 0 if there was no response or no request.
          type: int
        model:
          description: The model that answered.
          type: str
        served_by:
          description: The pod, or its address, as a header of the response names it (C(x-served-by), C(x-pod-name),
            C(x-gateway-destination-endpoint-served)); empty if none does.
          type: str
        latency_ms:
          description: How long the last request took.
          type: int
        through:
          description: As in O(answer.through); empty if no request was sent.
          type: str
        fault:
          description: Which hop failed, and how; empty if the service answers.
          type: str
    replicas:
      description: C(ready) and C(desired) replicas of all its workloads, each null if unknown.
      type: dict
    reconciler:
      description: C(direct) or C(controller); empty for V(rendered).
      type: str
    release:
      description:
        - The release of the controller that is reproduced as C(version), C(source) (V(option), V(objects) that it made, V(controller) of
          the cluster, V(newest) that is proved, or V(default)) and C(reason).
        - It is empty if nothing is compiled, as for V(absent).
      type: dict
    children:
      description: Objects that were changed or could not be, each with C(action) and C(reason).
      type: list
      elements: dict
    unchanged:
      description: How many objects needed no change.
      type: int
    problems:
      description: What was found, each with C(path), C(message), C(severity) and C(rule).
      type: list
      elements: dict
manifests:
  description: The objects that were compiled.
  returned: with O(state=rendered) and without O(dest)
  type: list
  elements: dict
paths:
  description: The files that hold the compiled objects.
  returned: with O(state=rendered) and O(dest)
  type: list
  elements: str
gathered:
  description: The custom resources of the cluster, as their authors would write them.
  returned: with O(state=gathered)
  type: list
  elements: dict
runtimes:
  description:
    - Which ServingRuntime or ClusterServingRuntime serves the model of each InferenceService. C(namespace) and C(name) are those of the service, C(kind) and
      C(runtime) those of the runtime. If none serves it, both are empty, and C(message) says why.
    - C(named) is true if the service names its runtime. C(others) are the other runtimes that support the model's format, each with C(kind), C(name), and in
      C(why) the reason that it does not serve the model.
    - A service with canaries has one more entry for each of them, with its name in C(canary), which is empty otherwise.
  returned: with O(state=rendered) and O(state=gathered)
  type: list
  elements: dict
  sample: [{"namespace": "team-a", "name": "iris", "kind": "ClusterServingRuntime", "runtime": "kserve-sklearnserver", "named": false, "message": "",
    "canary": "", "others": [{"kind": "ClusterServingRuntime", "name": "kserve-mlserver", "why": "speaks v2"}]}]
stats:
  description:
    - What the run cost, in C(requests), C(reads), C(writes), C(lease_requests), C(skipped) (objects that needed no request), C(rounds)
      and C(elapsed_s).
  returned: always
  type: dict
"""

from ansible_collections.modelops.inference.plugins.module_utils.module_runner import run_module
from ansible_collections.modelops.inference.plugins.module_utils.modules import llmisvc_reconcile


def main() -> None:
    """Run the entry as a module."""
    run_module(llmisvc_reconcile.ARGUMENT_SPEC, llmisvc_reconcile.run, llmisvc_reconcile.EMPTY)


if __name__ == "__main__":
    main()
