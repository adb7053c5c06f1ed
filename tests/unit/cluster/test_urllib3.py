# SPDX-License-Identifier: GPL-3.0-or-later
"""What is used of urllib3 beyond its documentation is there in the installed release; a release without it is refused in words."""

from __future__ import annotations

import queue
import socket

import pytest
import urllib3

from module_utils.cluster.deadline_socket import HOOKS, TESTED, with_deadlines
from module_utils.cluster.errors import MissingLibrary
from tests.tools.tree import CHECKOUT

CONNECTIONS = [
    urllib3.connection.HTTPConnection,
    urllib3.connection.HTTPSConnection,
]


@pytest.mark.parametrize("connection", CONNECTIONS)
def test_the_installed_urllib3_has_every_hook(connection: type) -> None:
    assert [name for name in HOOKS if not hasattr(connection, name)] == []
    assert issubclass(with_deadlines(connection), connection)


@pytest.mark.parametrize("hook", HOOKS)
def test_a_urllib3_without_a_hook_is_refused_in_words(hook: str) -> None:
    others = {name: None for name in HOOKS if name != hook}
    with pytest.raises(MissingLibrary, match=f"has a version without {hook} .* pip install"):
        with_deadlines(type("Connection", (), others))


def test_a_connection_is_opened_by_the_hook_and_by_no_other_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[str] = []
    made = with_deadlines(urllib3.connection.HTTPConnection)

    def new(self: urllib3.connection.HTTPConnection) -> socket.socket:
        opened.append(self.host)
        return socket.socket()

    monkeypatch.setattr(made, "_new_conn", new)
    monkeypatch.setattr(socket, "create_connection", None)
    connection = made("server.example.org", 80)
    connection.connect()
    connection.close()
    assert opened == ["server.example.org"]


def test_a_pool_makes_its_connections_of_its_class_and_keeps_them_in_a_queue() -> None:
    pool = urllib3.HTTPConnectionPool("127.0.0.1", 1)
    pool.ConnectionCls = with_deadlines(pool.ConnectionCls)
    assert isinstance(pool.pool, queue.Queue)
    assert isinstance(pool._get_conn(), pool.ConnectionCls)
    pool.close()
    assert pool.pool is None


def test_the_release_that_is_advised_is_the_one_of_the_tests() -> None:
    assert TESTED in (CHECKOUT / "tests/requirements-run.txt").read_text().splitlines()
