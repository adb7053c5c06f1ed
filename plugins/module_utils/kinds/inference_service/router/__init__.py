# SPDX-License-Identifier: GPL-3.0-or-later
"""Under which names a service is reached, and which of its components answers there."""
