# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading the option `settings` of a task, which holds what each kind of service wants to know, and the option `releases`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

from ..kube.did_you_mean import nearest
from ..kube.problem import Problem
from ..kube.release import AUTO, Backing, ControllerRelease
from ..kube.schema import Boolean, Integer, Object, Schema, Text
from ..kube.schema_faults import show

R = TypeVar("R", bound=ControllerRelease)

#: Every name that `settings` has, whichever kind reads it: one option serves tasks with services of several kinds.
NAMES = frozenset(
    {
        "cluster_domain",
        "config_prefix",
        "drain_seconds",
        "gateway_name",
        "gateway_namespace",
        "images",
        "kserve_namespace",
        "metrics_endpoint_auth",
        "model_registry",
        "operator_version",
        "pod_mutation",
        "provider",
        "shared_memory",
        "tracing",
        "versioned_config",
        "wildcard_hostname",
    }
)

#: How templates write a whole number.
_WHOLE = re.compile(r"-?[0-9]{1,9}")
BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def meant_for(schema: Object, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that are given, without those that only other kinds read. schema: of those that a kind reads."""
    return {
        key: value
        for key, value in options.items()
        if value is not None and (key in schema.fields or key not in NAMES)
    }


def as_ansible_means(schema: Object, value: Any) -> Any:
    """Return options with the texts that templates make of booleans and numbers, and the numbers of texts, turned back."""
    if not isinstance(value, Mapping):
        return value
    return {key: _meant(schema.fields.get(key), item) for key, item in value.items()}


def _meant(schema: Schema | None, value: Any) -> Any:
    match schema:
        case Object():
            return as_ansible_means(schema, value)
        case Boolean() if isinstance(value, str):
            return BOOLEANS.get(value.lower(), value)
        case Integer() if isinstance(value, str) and _WHOLE.fullmatch(value):
            return int(value)
        case Text() if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        case _:
            return value


def wanted_release(
    wanted: str | None, backing: Mapping[R, Backing], default: R, *, found: bool = False
) -> tuple[R, list[Problem]]:
    """Return the release that a task asks for, and what is wrong with the wish.

    backing: how far a kind of service reproduces each release. default: where the task asks for none.
    found: whether a task may leave the choice to the cluster; then the default is what is chosen where nothing else is known.
    """
    text = str(wanted or default)
    if found and text == AUTO:
        return default, []
    known = {str(release): release for release, how in backing.items() if how != "refused"}
    release = known.get(text.removeprefix("v"))
    if release is not None:
        return release, []
    choices = [f"{each} ({how})" for each, how in backing.items() if how != "refused"]
    if text.removeprefix("v") in map(str, backing):
        message = (
            f"{show(text)} is not reproduced; use {' or '.join(choices)} (docs/kserve_releases.md)"
        )
    else:
        patched = (each for each in known if text.removeprefix("v").startswith(f"{each}."))
        # Numbers that look alike are other releases.
        near = next(patched, None) or (AUTO if found and nearest(text, [AUTO]) else None)
        guess = f', did you mean "{near}"?' if near else ""
        message = (
            f"{show(text)} is not one of {', '.join([*([AUTO] if found else []), *choices])}{guess}"
        )
    return default, [Problem(default.option, message, rule="release")]
