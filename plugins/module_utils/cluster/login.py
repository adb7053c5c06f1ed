# SPDX-License-Identifier: GPL-3.0-or-later
"""From a task's options to an endpoint and a credential: options first, then kubeconfig, then the pod we run in."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from . import kubeconfig
from .credentials import Source
from .endpoint import ClientCertificate, Credential, Endpoint
from .errors import LoginError
from .exec_plugin import ExecPlugin
from .libraries import need
from .options import Login

_POD = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def resolve(login: Login, pod: Path = _POD) -> tuple[Endpoint, Source]:
    """Return where the server is and how to be let in. Reads files, runs nothing yet. Raises LoginError.

    Options that are set win over what a kubeconfig says. A kubeconfig is not read where `host` is given without
    `kubeconfig` and `context`: a credential must not go to a server that it was not meant for.
    """
    if login.direct:
        endpoint, source = Endpoint(login.host), _anonymous()
    elif login.kubeconfig or login.context:
        endpoint, source = _from_kubeconfig(login, _files(login))
    else:
        endpoint, source = _found(login, pod)
    endpoint = _with_options(endpoint, login)
    if urlsplit(endpoint.server).scheme not in ("http", "https"):
        shown = endpoint.server.rpartition("@")[2]
        raise LoginError(f"host must begin with https:// or http://, not {shown or '(not set)'}")
    return endpoint, _source_of_options(login) or source


def _anonymous() -> Source:
    return Source.fixed(Credential(), "no credential")


def _files(login: Login) -> list[Path]:
    home = login.environment.get("HOME", "")
    given = login.kubeconfig if isinstance(login.kubeconfig, str) else ""
    return kubeconfig.paths(given or login.environment.get("KUBECONFIG") or "~/.kube/config", home)


def _found(login: Login, pod: Path) -> tuple[Endpoint, Source]:
    """Return what is found where the task names nothing: KUBECONFIG, the pod we run in, the home folder."""
    if not login.environment.get("KUBECONFIG") and login.environment.get("KUBERNETES_SERVICE_HOST"):
        inside = _in_cluster(login.environment, pod)
        if inside is not None:
            return inside
    files = _files(login)
    if not any(kubeconfig.is_there(path) for path in files):
        raise LoginError(
            "no cluster is named: set kubeconfig or the variable KUBECONFIG, or host with api_key or client_cert;"
            f" looked at {', '.join(str(path) for path in files)}"
        )
    return _from_kubeconfig(login, files)


def _in_cluster(environment: Mapping[str, str], pod: Path) -> tuple[Endpoint, Source] | None:
    token = pod / "token"
    if not token.is_file():
        return None
    host = environment["KUBERNETES_SERVICE_HOST"]
    shown = f"[{host}]" if ":" in host else host
    port = environment.get("KUBERNETES_SERVICE_PORT", "443")
    ca = kubeconfig.read(pod / "ca.crt", "the pod's certificate authority")
    return Endpoint(f"https://{shown}:{port}", ca=ca), _token_file(token)


def _token_file(path: Path) -> Source:
    def fetch(dummy: float) -> Credential:
        return Credential(f"Bearer {kubeconfig.read(path, 'the token file').strip()}")

    return Source(fetch, renewable=True, what=f"the token in {path}")


def _from_kubeconfig(login: Login, files: list[Path]) -> tuple[Endpoint, Source]:
    given = login.kubeconfig
    if isinstance(given, Mapping):
        context = kubeconfig.from_content(given, login.context)
    else:
        context = kubeconfig.from_files(files, login.context)
    cluster = context.cluster
    endpoint = Endpoint(
        server=cluster.text("server").rstrip("/"),
        ca=cluster.content("certificate-authority"),
        verify=not cluster.body.get("insecure-skip-tls-verify"),
        server_name=cluster.text("tls-server-name"),
        proxy=cluster.text("proxy-url"),
        impersonation=_impersonation(
            context.user.text("as"), tuple(context.user.body.get("as-groups") or ())
        ),
    )
    return endpoint, _source_of_user(login, context)


def _source_of_user(login: Login, context: kubeconfig.Context) -> Source:
    """Return a user's credential, in kubectl's order of preference."""
    user = context.user
    what = f"of user {user.name} in the kubeconfig" if user.name else "of the kubeconfig"
    certificate = user.content("client-certificate")
    shown = ClientCertificate(certificate, user.content("client-key")) if certificate else None
    if user.text("tokenFile"):
        return _token_file(user.folder / user.text("tokenFile"))
    if user.text("token"):
        return Source.fixed(
            Credential(f"Bearer {user.text('token').strip()}", shown), f"the token {what}"
        )
    if user.body.get("exec"):
        plugin = ExecPlugin.of(
            user.body["exec"],
            environment=login.environment,
            folder=user.folder,
            cluster=context.cluster.body,
        )
        return Source(
            plugin.fetch, renewable=True, what=f"the credential of the plugin {plugin.command}"
        )
    if provider := user.body.get("auth-provider"):
        _check_provider(provider)
        return Source(
            lambda dummy: _by_library(login, context),
            renewable=True,
            what=f"the auth-provider {what}",
        )
    if user.text("username"):
        return Source.fixed(
            Credential(_basic(user.text("username"), user.text("password")), shown),
            f"the password {what}",
        )
    return Source.fixed(Credential("", shown), f"the client certificate {what}")


def _check_provider(provider: Any) -> None:
    """Raise LoginError for a provider that clients of Kubernetes 1.26 and later do not know. Source: client-go, `rest/plugin.go@v0.26.0`."""
    name = provider.get("name") if isinstance(provider, Mapping) else None
    if name != "oidc":
        raise LoginError(
            f"the kubeconfig has the auth-provider {name}, which Kubernetes clients no longer support; use a credential plugin"
            " (exec), for example gke-gcloud-auth-plugin or kubelogin"
        )


def _by_library(login: Login, context: kubeconfig.Context) -> Credential:
    """Return the token of the `auth-provider` oidc, which the kubernetes library knows to renew."""
    need("kubernetes", "for the auth-provider of the kubeconfig")
    from kubernetes import client, config

    settings = client.Configuration()
    content: dict[str, Any] = {
        "current-context": context.name,
        "contexts": [{"name": context.name, "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": context.cluster.text("server")}}],
        "users": [{"name": "u", "user": dict(context.user.body)}],
    }
    try:
        if isinstance(login.kubeconfig, Mapping) or not login.persist_config:
            config.load_kube_config_from_dict(content, client_configuration=settings)
        else:
            config.load_kube_config(
                config_file=":".join(str(path) for path in _files(login)),
                context=context.name,
                client_configuration=settings,
                persist_config=True,
            )
    except Exception as error:  # noqa: BLE001  the library raises whatever its providers raise
        name = type(error).__name__
        raise LoginError(
            f"the auth-provider of the kubeconfig gave no token ({name}); log in again"
        ) from None
    keys = settings.api_key
    return Credential(str(keys.get("BearerToken") or keys.get("authorization") or ""))


def _with_options(endpoint: Endpoint, login: Login) -> Endpoint:
    """Return an endpoint with what the task's options override."""
    if login.host:
        endpoint = replace(endpoint, server=login.host)
    if login.ca_cert:
        endpoint = replace(endpoint, ca=kubeconfig.read(Path(login.ca_cert), "ca_cert"))
    if login.validate_certs is not None:
        endpoint = replace(endpoint, verify=login.validate_certs)
    if login.proxy:
        endpoint = replace(endpoint, proxy=login.proxy)
    if login.impersonate_user or login.impersonate_groups:
        endpoint = replace(
            endpoint,
            impersonation=_impersonation(login.impersonate_user, login.impersonate_groups),
        )
    return replace(endpoint, no_proxy=login.no_proxy, proxy_headers=login.proxy_headers)


def _source_of_options(login: Login) -> Source | None:
    certificate = None
    if login.client_cert:
        key = kubeconfig.read(Path(login.client_key), "client_key") if login.client_key else ""
        certificate = ClientCertificate(
            kubeconfig.read(Path(login.client_cert), "client_cert"), key
        )
    elif login.client_key:
        raise LoginError("client_key is given without client_cert")
    if login.api_key:
        return Source.fixed(Credential(f"Bearer {login.api_key}", certificate), "api_key")
    if login.username and login.password:
        return Source.fixed(
            Credential(_basic(login.username, login.password), certificate), "the password"
        )
    if certificate is not None:
        return Source.fixed(Credential("", certificate), f"the certificate {login.client_cert}")
    return None


def _basic(username: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()


def _impersonation(user: str, groups: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    if groups and not user:
        raise LoginError("impersonate_groups needs impersonate_user")
    named = [("Impersonate-User", user)] if user else []
    return (*named, *(("Impersonate-Group", group) for group in groups))
