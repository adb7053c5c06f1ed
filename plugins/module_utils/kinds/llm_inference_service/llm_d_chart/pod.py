# SPDX-License-Identifier: GPL-3.0-or-later
"""The pod of a role: the chart's first container becomes `main`, all else is carried over as it is."""

from __future__ import annotations

from dataclasses import dataclass

from ....kube.fields import filled
from ....kube.manifest import Json
from .accelerator import Accelerator, Parallelism
from .values import Values

#: Fields of a role that are fields of the pod.
POD_FIELDS = (
    "nodeSelector",
    "tolerations",
    "affinity",
    "topologySpreadConstraints",
    "volumes",
    "initContainers",
    "imagePullSecrets",
    "schedulerName",
    "priorityClassName",
    "hostIPC",
    "hostPID",
    "enableServiceLinks",
    "terminationGracePeriodSeconds",
)
#: Fields of a container that are carried over as they are.
CONTAINER_FIELDS = (
    "image",
    "imagePullPolicy",
    "envFrom",
    "securityContext",
    "volumeMounts",
    "workingDir",
    "stdin",
    "tty",
    "lifecycle",
)
#: Flags that the presets give the engine themselves.
PRESET_FLAGS = ("--model", "--port", "--served-model-name")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_PRESET = "the preset has its own; give it in template.containers[main] to replace it"


@dataclass(frozen=True)
class Shared:
    """What both roles share."""

    account: str
    scheduler: str


def pod(role: Values, shared: Shared, accelerator: Accelerator, sizes: Parallelism) -> Json:
    """Return the pod template of a role."""
    found = {name: role.take(name) for name in POD_FIELDS}
    found |= {"securityContext": role.take("podSecurityContext"), **role.mapping("extraConfig")}
    found["schedulerName"] = found.get("schedulerName") or shared.scheduler
    found["serviceAccountName"] = shared.account
    if str(found.get("priorityClassName") or "").lower() == "none":
        found["priorityClassName"] = None
    found["affinity"] = found.get("affinity") or _affinity(role.part("acceleratorTypes"))
    claims = role.items("resourceClaims")
    if accelerator.claimed:
        role.report.left[role.at("accelerator.dra")] = (
            f"create a ResourceClaimTemplate for {sizes.devices} {accelerator.type} devices, and name it in"
            " resourceClaims of the pod and in resources.claims of the container main"
        )
    found["resourceClaims"] = claims
    first, *others = role.parts("containers") or [Values({}, role.report, role.at("containers[0]"))]
    main = _main(first, accelerator, sizes, [str(claim.get("name")) for claim in claims])
    found["containers"] = [main, *(each.take_all() for each in others)]
    return filled(found)


def _main(values: Values, accelerator: Accelerator, sizes: Parallelism, claims: list[str]) -> Json:
    values.take("name")
    found = {name: values.take(name) for name in CONTAINER_FIELDS}
    found |= values.mapping("extraConfig")
    for name in ("ports", *PROBES):
        values.leave(name, _PRESET)
    if not values.flag("mountModelVolume", default=True):
        values.report.left[values.at("mountModelVolume")] = (
            "the model is always mounted at /mnt/models; set storageInitializer.enabled to false to leave it out"
        )
    custom = _command(values, found)
    variables = values.items("env")
    given = {each.get("name") for each in variables if isinstance(each, dict)}
    more = [*(_sizes(sizes) if custom else []), *accelerator.variables()]
    variables += [each for each in more if each["name"] not in given]
    resources = values.mapping("resources")
    limits = accelerator.limits(str(found.get("image") or ""), sizes.devices)
    resources["limits"] = {**limits, **(resources.get("limits") or {})}
    resources["claims"] = [{"name": name} for name in claims]
    return filled({"name": "main", **found, "env": variables, "resources": filled(resources)})


def _command(values: Values, found: Json) -> bool:
    """Add the command line; return whether it is the author's own."""
    how = values.text("modelCommand", "custom")
    command, words = values.items("command"), values.items("args")
    if how == "custom":
        if not command:
            values.refuse("command", "the chart needs a command where modelCommand is custom")
        found |= {"command": command, "args": words}
        values.report.left[values.at("command")] = (
            "it is carried over and replaces the preset's: let it serve /mnt/models, on port 8000, or 8001 behind the"
            " routing sidecar"
        )
        return True
    if how == "imageDefault":
        values.report.left[values.at("modelCommand")] = (
            "the preset starts `vllm serve`, not the image's own command; give a command where the image differs"
        )
    elif how != "vllmServe":
        values.refuse("modelCommand", f"{how!r} is none of vllmServe, imageDefault, custom")
    found["args"] = list(_own_words(values, words))
    return False


def _own_words(values: Values, words: list[object]) -> list[object]:
    """Return arguments without the flags that the preset gives, whether they are one word or two."""
    kept: list[object] = []
    value_of_dropped = False
    for index, word in enumerate(words):
        flag = str(word).partition("=")[0]
        if flag in PRESET_FLAGS:
            values.report.left[values.at(f"args[{index}]")] = f"the preset gives {flag} itself"
        elif not value_of_dropped or str(word).startswith("--"):
            kept.append(word)
        value_of_dropped = str(word) in PRESET_FLAGS
    return kept


def _sizes(sizes: Parallelism) -> list[Json]:
    """Return the variables in which the chart tells a command how the model is spread."""
    told = {"DP_SIZE": sizes.data, "TP_SIZE": sizes.tensor, "DP_SIZE_LOCAL": sizes.data_local}
    return [{"name": name, "value": str(size)} for name, size in told.items()]


def _affinity(types: Values) -> Json | None:
    """Return the affinity to nodes that the chart makes of `acceleratorTypes`."""
    key, wanted = types.text("labelKey"), types.items("labelValues")
    if not key:
        return None
    term = {"matchExpressions": [{"key": key, "operator": "In", "values": wanted}]}
    required = {"nodeSelectorTerms": [term]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
