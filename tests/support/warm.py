"What processes that tests start have imported already."

import judged  # noqa: F401

from anthrokit import heartbench  # noqa: F401
from anthrokit.models.llm import import_litellm

import_litellm()
