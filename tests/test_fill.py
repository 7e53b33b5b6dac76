"""Which form of the kernels runs, how often it sorts and scans, and that threads change nothing."""

import subprocess
import sys
import warnings
from collections import Counter

import numpy as np
import pytest
from worlds import catalogue_for, world

import metricatlas as ma
from metricatlas.summaries import fill
from metricatlas.summaries.kernels import (
    confusion_scan,
    confusion_steps,
    probability_scan,
    probability_steps,
    scan,
    steps,
)


@pytest.fixture(autouse=True)
def _undefined_values_are_expected():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.UndefinedWarning)
        yield


@pytest.fixture
def calls(monkeypatch):
    """Count the calls of everything that sorts, scans, or runs over examples."""
    counted = Counter()
    watched = {
        "scan sorts": (scan, "ordered"),
        "scan scans": (scan, "scan"),
        "scan ranking": (scan, "ranking_facts"),
        "scan classes": (scan, "class_facts"),
        "scan confusion": (confusion_scan, "confusion_facts"),
        "scan probabilities": (probability_scan, "probabilities_facts"),
        "array sorts": (steps, "Row"),
        "array ranking": (steps, "ranking_facts"),
        "array classes": (steps, "class_facts"),
        "array confusion": (confusion_steps, "confusion_facts"),
        "array probabilities": (probability_steps, "probabilities_facts"),
    }

    def watch(label, original):
        def counting(*arguments, **options):
            counted[label] += 1
            return original(*arguments, **options)

        return counting

    for label, (module, name) in watched.items():
        monkeypatch.setattr(module, name, watch(label, getattr(module, name)))
    return counted


#: Enough examples for the scan form.
MANY = fill.FEW + 1
#: Cuts of all kinds, best ones among them that the kernels do not know.
CUTS = [
    "f1@best",
    "mcc@best",
    "recall@best=jaccard",
    "acc@ks",
    "ppv@top=10",
    "fpr@tpr=0.5",
    "f1@0.3",
]


def everything(classes):
    return [*map(str, catalogue_for(classes, on_request=False).values())]


@pytest.mark.parametrize(("n", "form"), [(2, "array"), (fill.FEW, "array"), (MANY, "scan")])
def test_the_size_of_the_input_chooses_the_form(n, form, calls):
    w = world(0, n)
    ma.evaluate(w.y, w.p[:, 1], measures=["auc", "acc", "brier"], labels=[0, 1])
    ran = {f"{form} ranking", f"{form} confusion", f"{form} probabilities"}
    assert {label for label in calls if not label.endswith(("sorts", "scans"))} == ran


def test_a_batch_is_large_when_all_its_predictions_are_many(calls):
    w = world(0, 500, 4)
    batch = np.repeat(w.p[np.newaxis], fill.FEW_IN_ALL // 2_000 + 1, axis=0)
    ma.evaluate(w.y, batch[:-1], measures=["auc"])
    assert calls["array classes"] == 1
    ma.evaluate(w.y, batch, measures=["auc"])
    assert calls["scan classes"] == 1
    assert calls["array classes"] == 1


def test_a_small_input_needs_nothing_compiled():
    program = (
        "import sys, metricatlas as ma\n"
        "ma.evaluate([0, 1, 1, 0], [0.1, 0.4, 0.35, 0.8])\n"
        "print('numba' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "False"


def test_two_classes_are_sorted_and_scanned_once_whatever_is_asked(calls):
    w = world(0, MANY)
    # Measures of both classes' views need the other class's order as well.
    asked = [name for name in everything(2) if name != "calb_literal[macro]"]
    ma.evaluate(w.y, w.p[:, 1], measures=[*asked, *CUTS])
    once = ("ranking", "sorts", "scans", "confusion", "probabilities")
    assert calls == Counter({f"scan {what}": 1 for what in once})


def test_all_measures_of_two_classes_are_filled_by_one_sort(calls):
    w = world(0, MANY)
    table = ma.evaluate(w.y, w.p[:, 1])
    assert len(table.columns) > 120
    assert calls["scan sorts"] == calls["scan scans"] == 1


def test_the_array_form_sorts_once_as_well(calls):
    w = world(0, 200)
    asked = [name for name in everything(2) if name != "calb_literal[macro]"]
    ma.evaluate(w.y, w.p[:, 1], measures=[*asked, *CUTS])
    once = ("ranking", "sorts", "confusion", "probabilities")
    assert calls == Counter({f"array {what}": 1 for what in once})


@pytest.mark.parametrize(("n", "form"), [(100, "array"), (MANY, "scan")])
def test_each_class_of_many_is_sorted_once_for_all_that_reads_its_column(n, form, calls):
    w = world(0, n, 4)
    cuts = [cut for cut in CUTS if cut not in ("mcc@best", "acc@ks")]
    areas = [
        "auc[ovo]",
        "auc[ovo,prior]",
        "auc[ovr]",
        "auc[ovr,prior]",
        "sauc",
        "ks",
        "ap[class=2]",
    ]
    ma.evaluate(w.y, w.p, measures=[*areas, *cuts, "recall[weighted]@best=mcc"])
    assert calls[f"{form} sorts"] == 4
    assert calls[f"{form} classes"] == 1


def test_each_other_view_of_many_classes_is_sorted_once(calls):
    w = world(0, MANY, 3)
    ma.evaluate(w.y, w.p, measures=["ece", "ece_mass", "ece_max", "ap[top]"])
    assert calls["scan sorts"] == 1
    ma.evaluate(w.y, w.p, measures=["vus"])
    assert calls["scan sorts"] == 2
    ma.evaluate(w.y, w.p, measures=["auc_mu"])
    assert calls["scan sorts"] == 5


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(("few", "in_all"), [(0, 0), (10**9, 10**9), (10**9, 300)])
def test_threads_give_the_same_bits(classes, few, in_all, monkeypatch):
    # In the last case the share of a thread would be small enough for the other form.
    monkeypatch.setattr(fill, "FEW", few)
    monkeypatch.setattr(fill, "FEW_IN_ALL", in_all)
    monkeypatch.setattr(fill, "MANY", 0)
    members = [world(seed, 60, classes, ties=seed % 2 == 0) for seed in range(7)]
    y, p = np.array([m.y for m in members]), np.array([m.p for m in members])
    groups = np.repeat([1, 0], 30)
    measures = [*catalogue_for(classes).values(), "jaccard@best", "f1@ks"]
    tables = []
    for threads in ("1", "2", "5", "64"):
        monkeypatch.setenv("METRICATLAS_THREADS", threads)
        tables.append(ma.evaluate(y, p, measures=measures, groups=groups).values.tobytes())
    assert len(set(tables)) == 1
    assert len(tables) == 4


def test_threads_are_as_many_as_asked_for_or_as_there_are_cores(monkeypatch):
    monkeypatch.setenv("METRICATLAS_THREADS", "3")
    assert fill.threads() == 3
    for nonsense in ("", "0", "-1", "many"):
        monkeypatch.setenv("METRICATLAS_THREADS", nonsense)
        assert fill.threads() >= 1


def test_more_than_one_thread_works_on_a_large_batch(monkeypatch):
    monkeypatch.setenv("METRICATLAS_THREADS", "2")
    pools = []
    executor = fill.ThreadPoolExecutor

    def counted(workers):
        pools.append(workers)
        return executor(workers)

    monkeypatch.setattr(fill, "ThreadPoolExecutor", counted)
    w = world(0, fill.MANY // 4)
    batch = np.repeat(w.p[np.newaxis, :, 1:], 4, axis=0)
    ma.evaluate(w.y, batch[:3], measures=["auc"])
    assert not pools
    table = ma.evaluate(w.y, batch, measures=["auc"])
    assert pools == [2]
    assert len(set(table["auc"])) == 1
