# SPDX-License-Identifier: GPL-3.0-or-later
"""How a service is reached: the Gateways and routes that it names, and the addresses that come of them."""
