# SPDX-License-Identifier: GPL-3.0-or-later
"""Feature gates."""

from __future__ import annotations

from ...kube.did_you_mean import nearest
from ..findings import Finding, refusal, unknown
from ..releases import Generation, PickerRelease, releases
from .loading import Loading

#: What Go's strconv.ParseBool takes, in lower case.
_BOOLEANS = {
    **dict.fromkeys(("1", "t", "true"), True),
    **dict.fromkeys(("0", "f", "false"), False),
}


def load_gates(loading: Loading) -> None:
    """Read the feature gates; a later entry for a gate wins."""
    loading.gates = dict(loading.release.gates)
    for index, entry in enumerate(loading.config.get("featureGates", [])):
        name, value, fault = _read(entry, f"featureGates[{index}]", loading.release)
        if fault is not None:
            loading.report([fault])
        else:
            loading.gates[name] = value


def _read(entry: str, path: str, release: PickerRelease) -> tuple[str, bool, Finding | None]:
    if release.generation < Generation.V0_10:
        return entry, True, None if entry in release.gates else _unknown(entry, path, release)
    name, *values = entry.split("=")
    if name not in release.gates:
        return name, True, _unknown(name, path, release)
    if not values:
        return name, True, None
    value = _BOOLEANS.get(values[0].lower().strip())
    if value is not None:
        return name, value, None
    fault = refusal(
        "gate-value",
        path,
        entry,
        f"{values[0]!r} is no boolean",
        f"write {name}, {name}=true or {name}=false",
    )
    return name, True, fault


def _unknown(name: str, path: str, release: PickerRelease) -> Finding:
    having = [target for target, other in releases().items() if name in other.gates]
    sure = bool(having) or release.judged
    hint = nearest(name, release.gates)
    message = f"{release.target} has no feature gate {name}" + (
        f"; it exists in {', '.join(having)}" if having else ""
    )
    fix = f"did you mean {hint}?" if hint and not having else "delete it"
    if "=" in name:
        fix = "name=value is read from llm-d 0.10 on; write only the name, or delete the entry"
    return unknown("gate-unknown", path, name, message, fix, sure=sure)
