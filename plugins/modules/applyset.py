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
  - Installs a bundle of manifests step by step. CRDs come first, and are waited for until the API server serves their kinds. Then come namespaces,
    accounts and roles, configuration and bindings, Services, certificates, workloads, webhooks, and custom resources last. Each step is waited for
    before the next one depends on it, so no webhook is active before something answers it.
  - Members carry the label C(applyset.kubernetes.io/part-of), and a ConfigMap, the parent, says what the set holds, as KEP-3659 has it. C(kubectl) and
    other tools understand both.
  - Everything is applied on the server's side under a field manager of the set. What others put into the objects stays, such as the certificate
    authority that cert-manager injects, or replicas that an autoscaler sets.
  - A set that is as wanted costs one request for each kind, and no write.
  - ServingRuntimes and ClusterServingRuntimes are judged as KServe's webhook judges them, with or without it, against each other and those of the
    cluster, before anything is written.
options:
  state:
    description:
      - With V(present) the cluster holds the set, and nothing of it that O(src) and O(definition) do not name.
      - With V(absent) everything of the set is removed, custom resources first, webhooks before what answers them, namespaces last.
      - V(gathered) returns what the set holds and where that differs from O(src) and O(definition). It writes nothing.
      - V(rendered) returns the manifests as O(transform) makes them. It needs no cluster.
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
      - The namespace of the parent, and of members that name none.
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
      - Then the module looks for its dependencies before it writes anything, upgrades that skip a release are refused where stored objects would be
        lost, and its leaders are checked.
    type: str
    choices: [gateway_api, inference_extension, lws, cert_manager, kserve, kserve_llmisvc, kserve_localmodel, model_operator]
  version:
    description:
      - The release that O(src) holds. It is noted on the parent; an older one than that which is noted is refused.
    type: str
  checks:
    description:
      - With O(state=gathered), whether the set works. Workloads are available at their present generation, certificates issued, the authorities in webhooks
        and converters those of the served certificates, webhooks and converters answer, CRDs keep one version only, accounts may do what their roles say,
        and the leaders of O(component) renew their Leases. Certificates of webhooks are in their time, for their Service and signed by the authority,
        where Python's C(cryptography) is installed.
      - KServe's managers are checked wherever their workloads are in the set. Their kinds are served and stored in the versions that they work with,
        and their webhooks are registered, whichever set brought them.
      - The task fails where one of them does not hold, and names it.
      - Nothing is written; webhooks are asked by dry runs. Accounts are asked as themselves, which needs the right to impersonate them.
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
        description: Takes the place of every image's registry. The path below it stays, and Docker's own images keep C(library/).
        type: str
      images:
        description: Whole images with tag or digest, by the repository that the bundle names.
        type: dict
      image_pull_secrets:
        description: Names of Secrets that the pods of all workloads pull with, in addition to those of the bundle.
        type: list
        elements: str
      namespaces:
        description: New names of namespaces, by the bundle's names. What refers to them follows, such as subjects, webhooks and certificates.
        type: dict
      pod_security:
        description: The level of Pod Security that the bundle's namespaces are labelled with.
        type: str
        choices: [privileged, baseline, restricted]
      config:
        description:
          - Values for ConfigMaps, by name and key. A map is merged into the JSON that the key holds; a text takes its place.
        type: dict
      workloads:
        description:
          - Changes to Deployments, DaemonSets and StatefulSets by name, or under C(*) for all of them.
          - Each may hold C(replicas), C(node_selector), C(tolerations), and for the container of the manager C(resources), C(env), C(leader_election),
            C(log_level), C(feature_gates) and C(extra_args). An argument takes the place of one with the same flag.
        type: dict
  prune:
    description:
      - Whether members that are no longer named are removed. Other objects are never touched.
    type: bool
    default: true
  keep_crds:
    description:
      - Whether CRDs stay where the set loses them or is removed. With a CRD, Kubernetes deletes all its objects.
      - With V(false) a CRD is deleted once it has no objects; as long as it has some, the task fails, names them, and removes nothing.
      - A CRD that stays, and whose objects were converted by a webhook of the set, is set to convert without one.
    type: bool
    default: true
  delete_objects:
    description:
      - With O(state=absent), whether all objects of the set's CRDs are deleted first, while their controllers still run.
      - Without it a set of a known O(component) is not removed while it serves something.
    type: bool
    default: false
  keep_edits:
    description:
      - Names of ConfigMaps that people edit. What they changed stays, and what they left alone follows O(src), value by value where a key holds a JSON map.
      - A value that both have changed stays, and a warning names it. What O(transform) says in C(config) wins over every edit.
      - By default those of O(component); KServe's C(inferenceservice-config). An empty list keeps no edit.
    type: list
    elements: str
  adopt:
    description:
      - Whether to take over objects that exist already and belong to somebody else, for example to a Helm release, to another set, or to nobody.
        Without it they are named, and nothing is written.
      - A namespace that exists already is used and stays when the set is removed.
    type: bool
    default: false
  force_conflicts:
    description:
      - Whether to take back a field of a member that another field manager has taken. Without it such an object fails.
    type: bool
    default: true
  wait:
    description:
      - Whether to wait between the steps. Without it only CRDs are waited for.
    type: bool
    default: true
  wait_timeout:
    description:
      - Seconds that each step may take.
    type: float
    default: 600
  max_deletions:
    description:
      - How many objects may be pruned. Where more would go, the task fails before it writes anything. By default a fifth of the set's objects, at least
        5 and at most 50.
    type: int
notes:
  - Gateway API CRDs are never changed from one release channel to the other, and no CRD goes back to an older release of its bundle.
  - Where a CRD no longer has a version in which objects may be stored, they are first written again in the version that it stores.
extends_documentation_fragment:
  - modelops.inference.auth
  - modelops.inference.requests
  - modelops.inference.attributes
  - modelops.inference.attributes.action_group
attributes:
  check_mode:
    support: full
    details:
      - What a dry run cannot reach, an object whose namespace or CRD this same run would create, is foreseen as created.
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

- name: See what an upgrade would change
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

- name: Look for drift
  modelops.inference.applyset:
    state: gathered
    name: kserve
    src:
      - bundles/kserve/
  register: kserve
  failed_when: kserve.drift | length > 0

- name: See that it works
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
  description: How many objects were as wanted.
  returned: always
  type: int
members:
  description: What the set holds, with O(state=gathered); C(kind), C(namespace), C(name), C(ready), and in C(lacks) why an object does not work.
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
    - What people changed in ConfigMaps of O(keep_edits) and what stays; C(kind), C(namespace), C(name), C(path), and in C(clash) whether
      the release has changed it, too.
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
  description: What its author should know.
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
