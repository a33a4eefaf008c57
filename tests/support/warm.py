"""What processes that tests start have imported already."""

import contextlib
import gc
import importlib
import threading

import aiohttp.web  # noqa: F401
import judged  # noqa: F401
import servers  # noqa: F401

from anthrokit import analysis, cli, figures, heartbench, report  # noqa: F401
from anthrokit.core import SetupError
from anthrokit.models.english import english_pipeline
from anthrokit.models.llm import import_litellm
from anthrokit.study import gateway  # noqa: F401

for room in (analysis, figures, heartbench):  # names are loaded when they are first used
    for name in room.__all__:
        getattr(room, name)
import_litellm()
report.published_figures()  # what every report draws

from litellm.litellm_core_utils import default_encoding  # noqa: E402, F401  (the words that tokens are counted by)

with contextlib.suppress(SetupError):  # an extra is not installed
    english_pipeline()
for name in ("transformers.models.bert.modeling_bert", "transformers.models.roberta.modeling_roberta", "distributed"):
    with contextlib.suppress(ImportError):
        importlib.import_module(name)

assert threading.active_count() == 1, threading.enumerate()  # a fork has no other thread
gc.collect()
gc.freeze()  # no fork looks through it for garbage, which would copy its every page
