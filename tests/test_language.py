"""The language of measures: what is understood, what it is called, what is refused and how."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import metricatlas as ma
from metricatlas.errors import MeasureError
from metricatlas.measures.declaration import declarations
from metricatlas.measures.language import known, parse, split_list
from metricatlas.measures.spelling import folded
from metricatlas.measures.terms import Mean, Point, Term, TwoLevel
from metricatlas.summaries import Confusion, Ranking, TwoByTwo


def canonical(text):
    return str(parse(text))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("F1", "f1"),
        (" precision ", "ppv"),
        ("F1[Macro]", "f1[macro]"),
        ("f1 [ macro ]", "f1[macro]"),
        ("auc[prior]", "auc[ovo,prior]"),
        ("auc[ovr]", "auc[ovr,uniform]"),
        ("auc[prior,ovo]", "auc[ovo,prior]"),
        ("AU1P", "auc[ovo,prior]"),
        ("KPPV", "ppv@ks"),
        ("BGM", "gmean@best"),
        ("MAvG", "recall[geometric]"),
        ("top_k[3]", "top_k[k=3]"),
        ("top_k[K=3]", "top_k[k=3]"),
        ("fbeta[beta=2.0]", "fbeta[beta=2]"),
        ("ece[bins=10]", "ece"),
        ("cost[costs=[[0, 1], [5, 0]]]", "expected_cost[costs=((0,1),(5,0))]"),
        ("auc : acc", "auc:acc"),
        ("mean[acc=2, auc]", "mean[acc=2,auc=1]"),
        ("lr+", "positive_likelihood_ratio"),
    ],
)
def test_a_measure_has_one_canonical_name_however_it_is_written(text, name):
    assert canonical(text) == name


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("f1@0.3", Point("at", 0.3)),
        ("f1@-1e-3", Point("at", -0.001)),
        ("f1@.5", Point("at", 0.5)),
        ("f1@-inf", Point("at", float("-inf"))),
        ("f1@KS", Point("ks")),
        ("f1@bep", Point("bep")),
        ("f1 @ prevalence", Point("prevalence")),
        ("f1@best", Point("best")),
        ("recall@best=F1", Point("best", parse("f1"))),
        ("recall@best=fbeta[beta=2]", Point("best", parse("fbeta[beta=2]"))),
        ("tpr@fpr=0.01", Point("fpr", 0.01)),
        ("tpr@FPR = 1%", Point("fpr", 0.01)),
        ("fpr@tpr=1", Point("tpr", 1.0)),
        ("ppv@top=25%", Point("top", 0.25)),
        ("ppv@top=0.25", Point("top", 0.25)),
        ("ppv@top=10", Point("top", 10)),
        ("ppv@top=1", Point("top", 1)),
    ],
)
def test_every_cut_is_understood(text, point):
    assert parse(text).point == point
    assert parse(canonical(text)) == parse(text)


def test_all_of_the_rows_are_not_one_of_them():
    assert parse("ppv@top=100%") == parse("ppv@-inf") != parse("ppv@top=1")


@pytest.mark.parametrize("percent", [*range(1, 100), 0.1, 12.5, 33.3])
def test_a_percentage_is_the_nearest_number_and_is_written_as_it_came(percent):
    term = parse(f"recall@top={percent}%")
    assert term.point.value == float(f"{percent}e-2")
    assert str(term) == f"recall@top={percent}%"


@pytest.mark.parametrize(
    ("shell", "full"),
    [
        ("f1.macro", "f1[macro]"),
        ("auc.ovo.prior", "auc[ovo,prior]"),
        ("fbeta.beta=2.5", "fbeta[beta=2.5]"),
        ("fbeta.beta=0.5@ks", "fbeta[beta=0.5]@ks"),
        ("fbeta.beta=2.macro", "fbeta[beta=2,macro]"),
        ("recall.class=b@0.25", "recall[class=b]@0.25"),
        ("recall.class='a.b'", "recall[class='a.b']"),
        ("auc.ovr:acc", "auc[ovr]:acc"),
        ("mean[f1.macro=2,acc]", "mean[f1[macro]=2,acc]"),
    ],
)
def test_what_shells_take_without_quotes_means_the_same(shell, full):
    assert parse(shell) == parse(full)


@pytest.mark.parametrize(
    "label",
    ["a", "Iris-setosa", "a,b", "x]y", "a:b", "a@b", "1", "1.5", "true", "it's", 'a "b"', " "],
)
def test_classes_are_taken_verbatim_and_quoted_where_they_must_be(label):
    quoted = '"' + label.replace('"', '""') + '"'
    term = parse(f"recall[class={quoted}]")
    assert term.reduction == ("class", label)
    assert parse(str(term)) == term


def test_classes_keep_their_case_while_keywords_fold_theirs():
    assert parse("RECALL[CLASS=Setosa]").reduction == ("class", "Setosa")
    assert parse("recall[class=setosa]") != parse("recall[class=Setosa]")


def test_lists_split_at_commas_outside_brackets_and_quotes():
    text = 'auc[ovo,prior], recall[class="a,b"],acc'
    assert split_list(text) == ["auc[ovo,prior]", 'recall[class="a,b"]', "acc"]


def test_every_canonical_name_and_every_alias_stands_for_its_measure():
    for name, measure in ma.catalogue.items():
        assert parse(name) is not None
        assert str(parse(name)) == name
        for alias in ma.catalogue.aliases(measure):
            for spelled in (alias, alias.upper(), alias.casefold(), f" {alias} "):
                assert parse(spelled) == measure, (alias, spelled)


def test_aliases_are_unique_once_their_case_is_folded():
    spelled = [
        (name.casefold(), d.name) for d in declarations().values() for name in (d.name, *d.aliases)
    ]
    assert len(dict(spelled)) == len(set(spelled)) == len(spelled)
    composed = [
        name.casefold()
        for m in known().values()
        if m.name not in declarations()
        for name in ma.catalogue.aliases(m)
    ]
    assert not set(composed) & set(dict(spelled))


REFUSED = [
    ("f1:acc:auc", "two levels at most"),
    ("auc:acc:auc", "two levels at most, not 3"),
    ("", "there is no measure ''"),
    ("auc:", r"there is no measure '' \(in 'auc:'\)"),
    ("f1[macro", "must be closed"),
    ("recall[class='a]", "must be closed"),
    ("f1@", "a cut is a number"),
    ("f1@kss", "a cut is a number, ks, bep, prevalence, best.*not 'kss'"),
    ("f1@ks@best", "one cut only"),
    ("auc@ks", "only a measure of decisions takes a cut, not auc"),
    ("brier@0.5", "only a measure of decisions takes a cut, not brier"),
    ("sar@0.5", "only a measure of decisions takes a cut, not sar"),
    ("error_confidence@0.5", "ask for error_confidence and pass threshold="),
    ("recall@best=auc", "only a measure of decisions has a best cut, not auc"),
    ("recall@best=f1[macro]", "best for a plain measure"),
    ("recall@best=KFM", "best for a plain measure"),
    ("recall@best=fbeta", "best for a plain measure with its parameters"),
    ("recall@best=nonsense", "there is no measure 'nonsense'"),
    ("prevalence@best", "no value of prevalence is better"),
    ("recall@best=prevalence", "no value of prevalence is better"),
    ("prevalence:acc", "no value of prevalence is better"),
    ("f1@fpr=2", "fpr= must be between 0 and 1, not '2'"),
    ("f1@tpr=-0.1", "tpr= must be between 0 and 1"),
    ("f1@top=0", "a share like 25% or a number of rows"),
    ("f1@top=2.5", "a share like 25% or a number of rows"),
    ("f1@top=ten", "a share like 25% or a number of rows, not 'ten'"),
    ("f1[weighted,macro]", "one reduction"),
    ("auc[ovo,ovr]", "one reduction"),
    ("f1[class=a,macro]", "of one class or reduced"),
    ("f1[class=a,class=b]", "of one class"),
    ("f1[ovo]", "f1 cannot be reduced over classes by ovo"),
    ("f1[top]", "f1 cannot be reduced over classes by top"),
    ("auc[micro]", "auc cannot be reduced over classes by micro"),
    ("markedness[geometric]", "cannot be reduced over classes by geometric"),
    ("acc[micro]", "acc cannot be reduced over classes by micro"),
    ("cost[costs=((0,1),(1,0)),macro]", "expected_cost cannot be reduced over classes by macro"),
    ("error_confidence[macro]", "error_confidence cannot be reduced over classes by macro"),
    ("brier[class=a]", "brier cannot be reduced over classes by class"),
    ("f1[2]", "f1 knows no argument '2'; reductions are macro, weighted"),
    ("f1[beta=2]", "f1 has no parameter 'beta'; its parameters: none"),
    ("fbeta[beta=1,beta=2]", "beta is given twice"),
    ("fbeta[beta=-1]", "beta of fbeta must be .*above 0; got -1"),
    ("cost[costs=((0,1),(2,))]", "costs of expected_cost must be a square matrix"),
    ("MFM[weighted]", r"'MFM' stands for f1\[macro\] and takes no further"),
    ("KPPV@0.5", "'KPPV' stands for ppv@ks"),
    ("mean", "as in mean"),
    ("mean[acc,auc]:acc", "stands alone"),
    ("mean[acc=x]", "the weight of 'acc' in a mean must be a number, not 'x'"),
    ("mean[auc:acc,auc]", "a mean takes measures of one level, and 'auc:acc' has two"),
    ("mean[acc,f1:ppv=2]", "a mean takes measures of one level, and 'f1:ppv' has two"),
    ("mean[acc=0]", "nor all 0"),
    ("mean[acc=-1,auc=2]", "not negative"),
    ("mean[acc,log_loss]", "where lower is better a mean takes measures of"),
    ("mean[acc,prevalence]", "higher or lower is better, not prevalence"),
]


@pytest.mark.parametrize(("text", "words"), REFUSED)
def test_what_cannot_be_meant_is_refused_in_words_that_quote_it(text, words):
    with pytest.raises(MeasureError, match=words):
        parse(text)
    assert text not in ma.catalogue


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("precison", "precision"), ("Matthews", "matthews_correlation"), ("accurracy", "accuracy")],
)
def test_an_unknown_name_gets_the_nearest_ones(wrong, right):
    with pytest.raises(
        MeasureError, match=rf"no measure '{wrong}'; the nearest names are.*{right}"
    ):
        parse(wrong)
    with pytest.raises(MeasureError, match=rf"no measure '{wrong}' \(in 'auc:{wrong}'\)"):
        parse(f"auc:{wrong}")


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("specificity_macro", "specificity[macro]"),
        ("Macro F1", "f1[macro]"),
        ("mcc_macro", "mcc[macro]"),
        ("auc_ovr", "auc[ovr,uniform]"),
        ("f1[average=macro]", "f1[macro]"),
        ("precision[average='weighted']", "ppv[weighted]"),
        ("roc_auc[multi_class=ovr]", "auc[ovr]"),
    ],
)
def test_a_reduction_written_as_elsewhere_is_shown_as_here(wrong, right):
    with pytest.raises(MeasureError, match=re.escape(f" {right}")):
        parse(wrong)
    assert parse(right)


def test_only_names_and_measures_are_asked_for():
    with pytest.raises(MeasureError, match="by its name or as an object of the catalogue; got 5"):
        parse(5)


def test_the_weight_in_a_mean_comes_last_whatever_stands_before():
    texts = ["tpr@fpr=0.1=2", "recall[class=a]=2", "recall@best=f1=2", "f1.macro=2", "acc = 2"]
    for text in texts:
        ((_, weight),) = parse(f"mean[{text}]").weighted
        assert weight == 2, text
    for text in [
        "tpr@fpr=0.1",
        "recall @ best = f1",
        "recall[class=a]",
        "recall.class=a",
        "f1.macro",
    ]:
        ((term, weight),) = parse(f"mean[{text}]").weighted
        assert (term, weight) == (parse(text), 1), text


# -- Whatever is composed can be written and read again ------------------------------------------

NUMBERS = st.floats(allow_nan=False) | st.integers(-(10**6), 10**6).map(float)
SHARES = st.floats(0, 1, exclude_min=True, exclude_max=True)
DECIDING = [
    name
    for name, d in declarations().items()
    if d.summary in (TwoByTwo, Confusion)
    and not d.required
    and d.better != "neither"
    and Term(d).needs == "labels"
]
POINTS = (
    st.builds(Point, st.just("at"), NUMBERS)
    | st.builds(Point, st.sampled_from(["fpr", "tpr", "top"]), SHARES)
    | st.builds(Point, st.just("top"), st.integers(1, 10**9))
    | st.builds(Point, st.sampled_from(["ks", "bep", "prevalence", "best"]))
    | st.builds(Point, st.just("best"), st.sampled_from(DECIDING).map(parse))
)
CLASSES = st.tuples(st.just("class"), st.text(min_size=1))


@st.composite
def terms(draw):
    declaration = declarations()[draw(st.sampled_from(sorted(declarations())))]
    term = Term(declaration)
    if declaration.summary is TwoByTwo:
        reductions = [(), ("macro",), ("weighted",), ("micro",)]
        reduction = draw(st.sampled_from(reductions) | CLASSES)
    elif declaration.summary is Ranking and declaration.view == "class":
        reduction = draw(st.sampled_from([(), ("macro",), ("ovr", "prior"), ("top",)]) | CLASSES)
    else:
        reduction = ()
    decides = declaration.summary in (TwoByTwo, Confusion) and term.needs == "labels"
    directed = declaration.better != "neither"
    point = (
        draw(st.none() | POINTS.filter(lambda p: directed or str(p) != "best")) if decides else None
    )
    made = Term(declaration, (), reduction, point)
    if "beta" in declaration.parameters:
        made = made.using(beta=draw(st.floats(0.001, 1000)))
    return made


LEVELS = terms().filter(lambda t: t.better != "neither")
PARTS = terms().filter(lambda t: t.better == "higher")


@given(
    terms()
    | st.builds(TwoLevel, LEVELS, LEVELS)
    | st.lists(st.tuples(PARTS, st.floats(0.001, 1000)), min_size=1, max_size=3).map(
        lambda parts: Mean(tuple(parts))
    )
)
def test_whatever_is_composed_is_read_back_from_what_is_written(measure):
    assert parse(str(measure)) == measure


PIECES = ["f1", "auc", "mean", "class", "best", "top", *"[]()@.=,:\"'%1 a"]


@given(st.text(max_size=20) | st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_a_text_is_understood_or_refused_whatever_it_is(text):
    if text in ma.catalogue:
        assert parse(str(parse(text))) == parse(text)
    else:
        with pytest.raises(MeasureError):
            parse(text)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("log loss", "log_loss"),
        ("Balanced Accuracy", "balanced_accuracy"),
        ("Gwet AC1", "gwet_ac1"),
        ("F-beta[beta=2]", "fbeta[beta=2]"),
        ("F-beta[2]@ks", "fbeta[beta=2]@ks"),
        ("G-mean", "gmean"),
        ("H-measure", "h_measure"),
        ("Fowlkes-Mallows", "fowlkes_mallows"),
        ("Fowlkes - Mallows.macro", "fowlkes_mallows[macro]"),
        ("LR+", "positive_likelihood_ratio"),
        ("LR-", "negative_likelihood_ratio"),
        ("LR-@-1", "negative_likelihood_ratio@-1"),
        ("LR+@-inf", "positive_likelihood_ratio@-inf"),
        ("recall[class=Iris-setosa]", 'recall[class="Iris-setosa"]'),
        ("hit rate[class='a b-c']", 'recall[class="a b-c"]'),
        ("average precision:balanced accuracy", "ap:balanced_accuracy"),
        ("mean[G-mean=2,log-loss clipped]", None),
        ("acc@1e-05", "acc@1e-05"),
        ("lgs_eps1e_5", "log_loss_clipped"),
        ("f0.5", "fbeta[beta=0.5]"),
        ("f0.5.macro", "fbeta[beta=0.5,macro]"),
        ("F2@best", "fbeta[beta=2]@best"),
        ("matthews_corrcoef", "mcc"),
        ("roc_auc_ovr", "auc[ovr,uniform]"),
        ("D2", "d2_log_loss"),
        ("mauc_au1p", "auc[ovo,prior]"),
    ],
)
def test_spaces_and_hyphens_in_names_are_underscores(typed, meant):
    if meant is None:
        with pytest.raises(MeasureError, match="where lower is better"):
            parse(typed)
    else:
        assert str(parse(typed)) == meant
        assert parse(meant) == parse(typed)


def test_no_two_names_are_one_when_they_are_folded():
    owners = {}
    for name, measure in ma.catalogue.items():
        for spelled in (name, *ma.catalogue.aliases(measure)):
            assert owners.setdefault(folded(spelled), measure) == measure, spelled
            assert ma.catalogue[spelled] == measure
    assert len(owners) > 300
