# SPDX-License-Identifier: GPL-3.0-or-later
"""Forms of texts in core/v1: each function answers None for a right text, else what is wrong with it.

Source: k8s.io/apimachinery v0.36.3 (pkg/util/validation), k8s.io/kubernetes v1.36.3 (pkg/apis/core/validation).
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from typing import Any

from ..names import (
    SUBDOMAIN_LENGTH,
    check_dns_subdomain,
    check_label_key,
    check_label_value,
    check_port_name,
    check_word,
)
from ..schema_faults import show

LAST_PORT = 65535
_HEADER = re.compile(r"[-A-Za-z0-9]+", re.ASCII)
_VARIABLE = re.compile(r"[ -<>-~]+", re.ASCII)
_SYSCTL_PART = r"[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL = re.compile(rf"({_SYSCTL_PART}[./])*{_SYSCTL_PART}", re.ASCII)
_SEARCH_PART = r"_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SEARCH = re.compile(rf"{_SEARCH_PART}(\.{_SEARCH_PART})*", re.ASCII)
_OCTET = re.compile(r"0*(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])", re.ASCII)
_PERCENT = re.compile(r"[0-9]+%", re.ASCII)
_OCTETS = 4


def variable_fault(text: str) -> str | None:
    """Say what keeps a text from being the name of an environment variable."""
    if _VARIABLE.fullmatch(text):
        return None
    return (
        f"{show(text)} is not a variable: only printable ASCII characters other than = are allowed"
    )


def port_fault(port: int | str) -> str | None:
    """Say what keeps a value from being the number or the name of a port."""
    if isinstance(port, str):
        return check_port_name(port)
    return None if 1 <= port <= LAST_PORT else f"{port} is not a port; 1 to {LAST_PORT} are"


def _target_port_fault(port: int | str) -> str | None:
    """As a port; nothing means the port of the Service itself."""
    return port_fault(port) if port else None


def amount_of_pods_fault(value: int | str) -> str | None:
    """Say what keeps a value from being a number of pods or a part of them."""
    if isinstance(value, int):
        return None if value >= 0 else f"{value} is negative"
    if _PERCENT.fullmatch(value):
        return None
    return f"{show(value)} is neither a number of pods nor a part of them such as 25%"


def no_way_up_fault(text: str) -> str | None:
    """Say what keeps a path from staying below where it begins."""
    return f'{show(text)} must not hold ".."' if ".." in text.split("/") else None


def relative_fault(text: str) -> str | None:
    """Say what keeps a text from being a relative path that leads down."""
    if text.startswith("/"):
        return f"{show(text)} is not a relative path"
    return no_way_up_fault(text)


def local_fault(text: str) -> str | None:
    """Say what keeps a text from being the path of a file in a volume."""
    if text.startswith("..") and not text.startswith("../"):
        return f'{show(text)} must not begin with ".."'
    return relative_fault(text)


def absolute_fault(text: str) -> str | None:
    """Say what keeps a text from being an absolute path."""
    return None if text.startswith("/") else f"{show(text)} is not an absolute path"


def address_fault(text: str) -> str | None:
    """Say what keeps a text from being an IP address. Zeros before a number are read as older clients wrote them."""
    octets = text.split(".")
    if len(octets) == _OCTETS and all(_OCTET.fullmatch(octet) for octet in octets):
        return None
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return f"{show(text)} is not an IP address"
    return f"{show(text)} names a zone, which no IP address has here" if "%" in text else None


def _header_fault(text: str) -> str | None:
    if _HEADER.fullmatch(text):
        return None
    return f'{show(text)} is not the name of a header: letters, digits and "-" are allowed'


def _sysctl_fault(text: str) -> str | None:
    if len(text) <= SUBDOMAIN_LENGTH and _SYSCTL.fullmatch(text):
        return None
    return f"{show(text)} is not a sysctl such as net.core.somaxconn"


def _search_fault(text: str) -> str | None:
    name = text.removesuffix(".")
    if text == "." or (len(name) <= SUBDOMAIN_LENGTH and _SEARCH.fullmatch(name)):
        return None
    return f"{show(text)} is not a domain to search in"


def _prefix_fault(text: str) -> str | None:
    """As a name that more may be put to: it may end with a dash."""
    return check_dns_subdomain(f"{text[:-1]}a" if len(text) > 1 and text[-1] == "-" else text)


def segment_fault(text: str) -> str | None:
    """Say what keeps a text from being one part of an address of the API, as names of kinds and metrics are."""
    if text in ("", ".", ".."):
        return f"{show(text)} is not a name"
    strange = [sign for sign in "/%" if sign in text]
    return f"{show(text)} must not hold {show(strange[0])}" if strange else None


def _driver_fault(text: str) -> str | None:
    longest = 63
    if len(text) > longest:
        return f"{show(text)} has {len(text)} characters; at most {longest} are allowed"
    return check_dns_subdomain(text.lower())


#: By the word under which the table of limits names them.
FORMS: Mapping[str, Callable[[Any], str | None]] = {
    "absolute": absolute_fault,
    "address": address_fault,
    "amount-of-pods": amount_of_pods_fault,
    "driver": _driver_fault,
    "header": _header_fault,
    "key": check_label_key,
    "local": local_fault,
    "name": check_dns_subdomain,
    "no-way-up": no_way_up_fault,
    "port": port_fault,
    "port-name": check_port_name,
    "prefix": _prefix_fault,
    "relative": relative_fault,
    "search": _search_fault,
    "segment": segment_fault,
    "sysctl": _sysctl_fault,
    "target-port": _target_port_fault,
    "value": check_label_value,
    "variable": variable_fault,
    "word": check_word,
}
