# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that an InferenceGraph needs, one file for each."""
