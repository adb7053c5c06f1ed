# SPDX-License-Identifier: GPL-3.0-or-later
"""What factories of data sources refuse beyond single values. Source: llm-d-router pkg/epp/framework/plugins/datalayer/source/http/datasource.go@v0.10.0."""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import Finding
from ..plugin_parameters import Declared
from ..releases import PickerRelease
from .values import value_fault

_PAIR = ("clientCertPath", "clientKeyPath")


def source_faults(plugin: Declared, dummy: PickerRelease) -> Iterator[Finding]:
    """Yield a certificate without its key or the other way round, and a node's address without a port."""
    given = [key for key in _PAIR if plugin.text(key)]
    if plugin.get("scheme") == "https" and len(given) == 1:
        (missing,) = set(_PAIR) - set(given)
        yield value_fault(
            plugin, missing, f"it is needed beside {given[0]}", "give both, or neither"
        )
    if plugin.get("useNodeAddress") is True and plugin.get("port") == 0:
        yield value_fault(
            plugin, "port", "the address of a node needs a port", "leave it out for the default"
        )


def certificate_files(plugin: Declared) -> Iterator[tuple[str, str]]:
    """Yield the files that a source reads when it starts, by their parameters."""
    if plugin.get("scheme") != "https":
        return
    unverified = plugin.get("insecureSkipVerify") is not False
    for key in (*(() if unverified else ("caCertPath",)), *_PAIR):
        if plugin.text(key):
            yield key, plugin.text(key)
