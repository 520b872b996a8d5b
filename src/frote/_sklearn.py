"""The one door to names of scikit-learn that are not public."""

from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import validate_data

__all__ = ["HasMethods", "Interval", "StrOptions", "fit_context", "validate_data"]
