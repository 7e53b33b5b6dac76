"""``metricatlas evaluate``: from a file to a table, CSV, JSON or Parquet."""

import csv
import io
import json
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score
from typer.testing import CliRunner

from metricatlas.cli import app
from metricatlas.evaluation import evaluate
from metricatlas.measurements import Measurements

ROWS = 60


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(7)
    y = np.arange(ROWS) % 3 // 2
    scores = np.clip(0.3 * y + 0.6 * random.random(ROWS), 0, 1)
    fold = np.arange(ROWS) % 2
    return pd.DataFrame({"y": y, "rf": scores, "nb": random.random(ROWS), "fold": fold})


@pytest.fixture
def wide(frame):
    frame.to_csv("wide.csv", index=False)
    return frame


@pytest.fixture(scope="module")
def classes():
    random = np.random.default_rng(8)
    y = random.integers(0, 3, ROWS)
    shares = random.dirichlet([1, 1, 1], ROWS)
    made = {f"rf:{name}": shares[:, i] for i, name in enumerate("abc")}
    return pd.DataFrame({"y": np.array(list("abc"))[y], **made})


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["evaluate", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def table(*arguments):
    output = run(*arguments, "--format", "csv").stdout
    return pd.read_csv(io.StringIO(output))


def test_a_wide_file_gives_a_row_for_each_model(wide):
    found = table("wide.csv", "--truth", "y", "--ignore", "fold", "-m", "auc,acc,f1")
    assert list(found) == ["model", "auc", "acc", "f1"]
    for _, row in found.iterrows():
        scores = wide[row["model"]]
        assert row["auc"] == pytest.approx(roc_auc_score(wide["y"], scores), rel=1e-14)
        assert row["acc"] == pytest.approx(accuracy_score(wide["y"], scores > 0.5), rel=1e-14)
        assert row["f1"] == pytest.approx(f1_score(wide["y"], scores > 0.5), rel=1e-14)


def test_groups_are_evaluated_one_by_one(wide):
    found = table("wide.csv", "--truth", "y", "--group", "fold", "-m", "auc")
    assert list(found) == ["model", "fold", "auc"]
    assert found[["model", "fold"]].to_numpy().tolist() == [
        ["rf", 0],
        ["rf", 1],
        ["nb", 0],
        ["nb", 1],
    ]
    for model, fold, value in found.itertuples(index=False):
        part = wide[wide["fold"] == fold]
        assert value == pytest.approx(roc_auc_score(part["y"], part[model]), rel=1e-14)


def test_groups_of_two_columns_have_two_keys(wide):
    wide.assign(site=np.repeat(["n", "s"], ROWS // 2)).to_csv("sites.csv", index=False)
    found = table(
        "sites.csv",
        "--truth",
        "y",
        "--group",
        "site",
        "--group",
        "fold",
        "-m",
        "acc",
        "--model",
        "rf",
    )
    assert found[["site", "fold"]].to_numpy().tolist() == [["n", 0], ["n", 1], ["s", 0], ["s", 1]]
    read = pd.read_csv("sites.csv")
    m = evaluate(read["y"], {"rf": read["rf"]}, measures="acc", groups=read[["site", "fold"]])
    pd.testing.assert_frame_equal(m.to_pandas(), found)


def test_the_long_form_gives_what_the_wide_form_gives(classes):
    classes.to_parquet("wide.parquet")
    long = classes.rename(columns=lambda name: name.removeprefix("rf:"))
    turned = long.iloc[::-1]
    pd.concat([long.assign(model="rf"), turned.assign(model="fr")]).to_parquet("long.parquet")
    measures = ("--truth", "y", "-m", "acc,auc,f1.macro,brier,mcc")
    expected = table("wide.parquet", *measures)
    found = table("long.parquet", *measures)
    assert found["model"].tolist() == ["rf", "fr"]
    for name in expected.columns[1:]:
        assert found[name].to_numpy() == pytest.approx(expected[name][0], rel=1e-13)


def test_models_of_a_long_file_of_different_kinds_stand_in_one_table(classes):
    long = classes.rename(columns=lambda name: name.removeprefix("rf:"))
    margins = long.assign(model="svm", a=long["a"] * 9 - 4, b=long["b"] * 9 - 4).iloc[:-1]
    pd.concat([long.assign(model="rf"), margins]).to_csv("long.csv", index=False)
    result = run("long.csv", "--truth", "y", "--format", "json")
    rf, svm = json.loads(result.stdout)
    assert rf["brier"] is not None
    assert svm["brier"] is None
    assert "brier" in svm["undefined"]
    assert svm["acc"] is not None
    assert "rf: probabilities, svm: scores" in result.stderr


def test_weights_count_examples_more_than_once(wide):
    wide.assign(w=np.arange(ROWS) % 4).to_csv("weighted.csv", index=False)
    repeated = wide.loc[wide.index.repeat(np.arange(ROWS) % 4)]
    repeated.to_csv("repeated.csv", index=False)
    options = ("--truth", "y", "--ignore", "fold", "-m", "auc,acc,mcc")
    found = table("weighted.csv", *options, "--weight", "w")
    expected = table("repeated.csv", *options)
    assert found.iloc[:, 1:].to_numpy() == pytest.approx(expected.iloc[:, 1:].to_numpy(), rel=1e-13)


def test_classes_are_named_on_the_command_line(wide):
    named = wide.assign(y=wide["y"].map({0: "ok", 1: "ill"}))
    named.to_csv("named.csv", index=False)
    options = ("--truth", "y", "--ignore", "fold", "-m", "auc,recall")
    expected = table("wide.csv", *options)
    assert table("named.csv", *options, "--pos-label", "ill").equals(expected)
    turned = table("named.csv", *options, "--pos-label", "ok")
    assert turned["auc"].to_numpy() == pytest.approx(1 - expected["auc"].to_numpy())
    assert table("named.csv", *options, "--labels", "ok, ill", "--pos-label", "ill").equals(
        expected
    )
    refused = run("named.csv", *options, code=1)
    assert "--pos-label ill or --pos-label ok" in refused.stderr


def test_scores_need_a_threshold_for_decisions(wide):
    wide.assign(rf=wide["rf"] * 4 - 2).to_csv("scores.csv", index=False)
    options = ("scores.csv", "--truth", "y", "--model", "rf")
    refused = run(*options, "-m", "acc", code=1)
    assert "--threshold" in refused.stderr
    found = table(*options, "-m", "acc", "--threshold", "-0.25")
    expected = accuracy_score(wide["y"], wide["rf"] * 4 - 2 > -0.25)
    assert found["acc"][0] == pytest.approx(expected)


def test_all_measures_that_fit_are_the_default(wide):
    found = table("wide.csv", "--truth", "y", "--model", "rf")
    assert len(found.columns) > 100
    assert found["acc"][0] == pytest.approx(accuracy_score(wide["y"], wide["rf"] > 0.5))


@pytest.mark.usefixtures("wide")
def test_lists_of_measures_add_up_and_split_outside_brackets():
    found = table(
        *("wide.csv", "--truth", "y", "--model", "rf"),
        *("-m", "auc, fbeta[beta=2],precision_at_k[k=5]", "-m", "auc:acc"),
    )
    names = ["model", "auc", "fbeta[beta=2]", "precision_at_k[k=5]", "auc:acc"]
    assert list(found) == names


@pytest.mark.usefixtures("wide")
def test_what_was_understood_goes_to_stderr_and_can_be_silenced():
    options = ("wide.csv", "--truth", "y", "--group", "fold", "-m", "auc")
    said = run(*options)
    assert said.stderr == (
        "Read 60 rows of wide.csv: truth `y` (1 20, 0 40; positive: 1), 2 models "
        "(rf: probabilities, nb: probabilities), groups by fold (2).\n"
    )
    assert "Read" not in said.stdout
    assert run(*options, "--quiet").stderr == ""


def test_undefined_cells_are_explained_below(wide):
    wide.assign(y=0).to_csv("one.csv", index=False)
    options = ("one.csv", "--truth", "y", "--ignore", "fold", "-m", "auc,recall,acc")
    said = run(*options)
    assert "Undefined: 4 of 6 values." in said.stderr
    assert "There are no positives: auc, recall." in said.stderr
    records = json.loads(run(*options, "--format", "json").stdout)
    assert records[0]["auc"] is None
    assert set(records[0]["undefined"]) == {"auc", "recall"}
    assert "no positives" in records[0]["undefined"]["auc"]
    rows = list(csv.reader(io.StringIO(run(*options, "--format", "csv").stdout)))
    assert rows[1][:3] == ["rf", "", ""]


def test_json_writes_infinity_as_text():
    pd.DataFrame({"y": [0, 1], "rf": [1.0, 0.0]}).to_csv("wrong.csv", index=False)
    (record,) = json.loads(
        run("wrong.csv", "--truth", "y", "-m", "log_loss,acc", "-f", "json").stdout
    )
    assert record == {"model": "rf", "log_loss": "inf", "acc": 0.0}


@pytest.mark.usefixtures("wide")
def test_columns_asked_for_twice_are_numbered_in_json():
    text = run("wide.csv", "--truth", "y", "--model", "rf", "-m", "auc,auc", "-f", "json").stdout
    assert list(json.loads(text)[0]) == ["model", "auc", "auc (2)"]


@pytest.mark.parametrize("name", ["out.csv", "out.json", "out.parquet", "out.txt"])
def test_the_ending_of_the_name_tells_the_format(name, wide, in_a_folder):
    said = run("wide.csv", "--truth", "y", "--ignore", "fold", "-m", "auc,acc", "--out", name)
    assert said.stdout == ""
    assert f"Wrote 2 x 2 values to {name}." in said.stderr
    assert {p.name for p in in_a_folder.iterdir()} == {"wide.csv", name}
    if name.endswith(".csv"):
        auc = pd.read_csv(name)["auc"]
    elif name.endswith(".json"):
        auc = pd.read_json(name)["auc"]
    elif name.endswith(".parquet"):
        auc = Measurements.load(name)["auc"]
    else:
        assert "auc" in (in_a_folder / name).read_text()
        return
    assert auc[0] == pytest.approx(roc_auc_score(wide["y"], wide["rf"]), rel=1e-14)


@pytest.mark.usefixtures("wide")
def test_csv_keeps_every_digit():
    text = run("wide.csv", "--truth", "y", "--model", "rf", "-m", "auc", "-f", "csv").stdout
    value = float(text.splitlines()[1].split(",")[1])
    run("wide.csv", "--truth", "y", "--model", "rf", "-m", "auc", "-o", "out.parquet")
    assert math.isclose(value, Measurements.load("out.parquet").values[0, 0], rel_tol=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--format", "parquet"], "--out"),
        (["--out", "out.xyz"], "--format"),
        (["--out", "out"], "--format"),
        (["--out", "out.csv", "--format", "parquet"], "contradict"),
        (["--out", "out.parquet", "--format", "csv"], "contradict"),
        (["--format", "xml"], "xml"),
        (["--threshold", "high"], "--threshold"),
        (["--kind", "ranks"], "ranks"),
        (["--nonsense"], "nonsense"),
        (["--out", "."], "--format"),
        (["--measures", "auk"], "the nearest names are"),
        (["--measures", "auc,"], "must name a measure between commas; got 'auc,'"),
        (["--measures", "f1[macro"], "brackets"),
        (["--import", "no_such_module"], "no_such_module cannot be imported"),
        (["--import", "mine.py"], "perhaps mine, not of a file"),
        (["--threshold", "nan"], "--threshold must be a number"),
        (["--threshold", ".5", "--kind", "labels"], "Leave one out"),
        (["--threshold", ".5", "--labels", "a,b,c"], "Leave one out"),
        (["--labels", "0"], "two or more different classes"),
        (["--labels", "a,a"], "two or more different classes"),
        (["--labels", ""], "--labels must name all classes"),
        (["--labels", "a,,b"], "--labels must name all classes"),
        (["--labels", "a,b,c", "--pos-label", "a"], "--pos-label is for two classes"),
        (["--group", "g", "--weight", "g"], "one column must have one role"),
        (["--group", "y"], "one column must have one role"),
        (["--ignore", "y"], "Leave one out"),
    ],
)
def test_bad_options_end_with_2_before_anything_is_read(options, message):
    refused = run("there-is-no-such-file.csv", "--truth", "y", *options, code=2)
    assert message in refused.stderr
    assert refused.stdout == ""


def test_a_file_and_a_truth_must_be_named():
    assert "FILE" in run(code=2).stderr
    assert "--truth" in run("wide.csv", code=2).stderr


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--truth", "z"], "has no column `z` for --truth"),
        (["--truth", "y"], "--group fold?"),
        (["--truth", "y", "--ignore", "fold", "--out", "folder.csv"], "is a directory"),
        (["--truth", "y", "--ignore", "fold", "--out", "no/out.csv"], "there is no folder"),
    ],
)
def test_bad_data_ends_with_1_and_one_message(options, message, in_a_folder):
    (in_a_folder / "folder.csv").mkdir()
    result = CliRunner().invoke(app, ["evaluate", "wide.csv", *options])
    assert result.exit_code == 1, result.output
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert result.stdout == ""


def test_errors_of_the_door_are_in_the_words_of_the_command_line():
    text = "y,rf:a,rf:b,rf:c\na,.5,.5,.5\nb,.2,.2,.6\nc,.1,.1,.8\n"
    pd.read_csv(io.StringIO(text)).to_csv("sums.csv", index=False)
    refused = run("sums.csv", "--truth", "y", code=1)
    assert "model `rf`" in refused.stderr
    assert "predictions[" not in refused.stderr


def test_a_measure_that_some_models_cannot_serve_says_which_there_are(wide):
    wide.assign(tree=(wide["rf"] > 0.5).astype(int)).to_csv("mixed.csv", index=False)
    refused = run("mixed.csv", "--truth", "y", "--ignore", "fold", "-m", "auc", code=1)
    assert "rf: probabilities, nb: probabilities, tree: labels" in refused.stderr
    assert "--model" in refused.stderr


@pytest.mark.usefixtures("wide")
def test_a_mistake_of_ours_is_one_message_too(monkeypatch):
    def fail(*_):
        raise RuntimeError("no such luck")

    monkeypatch.setattr("metricatlas.files.read_prediction_file", fail)
    refused = run("wide.csv", "--truth", "y", code=1)
    assert "RuntimeError: no such luck" in refused.stderr
    assert "Traceback" not in refused.output


@pytest.mark.usefixtures("wide")
def test_an_old_file_stays_when_writing_fails(in_a_folder, monkeypatch):
    (in_a_folder / "out.csv").write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    options = ("wide.csv", "--truth", "y", "--model", "rf", "-m", "auc", "--out", "out.csv")
    assert "out.csv cannot be written: No space left on device" in run(*options, code=1).stderr
    assert (in_a_folder / "out.csv").read_text() == "old"
    assert {p.name for p in in_a_folder.iterdir()} == {"wide.csv", "out.csv"}


def test_errors_of_the_door_count_the_rows_of_the_file():
    text = "y,w,rf:a,rf:b\na,0,.5,.5\nb,1,.4,.6\na,0,.1,.9\nb,1,.2,.7\na,2,.5,.5\n"
    pd.read_csv(io.StringIO(text)).to_csv("sums.csv", index=False)
    refused = run("sums.csv", "--truth", "y", "--weight", "w", "--pos-label", "a", code=1)
    assert "model `rf`" in refused.stderr
    assert "first row 3 (counted from 0)" in " ".join(refused.stderr.split())
    long = "model,y,a,b\nm,a,.5,.5\nn,a,.5,.5\nm,b,.4,.6\nn,b,.4,.6\nm,a,.2,.8\nn,a,.2,.9\n"
    pd.read_csv(io.StringIO(long)).to_csv("long.csv", index=False)
    refused = run("long.csv", "--truth", "y", "--pos-label", "a", code=1)
    assert "model `n`" in refused.stderr
    assert "first row 5 (counted from 0)" in " ".join(refused.stderr.split())


def test_every_line_about_undefined_cells_is_true_of_every_model_it_names():
    frame = pd.DataFrame({"y": [0, 1, 0, 1], "l": [0, 1, 1, 1], "s": [-3.5, 2, 1, 4]})
    frame.assign(p=[0.1, 0.9, 0.2, 0.4]).to_csv("kinds.csv", index=False)
    result = run("kinds.csv", "--truth", "y", "--format", "json")
    records = {r["model"]: r.get("undefined", {}) for r in json.loads(result.stdout)}
    note = result.stderr.partition("Undefined: ")[2].splitlines()[1:]
    assert any(line.startswith("  It needs scores: auc") and line.endswith("(l).") for line in note)
    assert any(line.startswith("  It needs probabilities: ") for line in note)
    for line in note:
        reason, _, rest = line.strip().partition(": ")
        names, _, models = rest.rstrip(".").rpartition(" (")
        for name in names.partition(" and ")[0].split(", "):
            for model in models.rstrip(")").split(", "):
                assert records[model][name].rstrip(".") == reason


def test_a_note_on_undefined_cells_is_short(wide):
    made = pd.concat([wide.assign(g=i, y=wide["y"] * (i % 3)) for i in range(40)])
    made.assign(y=np.sign(made["y"])).to_csv("groups.csv", index=False)
    result = run("groups.csv", "--truth", "y", "--group", "g", "--ignore", "fold")
    assert len(result.stderr.splitlines()) < 25


def test_the_table_says_how_to_ask_for_reasons_here(wide):
    wide.assign(y=0).to_csv("one.csv", index=False)
    said = run("one.csv", "--truth", "y", "--ignore", "fold", "-m", "auc,acc").stdout
    assert "undefined: --format json says why." in said
    assert ".reason(" not in said
