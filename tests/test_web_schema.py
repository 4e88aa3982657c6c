"""The API against its own schema: whatever is asked, the answer is one that the schema promises."""

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from web_server import server, web_home  # noqa: F401

from ludus.web.server import make_app

pytestmark = pytest.mark.slow

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
PATHS = make_app().openapi()["paths"]
LONG = ("/api/studies/{kind}", "post")  # it computes for minutes; tests/test_web_studies.py
OPERATIONS = [
    (path, method)
    for path, methods in PATHS.items()
    for method in methods
    if "stream" not in path and (path, method) != LONG
]


REAL = {"game": "tic-tac-toe", "agent": "random", "at": ".../.X./...", "start": None, "seats": ["person", "random"]}


def with_real_names(place):
    """The same with names of what there is in place of generated ones, so that more than refusals is seen."""
    if not isinstance(place, dict):
        return place
    known = {name: value for name, value in REAL.items() if name in place}
    return place | known | ({"at": [REAL["at"]]} if isinstance(place.get("at"), list) else {})


@pytest.fixture(scope="module")
def schema(server):  # noqa: F811
    return schemathesis.openapi.from_url(f"{server}api/openapi.json")


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_every_answer_is_one_that_the_schema_promises(schema, path, method):
    @given(case=schema[path][method].as_strategy(), real=st.booleans())
    @settings(max_examples=16, suppress_health_check=list(HealthCheck), deadline=None, database=None)
    def holds(case, real):
        if real:
            case.query, case.body = with_real_names(case.query), with_real_names(case.body)
        case.call_and_validate(checks=CHECKS, timeout=120)

    holds()
