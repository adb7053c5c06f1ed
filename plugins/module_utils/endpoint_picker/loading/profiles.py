# SPDX-License-Identifier: GPL-3.0-or-later
"""The loader's step over `schedulingProfiles`: the default profile, handler, picker and weights, and the references."""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.did_you_mean import nearest
from ...kube.manifest import Json
from ..findings import Finding, info, refusal, warning
from ..releases import Generation
from .loading import Loading

SINGLE_HANDLER = "single-profile-handler"
MAX_SCORE_PICKER = "max-score-picker"

_G = Generation


def load_profiles(loading: Loading) -> None:
    """Complete the profiles as the loader does and report what is wrong with them."""
    written = bool(loading.config.get("schedulingProfiles"))
    if not written:
        _add_default_profile(loading)
    profiles = loading.config["schedulingProfiles"]
    loading.report(_taken_names(loading))
    if len(profiles) == 1 and not loading.all_of("handler"):
        loading.inject(SINGLE_HANDLER)
    if not loading.all_of("picker"):
        loading.inject(MAX_SCORE_PICKER)
    pickers = loading.all_of("picker")
    for index, profile in enumerate(profiles):
        _complete(profile, f"schedulingProfiles[{index}]", pickers, loading, written=written)
    loading.report(_handler_faults(loading))


def _add_default_profile(loading: Loading) -> None:
    """Make one profile of everything that fits into one. Its order is that of a map, different at each start."""
    names = [name for name in loading.instances if loading.is_a(name, "filter", "scorer", "picker")]
    references = [{"pluginRef": name} for name in names]
    loading.config["schedulingProfiles"] = [
        {"name": "default", **({"plugins": references} if references else {})}
    ]
    loading.shaky = loading.shaky or len(names) > 1
    if not names:
        return
    loading.report(
        [
            warning(
                "profile-absent",
                "schedulingProfiles",
                None,
                f"without profiles the picker makes one of {', '.join(names)}, in an order that changes at each start",
                "write the profile out",
            )
        ]
    )
    early = loading.release.generation <= _G.V1_2
    pickers, scorers = loading.all_of("picker"), loading.all_of("scorer")
    if early and len(pickers) == 1 and scorers:
        loading.report(
            [
                Finding(
                    "profile-gamble",
                    "error",
                    "schedulingProfiles",
                    None,
                    f"{loading.release.target} crashes at random: it makes a profile in random order, and whenever the picker "
                    f"{pickers[0]} comes before one of the scorers {', '.join(scorers)} it reads a weight that is not there",
                    "write the profile out, with a weight for each scorer and the picker last",
                    "unstable",
                )
            ]
        )


def _taken_names(loading: Loading) -> Iterator[Finding]:
    """Yield plugins that a default will replace because they have its name."""
    pickers, handlers = loading.all_of("picker"), loading.all_of("handler")
    single = len(loading.config["schedulingProfiles"]) == 1
    replaced = []
    if MAX_SCORE_PICKER in loading.instances and not pickers:
        replaced.append((MAX_SCORE_PICKER, "a picker"))
    if SINGLE_HANDLER in loading.instances and not handlers and single:
        replaced.append((SINGLE_HANDLER, "a profile handler"))
    for name, what in replaced:
        yield warning(
            "plugin-name-taken",
            "plugins",
            name,
            f"no plugin is {what}, so the picker adds its default one as {name} and drops your "
            f"{loading.instances[name]} of that name without a word",
            "give your plugin another name",
        )


def _complete(
    profile: Json, path: str, pickers: list[str], loading: Loading, *, written: bool
) -> None:
    references = profile.get("plugins", [])
    early = loading.release.generation <= _G.V1_2
    has_picker = False
    for index, reference in enumerate(references):
        name, here = reference.get("pluginRef", ""), f"{path}.plugins[{index}]"
        if loading.is_a(name, "scorer") and "weight" not in reference:
            if has_picker and early:
                if written:
                    loading.report([_crash(name, here, loading)])
            else:
                reference["weight"] = 1
                if written:
                    loading.report([_no_weight(name, here)])
        if loading.is_a(name, "picker"):
            has_picker = True
    if not has_picker:
        profile.setdefault("plugins", []).append({"pluginRef": pickers[0]})
        if written:
            loading.report([_no_picker(profile, path, pickers)])
        loading.shaky = loading.shaky or len(pickers) > 1


def _crash(name: str, path: str, loading: Loading) -> Finding:
    return refusal(
        "weight-after-picker",
        path,
        name,
        f"{loading.release.target} crashes on a scorer without a weight that comes after the picker",
        "give the scorer a weight and put the picker last",
    )


def _no_weight(name: str, path: str) -> Finding:
    return info(
        "weight-absent", path, name, f"{name} has no weight; it counts 1", "write weight: 1"
    )


def _no_picker(profile: Json, path: str, pickers: list[str]) -> Finding:
    how = (
        f"one of {', '.join(pickers)}, a different one at each start"
        if len(pickers) > 1
        else pickers[0]
    )
    return warning(
        "picker-absent",
        path,
        profile.get("name"),
        f"the profile has no picker; it gets {how}",
        "add the picker you want as its last plugin",
    )


def check_references(loading: Loading) -> None:
    """Report names of profiles and references in them that are not right."""
    known = loading.plugin_names()
    declared = {plugin.name for plugin in loading.declared}
    seen: set[str] = set()
    for index, profile in enumerate(loading.config.get("schedulingProfiles", [])):
        path, name = f"schedulingProfiles[{index}]", profile.get("name", "")
        if not name:
            loading.report(
                [refusal("profile-without-name", path, None, "a profile needs a name", "name it")]
            )
        elif name in seen:
            loading.report(
                [
                    refusal(
                        "profile-name-twice",
                        f"{path}.name",
                        name,
                        f"two profiles have the name {name}",
                        "rename one of them",
                    )
                ]
            )
        seen.add(name)
        loading.report(_reference_faults(profile, path, known, declared))
        loading.report(_plugin_faults(profile, path, loading))


def _reference_faults(
    profile: Json, path: str, known: set[str], declared: set[str]
) -> Iterator[Finding]:
    for index, reference in enumerate(profile.get("plugins", [])):
        here, name = f"{path}.plugins[{index}].pluginRef", reference.get("pluginRef", "")
        if not name:
            yield refusal(
                "reference-missing", here, None, "an entry needs a pluginRef", "name a plugin"
            )
        elif name not in known:
            hint = nearest(name, known)
            fix = (
                f"did you mean {hint}?"
                if hint
                else f"declare it below plugins; declared are {', '.join(sorted(known))}"
            )
            yield refusal("reference-undefined", here, name, f"no plugin has the name {name}", fix)
        elif name not in declared and index < len(profile["plugins"]) - 1:
            yield warning(
                "reference-undeclared",
                here,
                name,
                f"{name} is not declared; it works because the picker adds it by default",
                "declare it below plugins",
            )


def _plugin_faults(profile: Json, path: str, loading: Loading) -> Iterator[Finding]:
    names = [reference.get("pluginRef", "") for reference in profile.get("plugins", [])]
    pickers = [name for name in names if loading.is_a(name, "picker")]
    if len(pickers) > 1:
        yield refusal(
            "picker-twice",
            path,
            profile.get("name"),
            f"a profile has one picker; this one has {' and '.join(pickers)}",
            "keep one of them",
        )
    for index, reference in enumerate(profile.get("plugins", [])):
        here, name = f"{path}.plugins[{index}]", reference.get("pluginRef", "")
        scorer = loading.is_a(name, "scorer")
        if "weight" in reference and name in loading.instances and not scorer:
            yield warning(
                "weight-ignored",
                f"{here}.weight",
                reference["weight"],
                f"{name} is no scorer; its weight is ignored",
                "delete the weight",
            )
        if name in names[:index] and loading.is_a(name, "filter", "scorer"):
            yield warning(
                "reference-twice",
                here,
                name,
                f"{name} is twice in the profile, and counts twice",
                "delete one",
            )
        if name in loading.instances and not loading.is_a(name, "filter", "scorer", "picker"):
            yield info(
                "reference-without-effect",
                here,
                name,
                f"{name} is neither filter, scorer nor picker; listing it here does nothing",
                "delete the entry",
            )


def _handler_faults(loading: Loading) -> Iterator[Finding]:
    profiles = loading.config["schedulingProfiles"]
    names = [profile.get("name", "") for profile in profiles]
    handlers = loading.all_of("handler")
    if not handlers:
        yield refusal(
            "handler-absent",
            "schedulingProfiles",
            ", ".join(names),
            "several profiles need a profile handler that chooses between them",
            "declare disagg-profile-handler, pd-profile-handler, data-parallel-profile-handler or header-profile-handler",
        )
    elif len(handlers) > 1:
        yield refusal(
            "handler-twice",
            "plugins",
            ", ".join(handlers),
            f"a picker has one profile handler; here are {' and '.join(handlers)}",
            "keep one of them",
        )
    elif loading.instances[handlers[0]] == SINGLE_HANDLER and len(profiles) > 1:
        yield _single_handler(handlers[0], names, loading)


def _single_handler(handler: str, names: list[str], loading: Loading) -> Finding:
    starts = loading.release.generation == _G.V1_0
    what = "starts, and then fails on each request" if starts else "does not start"
    return Finding(
        "handler-single",
        "error",
        "schedulingProfiles",
        ", ".join(names),
        f"{handler} (single-profile-handler) takes one entry of schedulingProfiles, and here are {', '.join(names)}: "
        f"{loading.release.target} {what}",
        "keep one profile, or declare a handler that chooses between them",
        "accept" if starts else "reject",
    )
