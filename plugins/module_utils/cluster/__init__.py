# SPDX-License-Identifier: GPL-3.0-or-later
"""Talking to one API server: `connection.connect` gives a `Cluster`, `errors` names what can go wrong."""
