"""The laws of a Boolean algebra, for whatever has &, | and ~."""

from __future__ import annotations

__all__ = ["require_boolean_laws"]


def require_boolean_laws(a, b, c, nothing, everything):
    assert a & b == b & a
    assert a | b == b | a
    assert (a & b) & c == a & (b & c)
    assert (a | b) | c == a | (b | c)
    assert a & (b | c) == (a & b) | (a & c)
    assert a | (b & c) == (a | b) & (a | c)
    assert ~(a & b) == ~a | ~b
    assert ~(a | b) == ~a & ~b
    assert ~~a == a
    assert a & ~a == nothing
    assert a | ~a == everything
    assert a & everything == a | nothing == a | a == a & a == a
