# SPDX-License-Identifier: GPL-3.0-or-later
"""Services of Knative, as InferenceServices and InferenceGraphs have them: what KServe writes, what Knative refuses and reports."""
