# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles that load and do not choose as their author means: no loader looks at weights, or at what each filter is for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...kube.manifest import Json
from ..findings import Finding, Value, warning
from ..rules.handlers import DISAGGREGATING, profiles_of
from .loading import Loading

_BLIND_PICKER = "random-picker"
#: Filters by role, with the stage that each is for.
_STAGES = {"decode-filter": "decode", "encode-filter": "encode", "prefill-filter": "prefill"}


def choice_findings(loading: Loading) -> Iterator[Finding]:
    """Yield profiles that choose at random or the other way round, and those that send a stage to the pods of another."""
    for index, profile in enumerate(loading.config["schedulingProfiles"]):
        path = f"schedulingProfiles[{index}]"
        references = profile.get("plugins", [])
        yield from _scores(references, path, profile, loading)
        yield from _twins(references, path, loading)
        yield from _handlers(references, path, loading)
    yield from _stages(loading)


def _scores(
    references: Sequence[Json], path: str, profile: Json, loading: Loading
) -> Iterator[Finding]:
    """A profile without scores gives every endpoint the same one; only random-picker says that this is meant."""
    scorers = [
        (number, each, each.get("weight"))
        for number, each in enumerate(references)
        if loading.is_a(each.get("pluginRef", ""), "scorer")
    ]
    names = [each.get("pluginRef", "") for each in references]
    blind = next((each for each in names if loading.instances.get(each) == _BLIND_PICKER), None)
    if blind is not None and scorers:
        told = " and ".join(str(each.get("pluginRef")) for dummy, each, dummy_weight in scorers)
        yield warning(
            "scores-unused",
            f"{path}.plugins[{names.index(blind)}]",
            blind,
            f"random-picker looks at no score, so the scores of {told} change nothing",
            "use max-score-picker or weighted-random-picker, or delete the scorers",
        )
        return
    if blind is None and not scorers:
        yield _random(path, profile, "the profile has no scorer", "add scorers with weights")
    elif blind is None and all(weight == 0 for dummy, dummy_each, weight in scorers):
        yield _random(path, profile, "every scorer of the profile has weight 0", "raise a weight")
    for number, each, weight in scorers:
        if isinstance(weight, int | float) and weight < 0:
            yield warning(
                "weight-negative",
                f"{path}.plugins[{number}].weight",
                weight,
                f"a negative weight, {weight}, reverses {each['pluginRef']}: the endpoints that it rates best come last",
                "write a weight above 0",
            )


def _random(path: str, profile: Json, why: str, fix: str) -> Finding:
    return warning(
        "routing-random",
        path,
        profile.get("name"),
        f"{why}: the picker starts, and chooses endpoints at random",
        f"{fix}, or use random-picker to say that this is meant",
    )


def _twins(references: Sequence[Json], path: str, loading: Loading) -> Iterator[Finding]:
    """Yield scorers of one type with the same parameters under two names: their weights add up."""
    seen: dict[tuple[str, str], str] = {}
    parameters = {plugin.name: plugin.parameters for plugin in loading.declared}
    for number, each in enumerate(references):
        name = each.get("pluginRef", "")
        if name not in parameters or not loading.is_a(name, "scorer"):
            continue
        first = seen.setdefault((loading.instances[name], _text(parameters[name])), name)
        if first != name:
            yield warning(
                "scorer-twins",
                f"{path}.plugins[{number}]",
                name,
                f"{name} and {first} are {loading.instances[name]} with the same parameters, so that it counts twice",
                f"delete one, and give the other both weights; or give {name} parameters of its own",
            )


def _handlers(references: Sequence[Json], path: str, loading: Loading) -> Iterator[Finding]:
    """Yield profile handlers among the plugins of a profile, which has no place for them."""
    for number, each in enumerate(references):
        name = each.get("pluginRef", "")
        if loading.is_a(name, "handler") and not loading.is_a(name, "filter", "scorer", "picker"):
            yield warning(
                "handler-in-profile",
                f"{path}.plugins[{number}]",
                name,
                f"{name} chooses between profiles, and does nothing in one of them",
                "delete it here; it works from plugins alone",
            )


def _text(parameters: Value) -> str:
    return repr(sorted(parameters.items())) if isinstance(parameters, dict) and parameters else ""


def _stages(loading: Loading) -> Iterator[Finding]:
    """Yield stages of disaggregated serving whose profile takes the pods of another stage, or any pod."""
    profiles = {
        profile.get("name"): (f"schedulingProfiles[{number}]", profile)
        for number, profile in enumerate(loading.config["schedulingProfiles"])
    }
    for plugin in loading.declared:
        if plugin.type not in DISAGGREGATING:
            continue
        for stage, name in profiles_of(plugin).items():
            if name in profiles:
                yield from _stage(stage, *profiles[name], loading)


def _stage(stage: str, path: str, profile: Json, loading: Loading) -> Iterator[Finding]:
    names = [each.get("pluginRef", "") for each in profile.get("plugins", [])]
    filters = [name for name in names if loading.is_a(name, "filter")]
    wanted = next((kind for kind, meant in _STAGES.items() if meant == stage), "")
    if not filters:
        yield warning(
            "stage-unfiltered",
            path,
            profile.get("name"),
            f"the profile is for the stage {stage}, and no filter in it keeps to the pods of that stage",
            f"add {wanted}, or a filter by label" if wanted else "add a filter by label",
        )
    for name in filters:
        meant = _STAGES.get(loading.instances[name], stage)
        if meant != stage:
            yield warning(
                "stage-filter",
                f"{path}.plugins[{names.index(name)}]",
                name,
                f"the profile is for the stage {stage}, and {loading.instances[name]} lets only pods for {meant} through",
                f"use {wanted}" if wanted else "use another filter",
            )
