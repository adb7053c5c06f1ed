# SPDX-License-Identifier: GPL-3.0-or-later
"""Templates as Go fills them in. What Go 1.25 gives stands beside each."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from module_utils.kube.go_template.errors import TemplateError
from module_utils.kube.go_template.execute import render
from module_utils.kube.go_template.values import (
    BOOL,
    INT,
    OPEN,
    STRING,
    STRINGS,
    ListOf,
    PointerTo,
    Struct,
    StructOf,
)

_INNER = StructOf("v1.Inner", {"Tensor": ("tensor", PointerTo(INT)), "Expert": ("expert", BOOL)})
_ROOT = StructOf(
    "v1.Root",
    {
        "Name": ("name", STRING),
        "Labels": ("labels", STRINGS),
        "Set": ("set", PointerTo(_INNER)),
        "Unset": ("unset", PointerTo(_INNER)),
        "Items": ("items", ListOf(STRING)),
        "Replicas": ("replicas", PointerTo(INT)),
        "Pod": ("pod", PointerTo(OPEN)),
    },
)
DATA = Struct(
    _ROOT,
    {
        "name": "demo",
        "labels": {"team": "blue", "a-b": "c"},
        "set": {"tensor": 4},
        "items": ["x", "y"],
        "replicas": 0,
        "pod": {"dnsPolicy": "Default", "containers": [{"name": "main"}]},
    },
)
FUNCTIONS = {"Join": lambda first, second: f"{first}{second}"}

GIVEN = {
    "plain {text} }}": "plain {text} }}",
    "{{ .Name }}/{{.Name}}": "demo/demo",
    "{{ .Set.Tensor }} {{ .Set.Expert }}": "4 false",
    "{{ .Labels.team }} {{ index .Labels `a-b` }} {{ len .Labels }}": "blue c 2",
    "{{ index .Labels `gone` }}|": "|",
    "{{ if .Unset }}yes{{ else }}no{{ end }}": "no",
    "{{ if .Replicas }}set{{ end }} {{ .Replicas }}": "set 0",
    "{{ if .Unset }}1{{ else if .Set }}2{{ else }}3{{ end }}": "2",
    "{{ with .Set }}{{ .Tensor }} {{ $.Name }}{{ end }}": "4 demo",
    "{{ with .Unset }}a{{ else with .Set }}{{ .Tensor }}{{ end }}": "4",
    "{{ range $k, $v := .Labels }}{{ $k }}={{ $v }},{{ end }}": "a-b=c,team=blue,",
    "{{ range .Items }}{{ . }};{{ else }}none{{ end }}": "x;y;",
    "{{ range $i, $x := .Items }}{{ if eq $i 1 }}{{ break }}{{ end }}{{ $x }}{{ end }}": "x",
    "{{ range .Items }}{{ if eq . `x` }}{{ continue }}{{ end }}{{ . }}{{ end }}": "y",
    "{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}": "2",
    "{{ $x := 1 }}{{ if true }}{{ $x := 2 }}{{ $x }}{{ end }}{{ $x }}": "21",
    "{{ or .Set.Tensor 1 }} {{ or .Unset 7 }} {{ and 1 0 }} {{ not true }}": "4 7 0 false",
    "{{ or true (index .Items 9) }}": "true",
    "{{ eq .Name `demo` }} {{ eq 1 2 1 }} {{ ne 1 2 }} {{ lt 1 2 }} {{ ge `b` `a` }}": "true true true true true",
    "{{ printf `%03d|%s|%-4s|%q|%v|%t|%5.2f` 7 `a` `b` `c` 1 true 1.5 }}": '007|a|b   |"c"|1|true| 1.50',
    "{{ print `a` 1 2 `b` }} {{ println 1 }}": "a1 2b 1\n",
    "{{ slice .Name 1 3 }} {{ slice .Name 2 }} {{ len .Name }}": "em mo 4",
    "{{ html `<a href='x'>` }} {{ urlquery `a b/c` }} {{ js `it's` }}": "&lt;a href=&#39;x&#39;&gt; a+b%2Fc it\\'s",
    "{{ .Name | Join `x-` }} {{ Join .Name `-y` }}": "x-demo demo-y",
    "{{ (index .Items 0) }}{{ (.Set).Tensor }}": "x4",
    '{{ `raw }} text` }}{{ "quoted \\"x\\"" }}': 'raw }} textquoted "x"',
    "a {{- ` b ` -}} c": "a b c",
    "a\n{{- /* no }} text */ -}}\nb": "ab",
    "{{ .Items }} {{ .Labels }}": "[x y] map[a-b:c team:blue]",
    "{{ .Pod.DNSPolicy }} {{ range .Pod.Containers }}{{ .Name }}{{ end }}": "Default main",
    "{{ if .Pod.HostNetwork }}a{{ else }}b{{ end }}": "b",
    "{{ 1.5 }} {{ 0x10 }} {{ 'a' }} {{ 1_000 }}": "1.5 16 97 1000",
    "{{ range 3 }}{{ . }}{{ end }}": "012",
}

#: Template → what Go says, and where. A part that cannot even be read has no place.
REFUSED = {
    "{{ .Name ": ("unclosed action", ""),
    "{{ .Gone }}": ("can't evaluate field Gone in type v1.Root", ".Gone"),
    "{{ .Unset.Tensor }}": ("nil pointer evaluating *v1.Inner.Tensor", ".Unset.Tensor"),
    "{{ .Labels.gone }}": ('map has no entry for key "gone"', ".Labels.gone"),
    "{{ .Name.First }}": ("can't evaluate field First in type string", ".Name.First"),
    "{{ gt .Replicas 1 }}": ("error calling gt: invalid type for comparison", "gt .Replicas 1"),
    "{{ eq 1 `a` }}": ("error calling eq: incompatible types for comparison", "eq 1 `a`"),
    "{{ index .Items 5 }}": ("error calling index: index out of range: 5", "index .Items 5"),
    "{{ Join `a` }}": ("wrong number of args for Join: want 2 got 1", "Join"),
    "{{ nope 1 }}": ('function "nope" not defined', ""),
    '{{ Join .Name \\"-x\\" }}': ('unexpected "\\\\" in operand', ""),
    '{{ .Name"}}': ("bad character U+0022 '\"'", ""),
    "{{ if .Name }}": ("unexpected EOF", ""),
    "{{ end }}": ("unexpected {{end}}", ""),
    "{{ else }}": ("unexpected {{else}}", ""),
    "{{ if }}a{{ end }}": ("missing value for if", ""),
    "{{ }}": ("missing value for command", ""),
    "{{ $x }}": ('undefined variable "$x"', "$x"),
    "{{ .Name 1 }}": ("Name is not a method but has arguments", ".Name"),
    "{{ break }}": ("{{break}} outside {{range}}", ""),
    "{{ define `x` }}{{ end }}": ("{{define}} is not supported: each text is one template", ""),
    "{{ print .Replicas }}": (
        "error calling print: this would print an address in memory; print the value by an action of its own",
        "print .Replicas",
    ),
    "{{ range .Name }}{{ end }}": ("range can't iterate over demo", ".Name"),
}


@pytest.mark.parametrize("template", GIVEN)
def test_templates_are_filled_in_as_go_does(template: str) -> None:
    assert render(template, DATA, FUNCTIONS) == GIVEN[template]


@pytest.mark.parametrize("template", REFUSED)
def test_mistakes_are_told_in_gos_words(template: str) -> None:
    with pytest.raises(TemplateError) as caught:
        render(template, DATA, FUNCTIONS)
    assert (caught.value.reason, caught.value.expression) == REFUSED[template]


def test_an_error_tells_line_and_place() -> None:
    text = "first\nsecond {{ .Gone }}"
    with pytest.raises(TemplateError) as caught:
        render(text, DATA, {})
    told = caught.value.as_go("config", text)
    assert told.startswith("template: config:2:")
    assert told.endswith(
        'executing "config" at <.Gone>: can\'t evaluate field Gone in type v1.Root'
    )


@given(st.text(alphabet='{}.-`"\\$|() \nNameifend=:range0', max_size=60))
def test_any_text_is_filled_in_or_refused(text: str) -> None:
    try:
        found: Any = render(text, DATA, FUNCTIONS)
    except TemplateError as error:
        found = error.reason
    assert isinstance(found, str)


@given(st.text(max_size=60).filter(lambda text: "{{" not in text))
def test_text_without_actions_stays(text: str) -> None:
    assert render(text, DATA, {}) == text


#: Template → what it gives where a missing key is none, as text and as the text of a page.
LENIENT = {
    "{{ .Labels.gone }}": ("<no value>", ""),
    "{{ if .Labels.gone }}a{{ else }}b{{ end }}": ("b", "b"),
    '{{ "<a b=\\"1\\">&+" }}': ('<a b="1">&+', "&lt;a b=&#34;1&#34;&gt;&amp;&#43;"),
    "<b>{{ .Name }}</b>": ("<b>demo</b>", "<b>demo</b>"),
}


@pytest.mark.parametrize("template", LENIENT)
def test_a_missing_key_leaves_nothing_where_that_is_wanted(template: str) -> None:
    found = [render(template, DATA, {}, lenient=True, html=html) for html in (False, True)]
    assert tuple(found) == LENIENT[template]
