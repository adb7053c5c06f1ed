# SPDX-License-Identifier: GPL-3.0-or-later
"""What the differential tool takes for the wish of a controller after an update, read from the requests that it sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from module_utils.kinds.kserve.releases import KServe
from tests.differential import isvc_updates, updates
from tests.differential.batch import Case, Outcome
from tests.differential.updates import Wanted, wanted

Json = dict[str, Any]
Cases = Callable[[int, KServe, int], list[Case]]
_ALL = "/api/v1/namespaces/n/services"


def entry(method: str, path: str, size: int = 0, query: str = "", code: int = 200) -> Json:
    metadata = {"name": "one", "namespace": "n"}
    body = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "size": size}
    sent = {} if method == "DELETE" else {"body": body}
    return {"method": method, "path": path, "query": query, "code": code, **sent}


def after(*entries: Json, updated: int = 1) -> Wanted:
    outcome = Outcome(Case("n", {"kind": "LLMInferenceService", "metadata": {"name": "chat"}}))
    outcome.requests = (list(entries[:updated]), list(entries[updated:]))
    return wanted(outcome)


def sizes(*entries: Json) -> list[int]:
    return [each["size"] for each in after(*entries).objects]


def test_what_is_asked_for_last_is_wanted_without_the_defaults_of_the_server() -> None:
    made, one = entry("POST", _ALL, 1), f"{_ALL}/one"
    assert sizes(made) == [1]
    asked = entry("PUT", one, 2, query="dryRun=All")
    assert sizes(made, asked, entry("PUT", one, 3)) == [2]
    assert sizes(made, asked, entry("PUT", f"{one}/status", 4)) == [2]
    assert sizes(made, entry("PUT", one, 5, query="dryRun=All", code=409)) == [1]
    assert sizes(made, entry("PUT", one, 6, query="dryRun=All", code=422)) == [6]
    assert sizes(entry("PUT", one, 7, query="dryRun=All")) == []


def test_what_is_written_without_asking_is_wanted() -> None:
    assert sizes(entry("POST", _ALL, 1), entry("PUT", f"{_ALL}/one", 2)) == [2]


def test_what_is_deleted_is_not_wanted_until_it_is_made_again() -> None:
    made, gone = entry("POST", _ALL, 1), entry("DELETE", f"{_ALL}/one")
    assert sizes(made, gone) == []
    assert sizes(made, gone, entry("POST", _ALL, 2)) == [2]


def test_a_controller_that_is_stopped_by_a_refusal_has_no_wish_about_the_rest() -> None:
    made, other = entry("POST", _ALL, 1), entry("POST", "/api/v1/namespaces/n/secrets", 2)
    refused = entry("PUT", f"{_ALL}/one", 3, query="dryRun=All", code=422)
    assert after(made, other, refused, updated=2).stuck
    assert [each["size"] for each in after(made, other, refused, updated=2).objects] == [3]
    assert not after(made, other, refused, updated=3).stuck


def test_what_is_asked_for_as_before_is_no_wish_of_a_controller_that_is_stopped() -> None:
    secrets = "/api/v1/namespaces/n/secrets"
    before = [entry("POST", _ALL, 1), entry("POST", secrets, 2)]
    as_before = entry("PUT", f"{_ALL}/one", 1, query="dryRun=All")
    refused = entry("PUT", f"{secrets}/one", 3, query="dryRun=All", code=422)
    found = after(*before, as_before, refused, updated=2)
    assert [each["size"] for each in found.objects] == [3]
    assert [each["size"] for each in after(*before, as_before, updated=2).objects] == [1, 2]


@pytest.mark.parametrize("cases", [updates.cases, isvc_updates.cases], ids=["llm", "isvc"])
def test_services_become_others_of_their_name_in_their_own_namespace(cases: Cases) -> None:
    found = cases(1, KServe.V0_20, 60)
    assert len(found) > 10
    for case in found:
        assert case.becomes is not None
        assert case.becomes.document["metadata"]["name"] == case.document["metadata"]["name"]
        assert case.becomes.document["metadata"]["namespace"] == case.namespace
        assert case.becomes.document["spec"] != case.document["spec"]
