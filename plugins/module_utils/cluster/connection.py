# SPDX-License-Identifier: GPL-3.0-or-later
"""A connection to one API server: what the rest of the house can ask of a cluster."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar, overload

from ..kube.manifest import Json
from ..kube.reference import Reference
from .call import Answer, Call, TransportFault
from .calls import Calls
from .credentials import Credentials
from .discovery import Discovery
from .errors import ApiError, ClusterError, Gone, KindMissing, NotFound
from .kinds import KindFacts
from .listing import Listing, pages
from .login import resolve
from .options import Login
from .pool import Pool
from .requests import Fence, Requests
from .results import Applied, created_by_us
from .rules import Rules
from .stats import Stats
from .timing import Deadline, Timing
from .watch import Watch

T = TypeVar("T")
E = TypeVar("E", bound=Exception)
SYSTEM = Timing()
#: How much of a log is read, and how long that may take: its kubelet may be away.
LOG_LINES, LOG_BYTES, LOG_TIMEOUT = 500, 1024 * 1024, 5.0


def connect(
    auth: Mapping[str, Any],
    *,
    concurrency: int = 8,
    request_timeout: float = 30.0,
    deadline: float | None = None,
    timing: Timing = SYSTEM,
) -> Cluster:
    """Return a connection; nothing is sent before it is asked something. Use it in a `with`.

    auth: the authentication options, and under `environment` the variables that apply (see `options`).
    concurrency: connections and threads. request_timeout: seconds for one attempt. deadline: seconds for everything.
    Raises LoginError and MissingLibrary.
    """
    endpoint, source = resolve(Login.of(auth))
    requests = Requests(
        endpoint,
        Credentials(source),
        concurrency=concurrency,
        request_timeout=request_timeout,
        deadline=Deadline.after(deadline, timing),
        timing=timing,
    )
    return Cluster(requests, concurrency)


class Cluster:
    """One API server. Safe to use from several threads.

    Each method that asks the server raises ApiError, KindMissing, Unreachable, DeadlineExceeded, LoginError or Stopped.
    """

    def __init__(self, requests: Requests, concurrency: int) -> None:
        self._requests = requests
        self._discovery = Discovery(requests)
        self._calls = Calls(self._discovery)
        self._pool = Pool(concurrency)
        #: Requests at a time.
        self.concurrency = concurrency
        self._user: str | None = None
        #: Who this run is in Leases: people recognise it, and no other run has it.
        self.identity = f"{socket.gethostname()}_{os.getpid()}_{os.urandom(4).hex()}"

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def server(self) -> str:
        """The server's URL."""
        return self._requests.server

    @property
    def stats(self) -> Stats:
        """How much was sent so far."""
        return self._requests.stats

    @property
    def warnings(self) -> tuple[str, ...]:
        """What users should know: an unverified connection, and what the server warned about; each once."""
        insecure = (
            ()
            if self._requests.endpoint.verify
            else (
                f"{self.server}: the server's certificate is not verified (validate_certs: false)",
            )
        )
        return (*insecure, *self._requests.warnings)

    def ask_through(
        self,
        service: Reference,
        port: int,
        path: str,
        *,
        tls: bool,
        body: bytes | None,
        headers: Mapping[str, str],
        timeout: float,
        limit: int,
    ) -> Answer | TransportFault:
        """Send one request to a Service by the API server's proxy, and return whatever comes. It needs `get` or `create` on services/proxy.

        path: with a slash in front. body: makes it a POST. limit: bytes of the answer that are read.
        Source: Kubernetes' API, connect{Get,Post}CoreV1NamespacedServiceProxyWithPath; the scheme comes before the name.
        """
        name = f"{'https:' if tls else ''}{service.name}:{port}"
        call = Call(
            verb="get" if body is None else "create",
            method="GET" if body is None else "POST",
            path=f"/api/v1/namespaces/{service.namespace}/services/{name}/proxy{path}",
            subject=f"ask {service} by the API server's proxy",
            accept="*/*",
        )
        return self._requests.ask(call, body, headers, timeout, limit)

    def log_of(self, pod: Reference, container: str, *, previous: bool) -> str:
        """Return the end of what a container printed; nothing where it cannot be read at once. previous: before its last start."""
        call = self._calls.log(pod, container, lines=LOG_LINES, previous=previous)
        outcome = self._requests.ask(call, None, {}, LOG_TIMEOUT, LOG_BYTES)
        if not isinstance(outcome, Answer) or outcome.status != 200:
            return ""
        return outcome.body.decode(errors="replace")

    @property
    def requests(self) -> Requests:
        """The sending side, for Leases."""
        return self._requests

    def get(self, reference: Reference, *, metadata_only: bool = False) -> Json | None:
        """Return an object, or None where it is not there. metadata_only: without spec, status and data."""
        call = self._calls.get(reference, metadata_only=metadata_only)
        try:
            found = self._requests.send_for_object(call)
        except NotFound as error:
            if error.of_object:
                return None
            raise self._explained(error, reference.api_version, reference.kind) from None
        found["apiVersion"], found["kind"] = reference.api_version, reference.kind
        return found

    def list(
        self,
        api_version: str,
        kind: str,
        *,
        namespace: str = "",
        selector: str = "",
        fields: str = "",
        metadata_only: bool = False,
        keep: Callable[[Json], Json] | None = None,
    ) -> Listing:
        """Return all objects of a kind, of one moment. An empty namespace means all; selector: on labels; fields: on fields.

        keep: makes of an object, as soon as it is read, what is held of it.
        """
        for last_try in (False, True):
            items: list[Json] = []
            version = ""
            try:
                for page in self.pages(
                    api_version,
                    kind,
                    namespace=namespace,
                    selector=selector,
                    fields=fields,
                    metadata_only=metadata_only,
                    keep=keep,
                ):
                    items += page.items
                    version = page.resource_version
                return Listing(items, version)
            except (Gone, NotFound) as error:
                # A page that came too late; or a server that does not serve yet what the others do, or no more.
                if last_try and isinstance(error, NotFound):
                    raise KindMissing(api_version, kind) from None
                if last_try:
                    raise
        raise AssertionError("unreachable")

    def pages(
        self,
        api_version: str,
        kind: str,
        *,
        namespace: str = "",
        selector: str = "",
        fields: str = "",
        metadata_only: bool = False,
        keep: Callable[[Json], Json] | None = None,
    ) -> Iterator[Listing]:
        """Give a LIST page by page, so that memory stays flat. Raises Gone where a page comes too late: begin again."""
        call = self._calls.list(
            api_version, kind, namespace, selector, fields, metadata_only=metadata_only
        )
        try:
            yield from pages(self._requests, call, keep)
        except NotFound as error:
            raise self._explained(error, api_version, kind) from None

    def apply(
        self,
        manifest: Mapping[str, Any],
        *,
        manager: str,
        force: bool = False,
        dry_run: bool = False,
        subresource: str = "",
    ) -> Applied:
        """Apply on the server's side. created: this request made the object. Raises Conflict with the field managers."""
        call = self._calls.apply(
            manifest, manager=manager, force=force, dry_run=dry_run, subresource=subresource
        )
        answer = self._sent(call)
        stored = self._requests.object_of(call, answer)
        created = answer.status == 201
        if not created and answer.uncertain and not subresource and not dry_run:
            created = created_by_us(stored, manager)
        return Applied(stored, created)

    def patch(
        self,
        reference: Reference,
        body: Any,
        *,
        kind: Literal["merge", "json"],
        dry_run: bool = False,
        subresource: str = "",
    ) -> Json:
        """Patch an object that is there. A JSON patch whose answer is lost is not sent again: look, and decide."""
        call = self._calls.patch(
            reference, body, kind=kind, dry_run=dry_run, subresource=subresource
        )
        return self._requests.object_of(call, self._sent(call))

    def create(self, manifest: Mapping[str, Any], *, dry_run: bool = False) -> Json:
        """Create an object. Raises AlreadyExists; `uncertain` there says that an earlier attempt of this may have made it."""
        call = self._calls.create(manifest, dry_run=dry_run)
        return self._requests.object_of(call, self._sent(call))

    def delete(
        self,
        reference: Reference,
        *,
        uid: str = "",
        resource_version: str = "",
        propagation: str = "Background",
        dry_run: bool = False,
    ) -> bool:
        """Delete an object; False where it was gone already. Raises Conflict where uid or resourceVersion differ."""
        call = self._calls.delete(
            reference,
            uid=uid,
            resource_version=resource_version,
            propagation=propagation,
            dry_run=dry_run,
        )
        try:
            self._requests.send(call)
        except NotFound as error:
            if error.of_object:
                return error.uncertain
            raise self._explained(error, reference.api_version, reference.kind) from None
        return True

    def watch(
        self,
        api_version: str,
        kind: str,
        *,
        namespace: str = "",
        selector: str = "",
        resource_version: str,
        timeout: float,
    ) -> Watch:
        """Return the events after `resource_version`, for `timeout` seconds; see `Watch`."""
        call = self._calls.watch(api_version, kind, namespace, selector)

        def explain(error: NotFound) -> ClusterError:
            return self._explained(error, api_version, kind)

        spell = self._requests.request_timeout
        return Watch(self._requests, call, resource_version, timeout, spell, explain)

    @overload
    def parallel(self, calls: Sequence[Callable[[], T]]) -> Sequence[T]:
        """Do calls none of which may fail."""

    @overload
    def parallel(self, calls: Sequence[Callable[[], T]], *expected: type[E]) -> Sequence[T | E]:
        """Do calls that may fail as expected."""

    def parallel(
        self, calls: Sequence[Callable[[], Any]], *expected: type[Exception]
    ) -> Sequence[Any]:
        """Do calls side by side, at most `concurrency`; return results in their order, an expected exception as a value."""
        return self._pool.run(calls, expected)

    def who_am_i(self) -> str:
        """Return the user name that the server sees, for messages; empty where it does not tell. Asked once."""
        if self._user is None:
            try:
                review = self._requests.send_for_object(self._calls.who_am_i())
                self._user = str(review["status"]["userInfo"]["username"])
            except (ClusterError, KeyError, TypeError, ValueError):
                self._user = ""
        return self._user

    def allowed(
        self, verb: str, api_version: str, kind: str, namespace: str = "", subresource: str = ""
    ) -> bool | None:
        """Return whether we may do something, None where the server does not tell: then the request itself has to show it."""
        return self._permitted(self._calls.may_i(verb, api_version, kind, namespace, subresource))

    def allowed_everything(self) -> bool:
        """Return whether we are known to be allowed everything, as an administrator is."""
        return bool(self._permitted(self._calls.may_i_do_everything()))

    def rules(self, namespace: str) -> Rules:
        """Return what we may do in a namespace; incomplete rules without content where the server does not tell."""
        try:
            return Rules.of(self._requests.send_for_object(self._calls.what_may_i(namespace)))
        except ApiError:
            return Rules((), complete=False)

    def kind(self, api_version: str, kind: str) -> KindFacts:
        """Return how the server names a kind. Raises KindMissing."""
        return self._discovery.facts(api_version, kind)

    def preferred(self, group: str, kind: str) -> KindFacts | None:
        """Return a kind in the version to ask for it, None where the server has none of that group and name."""
        return self._discovery.preferred(group, kind)

    def has(self, group: str, kind: str) -> bool:
        """Return whether the server has a kind in any version; asked once."""
        return self._discovery.has(group, kind)

    def serves(self, api_version: str, kind: str) -> bool:
        """Return whether the server has a kind now; asks afresh each time."""
        return self._discovery.serves(api_version, kind)

    def unserved(self, kinds: Iterable[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        """Return those of several kinds (apiVersion, kind) that the server does not have now; asks afresh, once for all."""
        return self._discovery.unserved(kinds)

    def custom_kinds(self, is_built_in: Callable[[str], bool]) -> Sequence[tuple[str, str]]:
        """Return the namespaced kinds (apiVersion, kind) of the groups that the API server has not by itself."""
        return [(facts.api_version, facts.kind) for facts in self._discovery.custom(is_built_in)]

    def add_fence(self, fence: Fence) -> None:
        """Call `fence` before each write; it raises where nothing may be written any more."""
        self._requests.add_fence(fence)

    def remove_fence(self, fence: Fence) -> None:
        """Stop calling `fence`."""
        self._requests.remove_fence(fence)

    def stop(self) -> None:
        """Send nothing more; requests that are under way end by themselves."""
        self._requests.stop()

    def close(self) -> None:
        """Stop, wait for the threads, close the connections."""
        self._requests.stop()
        self._pool.close()
        self._requests.close()

    def _permitted(self, review: Call) -> bool | None:
        try:
            return bool(self._requests.send_for_object(review)["status"]["allowed"])
        except (ApiError, KeyError, TypeError):
            return None

    def _sent(self, call: Call) -> Answer:
        """Send a write to an object; a 404 that means the kind becomes KindMissing."""
        try:
            return self._requests.send(call)
        except NotFound as error:
            if error.of_object or call.facts is None:
                raise
            raise self._explained(error, call.facts.api_version, call.facts.kind) from None

    def _explained(self, error: NotFound, api_version: str, kind: str) -> ApiError | KindMissing:
        """Return what a 404 without a named object means, after one look at what is served."""
        if error.of_object or not self._discovery.lacks(api_version, kind):
            return error
        return self._discovery.missing(api_version, kind)
