# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses of objects, told before anything is sent: each rule once, whoever made the object."""
