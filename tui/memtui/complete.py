"""Refuses incomplete classes of widgets when they are defined: Textual's classes ignore `@abstractmethod`."""

from __future__ import annotations


def refuse_incomplete(kind: type, base: type, *attributes: str) -> None:
    """Raise a `TypeError` if a class lacks one of the attributes, or what `base` declares abstract."""
    abstract = [name for name, value in vars(base).items() if getattr(value, "__isabstractmethod__", False)]
    missing = [name for name in attributes if not hasattr(kind, name)]
    missing += [name for name in abstract if getattr(kind, name) is getattr(base, name)]
    if missing:
        raise TypeError(f"{kind.__module__}.{kind.__qualname__} is no complete {base.__name__}: {', '.join(missing)}")
