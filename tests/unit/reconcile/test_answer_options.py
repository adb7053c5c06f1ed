# SPDX-License-Identifier: GPL-3.0-or-later
"""A request that cannot be sent is refused before anything is written, and nothing secret is told of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from module_utils.kinds.protocols import OPENAI
from module_utils.kinds.request import Request
from module_utils.kube.problem import InputError
from module_utils.module_runner import _shown
from module_utils.reconcile.answer_options import AnswerOptions, answer_options, way_in_problems
from tests.unit.cluster.pki import Authority
from tests.unit.kinds.model_service.build import document
from tests.unit.modules.task import run

Json = dict[str, Any]
BLANK: Json = {
    "through": "gateway",
    "path": None,
    "body": None,
    "headers": {},
    "timeout": None,
    "tls": None,
}


def refusal(**given: Any) -> str:
    with pytest.raises(InputError) as error:
        answer_options({**BLANK, **given})
    return str(error.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"path": "v1/models"}, "path: 'v1/models' does not begin with a slash"),
        ({"path": "/a b"}, "holds what no path holds"),
        ({"path": "/a\r\nX: y"}, "holds what no path holds"),
        ({"body": '{"model": '}, "body: is not JSON at line 1, column 11"),
        ({"body": "{'model': 'a'}"}, "column 2, which has double quotes; or write a map"),
        ({"body": {"a": object()}}, "body: is not JSON"),
        ({"body": {"a": 1}}, "body: needs path"),
        ({"headers": {"A": None}}, "headers['A']: has no value"),
        ({"headers": {"A": ["b"]}}, "headers['A']: its value is no text"),
        ({"headers": {"A B": "c"}}, "headers['A B']: is not the name of a header"),
        ({"headers": {"": "c"}}, "is not the name of a header"),
        ({"headers": {"A": "c\r\nB: d"}}, "headers['A']: its value cannot be sent"),
        ({"headers": {"A": " c"}}, "no blanks at its ends"),
        ({"headers": {"A": "\u0416"}}, "its value cannot be sent"),
        ({"headers": {"Host": "a"}}, "is set by what sends the request"),
        ({"through": "apiserver", "headers": {"authorization": "x"}}, "the API server takes it for itself"),
        ({"timeout": 0.0}, "timeout: 0 is not more than 0 seconds"),
        ({"timeout": float("nan")}, "is not more than 0 seconds"),
        ({"timeout": float("inf")}, "is not more than 0 seconds"),
        ({"tls": {"ca_cert": "/nowhere.pem"}}, "tls.ca_cert: /nowhere.pem cannot be read"),
        ({"tls": {"ca_cert": "/nowhere.pem", "verify": False}}, "is not read with verify: false"),
        ({"through": "apiserver", "tls": {"verify": False}}, "tls: is not read with through: apiserver"),
    ],
)  # fmt: skip
def test_request_that_cannot_be_sent_is_refused(given: Json, said: str) -> None:
    assert said in refusal(**given)


def test_all_mistakes_are_told_at_once() -> None:
    said = refusal(path="x", timeout=-1.0, headers={"A B": "c"})
    assert said.splitlines()[0] == "answer: 3 problems"


def test_mistakes_are_told_at_the_option_that_holds_them() -> None:
    with pytest.raises(InputError, match="answer_options: 1 problem"):
        answer_options({**BLANK, "path": "x"}, 10.0, "answer_options")


def test_file_without_a_certificate_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    assert "holds no certificate in PEM form" in refusal(tls={"ca_cert": str(tmp_path / "ca.pem")})
    (tmp_path / "binary.pem").write_bytes(b"\xff\xfe")
    assert "holds no certificate" in refusal(tls={"ca_cert": str(tmp_path / "binary.pem")})


def test_value_of_a_header_is_not_told() -> None:
    assert "letmein" not in refusal(headers={"A": "letmein\r\n"})
    assert "letmein" not in repr(AnswerOptions(headers={"A": "letmein"}, body=b"letmein"))


def test_body_may_be_a_map_or_json(tmp_path: Path) -> None:
    for given in ({"a": 1}, '{"a": 1}'):
        assert answer_options({**BLANK, "path": "/", "body": given}).body == b'{"a": 1}'
    (tmp_path / "ca.pem").write_text(Authority().pem)
    tls = {"ca_cert": str(tmp_path / "ca.pem"), "verify": True}
    assert answer_options({**BLANK, "tls": tls}).ca == (tmp_path / "ca.pem").read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"state": "absent", "wait": True}, "state absent leaves none to ask"),
        ({"state": "rendered", "wait": True}, "state rendered leaves none to ask"),
        ({"state": "present"}, "answer needs wait: true"),
        ({"state": "present", "wait_for": "RouterReady"}, "RouterReady needs wait: true"),
        ({"state": "absent", "wait": True, "wait_for": "Ready"}, "state absent leaves none to look at"),
        ({"state": "present", "wait": True, "wait_for": "answered"}, 'did you mean "answer"?'),
        ({"state": "present", "wait": True, "wait_for": "Answer"}, 'did you mean "answer"?'),
        ({"state": "present", "wait": True, "wait_for": "READY"}, 'did you mean "ready"?'),
        ({"state": "present", "wait": True, "wait_for": "router ready"}, "nor the type of a condition"),
        ({"state": "present", "wait_for": "ready", "answer": {}}, "answer: is only for wait_for: answer"),
        ({"state": "present", "wait": True, "answer": {"path": "x"}}, "does not begin with a slash"),
    ],
)  # fmt: skip
def test_task_that_cannot_ask_is_refused_before_it_connects(options: Json, said: str) -> None:
    given = {"wait_for": "answer", "kubeconfig": "/nowhere/kubeconfig", **options}
    result = run(services=[document()], **given)
    assert result["failed"]
    assert said.replace("answer: is", "is") in result["msg"]


def test_headers_and_body_are_masked_in_what_ansible_shows() -> None:
    answer = {
        **BLANK,
        "headers": {"Authorization": "Bearer letmein", "X-Key": "letmein"},
        "body": "letmein",
    }
    shown = _shown({"answer": answer, "answer_options": answer})
    assert "letmein" not in str(shown)
    assert shown["answer"]["through"] == "gateway"


@pytest.mark.parametrize(
    ("prefix", "path", "said"),
    [
        ("/team-a/chat", "/team-a/chat/v1/models", "write /v1/models"),
        ("/team-a/chat/", "/team-a/chat/v1/models", "write /v1/models"),
        ("/team-a/chat", "/team-a/chatter/v1", None),
        ("/team-a/chat", "/v1/models", None),
        ("/", "/v1/models", None),
        ("", "/v1/models", None),
    ],
)
def test_prefix_of_the_route_is_not_written_twice(prefix: str, path: str, said: str | None) -> None:
    request = Request(protocol=OPENAI, model="m", address="10.0.0.1", path=prefix)
    told = [str(each) for each in way_in_problems(request, AnswerOptions(path=path))]
    assert [said in each for each in told if said] == [True] * (said is not None)
    assert bool(told) == (said is not None)
