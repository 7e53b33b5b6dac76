"""The grids of the studies, and the page that tells of learners."""

import json
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from learner_tasks import OURS, mixed

from metricatlas.errors import PopulationError
from metricatlas.populations.learners import grid, learner, models
from metricatlas.populations.learners.grids import spread

DOCS = Path(__file__).parents[1] / "docs"


# -- Grids ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("study", ["ferri2009", "huang2007", "seliya2009", "caruana2004"])
def test_every_entry_of_a_grid_can_be_built(study):
    task = mixed()
    keys = set()
    for name, parameters in grid(study):
        settings = learner(name).settings(parameters)
        keys.add(json.dumps([name, settings]))
        learner(name).build(task, parameters)
    assert len(keys) == len(grid(study))


def test_the_grid_of_caruana2004_is_that_of_its_appendix():
    planned = grid("caruana2004", nominal=False)

    def values(name, parameter):
        found = [each[parameter] for kind, each in planned if kind == name and parameter in each]
        return {tuple(each) if isinstance(each, list) else each for each in found}

    [neighbours] = values("knn", "neighbours")
    assert (len(neighbours), neighbours[0], neighbours[-1]) == (26, 1, 4000)
    assert values("knn", "width") == {tuple(2.0**i for i in range(11))}
    assert values("knn", "weights") == {"none", "gain-ratio"}
    assert values("perceptron", "hidden") == {1, 2, 4, 8, 32, 128}
    assert values("perceptron", "momentum") == {0, 0.2, 0.5, 0.9}
    assert values("perceptron", "loss") == {"squared", "cross-entropy"}
    paper = {"bayes", "id3", "cart", "cart0", "c4", "mml", "smml", "c44", "c44bs", "mmlls"}
    for name in ("tree", "bagged-trees", "boosted-trees"):
        assert values(name, "type") == paper
    assert min(values("bagged-trees", "trees")) >= 25
    steps = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)
    assert values("boosted-trees", "steps") == {steps}
    assert values("boosted-stumps", "steps") == {(*steps, 4096, 8192)}
    assert len(values("boosted-stumps", "criterion")) == 5
    assert values("svm", "width") == {0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2}
    assert values("svm", "degree") == {2, 3}
    assert sorted(values("svm", "cost")) == pytest.approx([10.0**i for i in range(-7, 4)])
    assert values("svm", "scaling") == {("platt", "linear")}


def test_the_grid_of_caruana2004_has_about_two_thousand_models():
    assert abs(models(grid("caruana2004", nominal=False)) - 2000) < 10
    twice = {"tree", "bagged-trees", "boosted-trees", "boosted-stumps"}
    both = grid("caruana2004")
    for name in {name for name, _ in both}:
        here = models(tuple(each for each in both if each[0] == name))
        plain = grid("caruana2004", nominal=False)
        once = models(tuple(each for each in plain if each[0] == name))
        assert here == once * (2 if name in twice else 1)


def test_neighbours_go_up_to_as_many_as_there_are_training_rows():
    [one, *_] = [
        each["neighbours"] for _, each in grid("caruana2004", rows=100) if "neighbours" in each
    ]
    assert (len(one), one[0], one[-1]) == (26, 1, 100)
    assert spread(3, 3) == [1, 2, 3]


@pytest.mark.parametrize(
    ("study", "rows", "message"),
    [
        ("caruana2005", 4000, "no study 'caruana2005' trains learners; the nearest are 'caruana20"),
        ("caruana2004", 25, "rows must be a whole number from 26 on; got 25"),
        ("caruana2004", 1e3, "rows must be a whole number from 26 on; got 1000.0"),
    ],
)
def test_a_grid_that_is_not_there_is_refused(study, rows, message):
    with pytest.raises(PopulationError, match=re.escape(message)):
        grid(study, rows=rows)


# -- The page ------------------------------------------------------------------------------------


def test_the_page_of_learners_has_what_is_declared():
    spec = spec_from_file_location("docs_learners", DOCS / "learners.py")
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    text = made.PAGE.read_text(encoding="utf-8")
    assert made.page(text) == text, "make it anew: python docs/learners.py"


def test_everything_that_the_page_compares_was_measured():
    spec = spec_from_file_location("docs_learners", DOCS / "learners.py")
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    lines = made.MEASURED.read_text(encoding="utf-8").splitlines()[1:]
    wanted = [trained for name in OURS for _, trained in made.rows_of(learner(name))]
    assert [line.rsplit(",", 5)[0].strip('"') for line in lines] == wanted
