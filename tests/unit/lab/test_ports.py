# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Free ports."""

from __future__ import annotations

import socket

from tests.lab.commands import Ports
from tests.lab.ports import LOOPBACK, free_ports


def test_ports_differ_and_can_be_used() -> None:
    ports = free_ports(20)
    assert len(set(ports)) == 20
    for port in ports:
        with socket.socket() as listener:
            listener.bind((LOOPBACK, port))


def test_every_program_gets_a_port_of_its_own() -> None:
    ports = vars(Ports.free())
    del ports["address"]
    assert len(set(ports.values())) == len(ports) == 7
