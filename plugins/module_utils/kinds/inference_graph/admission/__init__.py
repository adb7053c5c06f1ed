# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's validating webhook refuses, said before anything is written."""
