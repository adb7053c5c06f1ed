# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests on a real API server share: services to reconcile, and the entries called as Ansible calls them."""
