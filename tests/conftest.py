"""What all tests share: the worked cases, the data sets and the Hypothesis profiles."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

BESIDE_THE_REPOSITORY = Path(__file__).parents[2] / "shared"

# No deadlines: the first example of a test may compile a kernel.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=100)
settings.register_profile("dev", deadline=None, max_examples=30)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def folder_or_skip(variable: str, name: str) -> Path:
    folder = Path(os.environ.get(variable) or BESIDE_THE_REPOSITORY / name)
    if not folder.is_dir():
        pytest.skip(f"there is no folder {folder}; let {variable} name the one to use")
    return folder


@pytest.fixture(scope="session")
def golden_cases() -> list[dict[str, Any]]:
    """Return the worked cases, one dictionary a line of golden.jsonl."""
    lines = folder_or_skip("METRICATLAS_REFERENCE", "reference") / "golden.jsonl"
    return [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="session")
def datasets_folder() -> Path:
    """Return the folder of the public data sets."""
    return folder_or_skip("METRICATLAS_DATA", "datasets")
