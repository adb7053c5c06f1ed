# SPDX-License-Identifier: GPL-3.0-or-later
"""From an InferenceService to the pods of its components, and what KServe's webhook makes of those pods."""
