# SPDX-License-Identifier: GPL-3.0-or-later
"""What a server serves, asked only where the table of kinds does not answer: one aggregated request per run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from . import kinds
from .call import Call
from .errors import ApiError, KindMissing
from .kinds import KindFacts
from .requests import Requests

_AGGREGATED = ",".join(
    [
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
        "application/json",
    ]
)


class Discovery:
    """The kinds of one server. Each root (`/api`, `/apis`) is read once, and again only where it may have changed."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        self._lock = threading.Lock()
        self._known: dict[str, dict[tuple[str, str], KindFacts]] = {}

    def facts(self, api_version: str, kind: str) -> KindFacts:
        """Return where a kind is kept, from the table or from the server. Raises KindMissing."""
        known = kinds.facts(api_version, kind)
        if known is not None:
            return known
        found = self._served(api_version, unless_missing=kind).get((api_version, kind))
        if found is None:
            raise self.missing(api_version, kind)
        return found

    def preferred(self, group: str, kind: str) -> KindFacts | None:
        """Return a kind in the version that the server prefers, or that the table knows; None where it is not served."""
        known = kinds.of_group(group, kind)
        if known is not None:
            return known
        # The aggregated form lists versions in the server's order.
        served = self._served(f"{group}/" if group else "")
        return next(
            (each for each in served.values() if (each.group, each.kind) == (group, kind)), None
        )

    def has(self, group: str, kind: str) -> bool:
        """Return whether the server has a kind in any version; asked once per run."""
        served = self._served(f"{group}/" if group else "")
        return any((each.group, each.kind) == (group, kind) for each in served.values())

    def custom(self, is_built_in: Callable[[str], bool]) -> list[KindFacts]:
        """Return the namespaced kinds of other groups, each in the version that the server prefers."""
        found: dict[tuple[str, str], KindFacts] = {}
        for facts in self._served("apis/", again=True).values():
            if facts.namespaced and not is_built_in(facts.group):
                found.setdefault((facts.group, facts.kind), facts)
        return list(found.values())

    def serves(self, api_version: str, kind: str) -> bool:
        """Return whether the server has a kind now; what was seen before is not trusted."""
        return self._has(self._served(api_version, again=True), api_version, kind)

    def unserved(self, wanted: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return those of several kinds (apiVersion, kind) that the server does not have now; asks afresh, once for all."""
        left: list[tuple[str, str]] = []
        fresh: dict[bool, dict[tuple[str, str], KindFacts]] = {}
        for api_version, kind in wanted:
            in_group = "/" in api_version
            if in_group not in fresh:
                fresh[in_group] = self._served(api_version, again=True)
            if not self._has(fresh[in_group], api_version, kind):
                left.append((api_version, kind))
        return left

    def lacks(self, api_version: str, kind: str) -> bool:
        """Return whether a 404 is explained by a missing kind; looks again where it was there before."""
        if not self._has(self._served(api_version), api_version, kind):
            return True
        return not self.serves(api_version, kind)

    @staticmethod
    def _has(served: dict[tuple[str, str], KindFacts], api_version: str, kind: str) -> bool:
        """Tell whether a kind is among those that are served, and as the resource that is known for it: a CRD may take another's kind."""
        found, known = served.get((api_version, kind)), kinds.facts(api_version, kind)
        return found is not None and (known is None or found.plural == known.plural)

    def missing(self, api_version: str, kind: str) -> KindMissing:
        """Return the error for a kind that is not served, from what was seen last."""
        group = api_version.rpartition("/")[0]
        others = sorted(
            version
            for version, other in self._served(api_version)
            if other == kind and version.rpartition("/")[0] == group
        )
        return KindMissing(api_version, kind, tuple(others), kinds.crd_hint(api_version, kind))

    def _served(
        self, api_version: str, *, again: bool = False, unless_missing: str = ""
    ) -> dict[tuple[str, str], KindFacts]:
        """Return what is served, read at most once; `again`: read now; `unless_missing`: read again without that kind."""
        root = "/apis" if "/" in api_version else "/api"
        with self._lock:
            known = self._known.get(root)
            stale = known is not None and bool(unless_missing)
            if known is None or again or (stale and (api_version, unless_missing) not in known):
                known = self._known[root] = self._read(root, api_version)
            return known

    def _read(self, root: str, api_version: str) -> dict[tuple[str, str], KindFacts]:
        answer = self._requests.send_for_object(
            Call(
                verb="get",
                method="GET",
                path=root,
                subject="ask which kinds are served",
                accept=_AGGREGATED,
            )
        )
        if answer.get("kind") == "APIGroupDiscoveryList":
            return _aggregated(answer)
        return self._of_version(root, api_version)

    def _of_version(self, root: str, api_version: str) -> dict[tuple[str, str], KindFacts]:
        """Return the kinds of one version, for servers older than 1.26, which know no aggregated form."""
        try:
            answer = self._requests.send_for_object(
                Call(
                    verb="get",
                    method="GET",
                    path=f"{root}/{api_version}",
                    subject=f"ask which kinds {api_version} has",
                )
            )
        except ApiError as error:
            if error.status == 404:
                return {}
            raise
        return {
            (api_version, resource["kind"]): KindFacts(
                api_version, resource["kind"], resource["name"], bool(resource.get("namespaced"))
            )
            for resource in answer.get("resources") or []
            if "/" not in resource["name"]
        }


def _aggregated(answer: dict[str, Any]) -> dict[tuple[str, str], KindFacts]:
    found: dict[tuple[str, str], KindFacts] = {}
    for group in answer.get("items") or []:
        name = (group.get("metadata") or {}).get("name") or ""
        for version in group.get("versions") or []:
            api_version = f"{name}/{version['version']}" if name else version["version"]
            for resource in version.get("resources") or []:
                kind = (resource.get("responseKind") or {}).get("kind") or ""
                found[(api_version, kind)] = KindFacts(
                    api_version,
                    kind,
                    resource["resource"],
                    resource.get("scope") == "Namespaced",
                    kinds.crd_hint(api_version, kind),
                )
    return found
