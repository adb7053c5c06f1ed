# SPDX-License-Identifier: GPL-3.0-or-later
"""What factories of reporters and screeners of requests refuse."""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import Finding, Value, info, refusal
from ..plugin_parameters import Declared, lookup
from ..releases import PickerRelease
from .expressions import LIBRARY, NotJudgedError, compile_fault
from .selectors import selector_fault
from .values import value_fault


def _needs_parameters(plugin: Declared) -> Iterator[Finding]:
    if not plugin.given:
        yield refusal(
            "parameters-missing",
            f"{plugin.path}.parameters",
            None,
            f"{plugin.type} does not start without parameters",
            "give its parameters",
        )


def reporter_faults(plugin: Declared, dummy: PickerRelease) -> Iterator[Finding]:
    """Yield what is wrong with the attribute of request-attribute-reporter."""
    if not plugin.given:
        yield from _needs_parameters(plugin)
        return
    attributes = list(plugin.items("attributes"))
    if len(attributes) != 1:
        yield value_fault(plugin, "attributes", "it takes exactly one attribute", "list one")
        return
    path, attribute = attributes[0]
    if not lookup(lookup(attribute, "key"), "name") or not lookup(attribute, "expression"):
        yield refusal(
            "parameter-value",
            path,
            attribute,
            f"{plugin.type}: key.name and expression are required",
            "give both",
        )
        return
    for key in ("expression", "condition"):
        text = lookup(attribute, key)
        if isinstance(text, str) and text:
            yield from _expression_faults(plugin, f"{path}.{key}", text)


def _expression_faults(plugin: Declared, path: str, text: str) -> Iterator[Finding]:
    try:
        fault = compile_fault(text)
    except NotJudgedError as error:
        yield info(
            "expression-not-judged",
            path,
            text,
            f"{plugin.type}: nobody looked whether this CEL expression compiles: {error}",
            f"install {LIBRARY} where the task runs, or try the expression on the picker",
        )
        return
    if fault:
        yield refusal(
            "expression",
            path,
            text,
            f"{plugin.type}: this is no CEL expression that compiles: {fault}",
            "correct the expression; usage holds the token counts of a response, as in usage.prompt_tokens",
        )


def screener_faults(plugin: Declared, dummy: PickerRelease) -> Iterator[Finding]:
    """Yield what is wrong with disaggregatedset-rollout-screener."""
    if not plugin.given:
        yield from _needs_parameters(plugin)
        return
    scope = plugin.get("scope.labelSelector")
    fault = selector_fault(scope) if isinstance(scope, str) and scope else "a selector is required"
    if fault:
        yield value_fault(
            plugin, "scope.labelSelector", fault, "write a selector as text, such as app=m"
        )
    yield from _header_selectors(plugin)
    mode, roles = (
        plugin.get("revisionGating.mode"),
        plugin.get("revisionGating.requireRoles.values"),
    )
    if mode not in ("sum", "max-role", "disabled"):
        yield value_fault(
            plugin,
            "revisionGating.mode",
            "it is none of sum, max-role, disabled",
            "choose one of these",
        )
    elif mode != "disabled" and not _are_distinct(roles):
        yield value_fault(
            plugin,
            "revisionGating.requireRoles.values",
            "at least one role is required, each once",
            "list the roles",
        )


def _are_distinct(roles: Value) -> bool:
    return isinstance(roles, list) and bool(roles) and all(roles) and len(set(roles)) == len(roles)


def _header_selectors(plugin: Declared) -> Iterator[Finding]:
    names: set[str] = set()
    headers: set[str] = set()
    for path, selector in plugin.items("headerSelectors"):
        name, header = lookup(selector, "name"), lookup(selector, "headerName")
        fault = None
        if not name or not header or not lookup(selector, "labelKey"):
            fault = "name, headerName and labelKey are required"
        elif lookup(selector, "mode") not in ("strict", "prefer"):
            fault = "the mode is neither strict nor prefer"
        elif name in names or header in headers:
            fault = "its name or its header is listed twice"
        names.add(name)
        headers.add(header)
        if fault:
            yield refusal(
                "parameter-value", path, selector, f"{plugin.type}: {fault}", "correct the selector"
            )
