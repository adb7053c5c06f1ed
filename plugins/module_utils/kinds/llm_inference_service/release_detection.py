# SPDX-License-Identifier: GPL-3.0-or-later
"""By which release of KServe objects were made: it writes none on them, so their shape has to say.

Source: KServe config/llmisvcconfig/, pkg/controller/v1alpha2/llmisvc/@v0.17.0 to v0.19.0 and at aaac4e294dae.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...kube.manifest import Json, value_at
from ...kube.reference import Reference
from ..certificates import AUTHORITY
from ..kind import OtherRelease, Pair
from ..kserve.pod import container_of, variable_of
from ..kserve.releases import KServe
from ..kserve.storage.initializer import NAME as INITIALIZER
from ..release_line import MadeAs
from . import labels
from .conditions.condition_types import PRESETS
from .settings import Settings
from .spec import KIND

_MANAGED = "llm-d.ai/managed"
_HASH = "certificates.kserve.io/cert-hash"


@dataclass(frozen=True, slots=True)
class Sign:
    """One thing by which objects of a release are told from those of the releases before it.

    kind: of the objects that have it. shows: True for the release and later ones, False for earlier ones, None where it says nothing.
    what: in words, for each of the two. updates: whether every object of the release has it, so that its absence is certain as well.
    """

    kind: str
    release: KServe
    shows: Callable[[Json], bool | None]
    what: tuple[str, str]
    updates: bool = True


def _is_of_picker(live: Json) -> bool:
    found = (live["metadata"].get("labels") or {}).get(labels.COMPONENT_LABEL)
    return bool(found == labels.PICKER_COMPONENT)


def _picker_reads_rewrites(live: Json) -> bool | None:
    if not _is_of_picker(live):
        return None
    rules = live.get("rules") or ()
    return any("inferencemodelrewrites" in (rule.get("resources") or ()) for rule in rules)


def _picker_reads_moved(live: Json) -> bool | None:
    if not _is_of_picker(live):
        return None
    return any("llm-d.ai" in (rule.get("apiGroups") or ()) for rule in live.get("rules") or ())


def _restarts_for_certificate(live: Json) -> bool | None:
    template = value_at(live, ("spec", "template", "metadata", "annotations")) or {}
    return False if _is_of_picker(live) and _HASH in template else None


def _fetches_fast(live: Json) -> bool | None:
    pod = value_at(live, ("spec", "template", "spec"))
    fetcher = None if _is_of_picker(live) else container_of(pod, INITIALIZER, "initContainers")
    if fetcher is None or not str((fetcher.get("args") or [""])[0]).startswith("hf://"):
        return None
    return variable_of(fetcher, "HF_HUB_ENABLE_HF_TRANSFER") is not None


def _has_authority(live: Json) -> bool | None:
    """Say whether a Secret has an entry, by the fields that somebody owns: what is in it is not read."""
    entries = live["metadata"].get("managedFields") or ()
    owned = [value_at(entry, ("fieldsV1", "f:data")) or {} for entry in entries]
    return True if any(f"f:{AUTHORITY}" in fields for fields in owned) else None


def _port_is_plain(live: Json) -> bool | None:
    found = (live["metadata"].get("labels") or {}).get(labels.COMPONENT_LABEL)
    ports = value_at(live, ("spec", "ports")) or ()
    if found != f"{labels.PART_OF}-workload" or not ports:
        return None
    return any(one.get("name") == "http" for one in ports)


def _tells_parts(live: Json) -> bool | None:
    status = live.get("status") or {}
    return True if {"appliedConfigs", "workloads"} & status.keys() else None


def _counts_presets(live: Json) -> bool | None:
    """Say whether Ready counts the presets, too."""
    said = [
        one for one in value_at(live, ("status", "conditions")) or () if one.get("type") == PRESETS
    ]
    return all(one.get("severity") != "Info" for one in said) if said else None


def _is_found(live: Json) -> bool | None:
    """Say whether llm-d's autoscaler finds who asks it."""
    asks = "wva_desired_replicas" in json.dumps(live.get("spec") or {})
    return _MANAGED in (live["metadata"].get("annotations") or {}) if asks else None


_FOUND = (f"it has the annotation {_MANAGED}", f"it has no annotation {_MANAGED}")
_SIGNS = (
    Sign(
        "Role",
        KServe.V0_18,
        _picker_reads_rewrites,
        ("it reads inferencemodelrewrites", "it does not read inferencemodelrewrites"),
    ),
    Sign("Secret", KServe.V0_18, _has_authority, (f"it has {AUTHORITY}", "")),
    Sign("Deployment", KServe.V0_18, _restarts_for_certificate, ("", f"its pods have {_HASH}")),
    Sign(
        "Deployment",
        KServe.V0_18,
        _fetches_fast,
        (
            f"{INITIALIZER} has HF_HUB_ENABLE_HF_TRANSFER",
            f"{INITIALIZER} has no HF_HUB_ENABLE_HF_TRANSFER",
        ),
        updates=False,
    ),
    Sign(
        "Service",
        KServe.V0_19,
        _port_is_plain,
        ("its port is called http", "its port is called https"),
        updates=False,
    ),
    Sign(
        "Role",
        KServe.V0_20,
        _picker_reads_moved,
        ("it reads the group llm-d.ai", "it does not read the group llm-d.ai"),
    ),
    Sign("HorizontalPodAutoscaler", KServe.V0_21, _is_found, _FOUND),
    Sign("ScaledObject", KServe.V0_21, _is_found, _FOUND),
    Sign(
        KIND,
        KServe.V0_21,
        _counts_presets,
        (f"{PRESETS} counts for Ready", f"{PRESETS} does not count for Ready"),
    ),
    Sign(KIND, KServe.V0_19, _tells_parts, ("its status names configs and workloads", "")),
)


def other_release(settings: Settings, pairs: Sequence[Pair], certain: bool) -> OtherRelease | None:
    """Return the first sign of another release than the wanted one, None where nothing speaks against it. See `ServiceKind`."""
    for sign in _SIGNS:
        since = sign.release <= settings.release
        for live, wanted in pairs:
            shown = sign.shows(live) if live.get("kind") == sign.kind else None
            if shown is None or shown == since:
                continue
            if not shown and not sign.updates:
                # Only where the release is what changes it, and we have made it.
                becomes = None if certain or wanted is None else sign.shows(wanted)
                if not becomes:
                    continue
            theirs = f"KServe {sign.release} or later" if shown else f"KServe before {sign.release}"
            seen = f"{Reference.of(live)}: {sign.what[0 if shown else 1]}"
            return OtherRelease(theirs, str(settings.release), seen)
    return None


def made_as(objects: Sequence[Json]) -> MadeAs:
    """Return the oldest release that fits what is seen of the objects of a service. What later ones merely add is no sign against them."""
    least, at_least, before = min(KServe), "", ""
    limit: KServe | None = None
    for sign in _SIGNS:
        for live in objects:
            shown = sign.shows(live) if live.get("kind") == sign.kind else None
            if shown and sign.release > least:
                least, at_least = sign.release, _told(sign, live, shown=True)
            elif shown is False and sign.updates and (limit is None or sign.release < limit):
                limit, before = sign.release, _told(sign, live, shown=False)
    excluded = limit is not None and limit <= least
    return MadeAs(least, at_least or before, f"{at_least}, but {before}" if excluded else "")


def _told(sign: Sign, live: Json, *, shown: bool) -> str:
    theirs = f"KServe {sign.release} or later" if shown else f"KServe before {sign.release}"
    return f"{theirs} ({Reference.of(live)}: {sign.what[0 if shown else 1]})"
