# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks of an installed set, with accounts asked as themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..cluster.connection import Cluster
from ..cluster.rules import Rules
from ..engine.applyset.access import Access
from ..engine.applyset.checks import Check, Checks
from ..kube.applyset import MemberKey
from ..kube.manifest import Json
from . import arguments
from .set_release import Release


def check(
    cluster: Cluster,
    members: Mapping[MemberKey, Json],
    params: Mapping[str, Any],
    environment: Mapping[str, str],
) -> Json:
    """Return `checks`, and a failure that names each one that does not hold. Raises ClusterError."""

    def rules_of(user: str, namespace: str) -> Rules:
        with arguments.connection({**params, "impersonate_user": user}, environment) as as_user:
            return as_user.rules(namespace)

    found = [Check("set", "" if members else f"the set {params['name']} holds nothing")]
    checks = Checks(cluster, members, params["namespace"], Access(members, rules_of))
    found += checks.run(Release.of(params).leases)
    result: Json = {
        "checks": [{"name": each.name, "ok": each.ok, "message": each.message} for each in found]
    }
    wrong = [f"{each.name}: {each.message}" for each in found if not each.ok]
    return {**result, **({"failed": True, "msg": "\n".join(wrong)} if wrong else {})}
