# SPDX-License-Identifier: GPL-3.0-or-later
"""Filling in a template."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any
from typing import Literal as OneOf

from .errors import TemplateError
from .functions import FUNCTIONS
from .nodes import (
    Action,
    Branch,
    Command,
    Fields,
    Function,
    Jump,
    Literal,
    Nil,
    Node,
    Operand,
    Pipeline,
    Text,
    Variable,
)
from .parser import parse
from .printing import escaped, printed
from .values import Pointer, PointerTo, Struct, open_value, pointed, truth, typed

_Signal = OneOf["break", "continue"]
_LAZY = ("and", "or")


def render(
    text: str,
    data: Any,
    functions: Mapping[str, Callable[..., Any]],
    *,
    lenient: bool = False,
    html: bool = False,
) -> str:
    """Return a template filled in.

    data: what `.` is, a value of `values`. functions: more than Go's own; they raise ValueError.
    lenient: a map that lacks a key has no value there. Else it is an error, as with Go's option missingkey=error.
    html: as html/template does it in the text of a page: values are escaped, and one that is not there leaves nothing.
    Raises TemplateError.
    """
    callables = {**FUNCTIONS, **functions}
    nodes = parse(text, frozenset((*callables, *_LAZY)))
    machine = _Machine(callables, data, lenient=lenient, write=escaped if html else printed)
    machine.run(nodes, data)
    return "".join(machine.written)


class _Machine:
    def __init__(
        self,
        functions: Mapping[str, Callable[..., Any]],
        data: Any,
        *,
        lenient: bool,
        write: Callable[[Any], str],
    ) -> None:
        self.written: list[str] = []
        self._functions = functions
        self._lenient = lenient
        self._write = write
        # Innermost last. A variable is looked for from there.
        self._variables: list[tuple[str, Any]] = [("$", data)]

    def run(self, nodes: list[Node], dot: Any) -> _Signal | None:
        """Write what parts give. Answers with the jump that ended them, if one did."""
        for node in nodes:
            if isinstance(node, Text):
                self.written.append(node.text)
                continue
            if isinstance(node, Jump):
                return "break" if node.word == "break" else "continue"
            try:
                signal = self._act(node, dot)
            except TemplateError as error:
                if not error.action:
                    error.action, error.offset = node.inner, node.offset
                raise
            if signal:
                return signal
        return None

    def _act(self, node: Action | Branch, dot: Any) -> _Signal | None:
        if isinstance(node, Branch):
            mark = len(self._variables)
            signal = self._branch(node, dot)
            del self._variables[mark:]
            return signal
        value = self._pipeline(node.pipeline, dot)
        if not node.pipeline.variables:
            self.written.append(_guarded(node.pipeline.source, self._write, value))
        return None

    def _branch(self, node: Branch, dot: Any) -> _Signal | None:
        if node.word == "range":
            return self._range(node, dot)
        value = self._pipeline(node.pipeline, dot)
        if not truth(value):
            return self.run(node.otherwise, dot)
        return self.run(node.body, value if node.word == "with" else dot)

    def _range(self, node: Branch, dot: Any) -> _Signal | None:
        names = node.pipeline.variables
        items = _items(
            pointed(self._pipeline(node.pipeline, dot, bind=False)), node.pipeline.source
        )
        for key, value in items:
            mark = len(self._variables)
            bound = (value,) if len(names) == 1 else (key, value)
            for name, item in zip(names, bound, strict=False):
                self._bind(name, item, new=node.pipeline.declares)
            signal = self.run(node.body, value)
            if node.pipeline.declares:
                del self._variables[mark:]
            if signal == "break":
                break
        return None if items else self.run(node.otherwise, dot)

    def _bind(self, name: str, value: Any, *, new: bool) -> None:
        if new:
            self._variables.append((name, value))
            return
        for position in range(len(self._variables) - 1, -1, -1):
            if self._variables[position][0] == name:
                self._variables[position] = (name, value)
                return
        raise TemplateError(f'undefined variable "{name}"')

    def _pipeline(self, pipeline: Pipeline, dot: Any, *, bind: bool = True) -> Any:
        passed: tuple[Any, ...] = ()
        for command in pipeline.commands:
            passed = (self._command(command, dot, passed),)
        if bind:
            for name in pipeline.variables:
                self._bind(name, passed[0], new=pipeline.declares)
        return passed[0]

    def _command(self, command: Command, dot: Any, passed: tuple[Any, ...]) -> Any:
        first, arguments = command.words[0], command.words[1:]
        if isinstance(first, Function):
            if first.name in _LAZY:
                return self._lazy(first.name, arguments, dot, passed)
            values = [*(self._operand(argument, dot) for argument in arguments), *passed]
            return self._call(first.name, values, command.source)
        if arguments or passed:
            reason = f"can't give argument to non-function {first.source}"
            if isinstance(first, Fields):
                reason = f"{first.path[-1] if first.path else first.source} is not a method but has arguments"
            raise TemplateError(reason, expression=first.source)
        if isinstance(first, Nil):
            raise TemplateError("nil is not a command", expression="nil")
        return self._operand(first, dot)

    def _lazy(
        self, name: str, arguments: tuple[Operand, ...], dot: Any, passed: tuple[Any, ...]
    ) -> Any:
        if not arguments and not passed:
            raise TemplateError(
                f"wrong number of args for {name}: want at least 1 got 0", expression=name
            )
        value: Any = None
        for argument in arguments:
            value = self._operand(argument, dot)
            if truth(value) == (name == "or"):
                return value
        return passed[0] if passed else value

    def _call(self, name: str, values: list[Any], source: str) -> Any:
        function = self._functions[name]
        signature = _signature(function)
        try:
            signature.bind(*values)
        except TypeError:
            wanted = len(signature.parameters)
            reason = f"wrong number of args for {name}: want {wanted} got {len(values)}"
            raise TemplateError(reason, expression=name) from None
        try:
            return function(*values)
        except ValueError as error:
            raise TemplateError(f"error calling {name}: {error}", expression=source) from None

    def _operand(self, operand: Operand, dot: Any) -> Any:
        match operand:
            case Literal():
                return operand.value
            case Nil():
                return None
            case Variable():
                return self._variable(operand.name)
            case Pipeline():
                return self._pipeline(operand, dot)
            case Function():
                return self._command(Command((operand,), operand.source), dot, ())
            case Fields():
                value = dot if operand.start is None else self._operand(operand.start, dot)
                for name in operand.path:
                    value = _field(value, name, operand.source, lenient=self._lenient)
                return value

    def _variable(self, name: str) -> Any:
        for known, value in reversed(self._variables):
            if known == name:
                return value
        raise TemplateError(f'undefined variable "{name}"', expression=name)


_signature = cache(inspect.signature)


def _guarded(source: str, function: Callable[[Any], str], value: Any) -> str:
    try:
        return function(value)
    except ValueError as error:
        raise TemplateError(str(error), expression=source) from None


def _items(value: Any, source: str) -> list[tuple[Any, Any]]:
    """Return what `range` goes through, with keys or positions."""
    if isinstance(value, list):
        return list(enumerate(value))
    if isinstance(value, dict):
        return [(key, value[key]) for key in sorted(value)]
    if isinstance(value, int) and not isinstance(value, bool):
        return [(number, number) for number in range(value)]
    if value is None:
        return []
    raise TemplateError(
        f"range can't iterate over {_guarded(source, printed, value)}", expression=source
    )


def _field(receiver: Any, name: str, source: str, *, lenient: bool) -> Any:
    """Return a field of a struct or the value of a key. lenient: None for a key that is not there."""
    if isinstance(receiver, Pointer):
        if receiver.target is None:
            raise TemplateError(
                f"nil pointer evaluating {receiver.type.name}.{name}", expression=source
            )
        receiver = pointed(receiver)
    if isinstance(receiver, dict):
        if name not in receiver and not lenient:
            raise TemplateError(f'map has no entry for key "{name}"', expression=source)
        return receiver.get(name)
    if isinstance(receiver, Struct):
        return _struct_field(receiver, name, source)
    kind = {str: "string", bool: "bool", int: "int", float: "float64", list: "slice"}
    if receiver is None:
        raise TemplateError(f'nil data; no entry for key "{name}"', expression=source)
    raise TemplateError(
        f"can't evaluate field {name} in type {kind.get(type(receiver), 'value')}",
        expression=source,
    )


def _struct_field(receiver: Struct, name: str, source: str) -> Any:
    if receiver.type.known:
        if name not in receiver.type.fields:
            raise TemplateError(
                f"can't evaluate field {name} in type {receiver.type.name}", expression=source
            )
        key, kind = receiver.type.fields[name]
        # A field without a name in JSON is embedded: it has the same data.
        return typed(kind, receiver.data.get(key) if key else receiver.data)
    if not name[:1].isupper():
        raise TemplateError(
            f"can't evaluate field {name} in type {receiver.type.name}", expression=source
        )
    for key, value in receiver.data.items():
        if key.lower() == name.lower():
            return open_value(value)
    return Pointer(PointerTo(receiver.type), None)
