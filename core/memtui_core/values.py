"""Dataclasses that are defined in a tenth of the time: a cold command defines many, and makes values of few.

`dataclass` with slots, `field` and `replace` do what those of the standard library do; type checkers see these. The
code of a class is made with its first value, and its fields for `dataclasses.fields` when they are asked for. A class
has no base with fields and no `__post_init__`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    from functools import partial
    from operator import attrgetter

    _NO_VALUE = object()

    class _Options(dict):
        """The arguments of `field`."""

    def field(**options):
        """Options of a field: `default`, `default_factory`, `repr` and `compare`."""
        return _Options(options)

    def replace(value, /, **changes):
        """A copy of a value with some fields changed."""
        return type(value)(**{name: getattr(value, name) for name in value.__match_args__} | changes)

    def dataclass(*, slots, frozen=False):
        """Make a class a dataclass with slots."""
        if not slots:
            raise TypeError("only dataclasses with slots can be made")
        return partial(_make, frozen=frozen)

    def _make(cls, frozen):
        names = tuple(cls.__annotations__)
        members = dict(vars(cls))
        if "__post_init__" in members or any(hasattr(base, "__dataclass_fields__") for base in cls.__bases__):
            raise TypeError(f"{cls.__name__} must be a dataclass of the standard library")
        options = {name: _options(members.pop(name, _NO_VALUE)) for name in names}
        for name in ("__dict__", "__weakref__"):
            members.pop(name, None)
        compared = [name for name in names if options[name].get("compare", True)]
        shown = [name for name in names if options[name].get("repr", True)]
        made = {
            "__slots__": names,
            "__match_args__": names,
            "__init__": _first_init(options, made_class := []),
            "__repr__": _repr_of(shown),
            "__replace__": replace,
            "__dataclass_fields__": _Standard("__dataclass_fields__", options, frozen),
            "__dataclass_params__": _Standard("__dataclass_params__", options, frozen),
        }
        key = _key_of(compared)
        made |= {"__eq__": _equality(key), "__hash__": (lambda self: hash(key(self))) if frozen else None}
        if frozen:
            made |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
            made |= {"__getstate__": _get_state, "__setstate__": _set_state}
        # A class without a hash of its own has one that is None if it defines equality.
        members = {name: member for name, member in members.items() if (name, member) != ("__hash__", None)}
        made_class.append(type(cls)(cls.__name__, cls.__bases__, made | members))
        made_class[0].__qualname__ = cls.__qualname__
        return made_class[0]

    def _options(value):
        if isinstance(value, _Options):
            return value
        if value is not _NO_VALUE and type(value).__hash__ is None:
            raise ValueError(f"a default that can change: {value!r}")
        return _Options() if value is _NO_VALUE else _Options(default=value)

    def _first_init(options, made_class):
        """The `__init__` that replaces itself with compiled code when the first value is made."""

        def __init__(self, *args, **kwargs):
            made_class[0].__init__ = compiled = _compiled_init(made_class[0], options)
            compiled(self, *args, **kwargs)

        return __init__

    def _compiled_init(cls, options):
        scope, parameters, body = {"_NO_VALUE": _NO_VALUE}, [], []
        for name, own in options.items():
            # The descriptor of a slot is the fastest way past `__setattr__`.
            scope[f"_set_{name}"] = vars(cls)[name].__set__
            value, default = name, ""
            if "default_factory" in own:
                scope[f"_make_{name}"] = own["default_factory"]
                value, default = f"_make_{name}() if {name} is _NO_VALUE else {name}", "=_NO_VALUE"
            elif "default" in own:
                scope[f"_default_{name}"] = own["default"]
                default = f"=_default_{name}"
            parameters.append(f"{name}{default}")
            body.append(f"\n _set_{name}(_self, {value})")
        exec(f"def __init__({', '.join(['_self', *parameters])}):{''.join(body) or ' pass'}", scope)
        made = scope["__init__"]
        made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
        return made

    def _key_of(names):
        """A function that returns the values of some fields as a tuple."""
        if len(names) > 1:
            return attrgetter(*names)
        return lambda self: tuple(getattr(self, name) for name in names)

    def _equality(key):
        def __eq__(self, other):
            return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

        return __eq__

    def _repr_of(names):
        def __repr__(self):
            return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

        return __repr__

    def _refuse_to_set(self, name, value):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def _refuse_to_delete(self, name):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def _get_state(self):
        return [getattr(self, name) for name in self.__match_args__]

    def _set_state(self, state):
        for name, value in zip(self.__match_args__, state, strict=True):
            object.__setattr__(self, name, value)

    class _Standard:
        """What the standard library knows of a class, made when it is asked for: fields for its functions and bases."""

        def __init__(self, name, options, frozen):
            self._name = name
            self._options = options
            self._frozen = frozen

        def __get__(self, instance, owner):
            import dataclasses

            made_class = next(one for one in owner.__mro__ if vars(one).get(self._name) is self)
            annotations = made_class.__annotations__
            listed = [(name, annotations[name], dataclasses.field(**own)) for name, own in self._options.items()]
            made = getattr(dataclasses.make_dataclass(made_class.__name__, listed, frozen=self._frozen), self._name)
            type.__setattr__(made_class, self._name, made)
            return made


__all__ = ["dataclass", "field", "replace"]
