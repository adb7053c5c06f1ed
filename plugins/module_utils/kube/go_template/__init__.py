# SPDX-License-Identifier: GPL-3.0-or-later
"""Go's text templates, as far as resources for Kubernetes use them: no definitions of further templates.

Written against the documentation of text/template and html/template, Go 1.25. The caller says what becomes of missing keys.
"""
