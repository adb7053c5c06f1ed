# SPDX-License-Identifier: GPL-3.0-or-later
"""How the documentation becomes a site; `make site` prepares its source and builds it."""

project = "modelops.inference"
author = "modelops.inference contributors"
project_copyright = author
html_title = "modelops.inference"

extensions = ["myst_parser", "sphinx.ext.intersphinx", "sphinx_antsibull_ext"]
# `make site` writes the inventory, so that no other site is asked.
intersphinx_mapping = {"ansible": ("https://docs.ansible.com/ansible/latest/", "ansible.inv")}
include_patterns = [
    "index.md",
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "docs/*.md",
    "examples/*.md",
    "roles/*/README.md",
    "reference/**",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
# Links to a heading of another page, as GitHub writes them.
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]

html_theme = "sphinx_ansible_theme"
html_show_sphinx = False
html_use_smartypants = False
display_version = False
