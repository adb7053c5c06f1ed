# SPDX-License-Identifier: GPL-3.0-or-later
"""An admission webhook on this machine, for one namespace: what it says, and what it was asked."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from module_utils.kube.manifest import Json
from tests.lab import pki
from tests.lab.client import ApiError, Client, wait_until
from tests.lab.ports import LOOPBACK

from .played_controllers import webhook_server
from .reviews import Reviews

#: The reviewed request → the answer without its uid, for example {"allowed": True}.
Judge = Callable[[Json], Json]
#: Refused at once, so that it shows whether the webhook is in force.
PROBE = "webhook-probe"


def deny(message: str, *, code: int = 403) -> Json:
    """Return the answer that refuses an object."""
    return {"allowed": False, "status": {"code": code, "message": message}}


def patched(*operations: Json) -> Json:
    """Return the answer of a mutating webhook that changes an object by JSON patch operations."""
    patch = base64.b64encode(json.dumps(operations).encode()).decode()
    return {"allowed": True, "patchType": "JSONPatch", "patch": patch}


@contextmanager
def webhook(
    client: Client,
    namespace: str,
    folder: Path,
    judge: Judge,
    resources: list[str],
    *,
    kind: Literal["Validating", "Mutating"] = "Validating",
    operations: Sequence[str] = ("CREATE", "UPDATE"),
) -> Iterator[str]:
    """Serve a webhook that is asked about some resources of a namespace; gives its name. operations: `CREATE` is one of them."""
    name = f"{namespace}.tests.example.com"
    with _serving(folder, judge) as (url, authority):
        configuration = {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": f"{kind}WebhookConfiguration",
            "metadata": {"name": name},
            "webhooks": [
                _hook(name, namespace, url, authority, [*resources, "configmaps"], operations)
            ],
        }
        client.create(configuration)
        try:
            wait_until(lambda: _in_force(client, namespace), "the webhook to be in force")
            yield name
        finally:
            client.delete(configuration)


def _hook(
    name: str,
    namespace: str,
    url: str,
    authority: str,
    resources: list[str],
    operations: Sequence[str],
) -> Json:
    rule = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": list(operations)}
    return {
        "name": name,
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Fail",
        "clientConfig": {"url": url, "caBundle": base64.b64encode(authority.encode()).decode()},
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
        "rules": [{**rule, "resources": resources}],
    }


def _in_force(client: Client, namespace: str) -> tuple[bool, str]:
    path = client.path("v1", "ConfigMap", namespace)
    probe = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": PROBE}}
    try:
        client.request("POST", path, body=probe, query={"dryRun": "All"})
    except ApiError as error:
        return PROBE in str(error), str(error)
    return False, "the probe is let through"


@contextmanager
def _serving(folder: Path, judge: Judge) -> Iterator[tuple[str, str]]:
    class Judged(Reviews):
        def judge(self, kind: str, request: Json) -> Json:  # noqa: ARG002
            probing = request.get("name") == PROBE
            return deny(f"{PROBE} is in force") if probing else judge(request)

    authority = pki.Authority.new("webhook")
    with webhook_server(authority, [LOOPBACK], folder, answers=Judged) as port:
        yield f"https://{LOOPBACK}:{port}/", authority.pair.certificate
