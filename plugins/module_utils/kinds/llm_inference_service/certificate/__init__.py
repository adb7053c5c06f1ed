# SPDX-License-Identifier: GPL-3.0-or-later
"""The certificate by which model servers and endpoint picker are called: what it must say, and when it must be renewed."""
