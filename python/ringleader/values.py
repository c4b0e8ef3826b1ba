"""Numbers of results: exact fractions, intervals, and plain numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Tuple, Union

Interval = Tuple[float, float]
"""The lower and the upper bound of a number."""

Value = Union[int, float, Fraction, Interval]
"""A number: an integer, a float, an exact fraction, or an interval that contains it."""

_CHUNK = 4000  # Python converts at most 4300 digits at once.


def _integer(digits: str) -> int:
    if digits.startswith("-"):
        return -_integer(digits[1:])
    if len(digits) <= _CHUNK:
        return int(digits)
    low = len(digits) // 2
    return _integer(digits[:-low]) * int(10**low) + _integer(digits[-low:])


def fraction(text: str) -> Fraction:
    """The fraction of a text such as ``46/3``, with any number of digits.

    >>> fraction("46/3")
    Fraction(46, 3)
    """
    top, _, bottom = text.partition("/")
    return Fraction(_integer(top), _integer(bottom or "1"))


def value(data: Any) -> Value:
    """The number in the JSON of a result.

    >>> value({"exact": "3/2", "low": 1.5, "high": 1.5}), value({"low": 1.0, "high": 1.5}), value(7)
    (Fraction(3, 2), (1.0, 1.5), 7)
    """
    if isinstance(data, dict):
        exact = data.get("exact")
        if exact is not None:
            return fraction(exact)
        return (float(data["low"]), float(data["high"]))
    if isinstance(data, (int, float)):
        return data
    raise TypeError(f"{data!r} is no number of a result")


def bounds(number: Value) -> Interval:
    """The lower and the upper bound of a number, as floats that contain it.

    >>> bounds(Fraction(3, 2)), bounds((1.0, 2.0)), bounds(7)
    ((1.5, 1.5), (1.0, 2.0), (7.0, 7.0))
    """
    if isinstance(number, tuple):
        return number
    return (float(number), float(number))


def shown(number: Value | None) -> str:
    """A number for people.

    >>> shown(Fraction(46, 3)), shown((1.25, 1.25000001)), shown(1234567)
    ('46/3 ≈ 15.3333', '1.25', '1,234,567')
    """
    if number is None:
        return "unknown"
    if isinstance(number, int):
        return f"{number:,}"
    if isinstance(number, Fraction):
        if number.denominator == 1:
            return f"{number.numerator:,}"
        try:
            middle = f"{float(number):,.6g}"
        except OverflowError:
            middle = "very large"
        short = number.denominator < 10**9
        return f"{number.numerator}/{number.denominator} ≈ {middle}" if short else middle
    low, high = bounds(number)
    if f"{low:.6g}" == f"{high:.6g}":
        return f"{low:,.6g}"
    return f"{low:,.9g} to {high:,.9g}"
