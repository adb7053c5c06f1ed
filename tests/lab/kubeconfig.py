# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Kubeconfig files: written for the lab's users, read back into the facts that a client needs."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .errors import LabError
from .files import write_atomically


@dataclass(frozen=True)
class Access:
    """How to reach an API server as somebody: PEM texts, or a token."""

    server: str
    authority: str
    token: str = ""
    certificate: str = ""
    key: str = ""


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def document(access: Access, *, context: str, namespace: str = "default") -> dict[str, Any]:
    """The kubeconfig as data: one cluster, one user, one context."""
    user: dict[str, str] = {}
    if access.token:
        user["token"] = access.token
    if access.certificate:
        user["client-certificate-data"] = _encoded(access.certificate)
        user["client-key-data"] = _encoded(access.key)
    cluster: dict[str, str] = {"server": access.server}
    if access.authority:
        cluster["certificate-authority-data"] = _encoded(access.authority)
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": context, "cluster": cluster}],
        "users": [{"name": context, "user": user}],
        "contexts": [
            {
                "name": context,
                "context": {"cluster": context, "user": context, "namespace": namespace},
            }
        ],
        "current-context": context,
    }


def write(path: Path, access: Access, *, context: str, namespace: str = "default") -> Path:
    """Write a kubeconfig that only its owner may read."""
    text = yaml.safe_dump(document(access, context=context, namespace=namespace), sort_keys=False)
    write_atomically(path, text, mode=0o600)
    return path


def read(path: Path, context: str = "") -> Access:
    """Read one context (default: the current one). Tokens, certificates in the file or beside it; no exec plugins."""
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        raise LabError(f"{path} is not a kubeconfig")
    chosen = _named(path, content, "context", context or str(content.get("current-context", "")))
    cluster = _named(path, content, "cluster", str(chosen.get("cluster", "")))
    user = _named(path, content, "user", str(chosen.get("user", "")))
    access = Access(
        server=str(cluster.get("server", "")),
        authority=_pem(path, cluster, "certificate-authority"),
        token=str(user.get("token", "")),
        certificate=_pem(path, user, "client-certificate"),
        key=_pem(path, user, "client-key"),
    )
    if not access.token and not access.certificate:
        raise LabError(
            f"{path}: the lab's own client needs a token or a client certificate in the user entry"
        )
    return access


def _named(path: Path, content: dict[str, Any], kind: str, name: str) -> dict[str, Any]:
    for entry in content.get(f"{kind}s") or ():
        if entry.get("name") == name:
            found: dict[str, Any] = entry.get(kind) or {}
            return found
    raise LabError(f"{path} has no {kind} named {name!r}")


def _pem(path: Path, entry: dict[str, Any], field: str) -> str:
    data = entry.get(f"{field}-data")
    if data:
        try:
            return base64.b64decode(str(data), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError) as error:
            raise LabError(f"{path}: {field}-data is not base64 of a PEM text") from error
    file = entry.get(field)
    return (path.parent / str(file)).read_text(encoding="utf-8") if file else ""
