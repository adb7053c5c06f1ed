# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a user can do after the demo, as commands to copy."""

from __future__ import annotations

import os

from ..lab.control_plane import ControlPlane
from ..tools.tree import CHECKOUT, TREE_ROOT
from .play import COMMAND


def after_success(plane: ControlPlane) -> str:
    """Return the next steps on the running control plane."""
    playbook = " ".join(COMMAND)
    return f"""
The control plane keeps running. What to do next, from {CHECKOUT}:

  look around with kubectl        make lab-shell ARGS={plane.name}
                                  kubectl get modelservices,deployments,leaderworkersets,httproutes -A

  let this shell use it           {_exports(plane)}

  change an example               sed -i 's/replicas: 2/replicas: 3/' examples/services/search.yaml
  see what would change           {playbook} --check --diff
  apply the change                {playbook}
  see the status                  ansible-playbook modelops.inference.status -e @examples/vars.yml

  run the demo again              make demo
  end the control plane           make lab-down ARGS={plane.name}
"""


def after_end() -> str:
    """Return the next steps where nothing runs any more."""
    return "The control plane was ended. Keep it to look around: make demo ARGS=--keep"


def after_failure(plane: ControlPlane) -> str:
    """Return where to look."""
    return f"""
The control plane keeps running, so that you can find out why:
  make lab-shell ARGS={plane.name}        then: kubectl get events -A --sort-by=.lastTimestamp
  logs of its programs            {plane.layout.file("logs")}
  {end(plane)}"""


def end(plane: ControlPlane) -> str:
    """Return how to end it."""
    return f"End the control plane: make lab-down ARGS={plane.name}"


def _exports(plane: ControlPlane) -> str:
    lines = (
        f"export KUBECONFIG={plane.kubeconfig}",
        f"export ANSIBLE_COLLECTIONS_PATH={TREE_ROOT}",
        f"export PATH={CHECKOUT / '.venv' / 'bin'}{os.pathsep}$PATH",
    )
    return ("\n" + " " * 34).join(lines)
