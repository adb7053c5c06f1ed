# SPDX-License-Identifier: GPL-3.0-or-later
"""Which runtime serves a model: the one that its author names, or the best of those that can.

Source: KServe pkg/apis/serving/v1beta1/predictor_model.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....kube.did_you_mean import nearest
from ....kube.manifest import Json
from ....kube.reader import Reader
from ..errors import ModelFailure, Unbuildable
from .admission import ties
from .protocols import best_rank
from .runtime import API_VERSION, NAMESPACED, Runtime, as_stored, runtime_named, runtimes

_NO_SUPPORT = "NoSupportingRuntime"
_FORMAT_PATH, _RUNTIME_PATH = "spec.predictor.model.modelFormat", "spec.predictor.model.runtime"
_PROTOCOL_PATH = "spec.predictor.model.protocolVersion"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a model asks of its runtime. protocol: empty where its author names none. multi_node: it has workers."""

    format: str
    version: str | None
    protocol: str
    multi_node: bool

    @classmethod
    def of(cls, model: Json, *, multi_node: bool) -> Wanted:
        """Return what a model asks for."""
        given = model.get("modelFormat") or {}
        version = given.get("version")
        return cls(
            str(given.get("name") or ""),
            None if version is None else str(version),
            model.get("protocolVersion") or "",
            multi_node,
        )

    def __str__(self) -> str:
        """Return it as messages say it."""
        version = "" if self.version is None else f" {self.version}"
        workers = " with workers" if self.multi_node else ""
        return f'model format "{self.format}"{version}, protocol {self.protocol or "v1"}{workers}'


def select_runtime(model: Json, namespace: str, reader: Reader, *, multi_node: bool) -> Runtime:
    """Return the runtime of a model. Raises Unbuildable, which says why each candidate was refused."""
    wanted = Wanted.of(model, multi_node=multi_node)
    named = model.get("runtime")
    if named is not None:
        return as_stored(_named(str(named), wanted, namespace, reader))
    return as_stored(_chosen(wanted, namespace, reader))


def runtimes_passed_over(
    model: Json, namespace: str, reader: Reader, *, multi_node: bool
) -> list[tuple[Runtime, str]]:
    """Return the other runtimes that know the format of a model which names none, each with why it is not chosen; the next best first."""
    wanted = Wanted.of(model, multi_node=multi_node)
    own, everywhere = runtimes(namespace, reader)
    found: list[tuple[Runtime, str]] = []
    best: Runtime | None = None
    for candidates in (own, everywhere):
        known = [each for each in candidates if _knows(each, wanted)]
        fitting = _in_order(
            [each for each in known if _refusal(each, wanted) is None], wanted.format
        )
        for each in fitting:
            if best is None:
                best = each
            else:
                found.append((each, _why_later(each, best, wanted.format)))
        refused = ((each, _refusal(each, wanted)) for each in known)
        found += [(each, why) for each, why in refused if why is not None]
    return found


def runtimes_beside(
    model: Json, namespace: str, reader: Reader, *, multi_node: bool
) -> list[tuple[Runtime, str]]:
    """Return the runtimes that know the format of a model beside the one that it names, each with why it does not serve."""
    wanted = Wanted.of(model, multi_node=multi_node)
    named = runtime_named(str(model["runtime"]), namespace, reader)
    return [
        (each, _refusal(each, wanted) or "could serve it, and the service names another one")
        for candidates in runtimes(namespace, reader)
        for each in candidates
        if each != named and _knows(each, wanted)
    ]


def _why_later(runtime: Runtime, best: Runtime, model_format: str) -> str:
    """Say what makes another runtime the better one of two that can serve a model."""
    if runtime.kind != best.kind:
        return "comes after those of the namespace"
    mine, theirs = _priority(runtime, model_format), _priority(best, model_format)
    if mine != theirs:
        shown = "no priority" if mine == float("-inf") else f"priority {mine:g}"
        return f"has {shown}, and {best.name} {theirs:g}"
    ranks = [best_rank(each.spec.get("protocolVersions")) for each in (runtime, best)]
    if ranks[0] != ranks[1]:
        return f"speaks an older protocol than {best.name}"
    return "is older" if runtime.created != best.created else "comes later by its name"


def _chosen(wanted: Wanted, namespace: str, reader: Reader) -> Runtime:
    own, everywhere = runtimes(namespace, reader)
    for candidates in (own, everywhere):
        fitting = [each for each in candidates if _refusal(each, wanted) is None]
        if fitting:
            best, *others = _in_order(fitting, wanted.format)
            _refuse_ties(best, others, wanted)
            return _as_named(best, namespace, reader)
    raise _none_found(wanted, [*own, *everywhere], reader)


def _refuse_ties(best: Runtime, others: Sequence[Runtime], wanted: Wanted) -> None:
    """Raise Unbuildable where another runtime has the same priority: then only its age or its name would decide."""
    for other in others:
        tied = [priority for name, priority in ties(best, other) if name == wanted.format]
        if tied:
            raise Unbuildable(
                f"{best} and {other} both have priority {tied[0]} for {wanted}",
                path=_RUNTIME_PATH,
                advice="KServe's webhook takes only one of them; give one another priority, or name here which one serves the model",
                rule="runtime-priority",
            )


def _as_named(chosen: Runtime, namespace: str, reader: Reader) -> Runtime:
    """Return a chosen runtime as the controller sees it: it looks the name up once more, in the namespace before the cluster.

    So where both have a runtime of one name, the status names that of the namespace, and its annotations count.
    """
    found = runtime_named(chosen.name, namespace, reader)
    return chosen if found is None else replace(found, spec=chosen.spec)


def _guess(name: str, namespace: str, reader: Reader) -> str:
    there = (each.name for kind in runtimes(namespace, reader) for each in kind)
    near = nearest(name, tuple(there))
    return f"; did you mean {near}?" if near else ""


def _elsewhere(name: str, reader: Reader) -> str:
    """Say in which other namespaces the given objects have a runtime of a name; a cluster is not searched for it."""
    every = () if reader.complete else reader.list(API_VERSION, NAMESPACED, "", {})
    found = sorted({m["metadata"]["namespace"] for m in every if m["metadata"]["name"] == name})
    return f"; namespace {found[0]} has one, which only serves services there" if found else ""


def _named(name: str, wanted: Wanted, namespace: str, reader: Reader) -> Runtime:
    runtime = runtime_named(name, namespace, reader)
    if runtime is None:
        place = f"in namespace {namespace} or in the cluster"
        raise _failure(
            f"No ServingRuntimes or ClusterServingRuntimes with the name: {name}",
            "RuntimeNotRecognized",
            "Waiting for runtime to become available",
            advice=(
                f"create it {place}, or leave the field out so that one is chosen"
                if reader.complete
                else "give it in cluster_objects"
            )
            + (_elsewhere(name, reader) or _guess(name, namespace, reader)),
        )
    if runtime.spec.get("disabled"):
        raise _failure(
            f"specified runtime {name} is disabled",
            "RuntimeDisabled",
            "Specified runtime is disabled",
            advice=f"set disabled: false in {runtime}, or name another runtime",
        )
    protocols = runtime.spec.get("protocolVersions") or ()
    if wanted.protocol and protocols and wanted.protocol not in protocols:
        lacks = "does not support specified protocol version"
        raise _failure(
            f"specified runtime {name} {lacks}",
            _NO_SUPPORT,
            f"Specified runtime {lacks}",
            path=_PROTOCOL_PATH,
            advice=f'"{wanted.protocol}" is requested, but {runtime} speaks {", ".join(protocols)}',
        )
    formats = runtime.spec.get("supportedModelFormats") or ()
    if not _supports(formats, wanted):
        lacks = "does not support specified framework/version"
        raise _failure(
            f"specified runtime {name} {lacks}",
            _NO_SUPPORT,
            f"Specified runtime {lacks}",
            path=_FORMAT_PATH,
            advice=f"{wanted} is requested, but {runtime} takes {_listed(formats)}",
        )
    return runtime


def _failure(
    message: str, reason: str, told: str, *, path: str = _RUNTIME_PATH, advice: str
) -> Unbuildable:
    return Unbuildable(
        message, model=ModelFailure(reason, told), path=path, advice=advice, rule="runtime"
    )


def _supports(formats: Sequence[Json], wanted: Wanted) -> bool:
    """Tell whether one of the formats is the wanted one. A model without a version takes any, one with a version that alone."""
    return any(
        each.get("name") == wanted.format
        and (wanted.version is None or each.get("version") == wanted.version)
        for each in formats
    )


def _refusal(runtime: Runtime, wanted: Wanted) -> str | None:
    """Say why a runtime is not chosen by itself, None where it may be."""
    spec = runtime.spec
    formats = spec.get("supportedModelFormats") or ()
    protocols = spec.get("protocolVersions") or ()
    protocol = wanted.protocol or "v1"
    if spec.get("disabled"):
        return "is disabled"
    if spec.get("multiModel"):
        return "is for ModelMesh (multiModel)"
    if not _supports([each for each in formats if each.get("autoSelect")], wanted):
        if _supports(formats, wanted):
            return "is not chosen automatically for this format (autoSelect is not true); name it in spec.predictor.model.runtime"
        return f"takes {_listed(formats)}"
    if protocols and protocol not in protocols:
        return f"speaks {', '.join(protocols)}"
    if wanted.multi_node and spec.get("workerSpec") is None:
        return "has no workerSpec"
    if not wanted.multi_node and spec.get("workerSpec") is not None:
        return "is for services with workers (workerSpec)"
    return None


def _listed(formats: Sequence[Json]) -> str:
    """Return formats as messages list them: the versions of each behind its name."""
    versions: dict[str, list[str]] = {}
    for each in formats:
        found = versions.setdefault(str(each.get("name")), [])
        if each.get("version") is not None:
            found.append(str(each["version"]))
    words = [f"{name} {'/'.join(found)}".rstrip() for name, found in versions.items()]
    return ", ".join(words) or "no model format"


def _in_order(candidates: list[Runtime], model_format: str) -> list[Runtime]:
    """Return runtimes, the best first: by priority, protocol, the youngest, the name."""
    by_name = sorted(candidates, key=lambda each: each.name)
    by_age = sorted(by_name, key=lambda each: each.created, reverse=True)
    by_protocol = sorted(by_age, key=lambda each: best_rank(each.spec.get("protocolVersions")))
    return sorted(by_protocol, key=lambda each: -_priority(each, model_format))


def _priority(runtime: Runtime, model_format: str) -> float:
    """Return the priority of the first entry for a format, whatever its version; the lowest of all where it has none."""
    for each in runtime.spec.get("supportedModelFormats") or ():
        if each.get("name") == model_format:
            priority = each.get("priority")
            return float("-inf") if priority is None else float(priority)
    return float("-inf")


def _none_found(wanted: Wanted, candidates: Sequence[Runtime], reader: Reader) -> Unbuildable:
    version = "<nil>" if wanted.version is None else wanted.version
    if candidates:
        why = _why_none(candidates, wanted)
    elif reader.complete:
        why = "the cluster has no ServingRuntime or ClusterServingRuntime"
    else:
        why = "give the runtimes in cluster_objects"
    return Unbuildable(
        f"no runtime found to support predictor with model type: {{{wanted.format} {version}}}",
        model=ModelFailure(_NO_SUPPORT, "No runtime found to support specified framework/version"),
        path=_PROTOCOL_PATH if _is_unknown(wanted.protocol, candidates) else _FORMAT_PATH,
        told=f"no runtime serves {wanted}",
        advice=why,
        rule="runtime",
    )


def _is_unknown(protocol: str, candidates: Sequence[Runtime]) -> bool:
    """Tell whether a protocol is the fault, whatever the format: all runtimes say what they speak, and none speaks it."""
    spoken = [each.spec.get("protocolVersions") or () for each in candidates]
    return bool(protocol) and bool(spoken) and all(each and protocol not in each for each in spoken)


def _why_none(candidates: Sequence[Runtime], wanted: Wanted) -> str:
    """Say why no candidate is chosen: those that know the format one by one, the others in a row."""
    near = [each for each in candidates if _knows(each, wanted)]
    far = ", ".join(str(each) for each in candidates if not _knows(each, wanted))
    words = [f"{each} {_refusal(each, wanted)}" for each in near]
    known = {name for each in candidates for name in _formats(each)}
    meant = None if wanted.format in known else nearest(wanted.format, known)
    hint = [f'did you mean "{meant}"?'] if meant else []
    return "; ".join([*words, *([f"of other formats: {far}"] if far else []), *hint])


def _knows(runtime: Runtime, wanted: Wanted) -> bool:
    return wanted.format in _formats(runtime)


def _formats(runtime: Runtime) -> list[str]:
    return [str(each.get("name")) for each in runtime.spec.get("supportedModelFormats") or ()]
