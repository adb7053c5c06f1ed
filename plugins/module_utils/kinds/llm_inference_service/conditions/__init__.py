# SPDX-License-Identifier: GPL-3.0-or-later
"""What the controller says about each part of a service: one file for each kind of thing that it looks at."""
