# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets never leave: words planted wherever a secret can stand are found in nothing that a run prints, returns or leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp import web

from module_utils.kube.manifest import Json
from tests.lab.client import Client, wait_until
from tests.lab.cluster import Cluster
from tests.lab.proxy import Proxy
from tests.lab.proxy_record import Record

from .support.canaries import Canaries
from .support.denied import denied
from .support.jobs import Job
from .support.services import small

RECONCILE = "modelops.inference.llmisvc_reconcile"
INFO = "modelops.inference.llmisvc_info"
#: Where a task runs: the host's variables.
WAYS: dict[str, Json] = {
    "in-process": {"ansible_connection": "local"},
    "module": {"ansible_connection": "elsewhere"},
}

#: What an admission policy says about the object that it refuses: the variables of every container, in several forms.
QUOTING = (
    "'not on my cluster: ' + object.spec.template.spec.containers.map(c, has(c.env) ? c.env.map(e, has(e.value) ? "
    '\'{"name":"\' + e.name + \'","value":"\' + e.value + \'"} \' + e.value : e.name).join(" ") : "").join(" ")'
)


class Echo:
    """Refuses every apply of a Deployment with the whole of what was sent: a webhook that talks too much."""

    async def before(self, request: Record) -> web.StreamResponse | None:
        if request.method != "PATCH" or request.resource.plural != "deployments":
            return None
        text = f"admission webhook denied the request: {request.body.decode()}"
        status = {"kind": "Status", "apiVersion": "v1", "code": 400, "message": text}
        return web.json_response({**status, "reason": "BadRequest"}, status=400)

    async def after(self, request: Record, status: int) -> web.StreamResponse | None:  # noqa: ARG002
        return None


def with_secrets(canaries: Canaries, name: str, namespace: str, where: str) -> Json:
    """Return a service that holds secrets where a user writes them."""

    def plant(place: str, pattern: str = "{}") -> str:
        return canaries.plant(f"{where}: {place}", pattern)

    env = [
        {"name": "HF_TOKEN", "value": plant("variable", 'a"{}/+=\n')},
        {"name": "SIGNING_KEY", "value": plant("key", "{}")},
        {"name": "HTTPS_PROXY", "value": plant("user in URL", "http://ann:{}@proxy:3128")},
        {"name": "OPTIONS", "value": plant("flag in text", "--verbose --api-key={} --x")},
        {"name": "HUB", "value": plant("known form", "hf_{}")},
        {"name": "EXTRA", "value": plant("JSON in text", '{{"db": {{"password": "{}"}}}}')},
    ]
    args = [
        plant("flag", "--api-key={}"),
        "--hf-token",
        plant("argument after a flag"),
        plant("flag and value in one item", "--db-password {}"),
        plant("assignment", "HUB_TOKEN={}"),
    ]
    service = small(name, namespace, engine={"image": "registry.example.com/e:1"})
    service["spec"]["engine"] |= {"env": env, "args": args}
    service["metadata"]["annotations"] = {
        "example.com/api-token": plant("annotation"),
        "example.com/copy": plant(
            "copy in an annotation", '{{"env":[{{"name":"A_TOKEN","value":"{}"}}]}}'
        ),
        "kubectl.kubernetes.io/last-applied-configuration": plant("last applied", '{{"a":"{}"}}'),
    }
    return service


def mistaken(canaries: Canaries, namespace: str) -> list[Json]:
    """Return services that are wrong in the very place of a secret."""

    def wrong(name: str, **engine: Any) -> Json:
        return small(name, namespace, engine={"image": "registry.example.com/e:1", **engine})

    def plant(place: str, pattern: str = "{}") -> str:
        return canaries.plant(f"mistake: {place}", pattern)

    named = {"name": "HF_TOKEN"}
    services = [
        wrong("map", env={"HF_TOKEN": plant("variables as a map")}),
        wrong("text", env=plant("variables as a text", "HF_TOKEN={}")),
        wrong("texts", env=[plant("variables as texts", "HF_TOKEN={}")]),
        wrong("deep", env=[{**named, "value": {"a": plant("value as a map")}}]),
        wrong("list", env=[{**named, "value": [plant("value as a list")]}]),
        wrong("from", env=[{**named, "valueFrom": plant("source as a text")}]),
        wrong("name", env=[{"name": plant("value in the name", "HF_TOKEN={}"), "value": "x"}]),
        wrong("args", args=plant("arguments as a text", "--port 1 --api-key {}")),
        wrong("argsmap", args={"--api-key": plant("arguments as a map")}),
        wrong("argslist", args=[["--api-key", plant("arguments nested")]]),
        wrong("twice", env=[{**named, "value": plant("first of two")}] * 2),
        wrong("pull", pullPolicy=plant("URL", "https://ann:{}@registry")),
        small("engine", namespace, engine=plant("engine as a text", "HF_TOKEN={}")),
    ]
    labelled = wrong("label")
    labelled["metadata"]["labels"] = {"hf-token": plant("label too long", "{}" + "x" * 64)}
    return [*services, labelled]


def connections(canaries: Canaries, lab: Cluster, folder: Path) -> dict[str, tuple[Json, Json]]:
    """Return logins that fail, by name: options of the task, and its environment."""
    server = lab.access.server
    authority = folder / "ca.crt"
    authority.write_text(lab.access.authority, encoding="utf-8")

    def plant(place: str, pattern: str = "{}") -> str:
        return canaries.plant(f"login: {place}", pattern)

    def config(**user: Any) -> Json:
        cluster = {"server": server, "insecure-skip-tls-verify": True}
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": user}],
        }

    def plugin(name: str, script: str) -> Json:
        program = folder / name
        program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        program.chmod(0o755)
        env = [{"name": "CLIENT_SECRET", "value": plant(f"environment of {name}")}]
        version = "client.authentication.k8s.io/v1"
        return config(exec={"command": str(program), "apiVersion": version, "env": env})

    def printed(word: str) -> str:
        credential = {
            "apiVersion": "client.authentication.k8s.io/v1",
            "kind": "ExecCredential",
            "status": {"token": word},
        }
        return f"cat <<'END'\n{json.dumps(credential)}\nEND"

    there = {"host": server, "ca_cert": str(authority)}
    return {
        "token": ({**there, "api_key": plant("token")}, {}),
        "password": ({**there, "username": "ann", "password": plant("password")}, {}),
        "kubeconfig": ({"kubeconfig": config(token=plant("token in a kubeconfig"))}, {}),
        "basic": (
            {"kubeconfig": config(username="ann", password=plant("password in a kubeconfig"))},
            {},
        ),
        "key": (
            {
                "kubeconfig": config(
                    **{
                        "client-certificate-data": "bm9uZQ==",
                        "client-key-data": plant("key in a kubeconfig"),
                    }
                )
            },
            {},
        ),
        "content": (
            {"kubeconfig": yaml.safe_dump(config(token=plant("kubeconfig as a text")))},
            {},
        ),
        "certificate": (
            {
                **there,
                "client_cert": str(authority),
                "client_key": plant(
                    "key as a text", "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----"
                ),
            },
            {},
        ),
        "provider": (
            {
                "kubeconfig": config(
                    **{
                        "auth-provider": {
                            "name": "oidc",
                            "config": {
                                "id-token": plant("token of a provider", "{}.x.y"),
                                "client-secret": plant("secret of a provider"),
                                "idp-issuer-url": "https://127.0.0.1:1",
                                "refresh-token": plant("refresh token"),
                            },
                        }
                    }
                )
            },
            {},
        ),
        "plugin-token": (
            {"kubeconfig": plugin("plugin-token", printed(plant("token of a plugin")))},
            {},
        ),
        "plugin-fails": (
            {
                "kubeconfig": plugin(
                    "plugin-fails", f"echo 'wrong: {plant('output')[:18]}' >&2; exit 1"
                )
            },
            {},
        ),
        "plugin-talks": (
            {"kubeconfig": plugin("plugin-talks", f"echo {plant('output without form')}")},
            {},
        ),
        "proxy": (
            {
                **there,
                "api_key": "some-token",
                "proxy": plant("proxy", "http://ann:{}@127.0.0.1:1"),
            },
            {},
        ),
        "proxy-scheme": (
            {
                **there,
                "api_key": "some-token",
                "proxy": plant("wrong proxy", "ftp://ann:{}@127.0.0.1:1"),
            },
            {},
        ),
        "host": (
            {"host": plant("host", "https://ann:{}@127.0.0.1:1"), "api_key": "some-token"},
            {},
        ),
        "host-scheme": ({"host": plant("wrong host", "ann:{}@127.0.0.1:1")}, {}),
        "headers": (
            {
                **there,
                "api_key": "some-token",
                "proxy": "http://127.0.0.1:1",
                "proxy_headers": {"proxy_basic_auth": plant("proxy headers", "ann:{}")},
            },
            {},
        ),
        "wrong-type": (
            {**there, "api_key": plant("beside a wrong type"), "concurrency": "many"},
            {},
        ),
        "variable-token": (there, {"K8S_AUTH_API_KEY": plant("token in a variable")}),
        "variable-password": (
            there,
            {"K8S_AUTH_USERNAME": "ann", "K8S_AUTH_PASSWORD": plant("password in a variable")},
        ),
        "variable-proxy": (
            {**there, "api_key": "some-token"},
            {"K8S_AUTH_PROXY": plant("proxy in a variable", "http://ann:{}@127.0.0.1:1")},
        ),
        "variable-content": (
            {},
            {
                "K8S_AUTH_KUBECONFIG": yaml.safe_dump(
                    config(token=plant("kubeconfig as a text in a variable"))
                )
            },
        ),
        "variable-key": (
            {**there, "client_cert": str(authority)},
            {"K8S_AUTH_CLIENT_KEY": plant("key as a text in a variable", "KEY\n{}")},
        ),
    }


class Play:
    """The tasks of one run and the variables that they read; values stand in the variables, as they should."""

    def __init__(self, **extra: Any) -> None:
        self.tasks: list[Json] = []
        self.variables: Json = {}
        self._extra = extra

    def add(
        self,
        arguments: Json,
        *,
        module: str = RECONCILE,
        environment: Json | None = None,
        **more: Any,
    ) -> None:
        """Add a task; what it found is printed and kept as a fact."""
        name = f"value_{len(self.variables)}"
        self.variables[name] = {"options": arguments, "environment": environment or {}}
        options = {key: f"{{{{ {name}.options.{key} }}}}" for key in arguments}
        task = {module: options, "register": "found", "ignore_errors": True}
        self.tasks += [
            {**task, "environment": f"{{{{ {name}.environment }}}}", **self._extra, **more},
            {"ansible.builtin.set_fact": {f"kept_{name}": "{{ found }}", "cacheable": True}},
        ]


def leaks(job: Job, canaries: Canaries, printed: str) -> list[str]:
    """Return where the run left a word."""
    found = list(canaries.found("what was printed", printed.encode()))
    found += canaries.found_below(job.folder, job.inputs)
    for line in job.arguments:
        found += canaries.found("the arguments of a process", line)
    return found


@pytest.mark.parametrize("way", WAYS)
def test_no_secret_of_an_object_leaves_a_run(
    lab: Cluster, proxy: Proxy, client: Client, namespace: str, tmp_path: Path, way: str
) -> None:
    canaries, job = Canaries(), Job(tmp_path)
    play = Play()
    first = with_secrets(canaries, "chat", namespace, "first")
    changed = with_secrets(canaries, "chat", namespace, "changed")
    refused = with_secrets(canaries, "refused", namespace, "refused")
    echoed = with_secrets(canaries, "echoed", namespace, "echoed")
    dest = str(tmp_path / "rendered")
    near = canaries.plant("Secret in the cluster")
    for name in ("near", "taken-epp-sa-metrics-reader-secret"):
        meta = {"name": name, "namespace": namespace}
        client.create(
            {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "stringData": {"token": near}}
        )
    broken = job.write(
        "broken.yaml", f"a: [\n  HF_TOKEN: {canaries.plant('broken YAML')}\n b: }}\n"
    )
    through = {"kubeconfig": str(proxy.kubeconfig)}
    here = {"kubeconfig": str(lab.kubeconfig)}
    file = job.write("first.yaml", yaml.safe_dump(first))
    play.add({**here, "src": [str(file)]}, check_mode=True)
    play.add({**here, "src": [str(file)]})
    play.add({**here, "services": [changed]}, check_mode=True)
    play.add({**here, "services": [changed], "verbose_result": True})
    play.add({**here, "services": [changed], "state": "gathered"})
    play.add({**here, "services": [first]}, module=INFO)
    play.add({"services": [first], "state": "rendered"})
    play.add({"services": [first], "state": "rendered", "dest": dest})
    play.add({"services": [changed], "state": "rendered", "dest": dest})
    play.add({"src": [str(broken)], "state": "rendered"})
    play.add({**here, "services": mistaken(canaries, namespace)})
    play.add({**here, "services": [small("taken", namespace)]})
    play.add({**here, "services": [refused]})
    play.add({**through, "services": [echoed]})
    play.add({**here, "services": [changed], "wait": True, "wait_timeout": 2})
    play.add({**here, "services": [changed], "state": "absent"}, check_mode=True)
    play.add({**here, "services": [changed], "state": "absent"})
    proxy.hooks.append(Echo())
    with denied(client, namespace, "refused-decode", says=QUOTING):
        printed = job.run(play.tasks, play.variables, WAYS[way])
    assert "not on my cluster" in printed
    assert "webhook denied" in printed
    assert "Traceback" not in printed
    found = leaks(job, canaries, printed)
    assert not found, "\n".join(found)


def test_no_secret_leaves_a_run_in_the_background(tmp_path: Path) -> None:
    canaries, job = Canaries(), Job(tmp_path)
    play = Play(**{"async": 600, "poll": 1})
    play.add({"services": [with_secrets(canaries, "chat", "team-a", "fine")], "state": "rendered"})
    play.add({"services": mistaken(canaries, "team-a"), "state": "rendered"})
    printed = job.run(play.tasks, play.variables, WAYS["in-process"])
    assert "ansible_job_id" in printed
    # What ran in the background takes its folder away a moment after it has told its result.
    wait_until(lambda: (not [*tmp_path.rglob("ansible-tmp-*")], ""), "Ansible to clean up")
    found = leaks(job, canaries, printed)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("way", WAYS)
def test_no_secret_of_a_login_leaves_a_run(lab: Cluster, tmp_path: Path, way: str) -> None:
    canaries, job = Canaries(), Job(tmp_path)
    play = Play()
    inputs = tmp_path / "project"
    inputs.mkdir()
    for login, environment in connections(canaries, lab, inputs).values():
        options = {**login, "services": [small("chat", "default")], "request_timeout": 1}
        play.add({**options, "deadline": 1}, environment=environment)
    printed = job.run(play.tasks, play.variables, WAYS[way])
    assert "Traceback" not in printed
    found = leaks(job, canaries, printed)
    assert not found, "\n".join(found)
