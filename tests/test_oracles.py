"""Every measure against somebody else's code, or the definition in fractions."""

import ast
import importlib
import pkgutil
import warnings
from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import oracles
import pytest
from oracles.case import Case
from worlds import catalogue_for, heavy, limits, worlds

import metricatlas as ma
from metricatlas.evaluation.task import Task

FILES = [info.name for info in pkgutil.iter_modules(oracles.__path__)]
ORACLES = {}
for file in FILES:
    for name, oracle in getattr(importlib.import_module(f"oracles.{file}"), "ORACLES", {}).items():
        assert name not in ORACLES, f"two oracles for {name}"
        ORACLES[name] = oracle
#: Answers for other than the usual parameters.
VARIANTS = {}
for file in FILES:
    VARIANTS |= getattr(importlib.import_module(f"oracles.{file}"), "VARIANTS", {})
ALL = ORACLES | VARIANTS


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


def asked_of(oracle, w, measure):
    """Return whether an oracle knows an answer there."""
    there = oracle.binary if w.classes == 2 else oracle.multiclass
    return there and (w.w is None or oracle.weighted) and not heavy(w, measure)


def answer(oracle, w):
    """Return the oracle's value; a row without weight is no row, an error no value."""
    kept = slice(None) if w.w is None else w.w > 0
    case = Case(w.y[kept], w.p[kept], None if w.w is None else w.w[kept])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return oracle.value(case)
        except (ValueError, ZeroDivisionError):
            return np.nan


@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("few", [0, 5_000], ids=["scan form", "array form"])
def test_every_value_is_the_oracles(classes, few, monkeypatch):
    monkeypatch.setattr("metricatlas.summaries.fill.FEW", few)
    measures = {**catalogue_for(classes), **variants_for(classes)}
    wrong, compared = defaultdict(list), set()
    for w in cases(classes).values():
        asked = {n: m for n, m in measures.items() if asked_of(ALL[n], w, m)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ma.UndefinedWarning)
            values = w.evaluate(list(asked.values())).values[0]
        compared |= set(asked)
        for name, value in zip(asked, values, strict=True):
            theirs = answered(name, w.name, classes)
            if not np.isclose(value, theirs, rtol=1e-9, atol=1e-9, equal_nan=True):
                wrong[name].append((w.name, float(value), float(theirs)))
    assert not {name: (len(found), found[:2]) for name, found in wrong.items()}
    assert compared == set(measures)


def variants_for(classes):
    """Return the measures with other than their usual parameters that fit so many classes."""
    return {n: ma.catalogue[n] for n in VARIANTS if fits(ma.catalogue[n], classes)}


def fits(measure, classes):
    return not Task("probabilities", tuple(range(classes)), decided=True, whole=True).objection(
        measure
    )


@cache
def cases(classes):
    return {w.name: w for w in [*limits(classes), *worlds(classes)]}


@cache
def answered(name, world, classes):
    """Return the oracle's answer, which both forms of the kernels are held to."""
    return answer(ALL[name], cases(classes)[world])
