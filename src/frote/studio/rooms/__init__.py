"""The five rooms: what each answers to."""

from frote.studio.rooms import data, edit, history, policy, result

__all__ = ["ROUTES"]

ROUTES = [*data.ROUTES, *policy.ROUTES, *edit.ROUTES, *result.ROUTES, *history.ROUTES]
