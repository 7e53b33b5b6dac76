import subprocess
import sys
from importlib import resources

import pytest

HEAVY = {"numpy", "pandas", "numba", "scipy", "sklearn", "pyarrow"}

SHOW_HELP = """
import sys
from metricatlas.cli import main
sys.argv = ["metricatlas", "--help"]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""


def loaded_by(program):
    """Return the top-level modules that a fresh interpreter holds after the program."""
    report = "\nimport sys\nprint(*sys.modules, sep='\\n', file=sys.stderr)"
    run = subprocess.run(
        [sys.executable, "-c", program + report], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return {name.partition(".")[0] for name in run.stderr.split()}


@pytest.mark.parametrize(
    "program",
    [pytest.param("import metricatlas", id="import"), pytest.param(SHOW_HELP, id="help")],
)
def test_nothing_heavy_is_imported_before_it_is_needed(program):
    loaded = loaded_by(program)
    assert "metricatlas" in loaded
    assert not loaded & HEAVY


def test_the_report_of_loaded_modules_sees_a_heavy_one():
    assert "numpy" in loaded_by("import numpy")


def test_the_package_says_that_it_has_types():
    assert resources.files("metricatlas").joinpath("py.typed").is_file()
