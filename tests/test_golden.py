"""Every worked case, with every measure it lists, through the doors that users call."""

import warnings
from collections import defaultdict

import numpy as np
import pytest

import metricatlas as ma

TOLERANCE = 1e-9
NOT_MEASURES = {"CEN_binary_closed_form"}


def expected_value(printed):
    return {None: np.nan, "inf": np.inf}.get(printed, printed)


def differences(case, table):
    """Return the measures whose value is not the expected one."""
    wrong = {}
    for place, name in enumerate(table.columns):
        ours, theirs = table.values[0, place], expected_value(case["expected"][name])
        if not np.isclose(ours, theirs, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True):
            wrong[name] = (float(ours), theirs)
    return wrong


def of_kind(cases, kind):
    return [case for case in cases if case["kind"] == kind]


def measures_of(case):
    return [name for name in case["expected"] if name not in NOT_MEASURES]


def evaluated(case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.UndefinedWarning)
        if case["kind"] == "cm":
            return ma.evaluate_confusion(case["M"], measures=measures_of(case))
        return ma.evaluate(
            case["y"], np.array(case["P"]), measures=measures_of(case), labels=range(case["c"])
        )


@pytest.mark.parametrize("kind", ["prob", "cm"])
def test_every_worked_case_has_the_expected_values(golden_cases, kind):
    wrong = defaultdict(list)
    cases = of_kind(golden_cases, kind)
    for case in cases:
        for name, values in differences(case, evaluated(case)).items():
            wrong[name].append((case["id"], *values))
    assert len(cases) > 100
    assert not wrong, {name: (len(found), found[:3]) for name, found in wrong.items()}


def test_the_scan_form_gives_the_expected_values_too(golden_cases, monkeypatch):
    monkeypatch.setattr("metricatlas.summaries.fill.FEW", 0)
    wrong = defaultdict(list)
    for case in of_kind(golden_cases, "prob"):
        for name, values in differences(case, evaluated(case)).items():
            wrong[name].append((case["id"], *values))
    assert not wrong, {name: (len(found), found[:3]) for name, found in wrong.items()}


def test_every_undefined_value_of_the_worked_cases_has_a_reason(golden_cases):
    without = set()
    for case in golden_cases:
        if case["kind"] != "consistency":
            table = evaluated(case)
            for place, name in enumerate(table.columns):
                if np.isnan(table.values[0, place]) != bool(table.reason(0, place)):
                    without.add((case["id"], name))
    assert not without


def test_every_key_of_the_worked_cases_is_a_name_whatever_its_case(golden_cases):
    keys = {k for case in golden_cases if case["kind"] != "consistency" for k in measures_of(case)}
    assert len(keys) > 60
    for key in keys:
        assert ma.catalogue[key] == ma.catalogue[key.lower()] == ma.catalogue[key.upper()]
