"""What titles and pages say of brackets and cuts."""

import pytest

import metricatlas as ma
from metricatlas.cli.description import description
from metricatlas.measures.language import _NAMED_POINTS, _SHARES
from metricatlas.measures.terms import PAIRS, REDUCTIONS, WEIGHTINGS
from metricatlas.measures.wording import sentences, title

REDUCED = {
    "f1[macro]": ("mean over classes", "the mean of these values."),
    "f1[weighted]": ("weighted by their shares", "weighted by the shares of the classes."),
    "f1[micro]": ("counts of all classes added up", "the formula of their counts, added up."),
    "recall[geometric]": ("geometric mean over classes", "the geometric mean of these values"),
    "auc[top]": ("of the most probable class", "only the most probable class counts"),
    "auc[ovr,uniform]": ("each class against the rest, equal", "set against all others in turn"),
    "auc[ovr,prior]": ("each class against the rest, weighted", "by the shares of the classes."),
    "auc[ovo,uniform]": ("ordered pairs of classes, equal", "the mean over these ordered pairs."),
    "auc[ovo,prior]": ("ordered pairs of classes, weighted", "by the share of the first."),
    "recall[class=a]": ("of class a", "Class a is the positive one"),
}
CUT = {
    "f1@0.3": ("cut at 0.3", "Scores above 0.3 are decided positive."),
    "fpr@ks": ("where the KS statistic is largest", "where the KS statistic is largest"),
    "ppv@bep": ("break-even point", "As many are decided positive as there are positives"),
    "acc@prevalence": ("the share of positives", "Scores above the share of positives"),
    "f1@best": ("at its best cut", "best for the measure itself, the lowest of equal ones."),
    "recall@best=f1": ("at the best cut for f1", "best for f1, the lowest of equal ones."),
    "tpr@fpr=0.1": ("a false positive rate of at most 0.1", "rate of at most 0.1."),
    "fpr@tpr=0.9": ("a true positive rate of at least 0.9", "rate of at least 0.9."),
    "ppv@top=25%": ("the highest 25% positive", "The highest 25% are decided positive"),
    "ppv@top=10": ("the highest 10 positive", "The highest 10 are decided positive"),
}


@pytest.mark.parametrize("name", [*REDUCED, *CUT])
def test_the_title_and_the_page_say_what_brackets_and_cut_do(name):
    measure = ma.catalogue[name]
    in_title, on_page = (REDUCED | CUT)[name]
    assert measure.title.startswith(f"{measure.declaration.title} (")
    assert in_title in measure.title
    assert on_page in " ".join(description(measure).split())


def test_every_reduction_and_every_kind_of_cut_has_words():
    said = {ma.catalogue[name].reduction for name in REDUCED if "class" not in name}
    pairs = {(pair, weights) for pair in PAIRS for weights in WEIGHTINGS}
    assert said == {(reduction,) for reduction in REDUCTIONS} | pairs
    assert {ma.catalogue[name].point.kind for name in CUT} == {"at", *_NAMED_POINTS, *_SHARES}


@pytest.mark.parametrize("name", ["auc", "f1", "fbeta[beta=2]", "mcc"])
def test_a_bare_measure_has_the_words_of_its_declaration_alone(name):
    measure = ma.catalogue[name]
    assert title(measure) == measure.declaration.title
    assert sentences(measure) == []


def test_brackets_and_a_cut_are_said_together():
    measure = ma.catalogue["recall[macro]@ks"]
    assert measure.title.endswith("(mean over classes; cut where the KS statistic is largest)")
    assert sentences(measure)[2] == "Each class has a cut of its own."
    assert len(sentences(ma.catalogue["recall[class=a]@ks"])) == 2
    assert len(sentences(ma.catalogue["recall[macro]@0.3"])) == 2


def test_what_is_said_of_a_bare_measure_of_many_classes_is_not_said_of_a_reduced_one():
    assert "Hand and Till's M" in " ".join(description(ma.catalogue["auc"]).split())
    for name in (*REDUCED, "ece[macro]", "ece[weighted]"):
        assert "Of more than two classes" not in description(ma.catalogue[name])
    assert "the largest probability" not in description(ma.catalogue["ece[macro]"])


def test_no_two_entries_of_the_catalogue_share_a_title():
    titles = ma.catalogue.table()["title"]
    assert not titles[titles.duplicated()].to_dict()
