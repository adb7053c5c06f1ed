# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a filter or test is given, as the plain type that it wants, or an error that its user understands.

Values in templates are subclasses that carry tags or say "unsafe"; what is made of them has to be plain, or YAML dumpers
and C libraries stumble over it later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ansible.errors import AnsibleFilterError

_TYPES: tuple[type, ...] = (bool, int, float, str, list, tuple)


def text(plugin: str, value: Any, argument: str = "") -> str:
    """Return a value as plain text."""
    if not isinstance(value, str):
        raise wrong_type(plugin, value, "str", argument)
    # The subclasses of older releases override __str__ and every method to return themselves.
    return str.__str__(value)


def optional_text(plugin: str, value: Any, argument: str) -> str:
    """Return a value as plain text; nothing given is the empty text."""
    return "" if value is None else text(plugin, value, argument)


def whole_number(plugin: str, value: Any, argument: str) -> int:
    """Return a value as a plain whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise wrong_type(plugin, value, "int", argument)
    return int(value)


def flag(plugin: str, value: Any, argument: str) -> bool:
    """Return a value as a plain boolean."""
    if not isinstance(value, bool):
        raise wrong_type(plugin, value, "bool", argument)
    return bool(value)


def mapping(plugin: str, value: Any, argument: str = "") -> dict[str, Any]:
    """Return a mapping with all that is in it as plain types."""
    if not isinstance(value, Mapping):
        raise wrong_type(plugin, value, "dict", argument)
    found: dict[str, Any] = plain(value)
    return found


def service(plugin: str, value: Any, namespace: Any = None) -> tuple[str, str | None]:
    """Return name and namespace of a service, which is given by its name or as custom resource.

    namespace: replaces the custom resource's own.
    """
    if isinstance(value, str):
        name: Any = value
    elif isinstance(value, Mapping):
        metadata = mapping(plugin, value.get("metadata"), "metadata")
        name = metadata.get("name")
        namespace = metadata.get("namespace") if namespace is None else namespace
    else:
        raise wrong_type(plugin, value, "str (a service's name) or dict (a custom resource)")
    wanted = None if namespace is None else text(plugin, namespace, "namespace")
    return text(plugin, name, "metadata.name"), wanted


@contextmanager
def explained(plugin: str) -> Iterator[None]:
    """Turn what the pure functions say about a wrong value into an error of this plugin."""
    try:
        yield
    except ValueError as error:
        raise AnsibleFilterError(f"{plugin}: {error}") from error


def wrong_type(plugin: str, value: Any, wanted: str, argument: str = "") -> AnsibleFilterError:
    """Return the error for a value of another type than the plugin wants.

    An undefined variable raises its own error, which names the variable; before 2.19 ansible-core leaves that to plugins,
    and only that error lets a skipped task stay skipped.
    """
    from jinja2 import Undefined

    if isinstance(value, Undefined):
        value._fail_with_undefined_error()
    what = f"{argument} has to be" if argument else "the input has to be"
    return AnsibleFilterError(f"{plugin}: {what} of type {wanted}, but it is {_type_name(value)}")


def _type_name(value: Any) -> str:
    """Return the type that a user knows, not the subclass of it that templates hand over."""
    if value is None:
        return "null"
    if isinstance(value, Mapping):
        return "dict"
    return next((base for base in _TYPES if isinstance(value, base)), type(value)).__name__


def plain(value: Any) -> Any:
    """Return a value with all that is in it as plain types."""
    match value:
        case Mapping():
            return {plain(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case str():
            return str.__str__(value)
        case bool() | None:
            return value
        case int():
            return int(value)
        case float():
            return float(value)
        case _:
            return value
