"""Which rows of the base populations synthetic rows start from: at random, by integer program, by online learning."""

from frote.selection.online import OnlineLearning
from frote.selection.program import IntegerProgram
from frote.selection.request import Choice, Made, Request, Selection, shares
from frote.selection.uniform import Uniform

__all__ = ["Choice", "IntegerProgram", "Made", "OnlineLearning", "Request", "Selection", "Uniform", "shares"]
