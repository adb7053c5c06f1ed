# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects so plain that the API server has nothing to refuse in them: a trial would tell nothing, and costs a request each.

It is a sieve: whatever is not seen to be right is not certain, and is tried. Source: Kubernetes API reference v1.36, validation of core/v1,
rbac.authorization.k8s.io/v1 and policy/v1.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any

from . import gvk
from .manifest import Json
from .names import check_data_key, check_dns_label, check_dns_subdomain, check_port_name
from .validation.metadata import label_problems

_METADATA = frozenset({"name", "namespace", "labels", "annotations"})
#: Bytes. An object may be somewhat larger than a ConfigMap's data, annotations are counted by themselves.
_LARGEST_DATA, _LARGEST_ANNOTATIONS = 900_000, 200_000
#: Kinds that grant rights: only a trial shows who may not grant them.
GRANTS = frozenset({"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"})


def is_exempt(manifest: Json) -> bool:
    """Tell whether an object can only be refused by a policy of the cluster, such as a quota."""
    found = _KINDS.get((manifest["apiVersion"], manifest["kind"]))
    return found is not None and _plain_metadata(manifest["metadata"]) and found(manifest)


def _plain_metadata(metadata: Json) -> bool:
    annotations = metadata.get("annotations") or {}
    size = sum(len(key) + len(str(text).encode()) for key, text in annotations.items())
    return _only(metadata, _METADATA) and size < _LARGEST_ANNOTATIONS


def _config(manifest: Json) -> bool:
    return (
        _only(manifest, {"apiVersion", "kind", "metadata", "data"})
        and _subdomain(manifest)
        and _texts(manifest.get("data"))
    )


def _secret(manifest: Json) -> bool:
    return (
        _only(manifest, {"apiVersion", "kind", "metadata", "type", "data", "stringData"})
        and _subdomain(manifest)
        # Each other type wants its own keys.
        and manifest.get("type") in (None, "Opaque")
        and _texts(manifest.get("stringData"))
        and _texts(manifest.get("data"))
        and all(map(_is_base64, (manifest.get("data") or {}).values()))
    )


def _account(manifest: Json) -> bool:
    return _only(manifest, {"apiVersion", "kind", "metadata"}) and _subdomain(manifest)


def _role(manifest: Json) -> bool:
    rules = manifest.get("rules")
    return (
        _only(manifest, {"apiVersion", "kind", "metadata", "rules"})
        and _segment(manifest["metadata"]["name"])
        and isinstance(rules, list)
        and all(map(_rule, rules))
    )


def _rule(rule: Any) -> bool:
    parts = ("apiGroups", "resources", "verbs")
    return (
        isinstance(rule, dict)
        and _only(rule, {*parts, "resourceNames"})
        and all(rule.get(part) and _all_texts(rule[part]) for part in parts)
        and _all_texts(rule.get("resourceNames") or [])
    )


def _binding(manifest: Json) -> bool:
    to, subjects = manifest.get("roleRef"), manifest.get("subjects")
    roles = (
        ("ClusterRole",) if manifest["kind"] == "ClusterRoleBinding" else ("ClusterRole", "Role")
    )
    return (
        _only(manifest, {"apiVersion", "kind", "metadata", "roleRef", "subjects"})
        and _segment(manifest["metadata"]["name"])
        and isinstance(to, dict)
        and to.keys() == {"apiGroup", "kind", "name"}
        and to["apiGroup"] == gvk.RBAC_GROUP
        and to["kind"] in roles
        and _segment(to["name"])
        and isinstance(subjects, list)
        and all(map(_subject, subjects))
    )


def _subject(subject: Any) -> bool:
    return (
        isinstance(subject, dict)
        and subject.keys() == {"kind", "name", "namespace"}
        and subject["kind"] == "ServiceAccount"
        and _is_subdomain(subject["name"])
        and _is_label(subject["namespace"])
    )


def _service(manifest: Json) -> bool:
    spec = manifest.get("spec")
    if not isinstance(spec, dict) or not _only(
        manifest, {"apiVersion", "kind", "metadata", "spec"}
    ):
        return False
    ports = spec.get("ports")
    return (
        _only(spec, {"ports", "selector"})
        and _is_label(manifest["metadata"]["name"])
        and _labels(spec.get("selector"))
        and isinstance(ports, list)
        and len(ports) == 1
        and _port(ports[0])
    )


def _port(port: Any) -> bool:
    if not isinstance(port, dict):
        return False
    target, name = port.get("targetPort", 1), port.get("name", "a")
    return (
        _only(port, {"name", "port", "protocol", "targetPort"})
        and _is_port(port.get("port"))
        and (_is_port(target) or (isinstance(target, str) and check_port_name(target) is None))
        and port.get("protocol", "TCP") in ("TCP", "UDP")
        and _is_label(name)
    )


def _budget(manifest: Json) -> bool:
    spec = manifest.get("spec")
    if not isinstance(spec, dict) or not _only(
        manifest, {"apiVersion", "kind", "metadata", "spec"}
    ):
        return False
    selector = spec.get("selector")
    number = [spec[each] for each in ("minAvailable", "maxUnavailable") if each in spec]
    return (
        _only(spec, {"minAvailable", "maxUnavailable", "selector"})
        and _subdomain(manifest)
        and len(number) == 1
        and _is_number(number[0])
        and number[0] >= 0
        and isinstance(selector, dict)
        and selector.keys() == {"matchLabels"}
        and _labels(selector["matchLabels"])
    )


_KINDS: Mapping[tuple[str, str], Callable[[Json], bool]] = {
    ("v1", "ConfigMap"): _config,
    ("v1", "Secret"): _secret,
    ("v1", "Service"): _service,
    ("v1", "ServiceAccount"): _account,
    ("policy/v1", "PodDisruptionBudget"): _budget,
    (f"{gvk.RBAC_GROUP}/v1", "Role"): _role,
    (f"{gvk.RBAC_GROUP}/v1", "ClusterRole"): _role,
    (f"{gvk.RBAC_GROUP}/v1", "RoleBinding"): _binding,
    (f"{gvk.RBAC_GROUP}/v1", "ClusterRoleBinding"): _binding,
}


def _only(given: Mapping[str, Any], known: frozenset[str] | set[str]) -> bool:
    return given.keys() <= known


def _texts(given: Any) -> bool:
    """Tell whether this is a map of texts with keys that a ConfigMap takes."""
    if given is None:
        return True
    if not isinstance(given, dict) or not all(isinstance(text, str) for text in given.values()):
        return False
    size = sum(len(text.encode()) for text in given.values())
    return size < _LARGEST_DATA and all(
        isinstance(key, str) and check_data_key(key) is None for key in given
    )


def _labels(given: Any) -> bool:
    return given is None or (
        isinstance(given, dict)
        and all(isinstance(text, str) for text in given.values())
        and not any(label_problems(given, ""))
    )


def _all_texts(given: Any) -> bool:
    return isinstance(given, list) and all(isinstance(each, str) for each in given)


def _is_base64(text: str) -> bool:
    try:
        b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _subdomain(manifest: Json) -> bool:
    return _is_subdomain(manifest["metadata"]["name"])


def _is_subdomain(text: Any) -> bool:
    return isinstance(text, str) and check_dns_subdomain(text) is None


def _is_label(text: Any) -> bool:
    return isinstance(text, str) and check_dns_label(text) is None


def _segment(text: Any) -> bool:
    return isinstance(text, str) and text not in ("", ".", "..") and not set(text) & set("/%")


def _is_port(number: Any) -> bool:
    return _is_number(number) and 0 < number < 65536


def _is_number(value: Any) -> bool:
    """Tell whether a value is a whole number; true and false are none, though Python counts them among these."""
    return isinstance(value, int) and not isinstance(value, bool)
