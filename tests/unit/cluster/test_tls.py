# SPDX-License-Identifier: GPL-3.0-or-later
"""TLS: whom we trust, what we show, and errors that say which side is wrong."""

from __future__ import annotations

import base64
import gc
import select
import socket
import ssl
import struct
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import urllib3

from ansible_collections.modelops.inference.plugins.module_utils.cluster import tls
from ansible_collections.modelops.inference.plugins.module_utils.cluster.connection import connect
from ansible_collections.modelops.inference.plugins.module_utils.cluster.endpoint import Endpoint
from ansible_collections.modelops.inference.plugins.module_utils.cluster.errors import (
    LoginError,
    Unreachable,
)
from ansible_collections.modelops.inference.plugins.module_utils.cluster.proxies import bypassed
from module_utils.kube.manifest import Json
from module_utils.kube.reference import Reference
from tests.lab import line
from tests.lab.kubeconfig import Access
from tests.unit.cluster import faulty
from tests.unit.cluster.faulty import FakeTime, answer, serving
from tests.unit.cluster.pki import Authority, Pair

AUTHORITY = Authority()
SERVER = AUTHORITY.issue("server", host="127.0.0.1")
POD = Reference("v1", "Pod", "team-a", "one")
FOUND = answer({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}})


def settings(folder: Path, pair: Pair = SERVER, clients: str = "") -> ssl.SSLContext:
    """What a server needs; clients: the authority whose certificates it demands."""
    path = folder / "server.pem"
    path.write_text(pair.certificate + pair.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    if clients:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=clients)
    return context


def kubeconfig(server: str, ca: str = AUTHORITY.pem, user: Any = None, **cluster: Any) -> Any:
    data = base64.b64encode(ca.encode()).decode()
    return {
        "current-context": "m",
        "clusters": [
            {
                "name": "c",
                "cluster": {"server": server, "certificate-authority-data": data, **cluster},
            }
        ],
        "users": [{"name": "u", "user": user or {}}],
        "contexts": [{"name": "m", "context": {"cluster": "c", "user": "u"}}],
    }


@dataclass(frozen=True)
class Server:
    """As much of a server as a line needs."""

    access: Access


@contextmanager
def failing(script: faulty.Script, **options: Any) -> Iterator[pytest.ExceptionInfo[Unreachable]]:
    auth = {"kubeconfig": kubeconfig(script.url, **options), "environment": {}}
    with (
        connect(auth, timing=FakeTime().timing()) as cluster,
        pytest.raises(Unreachable) as caught,
    ):
        cluster.get(POD)
    yield caught
    assert cluster.stats.requests == 1, "a certificate does not become right by asking again"


def named(live: Json | None) -> str:
    """Return the name of the object that was there."""
    assert live is not None
    return str(live["metadata"]["name"])


def asked(script: faulty.Script, **options: Any) -> str:
    auth = {"kubeconfig": kubeconfig(script.url, **options), "environment": {}}
    with connect(auth, timing=FakeTime().timing()) as cluster:
        return named(cluster.get(POD))


def test_the_authority_of_the_kubeconfig_is_trusted(tmp_path: Path) -> None:
    with serving(always=FOUND, tls=settings(tmp_path)) as script:
        assert asked(script) == "one"


def test_another_authority_is_not(tmp_path: Path) -> None:
    with (
        serving(always=FOUND, tls=settings(tmp_path)) as script,
        failing(script, ca=Authority().pem) as caught,
    ):
        assert "not signed by the certificate authority that was given" in str(caught.value)
        assert "give the cluster's CA as ca_cert" in str(caught.value)


def test_a_certificate_for_another_name(tmp_path: Path) -> None:
    other = AUTHORITY.issue("server", host="127.0.0.2")
    with (
        serving(always=FOUND, tls=settings(tmp_path, other)) as script,
        failing(script) as caught,
    ):
        assert "its certificate is for another name" in str(caught.value)


def test_tls_server_name_is_what_the_certificate_must_have(tmp_path: Path) -> None:
    other = AUTHORITY.issue("server", host="127.0.0.2")
    with serving(always=FOUND, tls=settings(tmp_path, other)) as script:
        assert asked(script, **{"tls-server-name": "127.0.0.2"}) == "one"


def test_an_expired_server_certificate(tmp_path: Path) -> None:
    ended = AUTHORITY.issue("server", timedelta(hours=-1), host="127.0.0.1")
    with (
        serving(always=FOUND, tls=settings(tmp_path, ended)) as script,
        failing(script) as caught,
    ):
        assert "its certificate has expired; renew the server's certificate" in str(caught.value)


def test_an_old_authority_is_explained_where_python_refuses_it(tmp_path: Path) -> None:
    old = Authority(old=True)
    pair = old.issue("server", host="127.0.0.1")
    with serving(always=FOUND, tls=settings(tmp_path, pair)) as script:
        if sys.version_info < (3, 13):
            assert asked(script, ca=old.pem) == "one"
            return
        with failing(script, ca=old.pem) as caught:
            assert "its certificate authority is refused" in str(caught.value)
            assert "since 3.13 Python requires keyUsage" in str(caught.value)


@pytest.mark.parametrize(
    "trouble", [line.end_in_handshake, line.reset_in_handshake, line.alert_in_handshake]
)
def test_a_handshake_that_breaks_off_is_tried_again(
    tmp_path: Path, trouble: line.Treatment
) -> None:
    """A server that restarts does so."""
    with serving(always=FOUND, tls=settings(tmp_path)) as script:
        server = Server(Access(script.url, "", token="t"))
        with line.Line(server, {1: trouble, 2: trouble}) as wire:
            auth = {"kubeconfig": kubeconfig(wire.access.server), "environment": {}}
            with connect(auth, timing=FakeTime().timing()) as cluster:
                assert named(cluster.get(POD)) == "one"
                assert cluster.stats.retries == 2


def test_a_reset_before_the_handshake_leaves_no_socket_open() -> None:
    """As a server that is killed leaves connections which it has not accepted yet."""
    settings = tls.context(Endpoint("https://here", ca=AUTHORITY.pem), None)
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        warnings.catch_warnings(record=True) as told,
    ):
        warnings.simplefilter("always")
        caller = socket.create_connection(server.getsockname())
        accepted, dummy = server.accept()
        accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        accepted.close()
        assert select.select([caller], [], [], 10)[0], "the reset did not arrive"
        with pytest.raises(ConnectionResetError):
            settings.wrap_socket(caller, server_hostname="127.0.0.1")
        gc.collect()
    assert [str(each.message) for each in told] == []


def test_plain_http_where_tls_is_expected() -> None:
    with serving(always=FOUND) as script:
        script.url = script.url.replace("http://", "https://")
        with failing(script) as caught:
            assert "does not speak TLS" in str(caught.value)


def test_an_unverified_connection_is_a_warning_of_ours(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    with serving(always=FOUND, tls=settings(tmp_path)) as script:
        auth = {"host": script.url, "validate_certs": False, "environment": {}}
        with connect(auth) as cluster:
            assert named(cluster.get(POD)) == "one"
            assert cluster.warnings == (
                f"{script.url}: the server's certificate is not verified (validate_certs: false)",
            )
    assert list(recwarn) == []


def test_client_certificate_given_as_data_touches_no_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = AUTHORITY.issue("ann")
    user = {
        "client-certificate-data": base64.b64encode(pair.certificate.encode()).decode(),
        "client-key-data": base64.b64encode(pair.key.encode()).decode(),
    }
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with serving(always=FOUND, tls=settings(tmp_path, clients=AUTHORITY.pem)) as script:
        assert asked(script, user=user) == "one"
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (AUTHORITY.issue("ben").key, "the key does not belong to the certificate"),
        ("nonsense", "both must be PEM"),
        (
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
            "the key without a passphrase",
        ),
    ],
)
def test_a_key_that_cannot_be_used(key: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "c").write_text(AUTHORITY.issue("ann").certificate)
    (tmp_path / "k").write_text(key)
    auth = {
        "host": "https://127.0.0.1:1",
        "client_cert": str(tmp_path / "c"),
        "client_key": str(tmp_path / "k"),
        "environment": {},
    }
    with connect(auth) as cluster, pytest.raises(LoginError, match=message):
        cluster.get(POD)


def test_an_authority_that_is_no_certificate(tmp_path: Path) -> None:
    (tmp_path / "ca").write_text("nonsense")
    auth = {"host": "https://127.0.0.1:1", "ca_cert": str(tmp_path / "ca"), "environment": {}}
    with connect(auth) as cluster, pytest.raises(LoginError, match="authority is not PEM"):
        cluster.get(POD)


def test_a_proxy_is_used_and_its_password_hidden(tmp_path: Path) -> None:
    with (
        serving(always=FOUND, tls=settings(tmp_path)) as script,
        serving() as proxy,
    ):
        url = proxy.url.replace("http://", "http://ann:sesame@")
        auth = {"kubeconfig": kubeconfig(script.url), "proxy": url, "environment": {}}
        with connect(auth) as cluster:
            assert named(cluster.get(POD)) == "one"
        assert proxy.seen[0].method == "CONNECT"
        login = base64.b64encode(b"ann:sesame").decode()
        assert proxy.seen[0].headers["Proxy-Authorization"] == f"Basic {login}"
        with connect({**auth, "no_proxy": "127.0.0.0/8"}) as cluster:
            cluster.get(POD)
        assert len(proxy.seen) == 1


def test_a_proxy_that_is_not_there_is_named_as_the_cause() -> None:
    auth = {"host": "https://api.example", "proxy": "http://a:sesame@127.0.0.1:1"}
    with (
        connect({**auth, "environment": {}}, timing=FakeTime().timing()) as cluster,
        pytest.raises(Unreachable, match="the proxy failed: connection refused; check proxy") as e,
    ):
        cluster.get(POD)
    assert "sesame" not in str(e.value)


@pytest.mark.parametrize(
    ("host", "rule", "direct"),
    [
        ("api.example.com", "example.com", True),
        ("api.example.com", ".example.com", True),
        ("example.com", "example.com", True),
        ("badexample.com", "example.com", False),
        ("10.1.2.3", "10.0.0.0/8", True),
        ("11.1.2.3", "10.0.0.0/8", False),
        ("api", "10.0.0.0/8, API", True),
        ("anything", "*", True),
        ("anything", "", False),
        ("anything", " , ", False),
        ("fd00::1", "fd00::/8", True),
    ],
)
def test_hosts_that_are_reached_without_the_proxy(host: str, rule: str, direct: bool) -> None:
    assert bypassed(host, rule) is direct


def test_protocols_are_not_set_anew_for_each_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # OpenSSL frees the old list then, while the handshake of another thread may be copying it.
    with serving(always=FOUND, tls=settings(tmp_path)) as script:
        context = tls.context(Endpoint(script.url, ca=AUTHORITY.pem), None)
        calls: list[Any] = []
        monkeypatch.setattr(
            ssl.SSLContext, "set_alpn_protocols", lambda *words: calls.append(words)
        )
        with urllib3.PoolManager(ssl_context=context) as pool:
            assert pool.request("GET", f"{script.url}/version").status == 200
    assert calls == []
