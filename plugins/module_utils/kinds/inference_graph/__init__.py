# SPDX-License-Identifier: GPL-3.0-or-later
"""InferenceGraph of KServe: what its controller would create, and what it would report."""
