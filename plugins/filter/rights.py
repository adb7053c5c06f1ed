# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Filters about the rights that runs of this collection need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils.kube.problem import InputError
from ..module_utils.rbac.services import Wanted
from ..module_utils.rbac.services import least_privilege as rights_of
from ..module_utils.rbac.sets import SetRights, set_privilege
from ..plugin_utils.arguments import flag, mapping, text

#: As in the option `answer` of llmisvc_reconcile.
_THROUGH = ("gateway", "apiserver")


def least_privilege(
    value: Any,
    subject: Any,
    name: Any = "modelops-inference",
    wait: Any = True,
    create_namespaces: Any = False,
    cluster_rights: Any = True,
    through: Any = "gateway",
    kserve_namespace: Any = "kserve",
) -> dict[str, Any]:
    """Return roles and bindings for whoever reconciles what was rendered."""
    plugin = "least_privilege"
    rendered = mapping(plugin, value)
    wanted = Wanted(
        text(plugin, name, "name"),
        mapping(plugin, subject, "subject"),
        flag(plugin, wait, "wait"),
        flag(plugin, create_namespaces, "create_namespaces"),
        flag(plugin, cluster_rights, "cluster_rights"),
        text(plugin, through, "through"),
        text(plugin, kserve_namespace, "kserve_namespace"),
    )
    if wanted.through not in _THROUGH:
        raise AnsibleFilterError(
            f"{plugin}: through has to be {' or '.join(_THROUGH)}, but it is {wanted.through}"
        )
    try:
        return rights_of(rendered.get("services") or [], rendered.get("manifests") or [], wanted)
    except (InputError, KeyError, TypeError) as error:
        raise AnsibleFilterError(
            f"{plugin}: the input has to be a result of llmisvc_reconcile with state rendered: {error}"
        ) from error


def applyset_privilege(
    value: Any,
    subject: Any,
    name: Any = "modelops-controllers",
    namespace: Any = "default",
    upgrade: Any = True,
    checks: Any = True,
    cluster_rights: Any = True,
) -> dict[str, Any]:
    """Return roles and bindings for whoever installs what was rendered."""
    plugin = "applyset_privilege"
    wanted = SetRights(
        text(plugin, name, "name"),
        mapping(plugin, subject, "subject"),
        text(plugin, namespace, "namespace"),
        flag(plugin, upgrade, "upgrade"),
        flag(plugin, checks, "checks"),
        flag(plugin, cluster_rights, "cluster_rights"),
    )
    try:
        return set_privilege(value, wanted)
    except (AttributeError, KeyError, TypeError) as error:
        raise AnsibleFilterError(
            f"{plugin}: the input has to be manifests, as applyset returns them with state rendered: {error!r}"
        ) from error


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return them by name."""
        return {"applyset_privilege": applyset_privilege, "least_privilege": least_privilege}
