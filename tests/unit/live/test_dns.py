# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
import struct
from typing import Any, cast

import pytest

from tests.live import dns

Json = dict[str, Any]
POD = {"addresses": ["10.88.0.7"], "hostname": "group-0", "conditions": {"ready": True}}
STARTING = {"addresses": ["10.88.0.8"], "hostname": "group-1", "conditions": {"ready": False}}
IPS = {"web": "10.96.0.9", "group": "None"}


class Cluster:
    """As much of a client as names need."""

    def get(self, dummy_version: str, dummy_kind: str, name: str, namespace: str) -> Json | None:
        return {"spec": {"clusterIP": IPS[name]}} if namespace == "a" and name in IPS else None

    def list_all(self, *dummy: str, labelSelector: str) -> list[Json]:  # noqa: N803
        return [{"endpoints": [POD, STARTING]}] if labelSelector.endswith("=group") else []


CLIENT = cast("Any", Cluster())


def asked(name: str, kind: int = 1) -> tuple[int, list[str]]:
    """Ask as a resolver does, and return the code and the addresses of the answer."""
    words = b"".join(bytes([len(each)]) + each.encode() for each in name.split(".")) + b"\0"
    question = words + struct.pack("!2H", kind, 1)
    message = dns.answer(CLIENT, struct.pack("!6H", 7, 0x0100, 1, 0, 0, 0) + question)
    identity, flags, dummy, count, *dummies = struct.unpack_from("!6H", message)
    assert identity == 7
    assert len(dummies) == 2
    records = message[12 + len(question) :]
    return flags & 15, [".".join(map(str, records[at * 16 + 12 :][:4])) for at in range(count)]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("web.a.svc.cluster.local", (0, ["10.96.0.9"])),
        ("WEB.a.svc.cluster.local", (0, ["10.96.0.9"])),
        ("group.a.svc.cluster.local", (0, ["10.88.0.7"])),
        ("group-0.group.a.svc.cluster.local", (0, ["10.88.0.7"])),
        ("group-1.group.a.svc.cluster.local", (3, [])),
        ("absent.a.svc.cluster.local", (3, [])),
        ("web.b.svc.cluster.local", (3, [])),
        ("example.com", (3, [])),
    ],
)
def test_names_of_services_and_of_ready_pods_behind_headless_ones_are_answered(
    name: str, wanted: tuple[int, list[str]]
) -> None:
    assert asked(name) == wanted


def test_question_for_another_kind_of_address_is_answered_with_none_and_not_with_no_such_name() -> (
    None
):
    assert asked("web.a.svc.cluster.local", kind=28) == (0, [])
