# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tests that tell whether Kubernetes takes a text as a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..module_utils.kube import names
from ..plugin_utils.arguments import text


def dns_label(value: Any) -> bool:
    """Tell whether a text is an RFC 1035 label."""
    return names.check_dns_label(text("dns_label", value)) is None


def dns_subdomain(value: Any) -> bool:
    """Tell whether a text is an RFC 1123 subdomain."""
    return names.check_dns_subdomain(text("dns_subdomain", value)) is None


def label_value(value: Any) -> bool:
    """Tell whether a text is a label value."""
    return names.check_label_value(text("label_value", value)) is None


class TestModule:
    """The tests of this file."""

    # pytest collects classes of this name otherwise.
    __test__ = False

    def tests(self) -> dict[str, Callable[..., bool]]:
        """Return them by name."""
        return {
            "dns_label": dns_label,
            "dns_subdomain": dns_subdomain,
            "label_value": label_value,
        }
