# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a plugin by its parameters alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..findings import Finding
from ..plugin_parameters import Declared
from ..releases import PickerRelease
from .bounds import bound_faults
from .factories import factory_faults
from .parameters import parameter_faults, read_parameters


def plugin_faults(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield what a plugin's factory does not take. What cannot be decoded is not looked at further.

    A rule sees no key that the release does not read: it may be about a later one.
    """
    faults = list(
        parameter_faults(plugin.parameters, plugin.type, f"{plugin.path}.parameters", release)
    )
    yield from faults
    if any(fault.verdict == "reject" for fault in faults):
        return
    read = replace(plugin, parameters=read_parameters(plugin.parameters, plugin.type, release))
    yield from bound_faults(read, release)
    yield from factory_faults(read, release)
