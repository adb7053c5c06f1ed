# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Makes a page of a template: whatever a variable says stays text. Ansible's own templates escape nothing."""

from __future__ import annotations

DOCUMENTATION = r"""
name: html
short_description: Fill in an HTML template, with every value escaped
version_added: 1.0.0
author:
  - modelops.inference contributors (@modelops)
description:
  - Fills in Jinja2 templates as M(ansible.builtin.template) does, but everything that is put out is escaped for HTML (autoescape), so a value can
    not become a tag or a script.
  - The templates see O(values) and Jinja2's own filters, and besides these C(words), which spells out a name such as C(RouteAccepted).
    A name that is not among O(values) is an error.
  - They are plain Jinja2, and fill in hundreds of services in the time in which a template of a task fills in ten.
options:
  _terms:
    description: Templates, looked for in C(templates/) as M(ansible.builtin.template) does; they may include files next to them.
    type: list
    elements: str
    required: true
  values:
    description: What the template can name.
    type: dict
    default: {}
requirements:
  - jmespath, for templates that use the filter C(query), which is a JMESPath expression
"""

EXAMPLES = r"""
- name: Write a page
  ansible.builtin.copy:
    content: "{{ lookup('modelops.inference.html', 'page.html.j2', values={'title': 'Fleet', 'services': fleet.services}) }}"
    dest: fleet.html
    mode: "0644"
"""

RETURN = r"""
_raw:
  description: The pages.
  type: list
  elements: str
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError
from ansible.plugins.lookup import LookupBase

from ansible_collections.modelops.inference.plugins.plugin_utils.arguments import plain

#: Where a word begins: at a capital after a small letter, and at the last capital of several, `HTTP|Routes`.
_INNER_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def words(name: str) -> str:
    """Return a name in capitals and small letters as words: `RouteAccepted` as `Route accepted`."""
    first, *others = _INNER_CAPITAL.sub(" ", name).split(" ")
    kept = [word if word.isupper() else word.lower() for word in others]
    return " ".join([first[:1].upper() + first[1:], *kept])


def page(path: Path, values: Mapping[str, Any]) -> str:
    """Return a template filled in. Raises jinja2.TemplateError."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        loader=FileSystemLoader(path.parent),
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["query"] = _query
    environment.filters["words"] = words
    return environment.get_template(path.name).render(values)


def _query(data: Any, expression: str) -> Any:
    """Return what a JMESPath expression finds in data."""
    import jmespath

    return jmespath.search(expression, data)


class LookupModule(LookupBase):
    """Fills in templates."""

    def run(
        self, terms: Sequence[str], variables: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[str]:
        """Return the pages, one for each template."""
        from jinja2 import TemplateError

        self.set_options(var_options=variables, direct=kwargs)
        values = plain(self.get_option("values"))
        pages = []
        for term in terms:
            found = self.find_file_in_search_path(variables, "templates", term)
            if not found:
                raise AnsibleError(
                    f'html: no template "{term}" in templates/ of the role or playbook'
                )
            try:
                pages.append(page(Path(found), values))
            except ImportError as error:
                raise AnsibleError(f"html: {term}: {error}; install jmespath") from error
            except TemplateError as error:
                raise AnsibleError(f"html: {term}: {error}") from error
        return pages
