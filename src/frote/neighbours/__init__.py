"""How far rows of mixed columns are from one another, and which are nearest."""

from frote.neighbours.space import MixedSpace, Points, nearest, nearest_with_distances

__all__ = ["MixedSpace", "Points", "nearest", "nearest_with_distances"]
