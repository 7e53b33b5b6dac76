"""``metricatlas relate``: from a table of measurements to relations, printed and saved."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import metricatlas as ma
from metricatlas.cli import app

PROGRAM = str(Path(sys.executable).with_name("metricatlas"))
KEYS = ["dataset", "model"]
MEASURES = ["auc", "acc", "brier", "mcc", "f1"]
FILES = {
    *(
        "correlation",
        "spread",
        "groups",
        "pairs",
        "agreements",
        "clusters",
        "dendrogram",
        "factor_kinds",
        "factors",
    ),
    *("eigenvalues", "scale", "stress", "centrality", "representatives", "identities", "problems"),
    *("factor_kinds", "agreements"),
}


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(3)
    skill = random.random(18)
    columns = {
        "dataset": np.repeat(["a", "b", "c"], 6),
        "model": np.tile(list("uvwxyz"), 3),
        "auc": skill,
        "acc": 0.8 * skill + 0.1 * random.random(18),
        "brier": 0.9 - 0.5 * skill + 0.3 * random.random(18),
        "mcc": random.random(18),
        "f1": random.random(18),
    }
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def table(frame):
    return ma.Measurements.from_frame(frame, keys=KEYS)


@pytest.fixture
def saved(table):
    table.save("saved.parquet")
    return "saved.parquet"


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["relate", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def refused(*arguments, code=1):
    """The one message of a run that fails, and nothing else."""
    result = run(*arguments, code=code)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert "unexpected" not in result.stderr
    return " ".join(result.stderr.split())


def section(text, heading):
    """The lines below a heading, up to the next empty one."""
    lines = text.splitlines()
    (start,) = [i for i, line in enumerate(lines) if heading in line]
    end = next((i for i in range(start, len(lines)) if not lines[i]), len(lines))
    return lines[start + 1 : end]


def clusters_in(text):
    found = []
    for line in section(text, "at the distance"):
        alone = line.startswith("  - alone: ")
        names = line.removeprefix("  - alone: ").removeprefix("  - ").split(", ")
        found += [{name} for name in names] if alone else [set(names)]
    return sorted(map(sorted, found))


def pairs_in(text):
    lines = [line.split() for line in section(text, "most correlated")]
    return [(one, other, float(r)) for one, other, r in lines]


def listed(relations, count):
    rows = relations.most_correlated(count).itertuples(index=False)
    return [(one, other, round(r, 4)) for one, other, r in rows]


def read(folder, name, ending):
    file = Path(folder) / f"{name}.{ending}"
    return pd.read_csv(file) if ending == "csv" else pd.read_parquet(file)


# -- What is read --------------------------------------------------------------------------------


def test_a_saved_table_is_related(saved, table):
    said = run(saved)
    assert said.stderr == "Read 18 rows x 5 measures of saved.parquet, 3 groups by dataset.\n"
    relations = ma.relate(table)
    assert clusters_in(said.stdout) == sorted(map(sorted, relations.clusters()))
    assert pairs_in(said.stdout) == listed(relations, 10)


@pytest.mark.parametrize(
    "name", ["table.csv", "table.tsv", "table.csv.gz", "table.CSV", "o.parquet"]
)
def test_tables_of_others_are_related_as_the_saved_one(name, frame, saved):
    if name.endswith("parquet"):
        frame.to_parquet(name, index=False)
    else:
        frame.to_csv(name, index=False, sep="\t" if ".tsv" in name else ",")
    said = run(name, "--keys", "dataset,model")
    assert said.stdout == run(saved).stdout
    assert said.stderr.startswith(f"Read 18 rows x 5 measures of {name}, 3 groups by dataset.")


def test_without_keys_all_numbers_are_measures(frame):
    frame[MEASURES].to_csv("numbers.csv", index=False)
    said = run("numbers.csv")
    assert "Read 18 rows x 5 measures of numbers.csv.\n" in said.stderr
    pooled = ma.relate(ma.Measurements.from_frame(frame[MEASURES]))
    assert pairs_in(said.stdout) == listed(pooled, 10)
    assert "there is no key 'dataset', so all rows are one group" in " ".join(said.stdout.split())


def test_names_that_no_measure_has_are_told_to_count_as_higher_is_better(frame):
    frame.assign(my_loss=frame["mcc"]).to_csv("mine.csv", index=False)
    said = run("mine.csv", "--keys", "dataset,model")
    assert "higher counts as better: my_loss" in " ".join(said.output.split())


# -- What is asked for ---------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["spearman", "pearson", "kendall"])
def test_correlations_are_those_of_the_method(method, saved, table):
    text = run(saved, "--method", method).stdout
    assert pairs_in(text) == listed(ma.relate(table, method=method), 10)


def test_rows_are_pooled_or_kept_within_a_key(saved, table):
    pooled = run(saved, "--pooled")
    assert pairs_in(pooled.stdout) == listed(ma.relate(table, within=None), 10)
    assert "groups" not in pooled.stderr
    by_model = run(saved, "--within", "model")
    assert pairs_in(by_model.stdout) == listed(ma.relate(table, within="model"), 10)
    assert "6 groups by model" in by_model.stderr
    assert run(saved, "--within", "dataset").stdout == run(saved).stdout


def test_groups_may_have_two_keys(frame):
    parts = [frame.assign(fold=fold, mcc=frame["mcc"] ** fold) for fold in (1, 2)]
    both = ma.Measurements.from_frame(pd.concat(parts), keys=[*KEYS, "fold"])
    both.save("both.parquet")
    said = run("both.parquet", "--within", "dataset", "--within", "fold")
    assert "6 groups by dataset, fold" in said.stderr
    assert pairs_in(said.stdout) == listed(ma.relate(both, within=["dataset", "fold"]), 10)


def test_losses_are_turned_unless_they_shall_stay_as_measured(saved, table):
    correlations = {frozenset(pair[:2]): pair[2] for pair in pairs_in(run(saved).stdout)}
    measured = run(saved, "--as-measured").stdout
    assert pairs_in(measured) == listed(ma.relate(table, oriented=False), 10)
    for one, other, r in pairs_in(measured):
        sign = -1 if "brier" in (one, other) else 1
        assert sign * r == correlations[frozenset([one, other])]


def test_only_measures_that_are_asked_for_are_related(saved, table):
    said = run(saved, "-m", "auc,acc", "-m", "f1")
    assert "18 rows x 3 measures" in said.stderr
    assert pairs_in(said.stdout) == listed(ma.relate(table.select(["auc", "acc", "f1"])), 10)


@pytest.mark.parametrize("linkage", ["average", "complete", "single", "weighted"])
@pytest.mark.parametrize("distance", [0, 0.3, 1])
def test_clusters_are_those_of_the_distance_and_the_linkage(saved, table, linkage, distance):
    text = run(saved, "--distance", distance, "--linkage", linkage).stdout
    wanted = ma.relate(table).clusters(distance, linkage)
    assert clusters_in(text) == sorted(map(sorted, wanted))
    assert f"at the distance {distance}:" in text


@pytest.mark.parametrize("count", [1, 3, 10, 99])
def test_so_many_pairs_are_shown(saved, table, count):
    assert pairs_in(run(saved, "--pairs", count).stdout) == listed(ma.relate(table), count)


def test_no_pairs_are_shown_if_none_are_asked_for(saved):
    assert "most correlated" not in run(saved, "--pairs", 0).stdout


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ([], {}),
        (["--min-eigenvalue", 0.5], {"min_eigenvalue": 0.5}),
        (["--unrotated"], {"rotation": None}),
        (["--extraction", "axis"], {"extraction": "axis"}),
        (
            ["--extraction", "iterated", "--min-eigenvalue", 0.9],
            {"extraction": "iterated", "min_eigenvalue": 0.9},
        ),
    ],
)
def test_factors_are_shown_with_their_measures(saved, table, options, arguments):
    text = run(saved, *options).stdout
    factors = ma.relate(table).factors(**arguments)
    kinds = factors.kinds()
    assert f"explain{'s' * (len(kinds) == 1)} {factors.variance.sum():.1%} of the variance" in text
    lines = section(text, "of the variance")
    for label, members in factors.members.items():
        (line,) = [line for line in lines if line.startswith(f"  - {label} ")]
        assert f"({factors.variance[label]:.1%}, {kinds[label]})" in line
        told = [f"{name} {factors.loadings.loc[name, label]:.2f}" for name in members]
        assert line.endswith(", ".join(told) or "none")


def test_what_is_undefined_is_told(frame):
    frame.assign(kappa=0.5).to_csv("holes.csv", index=False)
    said = run("holes.csv", "--keys", "dataset,model")
    assert "3 problems" in said.stderr
    assert "Note: without kappa, whose correlations are undefined" in said.stdout
    assert "kappa" not in said.stdout.partition("Note:")[0]


def test_one_measure_may_be_related(saved):
    assert clusters_in(run(saved, "-m", "auc").stdout) == [["auc"]]
    run(saved, "-m", "auc", "--out", "one")
    assert {p.stem for p in Path("one").iterdir()} == FILES


# -- What is saved -------------------------------------------------------------------------------


@pytest.fixture(params=["parquet", "csv"])
def everything(request, saved):
    said = run(saved, "--out", "relations", "--format", request.param)
    assert "Wrote 16 files to relations." in said.stderr
    assert {p.name for p in Path("relations").iterdir()} == {f"{n}.{request.param}" for n in FILES}
    return lambda name: read("relations", name, request.param)


def same(found, wanted):
    pd.testing.assert_frame_equal(
        found, wanted, check_dtype=False, check_names=False, check_column_type=False, rtol=1e-15
    )


def by_measure(frame):
    return frame.rename_axis("measure").reset_index()


def test_matrices_are_saved(everything, table):
    relations = ma.relate(table)
    same(everything("correlation"), by_measure(relations.correlation))
    same(everything("spread"), by_measure(relations.spread))
    same(everything("groups"), by_measure(relations.counts))


def test_all_pairs_are_saved(everything, table):
    assert len(everything("pairs")) == 10
    same(everything("pairs"), ma.relate(table).most_correlated())


def test_clusters_and_their_tree_are_saved(everything, table):
    relations = ma.relate(table)
    clusters = everything("clusters").groupby("cluster", sort=True)["measure"].agg(list)
    assert clusters.tolist() == relations.clusters()
    assert clusters.index.tolist() == list(range(1, len(clusters) + 1))
    steps = everything("dendrogram")
    wanted = relations.dendrogram.merges
    assert steps["left"].str.split(", ").tolist() == wanted["left"].tolist()
    assert steps["right"].str.split(", ").tolist() == wanted["right"].tolist()
    same(steps[["distance", "size"]], wanted[["distance", "size"]])


def test_factors_are_saved(everything, table):
    factors = ma.relate(table).factors()
    found = everything("factors").set_index("measure")
    same(found[factors.labels], factors.loadings)
    assert found["communality"].to_numpy() == pytest.approx(factors.communalities.to_numpy())
    assert found["uniqueness"].to_numpy() == pytest.approx(factors.uniquenesses.to_numpy())
    for label, members in factors.members.items():
        assert set(found.index[found["factor"] == label]) == set(members)
    same(everything("eigenvalues"), factors.table.reset_index())


def test_the_scale_and_its_stress_are_saved(everything, table):
    relations = ma.relate(table)
    same(everything("scale"), by_measure(relations.scale().points))
    stress = everything("stress")
    assert stress["dimensions"].tolist() == [1, 2, 3, 4]
    same(stress, relations.stress(range(1, 5)).reset_index())


def test_redundancy_is_saved(everything, table):
    relations = ma.relate(table)
    same(everything("representatives"), relations.representatives().table.reset_index())
    assert everything("identities").columns.tolist() == relations.identities().columns.tolist()


def test_centrality_is_saved_with_its_intervals(everything, table):
    found = everything("centrality").set_index("measure")
    same(found[["mean", "others"]], ma.relate(table).centrality(resamples=1)[["mean", "others"]])
    assert (found["low"] <= found["high"]).all()


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_problems_and_identities_are_saved(frame, ending):
    frame.assign(kappa=0.5, gini=2 * frame["auc"] - 1).to_csv("holes.csv", index=False)
    run("holes.csv", "--keys", "dataset,model", "-o", "out", "-f", ending)
    problems = read("out", "problems", ending)
    assert problems["group"].tolist() == ["a", "b", "c"]
    assert set(problems["measure"]) == {"kappa"}
    identities = read("out", "identities", ending)
    assert identities.to_numpy().tolist() == [["auc", "gini", "same", 3]]
    assert read("out", "correlation", ending).set_index("measure")["kappa"].isna().all()


def test_a_measure_may_be_called_measure(frame):
    frame.assign(measure=frame["mcc"] ** 2).to_csv("odd.csv", index=False)
    run("odd.csv", "--keys", "dataset,model", "--out", "out")
    assert len(read("out", "correlation", "parquet")) == 6


def test_options_count_for_what_is_saved_too(saved, table):
    run(saved, "--out", "out", "--method", "pearson", "--distance", 0.5, "--unrotated", "--pooled")
    relations = ma.relate(table, method="pearson", within=None)
    same(read("out", "correlation", "parquet"), by_measure(relations.correlation))
    clusters = read("out", "clusters", "parquet").groupby("cluster")["measure"].agg(list)
    assert clusters.tolist() == relations.clusters(0.5)
    factors = relations.factors(rotation=None)
    same(read("out", "factors", "parquet")[factors.labels], factors.loadings.reset_index(drop=True))


def test_a_folder_that_is_there_keeps_its_other_files(saved):
    Path("out").mkdir()
    Path("out/mine.txt").write_text("mine")
    Path("out/pairs.csv").write_text("old")
    run(saved, "--out", "out", "--format", "csv")
    assert Path("out/mine.txt").read_text() == "mine"
    assert Path("out/pairs.csv").read_text() != "old"
    assert len(list(Path("out").iterdir())) == 17


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_two_runs_write_the_same(saved, ending):
    said = [run(saved, "--out", name, "--format", ending).stdout for name in ("one", "two")]
    assert said[0] == said[1]
    for name in FILES:
        one, two = (Path(f"{folder}/{name}.{ending}").read_bytes() for folder in ("one", "two"))
        assert one == two, name


def test_what_is_printed_does_not_depend_on_out(saved):
    assert run(saved, "--out", "out").stdout == run(saved).stdout


# -- What is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["none.parquet", "none.csv", "none"])
def test_a_file_must_be_there(name):
    assert f"there is no file {name}." in refused(name)
    assert f"there is no file {name}." in refused(name, "--keys", "dataset")


@pytest.mark.parametrize("options", [[], ["--keys", "dataset"]])
def test_a_directory_is_no_table(options):
    Path("folder").mkdir()
    Path("folder.csv").mkdir()
    assert "folder is a directory; name " in refused("folder", *options)
    assert "folder.csv is a directory; name " in refused("folder.csv", *options)


@pytest.mark.parametrize("options", [[], ["--keys", "dataset"]])
@pytest.mark.parametrize("content", [b"", b"PAR1", b"dataset,auc\na,1\n", bytes(range(256)) * 8])
def test_a_broken_parquet_file_is_refused(content, options):
    Path("broken.parquet").write_bytes(content)
    assert "broken.parquet is not a Parquet file, or a broken one" in refused(
        "broken.parquet", *options
    )


def test_a_saved_table_that_was_cut_short_is_refused(saved):
    whole = Path(saved).read_bytes()
    Path("cut.parquet").write_bytes(whole[: len(whole) // 2])
    assert "cut.parquet is not a Parquet file, or a broken one" in refused("cut.parquet")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00\x01\xd8", b'a,b\n"1,2\n3'])
def test_a_broken_csv_file_is_refused(content):
    Path("broken.csv").write_bytes(content)
    assert "broken.csv" in refused("broken.csv")


def test_a_broken_gz_file_is_refused(frame):
    frame.to_csv("table.csv.gz", index=False)
    Path("cut.csv.gz").write_bytes(Path("table.csv.gz").read_bytes()[:200])
    assert "cut.csv.gz cannot be read as a table" in refused(
        "cut.csv.gz", "--keys", "dataset,model"
    )


def test_a_table_without_rows_is_refused(frame):
    frame[:0].to_csv("empty.csv", index=False)
    assert "there must be rows" in refused("empty.csv", "--keys", "dataset,model")


def test_text_is_no_measure(frame):
    frame.to_csv("table.csv", index=False)
    message = refused("table.csv")
    assert message.startswith("Error: table.csv: ")
    assert "'dataset' must hold numbers to be a measure" in message
    assert "--keys" in message
    assert "'model'" in refused("table.csv", "--keys", "dataset")


def test_parquet_of_others_needs_keys(frame):
    frame.to_parquet("others.parquet")
    message = refused("others.parquet")
    assert "did not save" in message
    assert "--keys dataset,model" in message


def test_keys_must_be_columns(frame):
    frame.to_csv("table.csv", index=False)
    message = refused("table.csv", "--keys", "dataset,learner")
    assert "no column 'learner' to be a key" in message
    assert "keys=" not in message


def test_groups_must_be_by_a_key(saved):
    message = refused(saved, "--within", "modle")
    assert "there is no key 'modle'" in message
    assert "'model'" in message


def test_nothing_to_correlate_is_an_error_in_the_words_of_the_command_line(frame):
    frame.assign(**dict.fromkeys(MEASURES, 0.5)).to_csv("same.csv", index=False)
    message = refused("same.csv", "--keys", "dataset,model")
    assert "no correlation is defined" in message
    # There is no attribute `problems` to look at, nor a table, as nothing is saved.
    assert "`problems`" not in message


def test_without_factors_the_rest_is_shown_and_why_there_are_none(saved):
    said = run(saved, "--min-eigenvalue", 99, "--out", "out", "--format", "csv")
    assert said.exit_code == 0
    message = " ".join(said.stdout.split())
    assert "No factors: no eigenvalue is 99 or more" in message
    assert "Lower --min-eigenvalue." in message
    assert "most correlated pairs" in message
    assert not list(Path("out").glob("factors*"))
    assert Path("out", "agreements.csv").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--pooled", "--within", "dataset"],
            "--pooled and --within dataset contradict each other",
        ),
        (["--measures", "auk"], "'auk'; the nearest"),
        (["--measures", "auc,"], "auc"),
        (["--method", "cosine"], "--method"),
        (["--linkage", "ward"], "--linkage"),
        (["--extraction", "likelihood"], "--extraction"),
        (["--distance", "-0.1"], "--distance"),
        (["--distance", "nan"], "--distance"),
        (["--distance", "near"], "--distance"),
        (["--pairs", "-1"], "--pairs"),
        (["--min-eigenvalue", "high"], "--min-eigenvalue"),
        (["--format", "json"], "--format"),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_bad_options_end_with_2(saved, options, message):
    assert message in refused(saved, *options, code=2)


def test_a_file_must_be_named():
    assert "FILE" in refused(code=2)


def test_contradictions_are_found_before_anything_is_read():
    assert "contradict" in refused("none.parquet", "--pooled", "--within", "dataset", code=2)


def test_out_must_be_a_folder_or_become_one(saved):
    Path("file").write_text("mine")
    assert "--out file must be a folder; it is a file" in refused(saved, "--out", "file")
    assert Path("file").read_text() == "mine"
    assert "must be a folder" in refused(saved, "--out", saved)
    assert "there is no folder" in refused(saved, "--out", "no/relations")
    assert "there is no folder" in refused("none.parquet", "--out", "no/relations")


def test_a_folder_that_cannot_be_made_is_one_message(saved, monkeypatch):
    def fail(*_, **__):
        raise OSError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.mkdir", fail)
    result = run(saved, "--out", "out", code=1)
    assert "out cannot be written: Permission denied" in result.stderr
    assert "Traceback" not in result.output


def test_old_files_stay_when_writing_fails(saved, monkeypatch):
    Path("out").mkdir()
    Path("out/correlation.csv").write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    result = run(saved, "--out", "out", "-f", "csv", code=1)
    assert "cannot be written: No space left on device" in result.stderr
    assert [p.name for p in Path("out").iterdir()] == ["correlation.csv"]
    assert Path("out/correlation.csv").read_text() == "old"


# -- Streams -------------------------------------------------------------------------------------


def test_quiet_says_nothing_on_stderr(saved):
    assert run(saved, "--quiet").stderr == ""
    assert run(saved, "-q").stdout == run(saved).stdout
    assert run(saved, "-q", "--out", "out").stderr == ""


def test_errors_are_said_quiet_or_not():
    assert "there is no file" in refused("none.parquet", "--quiet")


def test_names_do_not_move_the_cursor(frame):
    odd = "au\x07\x08\x1b[2Jc"
    frame.rename(columns={"auc": odd}).to_parquet("odd.parquet", index=False)
    said = run("odd.parquet", "--keys", "dataset,model")
    for text in (said.stdout, said.stderr):
        assert all(line.isprintable() for line in text.splitlines())
    assert r"au\x07\x08\x1b[2Jc" in said.stdout


def test_lines_fit_on_a_terminal(frame):
    many = frame.assign(**{f"a_measure_with_a_long_name_{i}": frame["auc"] + i for i in range(20)})
    many.to_csv("many.csv", index=False)
    text = run("many.csv", "--keys", "dataset,model").stdout
    assert max(map(len, text.splitlines())) <= 88


def started(folder, *arguments, **options):
    return subprocess.run(
        [PROGRAM, "relate", *arguments], cwd=folder, check=False, text=True, **options
    )


def test_the_program_prints_the_same_into_a_pipe(saved, in_a_folder):
    ended = started(in_a_folder, saved, capture_output=True)
    assert (ended.returncode, ended.stdout) == (0, run(saved).stdout)
    assert ended.stderr == run(saved).stderr


def test_a_pipe_that_is_closed_early_is_no_error(saved, in_a_folder):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = started(in_a_folder, saved, "-q", stdout=writer, stderr=subprocess.PIPE)
    finally:
        os.close(writer)
    assert (ended.returncode, ended.stderr) == (141, "")


def test_a_terminal_without_all_letters_gets_what_it_can_show(frame, in_a_folder):
    frame.rename(columns={"auc": "gr\u00f6\u00dfe"}).to_parquet("odd.parquet", index=False)
    ended = started(
        in_a_folder,
        "odd.parquet",
        "--keys",
        "dataset,model",
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert ended.returncode == 0, ended.stderr
    assert r"gr\xf6\xdfe" in ended.stdout


def test_help_has_examples_and_room_in_80_columns(in_a_folder):
    ended = started(in_a_folder, "--help", capture_output=True, env={**os.environ, "COLUMNS": "80"})
    assert ended.returncode == 0
    assert "Examples:" in ended.stdout
    assert max(map(len, ended.stdout.splitlines())) <= 80
