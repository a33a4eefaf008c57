"""Every model behind one call: limits, retries, budgets, batches."""
# Written by docs/subpackages.py, as the list of names in __init__.pyi.
from anthrokit.core.errors import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
