"""The table of rules: its language, when each row holds, and what is chosen by them."""

import csv
import operator
from functools import cache
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metricatlas as ma
from metricatlas.decisions.advising.rules import Condition, read_rules, rules
from metricatlas.decisions.advising.shortlist import MOST, to_report, to_select

WORDS = {"yes", "no", "partially", "unknown", "free", "fixed"}
SOME = ["acc", "error_rate", "auc", "brier", "brier_skill", "log_loss", "sar", "auc:acc", "ppv"]
SOME += ["h_measure", "f1@best", "ece", "npv", "mcc"]
CASES = {
    "plain": {},
    "fixed": {"threshold": "fixed"},
    "used": {"probabilities": True},
    "drift": {"drift": True},
    "noise": {"label_noise": 0.1},
    "rare": {"prior": 0.04, "n": 300},
    "tiny": {"prior": 0.04, "n": 20},
    "free costs": {"costs": [[0, 1], [1, 0]]},
    "rare costs": {"prior": 0.04, "costs": [[0, 1], [1, 0]], "threshold": "fixed"},
    "other costs": {"costs": [[0, 1], [3, 0]], "threshold": "fixed"},
    "three": {"classes": 3, "measures": ["acc", "sar"]},
    "three fixed": {"classes": 3, "measures": ["acc", "sar"], "threshold": "fixed"},
    "unsure": {"n": 12, "gap": 0.1, "measures": ["acc", "auc", "auc_printed"]},
}
FREE_COST = "expected_cost[costs=((0,1),(1,0))]@best"
RARE_COST = "expected_cost[costs=((0,1),(1,0))]"
OTHER_COST = "expected_cost[costs=((0,1),(3,0))]"
#: By rule: a case and a measure for which it holds, and another pair for which it does not.
HOLDS = {
    "threshold-free": (("plain", "acc"), ("fixed", "acc")),
    "threshold-free-partly": (("plain", "auc:acc"), ("fixed", "auc:acc")),
    "threshold-free-unknown": (("three", "sar"), ("three fixed", "sar")),
    "threshold-fixed": (("fixed", "auc"), ("plain", "auc")),
    "probabilities-unseen": (("used", "auc"), ("plain", "auc")),
    "probabilities-hardly-seen": (("used", "sar"), ("plain", "sar")),
    "probabilities-unused": (("plain", "brier"), ("used", "brier")),
    "probabilities-unused-partly": (("plain", "sar"), ("used", "sar")),
    "drift": (("drift", "acc"), ("plain", "acc")),
    "drift-partly": (("drift", "h_measure"), ("drift", "auc")),
    "noise-infinite": (("noise", "log_loss"), ("plain", "log_loss")),
    "noise-unbounded": (("noise", "brier_skill"), ("noise", "brier")),
    "idle": (("rare", "acc"), ("plain", "acc")),
    "idle-best": (("plain", "ece"), ("plain", "brier")),
    "idle-probabilities": (("rare", "brier"), ("plain", "brier")),
    "idle-cost": (("rare costs", RARE_COST), ("other costs", OTHER_COST)),
    "own-cut": (("plain", "f1@best"), ("plain", "auc")),
    "own-cut-cost": (("free costs", FREE_COST), ("other costs", OTHER_COST)),
    "lone": (("plain", "ppv"), ("plain", "acc")),
    "misprint": (("unsure", "auc_printed"), ("unsure", "auc")),
    "undefined": (("tiny", "auc"), ("plain", "auc")),
    "coin": (("unsure", "auc_printed"), ("unsure", "acc")),
    "redundant": (("fixed", "error_rate"), ("fixed", "sar")),
}
#: By rule: a case in which the report needs it, with the measure chosen for it, and another case.
NEEDS = {
    "need-ranking": ("plain", "h_measure", "fixed"),
    "need-decisions": ("fixed", "acc", "plain"),
    "need-probabilities": ("used", "log_loss", "plain"),
    "need-costs": ("other costs", OTHER_COST, "plain"),
}
#: By rule: two measures that can be read so.
READ = {"read-yes": ("acc", "mcc"), "read-partly": ("auc", "mcc"), "read-no": ("ppv", "npv")}


@cache
def advice(name):
    given = {"n": 100, "measures": SOME, "repetitions": 200} | CASES[name]
    return ma.advise(**given)


def test_every_rule_is_tried():
    assert {*HOLDS, *NEEDS, *READ} == {rule.id for rule in rules()}


@pytest.mark.parametrize("rule", HOLDS)
def test_a_rule_holds_where_it_should_and_not_elsewhere(rule):
    (case, measure), (other_case, other) = HOLDS[rule]
    assert rule in advice(case).why_not(measure).table["rule"].tolist()
    assert rule not in advice(other_case).why_not(other).table["rule"].tolist()


@pytest.mark.parametrize("rule", NEEDS)
def test_the_report_has_what_the_case_needs(rule):
    case, measure, other = NEEDS[rule]
    told = {r.id: r.words for r in rules()}[rule]
    report = advice(case).report.set_index("need")
    assert report.loc[told, "measure"] == measure
    assert told not in set(advice(other).report["need"])


@pytest.mark.parametrize("rule", READ)
def test_a_reading_has_the_verdict_of_its_rule(rule):
    reading = advice("plain").read(*READ[rule])
    assert reading.verdict == rule.removeprefix("read-")
    assert reading.words in " ".join(str(reading).split())


def test_what_a_rule_refuses_for_one_purpose_is_open_for_the_other():
    cut = advice("plain").why_not("f1@best")
    assert (cut.select, cut.report) == ("chosen", "refused")
    ranks = advice("used").why_not("h_measure")
    assert (ranks.select, ranks.report) == ("refused", "chosen")


def test_the_words_have_the_numbers():
    idle = advice("rare").why_not("acc").table.set_index("rule").loc["idle", "words"]
    assert "96.0%" in idle
    noise = advice("noise").why_not("log_loss").table.set_index("rule")
    assert "a share of 0.1 of the labels" in noise.loc["noise-infinite", "words"]
    brier = advice("rare").why_not("brier").table.set_index("rule")
    assert "0.0384" in brier.loc["idle-probabilities", "words"]
    undefined = advice("tiny").evidence.set_index("measure").loc["auc", "undefined"]
    told = advice("tiny").why_not("auc").table.set_index("rule")
    assert f"{undefined:.1%} of such test sets" in told.loc["undefined", "words"]


def test_where_all_are_refused_the_least_bad_is_given_with_what_speaks_against_it():
    found = ma.advise(
        n=300, prior=0.04, measures=["acc", "mcc", "npv"], probabilities=True, repetitions=200
    )
    assert found.select["measure"].tolist() == ["mcc"]
    assert found.select["status"].tolist() == ["least bad"]
    assert found.why_not("mcc").select == "least bad"
    text = " ".join(str(found).split())
    assert "Every candidate is refused" in text
    assert "[threshold-free]" in text
    assert "[probabilities-unseen]" in text
    assert "idle (2)" in text
    assert "No candidate does." in text


def test_the_frame_is_the_file():
    text = files("metricatlas.decisions.advising").joinpath("rules.csv").read_text(encoding="utf-8")
    head, *rows = csv.reader(text.splitlines())
    frame = advice("plain").rules
    assert list(frame.columns) == head
    assert frame.to_numpy().tolist() == rows


def test_rules_speak_of_traits_and_numbers_never_of_measures():
    for rule in rules():
        for text in (rule.case, rule.measure):
            for condition in filter(None, text.split(" and ")):
                value = condition.split()[2]
                assert value in WORDS or float(value) >= 0
        assert rule.source
        if rule.effect in ("refuse", "warn"):
            assert rule.case or rule.measure


NUMBERS = st.floats(-10, 10) | st.integers(-5, 5)
SIGNS = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}


@given(NUMBERS, st.sampled_from(sorted(SIGNS)), NUMBERS)
def test_a_condition_is_the_comparison_that_it_says(value, sign, bound):
    condition = Condition.of(f"idle {sign} {bound!r}", ["idle"])
    assert condition.holds({"idle": value}) == SIGNS[sign](value, bound)


@pytest.mark.parametrize("sign", SIGNS)
def test_what_is_not_known_satisfies_no_condition(sign):
    assert not Condition.of(f"idle {sign} 0.5", ["idle"]).holds({"idle": np.nan})
    assert not Condition.of("idle == yes", ["idle"]).holds({"idle": np.nan})


HEAD = "id,purpose,case,measure,effect,words,source"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["id,purpose"], "must have the columns"),
        ([HEAD, "a,both,,idle > 1,refuse,It.,me", "a,both,,idle > 1,refuse,It.,me"], "of its own"),
        ([HEAD, "a,buy,,idle > 1,refuse,It.,me"], "purpose of the rule 'a' must be one of"),
        ([HEAD, "a,both,,idle > 1,like,It.,me"], "effect of the rule 'a' must be one of"),
        ([HEAD, "a,both,,idel > 1,refuse,It.,me"], "nearest are 'idle'"),
        ([HEAD, "a,both,,idle>1,refuse,It.,me"], "with spaces between them"),
        ([HEAD, "a,both,,idle > much,refuse,It.,me"], "a word can only be"),
        ([HEAD, "a,both,prior ~ 1,,refuse,It.,me"], "a condition must be"),
        ([HEAD, "a,both,,idle > 1,refuse,It {has}.,me"], "what there is not: has"),
    ],
    ids=str,
)
def test_a_table_that_cannot_be_understood_is_refused(lines, words):
    with pytest.raises(ma.DecisionError, match=words):
        read_rules(lines)


TRAITS = st.sampled_from(["yes", "no", "partially"])
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "wrong": st.floats(0, 0.5),
            "undefined": st.floats(0, 0.1),
            "threshold": TRAITS,
            "calibration": TRAITS,
            "ranking": TRAITS,
            "frequency": TRAITS,
            "idle": st.floats(0, 1) | st.just(float("nan")),
            "lone": st.floats(0, 1),
            "studies": st.integers(0, 3),
            "twin": st.integers(0, 3),
        }
    ),
    min_size=1,
    max_size=12,
)
SAME = {"low": 0.0, "high": 1.0, "bounded": "yes", "infinite": "no", "baseline": 0.0, "traps": ""}
CASE = {
    "n": 100,
    "prior": 0.5,
    "classes": 2,
    "threshold": "free",
    "probabilities": "no",
    "costs": "no",
    "label_noise": 0.0,
    "drift": 0.0,
}


def filled(drawn):
    ordered = sorted(drawn, key=lambda row: row["wrong"])
    return [
        {
            **SAME,
            "cut": "no",
            "printed": "no",
            "cost": "no",
            **row,
            "measure": f"m{i}",
            "number": i,
            "group": i + 1,
        }
        for i, row in enumerate(ordered)
    ]


def refused(row):
    return (
        row["threshold"] == "yes"
        or row["calibration"] == "yes"
        or (row["idle"] >= 0.9 and row["calibration"] == "no")
        or row["idle"] >= 1
        or row["lone"] >= 1
        or row["undefined"] >= 0.05
        or row["wrong"] >= 0.4
    )


@settings(max_examples=150)
@given(ROWS)
def test_the_list_is_chosen_greedily_among_what_is_not_refused(drawn):
    rows = filled(drawn)
    twin = {row["measure"]: row["twin"] for row in rows}
    found = to_select(CASE, rows, lambda f, g: 0.99 if twin[f] == twin[g] else 0.2)
    allowed = [row["measure"] for row in rows if not refused(row)]
    assert {name for name, one in found.judged.items() if not one.refused} == set(allowed)
    if not allowed:
        assert [found.status(name) for name in found.names] == ["least bad"]
        fewest = min(len(one.refused) for one in found.judged.values())
        assert len(found.judged[found.names[0]].refused) == fewest
        return
    chosen, seen = [], set()
    for name in allowed:
        if twin[name] in seen:
            assert found.status(name) == "redundant"
            assert twin[found.twins[name]] == twin[name]
        elif len(chosen) < MOST:
            chosen.append(name)
            seen.add(twin[name])
        else:
            assert found.status(name) == "possible"
    assert found.names == chosen


@settings(max_examples=100)
@given(ROWS)
def test_the_report_has_the_most_reliable_that_tells_what_is_needed(drawn):
    rows = filled(drawn)
    found = to_report(CASE, rows)
    serving = [
        row
        for row in rows
        if (row["ranking"], row["threshold"], row["calibration"]) == ("yes", "no", "no")
    ]
    assert bool(found.unmet) == (not serving)
    (one,) = found.chosen
    if serving:
        allowed = [row for row in serving if not found.judged[row["measure"]].refused]
        if allowed:
            assert one.judged.name == allowed[0]["measure"]
        else:
            assert found.status(one.judged.name) == "least bad"


def test_of_measures_that_cannot_be_told_apart_the_one_without_warnings_is_first():
    rows = filled([{"wrong": 0.1} | dict(ONE), {"wrong": 0.101, **ONE, "calibration": "no"}])
    rows[0]["calibration"] = "partially"
    for row in rows:
        row["group"] = 1
    assert to_select(CASE, rows, lambda *_: 0.0).names == ["m1", "m0"]
    rows[0]["calibration"] = "no"
    assert to_select(CASE, rows, lambda *_: 0.0).names == ["m0", "m1"]
    rows[1]["studies"] = 2
    assert to_select(CASE, rows, lambda *_: 0.0).names == ["m1", "m0"]


ONE = {
    "undefined": 0.0,
    "threshold": "no",
    "calibration": "no",
    "ranking": "yes",
    "frequency": "no",
    "idle": 0.5,
    "lone": 0.5,
    "studies": 0,
    "twin": 0,
}
