# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the code says to users, read from its syntax: names of rules, texts of errors, and every text there is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .check_tables import every_check, shown
from .tree import CHECKOUT

PLUGINS = CHECKOUT / "plugins"
#: Stands for a value in a text.
VALUE = "…"
#: Findings about a picker's configuration are listed in docs/endpoint_picker.md.
_ELSEWHERE = "endpoint_picker/"
#: Calls whose n-th argument is the name of a rule.
_NAMED_BY_PLACE = {"_say": 2, "_rule": 0, "_pair": 0}
_RULE = re.compile(r"[a-z][a-z0-9-]*")
#: Whose classes make their texts themselves.
_CLASSES = "cluster/errors.py"
_OF_INTEREST = (ast.Call, ast.FunctionDef, ast.Constant, ast.JoinedStr)
#: Errors that reach a user as they are, by the name of the class or of what makes one. The number is the place of the text.
_ERRORS = {
    "ClusterError": 0,
    "LoginError": 0,
    "Stopped": 0,
    "InputError.single": 2,
    "Problem": 1,
}


@dataclass(frozen=True)
class Said:
    """A name or a text, and where in the code it is."""

    text: str
    place: str


def rules() -> Iterator[Said]:
    """Yield the name of every rule of a problem, each time that it is used."""
    for path, node, dummy in _nodes():
        if not _room(path).startswith(_ELSEWHERE):
            for text in _rules_of(node):
                yield _said_at(text, path, node)


def errors() -> Iterator[Said]:
    """Yield the texts of errors that belong to no rule."""
    for path, node, function in _nodes():
        if isinstance(node, ast.Call) and function is not None:
            found = _error_texts(node, function)
        elif _room(path) == _CLASSES and isinstance(node, ast.JoinedStr):
            found = _text(node)
        else:
            continue
        for text in found:
            yield _said_at(text, path, node)


@cache
def texts() -> frozenset[str]:
    """Return every text of the code, `VALUE` in the place of what is put into it."""
    of_rows = {shown(text) for check in every_check() for text in (check.row.finds, check.row.fix)}
    return frozenset(text for dummy, node, function in _nodes() for text in _text(node)) | of_rows


def says(text: str, message: str) -> bool:
    """Tell whether a message of a page, with `VALUE` for what differs, is one that a text of the code makes."""
    start = 0
    for piece in filter(None, (part.strip() for part in message.split(VALUE))):
        start = text.find(piece, start)
        if start < 0:
            return False
        start += len(piece)
    return True


@cache
def _nodes() -> list[tuple[Path, ast.AST, ast.FunctionDef | None]]:
    """Return what matters of the syntax of all files, each with the function in which it is."""
    found: list[tuple[Path, ast.AST, ast.FunctionDef | None]] = []

    def visit(path: Path, node: ast.AST, function: ast.FunctionDef | None) -> None:
        if isinstance(node, _OF_INTEREST):
            found.append((path, node, function))
        if isinstance(node, ast.FunctionDef):
            function = node
        for child in ast.iter_child_nodes(node):
            visit(path, child, function)

    for path in sorted(PLUGINS.rglob("*.py")):
        visit(path, ast.parse(path.read_text()), None)
    return found


def _room(path: Path) -> str:
    return path.relative_to(PLUGINS).as_posix().removeprefix("module_utils/")


def _said_at(text: str, path: Path, node: ast.AST) -> Said:
    return Said(text, f"{path.relative_to(CHECKOUT)}:{getattr(node, 'lineno', 0)}")


def _name(node: ast.expr) -> str:
    """Return how a call names its function: `Problem`, `InputError.single`; `self` is left out."""
    if isinstance(node, ast.Attribute):
        holder = _name(node.value)
        return f"{holder}.{node.attr}" if holder not in ("", "self") else node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _rules_of(node: ast.AST) -> Iterator[str]:
    given: list[ast.expr | None] = []
    if isinstance(node, ast.FunctionDef):
        named = {argument.arg: default for argument, default in _defaults(node.args)}
        given = [named.get("rule")]
    if isinstance(node, ast.Call):
        given = [each.value for each in node.keywords if each.arg == "rule"]
        name = _name(node.func)
        if name == "FieldRule":
            given += [each.value for each in node.keywords if each.arg == "name"]
        place = _NAMED_BY_PLACE.get(name)
        if place is not None and place < len(node.args):
            given.append(node.args[place])
    for value in given:
        if isinstance(value, ast.IfExp):
            given += [value.body, value.orelse]
        if isinstance(value, ast.Constant) and _RULE.fullmatch(str(value.value)):
            yield str(value.value)


def _defaults(arguments: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    placed = [*arguments.posonlyargs, *arguments.args][-len(arguments.defaults) :]
    if arguments.defaults:
        yield from zip(placed, arguments.defaults, strict=True)
    yield from zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)


def _error_texts(node: ast.Call, function: ast.FunctionDef) -> Iterator[str]:
    name = _name(node.func)
    place = _ERRORS.get(name)
    if place is None or place >= len(node.args):
        return
    if name == "Problem" and any(each.arg == "rule" for each in node.keywords):
        return
    given = node.args[place]
    if not isinstance(given, ast.Name):
        yield from _said(given)
        return
    for other in ast.walk(function):
        if isinstance(other, ast.Assign) and getattr(other.targets[0], "id", "") == given.id:
            yield from _said(other.value)


def _said(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from _said(node.body)
        yield from _said(node.orelse)
    else:
        yield from _text(node)


def _text(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node.value
    if isinstance(node, ast.JoinedStr):
        parts = (
            str(part.value) if isinstance(part, ast.Constant) else VALUE for part in node.values
        )
        yield "".join(parts)
