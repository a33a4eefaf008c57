"What processes that tests start have imported already."

import aiohttp.web  # noqa: F401
import judged  # noqa: F401

from anthrokit import heartbench  # noqa: F401
from anthrokit.models.llm import import_litellm

import_litellm()
