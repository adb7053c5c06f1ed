# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the table of a pod's types (plugins/module_utils/kube/pod_schema.py) from what an API server says of them.

    python -m tests.tools.pod_table api__v1_openapi.json

The input is the answer to `GET /openapi/v3/api/v1`. Fields keep the order that they have in the table, which is that of the Go types:
OpenAPI sorts them by name. New ones come last, and have to be put at their place.
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kube.pod_schema import (
    OTHERS,
    TABLE,
)

Json = dict[str, Any]
ROOT = "PodSpec"
WIDTH = 150
#: What Kubernetes after 1.34 has. The CRDs of KServe embed 1.34: a field that they do not know would be lost there without a word.
LATER = {
    "PodSpec": {"schedulingGroup", "evictionResponders"},
    "PodCertificateProjection": {"userAnnotations", "user"},
    "EmptyDirVolumeSource": {"mode"},
    "VolumeMount": {"bindMountOptions"},
    "HTTPGetAction": {"protocol"},
    "GRPCAction": {"mode"},
    **{
        f"{kind}VolumeSource": {"defaultUser"}
        for kind in ("Secret", "DownwardAPI", "ConfigMap", "Projected")
    },
    **{kind: {"user"} for kind in ("KeyToPath", "DownwardAPIVolumeFile")},
    **{f"{kind}Projection": {"user"} for kind in ("ServiceAccountToken", "ClusterTrustBundle")},
}
#: In KServe's CRDs a template of a pod may be a part of one.
OPTIONAL = {"PodSpec": {"containers"}}
#: These embed a LocalObjectReference, whose mark controller-gen gives to the whole.
ATOMIC = (
    *("ConfigMapEnvSource", "SecretEnvSource", "ConfigMapVolumeSource"),
    *("ConfigMapProjection", "SecretProjection"),
)
#: Defaults that refer to a constant of Go, which controller-gen does not follow.
WITHOUT_DEFAULT = {"AzureDiskVolumeSource": {"cachingMode", "kind"}}
_PLAIN = {"string": "text", "boolean": "bool"}
_MAPS = {"text": "map", "Quantity": "quantities"}
_OF_OTHER_PACKAGES = {"Quantity": "quantity", "IntOrString": "int-or-text"}


def written(schemas: Mapping[str, Json], table: str = TABLE) -> str:
    """Return the table of all types below a pod's spec. schemas: of the OpenAPI document, by name. table: gives the order."""
    types = {name.rpartition(".")[2]: schema for name, schema in schemas.items()}
    order = {name: _names(line) for name, line in _lines(table)}
    done: dict[str, str] = {}

    def write(name: str) -> None:
        if name in done or name in OTHERS or name not in types:
            return
        schema, known = types[name], order.get(name, [])
        fields = {} if name == "ObjectMeta" else dict(_fields(name, schema))
        ordered = sorted(
            fields, key=lambda field: known.index(field) if field in known else len(known)
        )
        whole = name in ATOMIC or schema.get("x-kubernetes-map-type") == "atomic"
        atomic = " atomic" if whole else ""
        text = f"{name}{atomic}  {' '.join(fields[field][0] for field in ordered)}".rstrip()
        done[name] = textwrap.fill(
            text, WIDTH, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False
        )
        for field in ordered:
            write(fields[field][1])

    write(ROOT)
    return "\n".join(done.values()) + "\n"


def _lines(table: str) -> Iterator[tuple[str, str]]:
    for line in table.strip().replace("\n ", " ").splitlines():
        yield line.split()[0], line


def _names(line: str) -> list[str]:
    fields = line.partition("  ")[2].split()
    return [field.partition(":")[0].partition("=")[0].rstrip("!") for field in fields]


def _fields(of: str, schema: Json) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the fields of a type: how the table writes each, and the type that it leads to."""
    for name, field in schema.get("properties", {}).items():
        if name in LATER.get(of, ()):
            continue
        required = name in schema.get("required", ()) and name not in OPTIONAL.get(of, ())
        kind, leads_to = _type(field)
        # Go's zero of a field that has to be there is no default.
        given = not required and not leads_to and name not in WITHOUT_DEFAULT.get(of, ())
        default = field.get("default") if given else None
        word = name + ("!" if required else "") + (f":{kind}" if kind != "text" else "")
        if default is not None:
            word += f"={json.dumps(default) if isinstance(default, bool) else default}"
        yield name, (word, leads_to)


def _type(field: Json) -> tuple[str, str]:
    """Return the type of a field as the table writes it, and the name of the type of the table that it leads to."""
    match field.get("type"):
        case "array":
            kind, leads_to = _type(field["items"])
            if field.get("x-kubernetes-list-type") == "set":
                return f"{kind}-set", leads_to
            told_apart = field.get("x-kubernetes-list-type") == "map"
            keys = field.get("x-kubernetes-list-map-keys", ()) if told_apart else ()
            return f"{kind}[{','.join(keys)}]", leads_to
        case "object" if "additionalProperties" in field:
            values = field["additionalProperties"]
            kind = _MAPS[_referred(values) or _PLAIN[values["type"]]]
            atomic = field.get("x-kubernetes-map-type") == "atomic"
            return f"{kind}-atomic" if atomic else kind, ""
        case "integer":
            return field["format"], ""
        case str() as plain:
            return _PLAIN[plain], ""
    name = _referred(field)
    if name in _OF_OTHER_PACKAGES:
        return _OF_OTHER_PACKAGES[name], ""
    return name, name


def _referred(field: Json) -> str:
    """Return the name of the type that a field refers to, without its package; empty for none."""
    (inner,) = field.get("allOf", [field])
    return str(inner.get("$ref", "")).rpartition("/")[2].rpartition(".")[2]


def main(arguments: list[str]) -> int:
    """Print the table."""
    document = json.loads(Path(arguments[0]).read_text())
    sys.stdout.write(written(document["components"]["schemas"]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
