# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Applies, upgrades, prunes and removes a set of manifests; the work is in `module_utils/modules/applyset.py`."""

from __future__ import annotations

DOCUMENTATION = r"""
module: applyset
short_description: Apply, upgrade, prune and remove a set of manifests as one unit
version_added: 1.0.0
author:
  - modelops.inference contributors (@modelops)
description:
  - Installs a bundle of manifests step by step. CRDs come first, until the API server serves their kinds. Then come namespaces, accounts and roles,
    configuration and bindings, Services, certificates, workloads, webhooks, and custom resources last. The module waits for each step before the
    next one depends on it, so no webhook is active before its server answers.
  - Members carry the label C(applyset.kubernetes.io/part-of), and a ConfigMap, the parent, says what the set holds, as in KEP-3659. C(kubectl) and
    other tools understand both.
  - Everything is applied by server-side apply under a field manager of the set. Fields of others stay, such as the certificate
    authority that cert-manager injects, or replicas that an autoscaler sets.
  - An unchanged set costs one request for each kind, and no write.
  - TrainedModels, ServingRuntimes and ClusterServingRuntimes are checked as the webhooks of the set's or the cluster's KServe check them, with or
    without these webhooks, also against each other and the cluster, before anything is written.
options:
  state:
    description:
      - V(present) applies the set, and removes members that O(src) and O(definition) no longer name.
      - V(absent) removes everything of the set, custom resources first, webhooks before their servers, namespaces last.
      - V(gathered) returns the members of the set and where they differ from O(src) and O(definition). It writes nothing.
      - V(rendered) returns the manifests with the changes of O(transform). It needs no cluster.
    type: str
    choices: [present, absent, gathered, rendered]
    default: present
  name:
    description:
      - The name of the set and of its parent, a ConfigMap.
    type: str
    required: true
  namespace:
    description:
      - The namespace of the parent, and of members without one.
    type: str
    default: default
  src:
    description:
      - Files, folders (not deeper) and globs of YAML or JSON on the Ansible controller.
    type: list
    elements: path
    default: []
  definition:
    description:
      - Manifests as a map, a list of maps, or YAML text.
    type: raw
  component:
    description:
      - The component, if this collection knows it; the set's parent keeps it, so later tasks need not name it again.
      - Then the module checks its dependencies before it writes anything, refuses upgrades that skip a release if stored objects would be lost,
        and checks its leaders.
    type: str
    choices: [gateway_api, inference_extension, lws, cert_manager, kserve, kserve_llmisvc, kserve_localmodel, model_operator]
  version:
    description:
      - The release that O(src) holds. It is noted on the parent; an older one than the noted one is refused.
    type: str
  checks:
    description:
      - With O(state=gathered), whether the set works. Workloads are available at their current generation, certificates issued, the authorities in webhooks
        and converters those of the served certificates, webhooks and converters answer, CRDs keep one version only, accounts may do what their roles say,
        and the leaders of O(component) renew their Leases. Certificates of webhooks are valid now, for their Service, and signed by the authority,
        if Python's C(cryptography) is installed.
      - KServe's managers are checked wherever their workloads are in the set. Their kinds are served and stored in the versions that they work with,
        and their webhooks are registered, whichever set brought them.
      - The task fails if a check fails, and names it.
      - Nothing is written; webhooks are called by dry runs. Rights are checked as the accounts themselves, which needs the right to impersonate them.
    type: bool
    default: false
  transform:
    description:
      - Changes to the bundle, made on its objects. A name that the bundle does not have is an error that names those that it has.
    type: dict
    suboptions:
      leave_out:
        description:
          - Objects that are not installed, each as C(Kind/name) or C(Kind/namespace/name), for example a CRD that another set brings.
        type: list
        elements: str
      registry:
        description: Replaces the registry of every image. The path below it stays, and Docker's own images keep C(library/).
        type: str
      images:
        description: Whole images with tag or digest, by the bundle's name of the repository.
        type: dict
      image_pull_secrets:
        description: Names of Secrets that the pods of all workloads pull with, in addition to those of the bundle.
        type: list
        elements: str
      namespaces:
        description: New names of namespaces, by the bundle's names. References to them follow, such as subjects, webhooks and certificates.
        type: dict
      pod_security:
        description: The level of Pod Security that the bundle's namespaces are labelled with.
        type: str
        choices: [privileged, baseline, restricted]
      config:
        description:
          - Values for ConfigMaps, by name and key. A map is merged into the JSON that the key holds; a text replaces it.
        type: dict
      workloads:
        description:
          - Changes to Deployments, DaemonSets and StatefulSets by name, or under C(*) for all of them.
          - Each may hold C(replicas), C(node_selector), C(tolerations), and for the container of the manager C(resources), C(env), C(leader_election),
            C(log_level), C(feature_gates) and C(extra_args). An argument replaces one with the same flag.
        type: dict
  prune:
    description:
      - Whether to remove members that are no longer named. Other objects are never touched.
    type: bool
    default: true
  keep_crds:
    description:
      - Whether CRDs stay when the set loses them or is removed. With a CRD, Kubernetes deletes all its objects.
      - With V(false) a CRD is deleted once it has no objects; as long as it has some, the task fails, names them, and removes nothing.
      - A CRD that stays, and whose objects were converted by a webhook of the set, is set to convert without one.
    type: bool
    default: true
  delete_objects:
    description:
      - With O(state=absent), whether all objects of the set's CRDs are deleted first, while their controllers still run.
      - Otherwise a set of a known O(component) is not removed while it serves something.
    type: bool
    default: false
  keep_edits:
    description:
      - Names of ConfigMaps that people edit. Their changes stay, and everything else follows O(src), value by value if a key holds a JSON map.
      - A value that both have changed stays, and a warning names it. C(config) in O(transform) overrides every edit.
      - By default those of O(component), such as KServe's C(inferenceservice-config). An empty list keeps no edit.
    type: list
    elements: str
  adopt:
    description:
      - Whether to take over existing objects that belong to somebody else, for example to a Helm release or another set, or to nobody.
        Otherwise the task names them and writes nothing.
      - An existing namespace is used, and stays when the set is removed.
    type: bool
    default: false
  force_conflicts:
    description:
      - Whether to take back a field of a member that another field manager has taken. Otherwise such an object fails.
    type: bool
    default: true
  wait:
    description:
      - Whether to wait between the steps. Otherwise the task only waits for CRDs.
    type: bool
    default: true
  wait_timeout:
    description:
      - Seconds that each step may take.
    type: float
    default: 600
  max_deletions:
    description:
      - How many objects may be pruned. If there are more, the task fails before it writes anything. By default a fifth of the set's objects, at least
        5 and at most 50.
    type: int
notes:
  - Gateway API CRDs are never changed from one release channel to the other, and no CRD goes back to an older release of its bundle.
  - If a CRD loses a version in which objects may be stored, they are first rewritten in its storage version.
extends_documentation_fragment:
  - modelops.inference.auth
  - modelops.inference.requests
  - modelops.inference.attributes
  - modelops.inference.attributes.action_group
attributes:
  check_mode:
    support: full
    details:
      - Objects whose namespace or CRD the same run would create cannot be tried by a dry run; they are predicted as created.
  diff_mode:
    support: full
  idempotent:
    support: full
seealso:
  - module: modelops.inference.llmisvc_reconcile
"""

EXAMPLES = r"""
- name: Install LeaderWorkerSet
  modelops.inference.applyset:
    name: lws
    src:
      - bundles/lws/manifests.yaml

- name: Preview an upgrade
  modelops.inference.applyset:
    name: lws
    src:
      - bundles/lws-next/
  check_mode: true
  diff: true

- name: Take over what somebody applied with kubectl
  modelops.inference.applyset:
    name: kserve
    src:
      - bundles/kserve/
    adopt: true

- name: Install from a mirror, in a namespace of our own
  modelops.inference.applyset:
    name: kserve
    src:
      - bundles/kserve/
    transform:
      registry: mirror.example.com
      image_pull_secrets: [mirror]
      namespaces:
        kserve: serving
      workloads:
        kserve-controller-manager:
          resources: {limits: {memory: 1Gi}}
      config:
        inferenceservice-config:
          deploy: {defaultDeploymentMode: Standard}

- name: Report drift
  modelops.inference.applyset:
    state: gathered
    name: kserve
    src:
      - bundles/kserve/
  register: kserve
  failed_when: kserve.drift | length > 0

- name: Verify the installation
  modelops.inference.applyset:
    state: gathered
    name: kserve
    component: kserve
    checks: true

- name: Remove it, and keep its CRDs with all their objects
  modelops.inference.applyset:
    state: absent
    name: kserve
"""

RETURN = r"""
id:
  description: The id of the set, which is the value of the label C(applyset.kubernetes.io/part-of) of each member.
  returned: always
  type: str
  sample: applyset-wHf5Gity0G0nPN34KuNBIBBEOu2H9ED2KqsblMPFygM-v1
exists:
  description: Whether the set has a parent.
  returned: always
  type: bool
objects:
  description: Objects that were written, failed or were skipped; C(kind), C(namespace), C(name), C(action), C(reason).
  returned: always
  type: list
  elements: dict
unchanged:
  description: How many objects needed no change.
  returned: always
  type: int
members:
  description: The members of the set, with O(state=gathered); C(kind), C(namespace), C(name), C(ready), and in C(lacks) why an object does not work.
  returned: always
  type: list
  elements: dict
drift:
  description: Where the cluster differs from the manifests, with O(state=gathered); C(kind), C(namespace), C(name), and in C(what) how.
  returned: always
  type: list
  elements: dict
edits:
  description:
    - What people changed in ConfigMaps of O(keep_edits), and which value stays; C(kind), C(namespace), C(name), C(path), and in C(clash) whether
      the release has also changed it.
  returned: always
  type: list
  elements: dict
version:
  description: The release that is noted on the parent, with O(state=gathered).
  returned: always
  type: str
checks:
  description: What was checked, with O(checks=true); C(name), C(ok), and in C(message) what is wrong.
  returned: always
  type: list
  elements: dict
manifests:
  description: The manifests, with O(state=rendered).
  returned: always
  type: list
  elements: dict
problems:
  description: Warnings for the author.
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
from ansible_collections.modelops.inference.plugins.module_utils.modules import applyset


def main() -> None:
    """Hand the options to the entry."""
    run_module(applyset.ARGUMENT_SPEC, applyset.run, applyset.EMPTY)


if __name__ == "__main__":
    main()
