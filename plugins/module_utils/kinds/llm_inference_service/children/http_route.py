# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTTPRoute by which requests come from the gateway to the service, where its author does not bring one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ....kube.reader import Reader
from ....kube.validation.route import named_twice
from .. import labels, names
from ..errors import Unbuildable
from ..resolved import Resolved
from ..router import kinds
from ..router.pool_group import (
    MIGRATED,
    MIGRATED_ANNOTATION,
    is_migrated,
    with_pool_group,
)
from ..router.routing_group import with_group


def http_route(resolved: Resolved, reader: Reader) -> Child | None:
    """Return the managed route, None where the service is stopped, has no route or names routes of its author.

    rules: those of the merged spec; its own pool takes the group that the live route has come to (router/pool_group.py). Where the
    service shares requests, they lead to all who do (router/routing_group.py).
    Raises Unbuildable where the presets leave the route empty, and where the API would refuse it.
    Source: KServe pkg/controller/v1alpha2/llmisvc/router.go@v0.17.0.
    """
    if resolved.stopped or resolved.at("router", "route") is None:
        return None
    spec = _spec(resolved)
    if spec is None:
        return None
    manifest = Manifest(
        api_version=kinds.GATEWAY_API,
        kind="HTTPRoute",
        name=names.route(resolved.name),
        namespace=resolved.namespace,
        labels=labels.router(resolved.name, resolved.group.name if resolved.group else ""),
        body={"spec": spec},
    )
    if resolved.at("router", "scheduler") is not None and not resolved.pool_ref:
        migrated = is_migrated(reader.get(manifest.reference), resolved.settings.release)
        manifest = _with_pool(manifest, resolved.name, migrated=migrated)
    if resolved.group is not None:
        rules = with_group(_rules(manifest), resolved, resolved.group)
        manifest = _with_rules(manifest, rules)
    return Child(Stage.ROUTING, manifest)


def _spec(resolved: Resolved) -> Json | None:
    http = resolved.at("router", "route", "http")
    if http is None:
        raise Unbuildable(
            "spec.router.route asks for a route, but neither the service nor its presets have route.http",
            condition="",
            reason="",
            path="spec.router.route",
            advice="give spec.router.route.http, or a preset for routes that has it",
            rule="route-empty",
        )
    spec: Json | None = None if http.get("refs") else http.get("spec")
    if spec is not None:
        _check_parents(resolved, spec)
        _check_backends(resolved, spec)
    return spec


def _check_parents(resolved: Resolved, spec: Json) -> None:
    """Refuse one parent that is listed twice, unless each time with another sectionName, as the Gateway API does."""
    parents = spec.get("parentRefs") or ()
    repeated = named_twice(parents)
    if not repeated:
        return
    parent = parents[repeated[0]]
    raise Unbuildable(
        f"the Gateway API refuses HTTPRoute {resolved.namespace}/{names.route(resolved.name)}: "
        f"{parent.get('kind', 'Gateway')} {parent.get('name', '')} is in parentRefs more than once",
        condition="HTTPRoutesReady",
        reason="HTTPRouteReconcileError",
        path="spec.router.route.http.spec.parentRefs",
        advice="give each another sectionName, or name it once",
        rule="route-parents",
    )


def _check_backends(resolved: Resolved, spec: Json) -> None:
    """Refuse a Service without a port. A pool needs none, and becomes one where the service has no scheduler."""
    name = names.route(resolved.name)
    place = f"{resolved.namespace}/{name}"
    for where, backend in _backends(spec):
        if (
            backend.get("group")
            or backend.get("kind", "Service") != "Service"
            or backend.get("port")
        ):
            continue
        raise Unbuildable(
            f"Failed to reconcile HTTPRoute: failed to reconcile HTTPRoute {place}: failed to create v1.HTTPRoute {place}: "
            f'HTTPRoute.gateway.networking.k8s.io "{name}" is invalid: spec.{where}: '
            "Invalid value: Must have port for Service reference",
            condition="HTTPRoutesReady",
            reason="HTTPRouteReconcileError",
            path=f"spec.router.route.http.spec.{where}",
            advice="give it a port, also where it names the pool: without a scheduler the Service replaces it",
            rule="route-backends",
        )


def _backends(spec: Json) -> Iterator[tuple[str, Json]]:
    for number, rule in enumerate(spec.get("rules") or ()):
        for place, backend in enumerate(rule.get("backendRefs") or ()):
            yield f"rules[{number}].backendRefs[{place}]", backend


def _with_pool(manifest: Manifest, service: str, *, migrated: bool) -> Manifest:
    group = kinds.POOL_GROUP if migrated else kinds.OLD_POOL_GROUP
    rules = with_pool_group(_rules(manifest), names.inference_pool(service), group)
    annotations = {MIGRATED_ANNOTATION: MIGRATED} if migrated else {}
    return replace(_with_rules(manifest, rules), annotations=annotations)


def _rules(manifest: Manifest) -> list[Json]:
    rules: list[Json] = manifest.body["spec"].get("rules") or []
    return rules


def _with_rules(manifest: Manifest, rules: list[Json]) -> Manifest:
    if not rules:
        return manifest
    return replace(manifest, body={"spec": {**manifest.body["spec"], "rules": rules}})
