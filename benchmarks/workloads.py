"""What is measured: each workload says what it is, against whom, and what is required."""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics import roc_auc_score

import metricatlas as ma
from benchmarks.timing import command_seconds, interleaved, python_prints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COUNTS_FIVE = ["acc", "kappa", "mcc", "cen", "tmcc"]
FOUR_AUCS = ["auc[ovr,uniform]", "auc[ovr,prior]", "auc[ovo,uniform]", "auc[ovo,prior]"]


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    work: str
    peer: str
    value: float
    required: float
    #: What is required is a bound on `value`, in this unit; ratios have none.
    unit: str = ""
    detail: str = ""

    @property
    def holds(self) -> bool:
        """Whether what is required is reached."""
        return self.value <= self.required


def binary(n: int, models: int = 1, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Truth and the probabilities of some models with some skill."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(np.int64)
    p = np.clip(rng.beta(2, 3, (models, n)) + 0.1 * y, 0, 1)
    return y, p[0] if models == 1 else p[:, :, np.newaxis]


def one_model(sizes: list[int], seconds: float) -> Iterator[Row]:
    """All binary measures that need no parameter, and AUC alone, of one model."""
    required = {10**3: 0.6, 10**4: 0.35, 10**5: 0.15, 10**6: 0.12, 10**7: 0.10}
    for n in sizes:
        y, p = binary(n)
        count = len(ma.evaluate(y, p).columns)
        times = interleaved(
            {
                "peer": lambda y=y, p=p: roc_auc_score(y, p),
                "ours": lambda y=y, p=p: ma.evaluate(y, p),
                "auc": lambda y=y, p=p: ma.evaluate(y, p, measures="auc"),
            },
            seconds=seconds,
        )
        detail = f"{times.best['ours'] * 1e3:.2f} ms : {times.best['peer'] * 1e3:.2f} ms"
        yield Row(
            f"all {count} measures, n = {n:,}",
            "roc_auc_score",
            times.ratio(),
            required[n],
            detail=detail,
        )
        if n >= 10**5:
            yield Row(f"AUC alone, n = {n:,}", "roc_auc_score", times.ratio("auc"), 0.05)


def many_models(models: int, n: int, bound: float, threads: int, seconds: float) -> Row:
    """All measures of many models, a model."""
    y, p = binary(n, models)
    one = np.ascontiguousarray(p[0, :, 0])
    os.environ["METRICATLAS_THREADS"] = str(threads)
    try:
        times = interleaved(
            {"peer": lambda: roc_auc_score(y, one), "ours": lambda: ma.evaluate(y, p)},
            seconds=seconds,
            most=9,
        )
    finally:
        del os.environ["METRICATLAS_THREADS"]
    ratio = times.ratio() / models
    detail = f"{times.best['ours'] / models * 1e6:.1f} us : {times.best['peer'] * 1e6:.0f} us"
    title = f"{models:,} models x {n:,}, a model, {threads} thread{'s' * (threads > 1)}"
    return Row(title, "roc_auc_score", ratio, bound, detail=detail)


def ten_classes(n: int, seconds: float) -> Row:
    """The four multiclass AUCs."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, n)
    raw = rng.gamma(1.0, size=(n, 10)) + np.eye(10)[y]
    p = raw / raw.sum(axis=1, keepdims=True)
    times = interleaved(
        {
            "peer": lambda: roc_auc_score(y, p, multi_class="ovo"),
            "ours": lambda: ma.evaluate(y, p, measures=FOUR_AUCS),
        },
        seconds=seconds,
        most=5,
    )
    detail = f"{times.best['ours']:.2f} s : {times.best['peer']:.2f} s"
    title = f"four multiclass AUCs, 10 classes, n = {n:,}"
    return Row(title, "roc_auc_score, one-vs-one", times.ratio(), 0.06, detail=detail)


def matrices(count: int) -> Iterator[Row]:
    """Random confusion matrices of 3 to 30 classes."""
    rng = np.random.default_rng(0)
    sizes, each = range(3, 31), count // 28
    stacks = [rng.integers(0, 100, (each, c, c)).astype(float) for c in sizes]

    def run(measures: list[str] | None) -> Callable[[], object]:
        return lambda: [ma.evaluate_confusion(s, measures=measures) for s in stacks]

    times = interleaved({"five": run(COUNTS_FIVE), "all": run(None)}, seconds=0, most=3)
    columns = len(ma.evaluate_confusion(stacks[0][:1]).columns)
    scale = 200_000 / count
    title = "200,000 confusion matrices of 3 to 30 classes"
    note = "" if count == 200_000 else f"scaled up from {count:,}"
    yield Row(f"{title}: acc, kappa, mcc, cen, tmcc", "", times.best["five"] * scale, 3, "s", note)
    yield Row(f"{title}: all {columns} measures", "", times.best["all"] * scale, 12, "s", note)


#: The peak of a process less what it held before the call; Linux only.
MEMORY = """
import re
from pathlib import Path
import numpy as np
import metricatlas as ma

def kibibytes(field):
    return int(re.search(field + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

rng = np.random.default_rng(0)
y, p = (rng.random(20_000) < 0.3).astype(np.int64), rng.random(20_000)
ma.evaluate(y, p)
y, p = (rng.random({n}) < 0.3).astype(np.int64), rng.random({n})
Path("/proc/self/clear_refs").write_text("5")
held = kibibytes("VmRSS")
ma.evaluate(y, p)
print((kibibytes("VmHWM") - held) * 1024 / {n})
"""


def memory(n: int) -> Row:
    """Extra memory of all measures, in bytes an example."""
    return Row(f"extra memory, n = {n:,}", "", python_prints(MEMORY.format(n=n)), 16, "bytes")


def start_up(repeats: int) -> Iterator[Row]:
    """Import, help, and a first and a later run of the command."""
    python = sys.executable
    command = str(Path(python).with_name("metricatlas"))
    env = dict(os.environ)
    bare = command_seconds([python, "-c", "pass"], repeats=repeats, env=env)
    imported = command_seconds([python, "-c", "import metricatlas"], repeats=repeats, env=env)
    yield Row("import metricatlas", "", imported - bare, 0.15, "s")
    helped = command_seconds([command, "--help"], repeats=repeats, env=env)
    yield Row("metricatlas --help", "", helped, 0.2, "s")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "predictions.csv"
        y, p = binary(1000)
        lines = [f"{a},{b}" for a, b in zip(y.tolist(), p.tolist(), strict=True)]
        file.write_text("\n".join(["y,model", *lines]), encoding="utf-8")
        run = [command, "evaluate", str(file), "--truth", "y"]
        fresh = {**env, "NUMBA_CACHE_DIR": str(Path(folder) / "compiled")}
        first = command_seconds(run, repeats=1, env=fresh)
        yield Row("metricatlas evaluate, 1,000 rows, nothing compiled", "", first, 5, "s")
        later = command_seconds(run, repeats=repeats, env=env)
        yield Row("metricatlas evaluate, 1,000 rows", "", later, 0.8, "s")
