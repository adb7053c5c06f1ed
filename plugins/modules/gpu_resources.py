# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Devices for model servers; the work is in `module_utils/modules/gpu_resources.py`."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_resources
short_description: Request accelerators, and check whether pods find free ones
version_added: 1.0.0
author:
  - modelops.inference contributors (@modelops)
description:
  - Works out how many devices of a vendor a model server needs, and which fields of its container and pod request them.
  - Sets these fields on a container of a workload or on a role of a service, or removes them, by server-side apply of only these fields.
  - Says whether pods can be placed now, with the numbers behind it, and how many of each device a cluster has.
  - For services, V(gathered) judges the pods that they become.
options:
  state:
    description:
      - V(present) makes the container, or the role, of O(workload) request the devices.
      - V(absent) removes what V(present) has set.
      - V(rendered) returns what V(present) would set, and opens no connection.
      - V(gathered) returns what the cluster has, and judges O(services) and O(src). It fails if one of O(checks) fails, and writes nothing.
    type: str
    choices: [present, absent, rendered, gathered]
    default: present
  accelerator:
    description:
      - The device. Needed with V(present) and V(rendered).
    type: dict
    suboptions:
      type:
        description:
          - V(nvidia), V(amd), V(intel-gaudi), V(intel-i915), V(intel-xe), V(google), V(aws-neuron), V(rebellions-atom), V(cpu) for none, or any
            resource such as V(huawei.com/Ascend910).
        type: str
        required: true
      profile:
        description:
          - A part of a device, which is an NVIDIA MIG profile such as V(1g.10gb), or an AMD partition such as V(cpx_nps4).
        type: str
      shared:
        description:
          - Time slices of NVIDIA devices, if the cluster gives them a name of their own.
        type: bool
        default: false
      device_class:
        description:
          - Request devices by a device claim (DRA) of this DeviceClass, not by resource. Only for V(rendered); apply the RV(claim_templates) that it returns.
        type: str
      product:
        description:
          - The value of the vendor's product label, such as V(NVIDIA-H100-80GB-HBM3); becomes a node selector.
        type: str
      topology:
        description:
          - The slice of TPUs, such as V(2x4); becomes a node selector, without which Google's clusters refuse pods with TPUs.
        type: str
      memory:
        description:
          - Memory of one device in GiB, for sizing O(model).
          - Where it is not given, what O(accelerator.profile) or O(accelerator.product) says by its name.
        type: float
      devices_per_node:
        description:
          - Devices of one node. If a pod needs more, it is spread over several nodes.
        type: int
      ranks_per_device:
        description:
          - Tensor ranks that one device runs, 1 by default. It is 2 on TPU v7 and for the cores of Inferentia and Trainium.
        type: int
  parallelism:
    description:
      - How the engine spreads the model.
    type: dict
    default: {}
    suboptions:
      tensor:
        description:
          - Devices over which each layer is split.
        type: int
      pipeline:
        description:
          - Stages into which the layers are divided.
        type: int
      data:
        description:
          - Copies of the model that work as one server.
        type: int
      data_local:
        description:
          - Copies in one pod; by default all of them.
        type: int
      expert:
        description:
          - Spread the experts of a mixture over tensor and data ranks. This requests no additional devices.
        type: bool
        default: false
  devices:
    description:
      - Devices of each pod, instead of those that follow from O(parallelism). A warning names a difference.
    type: int
  model:
    description:
      - The model, to work out its memory. Give its C(config.json), or the other fields by hand.
      - Values that you give override the config, and a contradiction is a warning.
    type: dict
    suboptions:
      config:
        description:
          - The C(config.json) of the model, as Hugging Face has it. A path on the Ansible controller (of the file, or of the model's folder), or its
            content as a map or as text.
          - Next to a file, C(model.safetensors.index.json) gives the size of the weights, and C(hf_quant_config.json) their quantisation.
          - An unknown model class, quantisation or tower is refused by name, with what to give instead.
        type: raw
      index:
        description:
          - The C(model.safetensors.index.json) of the model, as O(model.config). Its C(total_size) is the size of the weights.
        type: raw
      parameters:
        description:
          - Number of parameters, such as V(8.03B). Needed without O(model.config) and O(model.index).
        type: str
      precision:
        description:
          - Precision of the weights, V(fp32), V(bf16), V(fp16), V(fp8), V(int8), V(int4) or V(fp4).
          - By default as in O(model.config), V(bf16) without it.
        type: str
      kv_precision:
        description:
          - Precision of the KV cache, as O(model.precision).
          - By default as in O(model.config), V(bf16) without it.
        type: str
      layers:
        description:
          - C(num_hidden_layers).
        type: int
      attention_heads:
        description:
          - C(num_attention_heads).
        type: int
      kv_heads:
        description:
          - C(num_key_value_heads); by default as many as O(model.attention_heads).
        type: int
      head_dim:
        description:
          - C(head_dim); by default O(model.hidden_size) divided by O(model.attention_heads).
        type: int
      hidden_size:
        description:
          - C(hidden_size).
        type: int
      kv_lora_rank:
        description:
          - C(kv_lora_rank), of models with latent attention (MLA).
        type: int
      rope_head_dim:
        description:
          - C(qk_rope_head_dim), of models with latent attention.
        type: int
      context:
        description:
          - Tokens of the longest request. By default as many as O(model.config) allows.
        type: int
  utilization:
    description:
      - The part of a device's memory that the engine takes.
    type: float
    default: 0.9
  workload:
    description:
      - The workload or service to change, for V(present) and V(absent).
      - A workload that M(modelops.inference.llmisvc_reconcile) created is refused; the message names the field of the service to change.
      - For a service, the fields that request devices are set. What its kind does not support, such as MIG slices, is refused.
    type: dict
    suboptions:
      api_version:
        description:
          - Its API version, if it is not the usual one of the kind.
        type: str
      kind:
        description:
          - V(Deployment), V(StatefulSet), V(LeaderWorkerSet), where both templates get the devices.
          - Or a service, V(ModelService), V(InferenceService) or V(LLMInferenceService).
        type: str
        required: true
      name:
        description:
          - Its name.
        type: str
        required: true
      namespace:
        description:
          - Its namespace; O(namespace) by default.
        type: str
      container:
        description:
          - The container that gets the devices. Required if the pod of a workload has several.
        type: str
        default: ''
      role:
        description:
          - The role of a service whose pods get the devices.
          - V(decode) or V(prefill) of a ModelService or an LLMInferenceService, where all pods that are not prefill decode;
            V(predictor) of an InferenceService.
          - Needed for services.
        type: str
        default: ''
  settings:
    description:
      - For V(gathered), as in M(modelops.inference.llmisvc_reconcile); they apply to services in O(src) and O(services).
    type: dict
    default: {}
  force_conflicts:
    description:
      - Whether to take fields of O(workload) that another field manager has set. Otherwise the task names them and writes nothing.
      - Fields that M(modelops.inference.llmisvc_reconcile) applied are never taken, since its next run would take them back.
      - The server treats node selector and tolerations as one value each. Their content is kept, but their former writer no longer owns them.
    type: bool
    default: false
  services:
    description:
      - Workloads (Pod, Deployment, StatefulSet, ReplicaSet, Job, LeaderWorkerSet) and services to judge with V(gathered).
      - Presets and runtimes of services are those of O(cluster_objects), or of the cluster if these are not given.
    type: list
    elements: dict
    default: []
  src:
    description:
      - Files, folders or globs with workloads and services, on the Ansible controller.
    type: list
    elements: path
    default: []
  namespace:
    description:
      - The namespace of workloads and services without one.
    type: str
  checks:
    description:
      - What V(gathered) checks. V(fit) is whether nodes have room, V(quota) is ResourceQuotas and Kueue's queues, V(limits) is LimitRanges and the
        requests that they set.
    type: list
    elements: str
    choices: [fit, quota, limits]
    default: [fit, quota, limits]
  cluster_objects:
    description:
      - For V(gathered), manifests that replace the cluster, as maps or paths. Then no connection is opened.
    type: list
    elements: raw
    default: []
extends_documentation_fragment:
  - modelops.inference.releases
  - modelops.inference.auth
  - modelops.inference.requests
  - modelops.inference.attributes
  - modelops.inference.attributes.action_group
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
notes:
  - V(gathered) lists nodes, pods of all namespaces, and the limits of the namespaces. A missing right is a warning that names verb and
    resource. Without nodes it is not known what is free, and without pods everything counts as free.
  - Devices of drivers (DRA) are counted by class, as C(deviceclass/<name>), if the class is simple enough; otherwise the result says so.
  - Eviction of pods with lower priority is not assumed. With an autoscaler of nodes, a lack of room on the existing nodes is uncertain.
seealso:
  - module: modelops.inference.llmisvc_reconcile
"""

EXAMPLES = r"""
- name: What does a 70B model need on devices of 80 GiB?
  modelops.inference.gpu_resources:
    state: rendered
    accelerator: {type: nvidia, memory: 80, devices_per_node: 8}
    parallelism: {tensor: 4}
    model: {parameters: 70.6B, layers: 80, attention_heads: 64, kv_heads: 8, head_dim: 128, context: 32768}
  register: needed

- name: What does a model take, by its own config.json and the index of its weights?
  modelops.inference.gpu_resources:
    state: rendered
    accelerator: {type: nvidia, memory: 80, devices_per_node: 8}
    parallelism: {tensor: 2}
    model: {config: models/Qwen3-30B-A3B, context: 32768}
  register: needed

- name: Set the devices on a Deployment
  modelops.inference.gpu_resources:
    accelerator: {type: nvidia, product: NVIDIA-H100-80GB-HBM3}
    parallelism: {tensor: 4}
    workload: {kind: Deployment, name: chat, namespace: team-a, container: vllm}

- name: Set the devices of a service's decode pods
  modelops.inference.gpu_resources:
    accelerator: {type: nvidia}
    parallelism: {tensor: 4}
    workload: {kind: ModelService, name: chat, namespace: team-a, role: decode}

- name: Set the devices of both roles of an LLMInferenceService
  modelops.inference.gpu_resources:
    accelerator: {type: nvidia}
    parallelism: {tensor: "{{ item.tensor }}"}
    workload: {kind: LLMInferenceService, name: assistant, namespace: team-a, role: "{{ item.role }}"}
  loop:
    - {role: decode, tensor: 4}
    - {role: prefill, tensor: 2}

- name: Fail if the pods would stay Pending
  modelops.inference.gpu_resources:
    state: gathered
    src: [manifests/]

- name: Report free devices
  modelops.inference.gpu_resources:
    state: gathered
  register: cluster
"""

RETURN = r"""
resources:
  description: The container's requests and limits, as its C(resources).
  returned: always
  type: dict
node_selector:
  description: Labels of nodes with the product.
  returned: always
  type: dict
tolerations:
  description: The toleration of the taint that keeps other pods off such nodes.
  returned: always
  type: list
  elements: dict
env:
  description: TP_SIZE, DP_SIZE and DP_SIZE_LOCAL, for the engine's command line.
  returned: always
  type: list
  elements: dict
resource_claims:
  description: The pod's C(resourceClaims), if devices are requested by claim.
  returned: always
  type: list
  elements: dict
claim_templates:
  description: ResourceClaimTemplates that the claims name.
  returned: always
  type: list
  elements: dict
devices:
  description: The C(resource), C(devices_per_pod), C(pods_per_replica), and C(how), which explains them by the parallelism.
  returned: always
  type: dict
memory:
  description: The memory of the model, each figure with C(name), C(value), C(unit), and its C(basis).
  returned: always
  type: list
  elements: dict
fit:
  description:
    - C(fits) is true if all pods certainly find room.
    - C(workloads) has an entry for each shape of pods with C(verdict) (C(fits), C(does not fit) or C(uncertain)), C(needed), C(free),
      C(largest_block), C(placed_on), C(passed_over) with the reason for each node, C(not_judged) and C(message).
  returned: always
  type: dict
capacity:
  description:
    - A row for each pool of nodes and device with C(pool), C(resource), C(product), C(nodes), C(devices), C(unhealthy), C(used), C(free),
      C(largest_block), and C(unusable), which is free on nodes that are cordoned or not ready.
  returned: always
  type: list
  elements: dict
waiting:
  description: Devices of pods without a node, with C(resource), C(pods) and C(devices).
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
from ansible_collections.modelops.inference.plugins.module_utils.modules import gpu_resources


def main() -> None:
    """Run the entry as a module."""
    run_module(gpu_resources.ARGUMENT_SPEC, gpu_resources.run, gpu_resources.EMPTY)


if __name__ == "__main__":
    main()
