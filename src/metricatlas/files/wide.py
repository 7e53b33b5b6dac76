"""The wide form: a row is an example, and every model has a column, or one for each class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from metricatlas.errors import FileError, OptionError
from metricatlas.files.alike import check_alike, check_alike_beside, check_alike_classes, folded
from metricatlas.files.asked import MODEL, Asked
from metricatlas.files.classes import Classes, Label, completed, listed, with_positive
from metricatlas.files.column import Column, as_matrix
from metricatlas.files.contents import Model, kind_of_numbers
from metricatlas.files.families import (
    Columns,
    Families,
    Naming,
    classes_of,
    columns_of,
    find_families,
    find_nameless,
    names_of,
    refuse_beside,
    refuse_nearly,
    refuse_partial,
)
from metricatlas.files.numbers import nearly_numbers, not_numeric
from metricatlas.files.roles import Roles, nearest, one_by_one

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    notes: tuple[str, ...]


def read_wide(roles: Roles, labels: tuple[Label, ...] | None, asked: Asked, file: str) -> Wide:
    """Find the models among the columns that have no other role."""
    truth, explicit = roles.truth, labels or ()
    naming = Naming(truth, labels or tuple(truth.distinct))
    columns = _chosen(roles, asked.models, naming, file)
    # A column that is asked for by its whole name is a model, whatever it is called.
    sure = {name for name in asked.models if name in columns}
    families = find_families({n: c for n, c in columns.items() if n not in sure}, naming)
    whole = {p: f for p, f in families.items() if len(f) > 1 and set(f) >= set(naming.known)}
    for family in whole.values():
        check_alike_classes(family, file, explicit)
    names = labels or classes_of(whole) or completed(truth, asked.pos_label, columns.values())
    classes = with_positive(names, truth, asked.pos_label)
    refuse_partial({p: f for p, f in families.items() if p not in whole}, classes)
    unnamed = {n: c for n, c in columns.items() if n not in sure and asked.kind != "labels"}
    nameless = find_nameless(unnamed, whole, classes)
    found = _Found(columns, whole, nameless, classes, asked.kind, sure)
    unsure = [name for name in found.singles if name not in sure]
    refuse_beside(unsure, whole, classes)
    refuse_nearly(unsure, classes)
    families_of = {prefix: [c.name for c in f.values()] for prefix, f in whole.items()}
    check_alike([*roles.taken, *found.singles, *whole], file, families_of)
    check_alike_beside([*roles.taken, *found.singles], found.of_family, file)
    for name in roles.rest.keys() - columns.keys():
        check_alike([*roles.taken, name], file)
    found.refuse_same_name()
    models = _models(found, file).values()
    notes = (f"The columns of the classes, {names_of(nameless)}, are one model.",)
    models_read = tuple(replace(model, rows=roles.rows) for model in models)
    return Wide(classes, models_read, notes if nameless else ())


@dataclass(frozen=True)
class _Found:
    """The columns, and which of them are of one model."""

    columns: Columns
    whole: Families
    #: The columns of a model that has no name, by class.
    nameless: dict[Label, Column]
    classes: Classes
    kind: str | None
    sure: set[str]

    @cached_property
    def families(self) -> Families:
        """For each model of several columns these by class."""
        return self.whole | {MODEL: self.nameless} if self.nameless else self.whole

    @cached_property
    def of_family(self) -> dict[str, str]:
        """The model of every column that is one of several."""
        names = self.classes.names
        return {f[label].name: prefix for prefix, f in self.families.items() for label in names}

    def single(self, column: Column) -> Model | str:
        """A column that stands by itself as a model, or why it is none."""
        sure = column.name in self.sure
        # Beside the columns of the classes, numbers may be of a class that the truth has not.
        alone = self.classes.binary and (sure or not self.nameless)
        return _single(column, self.classes, self.kind, sure=sure, alone=alone)

    @property
    def singles(self) -> list[str]:
        """The columns that stand by themselves."""
        return [name for name in self.columns if name not in self.of_family]

    def refuse_same_name(self) -> None:
        """One name must mean one model."""
        both = [name for name in self.singles if name in self.families]
        if both:
            column = next(iter(self.families[both[0]].values())).name
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
            model = found.single(column)
        elif prefix in models:
            continue
        else:
            model = _of_family(prefix, found.families[prefix], found.classes, found.kind)
        if isinstance(model, str):
            problems.append(model)
        else:
            models[model.name] = model
    if problems:
        raise FileError(_refused(problems, file, _hint(found)))
    if not models:
        msg = (
            f"{file} must have a column for each model; none is left beside the truth and what was "
            f"named on the command line."
        )
        raise FileError(msg)
    return models


def _chosen(roles: Roles, models: tuple[str, ...], naming: Naming, file: str) -> Columns:
    """The columns of the models asked for: those of that name, and `NAME:CLASS`."""
    rest = roles.rest
    if not models:
        return rest
    prefixes = {name: naming.split(name)[0] for name in rest}
    nameless = columns_of(naming.known, rest).values()
    if len(nameless) == len(naming.known) and all(c.kind == "number" for c in nameless):
        prefixes |= {column.name: MODEL for column in nameless}
    for model in models:
        if model not in rest and model not in prefixes.values():
            if model in roles.taken:
                msg = f"--model {model} and another option ask for the same column. Leave one out."
                raise OptionError(msg)
            there = list(dict.fromkeys([*filter(None, prefixes.values()), *rest]))
            hint = one_by_one(model, "--model", there) or nearest(model, there)
            raise FileError(f"{file} has no model `{model}` for --model; {hint}.")
    return {n: c for n, c in rest.items() if n in models or prefixes[n] in models}


def _of_family(
    name: str, family: Mapping[Label, Column], classes: Classes, kind: str | None
) -> Model:
    columns = [family[label] for label in classes.names]
    for column in columns:
        column.check()
    values = as_matrix(columns)
    return Model(name, values, kind or kind_of_numbers(values))


def _single(
    column: Column, classes: Classes, kind: str | None, *, sure: bool, alone: bool
) -> Model | str:
    usual = _USUAL.get(column.name.casefold())
    if usual and not sure:
        return f"`{column.name}` has a name that models have not ({usual} {column.name}?)"
    decided = kind == "labels" or (kind is None and column.kind not in ("number", "other"))
    strangers = classes.strangers(column) if decided else []
    if decided and not strangers and column.kind != "other":
        column.check()
        return Model(column.name, classes.labels(column), "labels")
    if column.kind in ("text", "boolean", "other") or kind == "labels":
        return _of_strangers(column, strangers, classes, kind)
    if not alone:
        return _of_one_class(column, classes, sure=sure)
    if column.kind == "whole" and kind is None and not sure:
        return f"`{column.name}` holds whole numbers that are no classes ({listed(strangers, 3)})"
    column.check()
    values = column.numbers()
    return Model(column.name, values, kind or kind_of_numbers(values))


def _of_one_class(column: Column, classes: Classes, *, sure: bool) -> str:
    if not sure and classes.place(column.name) is not None:
        return f"`{column.name}` is the column of one class"
    wanted = listed(f"`{column.name}:{label}`" for label in classes.names)
    return f"`{column.name}` is one column of numbers, where each class needs its own ({wanted})"


def _of_strangers(
    column: Column, strangers: list[Label], classes: Classes, kind: str | None
) -> str:
    if column.kind == "other":
        return f"`{column.name}` holds neither numbers nor text, but {column.data.type}"
    numbers = kind in ("scores", "probabilities") or nearly_numbers(column, classes.texts)
    if column.kind == "text" and kind != "labels" and numbers:
        raise FileError(not_numeric(column))
    what = "text" if column.kind == "text" else "values"
    if len(strangers) < len(column.distinct):
        return (
            f"`{column.name}` holds {listed(strangers, 3)} besides the classes {classes.shown()} "
            f"(--labels names all classes)"
        )
    if not strangers:
        return f"`{column.name}` holds {what}, and numbers are needed"
    return f"`{column.name}` holds {what} that is no class ({listed(strangers, 3)})"


def _refused(problems: list[str], file: str, hint: str) -> str:
    subject = "this column is" if len(problems) == 1 else "these columns are"
    return (
        f"every column of {file} must be a model or have a role, and it is not clear what "
        f"{subject}: {'; '.join(problems)}. Say it: --ignore COLUMN, --group COLUMN, or --model "
        f"NAME for each model.{hint}"
    )


def _hint(found: _Found) -> str:
    names = found.classes.names
    near = next((name for name in found.columns if folded(name) == MODEL), None)
    if near is not None and near != MODEL:
        return f" In the long form the column of the models is named `{MODEL}`: rename `{near}`."
    if near is not None:
        wanted = listed(f"`{name}`" for name in names)
        return (
            f" For the long form, with its column `model`, every class must have a column: "
            f"{wanted}."
        )
    if found.nameless:
        return " If some are classes that the truth has not, name all classes with --labels."
    named = columns_of(names, {n: c for n, c in found.columns.items() if n not in found.sure})
    lacking = listed(f"`{name}`" for name in names if name not in named)
    if not named or not lacking or found.classes.binary:
        return ""
    return (
        f" Columns of classes are one model where every class has its own; there is none for "
        f"{lacking}."
    )
