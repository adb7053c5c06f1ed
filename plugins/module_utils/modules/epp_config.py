# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks, migrates and stores the configuration of an endpoint picker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..cluster.connection import Cluster
from ..endpoint_picker.adapters import adapter_findings
from ..endpoint_picker.block_size import block_size_findings
from ..endpoint_picker.cache_events import cache_event_findings
from ..endpoint_picker.check import check_text
from ..endpoint_picker.engine_metrics import engine_metrics_findings
from ..endpoint_picker.engine_types import engine_type_findings
from ..endpoint_picker.findings import Finding
from ..endpoint_picker.later import dropped_later
from ..endpoint_picker.members import member_findings
from ..endpoint_picker.normal_form import differences, meaning_hash
from ..endpoint_picker.objects import deployment_findings, flags_for, pool_findings
from ..endpoint_picker.pod_labels import pod_label_findings
from ..endpoint_picker.releases import PickerRelease, release_of
from ..endpoint_picker.roles import role_findings
from ..kube import gvk
from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError, Problem
from ..kube.reference import Reference
from ..picker import store
from ..picker.input import SUBJECT, Prepared, prepare, sources_problems
from ..picker.names import name_problems
from ..picker.related_objects import check_surroundings
from ..task import arguments
from ..task.result import Clock, stats

EMPTY: Mapping[str, Any] = {
    "changed": False,
    "exists": False,
    "restarted": False,
    "verdict": "",
    "config": {},
    "effective": {},
    "text": "",
    "hash": "",
    "flags": [],
    "findings": [],
    "differences": [],
    "migration": {"changes": [], "decisions": []},
    "stats": {},
}

ARGUMENT_SPEC: arguments.Spec = {
    **arguments.AUTH,
    **arguments.REQUESTS,
    "state": {
        "type": "str",
        "choices": ["present", "absent", "rendered", "gathered"],
        "default": "present",
    },
    "config": {"type": "raw"},
    "src": {"type": "path"},
    "preset": {"type": "str"},
    "overrides": {"type": "dict", "default": {}},
    "target": {"type": "str"},
    "experimental": {"type": "bool", "default": False},
    "migrate_from": {"type": "str"},
    "name": {"type": "str"},
    "namespace": {"type": "str"},
    "key": {"type": "str", "default": "default-plugins.yaml", "no_log": False},
    "restart": {"type": "str"},
    "deployment": {"type": "dict"},
    "pool": {"type": "dict"},
    "workloads": {"type": "list", "elements": "dict", "default": []},
    "force_conflicts": {"type": "bool", "default": False},
}


def run(
    params: Mapping[str, Any],
    *,
    check_mode: bool,
    diff: bool,
    environment: Mapping[str, str],
    progress: Callable[[str], None],  # noqa: ARG001
) -> Json:
    """Return the configuration in normal form and what was found. Raises InputError and ClusterError."""
    clock = Clock()
    state = params["state"]
    _check_options(params)
    release = release_of(params["target"]) if params["target"] else None
    if release is None or state in ("absent", "gathered"):
        with arguments.connection(params, environment) as cluster:
            act = _remove if state == "absent" else _gather
            return {
                **act(cluster, params, release, check_mode),
                "stats": stats(cluster.stats, clock),
            }
    check_surroundings(params)
    prepared = prepare(params, release)
    result = {**_described(prepared, release), "stats": stats(None, clock)}
    report = prepared.report
    findings = [
        *report.findings,
        *dropped_later(report.given, release),
        *_around(params, prepared, release),
    ]
    if state == "rendered" or _failed(findings):
        return _finished(result, findings)
    with arguments.connection(params, environment) as cluster:
        live = _deployment(cluster, params)
        if live is not None and params["deployment"] is None:
            findings += deployment_findings(
                live, prepared.report, release, params["key"], params["pool"]
            )
        if not _failed(findings):
            result |= _store(
                cluster, params, prepared, release, live, check_mode=check_mode, diff=diff
            )
        return _finished({**result, "stats": stats(cluster.stats, clock)}, findings)


def _check_options(params: Mapping[str, Any]) -> None:
    state = params["state"]
    needed = {"rendered": ["target"], "present": ["target", "name", "namespace"]}
    problems = [
        Problem(option, f"state {state} needs it")
        for option in needed.get(state, ["name", "namespace"])
        if not params[option]
    ]
    if state in needed:
        problems += sources_problems(params)
    problems += name_problems(params)
    if problems:
        raise InputError([Complaint(SUBJECT, tuple(problems))])


def _described(prepared: Prepared, release: PickerRelease) -> Json:
    report = prepared.report
    return {
        **EMPTY,
        "verdict": report.verdict,
        "config": report.config,
        "effective": report.effective,
        "text": prepared.text,
        "hash": meaning_hash(report.config),
        "flags": flags_for(report, release),
        **({"migration": prepared.migration.as_json()} if prepared.migration else {}),
    }


def _around(params: Mapping[str, Any], prepared: Prepared, release: PickerRelease) -> list[Finding]:
    findings: list[Finding] = []
    if params["deployment"] is not None:
        findings += deployment_findings(
            params["deployment"], prepared.report, release, params["key"], params["pool"]
        )
    if params["pool"] is not None:
        findings += pool_findings(params["pool"], prepared.report, release)
        findings += member_findings(params["pool"], params["workloads"])
    findings += role_findings(params["workloads"], params["pool"], prepared.report, release)
    findings += block_size_findings(params["workloads"], prepared.report)
    findings += cache_event_findings(params["workloads"], prepared.report)
    findings += adapter_findings(params["workloads"], prepared.report)
    findings += pod_label_findings(params["workloads"], prepared.report)
    findings += engine_type_findings(params["workloads"], prepared.report, release)
    findings += engine_metrics_findings(params["workloads"], prepared.report)
    return findings


def _failed(findings: Iterable[Finding]) -> bool:
    return any(finding.severity == "error" for finding in findings)


def _finished(result: Json, findings: list[Finding]) -> Json:
    """Return the result with what was found; it is a failure where that holds an error."""
    texts = [
        f"{finding.path}: {finding.message}; {finding.fix}"
        if finding.path
        else f"{finding.message}; {finding.fix}"
        for finding in findings
        if finding.severity == "warning"
    ]
    result = {
        **result,
        "findings": [finding.as_json() for finding in findings],
        "warnings": [*texts, *result["migration"]["decisions"]],
    }
    errors = [
        Problem(finding.path, f"{finding.message}; {finding.fix}")
        for finding in findings
        if finding.severity == "error"
    ]
    if errors:
        subject = (
            "the configuration"
            if result["verdict"] == "accept"
            else f"the configuration ({result['verdict']})"
        )
        result |= {"failed": True, "msg": str(Complaint(subject, tuple(errors)))}
    return result


def _deployment(cluster: Cluster, params: Mapping[str, Any]) -> Json | None:
    if not params["restart"]:
        return None
    live = cluster.get(_deployment_name(params))
    if live is None:
        raise InputError.single(SUBJECT, "restart", f"{_deployment_name(params)} does not exist")
    store.refuse_service(live, _deployment_name(params))
    return live


def _deployment_name(params: Mapping[str, Any]) -> Reference:
    return Reference(gvk.APPS, "Deployment", params["namespace"], params["restart"])


def _store(
    cluster: Cluster,
    params: Mapping[str, Any],
    prepared: Prepared,
    release: PickerRelease,
    deployment: Json | None,
    *,
    check_mode: bool,
    diff: bool,
) -> Json:
    reference = store.config_map(params["namespace"], params["name"])
    stored = store.store(
        cluster,
        reference,
        params["key"],
        prepared.text,
        force=params["force_conflicts"],
        dry_run=check_mode,
    )
    result: Json = {"changed": stored.changed, "exists": True}
    if deployment is not None:
        result["restarted"] = store.restart(
            cluster,
            deployment,
            _deployment_name(params),
            meaning_hash(prepared.report.config),
            dry_run=check_mode,
        )
        result["changed"] = result["changed"] or result["restarted"]
    if stored.before:
        before = check_text(stored.before, release, experimental=params["experimental"])
        found = differences(before.config, prepared.report.config)
        result["differences"] = [difference.as_json() for difference in found]
    if diff:
        result["diff"] = [_diff(reference, params["key"], stored.before, prepared.text)]
    return result


def _diff(reference: Reference, key: str, before: str, after: str) -> Json:
    header = f"{reference} data.{key}"
    return {"before_header": header, "after_header": header, "before": before, "after": after}


def _remove(
    cluster: Cluster, params: Mapping[str, Any], dummy: PickerRelease | None, check_mode: bool
) -> Json:
    reference = store.config_map(params["namespace"], params["name"])
    stored = store.remove(cluster, reference, params["key"], dry_run=check_mode)
    difference = _diff(reference, params["key"], stored.before, "")
    return {**EMPTY, "changed": stored.changed, "diff": [difference] if stored.changed else []}


def _gather(
    cluster: Cluster,
    params: Mapping[str, Any],
    release: PickerRelease | None,
    check_mode: bool,  # noqa: ARG001  # reading is the same in check mode
) -> Json:
    live = cluster.get(store.config_map(params["namespace"], params["name"]))
    text = store.text_of(live, params["key"])
    there = params["key"] in ((live or {}).get("data") or {})
    result = {**EMPTY, "exists": there, "text": text}
    if not there or release is None:
        return result
    report = check_text(text, release, experimental=params["experimental"])
    described = _described(Prepared(text, report), release)
    return {
        **described,
        "exists": True,
        "findings": [finding.as_json() for finding in report.findings],
    }
