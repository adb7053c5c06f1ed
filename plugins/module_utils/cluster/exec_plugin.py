# SPDX-License-Identifier: GPL-3.0-or-later
"""Credential plugins: programs that a kubeconfig names, which print a token or a client certificate."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .endpoint import ClientCertificate, Credential
from .errors import LoginError

#: Seconds. A plugin that waits for a person would wait for ever.
TIMEOUT = 60.0
_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")


@dataclass(frozen=True, slots=True)
class ExecPlugin:
    """One plugin as the kubeconfig describes it.

    environment: what it is started with. cluster: what it is told about the cluster where it asks for that.
    """

    command: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    api_version: str
    folder: Path
    cluster: Mapping[str, Any] | None = None
    hint: str = ""
    timeout: float = TIMEOUT

    @classmethod
    def of(
        cls,
        spec: Mapping[str, Any],
        *,
        environment: Mapping[str, str],
        folder: Path,
        cluster: Mapping[str, Any],
        timeout: float = TIMEOUT,
    ) -> ExecPlugin:
        """Return the plugin of a user's `exec` section. Raises LoginError where it is incomplete."""
        if not spec.get("command"):
            raise LoginError("kubeconfig: exec names no command")
        version = str(spec.get("apiVersion") or "")
        if version not in _VERSIONS:
            raise LoginError(
                f"kubeconfig: exec asks for apiVersion {version or '(not set)'};"
                f" supported are {' and '.join(_VERSIONS)}"
            )
        if spec.get("interactiveMode") == "Always":
            raise LoginError(
                f"the credential plugin {spec['command']} needs a terminal (interactiveMode: Always);"
                " an Ansible task has none"
            )
        added = {str(item["name"]): str(item["value"]) for item in spec.get("env") or []}
        return cls(
            command=str(spec["command"]),
            arguments=tuple(str(argument) for argument in spec.get("args") or []),
            environment={**environment, **added},
            api_version=version,
            folder=folder,
            cluster=_cluster_info(cluster) if spec.get("provideClusterInfo") else None,
            hint=str(spec.get("installHint") or "").strip(),
            timeout=timeout,
        )

    def fetch(self, within: float) -> Credential:
        """Run the program, at most so many seconds, and return what it gives. Raises LoginError; its output is never in it."""
        import subprocess

        seconds = max(0.01, min(self.timeout, within))
        try:
            # No module's run_command is at hand: this also runs in the Ansible process, and must not outlive its deadline.
            # pylint: disable-next=ansible-bad-function
            done = subprocess.run(
                [self._program(), *self.arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=seconds,
                check=False,
                env={**self.environment, "KUBERNETES_EXEC_INFO": json.dumps(self._question())},
            )
        except subprocess.TimeoutExpired:
            raise LoginError(
                f"the credential plugin {self.command} gave nothing within {seconds:.0f} s;"
                " does it wait for a login? Run it by hand"
            ) from None
        except OSError as error:
            reason = (error.strerror or "cannot be started").lower()
            hint = f"; {self.hint}" if self.hint else ""
            raise LoginError(f"the credential plugin {self.command}: {reason}{hint}") from None
        if done.returncode != 0:
            raise LoginError(
                f"the credential plugin {self.command} failed with exit code {done.returncode};"
                " its output may contain secrets and is not shown: run it by hand"
            )
        return self._credential(done.stdout)

    def _program(self) -> str:
        """Return the command; one that holds a slash is relative to the kubeconfig, as with kubectl."""
        if "/" in self.command and not self.command.startswith("/"):
            return str(self.folder / self.command)
        import shutil

        return shutil.which(self.command, path=self.environment.get("PATH")) or self.command

    def _question(self) -> dict[str, Any]:
        spec: dict[str, Any] = {"interactive": False}
        if self.cluster is not None:
            spec["cluster"] = self.cluster
        return {"apiVersion": self.api_version, "kind": "ExecCredential", "spec": spec}

    def _credential(self, output: bytes) -> Credential:
        try:
            answer = json.loads(output)
            status = answer["status"]
            token = status.get("token") or ""
            certificate = status.get("clientCertificateData") or ""
            version = answer.get("apiVersion")
        except (ValueError, KeyError, TypeError, AttributeError):
            raise LoginError(
                f"the credential plugin {self.command} printed no ExecCredential"
            ) from None
        if version != self.api_version:
            raise LoginError(
                f"the credential plugin {self.command} answers for apiVersion {version},"
                f" but the kubeconfig asks for {self.api_version}"
            )
        if not token and not certificate:
            raise LoginError(
                f"the credential plugin {self.command} gave neither token nor certificate"
            )
        shown = (
            ClientCertificate(certificate, status.get("clientKeyData") or "")
            if certificate
            else None
        )
        return Credential(f"Bearer {str(token).strip()}" if token else "", shown)


def _cluster_info(cluster: Mapping[str, Any]) -> dict[str, Any]:
    keep = (
        "server",
        "tls-server-name",
        "insecure-skip-tls-verify",
        "certificate-authority-data",
        "proxy-url",
    )
    info = {key: cluster[key] for key in keep if cluster.get(key)}
    for extension in cluster.get("extensions") or []:
        if extension.get("name") == "client.authentication.k8s.io/exec":
            info["config"] = extension.get("extension")
    return info
