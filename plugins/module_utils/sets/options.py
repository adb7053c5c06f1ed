# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of a set that contradict each other or the manifests: refused before a cluster is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..bundles.manifests import Given
from ..kube.crds import release_key
from ..kube.did_you_mean import nearest
from ..kube.problem import Complaint, InputError, Problem
from ..kube.schema_faults import show
from ..kube.text import few
from .input import SUBJECT

#: Options that only one state reads.
_ONLY = {"checks": "gathered", "delete_objects": "absent"}
#: How many names a message has.
_SHOWN = 5


def check_options(params: Mapping[str, Any], given: Sequence[Given]) -> None:
    """Refuse options that have no effect, or another one than they say. Raises InputError with all of them."""
    problems = (*_of_other_states(params), *_edits(params, given), *_version(params))
    if problems:
        raise InputError([Complaint(SUBJECT, problems)])


def _of_other_states(params: Mapping[str, Any]) -> Iterator[Problem]:
    for option, state in _ONLY.items():
        if params[option] and params["state"] != state:
            yield Problem(option, f"is only for state {state}")


def _edits(params: Mapping[str, Any], given: Sequence[Given]) -> Iterator[Problem]:
    """Yield ConfigMaps whose edits are to stay, and that the set does not have."""
    there = sorted(one.reference.name for one in given if one.reference.kind == "ConfigMap")
    for number, name in enumerate(params["keep_edits"] or () if given else ()):
        if name not in there:
            near = nearest(name, there)
            listed = (
                f', did you mean "{near}"?'
                if near
                else f"; there are: {few(there, _SHOWN) or 'none'}"
            )
            yield Problem(f"keep_edits[{number}]", f"the set has no ConfigMap {name}{listed}")


def _version(params: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a version that cannot be compared, of a component whose upgrades go by releases."""
    version = params["version"]
    if version and params["component"] and release_key(version) is None:
        text = f"{show(version)} is no release such as v0.17.0, and nothing else tells an older one from a newer one"
        yield Problem("version", text)
