# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a CEL expression compiles: its grammar, its names, and the types of its operations. Nothing is evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .lexer import CelError, Token, tokens
from .types import DYN, TYPE_NAMES, binary, call, is_function

_RESERVED = frozenset(
    [
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ]
)

#: Macros on a list or a map: how many arguments each takes; the first is the name of an element.
_MACROS = {"all": (2,), "exists": (2,), "exists_one": (2,), "filter": (2,), "map": (2, 3)}
_MACRO_TYPES = {"filter": "list", "map": "list"}

_RELATIONS = ("<", "<=", ">", ">=", "==", "!=", "in")
#: Nobody writes deeper ones, and each level takes a dozen calls.
_DEEPEST = 40


@dataclass(frozen=True, slots=True)
class _Value:
    """type: of the value. name: the qualified name as it is written, empty for other expressions. selects: ends with `.field`."""

    type: str
    name: str = ""
    selects: bool = False


def compile_fault(text: str, variables: Mapping[str, str]) -> str | None:
    """Return why an expression does not compile, None if it does. variables: name → type."""
    try:
        _Parser(text, variables).whole()
    except CelError as error:
        return str(error)
    return None


class _Parser:
    """Descends through the grammar and returns the type of what it read."""

    def __init__(self, text: str, variables: Mapping[str, str]) -> None:
        self._tokens = list(tokens(text))
        self._position = 0
        self._scopes = [dict(variables)]
        self._depth = 0

    def whole(self) -> str:
        """Return the type of the whole expression."""
        result = self._expression()
        if self._now.kind != "end":
            raise self._unexpected()
        return result

    @property
    def _now(self) -> Token:
        return self._tokens[self._position]

    def _next(self) -> Token:
        token = self._now
        self._position += token.kind != "end"
        return token

    def _take(self, *texts: str) -> str:
        """Return the sign or keyword that stands here if it is one of these, else nothing."""
        token = self._now
        if token.kind in ("sign", "name") and token.text in texts:
            return self._next().text
        return ""

    def _want(self, text: str) -> None:
        if not self._take(text):
            raise self._unexpected(f", wanted is {text}")

    def _unexpected(self, more: str = "") -> CelError:
        token = self._now
        what = repr(token.text) if token.text else "the end"
        return CelError(f"column {token.place}: {what} cannot stand here{more}")

    def _fail(self, token: Token, message: str) -> CelError:
        return CelError(f"column {token.place}: {message}")

    def _expression(self) -> str:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise CelError("the expression is nested too deep")
        begin = self._now
        result = self._either()
        if self._take("?"):
            if result not in (DYN, "bool"):
                raise self._fail(begin, f"the condition is {result}, no bool")
            first = self._either()
            self._want(":")
            result = self._common(first, self._expression(), begin)
        self._depth -= 1
        return result

    def _common(self, first: str, second: str, begin: Token) -> str:
        if DYN in (first, second):
            return DYN
        if first != second:
            raise self._fail(begin, f"one branch is {first}, the other {second}")
        return first

    def _either(self) -> str:
        return self._logical("||", self._both)

    def _both(self) -> str:
        return self._logical("&&", self._relation)

    def _logical(self, sign: str, below: Callable[[], str]) -> str:
        begin = self._now
        result = below()
        while self._take(sign):
            other = below()
            if not {result, other} <= {DYN, "bool"}:
                raise self._fail(begin, f"{sign} takes bools, not {result} and {other}")
            result = "bool"
        return result

    def _relation(self) -> str:
        return self._operation(_RELATIONS, self._sum)

    def _sum(self) -> str:
        return self._operation(("+", "-"), self._product)

    def _product(self) -> str:
        return self._operation(("*", "/", "%"), self._unary)

    def _operation(self, signs: tuple[str, ...], below: Callable[[], str]) -> str:
        result = below()
        while True:
            token = self._now
            sign = self._take(*signs)
            if not sign:
                return result
            other = below()
            found = binary(sign, result, other)
            if found is None:
                raise self._fail(token, f"there is no {sign} for {result} and {other}")
            result = found

    def _unary(self) -> str:
        token = self._now
        sign = self._take("!", "-")
        if not sign:
            return self._member().type
        times = 1
        while self._take(sign):
            times += 1
        result = self._member().type
        # Two of them are nothing, whatever they stand before.
        if times % 2 and result not in ((DYN, "bool") if sign == "!" else (DYN, "int", "double")):
            raise self._fail(token, f"there is no {sign} for {result}")
        return "bool" if sign == "!" and times % 2 else result

    def _member(self) -> _Value:
        value = self._primary()
        while True:
            token = self._now
            if self._take("."):
                value = self._selected(value)
            elif self._take("["):
                value = self._indexed(value, token)
            else:
                return self._declared(value, token)

    def _selected(self, value: _Value) -> _Value:
        token = self._next()
        if token.kind != "name" or token.text == "in":
            raise self._fail(token, f"{token.text!r} is no name of a field")
        if self._take("("):
            return _Value(self._method(value, token))
        if value.name:
            # A name may go on: it is known when it ends.
            return _Value(value.type, f"{value.name}.{token.text}", selects=True)
        return _Value(self._field(value.type, token), selects=True)

    def _field(self, holder: str, token: Token) -> str:
        if holder not in (DYN, "map", "struct"):
            raise self._fail(token, f"{holder} has no fields")
        return DYN

    def _declared(self, value: _Value, token: Token) -> _Value:
        """Return a value whose name, if it has one, is resolved."""
        if not value.name:
            return value
        head, *fields = value.name.split(".")
        kind = next((scope[head] for scope in reversed(self._scopes) if head in scope), None)
        if kind is None:
            if not fields and head in TYPE_NAMES:
                return _Value("type")
            raise self._fail(
                token, f"{value.name} is not declared; known are {', '.join(self._scopes[0])}"
            )
        for dummy in fields:
            kind = self._field(kind, token)
        return _Value(kind, selects=value.selects)

    def _indexed(self, value: _Value, token: Token) -> _Value:
        holder = self._declared(value, token).type
        key = self._expression()
        self._want("]")
        keys = {DYN: (key,), "list": ("int", DYN), "map": (key,), "struct": ("string", DYN)}
        if key not in keys.get(holder, ()):
            raise self._fail(token, f"{holder} cannot be indexed by {key}")
        return _Value(DYN)

    def _method(self, value: _Value, token: Token) -> str:
        holder = self._declared(value, token).type
        if token.text in _MACROS and self._is_macro(token.text):
            return self._macro(holder, token)
        return self._called(token, [holder, *self._arguments(")")], method=True)

    def _called(self, token: Token, arguments: list[str], *, method: bool) -> str:
        if not is_function(token.text):
            raise self._fail(token, f"there is no function {token.text}")
        found = call(token.text, arguments, method=method)
        if found is None:
            raise self._fail(
                token, f"there is no {token.text} for {', '.join(arguments) or 'nothing'}"
            )
        return found

    def _arguments(self, end: str) -> list[str]:
        found: list[str] = []
        while not self._take(end):
            if found:
                self._want(",")
                if end != ")" and self._take(end):
                    break
            found.append(self._expression())
        return found

    def _is_macro(self, name: str) -> bool:
        """Whether as many arguments follow as the macro takes; else it is an ordinary call."""
        depth, commas, position = 0, 0, self._position
        while self._tokens[position].kind != "end":
            text = self._tokens[position].text
            if self._tokens[position].kind == "sign":
                if text in "([{":
                    depth += 1
                elif text in ")]}":
                    if depth == 0:
                        break
                    depth -= 1
                commas += text == "," and depth == 0
            position += 1
        return commas + 1 in _MACROS[name]

    def _macro(self, holder: str, token: Token) -> str:
        if holder not in (DYN, "list", "map", "struct"):
            raise self._fail(token, f"{holder} has no elements")
        element = self._next()
        if element.kind != "name" or element.text in _RESERVED:
            raise self._fail(element, f"{token.text} wants the name of an element first")
        self._scopes.append({element.text: "string" if holder == "struct" else DYN})
        while self._take(","):
            place = self._now
            kind = self._expression()
            last_of_map = token.text == "map" and self._now.text == ")"
            if not last_of_map and kind not in (DYN, "bool"):
                raise self._fail(place, f"{token.text} wants a bool, not {kind}")
        self._want(")")
        self._scopes.pop()
        return _MACRO_TYPES.get(token.text, "bool")

    def _primary(self) -> _Value:
        token = self._next()
        if token.kind in ("int", "uint", "double", "string", "bytes"):
            return _Value(token.kind)
        if token.kind == "sign":
            return self._bracketed(token)
        if token.kind != "name" or token.text == "in":
            self._position -= token.kind != "end"
            raise self._unexpected()
        if token.text in ("true", "false", "null"):
            return _Value("null" if token.text == "null" else "bool")
        if token.text in _RESERVED:
            raise self._fail(token, f"{token.text} is a reserved word")
        if self._take("("):
            return _Value(self._function(token))
        return _Value("", token.text)

    def _function(self, token: Token) -> str:
        if token.text == "has":
            begin = self._now
            value = self._member()
            self._want(")")
            if not value.selects:
                raise self._fail(begin, "has() wants a field, as in has(usage.prompt_tokens)")
            return "bool"
        return self._called(token, self._arguments(")"), method=False)

    def _bracketed(self, token: Token) -> _Value:
        if token.text == "(":
            result = self._expression()
            self._want(")")
            return _Value(result)
        if token.text == "[":
            self._arguments("]")
            return _Value("list")
        if token.text == "{":
            return self._map()
        self._position -= 1
        raise self._unexpected()

    def _map(self) -> _Value:
        while not self._take("}"):
            self._expression()
            self._want(":")
            self._expression()
            if not self._take(","):
                self._want("}")
                break
        return _Value("map")
