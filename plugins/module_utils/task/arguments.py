# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that several modules share; their documentation is in `plugins/doc_fragments/`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..cluster.connection import Cluster, connect
from ..kube.names import check_label_value
from ..kube.problem import Complaint, InputError, Problem

Spec = dict[str, dict[str, Any]]

#: Names and meaning as in kubernetes.core; the K8S_AUTH_* variables are read where the connection is made.
AUTH: Spec = {
    # Not no_log: every short word of a dict would be masked all over the result. `secrets_of_login` names what is secret in it.
    "kubeconfig": {"type": "raw"},
    "context": {"type": "str"},
    "host": {"type": "str"},
    "api_key": {"type": "str", "no_log": True},
    "username": {"type": "str"},
    "password": {"type": "str", "no_log": True},
    "validate_certs": {"type": "bool", "aliases": ["verify_ssl"]},
    "ca_cert": {"type": "path", "aliases": ["ssl_ca_cert"]},
    "client_cert": {"type": "path", "aliases": ["cert_file"]},
    "client_key": {"type": "path", "aliases": ["key_file"], "no_log": True},
    "proxy": {"type": "str"},
    "no_proxy": {"type": "str"},
    "proxy_headers": {
        "type": "dict",
        "no_log": True,
        "options": {
            "proxy_basic_auth": {"type": "str", "no_log": True},
            "basic_auth": {"type": "str", "no_log": True},
            "user_agent": {"type": "str"},
        },
    },
    "impersonate_user": {"type": "str"},
    "impersonate_groups": {"type": "list", "elements": "str"},
}

#: How requests are made.
REQUESTS: Spec = {
    "concurrency": {"type": "int", "default": 8},
    "request_timeout": {"type": "float", "default": 30.0},
    "deadline": {"type": "float"},
}

#: The least that a number may be, where there is one. A time that passes before anything was done is no time.
_LEAST: Mapping[str, float] = {"concurrency": 1, "wait_timeout": 0, "max_deletions": 0}
_TIMES = ("request_timeout", "deadline")

#: Which services, and how they are compiled.
SERVICES: Spec = {
    "services": {"type": "list", "elements": "dict", "default": []},
    "src": {"type": "list", "elements": "path", "default": []},
    "namespace": {"type": "str"},
    "fleet": {"type": "str"},
    "settings": {"type": "dict", "default": {}},
    "releases": {
        "type": "dict",
        "default": {},
        "options": {"model_operator": {"type": "str"}, "kserve": {"type": "str"}},
    },
}

#: What is done about pods that will find no room.
REQUIRE, WARN, IGNORE = "require", "warn", "ignore"

#: The fleet of tasks that name none.
DEFAULT_FLEET = "default"


def check_values(params: Mapping[str, Any]) -> None:
    """Refuse what options of every module cannot be, all at once. Raises InputError."""
    found = [
        Complaint(name, (Problem("", f"{params[name]:g} is below {least:g}"),))
        for name, least in _LEAST.items()
        if params.get(name) is not None and params[name] < least
    ]
    found += [
        Complaint(name, (Problem("", f"{params[name]:g} is not more than 0 seconds"),))
        for name in _TIMES
        if params.get(name) is not None and not params[name] > 0
    ]
    if fault := check_label_value(params.get("fleet") or ""):
        found.append(Complaint("fleet", (Problem("", fault),)))
    if found:
        raise InputError(found)


def connection(params: Mapping[str, Any], environment: Mapping[str, str]) -> Cluster:
    """Return the connection that a task asks for. Raises LoginError and MissingLibrary."""
    auth = {name: params[name] for name in AUTH if params.get(name) is not None}
    return connect(
        {**auth, "environment": environment},
        concurrency=params["concurrency"],
        request_timeout=params["request_timeout"],
        deadline=params["deadline"],
    )
