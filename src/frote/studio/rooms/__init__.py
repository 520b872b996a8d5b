"""The five rooms: what each answers to."""

from frote.studio.rooms import beside, cases, data, edit, history, policy, result

__all__ = ["ROUTES"]

ROUTES = [
    *data.ROUTES,
    *policy.ROUTES,
    *cases.ROUTES,
    *beside.ROUTES,
    *edit.ROUTES,
    *result.ROUTES,
    *history.ROUTES,
]
