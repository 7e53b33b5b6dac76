"""Every measure against somebody else's code, or the definition in fractions."""

import ast
import importlib
import pkgutil
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import oracles
import pytest
from oracles.case import Case
from worlds import catalogue_for, worlds

import metricatlas as ma

FILES = [info.name for info in pkgutil.iter_modules(oracles.__path__)]
ORACLES = {}
for file in FILES:
    for name, oracle in getattr(importlib.import_module(f"oracles.{file}"), "ORACLES", {}).items():
        assert name not in ORACLES, f"two oracles for {name}"
        ORACLES[name] = oracle


def test_the_oracles_are_those_of_the_catalogue():
    assert set(ORACLES) == set(ma.catalogue)


@pytest.mark.parametrize("file", FILES)
def test_an_oracle_imports_nothing_from_metricatlas(file):
    tree = ast.parse((Path(oracles.__path__[0]) / f"{file}.py").read_text(encoding="utf-8"))
    imported = [
        alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names
    ]
    imported += [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    assert not [module for module in imported if module.startswith("metricatlas")]


def test_every_oracle_names_its_source():
    assert all(len(oracle.source) > 5 for oracle in ORACLES.values())


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_every_value_is_the_oracles(classes):
    measures = {n: m for n, m in catalogue_for(classes).items() if n in ORACLES}
    wrong, compared = defaultdict(list), set()
    for w in worlds(classes):
        case = Case(w.y, w.p, w.w)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ma.UndefinedWarning)
            values = w.evaluate(list(measures.values())).values[0]
        for name, value in zip(measures, values, strict=True):
            oracle = ORACLES[name]
            if not (oracle.binary if classes == 2 else oracle.multiclass):
                continue
            if w.w is not None and (not oracle.weighted or measures[name].counts_rows):
                continue
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                theirs = oracle.value(case)
            compared.add(name)
            if not np.isclose(value, theirs, rtol=1e-9, atol=1e-9, equal_nan=True):
                wrong[name].append((w.name, float(value), float(theirs)))
    assert not {name: (len(found), found[:2]) for name, found in wrong.items()}
    assert compared == set(measures)
