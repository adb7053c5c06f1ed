# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks of an installed set, with accounts asked as themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..bundles.starting import missed_kinds
from ..cluster.connection import Cluster
from ..cluster.rules import Rules
from ..engine.applyset.access import Access
from ..engine.applyset.checks import Check, Checks
from ..kube.applyset import MemberKey
from ..kube.manifest import Json
from ..task import arguments
from .managers import Managers
from .release import SetRelease


def check(
    cluster: Cluster,
    members: Mapping[MemberKey, Json],
    params: Mapping[str, Any],
    environment: Mapping[str, str],
    release: SetRelease,
    version: str,
) -> Json:
    """Return `checks`, and a failure that names each one that does not hold. version: of the set. Raises ClusterError."""

    def rules_of(user: str, namespace: str) -> Rules:
        with arguments.connection({**params, "impersonate_user": user}, environment) as as_user:
            return as_user.rules(namespace)

    found = [Check("set", "" if members else f"the set {params['name']} is empty")]
    managers = Managers(cluster, list(members.values()), release, version)
    looked = [*members.values(), *managers.around]
    access = Access(members, rules_of)
    checks = Checks(cluster, looked, params["namespace"], access, managers.secrets)
    found += [*checks.run(managers.leases), *managers.checks(), *managers.lacking]
    found += _starts(cluster, members, release)
    result: Json = {
        "checks": [{"name": each.name, "ok": each.ok, "message": each.message} for each in found]
    }
    wrong = [f"{each.name}: {each.message}" for each in found if not each.ok]
    return {**result, **({"failed": True, "msg": "\n".join(wrong)} if wrong else {})}


def _starts(
    cluster: Cluster, members: Mapping[MemberKey, Json], release: SetRelease
) -> Iterator[Check]:
    """Yield a check for each workload that looks only once whether some kinds are served."""
    starts = release.component.starts if release.component else ()
    workloads = {start.workload for start in starts}
    for live in members.values():
        name = live["metadata"]["name"]
        if live["kind"] != "Deployment" or name not in workloads:
            continue
        missed = missed_kinds(live, starts, lambda kind: cluster.has(kind.group, kind.kind))
        text = f"it started before {', '.join(missed)} existed; install the set again, which restarts it"
        yield Check(f"start/{name}", text if missed else "")
