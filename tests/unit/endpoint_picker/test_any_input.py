# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever a configuration holds, checking and migrating it ends with findings or an error of input, never with a traceback."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from module_utils.endpoint_picker.catalogue import registry
from module_utils.endpoint_picker.check import check_document, check_text
from module_utils.endpoint_picker.migration.migrate import migrate
from module_utils.endpoint_picker.normal_form import differences, meaning_hash
from module_utils.endpoint_picker.objects import deployment_findings, pool_findings
from module_utils.endpoint_picker.releases import PickerRelease, releases
from module_utils.endpoint_picker.rules.parameters import parameters_of
from module_utils.endpoint_picker.schema import ListOf, fields_of
from module_utils.kube.problem import InputError

RELEASES = list(releases().values())
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 70000),
    st.floats(),
    st.sampled_from(["", "a", "1s", "-1s", "1Gi", "app=m", "usage.x + 1", "default", "prefill"]),
    st.text(max_size=8),
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


def values_for(field: Any) -> st.SearchStrategy[Any]:
    """Return values for a field of a schema: now and then of another kind."""
    if isinstance(field, str):
        return st.one_of(SCALARS, SCALARS, ANYTHING)
    if isinstance(field, ListOf):
        return st.one_of(ANYTHING, st.lists(values_for(field.fields), max_size=3))
    return st.one_of(
        ANYTHING,
        st.fixed_dictionaries(
            {}, optional={key: values_for(below) for key, below in field.items()}
        ),
    )


@st.composite
def documents(draw: st.DrawFn, release: PickerRelease) -> Any:
    """Return documents with the fields, plugins and parameters of a release, well formed or not."""
    types = draw(st.lists(st.sampled_from(sorted(registry(release.target))), max_size=5))
    plugins = [
        {
            "type": kind,
            **draw(
                st.fixed_dictionaries(
                    {},
                    optional={
                        "name": st.one_of(st.sampled_from(types), SCALARS),
                        "parameters": values_for(parameters_of(kind, release.generation)),
                    },
                )
            ),
        }
        for kind in types
    ]
    references = st.one_of(st.sampled_from([*types, "max-score-picker"]), SCALARS)
    profile = {
        "name": st.one_of(st.sampled_from(["default", "prefill", "decode"]), SCALARS),
        "plugins": st.lists(
            st.fixed_dictionaries({"pluginRef": references}, optional={"weight": SCALARS}),
            max_size=4,
        ),
    }
    rest = {
        key: values_for(field)
        for key, field in fields_of(release.generation).items()
        if key not in ("plugins", "schedulingProfiles")
    }
    profiles = st.lists(st.fixed_dictionaries(profile), max_size=3)
    others = draw(st.fixed_dictionaries({}, optional={"schedulingProfiles": profiles, **rest}))
    return {"plugins": plugins, **others}


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_document_is_checked_in_every_way(data: st.DataObject) -> None:
    release = data.draw(st.sampled_from(RELEASES))
    document = data.draw(st.one_of(documents(release), documents(release), ANYTHING))
    report = check_document(document, release, experimental=data.draw(st.booleans()))
    assert report.verdict in ("accept", "reject", "unstable")
    json.dumps([finding.as_json() for finding in report.findings])
    meaning_hash(report.config)
    list(differences(report.config, check_document({}, release).config))
    list(deployment_findings({}, report, release, "key"))
    list(pool_findings({}, report, release))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_document_migrates_or_is_refused(data: st.DataObject) -> None:
    source, target = data.draw(st.sampled_from(RELEASES)), data.draw(st.sampled_from(RELEASES))
    document = data.draw(documents(source))
    with suppress(InputError):
        assert migrate(document, source, target).document is not document


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.binary(), st.text("-:[]{}&*!|>#'\" \n\tay1", max_size=30)))
def test_any_text_is_checked(source: str | bytes) -> None:
    for release in (RELEASES[0], RELEASES[-1]):
        assert check_text(source, release).verdict in ("accept", "reject", "unstable")
