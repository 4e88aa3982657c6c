"""What the tests of faults share: their size."""

import pytest


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="run the tests of faults at full size")


@pytest.fixture(scope="session")
def full(request):
    """Whether the tests of faults run at full size, as by `make faults`."""
    return request.config.getoption("--full", default=False)
