# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cache consists of: the volumes of its node groups, and the Jobs that fill them."""
