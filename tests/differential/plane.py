# SPDX-License-Identifier: GPL-3.0-or-later
"""A control plane with KServe's own controller: etcd, API server, the recorder and the controller, and nothing else.

No other controller of Kubernetes runs, so that whatever changes was changed by KServe or by us.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import urllib3

from tests.lab import build, commands, crds, layout, pki
from tests.lab.client import UNREACHABLE, ApiError, Client, wait_until
from tests.lab.layout import Layout
from tests.lab.ports import LOOPBACK, free_ports
from tests.lab.process import die_with_parent

from .build import Programs

Json = dict[str, Any]
#: Seconds that an API server may take to start on a busy machine.
_STARTED_WITHIN = 300.0
_HTTP = urllib3.PoolManager()


class Plane:
    """What one batch of services runs on. definitions: CRDs. webhooks: configurations that name services of a cluster.

    flags: that this controller takes beside those that all take.
    """

    def __init__(
        self,
        programs: Programs,
        definitions: Iterable[Json],
        webhooks: Iterable[Json] = (),
        environment: Mapping[str, str] | None = None,
        flags: Sequence[str] = (),
    ) -> None:
        self._flags = tuple(flags)
        self._programs = programs
        self._definitions = list(definitions)
        self._webhooks = list(webhooks)
        self._environment = dict(environment or {})
        self._folder = Path(tempfile.mkdtemp(prefix="differential-"))
        self._layout = Layout(self._folder / "plane")
        self._running: list[subprocess.Popen[bytes]] = []
        self.recording = self._folder / "recording.jsonl"

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    def _stop(self) -> None:
        for process in reversed(self._running):
            process.terminate()
            try:
                process.wait(6)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self) -> None:
        ports = commands.Ports.free()
        token = base64.b32encode(os.urandom(15)).decode()
        self._layout.root.mkdir()
        layout.prepare(self._layout, LOOPBACK, ports.api, token)
        self._run("etcd", commands.etcd(build.program("etcd"), self._layout, ports))
        server = commands.api_server(build.program("kube-apiserver"), self._layout, ports)
        self._run("kube-apiserver", [each for each in server if not each.startswith("--audit")])
        self.client = Client.of(self._layout.kubeconfig)
        wait_until(self._answers, "the API server to answer", _STARTED_WITHIN)
        self._token, self._server = token, f"https://{LOOPBACK}:{ports.api}"
        self._webhook, self._metrics, self._health, self._proxy = free_ports(4)
        pair = self._authority().server("webhook", [LOOPBACK])
        serving = self._folder / "k8s-webhook-server" / "serving-certs"
        serving.mkdir(parents=True)
        (serving / "tls.crt").write_text(pair.certificate)
        (serving / "tls.key").write_text(pair.key)
        self._probe = urllib3.PoolManager(ca_certs=str(self._layout.authority))
        crds.install(self.client, [self._converted(each) for each in self._definitions])
        self._run("recorder", self._recorder())

    def _authority(self) -> pki.Authority:
        return pki.Authority.load(self._layout.authority, self._layout.authority_key)

    def _answers(self) -> tuple[bool, str]:
        try:
            self.client.request("GET", "/readyz")
        except (ApiError, *UNREACHABLE) as error:
            return False, str(error)
        return True, ""

    def _run(
        self, name: str, command: list[str], environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        with self._layout.log(name).open("ab") as log:
            process = subprocess.Popen(
                command,
                env={**os.environ, "GOGC": "200", **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent(),  # noqa: PLW1509
                start_new_session=True,
            )
        self._running.append(process)
        return process

    def log(self, name: str) -> Path:
        """Where a program writes."""
        return self._layout.log(name)

    def _recorder(self) -> list[str]:
        return [
            str(self._programs.recorder),
            f"-listen={LOOPBACK}:{self._proxy}",
            f"-server={self._server}",
            f"-authority={self._layout.authority}",
            f"-token={self._token}",
            f"-output={self.recording}",
        ]

    def _client_config(self, path: str) -> Json:
        bundle = base64.b64encode(self._layout.authority.read_bytes()).decode()
        return {"url": f"https://{LOOPBACK}:{self._webhook}{path}", "caBundle": bundle}

    def _converted(self, definition: Json) -> Json:
        """Return a CRD whose conversion the controller does, where it has several versions; that of others is nobody's."""
        if definition["spec"]["group"] != "serving.kserve.io":
            spec = {key: one for key, one in definition["spec"].items() if key != "conversion"}
            return {**definition, "spec": spec}
        if len(definition["spec"]["versions"]) < 2:
            return definition
        conversion = {
            "strategy": "Webhook",
            "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": self._client_config("/convert"),
            },
        }
        return {**definition, "spec": {**definition["spec"], "conversion": conversion}}

    def start_controller(self) -> None:
        """Start KServe's controller and its webhooks, and wait until it serves."""
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": {"server": f"http://{LOOPBACK}:{self._proxy}"}}],
            "users": [{"name": "u", "user": {}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "c",
        }
        path = self._folder / "controller.kubeconfig"
        path.write_text(json.dumps(config))
        command = [
            str(self._programs.controller),
            f"--webhook-port={self._webhook}",
            f"--metrics-addr={LOOPBACK}:{self._metrics}",
            f"--health-probe-addr={LOOPBACK}:{self._health}",
            *self._flags,
        ]
        self._of_controllers = {
            "KUBECONFIG": str(path),
            "TMPDIR": str(self._folder),
            "POD_NAMESPACE": "kserve",
            "CLUSTER_DOMAIN": "cluster.local",
            **self._environment,
        }
        self._controller = self._run("controller", command, self._of_controllers)
        wait_until(self._serves, f"the controller, see {self.log('controller')}")
        for webhook in self._webhooks:
            self.client.apply(self._by_url(webhook))

    def start_beside(self, name: str, program: Path, **environment: str) -> None:
        """Start another program of KServe beside the controller."""
        self._run(name, [str(program)], {**self._of_controllers, **environment})

    def _serves(self) -> tuple[bool, str]:
        if self._controller.poll() is not None:
            raise RuntimeError(self.log("controller").read_text()[-3000:])
        try:
            answer = _HTTP.request("GET", f"http://{LOOPBACK}:{self._health}/readyz", retries=False)
            self._probe.request("GET", f"https://{LOOPBACK}:{self._webhook}/", retries=False)
        except UNREACHABLE as error:
            return False, str(error)
        return answer.status == 200, str(answer.status)

    def _by_url(self, configuration: Json) -> Json:
        hooks = [
            {**hook, "clientConfig": self._client_config(hook["clientConfig"]["service"]["path"])}
            for hook in configuration["webhooks"]
        ]
        metadata = {"name": configuration["metadata"]["name"]}
        return {**configuration, "metadata": metadata, "webhooks": hooks}

    def review(self, path: str, kind: Json, manifest: Json) -> Json:
        """Return what a mutating webhook of the controller answers about a new object: `patch`, or `refusal`."""
        request = {
            "uid": "0",
            "kind": kind,
            "operation": "CREATE",
            "namespace": manifest["metadata"]["namespace"],
            "object": manifest,
        }
        review = {
            "apiVersion": "admission.k8s.io/v1",
            "kind": "AdmissionReview",
            "request": request,
        }
        address = f"https://{LOOPBACK}:{self._webhook}{path}"
        answer = self._probe.request("POST", address, json=review, timeout=30).json()["response"]
        if not answer["allowed"]:
            return {"refusal": answer["status"].get("message", "")}
        patch = base64.b64decode(answer.get("patch") or b"") or b"[]"
        return {"patch": json.loads(patch)}

    @property
    def temporary(self) -> Path:
        """The folder for temporary files of KServe's programs."""
        return self._folder

    def queue(self) -> float:
        """How many services the controller works at or has in its queue."""
        return self._metric("workqueue_depth{", "controller_runtime_active_workers{")

    def reconciled(self) -> float:
        """How many times the controller has looked at a service."""
        return self._metric("controller_runtime_reconcile_total{")

    def _metric(self, *names: str) -> float:
        answer = _HTTP.request("GET", f"http://{LOOPBACK}:{self._metrics}/metrics")
        return sum(
            float(line.rpartition(" ")[2])
            for line in answer.data.decode().splitlines()
            if line.startswith(names)
        )

    def alive(self) -> bool:
        """Whether the controller still runs."""
        return self._controller.poll() is None
