"""The wide form: a row is an example, and every model has a column, or one for each class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from metricatlas.errors import FileError
from metricatlas.files.classes import (
    Classes,
    Label,
    completed,
    listed,
    typed_or_none,
    with_positive,
)
from metricatlas.files.column import Column, as_matrix
from metricatlas.files.contents import Model, kind_of_numbers
from metricatlas.files.roles import Asked, check_alike, nearest

Columns = Mapping[str, Column]
#: For each model with columns `MODEL:CLASS` its columns by class.
Families = dict[str, dict[Label, Column]]

#: Names that columns of numbers have which are no predictions.
_USUAL = {
    **dict.fromkeys(("fold", "split", "repeat", "seed", "group", "dataset"), "--group"),
    **dict.fromkeys(("weight", "weights", "sample_weight"), "--weight"),
    **dict.fromkeys(("id", "index", "row", "row_id", "sample_id", "unnamed: 0"), "--ignore"),
}


@dataclass(frozen=True)
class Wide:
    """What the columns that have no role are."""

    classes: Classes
    models: tuple[Model, ...]


def read_wide(
    rest: Columns, truth: Column, labels: tuple[Label, ...] | None, asked: Asked, file: str
) -> Wide:
    """Find the models among the columns that have no other role."""
    columns = _chosen(rest, asked.models, file)
    # A column that is asked for by its whole name is a model, whatever it is called.
    sure = {name for name in asked.models if name in columns}
    families = _families({n: c for n, c in columns.items() if n not in sure}, truth)
    known = set(truth.distinct if labels is None else labels)
    whole = {p: f for p, f in families.items() if len(f) > 1 and set(f) >= known}
    names = labels or _names(whole) or completed(truth, asked.pos_label)
    classes = with_positive(names, truth, asked.pos_label)
    _refuse_partial({p: f for p, f in families.items() if p not in whole}, classes)
    found = _Found(columns, whole, classes, asked.kind, sure)
    check_alike([truth.name, *found.singles, *whole], file)
    found.refuse_same_name()
    return Wide(classes, tuple(_models(found, file).values()))


@dataclass(frozen=True)
class _Found:
    """The columns, and which of them are of one model."""

    columns: Columns
    whole: Families
    classes: Classes
    kind: str | None
    sure: set[str]

    @cached_property
    def of_family(self) -> dict[str, str]:
        """The model of every column that is one of several."""
        names = self.classes.names
        return {f[label].name: prefix for prefix, f in self.whole.items() for label in names}

    @property
    def singles(self) -> list[str]:
        """The columns that stand by themselves."""
        return [name for name in self.columns if name not in self.of_family]

    def refuse_same_name(self) -> None:
        """One name must mean one model."""
        both = [name for name in self.singles if name in self.whole]
        if both:
            column = next(iter(self.whole[both[0]].values())).name
            msg = (
                f"the column `{both[0]}` and the columns of classes such as `{column}` are two "
                f"models of one name. Rename one, or leave it out with --ignore."
            )
            raise FileError(msg)


def _models(found: _Found, file: str) -> dict[str, Model]:
    """Every model by name; what is none is refused, all at once."""
    problems: list[str] = []
    models: dict[str, Model] = {}
    for name, column in found.columns.items():
        model: Model | str
        prefix = found.of_family.get(name)
        if prefix is None:
            model = _single(column, found.classes, found.kind, sure=name in found.sure)
        elif prefix in models:
            continue
        else:
            model = _of_family(prefix, found.whole[prefix], found.classes, found.kind)
        if isinstance(model, str):
            problems.append(model)
        else:
            models[model.name] = model
    if problems:
        raise FileError(_refused(problems, file, _hint(found.columns, found.classes)))
    if not models:
        msg = (
            f"{file} must have a column for each model; none is left beside the truth and what was "
            f"named on the command line."
        )
        raise FileError(msg)
    return models


def _chosen(rest: Columns, models: tuple[str, ...], file: str) -> Columns:
    """The columns of the models asked for: those of that name, and `NAME:CLASS`."""
    if not models:
        return rest
    prefixes = {name: name.rpartition(":")[0] for name in rest}
    for model in models:
        if model not in rest and model not in prefixes.values():
            there = list(dict.fromkeys([*filter(None, prefixes.values()), *rest]))
            raise FileError(f"{file} has no model `{model}` for --model; {nearest(model, there)}.")
    return {n: c for n, c in rest.items() if n in models or prefixes[n] in models}


def _families(columns: Columns, truth: Column) -> Families:
    families: Families = {}
    for name, column in columns.items():
        prefix, _, suffix = name.rpartition(":")
        label = typed_or_none(suffix.strip(), truth)
        if prefix and label is not None and column.kind in ("whole", "number"):
            families.setdefault(prefix, {})[label] = column
    return families


def _names(whole: Families) -> tuple[Label, ...]:
    """The classes that the columns of models name; a class may be absent from the truth."""
    if not whole:
        return ()
    every = {label for family in whole.values() for label in family}
    for prefix, family in whole.items():
        lacking = sorted(every - set(family))
        if lacking:
            other = next(p for p, f in whole.items() if lacking[0] in f)
            msg = (
                f"every model must have a column for every class; `{prefix}` has none for "
                f"{listed(lacking)}, `{other}` has `{whole[other][lacking[0]].name}`. Name all "
                f"classes with --labels, or leave columns out with --ignore."
            )
            raise FileError(msg)
    return tuple(sorted(every))


def _refuse_partial(families: Families, classes: Classes) -> None:
    """Columns for some classes are a mistake, unless their names only look like it."""
    for prefix, family in families.items():
        there = [label for label in family if label in classes.names]
        lacking = [label for label in classes.names if label not in family]
        if not there or not lacking:
            continue
        # Names such as `run:1`, `run:7` need not mean classes; a lone score of the positive is one.
        if classes.binary and (there == [classes.positive] or len(there) < len(family)):
            continue
        msg = (
            f"model `{prefix}` must have a column for every class; it has "
            f"{listed(f'`{family[label].name}`' for label in there)} but none for "
            f"{listed(lacking)}. Add it, or leave these out with --ignore; --model NAME:CLASS "
            f"takes a column as a model of its own."
        )
        raise FileError(msg)


def _of_family(
    name: str, family: Mapping[Label, Column], classes: Classes, kind: str | None
) -> Model:
    columns = [family[label] for label in classes.names]
    for column in columns:
        column.check()
    values = as_matrix(columns)
    return Model(name, values, kind or kind_of_numbers(values))


def _single(column: Column, classes: Classes, kind: str | None, *, sure: bool) -> Model | str:
    """A column as a model, or why it is none."""
    usual = _USUAL.get(column.name.casefold())
    if usual and not sure:
        return f"`{column.name}` has a name that models have not ({usual} {column.name}?)"
    decided = kind == "labels" or (kind is None and column.kind not in ("number", "other"))
    strangers = classes.strangers(column) if decided else []
    if decided and not strangers and column.kind != "other":
        column.check()
        return Model(column.name, classes.labels(column), "labels")
    if column.kind in ("text", "boolean", "other") or kind == "labels":
        return _of_strangers(column, strangers, classes)
    if not classes.binary:
        wanted = listed(f"`{column.name}:{label}`" for label in classes.names)
        return (
            f"`{column.name}` is one column of numbers, where each class needs its own ({wanted})"
        )
    if column.kind == "whole" and kind is None and not sure:
        return f"`{column.name}` holds whole numbers that are no classes ({listed(strangers, 3)})"
    column.check()
    values = column.numbers()
    return Model(column.name, values, kind or kind_of_numbers(values))


def _of_strangers(column: Column, strangers: list[Label], classes: Classes) -> str:
    if column.kind == "other":
        return f"`{column.name}` holds neither numbers nor text, but {column.data.type}"
    kind = "text" if column.kind == "text" else "values"
    if len(strangers) < len(column.distinct):
        return (
            f"`{column.name}` holds {listed(strangers, 3)} besides the classes {classes.shown()} "
            f"(--labels names all classes)"
        )
    if not strangers:
        return f"`{column.name}` holds {kind}, and numbers are needed"
    return f"`{column.name}` holds {kind} that is no class ({listed(strangers, 3)})"


def _refused(problems: list[str], file: str, hint: str) -> str:
    subject = "this column is" if len(problems) == 1 else "these columns are"
    return (
        f"every column of {file} must be a model or have a role, and it is not clear what "
        f"{subject}: {'; '.join(problems)}. Say it: --ignore COLUMN, --group COLUMN, or --model "
        f"NAME for each model.{hint}"
    )


def _hint(columns: Columns, classes: Classes) -> str:
    if "model" not in columns:
        return ""
    wanted = listed(f"`{name}`" for name in classes.names)
    return f" For the long form, with its column `model`, every class must have a column: {wanted}."
