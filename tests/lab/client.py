# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plain client for setting up and looking at a cluster. Not the collection's own: that one is under test."""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import urllib3

from . import kubeconfig
from .kubeconfig import Access

Manifest = dict[str, Any]

#: What a request raises when no answer came at all.
UNREACHABLE = (urllib3.exceptions.HTTPError, OSError)

FIELD_MANAGER = "modelops-lab"
_CONNECTIONS = 16
_TIMEOUT = urllib3.Timeout(connect=5, read=60)
#: How long a condition is given, and how often it is looked at.
DEADLINE = 60.0
_LOOK_EVERY = 0.1
#: How a server refuses what it takes a moment later, and how many seconds that is waited for.
_BUSY = 429
_BUSY_WITHIN = 10.0


class ApiError(Exception):
    """The API server's refusal: its code, reason and message."""

    def __init__(self, method: str, path: str, code: int, body: bytes) -> None:
        try:
            status = json.loads(body)
        except ValueError:
            status = {}
        if not isinstance(status, dict):
            status = {}
        self.code = code
        self.reason = str(status.get("reason", ""))
        self.message = str(status.get("message", body[:500].decode(errors="replace")))
        super().__init__(f"{method} {path}: {code} {self.reason}: {self.message}")


class Client:
    """One user's view of one cluster. Kinds are named by apiVersion and kind, as manifests do."""

    def __init__(self, access: Access) -> None:
        self.access = access
        self._headers = {"Accept": "application/json", "User-Agent": "modelops-lab"}
        if access.token:
            self._headers["Authorization"] = f"Bearer {access.token}"
        self._resources: dict[str, dict[str, tuple[str, bool]]] = {}
        self._resources_lock = threading.Lock()
        self._pool = _pool(access)

    @classmethod
    def of(cls, path: Path) -> Client:
        """The client for a kubeconfig's current context."""
        return cls(kubeconfig.read(path))

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: object = None,
        content_type: str = "application/json",
        accept: tuple[int, ...] = (),
    ) -> Any:
        """Send one request and return the decoded answer; ApiError for 400 and above unless `accept` names the code."""
        headers = (
            {**self._headers, "Content-Type": content_type} if body is not None else self._headers
        )
        url = f"{self.access.server}{path}" + (f"?{urlencode(query)}" if query else "")
        data = None if body is None else json.dumps(body).encode()
        until = time.monotonic() + _BUSY_WITHIN
        while True:
            answer = self._pool.request(
                method, url, headers=headers, body=data, retries=False, timeout=_TIMEOUT
            )
            # An API server that has just started, or has a new kind, says so while it makes up its mind.
            if answer.status != _BUSY or time.monotonic() > until:
                break
            threading.Event().wait(_LOOK_EVERY)
        if answer.status >= 400 and answer.status not in accept:
            raise ApiError(method, path, answer.status, answer.data)
        try:
            return json.loads(answer.data)
        except ValueError:
            return answer.data.decode(errors="replace")

    def path(self, api_version: str, kind: str, namespace: str = "", name: str = "") -> str:
        """The URL path of a kind, a namespace's objects of that kind, or one object."""
        plural, namespaced = self._resource(api_version, kind)
        parts = [_group_path(api_version)]
        if namespaced and (namespace or name):
            parts.append(f"namespaces/{quote(namespace or 'default')}")
        parts.append(plural)
        if name:
            parts.append(quote(name))
        return "/".join(parts)

    def get(self, api_version: str, kind: str, name: str, namespace: str = "") -> Manifest | None:
        """Read one object; None where there is none."""
        found = self.request("GET", self.path(api_version, kind, namespace, name), accept=(404,))
        # A kind that is gone is answered with a text.
        missing = isinstance(found, str) or (found.get("kind"), found.get("code")) == (
            "Status",
            404,
        )
        return None if missing else dict(found)

    def list_all(
        self, api_version: str, kind: str, namespace: str = "", **query: str
    ) -> list[Manifest]:
        """Read all objects of a kind. Query parameters by their API names: `labelSelector=...`."""
        answer = self.request("GET", self.path(api_version, kind, namespace), query=query)
        return [{"apiVersion": api_version, "kind": kind, **item} for item in answer["items"]]

    def create(self, manifest: Manifest, **query: str) -> Manifest:
        return dict(self.request("POST", self._collection(manifest), body=manifest, query=query))

    def apply(
        self,
        manifest: Manifest,
        *,
        manager: str = FIELD_MANAGER,
        subresource: str = "",
        dry_run: bool = False,
    ) -> Manifest:
        """Server-side apply, taking every conflict."""
        path = self._object(manifest) + (f"/{subresource}" if subresource else "")
        query = {"fieldManager": manager, "force": "true", **({"dryRun": "All"} if dry_run else {})}
        return dict(
            self.request(
                "PATCH",
                path,
                query=query,
                body=manifest,
                content_type="application/apply-patch+yaml",
            )
        )

    def apply_all(self, manifests: Iterable[Manifest]) -> list[Manifest]:
        """Apply objects side by side; their order does not count."""
        with ThreadPoolExecutor(_CONNECTIONS) as pool:
            return list(pool.map(self.apply, manifests))

    def patch(
        self, manifest: Manifest, patch: Mapping[str, Any], *, subresource: str = ""
    ) -> Manifest:
        """Merge-patch the object that `manifest` names."""
        path = self._object(manifest) + (f"/{subresource}" if subresource else "")
        return dict(
            self.request("PATCH", path, body=patch, content_type="application/merge-patch+json")
        )

    def patch_status(self, manifest: Manifest, status: Mapping[str, Any]) -> Manifest:
        """Merge into the object's status, as a controller would."""
        return self.patch(manifest, {"status": status}, subresource="status")

    def delete(self, manifest: Manifest, *, policy: str = "Background") -> None:
        """Delete the object that `manifest` names; nothing happens where there is none."""
        self.request(
            "DELETE", self._object(manifest), query={"propagationPolicy": policy}, accept=(404,)
        )

    def wait_for(
        self,
        manifest: Manifest,
        condition: Callable[[Manifest | None], object],
        *,
        deadline: float = DEADLINE,
    ) -> Manifest | None:
        """Read the object until `condition` holds for it (None: it is gone); TimeoutError shows the last state."""
        metadata = manifest["metadata"]
        key = (
            manifest["apiVersion"],
            manifest["kind"],
            metadata["name"],
            metadata.get("namespace", ""),
        )

        def look() -> tuple[bool, Manifest | None]:
            found = self.get(*key)
            return bool(condition(found)), found

        found: Manifest | None = wait_until(look, f"{key[1]} {key[3]}/{key[2]}", deadline)
        return found

    def _collection(self, manifest: Manifest) -> str:
        return self.path(manifest["apiVersion"], manifest["kind"], _namespace(manifest))

    def _object(self, manifest: Manifest) -> str:
        return self.path(
            manifest["apiVersion"],
            manifest["kind"],
            _namespace(manifest),
            manifest["metadata"]["name"],
        )

    def _resource(self, api_version: str, kind: str) -> tuple[str, bool]:
        with self._resources_lock:
            known = self._resources.get(api_version, {})
            if kind not in known:
                known = self._discover(api_version)
                self._resources[api_version] = known
        if kind not in known:
            raise LookupError(
                f"the cluster at {self.access.server} has no kind {kind} in {api_version}"
            )
        return known[kind]

    def _discover(self, api_version: str) -> dict[str, tuple[str, bool]]:
        answer = self.request("GET", _group_path(api_version), accept=(404,))
        served = answer.get("resources", ()) if isinstance(answer, dict) else ()
        resources = [each for each in served if "/" not in each["name"]]
        return {each["kind"]: (each["name"], each["namespaced"]) for each in resources}


def wait_until(look: Callable[[], tuple[bool, Any]], what: str, deadline: float = DEADLINE) -> Any:
    """Call `look` until its first item is true and return its second; TimeoutError names `what` and the last seen."""
    end = time.monotonic() + deadline
    pause = threading.Event()
    while True:
        done, seen = look()
        if done:
            return seen
        if time.monotonic() > end:
            raise TimeoutError(
                f"waited {deadline:.0f} s for {what}; last seen: {json.dumps(seen, default=str)[:2000]}"
            )
        pause.wait(_LOOK_EVERY)


def _namespace(manifest: Manifest) -> str:
    # A namespaced object without a namespace goes to "default", as with kubectl.
    return str(manifest["metadata"].get("namespace") or "default")


def _group_path(api_version: str) -> str:
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"


def _pool(access: Access) -> urllib3.PoolManager:
    options: dict[str, Any] = {"maxsize": _CONNECTIONS, "block": True}
    if access.authority:
        options["ca_cert_data"] = access.authority
    if not access.certificate:
        return urllib3.PoolManager(**options)
    # Python loads client certificates from files only; they are gone again once the context holds them.
    context = urllib3.util.ssl_.create_urllib3_context()
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = Path(folder, "crt"), Path(folder, "key")
        key.touch(mode=0o600)
        certificate.write_text(access.certificate, encoding="utf-8")
        key.write_text(access.key, encoding="utf-8")
        context.load_cert_chain(certificate, key)
    return urllib3.PoolManager(ssl_context=context, **options)
