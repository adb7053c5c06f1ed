# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin for connections that makes this machine another one."""

from __future__ import annotations

#: The same as `local` under another name: the action takes it for another machine, and hands over to the module.
CONNECTION = """
from ansible.plugins.connection.local import Connection as Local

DOCUMENTATION = '''
name: elsewhere
short_description: this machine under another name
description: For a test.
options: {}
'''


class Connection(Local):
    transport = "elsewhere"
"""
