# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Build the documentation site below build/site/html: the pages of docs/, and one page for every plugin and role.

Runs in the environment `release`. Every warning is an error, so a link that leads nowhere, inside the site or to a file of the
collection, does not pass. Links to other sites are not followed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

from . import pages
from .steps import tool
from .tree import BUILD, CHECKOUT, COLLECTION, TREE_ROOT, sync

SITE = BUILD / "site"
SOURCE = SITE / "source"
REFERENCE = SOURCE / "reference"
#: What the pages of plugins refer to in Ansible's own documentation, by label. A site is built without asking that site.
ANSIBLE = {
    "action_plugins": "plugins/action.html",
    "ansible_configuration_settings": "reference_appendices/config.html",
    "common_return_values": "reference_appendices/common_return_values.html",
    "ansible_collections.ansible.builtin.copy_module": "collections/ansible/builtin/copy_module.html",
    "ansible_collections.ansible.builtin.copy_module__parameter-src": "collections/ansible/builtin/copy_module.html",
    "ansible_collections.ansible.builtin.template_module": "collections/ansible/builtin/template_module.html",
}


def main() -> int:
    """Prepare the source, build, and return the exit code."""
    sync()
    shutil.rmtree(SITE, ignore_errors=True)
    # The whole collection: pages link to its files.
    shutil.copytree(COLLECTION, SOURCE, ignore=shutil.ignore_patterns("tests", "site", ".*"))
    shutil.copytree(CHECKOUT / "docs" / "site", SOURCE, dirs_exist_ok=True)
    for page in pages.SHOWN:
        _link_inside(SOURCE / page)
    REFERENCE.mkdir()
    (SOURCE / "ansible.inv").write_bytes(_inventory(ANSIBLE))
    # antsibull-docs asks the `ansible` beside it, and writes a log into the home folder.
    beside = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([beside, os.environ.get("PATH", os.defpath)]),
        "ANSIBLE_COLLECTIONS_PATH": str(TREE_ROOT),
        "HOME": str(BUILD),
    }
    plugins = [tool("antsibull-docs"), "collection", "--use-current", "--squash-hierarchy"]
    plugins += ["--fail-on-error", "--dest-dir", str(REFERENCE), "modelops.inference"]
    site = [tool("sphinx-build"), "--quiet", "--fail-on-warning", "--keep-going"]
    site += ["-b", "html", str(SOURCE), str(SITE / "html")]
    for command in (plugins, site):
        if code := subprocess.run(command, env=environment, check=False).returncode:
            return code
    print(f"site: {(SITE / 'html' / 'index.html').relative_to(CHECKOUT)}")
    return 0


def _link_inside(page: Path) -> None:
    """Let the links of a page that lead to the repository lead to the site's own pages."""
    up = "../" * (len(page.relative_to(SOURCE).parts) - 1)
    text = page.read_text("utf-8").replace(pages.REPOSITORY, up).replace(pages.RAW, "")
    page.write_text(text, encoding="utf-8")


def _inventory(labels: dict[str, str]) -> bytes:
    """Return an inventory of another site's labels as Sphinx reads it, version 2."""
    head = "# Sphinx inventory version 2\n# Project: ansible\n# Version: \n"
    head += "# The remainder of this file is compressed using zlib.\n"
    lines = [f"{label} std:label -1 {page} {label}\n" for label, page in labels.items()]
    return head.encode() + zlib.compress("".join(lines).encode())


if __name__ == "__main__":
    sys.exit(main())
