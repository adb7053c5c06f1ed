# SPDX-License-Identifier: GPL-3.0-or-later
"""The authentication options of a task, with the same names, aliases and K8S_AUTH_* variables as kubernetes.core."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..kube.redact import secrets_of
from .errors import LoginError

#: Each option with its aliases; the variable of each is K8S_AUTH_<NAME IN CAPITALS>.
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "host": (),
    "api_key": (),
    "kubeconfig": (),
    "context": (),
    "username": (),
    "password": (),
    "validate_certs": ("verify_ssl",),
    "ca_cert": ("ssl_ca_cert",),
    "client_cert": ("cert_file",),
    "client_key": ("key_file",),
    "proxy": (),
    "no_proxy": (),
    "persist_config": (),
    "impersonate_user": (),
    "impersonate_groups": (),
}
PROXY_HEADERS = ("proxy_basic_auth", "basic_auth", "user_agent")
#: Options whose variables may hold a secret: themselves, or user and password in a URL.
_WITH_SECRETS = ("host", "api_key", "kubeconfig", "password", "client_key", "proxy")
#: Replaced wherever it is in a result, so it must not be a part of other words.
_SHORTEST_SECRET = 6
_NO = ("0", "false", "no", "off", "n", "f")


@dataclass(frozen=True, slots=True)
class Login:
    """How a task wants to reach its cluster; empty where it does not say.

    kubeconfig: paths joined by the system's path separator, or the content as a dict. environment: what programs that
    the kubeconfig names are started with, and where HOME and KUBECONFIG are looked up.
    """

    host: str = ""
    api_key: str = field(default="", repr=False)
    kubeconfig: str | Mapping[str, Any] = field(default="", repr=False)
    context: str = ""
    username: str = ""
    password: str = field(default="", repr=False)
    validate_certs: bool | None = None
    ca_cert: str = ""
    client_cert: str = ""
    client_key: str = ""
    proxy: str = field(default="", repr=False)
    no_proxy: str = ""
    proxy_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    persist_config: bool = False
    impersonate_user: str = ""
    impersonate_groups: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, auth: Mapping[str, Any]) -> Login:
        """Return the login that options and variables ask for; an option wins over its variable.

        auth: the options, and under `environment` the variables that apply; without it those of this process.
        Raises LoginError for values of a wrong type.
        """
        given = auth.get("environment")
        environment = {
            str(name): str(value)
            for name, value in (os.environ if given is None else given).items()
        }
        values = {
            name: value
            for name, aliases in OPTIONS.items()
            if (value := _lookup(auth, environment, (name, *aliases))) is not None
        }
        return cls(
            host=_text(values, "host").rstrip("/"),
            api_key=_text(values, "api_key").strip(),
            kubeconfig=_kubeconfig(values.get("kubeconfig")),
            context=_text(values, "context"),
            username=_text(values, "username"),
            password=_text(values, "password"),
            validate_certs=_flag(values.get("validate_certs"), "validate_certs"),
            ca_cert=_text(values, "ca_cert"),
            client_cert=_text(values, "client_cert"),
            client_key=_text(values, "client_key"),
            proxy=_text(values, "proxy"),
            no_proxy=_text(values, "no_proxy"),
            proxy_headers=_proxy_headers(auth, environment),
            persist_config=bool(_flag(values.get("persist_config"), "persist_config")),
            impersonate_user=_text(values, "impersonate_user"),
            impersonate_groups=_groups(values.get("impersonate_groups")),
            environment=environment,
        )

    @property
    def direct(self) -> bool:
        """Whether the options alone say where the server is, so that no kubeconfig is read."""
        return bool(self.host) and not self.kubeconfig and not self.context


def secrets_of_login(auth: Mapping[str, Any], environment: Mapping[str, str]) -> frozenset[str]:
    """Return what is secret in options and variables that `no_log` does not know of."""
    options = {name: auth.get(name) for name in ("kubeconfig", "host", "proxy")}
    variables = {name: value for name, value in environment.items() if name.startswith("K8S_AUTH_")}
    found = set(secrets_of({**options, "env": variables}))
    for url in (options["host"], options["proxy"]):
        if isinstance(url, str) and "@" in url:  # also where the scheme is missing
            found.add(url.rpartition("@")[0].rpartition("//")[2])
    return frozenset(secret for secret in found if len(secret) >= _SHORTEST_SECRET)


def without_secret_variables(
    options: Mapping[str, Any], environment: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return options and variables that mean the same login, with every secret in the options."""
    taken = dict(options)
    left = dict(environment)
    for name in _WITH_SECRETS:
        value = left.pop(f"K8S_AUTH_{name.upper()}", "")
        if value and all(taken.get(alias) is None for alias in (name, *OPTIONS[name])):
            taken[name] = value
    headers = dict(taken.get("proxy_headers") or {})
    for name in PROXY_HEADERS:
        value = left.pop(f"K8S_AUTH_PROXY_HEADERS_{name.upper()}", "")
        if value and not headers.get(name):
            headers[name] = value
    return (taken | {"proxy_headers": headers} if headers else taken), left


def _lookup(auth: Mapping[str, Any], environment: Mapping[str, str], names: tuple[str, ...]) -> Any:
    for name in names:
        if auth.get(name) is not None:
            return auth[name]
    for name in names:
        value = environment.get(f"K8S_AUTH_{name.upper()}")
        if value:
            return value
    return None


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name, "")
    if not isinstance(value, str):
        raise LoginError(f"{name} must be text, not {type(value).__name__}")
    return value


def _flag(value: Any, name: str) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value.lower() not in _NO
    raise LoginError(f"{name} must be true or false, not {type(value).__name__}")


def _kubeconfig(value: Any) -> str | Mapping[str, Any]:
    if value is None:
        return ""
    if isinstance(value, str | Mapping):
        return value
    raise LoginError(
        f"kubeconfig must be a path or the content as a dict, not {type(value).__name__}"
    )


def _groups(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        value = value.split(",")
    return tuple(str(group).strip() for group in value if str(group).strip())


def _proxy_headers(auth: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, str]:
    """Return the headers for a proxy, built from the sub-options as urllib3's make_headers takes them."""
    given = auth.get("proxy_headers") or {}
    chosen: dict[str, Any] = {
        name: str(value)
        for name in PROXY_HEADERS
        if (value := given.get(name) or environment.get(f"K8S_AUTH_PROXY_HEADERS_{name.upper()}"))
    }
    if not chosen:
        return {}
    from urllib3.util import make_headers

    return dict(make_headers(**chosen))
