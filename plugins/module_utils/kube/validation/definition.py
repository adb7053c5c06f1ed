# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses of a CustomResourceDefinition. Source: k8s.io/apiextensions-apiserver v0.36, pkg/apis/apiextensions/validation."""

from __future__ import annotations

from collections.abc import Iterator

from ..manifest import Json
from ..problem import Problem
from ..schema_faults import show


def definition_problems(crd: Json) -> Iterator[Problem]:
    """Yield what is wrong with the name and the versions of a definition."""
    spec = crd["spec"]
    names, versions = spec.get("names") or {}, spec.get("versions") or ()
    wanted = f"{names.get('plural')}.{spec.get('group')}"
    name = (crd.get("metadata") or {}).get("name")
    if names.get("plural") and spec.get("group") and name != wanted:
        message = f"{show(name)} is not the plural and the group of the kind; write {wanted}"
        yield Problem("metadata.name", message, rule="definition")
    stored = [str(each.get("name")) for each in versions if each.get("storage")]
    if versions and len(stored) != 1:
        has = f"{' and '.join(stored)} have" if stored else "none has"
        message = f"exactly one version has storage: true, since objects are kept in it, and {has}"
        yield Problem("spec.versions", message, rule="definition")
    seen: set[str] = set()
    for number, version in enumerate(versions):
        name = str(version.get("name"))
        if name in seen:
            message = f"{show(name)} is listed twice"
            yield Problem(f"spec.versions[{number}].name", message, rule="definition")
        seen.add(name)
