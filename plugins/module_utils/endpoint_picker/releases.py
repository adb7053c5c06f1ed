# SPDX-License-Identifier: GPL-3.0-or-later
"""The releases of the endpoint picker, and the generation of the loader that each one has.

Two projects published it: the Gateway API Inference Extension (`gaie`) until 1.5, and llm-d (`llmd`), whose releases up to
0.8 are built on a release of the former. So there is one line of generations, and each release has one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Literal

from ..kube.problem import InputError

Family = Literal["gaie", "llmd"]


class Generation(IntEnum):
    """A generation of the loader, oldest first, named after the release that brought it."""

    V1_0 = 0
    V1_1 = 1
    V1_2 = 2
    V1_3 = 3
    #: llm-d 0.6 was built on a state between 1.3 and 1.4.
    V0_6 = 4
    V1_4 = 5
    V1_5 = 6
    #: From here on llm-d's own picker.
    V0_9 = 7
    V0_10 = 8
    V0_11 = 9

    def __str__(self) -> str:
        """Return the name as tables of this room write it: `1.0`."""
        return self.name[1:].replace("_", ".")


def generation_named(text: str) -> Generation:
    """Return the generation with a name as in `1.0`."""
    return Generation[f"V{text.replace('.', '_')}"]


OLD_API_VERSION = "inference.networking.x-k8s.io/v1alpha1"
NEW_API_VERSION = "llm-d.ai/v1alpha1"
#: Announced, and in no release yet: it moves `dataLayer.discovery.pluginRef` and the two keys `dataLayer.crossReplica…`.
NEXT_API_VERSION = "llm-d.ai/v1"
KIND = "EndpointPickerConfig"


@dataclass(frozen=True, slots=True)
class PickerRelease:
    """One release of the picker. gates: its feature gates, with what they are when nobody sets them.

    judged: whether the release itself was run on configurations. What is said of others is what its project announced.
    """

    family: Family
    version: str
    generation: Generation
    gates: Mapping[str, bool]
    judged: bool = True

    @property
    def target(self) -> str:
        """The name by which users choose it, as in `llmd:0.9`."""
        return f"{self.family}:{self.version}"

    @property
    def has_own_picker(self) -> bool:
        """Whether this is a release of the picker that llm-d maintains itself."""
        return self.generation >= Generation.V0_9

    @property
    def strict_parameters(self) -> bool:
        """Whether an unknown key inside a plugin's parameters stops the picker."""
        return self.has_own_picker

    @property
    def api_versions(self) -> tuple[str, ...]:
        """The apiVersions that it reads; the first is the one to write."""
        return (NEW_API_VERSION, OLD_API_VERSION) if self.has_own_picker else (OLD_API_VERSION,)

    def comes_before(self, other: PickerRelease) -> bool:
        """Whether other is a later release that can follow this one. From 1.5 on the way leads to llm-d."""
        follows = other.family == self.family or other.has_own_picker
        return follows and self.generation < other.generation


def _releases() -> Iterator[PickerRelease]:
    generation = Generation
    gates: dict[Generation, Mapping[str, bool]] = {
        generation.V1_0: {},
        generation.V1_1: {},
        generation.V1_2: {"dataLayer": False, "flowControl": False},
        generation.V0_9: {"dataLayer": False, "flowControl": False},
        generation.V0_10: {"flowControl": False, "haPopulateNonLeaderDatastore": True},
        generation.V1_5: {
            "dataLayer": False,
            "enableLegacyMetrics": False,
            "flowControl": False,
        },
    }
    for middle in (generation.V1_3, generation.V0_6, generation.V1_4):
        gates[middle] = {
            "dataLayer": False,
            "flowControl": False,
            "prepareDataPlugins": False,
        }
    llmd = {
        "0.3": generation.V1_0,
        "0.4": generation.V1_2,
        "0.5": generation.V1_3,
        "0.6": generation.V0_6,
        "0.7": generation.V1_4,
        "0.8": generation.V1_5,
        "0.9": generation.V0_9,
        "0.10": generation.V0_10,
    }
    for version in ("1.0", "1.1", "1.2", "1.3", "1.4", "1.5"):
        named = generation_named(version)
        yield PickerRelease("gaie", version, named, gates[named])
    for version, named in llmd.items():
        yield PickerRelease("llmd", version, named, gates[named])
    yield PickerRelease("llmd", "0.11", generation.V0_11, gates[generation.V0_10], judged=False)


@cache
def releases() -> Mapping[str, PickerRelease]:
    """Return the releases by target, oldest of each family first."""
    return {release.target: release for release in _releases()}


def release_of(target: str, option: str = "target") -> PickerRelease:
    """Return the release with a target as in `llmd:0.9`. Raises InputError for others, with the list.

    option: where it was given, for the message.
    """
    found = releases().get(target)
    if found is not None:
        return found
    known = ", ".join(releases())
    if target.startswith("gaie:1.6"):
        raise InputError.single(
            "epp_config",
            option,
            f"{target} has no endpoint picker to configure: its picker, lwepp, takes turns and reads no "
            f"configuration; since GAIE 1.6 the picker is llm-d's: use an llm-d image and one of {known}",
        )
    near = _near(target)
    hint = f"; did you mean {near}?" if near else ""
    raise InputError.single(
        "epp_config", option, f"{target!r} is not a known release; known are {known}{hint}"
    )


def _near(target: str) -> str:
    """Return the release that somebody means who writes `llm-d:v0.8.1`, empty for none; a number alone may be of both families."""
    family, dummy, version = target.lower().replace("-", "").rpartition(":")
    numbers = version.removeprefix("v").split(".")
    wanted = ":" + ".".join(numbers[:2])
    found = [each for each in releases() if each.endswith(wanted) and each.startswith(family)]
    return " or ".join(found) if len(numbers) > 1 else ""
