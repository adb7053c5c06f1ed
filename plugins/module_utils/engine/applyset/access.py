# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the accounts of a set may do what its roles say: asked as those accounts, so that nothing is taken for granted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ...cluster.rules import Rules
from ...kube import gvk
from ...kube.applyset import MemberKey
from ...kube.manifest import Json
from ...kube.text import few

#: How many rights a message names.
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Account:
    """A ServiceAccount that a binding of the set names."""

    namespace: str
    name: str

    @property
    def user(self) -> str:
        """The account as the API server knows it."""
        return f"system:serviceaccount:{self.namespace}:{self.name}"

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class Access:
    """The rights that a set's bindings give. rules_of: what a user may do in a namespace, by name."""

    def __init__(
        self, members: Mapping[MemberKey, Json], rules_of: Callable[[str, str], Rules]
    ) -> None:
        self._rules_of = rules_of
        self._granted: dict[Account, list[tuple[str, Json]]] = {}
        for binding in members.values():
            if binding["kind"] in ("RoleBinding", "ClusterRoleBinding"):
                self._note(binding, members)

    @property
    def accounts(self) -> list[Account]:
        """The accounts that are bound."""
        return sorted(self._granted, key=str)

    def lacks(self, account: Account) -> str:
        """Return which granted rights an account does not have, empty where it has all. Raises ClusterError."""
        missing = []
        for namespace, rule in self._granted[account]:
            rules = self._rules_of(account.user, namespace or account.namespace)
            missing += [text for text in _denied(rule, rules) if text not in missing]
        if not missing:
            return ""
        return (
            f"{account.user} may not {few(missing, _NAMED, 'right')}, which its roles should grant"
        )

    def _note(self, binding: Json, members: Mapping[MemberKey, Json]) -> None:
        role = binding["roleRef"]
        namespace = binding["metadata"].get("namespace") or ""
        place = namespace if role["kind"] == "Role" else ""
        live = members.get(MemberKey(gvk.RBAC_GROUP, role["kind"], place, role["name"]))
        for subject in binding.get("subjects") or []:
            if subject["kind"] != "ServiceAccount":
                continue
            account = Account(subject.get("namespace") or namespace, subject["name"])
            granted = self._granted.setdefault(account, [])
            granted += [(namespace, rule) for rule in (live or {}).get("rules") or []]


def _denied(rule: Json, rules: Rules) -> Iterator[str]:
    for group in rule.get("apiGroups") or []:
        for resource in rule.get("resources") or []:
            for verb in rule.get("verbs") or []:
                for name in _names(rule):
                    if not rules.allow(verb, group, resource, name):
                        full = f"{resource}.{group}" if group else resource
                        yield f"{verb} {full}{' ' + name if name else ''}"


def _names(rule: Json) -> Iterable[str]:
    return rule.get("resourceNames") or ("",)
