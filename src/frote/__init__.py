"""frote: edit tabular classifiers with feedback rules."""

import lazy_loader

# The public names stand in __init__.pyi. They are imported when they are asked for, so that `frote --help` is fast.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
