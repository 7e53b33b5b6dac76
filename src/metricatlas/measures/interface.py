"""What everything that can be asked for as a measure says of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from metricatlas.measures.declaration import Better, Bounds, Needs
    from metricatlas.measures.terms import Term


class Measure(ABC):
    """A measure as it can be asked for, in any place where a name can."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The canonical spelling."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What it is, in words."""

    @property
    @abstractmethod
    def better(self) -> Better:
        """Whether higher, lower, nearer to zero or nearer to one is better."""

    @abstractmethod
    def bounds_for(self, classes: int) -> Bounds:
        """Smallest and largest value for a number of classes."""

    @property
    def bounds(self) -> Bounds:
        """Smallest and largest value, for two classes where it depends on their number."""
        return self.bounds_for(2)

    @abstractmethod
    def chance_for(self, classes: int) -> float | None:
        """What a prediction that knows nothing gets on average, where that is known."""

    @property
    def chance(self) -> float | None:
        """The chance level, for two classes where it depends on their number."""
        return self.chance_for(2)

    @property
    @abstractmethod
    def family(self) -> str:
        """The family of measures it belongs to."""

    @property
    @abstractmethod
    def aliases(self) -> tuple[str, ...]:
        """Other names."""

    @property
    @abstractmethod
    def sources(self) -> tuple[str, ...]:
        """The studies it comes from."""

    @property
    @abstractmethod
    def parts(self) -> tuple[Term, ...]:
        """The measures it is made of; none if it is made of facts."""

    @property
    @abstractmethod
    def missing(self) -> tuple[str, ...]:
        """Parameters it needs and has not."""

    @property
    @abstractmethod
    def needs(self) -> Needs:
        """The least that predictions must be: labels, scores or probabilities."""

    @property
    @abstractmethod
    def counts_rows(self) -> bool:
        """Whether weights must be whole numbers."""

    @property
    @abstractmethod
    def on_request(self) -> bool:
        """Whether it is computed only when asked for by name."""

    @abstractmethod
    def using(self, **parameters: Any) -> Self:
        """The same measure with parameters set: ``catalogue["cost"].using(costs=C)``."""

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<Measure {self.name}>"

    def oriented(self, values: Any) -> Any:
        """The values turned so that higher is better."""
        return ORIENTATIONS[self.better](values)

    def upright(self, values: Any) -> Any:
        """The values, or one minus them where lower is better."""
        return 1 - values if self.better == "lower" else values


ORIENTATIONS: dict[Better, Callable[[Any], Any]] = {
    "higher": lambda v: v,
    "lower": np.negative,
    "zero": lambda v: -np.abs(v),
    "one": lambda v: -np.abs(v - 1),
    "neither": lambda v: v * np.nan,
}
