# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a configuration fits the objects around the picker: its Deployment, and the pool that it serves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from ..kube.manifest import Json
from .catalogue import plugins
from .check import Report
from .findings import Finding, warning
from .flags import CONFIG, POOL, PORTS, meant_flag
from .images import release_of_image
from .probe_ports import probe_findings
from .releases import Generation, PickerRelease

_G = Generation
_EXPERIMENTAL = "allow-experimental-plugins"

_CONFIG = frozenset(CONFIG)
#: Flags by which the picker's container is known.
_OF_PICKER = frozenset((POOL, *CONFIG))

#: Other flags with a value.
_OTHERS = ("--pool-namespace", "--pool-group", "--v", "--cert-path")

#: What each parser can read; others read both.
_HTTP2_ONLY = frozenset({"vllmgrpc-parser", "vertexai-parser"})
_HTTP2 = "kubernetes.io/h2c"

#: Flags that a generation no longer takes, with what to do instead.
_GONE_METRICS = (
    "model-server-metrics-port",
    "model-server-metrics-path",
    "model-server-metrics-scheme",
    "model-server-metrics-https-insecure-skip-verify",
)
_GONE_NAMES = (
    "total-queued-requests-metric",
    "total-running-requests-metric",
    "kv-cache-usage-percentage-metric",
    "lora-info-metric",
    "cache-info-metric",
)


def flags_for(report: Report, release: PickerRelease) -> list[str]:
    """Return the flags that the picker's container needs for a configuration."""
    known = plugins()
    alpha = any(kind in known and known[kind].alpha for kind in report.instances.values())
    return [f"--{_EXPERIMENTAL}"] if alpha and release.generation >= _G.V0_10 else []


def deployment_findings(
    deployment: Json, report: Report, release: PickerRelease, key: str, pool: Json | None = None
) -> Iterator[Finding]:
    """Yield what keeps a Deployment from running the configuration. key: its name in the ConfigMap. pool: the one that it is for."""
    spec = deployment.get("spec") or {}
    for index, container in enumerate(_containers(spec)):
        flags = _flags(container)
        misspelt = {name: near for name in flags if (near := meant_flag(f"--{name}"))}
        if not _OF_PICKER & {
            *(f"--{name.split()[0]}" for name in flags if name),
            *misspelt.values(),
        }:
            continue
        path = f"deployment.spec.template.spec.containers[{index}].args"
        yield from _flag_findings(flags, path, report, release, key)
        yield from _word_findings(flags, path)
        yield from probe_findings(container, flags, path.removesuffix(".args"))
        for name, near in misspelt.items():
            yield warning(
                "flag-unknown",
                path,
                f"--{name}",
                f"the picker has no flag --{name}, and does not start with it",
                f"write {near} if that is what you mean",
            )
        if not _CONFIG & {*(f"--{name.split()[0]}" for name in flags if name), *misspelt.values()}:
            yield warning(
                "config-unread",
                path,
                None,
                "the picker is started without --config-file, so it never reads the configuration, and takes its defaults",
                f"mount the ConfigMap, and add --config-file with the path of {key}",
            )
        yield from _unmounted(container, flags, path)
        yield from _other_picker(
            container, flags, f"deployment.spec.template.spec.containers[{index}]", release, pool
        )
        replicas = spec.get("replicas", 1)
        if replicas and replicas > 1 and not _is_on(flags, "ha-enable-leader-election"):
            yield warning(
                "replicas-without-leader",
                "deployment.spec.replicas",
                replicas,
                "several replicas without leader election each see only a part of the requests",
                "add --ha-enable-leader-election=true, or run one replica",
            )


def _word_findings(flags: dict[str, str], path: str) -> Iterator[Finding]:
    """Yield flags that are in one word with their value, and those that have none."""
    for name, value in flags.items():
        first, blank, rest = name.partition(" ")
        if blank and f"--{first}" in (POOL, *CONFIG, *PORTS, *_OTHERS):
            yield warning(
                "flag-unknown",
                path,
                f"--{name}",
                f'"--{name}" is one word, since no shell splits it, and the picker does not start with it',
                f"write --{first}={rest.strip()}",
            )
        if value == "true" and f"--{name}" in (POOL, *CONFIG):
            yield _fault(
                "flag-value",
                path,
                f"--{name}",
                f"--{name} has no value, and the picker does not start without",
                f"write --{name}=…",
            )


def _unmounted(container: Json, flags: dict[str, str], path: str) -> Iterator[Finding]:
    """Yield a file that is in none of the container's volumes; one without any may have the file in its image."""
    file = flags.get("config-file", "")
    mounts = [str(each.get("mountPath") or "") for each in container.get("volumeMounts") or ()]
    whole = file.startswith("/") and bool(mounts)
    if whole and not any(PurePosixPath(file).is_relative_to(each) for each in mounts):
        folder = PurePosixPath(file).parent
        yield warning(
            "config-unread",
            path,
            file,
            f"no volume of the container is mounted at {folder}, so the picker does not find {file}",
            f"mount the ConfigMap at {folder}",
        )


def _other_picker(
    container: Json, flags: dict[str, str], path: str, release: PickerRelease, pool: Json | None
) -> Iterator[Finding]:
    """Yield signs that a Deployment runs another picker than the one that the configuration is for."""
    image = str(container.get("image") or "")
    there = release_of_image(image)
    if there is not None and there.target != release.target:
        yield warning(
            "image-release",
            f"{path}.image",
            image,
            f"the image {image} is the picker {there.target}, and the configuration is checked for {release.target}",
            f"set target: {there.target}, or take an image of {release.target}",
        )
    metadata = (pool or {}).get("metadata") or {}
    for flag, field in (("pool-name", "name"), ("pool-namespace", "namespace")):
        given, wanted = flags.get(flag, ""), str(metadata.get(field) or "")
        if given and wanted and "$" not in given and given != wanted:
            yield warning(
                "pool-name",
                f"{path}.args",
                given,
                f"the picker is started with --{flag} {given}, and the {field} of the pool is {wanted}",
                f"write --{flag}={wanted}",
            )


def _flag_findings(
    flags: dict[str, str], path: str, report: Report, release: PickerRelease, key: str
) -> Iterator[Finding]:
    for flag in flags_for(report, release):
        if not _is_on(flags, flag.removeprefix("--")):
            yield _fault(
                "flag-missing", path, flag, "the configuration needs this flag", f"add {flag}=true"
            )
    gone = [*(_GONE_METRICS if release.generation >= _G.V0_10 else ())]
    gone += _GONE_NAMES if release.generation >= _G.V1_4 else ()
    for name in gone:
        if name in flags:
            message = f"{release.target} does not take this flag, and does not start with it"
            fix = (
                "give parameters to metrics-data-source"
                if name in _GONE_METRICS
                else "use engineConfigs"
            )
            yield _fault("flag-gone", path, f"--{name}", message, f"delete it; {fix}")
    if "config-file" in flags and "config-text" in flags:
        yield _fault(
            "flag-conflict",
            path,
            "--config-text",
            "--config-file and --config-text exclude each other",
            "keep one",
        )
    file = PurePosixPath(flags.get("config-file", "")).name
    if file and file != key and flags["config-file"] != "true":
        yield _fault(
            "key-mismatch",
            path,
            flags["config-file"],
            f"the picker reads {file} (--config-file), and the configuration is stored as {key}",
            f"set key: {file}",
        )


def pool_findings(pool: Json, report: Report, release: PickerRelease) -> Iterator[Finding]:
    """Yield what keeps a pool and a configuration from working together."""
    spec = pool.get("spec") or {}
    protocol = spec.get("appProtocol", "http")
    if release.generation >= _G.V1_5 and protocol != _HTTP2:
        for name in _parsers(report.config):
            kind = report.instances.get(name, name)
            if kind in _HTTP2_ONLY:
                yield _fault(
                    "parser-protocol",
                    "pool.spec.appProtocol",
                    protocol,
                    f"{kind} reads {_HTTP2} only, so the picker never becomes ready",
                    f"set appProtocol: {_HTTP2}, or use another parser",
                )
    ports = spec.get("targetPorts") or []
    if len(ports) > 1 and release.generation == _G.V1_0:
        yield _fault(
            "pool-ports",
            "pool.spec.targetPorts",
            len(ports),
            f"{release.target} takes exactly one target port",
            "keep one port",
        )
    api_version = str(pool.get("apiVersion", ""))
    if api_version.startswith("inference.networking.x-k8s.io/") and release.generation >= _G.V1_5:
        yield _fault(
            "pool-version",
            "pool.apiVersion",
            api_version,
            f"{release.target} does not read pools of this version",
            "use inference.networking.k8s.io/v1",
        )


def _fault(rule: str, path: str, value: object, message: str, fix: str) -> Finding:
    return Finding(rule, "error", path, value, message, fix)


def _parsers(config: Json) -> list[str]:
    handler = config.get("requestHandler") or {}
    entries = [*handler.get("parsers", []), config.get("parser") or {}]
    return [entry["pluginRef"] for entry in entries if entry.get("pluginRef")]


def _containers(spec: Json) -> list[Json]:
    pod = (spec.get("template") or {}).get("spec") or {}
    containers: list[Json] = pod.get("containers") or []
    return containers


def _flags(container: Json) -> dict[str, str]:
    """Return the flags of a container with their values; `true` for one without."""
    flags: dict[str, str] = {}
    waiting = ""
    for word in [*(container.get("command") or []), *(container.get("args") or [])]:
        text = str(word)
        if text.startswith("-"):
            name, equals, value = text.lstrip("-").partition("=")
            flags[name] = value if equals else "true"
            waiting = "" if equals else name
        elif waiting:
            flags[waiting], waiting = text, ""
    return flags


def _is_on(flags: dict[str, str], name: str) -> bool:
    return flags.get(name, "false").lower() in ("true", "1", "t")
