"""Refuses incomplete classes of widgets when they are defined: Textual's classes ignore `@abstractmethod`."""

from __future__ import annotations


def refuse_incomplete(kind: type, base: type, *attributes: str) -> None:
    """Raise a `TypeError` if a class does not define the attributes, or what its base declares abstract."""
    abstract = [name for name, value in vars(base).items() if getattr(value, "__isabstractmethod__", False)]
    defined = {name for part in kind.__mro__[: kind.__mro__.index(base)] for name in vars(part)}
    if missing := [name for name in (*attributes, *abstract) if name not in defined]:
        raise TypeError(f"{kind.__module__}.{kind.__qualname__} is no complete {base.__name__}: {', '.join(missing)}")
