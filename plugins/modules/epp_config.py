# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks, migrates and stores picker configurations; the work is in `module_utils/modules/epp_config.py`."""

from __future__ import annotations

DOCUMENTATION = r"""
module: epp_config
short_description: Check, migrate and store the configuration of an endpoint picker
version_added: 1.0.0
author:
  - modelops.inference contributors (@modelops)
description:
  - An endpoint picker reads its configuration once, when it starts, and each release reads it differently. This module says before anything is
    applied whether a release starts with a configuration, what it makes of it, and how to correct or migrate it.
  - A configuration with an error is never stored.
options:
  state:
    description:
      - With V(present) the ConfigMap holds the configuration under O(key). Other keys of the ConfigMap stay as they are.
      - With V(absent) the key is removed, and the ConfigMap with it if it holds nothing else.
      - V(rendered) checks and returns the configuration and needs no cluster.
      - V(gathered) returns what the ConfigMap holds, checked against O(target) if it is given.
    type: str
    choices: [present, absent, rendered, gathered]
    default: present
  config:
    description:
      - The configuration as a map, or as text. Text is checked and stored as it is, comments included.
      - Exactly one of O(config), O(src) and O(preset) is needed to check or store something.
    type: raw
  src:
    description:
      - A file with the configuration, on the Ansible controller.
    type: path
  preset:
    description:
      - A ready configuration. V(default) weighs queue, cache use and cached prefixes; V(random) chooses at random; V(load) counts running requests and
        need not parse them; V(pd) and V(e-p-d) are for disaggregated serving; V(precise-prefix) follows the events of the caches; V(latency) predicts latency;
        V(data-parallel) is for gateways that know one port of a pool.
    type: str
  overrides:
    description:
      - Changes to the O(preset). Maps are merged; plugins, profiles and references are merged by their names.
    type: dict
    default: {}
  target:
    description:
      - The release of the picker that is to read the configuration, C(gaie:1.0) to C(gaie:1.5) or C(llmd:0.3) to C(llmd:0.11).
      - V(llmd:0.11) was not compared with its picker. It is a list of what its project announced as dropped and renamed.
      - Required with O(state=present) and O(state=rendered).
    type: str
  experimental:
    description:
      - Whether the picker runs with C(--allow-experimental-plugins), which llm-d 0.10 requires for alpha plugins.
    type: bool
    default: false
  migrate_from:
    description:
      - The release that the configuration was written for. It is rewritten for O(target), and RV(migration) lists the changes.
    type: str
  name:
    description:
      - The ConfigMap.
    type: str
  namespace:
    description:
      - The namespace of the ConfigMap and of the Deployment.
    type: str
  key:
    description:
      - The key in the ConfigMap, which is the name of the file that the picker reads.
    type: str
    default: default-plugins.yaml
  restart:
    description:
      - The picker's Deployment. The hash of the configuration is noted on its pod template, so a configuration with another meaning restarts
        the picker, and another spelling of the same does not.
      - The flags of this Deployment are checked too.
    type: str
  deployment:
    description:
      - A Deployment of the picker to check against, as a manifest.
    type: dict
  pool:
    description:
      - The InferencePool to check against, as a manifest.
    type: dict
  workloads:
    description:
      - The model servers behind the picker, as manifests; pods, or objects with a pod template. Those that the O(pool) selects need the roles (label
        C(llm-d.ai/role)) that the filters of the configuration look for, as O(target) reads them.
      - A warning names a block size that contradicts their C(--block-size).
    type: list
    elements: dict
    default: []
  force_conflicts:
    description:
      - Whether to take the key over from another field manager. Without it, a key that somebody else applied is a conflict, and an error.
    type: bool
    default: false
extends_documentation_fragment:
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
seealso:
  - module: modelops.inference.llmisvc_reconcile
"""

EXAMPLES = r"""
- name: Check a configuration before an upgrade
  modelops.inference.epp_config:
    state: rendered
    src: picker.yaml
    target: llmd:0.9
  register: checked

- name: Rewrite it for the new release
  modelops.inference.epp_config:
    state: rendered
    src: picker.yaml
    migrate_from: llmd:0.8
    target: llmd:0.9
  register: migrated

- name: Store a preset, and restart the picker if its meaning changed
  modelops.inference.epp_config:
    preset: pd
    overrides:
      plugins:
        - type: prefix-based-pd-decider
          parameters:
            nonCachedTokens: 64
    target: llmd:0.10
    namespace: chat
    name: chat-epp
    restart: chat-epp
"""

RETURN = r"""
verdict:
  description: What the release does with the configuration; V(accept), V(reject), or V(unstable) if it crashes on some of its starts.
  returned: if there was something to check
  type: str
config:
  description: The configuration in normal form, with every default and every plugin that the release adds.
  returned: always
  type: dict
effective:
  description:
    - What a picker holds beyond the configuration after its start, with the picker's own names; C(instances) (name and type of each plugin object),
      C(profile_handler), C(feature_gates), C(saturation_detector), C(flow_control_controller) and C(flow_control_registry).
    - Empty if the picker does not start.
  returned: always
  type: dict
text:
  description: What is stored, or was found.
  returned: always
  type: str
hash:
  description: SHA-256 of the normal form. Two spellings of the same have the same hash.
  returned: always
  type: str
flags:
  description: Flags that the picker's container needs.
  returned: always
  type: list
  elements: str
findings:
  description: What was found, each with C(rule), C(severity) (error, warning or info), C(path), C(value), C(message) and C(fix). An error fails the task.
  returned: always
  type: list
  elements: dict
differences:
  description: The differences in meaning from what was stored before, each with C(change), C(path), C(before) and C(after). Empty if both mean the same.
  returned: always
  type: list
  elements: dict
migration:
  description: C(changes) that were made for O(target), and C(decisions) that you have to make.
  returned: always
  type: dict
exists:
  description: Whether the ConfigMap holds the key.
  returned: always
  type: bool
restarted:
  description: Whether the hash on the Deployment changed.
  returned: always
  type: bool
stats:
  description:
    - What the run cost, in C(requests), C(reads), C(writes), C(lease_requests), C(skipped) (objects that needed no request), C(rounds)
      and C(elapsed_s).
  returned: always
  type: dict
"""

from ansible_collections.modelops.inference.plugins.module_utils.module_runner import run_module
from ansible_collections.modelops.inference.plugins.module_utils.modules import epp_config


def main() -> None:
    """Run the entry as a module."""
    run_module(epp_config.ARGUMENT_SPEC, epp_config.run, epp_config.EMPTY)


if __name__ == "__main__":
    main()
