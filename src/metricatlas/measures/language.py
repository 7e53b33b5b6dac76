"""The language of measures: ``f1[macro]``, ``ppv@ks``, ``fbeta[beta=2]``, ``auc:acc``.

    measure := term (":" term)?                 compared by the first, ties broken by the second
    term    := base ("[" arguments "]")? ("@" point)?
    point   := number | ks | bep | prevalence | best | (best | fpr | tpr | top) "=" value

Without quotes, for shells: ``f1.macro``, ``auc.ovo.prior``. Base names and keywords fold case, and
in names a space or a hyphen is an underscore; class names are taken as they
stand. A weighted mean, ``mean[acc=2,auc]``, stands alone.
"""

from __future__ import annotations

import contextlib
import difflib
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from metricatlas.errors import MeasureError
from metricatlas.measures.compositions import COMPOSITIONS, SPELLINGS
from metricatlas.measures.declaration import declarations, generation
from metricatlas.measures.spelling import (
    folded,
    is_number,
    read,
    split,
    split_dots,
    split_list,
    unquoted,
)
from metricatlas.measures.terms import (
    PAIRS,
    REDUCTIONS,
    WEIGHTINGS,
    Mean,
    Measure,
    Point,
    Term,
    TwoLevel,
)
from metricatlas.summaries import Confusion, Ranking, TwoByTwo

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["known", "parse", "split_list"]

_NAMED_POINTS = ("ks", "bep", "prevalence", "best")
_SHARES = ("fpr", "tpr", "top")
#: What a weight cannot follow, because the value belongs to it; and what takes a name as its value.
_TAKES_A_VALUE = re.compile(r"@\s*(fpr|tpr|top)$|\.[^\W\d]\w*$", re.IGNORECASE)
_TAKES_A_NAME = re.compile(r"@\s*best$", re.IGNORECASE)


def parse(text: Any) -> Measure:
    """The measure that a text of the language stands for."""
    if isinstance(text, str):
        return _parsed(text, generation())
    if isinstance(text, Measure):
        return text
    msg = f"a measure is asked for by its name or as an object of the catalogue; got {text!r}."
    raise MeasureError(msg)


def known() -> Mapping[str, Measure]:
    """Every plain name and alias, folded, and the measure it stands for."""
    return _known(generation())


@lru_cache(maxsize=4096)
def _parsed(text: str, _generation: int) -> Measure:
    names = known()
    return names.get(folded(text)) or _Parser(text, names).measure()


@lru_cache(maxsize=8)
def _known(_generation: int) -> Mapping[str, Measure]:
    names: dict[str, Measure] = {}
    for declaration in declarations().values():
        for name in (declaration.name, *declaration.aliases):
            _enter(names, name, Term(declaration))
    for alias, expression in COMPOSITIONS.items():
        made = _Parser(expression, names).measure()
        for name in (made.name, alias):
            _enter(names, name, made)
    for alias, expression in SPELLINGS.items():
        _enter(names, alias, _Parser(expression, names).measure())
    return MappingProxyType(names)


def _enter(names: dict[str, Measure], name: str, made: Measure) -> None:
    if names.setdefault(folded(name), made) != made:
        msg = f"the name {name!r} stands for {names[folded(name)]} and for {made}."
        raise MeasureError(msg)


@dataclass(frozen=True)
class _Parser:
    """Reads one text; every error quotes it."""

    whole: str
    names: Mapping[str, Measure]

    def wrong(self, words: str) -> MeasureError:
        return MeasureError(f"{words}; got {self.whole!r}.")

    def measure(self) -> Measure:
        levels = split(self.whole, ":")
        if len(levels) > 2:
            raise self.wrong(f"a measure has two levels at most, not {len(levels)}")
        if len(levels) == 1:
            return self.mean() or self.term(self.whole)
        first, second = (self.term(level) for level in levels)
        for term in (first, second):
            if term.better == "neither":
                raise self.wrong(f"no value of {term} is better than another, so it is no level")
        return TwoLevel(first, second)

    def term(self, text: str) -> Term:
        head, *points = split(text, "@")
        base, arguments = _base_and_arguments(head.strip())
        found = self.names.get(folded(base))
        if found is None:
            raise self.unknown(base)
        if not arguments and not points and isinstance(found, Term):
            return found
        if not isinstance(found, Term) or found.reduction or found.point:
            raise self.wrong(f"{base!r} stands for {found.name} and takes no further arguments")
        term = self.with_arguments(found, arguments)
        if len(points) > 1:
            raise self.wrong("a measure takes one cut only")
        return replace(term, point=self.point(term, points[0].strip())) if points else term

    def unknown(self, base: str) -> MeasureError:
        if base.casefold() == "mean":
            return self.wrong("a mean lists its measures, as in mean[acc=2,auc], and stands alone")
        near = difflib.get_close_matches(folded(base), self.names, n=4, cutoff=0.5)
        inside = "" if base == self.whole.strip() else f" (in {self.whole!r})"
        hint = f"the nearest names are {', '.join(near)}" if near else "no name is near"
        meant = self.reduced(base)
        hint = f"reduced over classes it is written {meant}" if meant else hint
        return MeasureError(
            f"there is no measure {base!r}{inside}; {hint}. `metricatlas catalogue` or "
            f"`metricatlas.catalogue.table()` lists all."
        )

    def reduced(self, base: str) -> str:
        """``tnr[macro]`` where a name is ``tnr_macro`` or ``macro_tnr``; else nothing."""
        name = folded(base)
        (first, _, rest), (start, _, last) = name.partition("_"), name.rpartition("_")
        for stem, word in ((start, last), (rest, first)):
            if stem in self.names and word in (*REDUCTIONS, *PAIRS, *WEIGHTINGS):
                with contextlib.suppress(MeasureError):
                    return _Parser(f"{self.names[stem].name}[{word}]", self.names).measure().name
        return ""

    # -- Arguments -------------------------------------------------------------------------------

    def with_arguments(self, term: Term, arguments: list[str]) -> Term:
        words: list[str] = []
        parameters: dict[str, Any] = {}
        label: tuple[Any, ...] = ()
        for argument in arguments:
            keyword, equals, value = (part.strip() for part in argument.partition("="))
            if equals and keyword.casefold() == "class":
                if label:
                    raise self.wrong("a measure is of one class")
                label = ("class", unquoted(value))
            elif not equals and keyword.casefold() in (*REDUCTIONS, *PAIRS, *WEIGHTINGS):
                words.append(keyword.casefold())
            else:
                self.check_keyword(term, keyword, unquoted(value).casefold())
                name = self.parameter(term, parameters, keyword, named=bool(equals))
                parameters[name] = read(value if equals else keyword)
        if label and words:
            raise self.wrong("a measure is of one class or reduced over all")
        reduction = label or self.reduction(words)
        if reduction:
            self.check_reducible(term, str(reduction[0]))
        return replace(term.using(**parameters) if parameters else term, reduction=reduction)

    def check_keyword(self, term: Term, keyword: str, value: str) -> None:
        """Refuse ``average=macro``, as other libraries have it."""
        own = [name.casefold() for name in term.declaration.parameters]
        if value in (*REDUCTIONS, *PAIRS, *WEIGHTINGS) and keyword.casefold() not in own:
            name = term.declaration.name
            raise self.wrong(f"a reduction has no keyword before it: it is {name}[{value}]")

    def parameter(self, term: Term, given: Mapping[str, Any], text: str, *, named: bool) -> str:
        """The parameter that an argument sets: the one it names, or the first that is free."""
        own = {name.casefold(): name for name in term.declaration.parameters}
        if named:
            name = own.get(text.casefold(), text)
            if name in given:
                raise self.wrong(f"{name} is given twice")
            return name
        free = [name for name in own.values() if name not in given]
        if not free:
            reductions = ", ".join((*REDUCTIONS, *PAIRS))
            raise self.wrong(f"{term} knows no argument {text!r}; reductions are {reductions}")
        return free[0]

    def reduction(self, words: list[str]) -> tuple[str, ...]:
        """The reduction in the one spelling that it is kept in."""
        pairs = [w for w in words if w in PAIRS]
        weightings = [w for w in words if w in WEIGHTINGS]
        others = [w for w in words if w in REDUCTIONS]
        if max(map(len, (pairs, weightings, others))) > 1 or (others and len(words) > 1):
            raise self.wrong("one reduction is possible at a time")
        if others or not words:
            return tuple(others)
        return (pairs[0] if pairs else "ovo", *(weightings or ["uniform"]))

    def check_reducible(self, term: Term, kind: str) -> None:
        declaration = term.declaration
        counts = declaration.summary is TwoByTwo
        # One class against the others makes a matrix of two; costs are a matrix of all classes.
        alone = declaration.summary is Confusion and term.needs == "labels"
        matrix = alone and "costs" not in declaration.parameters
        ranks = declaration.summary is Ranking and declaration.view == "class"
        low, high = term.bounds
        possible = {
            "micro": counts,
            "top": ranks,
            "ovo": ranks and declaration.multiclass == "ovo",
            "geometric": low >= 0 and high < float("inf"),
        }
        if not (counts or ranks or matrix) or not possible.get(kind, True):
            raise self.wrong(f"{declaration.name} cannot be reduced over classes by {kind}")

    # -- Cuts ------------------------------------------------------------------------------------

    def point(self, term: Term, text: str) -> Point:
        self.check_decides(term, "takes a cut")
        keyword, equals, value = (part.strip() for part in text.partition("="))
        key = keyword.casefold()
        if not equals and is_number(key):
            return Point("at", float(key))
        if not equals and key in _NAMED_POINTS:
            if key == "best":
                self.check_directed(term)
            return Point(key)
        if equals and key == "best":
            return Point("best", self.target(value))
        if equals and key in _SHARES:
            return self.share(key, value)
        raise self.wrong(
            f"a cut is a number, {', '.join(_NAMED_POINTS)}, best=MEASURE, fpr=x, tpr=x or top=x, "
            f"not {text!r}"
        )

    def target(self, text: str) -> Term:
        """The measure that a cut is best for."""
        term = self.term(text)
        if term.reduction or term.point or term.missing:
            raise self.wrong(f"a cut is best for a plain measure with its parameters, not {text!r}")
        self.check_decides(term, "has a best cut")
        self.check_directed(term)
        return term

    def check_decides(self, term: Term, does: str) -> None:
        decides = term.declaration.summary in (TwoByTwo, Confusion)
        name = term.declaration.name
        if not decides:
            raise self.wrong(f"only a measure of decisions {does}, not {name}")
        if term.needs != "labels":
            raise self.wrong(
                f"{name} reads probabilities beside the decisions, so no cut can follow its name; "
                f"ask for {name} and pass threshold= for decisions at another cut"
            )

    def check_directed(self, term: Term) -> None:
        if term.better == "neither":
            raise self.wrong(f"no value of {term.declaration.name} is better than another")

    def share(self, key: str, text: str) -> Point:
        value = read(text)
        if isinstance(value, int | float) and not isinstance(value, bool):
            if key == "top" and isinstance(value, int) and value >= 1:
                return Point("top", value)
            if key == "top" and value == 1:
                # All of the rows, not one of them.
                return Point("at", float("-inf"))
            if 0 <= value <= 1 and (key != "top" or value > 0):
                return Point(key, float(value))
        allowed = "a share like 25% or a number of rows" if key == "top" else "between 0 and 1"
        raise self.wrong(f"{key}= must be {allowed}, not {text!r}")

    # -- Means -----------------------------------------------------------------------------------

    def mean(self) -> Mean | None:
        base, arguments = _base_and_arguments(self.whole.strip())
        if base.casefold() != "mean" or not arguments:
            return None
        weighted = tuple(self.part(argument) for argument in arguments)
        weights = [weight for _, weight in weighted]
        if min(weights) < 0 or not 0 < sum(weights) < float("inf"):
            raise self.wrong("the weights of a mean must be finite and not negative, nor all 0")
        return Mean(weighted)

    def part(self, argument: str) -> tuple[Term, float]:
        """``acc``, ``acc=2``, ``recall[class=a]=2``, ``tpr@fpr=0.1=2``: the weight comes last."""
        places = [part.strip() for part in split(argument, "=")]
        name, weight = "=".join(places[:-1]), places[-1]
        takes_all = _TAKES_A_VALUE.search(name) and not _reduced(name)
        if not name or takes_all or (_TAKES_A_NAME.search(name) and not is_number(weight)):
            name, weight = argument, "1"
        if not is_number(weight):
            raise self.wrong(f"the weight of {name!r} in a mean must be a number, not {weight!r}")
        if len(split(name, ":")) > 1:
            raise self.wrong(f"a mean takes measures of one level, and {name!r} has two")
        term = self.term(name)
        turns = term.better == "lower" and term.bounds == (0, 1)
        if term.better != "higher" and not turns:
            raise self.wrong(
                f"where lower is better a mean takes measures of [0, 1] only, not {term}"
                if term.better == "lower"
                else f"a mean takes measures where higher or lower is better, not {term}"
            )
        return term, float(weight)


def _base_and_arguments(head: str) -> tuple[str, list[str]]:
    """``auc[ovo,prior]`` and ``auc.ovo.prior`` alike."""
    if head.endswith("]"):
        base, _, inside = head[:-1].partition("[")
        return base.strip(), split_list(inside)
    base, *rest = split_dots(head)
    return base.strip(), rest


def _reduced(name: str) -> bool:
    """Whether a name ends with a reduction, as ``f1.macro`` does."""
    return split_dots(name)[-1].casefold() in (*REDUCTIONS, *PAIRS, *WEIGHTINGS)
