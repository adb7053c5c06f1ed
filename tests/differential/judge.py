# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the controller and we disagree about a service."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.certificate.request import (
    certificate_request,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.compile import (
    compile as compile_service,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.normalise import (
    load,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.observe import (
    observe,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.presets.resolve import (
    resolve,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.router.routing_group import (
    routing_group,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.settings import (
    Settings,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.peers import NOBODY
from ansible_collections.modelops.inference.plugins.module_utils.kube.manifest import value_at
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import InputError
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference
from tests.parity.compare import by_key, differences, key_of
from tests.parity.recorded_llm_services import Recorded

from . import meant
from .admission import Verdict, parted
from .batch import Outcome

Json = dict[str, Any]
_RANDOM = {
    "certificates.kserve.io/expiration": "<time>",
    "certificates.kserve.io/cert-hash": "<random>",
    "example.com/expires": "<time>",
    "example.com/hash": "<random>",
}

_FIELD = re.compile(
    r"(?:^|[ \[])((?:spec|metadata)[\w.\[\]]*): (?:Invalid|Required|Forbidden|Unsupported|Too)"
)


def judge(outcome: Outcome, system: Sequence[Json], settings: Settings) -> list[str]:
    """Return one line for each difference."""
    before = surroundings_of(outcome, system)
    sent = [plain(each) for each in outcome.sent]
    loaded = load(outcome.case.document, settings)
    if outcome.refusal is not None or loaded.service is None:
        return list(_admission(outcome, loaded, settings))
    service = loaded.service
    try:
        intent = compile_service(service, settings, Recorded(before.values()))
    except InputError as error:
        told = [each for complaint in error.complaints for each in complaint.problems]
        return list(_refused(outcome, told, settings))
    ours = [child.manifest.to_dict() for child in intent.children]
    mine, theirs = by_key(map(plain, ours)), by_key(sent)
    posted = [plain(each["body"]) for each in outcome.rejected if each["method"] == "POST"]
    # The controller tries again and again.
    refused = {key: one for body in posted for key, one in by_key([body]).items()}
    if meant.refused_alike(refused, mine):
        common = {key: each for key, each in mine.items() if key in theirs}
        return differences(common, theirs)
    lines = list(_rejections(outcome))
    if value_at(service.spec, ("router", "route", "group")) is not None:
        mine, theirs = (_without_own_backends(each, service.name) for each in (mine, theirs))
    if meant.needs_what_groups_do_not(outcome):
        common = {key: each for key, each in mine.items() if key in theirs}
        return [*lines, *differences(common, theirs)]
    fails = meant.fails_though_stopped(outcome.case.document, outcome.status(0))
    if fails or meant.stops_half_way(outcome.status(0)):
        mine = {key: each for key, each in mine.items() if key in theirs}
    lines += differences(mine, theirs)
    if not lines and [key for key in map(key_of, ours) if key in theirs] != list(theirs):
        lines.append("the order of the children differs")
    lines += _statuses(outcome, service, settings, system)
    return lines


def surroundings_of(outcome: Outcome, system: Sequence[Json]) -> dict[Reference, Json]:
    """Return what a service is rendered with: what was there before it, and the certificate."""
    before = {Reference.of(each): each for each in (*system, *outcome.case.context)}
    if outcome.case.account:
        account = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "default", "namespace": outcome.case.namespace},
        }
        before.setdefault(Reference.of(account), account)
    for secret in map(plain, outcome.sent):
        if secret.get("type") == "kubernetes.io/tls":
            data = {key: b64encode(b"of a test").decode() for key in secret["data"]}
            before[Reference.of(secret)] = {**secret, "data": data}
    return before


def plain(body: Json) -> Json:
    """Return what was sent without what differs each time."""
    metadata = dict(body["metadata"])
    metadata.pop("creationTimestamp", None)
    found = {**body, "metadata": metadata}
    if body.get("type") == "kubernetes.io/tls" and "data" in body:
        found["data"] = dict.fromkeys(body["data"], "<random>")
    result: Json = _masked(found)
    return result


def _masked(value: Any) -> Any:
    if isinstance(value, dict):
        value = meant.shown(value)
        return {
            key: _RANDOM.get(key, _masked(each))
            for key, each in value.items()
            if not (key == "creationTimestamp" and each is None)
        }
    if isinstance(value, list):
        return [_masked(each) for each in value]
    return value


def _without_own_backends(objects: dict[Any, Json], name: str) -> dict[Any, Json]:
    return {
        key: meant.without_own_backend(each, name) if each["kind"] == "HTTPRoute" else each
        for key, each in objects.items()
    }


def _admission(outcome: Outcome, loaded: Any, settings: Settings) -> Iterator[str]:
    ours = [p for p in loaded.problems if p.severity == "error"]
    if outcome.refusal is None and meant.is_refused_on_purpose(
        ours, outcome.case.document, settings.release
    ):
        return
    if outcome.refusal is None:
        yield f"admission: only we refuse: {[(p.path, p.rule, p.message) for p in ours]}"
        return
    theirs = outcome.refusal["message"]
    if not ours:
        yield f"admission: only they refuse: {theirs}"
        return
    if 'denied the request: parse "' in theirs and any(one.rule == "model" for one in ours):
        # The webhook could not read the URI, and says nothing of the rest.
        return
    said = {problem.path for problem in ours}
    for field in sorted(set(_FIELD.findall(theirs))):
        if not any(path.startswith(field) or field.startswith(path) for path in said):
            yield f"admission: they also refuse {field}: {theirs}"
    if "denied the request" not in theirs:
        # What the schema refuses no validating webhook sees.
        return
    for problem in ours:
        field = re.sub(r"\[\d+\]|\"", "", problem.path)
        if field not in re.sub(r"\[\d+\]", "", theirs) and problem.rule != "unknown-field":
            yield f"admission: we also refuse {problem.path} ({problem.message}); they say: {theirs}"


def _conditions(status: Json) -> list[Json]:
    return [
        {
            key: _known(meant.without_dumps(value)) if key == "message" else value
            for key, value in one.items()
            if key != "lastTransitionTime"
        }
        for one in status.get("conditions") or ()
    ]


def _errors(outcome: Outcome) -> list[str]:
    return [
        f"{one['type']}/{one.get('reason')}: {one.get('message', '')}"
        for one in _conditions(outcome.status(0))
        if one["status"] == "False"
        and str(one.get("reason", "")).endswith(("Error", "ConfigNotFound"))
    ]


def _rejections(outcome: Outcome) -> Iterator[str]:
    told = {
        json.dumps([each["method"], each["path"], each.get("refusal")]): each
        for each in outcome.rejected
    }
    for entry in told.values():
        if "/status" in entry["path"] or entry["method"] == "DELETE":
            continue
        message = (entry.get("refusal") or {}).get("message", "")
        yield f"the API server refuses {entry['method']} {entry['path']}: {message}"


def _refused(outcome: Outcome, told: Sequence[Any], settings: Settings) -> Iterator[str]:
    messages = [_known(problem.message) for problem in told]
    text = "\n".join(messages)
    errors = _errors(outcome)
    rejections = list(_rejections(outcome))
    rules = sorted({problem.rule for problem in told})
    if meant.is_refused_on_purpose(
        told, outcome.case.document, settings.release
    ) or meant.groups_cannot_be(told, outcome.sent):
        return
    if meant.is_never_reached(rules, outcome.status(0)):
        return
    if not errors and not rejections:
        yield f"only we refuse {rules}: {text}; their events: {sorted(set(outcome.events))[:3]}"
        return
    for error in errors:
        said = _known(error.partition(": ")[2])
        if (
            not any(meant.tells_alike(each, said) for each in messages)
            and not rejections
            and "nil pointer" not in error
        ):
            yield f"refused {rules} with other words: they say {error!r}, we say {text!r}"


def _known(message: str) -> str:
    """Return a message without where in a text nobody sees something is (L63), and without whether Go has an empty list or none."""
    unplaced = re.sub(r"config:1:(<offset>|\d+):", "config:1:", message)
    broken = re.sub(r"(from template: invalid character) .*", r"\1", unplaced)
    return broken.replace('"containers":null', '"containers":[]')


def bare(status: Json) -> Json:
    """Return a status without what depends on the clock."""
    kept = {key: value for key, value in status.items() if key != "observedGeneration"}
    return {**kept, "conditions": _conditions(status)} if status.get("conditions") else kept


def _statuses(
    outcome: Outcome, service: Any, settings: Settings, system: Sequence[Json]
) -> Iterator[str]:
    if meant.fails_though_stopped(outcome.case.document, outcome.status(0)):
        return
    given = {Reference.of(each): each for each in (*system, *outcome.case.context)}
    resolved = resolve(service, settings, Recorded(given.values()))
    ours: Json = {}
    for phase, snapshot in enumerate(outcome.snapshots):
        live = {Reference.of(each): each for each in (*system, *outcome.case.context, *snapshot)}
        parent = live[service.reference]
        live[service.reference] = {**parent, "status": ours}
        reader = Recorded(live.values())
        resolved = replace(resolved, group=routing_group(resolved, NOBODY, reader))
        ours = observe(resolved, reader).status
        if phase == 0 and outcome.sent:
            yield from _certificate(outcome, resolved, live)
        theirs = outcome.status(phase)
        if bare(ours) == bare(theirs) or meant.missed_a_pool(outcome, phase):
            continue
        yield from (f"status {phase}: {line}" for line in status_lines(bare(ours), bare(theirs)))


def status_lines(ours: Json, theirs: Json) -> Iterator[str]:
    """Yield one line for each difference of two statuses."""
    for key in sorted(ours.keys() | theirs.keys()):
        if key == "conditions":
            mine = {one["type"]: one for one in ours.get(key, ())}
            other = {one["type"]: one for one in theirs.get(key, ())}
            for kind in sorted(mine.keys() | other.keys()):
                if mine.get(kind) != other.get(kind):
                    yield f"{kind}: they {_said(other.get(kind))}, we {_said(mine.get(kind))}"
        elif ours.get(key) != theirs.get(key):
            yield f"{key}: they {theirs.get(key)!r}, we {ours.get(key)!r}"


def _said(one: Json | None) -> str:
    return repr({k: v for k, v in (one or {}).items() if k not in ("type", "severity")})


def _certificate(outcome: Outcome, resolved: Any, live: dict[Reference, Json]) -> Iterator[str]:
    from cryptography import x509

    for secret in outcome.snapshots[0]:
        if secret["kind"] == "Secret" and secret.get("type") == "kubernetes.io/tls":
            from base64 import b64decode

            found = x509.load_pem_x509_certificate(b64decode(secret["data"]["tls.crt"]))
            names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
            wanted = certificate_request(resolved, Recorded(live.values()))
            theirs = names.get_values_for_type(x509.DNSName)
            if sorted(theirs) != sorted(wanted.dns_names):
                yield f"certificate: they name {theirs}, we {list(wanted.dns_names)}"
            addresses = sorted(map(str, names.get_values_for_type(x509.IPAddress)))
            if addresses != sorted(wanted.addresses):
                yield f"certificate: they cover {addresses}, we {list(wanted.addresses)}"


def verdict(document: Json, release: KServe) -> Verdict:
    """Return what we say of a service, wherever it is."""
    problems = load(document, Settings(release=release)).problems
    return parted(problems, lambda one: meant.is_taken(one, document, release))
