# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of what people write wrong is told, and where: services that are right, each spoilt in every place by every kind of mistake."""
