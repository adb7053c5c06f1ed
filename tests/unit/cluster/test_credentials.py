# SPDX-License-Identifier: GPL-3.0-or-later
"""Credential plugins run once, are run again once when they must be, and leak nothing."""

from __future__ import annotations

import base64
import json
import stat
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.cluster.connection import (
    Cluster,
    connect,
)
from ansible_collections.modelops.inference.plugins.module_utils.cluster.credentials import (
    Credentials,
    Source,
)
from ansible_collections.modelops.inference.plugins.module_utils.cluster.endpoint import (
    ClientCertificate,
    Credential,
)
from ansible_collections.modelops.inference.plugins.module_utils.cluster.errors import (
    LoginError,
    Unauthorized,
)
from ansible_collections.modelops.inference.plugins.module_utils.cluster.exec_plugin import (
    ExecPlugin,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference
from tests.unit.cluster import faulty
from tests.unit.cluster.faulty import FakeTime, answer, serving, status
from tests.unit.cluster.pki import Authority

MAP = Reference("v1", "ConfigMap", "a", "x")
FOUND = answer({"kind": "ConfigMap", "metadata": {"name": "x"}})
REFUSED = status(401, "Unauthorized", "Unauthorized")
VERSION = "client.authentication.k8s.io/v1"


def program(folder: Path, body: str) -> str:
    """A plugin written in Python."""
    path = folder / "plugin"
    path.write_text(f"#!{sys.executable}\nimport json, os, sys, time\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


COUNTING = """
path = os.environ["COUNT"]
number = int(open(path).read() or 0) + 1 if os.path.exists(path) else 1
open(path, "w").write(str(number))
print(json.dumps({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                  "status": {"token": f"token-number-{number}"}}))
"""


def plugin(folder: Path, body: str, **spec: Any) -> ExecPlugin:
    return ExecPlugin.of(
        {"command": program(folder, body), "apiVersion": VERSION, **spec},
        environment={"PATH": "/usr/bin:/bin", "COUNT": str(folder / "count")},
        folder=folder,
        cluster={"server": "https://x", "certificate-authority-data": "Q0E="},
    )


def to(script: faulty.Script, folder: Path, body: str = COUNTING, **options: Any) -> Cluster:
    user = {"exec": {"command": program(folder, body), "apiVersion": VERSION}}
    content = {
        "current-context": "m",
        "clusters": [{"name": "c", "cluster": {"server": script.url}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "m", "context": {"cluster": "c", "user": "u"}}],
    }
    environment = {"PATH": "/usr/bin:/bin", "COUNT": str(folder / "count")}
    auth = {"kubeconfig": content, "environment": environment}
    return connect(auth, timing=FakeTime().timing(), **options)


def runs(folder: Path) -> int:
    return int((folder / "count").read_text())


def test_plugin_runs_once_for_all_threads(tmp_path: Path) -> None:
    with serving(always=FOUND) as script, to(script, tmp_path) as cluster:
        cluster.parallel([lambda: cluster.get(MAP)] * 20)
        assert {seen.headers["Authorization"] for seen in script.seen} == {"Bearer token-number-1"}
    assert runs(tmp_path) == 1


def test_plugin_runs_again_once_after_a_refusal(tmp_path: Path) -> None:
    with serving(FOUND, REFUSED, always=FOUND) as script, to(script, tmp_path) as cluster:
        cluster.get(MAP)
        assert cluster.get(MAP) is not None
        tokens = [seen.headers["Authorization"] for seen in script.seen]
        assert tokens[-2:] == ["Bearer token-number-1", "Bearer token-number-2"]
    assert runs(tmp_path) == 2


def test_a_refused_fresh_credential_is_final(tmp_path: Path) -> None:
    with serving(always=REFUSED) as script, to(script, tmp_path) as cluster:
        for dummy in range(3):
            with pytest.raises(Unauthorized, match="was fetched again once"):
                cluster.get(MAP)
        assert runs(tmp_path) == 2


def test_many_refusals_at_once_fetch_once() -> None:
    fetched = []

    def fetch(dummy: float) -> Credential:
        fetched.append(1)
        return Credential(f"Bearer {len(fetched)}")

    credentials = Credentials(Source(fetch, renewable=True))
    generation, dummy = credentials.current(60.0)
    assert [credentials.renew(generation, 60.0) for dummy in range(8)] == [True] * 8
    assert len(fetched) == 2


def test_a_long_run_renews_each_time_a_credential_ends() -> None:
    numbers = iter(range(100))
    credentials = Credentials(
        Source(lambda dummy: Credential(f"Bearer {next(numbers)}"), renewable=True)
    )
    for dummy in range(5):
        generation = credentials.current(60.0)[0]
        credentials.accepted(generation)
        assert credentials.renew(generation, 60.0)


def test_a_fixed_token_is_not_asked_for_again() -> None:
    with serving(always=REFUSED) as script:
        auth = {"host": script.url, "api_key": "abcdefgh", "environment": {}}
        with connect(auth) as cluster, pytest.raises(Unauthorized) as caught:
            cluster.get(MAP)
        assert len(script.seen) == 1
    assert "api_key is not accepted" in str(caught.value)


def test_an_expired_token_says_when_it_expired() -> None:
    ended = datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)
    claims = base64.urlsafe_b64encode(json.dumps({"exp": ended.timestamp()}).encode()).decode()
    token = f"e30.{claims.rstrip('=')}.c2ln"
    with serving(always=REFUSED) as script:
        auth = {"host": script.url, "api_key": token, "environment": {}}
        with (
            connect(auth) as cluster,
            pytest.raises(Unauthorized, match="api_key expired on 2020-01-02 03:04:05 UTC"),
        ):
            cluster.get(MAP)


def test_an_expired_client_certificate_says_when_it_expired() -> None:
    pair = Authority().issue("ann", timedelta(days=-1))
    shown = Credential("", ClientCertificate(pair.certificate, pair.key))
    credentials = Credentials(Source.fixed(shown, "the client certificate of user ann"))
    credentials.current(60.0)
    assert credentials.explain().startswith("the client certificate of user ann expired on 20")


def test_no_credential_says_so() -> None:
    with serving(always=REFUSED) as script:
        auth = {"host": script.url, "environment": {}}
        with connect(auth) as cluster, pytest.raises(Unauthorized, match="no credential was given"):
            cluster.get(MAP)


def test_a_server_that_sends_the_token_back_does_not_get_it_into_the_error() -> None:
    echo = status(400, "BadRequest", "bad header: Bearer sesame-open")
    with serving(always=echo) as script:
        auth = {"host": script.url, "api_key": "sesame-open", "environment": {}}
        with connect(auth) as cluster, pytest.raises(Exception, match="<masked ") as caught:
            cluster.get(MAP)
    assert "sesame" not in repr(caught.value)


def test_a_token_that_is_no_header_is_refused_without_showing_it() -> None:
    auth = {"host": "https://x", "api_key": "ses\name", "environment": {}}
    with connect(auth) as cluster, pytest.raises(LoginError) as caught:
        cluster.get(MAP)
    assert "ame" not in str(caught.value).replace("name", "")


def test_no_token_over_plain_http_but_to_this_machine() -> None:
    auth = {"host": "http://api.example", "api_key": "abc", "environment": {}}
    with connect(auth) as cluster, pytest.raises(LoginError, match="unencrypted; use https://"):
        cluster.get(MAP)


def test_a_rotated_token_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("old-token")
    content = {
        "current-context": "m",
        "users": [{"name": "u", "user": {"tokenFile": str(path)}}],
        "contexts": [{"name": "m", "context": {"cluster": "c", "user": "u"}}],
    }
    with serving(FOUND, REFUSED, always=FOUND) as script:
        clusters = [{"name": "c", "cluster": {"server": script.url}}]
        auth = {"kubeconfig": {**content, "clusters": clusters}, "environment": {}}
        with connect(auth) as cluster:
            cluster.get(MAP)
            path.write_text("new-token")
            assert cluster.get(MAP)
        assert script.seen[-1].headers["Authorization"] == "Bearer new-token"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("sys.exit(3)", "failed with exit code 3"),
        ("print('log in first', file=sys.stderr); sys.exit(1)", "exit code 1; its output"),
        ("print('nonsense')", "printed no ExecCredential"),
        ("print('[]')", "printed no ExecCredential"),
        (
            "print(json.dumps({'apiVersion': 'other/v1', 'status': {'token': 't'}}))",
            "answers for apiVersion other/v1",
        ),
        (
            f"print(json.dumps({{'apiVersion': '{VERSION}', 'status': {{}}}}))",
            "gave neither token nor certificate",
        ),
    ],
)
def test_a_plugin_that_fails_says_how(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(LoginError) as caught:
        plugin(tmp_path, body).fetch(60.0)
    assert message in str(caught.value)


def test_output_of_a_plugin_is_not_in_the_error(tmp_path: Path) -> None:
    secret = "hunter2"
    body = f"print('{secret}'); print('got {secret}', file=sys.stderr); sys.exit(1)"
    with pytest.raises(LoginError) as caught:
        plugin(tmp_path, body).fetch(60.0)
    assert secret not in str(caught.value)
    assert "exit code 1" in str(caught.value)


def test_a_plugin_that_waits_is_ended(tmp_path: Path) -> None:
    waiting = plugin(tmp_path, "time.sleep(60)")
    started = time.monotonic()
    with pytest.raises(LoginError, match="gave nothing within"):
        waiting.fetch(0.3)
    assert time.monotonic() - started < 20


def test_the_deadline_of_the_task_ends_a_plugin_that_waits(tmp_path: Path) -> None:
    started = time.monotonic()
    with serving() as script, to(script, tmp_path, "time.sleep(60)", deadline=0.5) as cluster:
        with pytest.raises(LoginError, match="gave nothing within"):
            cluster.get(MAP)
        assert script.seen == []
    assert time.monotonic() - started < 20


def test_a_plugin_that_is_not_there_gives_its_hint(tmp_path: Path) -> None:
    spec = {"command": "no-such-plugin", "apiVersion": VERSION, "installHint": "get it at x"}
    missing = ExecPlugin.of(spec, environment={"PATH": "/bin"}, folder=tmp_path, cluster={})
    with pytest.raises(LoginError, match=r"no-such-plugin: no such file or directory; get it at x"):
        missing.fetch(60.0)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({}, "exec names no command"),
        ({"command": "x", "apiVersion": "client.authentication.k8s.io/v1alpha1"}, "supported are"),
        (
            {"command": "x", "apiVersion": VERSION, "interactiveMode": "Always"},
            "needs a terminal",
        ),
    ],
)
def test_plugins_that_cannot_work_here_are_refused(
    spec: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(LoginError, match=message):
        ExecPlugin.of(spec, environment={}, folder=tmp_path, cluster={})


def test_a_plugin_gets_its_environment_and_what_it_asks_for(tmp_path: Path) -> None:
    body = f"""
info = json.loads(os.environ["KUBERNETES_EXEC_INFO"])
told = [os.environ["MORE"], sys.argv[1], info["spec"]["cluster"]["server"], info["spec"]["interactive"]]
print(json.dumps({{"apiVersion": "{VERSION}", "status": {{"token": json.dumps(told)}}}}))
"""
    asking = plugin(
        tmp_path,
        body,
        args=["one"],
        env=[{"name": "MORE", "value": "more"}],
        provideClusterInfo=True,
    )
    told = json.loads(asking.fetch(60.0).authorization.removeprefix("Bearer "))
    assert told == ["more", "one", "https://x", False]


def test_a_plugin_may_give_a_certificate(tmp_path: Path) -> None:
    body = f"""
shown = {{"clientCertificateData": "CERT", "clientKeyData": "KEY"}}
print(json.dumps({{"apiVersion": "{VERSION}", "status": shown}}))
"""
    assert plugin(tmp_path, body).fetch(60.0) == Credential("", ClientCertificate("CERT", "KEY"))
