# SPDX-License-Identifier: GPL-3.0-or-later
"""The pods of a bundle's workloads, and what is set on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...kube.containers import containers_of
from ...kube.manifest import Json, value_at
from ...kube.problem import Problem
from ...kube.schema_faults import show

WORKLOADS = ("Deployment", "DaemonSet", "StatefulSet")
#: Stands for every workload of the bundle.
ALL = "*"
#: Containers that serve the manager of a pod, and take none of its arguments.
_SIDECARS = frozenset({"kube-rbac-proxy"})
_LEADER = "--leader-elect"
#: What may be set on a workload, and its type.
_OPTIONS: Mapping[str, type] = {
    "env": dict,
    "extra_args": list,
    "feature_gates": dict,
    "leader_election": bool,
    "log_level": str,
    "node_selector": dict,
    "replicas": int,
    "resources": dict,
    "tolerations": list,
}
#: Words of controller-runtime's `--zap-log-level`. Source: controller-runtime pkg/log/zap/flags.go.
_LEVELS = ("debug", "info", "error", "panic")
_RESOURCES = ("claims", "limits", "requests")
_NAMES = {dict: "a map", list: "a list", bool: "true or false", str: "a text", int: "a number"}


def pod_spec(manifest: Json) -> Json | None:
    """Return the pod spec of a workload, None for other kinds."""
    if manifest["kind"] == "CronJob":
        found = value_at(manifest, ("spec", "jobTemplate", "spec", "template", "spec"))
    elif manifest["kind"] in (*WORKLOADS, "Job"):
        found = value_at(manifest, ("spec", "template", "spec"))
    else:
        found = None
    return found if isinstance(found, dict) else None


def containers(manifest: Json) -> Iterator[Json]:
    """Yield the containers of a workload, those that run before the others too."""
    yield from (container for container, dummy in containers_of(pod_spec(manifest) or {}))


def set_workloads(
    manifests: Sequence[Json], wanted: Mapping[str, Mapping[str, Any]]
) -> Iterator[Problem]:
    """Change workloads by their names; what is under `*` holds for all. Yields a problem for each unknown name."""
    yield from _mistakes(wanted)
    workloads = [manifest for manifest in manifests if manifest["kind"] in WORKLOADS]
    names = {manifest["metadata"]["name"] for manifest in workloads}
    for name in sorted(wanted.keys() - names - {ALL}):
        text = f"the bundle has no such workload; there are: {', '.join(sorted(names)) or 'none'}"
        yield Problem(f"transform.workloads.{name}", text)
    for manifest in workloads:
        for name in (ALL, manifest["metadata"]["name"]):
            options = wanted.get(name)
            if isinstance(options, Mapping) and not any(_mistakes({name: options})):
                yield from _set(manifest, options, f"transform.workloads.{name}")


def _mistakes(wanted: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a problem for each option that is unknown or of another type."""
    for name, options in wanted.items():
        path = f"transform.workloads.{name}"
        if not isinstance(options, Mapping):
            yield Problem(path, f"{type(options).__name__} is not a map of options")
            continue
        for option, value in options.items():
            kind = _OPTIONS.get(option)
            if kind is None:
                text = f"unknown option; there are: {', '.join(sorted(_OPTIONS))}"
                yield Problem(f"{path}.{option}", text)
            elif value is not None and (
                not isinstance(value, kind) or (kind is int and isinstance(value, bool))
            ):
                text = f"{value!r} is of type {type(value).__name__}, expected {_NAMES[kind]}"
                yield Problem(f"{path}.{option}", text)
            else:
                yield from _value_faults(option, value, f"{path}.{option}")


def _value_faults(option: str, value: Any, path: str) -> Iterator[Problem]:
    """Yield what is wrong within the value of an option: nobody else would say it before the manager stops."""
    if option == "extra_args":
        flag = ""
        for number, argument in enumerate(value or ()):
            # A flag without its value may have it as the next argument.
            follows = flag.startswith("-") and "=" not in flag
            flag = argument if isinstance(argument, str) else ""
            if not flag or not (flag.startswith("-") or follows):
                text = f"{show(argument)} is not a flag; write --name=value"
                yield Problem(f"{path}[{number}]", text)
    elif option == "log_level" and value and not value.isdecimal():
        if value.lower() not in _LEVELS:
            words = ", ".join(_LEVELS)
            yield Problem(path, f"{show(value)} is no level; write one of {words}, or a number")
    elif option == "resources":
        for part in value or ():
            if part not in _RESOURCES:
                text = f"unknown part; there are: {', '.join(_RESOURCES)}"
                yield Problem(f"{path}.{part}", text)


def _set(manifest: Json, options: Mapping[str, Any], path: str) -> Iterator[Problem]:
    pod = pod_spec(manifest)
    if pod is None:
        return
    replicas = options.get("replicas")
    if replicas is not None and manifest["kind"] == "DaemonSet":
        if not path.endswith(ALL):
            yield Problem(f"{path}.replicas", "a DaemonSet has no replicas; set node_selector")
    elif replicas is not None:
        manifest["spec"]["replicas"] = replicas
    if options.get("node_selector") is not None:
        pod["nodeSelector"] = dict(options["node_selector"])
    if options.get("tolerations") is not None:
        pod["tolerations"] = list(options["tolerations"])
    manager = _manager(pod)
    if options.get("resources") is not None:
        manager["resources"] = dict(options["resources"])
    if options.get("env"):
        _set_env(manager, options["env"])
    _set_arguments(manager, options)


def _manager(pod: Json) -> Json:
    """Return the container that does the work."""
    found: list[Json] = [each for each in pod["containers"] if each.get("name") not in _SIDECARS]
    named = [each for each in found if each.get("name") == "manager"]
    return (named or found or pod["containers"])[0]


def _set_env(container: Json, values: Mapping[str, Any]) -> None:
    kept = [each for each in container.get("env") or [] if each.get("name") not in values]
    given = [{"name": name, "value": str(value)} for name, value in values.items()]
    container["env"] = kept + given


def _set_arguments(container: Json, options: Mapping[str, Any]) -> None:
    arguments: list[str] = list(container.get("args") or [])
    if options.get("leader_election") is not None:
        arguments = [each for each in arguments if not _is(each, _LEADER)]
        arguments.append(f"{_LEADER}={str(options['leader_election']).lower()}")
    if options.get("log_level"):
        arguments = _with_level(arguments, str(options["log_level"]))
    if options.get("feature_gates"):
        arguments = _with_gates(arguments, options["feature_gates"])
    for argument in options.get("extra_args") or []:
        flag = argument.partition("=")[0]
        arguments = [each for each in arguments if not _is(each, flag)] + [argument]
    if arguments or "args" in container:
        container["args"] = arguments


def _is(argument: str, flag: str) -> bool:
    return argument.partition("=")[0] == flag


def _with_level(arguments: list[str], level: str) -> list[str]:
    """Return the arguments with a level: a number for klog's `--v`, which the bundle then has, else a word for controller-runtime."""
    flag = next((each for each in ("--v", "-v") if any(_is(a, each) for a in arguments)), "")
    if not flag:
        flag = "--v" if level.isdigit() else "--zap-log-level"
    return [each for each in arguments if not _is(each, flag)] + [f"{flag}={level}"]


def _with_gates(arguments: list[str], wanted: Mapping[str, bool]) -> list[str]:
    """Return the arguments with feature gates beside those that they have."""
    gates: dict[str, str] = {}
    for argument in arguments:
        if _is(argument, "--feature-gates"):
            pairs = [pair.partition("=") for pair in argument.partition("=")[2].split(",")]
            gates |= {name: value for name, dummy, value in pairs if name}
    gates |= {name: str(value).lower() for name, value in wanted.items()}
    text = ",".join(f"{name}={value}" for name, value in sorted(gates.items()))
    rest = [each for each in arguments if not _is(each, "--feature-gates")]
    return [*rest, f"--feature-gates={text}"]
