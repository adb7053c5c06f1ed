# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences that are meant: each has its row in docs/differences.md."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.pod import (
    SIDECAR,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.validation.objects import (
    object_problems,
)
from tests.parity.compare import differences

from .batch import Outcome

Json = dict[str, Any]

#: Rules by which a service is refused that the controller admits and then never gets done, and says so nowhere or in Go's words.
_ON_PURPOSE = frozenset({"name", "route-empty", "ca-bundle", "unknown-field"})
#: From this release on a webhook writes the service anew as it has read it, before the schema is asked: L102.
_FILLED_SINCE = KServe.V0_19
_READ_OTHERWISE = re.compile(
    r'null is not|\d+\.\d+ is not a quantity|must not be empty|"" is not one of'
)
#: Rules about what is built of a router, after the controller has looked whether its gateways and routes are there.
_OF_ROUTERS = frozenset({"route-parents", "route-backends", "picker-migration"})
#: A status as Go writes it, with addresses of its memory, up to the next route or the end.
_DUMP = re.compile(
    r"v1\.HTTPRouteStatus\{.*?\(0x[0-9a-f]+\).*?(?=\]$| [\w.-]+/[\w.-]+: )|not reported on by [^\]]*?(?=\]$| [\w.-]+/[\w.-]+: )"
)
#: Of managed accounts that are not used any more, the account or its rights stay: L4.
ACCESS = frozenset({"ServiceAccount", "Role", "RoleBinding", "ClusterRoleBinding"})
_OF_POOL = "InferencePoolReady"
_CONFIG_FLAG = "--config-text"
#: Variables for fetching from Hugging Face, which only new services get: L90.
_FETCHING = frozenset(
    {"HF_HUB_ENABLE_HF_TRANSFER", "HF_XET_HIGH_PERFORMANCE", "HF_XET_NUM_CONCURRENT_RANGE_GETS"}
)
#: Containers with a model's image; one after the first has a number.
_CAR = re.compile(r"modelcar(-init)?(-\d+)?")


def is_refused_on_purpose(problems: Sequence[Any], document: Json, release: KServe) -> bool:
    """Return whether we refuse for reasons of our own alone: L27, L36, L42, L44, L63, L67, L102, L103."""
    return all(
        one.rule in _ON_PURPOSE or is_passed_over(one, document, release) for one in problems
    )


def is_passed_over(problem: Any, document: Json, release: KServe) -> bool:
    """Return whether the webhooks of a release correct or overlook what we refuse: L102, L103."""
    old = document["apiVersion"].endswith("/v1alpha1")
    return is_filled(problem, release) or (old and problem.rule == "managed-claim")


def is_taken(problem: Any, document: Json, release: KServe) -> bool:
    """Return whether the API takes what a problem refuses: L36, L42, L102, L103."""
    return problem.rule == "name" or is_passed_over(problem, document, release)


def is_filled(problem: Any, release: KServe) -> bool:
    """Return whether a webhook of the release writes another value for what we refuse: L102."""
    if release < _FILLED_SINCE:
        return False
    return problem.rule == "missing" or _READ_OTHERWISE.match(problem.message) is not None


def tells_alike(ours: str, theirs: str) -> bool:
    """Return whether a message of ours says what a condition does: without who called whom (L95, L96), or where in a text nobody sees (L63)."""
    broken = "failed to unmarshal config from template: invalid character"
    said = ours.partition(" (KServe reports")[0]
    first, dummy, last = said.partition(": ")
    inside = theirs.startswith(f"{first}: ") and f": {last}" in theirs
    return theirs in ours or said in theirs or inside or (broken in ours and broken in theirs)


def without_dumps(message: str) -> str:
    """Return a message of routes with a mark where Go's memory is, or whom we name instead: L47."""
    return _DUMP.sub("<not reported>", message)


def groups_cannot_be(problems: Sequence[Any], sent: Sequence[Json]) -> bool:
    """Return whether the API takes groups whose pods it will refuse: L11."""
    groups = any(each["kind"] == "LeaderWorkerSet" for each in sent)
    return groups and {problem.rule for problem in problems} == {"pod"}


def stops_half_way(status: Json) -> bool:
    """Return whether the controller makes nothing of the router because of what is not there: L61."""
    conditions = status.get("conditions") or ()
    return any(one.get("reason") == "RefsInvalid" for one in conditions)


def is_never_reached(rules: Sequence[str], status: Json) -> bool:
    """Return whether the controller stops before what we refuse: a router whose parts are not there yet is not built: L61."""
    return set(rules) <= _OF_ROUTERS and stops_half_way(status)


def fails_though_stopped(document: Json, status: Json) -> bool:
    """Return whether the controller reports of a stopped service that it could not build what it would not have run, or nothing: L104."""
    annotations = document["metadata"].get("annotations") or {}
    stopped = str(annotations.get("serving.kserve.io/stop", "")).lower() == "true"
    conditions = status.get("conditions") or ()
    # It says nothing of one that it panics about.
    said = [str(one.get("reason", "")) for one in conditions]
    return stopped and (not said or any(reason.endswith("Error") for reason in said))


def missed_a_pool(outcome: Outcome, phase: int) -> bool:
    """Return whether the controller reports of somebody else's pool what it was in the phase before: L107."""
    pool = (outcome.case.document["spec"].get("router") or {}).get("scheduler") or {}
    said = [
        [one for one in outcome.status(each).get("conditions") or () if one["type"] == _OF_POOL]
        for each in (phase - 1, phase)
    ]
    of_others = (pool.get("pool") or {}).get("ref") is not None
    same = bool(said[0]) and said[0] == said[1] and said[0][0]["status"] == "False"
    return phase > 0 and of_others and same


def needs_what_groups_do_not(outcome: Outcome) -> bool:
    """Return whether the controller fails at the single pods of a service of groups, which it does not run: L105."""
    alone = outcome.case.document["spec"].get("worker") is not None
    said = [str(one.get("message")) for one in outcome.status(0).get("conditions") or ()]
    lacking = re.compile(r'expected main deployment: .*: secrets "[^"]*" not found')
    return alone and any(lacking.search(message) for message in said)


def is_left(child: Json) -> bool:
    """Return whether the controller leaves an object of parts that are not used any more: L4, L106."""
    labels = child["metadata"].get("labels") or {}
    picker = labels.get("app.kubernetes.io/component") == "llminferenceservice-router-scheduler"
    own = child["kind"] == "Service" and not child["metadata"]["name"].endswith("-epp-service")
    return child["kind"] in ACCESS or (picker and own)


def without_fetching(value: Any) -> Any:
    """Return an object without the variables that only new services get: L90."""
    if isinstance(value, list):
        return [without_fetching(each) for each in value]
    if not isinstance(value, dict):
        return value
    found = {key: without_fetching(each) for key, each in value.items()}
    if isinstance(found.get("env"), list):
        found["env"] = [one for one in found["env"] if one.get("name") not in _FETCHING]
        if not found["env"]:
            del found["env"]
    return found


def without_configuration(value: Any) -> Any:
    """Return an object without the text of a picker's configuration, which the controller takes from the live Deployment: L18."""
    if isinstance(value, list):
        pairs = zip([None, *value], value, strict=False)
        return [
            "<kept>" if before == _CONFIG_FLAG else without_configuration(each)
            for before, each in pairs
        ]
    if isinstance(value, dict):
        return {key: without_configuration(each) for key, each in value.items()}
    return value


def is_car(container: Json) -> bool:
    """Tell whether a container holds the image of a model."""
    return _CAR.fullmatch(str(container.get("name", ""))) is not None


def refused_alike(refused: Mapping[Any, Json], ours: Mapping[Any, Json]) -> bool:
    """Return whether the API refuses a child of theirs that is as ours, or that we refuse, too: L11. The controller stops there, and we before any write."""
    both = ours.keys() & refused.keys()
    return any(
        object_problems(ours[key]) or not differences({key: ours[key]}, {key: refused[key]})
        for key in both
    )


def without_own_backend(route: Json, name: str) -> Json:
    """Return a route without what its service is reached by, which is its Service until its status names a pool: L84."""
    own = (f"{name}-kserve-workload-svc", f"{name}-inference-pool")
    rules = [
        {
            **rule,
            "backendRefs": [
                {"weight": one.get("weight")} if one["name"] in own else one
                for one in rule.get("backendRefs") or ()
            ],
        }
        for rule in route["spec"].get("rules") or ()
    ]
    return {**route, "spec": {**route["spec"], "rules": rules}}


def shown(value: Json) -> Json:
    """Return a map as both would have it: a container without the shell command of a model image, which is our own (L69).

    A sidecar knows its pool once: L68.
    """
    if value.get("name") == SIDECAR and isinstance(value.get("env"), list):
        last = {each.get("name"): each for each in value["env"] if isinstance(each, dict)}
        return {
            **value,
            "env": [each for each in value["env"] if last.get(each.get("name")) is each],
        }
    if is_car(value) and len(value.get("args") or ()) == 3:
        return {**value, "args": [*value["args"][:2], "<script>"]}
    return value
