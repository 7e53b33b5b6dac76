"""What tests and doctests share: the measures that one of them defines end with it."""

from collections.abc import Iterator

import pytest

from metricatlas.measures import declaration


@pytest.fixture(autouse=True)
def _own_measures_end_with_the_test() -> Iterator[None]:
    kept = dict(declaration._REGISTRY)
    yield
    if kept != declaration._REGISTRY:
        declaration._REGISTRY.clear()
        declaration._REGISTRY.update(kept)
        declaration._FILED.append("the end of a test")
