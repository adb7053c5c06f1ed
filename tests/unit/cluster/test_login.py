# SPDX-License-Identifier: GPL-3.0-or-later
"""Options, variables and kubeconfigs lead to the right server with the right credential, as with kubernetes.core."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.modelops.inference.plugins.module_utils.cluster.endpoint import (
    ClientCertificate,
    Credential,
    Endpoint,
)
from ansible_collections.modelops.inference.plugins.module_utils.cluster.errors import LoginError
from ansible_collections.modelops.inference.plugins.module_utils.cluster.login import resolve
from ansible_collections.modelops.inference.plugins.module_utils.cluster.options import (
    OPTIONS,
    Login,
)
from tests.unit.cluster.pki import Authority

HOST = "https://api.example:6443"


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def config(user: Mapping[str, Any], cluster: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A kubeconfig with one context."""
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "main",
        "clusters": [{"name": "c", "cluster": {"server": HOST, **(cluster or {})}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "main", "context": {"cluster": "c", "user": "u"}}],
    }


def login(
    auth: Mapping[str, Any], environment: Mapping[str, str] | None = None, pod: Path | None = None
) -> tuple[Endpoint, Credential]:
    """Resolve with nothing from this machine's own environment."""
    options = {**auth, "environment": environment or {}}
    endpoint, source = resolve(Login.of(options), *([pod] if pod else []))
    return endpoint, source.fetch(60.0)


def test_host_with_api_key_needs_no_kubeconfig() -> None:
    endpoint, credential = login({"host": HOST + "/", "api_key": " abc\n"})
    assert endpoint == Endpoint(HOST)
    assert credential == Credential("Bearer abc")


def test_host_with_user_and_password() -> None:
    dummy, credential = login({"host": HOST, "username": "ann", "password": "pw"})
    assert credential == Credential("Basic " + b64("ann:pw"))


def test_client_certificate_from_files(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("CERT")
    (tmp_path / "k").write_text("KEY")
    auth = {"host": HOST, "cert_file": str(tmp_path / "c"), "key_file": str(tmp_path / "k")}
    assert login(auth)[1] == Credential("", ClientCertificate("CERT", "KEY"))


@pytest.mark.parametrize(
    ("option", "aliases"), [(name, aliases) for name, aliases in OPTIONS.items() if aliases]
)
def test_aliases_mean_the_same(option: str, aliases: tuple[str, ...]) -> None:
    value: Any = False if option == "validate_certs" else "/some/path"
    for alias in aliases:
        assert Login.of({alias: value, "environment": {}}) == Login.of(
            {option: value, "environment": {}}
        )


@pytest.mark.parametrize(
    ("variable", "value", "field", "expected"),
    [
        ("K8S_AUTH_HOST", HOST, "host", HOST),
        ("K8S_AUTH_API_KEY", "abc", "api_key", "abc"),
        ("K8S_AUTH_KUBECONFIG", "/k", "kubeconfig", "/k"),
        ("K8S_AUTH_CONTEXT", "c", "context", "c"),
        ("K8S_AUTH_USERNAME", "u", "username", "u"),
        ("K8S_AUTH_PASSWORD", "p", "password", "p"),
        ("K8S_AUTH_VERIFY_SSL", "no", "validate_certs", False),
        ("K8S_AUTH_VALIDATE_CERTS", "true", "validate_certs", True),
        ("K8S_AUTH_SSL_CA_CERT", "/ca", "ca_cert", "/ca"),
        ("K8S_AUTH_CERT_FILE", "/c", "client_cert", "/c"),
        ("K8S_AUTH_KEY_FILE", "/k", "client_key", "/k"),
        ("K8S_AUTH_PROXY", "http://p", "proxy", "http://p"),
        ("K8S_AUTH_NO_PROXY", "x", "no_proxy", "x"),
        ("K8S_AUTH_PERSIST_CONFIG", "yes", "persist_config", True),
        ("K8S_AUTH_IMPERSONATE_USER", "ann", "impersonate_user", "ann"),
        ("K8S_AUTH_IMPERSONATE_GROUPS", "a,b", "impersonate_groups", ("a", "b")),
        (
            "K8S_AUTH_PROXY_HEADERS_USER_AGENT",
            "me",
            "proxy_headers",
            {"user-agent": "me"},
        ),
    ],
)
def test_variables_stand_in_for_options(
    variable: str, value: str, field: str, expected: object
) -> None:
    assert getattr(Login.of({"environment": {variable: value}}), field) == expected


def test_an_option_wins_over_its_variable() -> None:
    auth = {"validate_certs": True, "environment": {"K8S_AUTH_VERIFY_SSL": "false"}}
    assert Login.of(auth).validate_certs is True


def test_the_process_environment_is_not_read_when_one_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("K8S_AUTH_HOST", "https://other")
    assert Login.of({"environment": {}}).host == ""
    assert Login.of({}).host == "https://other"


@pytest.mark.parametrize(
    ("auth", "message"),
    [
        ({"host": 5}, "host must be text, not int"),
        ({"kubeconfig": 5}, "kubeconfig must be a path or the content as a dict, not int"),
        ({"validate_certs": 5}, "validate_certs must be true or false, not int"),
        ({"host": "api.example"}, "host must begin with https:// or http://, not api.example"),
        ({"host": HOST, "client_key": "/k"}, "client_key is given without client_cert"),
        ({"host": HOST, "ca_cert": "/no/ca"}, "ca_cert: /no/ca: no such file or directory"),
        ({"kubeconfig": "/no/file"}, "no kubeconfig at /no/file"),
        ({"host": HOST, "impersonate_groups": ["g"]}, "impersonate_groups needs impersonate_user"),
    ],
)
def test_options_that_cannot_be_used_are_named(auth: dict[str, Any], message: str) -> None:
    with pytest.raises(LoginError) as caught:
        login(auth)
    assert str(caught.value) == message


def test_nothing_given_says_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(
        LoginError, match=r"no cluster is named: set kubeconfig or the variable KUBECONFIG, or host"
    ):
        login({}, {"HOME": str(tmp_path)})


def test_kubeconfig_of_the_home_folder_of_the_task(tmp_path: Path) -> None:
    folder = tmp_path / ".kube"
    folder.mkdir()
    (folder / "config").write_text(yaml.safe_dump(config({"token": "t1"})))
    endpoint, credential = login({}, {"HOME": str(tmp_path)})
    assert (endpoint.server, credential) == (HOST, Credential("Bearer t1"))


def test_host_alone_does_not_send_a_credential_of_some_kubeconfig(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(yaml.safe_dump(config({"token": "t1"})))
    dummy, credential = login({"host": "https://elsewhere"}, {"KUBECONFIG": str(path)})
    assert credential == Credential()


def test_options_override_a_kubeconfig(tmp_path: Path) -> None:
    (tmp_path / "ca").write_text("CA")
    auth = {
        "kubeconfig": config({"token": "t1"}, {"insecure-skip-tls-verify": True}),
        "host": "https://other",
        "api_key": "mine",
        "validate_certs": True,
        "ca_cert": str(tmp_path / "ca"),
        "proxy": "http://proxy",
        "impersonate_user": "ann",
        "impersonate_groups": ["g1", "g2"],
    }
    endpoint, credential = login(auth)
    assert endpoint == Endpoint(
        "https://other",
        ca="CA",
        proxy="http://proxy",
        impersonation=(
            ("Impersonate-User", "ann"),
            ("Impersonate-Group", "g1"),
            ("Impersonate-Group", "g2"),
        ),
    )
    assert credential == Credential("Bearer mine")


def test_the_pod_we_run_in(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("pod-token\n")
    (tmp_path / "ca.crt").write_text("CA")
    inside = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443"}
    endpoint, credential = login({}, inside, tmp_path)
    assert endpoint == Endpoint("https://[fd00::1]:443", ca="CA")
    assert credential == Credential("Bearer pod-token")
    path = tmp_path / "config"
    path.write_text(yaml.safe_dump(config({"token": "t1"})))
    assert login({}, {**inside, "KUBECONFIG": str(path)}, tmp_path)[0].server == HOST


def test_files_are_merged_and_the_first_wins(tmp_path: Path) -> None:
    first, second = tmp_path / "one" / "config", tmp_path / "two" / "config"
    for path, token in ((first, "t1"), (second, "t2")):
        path.parent.mkdir()
        (path.parent / "ca").write_text(f"CA {token}")
        content = config({"token": token}, {"certificate-authority": "ca"})
        if path == second:
            content["contexts"].append({"name": "more", "context": {"cluster": "c2", "user": "u"}})
            content["clusters"].append(
                {"name": "c2", "cluster": {"server": "https://c2", "certificate-authority": "ca"}}
            )
        path.write_text(yaml.safe_dump(content))
    both = os.pathsep.join([str(first), str(tmp_path / "absent"), str(second)])
    endpoint, credential = login({"kubeconfig": both})
    assert (endpoint.ca, credential) == ("CA t1", Credential("Bearer t1"))
    endpoint, dummy = login({"kubeconfig": both, "context": "more"})
    assert (endpoint.server, endpoint.ca) == ("https://c2", "CA t2")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"current-context": ""}, "the given kubeconfig has no current-context"),
        ({"current-context": "x"}, "context x does not exist; it has: main"),
        ({"clusters": []}, "context main: cluster c does not exist; it has: none"),
        ({"users": []}, "context main names the user u, which does not exist"),
        ({"users": [{"user": {}}]}, "each entry of users needs a name"),
        ({"users": {"u": {}}}, "users must be a list"),
        ({"users": [{"name": "u", "user": "x"}]}, "user u must be a mapping"),
        ({"users": [{"name": "u", "user": {"token": 5}}]}, "token of u must be text"),
        (
            {"users": [{"name": "u", "user": {"client-certificate-data": "!"}}]},
            "client-certificate-data of u is not base64",
        ),
        (
            {"users": [{"name": "u", "user": {"client-certificate": "/no/x"}}]},
            "client-certificate of u in the kubeconfig: /no/x: no such file",
        ),
    ],
)
def test_a_broken_kubeconfig_says_what_is_wrong(change: dict[str, Any], message: str) -> None:
    with pytest.raises(LoginError) as caught:
        login({"kubeconfig": {**config({}), **change}})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [("a: [", "is not YAML"), ("", "is empty or not a mapping"), ("- a", "not a mapping")],
)
def test_a_file_that_is_no_kubeconfig(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "config"
    path.write_text(text)
    with pytest.raises(LoginError, match=message):
        login({"kubeconfig": str(path)})


def test_impersonation_of_a_kubeconfig() -> None:
    endpoint, dummy = login({"kubeconfig": config({"as": "ann", "as-groups": ["g"]})})
    assert endpoint.impersonation == (("Impersonate-User", "ann"), ("Impersonate-Group", "g"))


AUTHORITY = Authority()
PAIR = AUTHORITY.issue("ann")

CONFIGS: dict[str, dict[str, Any]] = {
    "token": config({"token": "abc"}),
    "token file": config({"tokenFile": "token"}),
    "password": config({"username": "ann", "password": "pw"}),
    "certificate": config(
        {"client-certificate-data": b64(PAIR.certificate), "client-key-data": b64(PAIR.key)},
        {"certificate-authority-data": b64(AUTHORITY.pem)},
    ),
    "files": config(
        {"client-certificate": "c.pem", "client-key": "k.pem"}, {"certificate-authority": "ca.pem"}
    ),
    "insecure": config({"token": "abc"}, {"insecure-skip-tls-verify": True}),
    "server name": config({"token": "abc"}, {"tls-server-name": "kubernetes"}),
    "proxy": config({"token": "abc"}, {"proxy-url": "http://proxy:3128"}),
    "nothing": config({}),
}


@pytest.mark.parametrize("content", CONFIGS.values(), ids=CONFIGS)
def test_equal_to_what_the_kubernetes_library_reads(
    content: dict[str, Any], tmp_path: Path
) -> None:
    from kubernetes import client
    from kubernetes import config as library

    (tmp_path / "token").write_text("from-file")
    (tmp_path / "ca.pem").write_text(AUTHORITY.pem)
    (tmp_path / "c.pem").write_text(PAIR.certificate)
    (tmp_path / "k.pem").write_text(PAIR.key)
    path = tmp_path / "config"
    path.write_text(yaml.safe_dump(content))
    theirs = client.Configuration()
    library.load_kube_config(str(path), client_configuration=theirs, persist_config=False)
    endpoint, credential = login({"kubeconfig": str(path)})

    def text(name: str | None) -> str:
        return Path(name).read_text() if name else ""

    assert endpoint.server == theirs.host
    assert endpoint.ca == text(theirs.ssl_ca_cert)
    assert endpoint.verify == theirs.verify_ssl
    assert endpoint.server_name == (theirs.tls_server_name or "")
    assert endpoint.proxy == (theirs.proxy or "")
    keys = theirs.api_key  # under another name before version 32
    assert credential.authorization == keys.get("BearerToken", keys.get("authorization", ""))
    shown = credential.certificate or ClientCertificate("")
    assert (shown.certificate, shown.key) == (text(theirs.cert_file), text(theirs.key_file))


def test_auth_provider_is_left_to_the_kubernetes_library() -> None:
    claims = b64(json.dumps({"exp": 4102444800})).rstrip("=")
    token = f"e30.{claims}.c2ln"
    user = {"auth-provider": {"name": "oidc", "config": {"id-token": token}}}
    assert login({"kubeconfig": config(user)})[1] == Credential(f"Bearer {token}")


@pytest.mark.parametrize("provider", [{"name": "gcp", "config": {}}, {"name": "azure"}, "oidc"])
def test_auth_providers_that_no_client_knows_any_more_are_refused(provider: Any) -> None:
    with pytest.raises(LoginError, match="use a credential plugin"):
        login({"kubeconfig": config({"auth-provider": provider})})


def test_nothing_secret_in_reprs() -> None:
    auth = {
        "host": HOST,
        "api_key": "sesame",
        "password": "sesame",
        "proxy": "http://u:sesame@p",
        "proxy_headers": {"proxy_basic_auth": "u:sesame"},
        "environment": {"TOKEN": "sesame"},
    }
    parsed = Login.of(auth)
    endpoint, source = resolve(parsed)
    shown = repr(
        (parsed, endpoint, source, source.fetch(60.0), ClientCertificate("sesame", "sesame"))
    )
    assert "sesame" not in shown
    assert b64("u:sesame") not in shown
