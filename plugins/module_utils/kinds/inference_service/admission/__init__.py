# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's validating webhook refuses, and what its controller could only fail at, said before anything is written."""
