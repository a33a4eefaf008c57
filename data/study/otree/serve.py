"""Run oTree on this machine's loopback device, as long as the process lives that started it. No address is logged.

This file is written again at each start. It is no part of the project that is yours to change.
"""

import contextlib
import hashlib
import hmac
import logging
import os
import sys
import threading
import types

sys.path.insert(0, os.getcwd())
port = int(sys.argv[1])
sys.argv = ["otree", "prodserver", str(port)]


def end_with_parent():
    sys.stdin.buffer.read()
    os._exit(0)


threading.Thread(target=end_with_parent, daemon=True).start()

# oTree asks for versions of 2020 with known faults. These lines let it run with today's.

import sqlalchemy.orm  # noqa: E402
import starlette.applications  # noqa: E402
import starlette.middleware.exceptions  # noqa: E402
import starlette.requests  # noqa: E402


class Starlette(starlette.applications.Starlette):
    """An application with functions to call at its end, which Starlette 1 takes as a lifespan only."""

    def __init__(self, *, on_shutdown=(), **settings):
        @contextlib.asynccontextmanager
        async def lifespan(_):
            yield
            for function in on_shutdown:
                function()

        super().__init__(lifespan=lifespan, **settings)


url_for, with_entities = starlette.requests.Request.url_for, sqlalchemy.orm.Query.with_entities


def with_named_entities(query, *columns):
    """Take columns by name too, as SQLAlchemy 1.3 did."""
    model = query.column_descriptions[0]["entity"]
    return with_entities(query, *(getattr(model, one) if isinstance(one, str) else one for one in columns))


starlette.applications.Starlette = Starlette
starlette.middleware.Middleware.__iter__ = lambda one: iter((one.cls, one.kwargs))
starlette.requests.Request.url_for = lambda request, name, /, **parts: str(url_for(request, name, **parts))
sqlalchemy.orm.Query.with_entities = with_named_entities
handler = starlette.middleware.exceptions.ExceptionMiddleware
sys.modules["otree.patch"] = types.SimpleNamespace(ExceptionMiddleware=handler)

from otree import main  # noqa: E402

for name in ("uvicorn.access", "uvicorn.error", "websockets.server"):
    logging.getLogger(name).handlers = []
    logging.getLogger(name).setLevel(logging.ERROR)
main.setup()

# Who may enter. The gateway's entry makes the labels. A participant who has a place in any session goes back to it.

import otree.views.participant as views  # noqa: E402
from otree.models import Participant  # noqa: E402


def check_label(_, query):
    """Return what is wrong with a visit of the room: nothing, where the gateway made the label."""
    known, _, mark = query.get("participant_label", "").rpartition(".")
    key, text = os.environ["ANTHROKIT_STUDY_TOKEN"].encode(), known.encode("utf-8", "surrogatepass")
    own = hmac.new(key, text, hashlib.sha256).hexdigest()[:32]
    if not hmac.compare_digest(own.encode(), mark.encode("utf-8", "surrogatepass")):
        return "This link is not valid. Please open the link that you were invited with again."


def find_participant(session, label):
    """Return the participant of a label, or the first free one of the newest session."""
    returning = Participant.objects_filter(label=label).first() if label else None
    return returning or session.pp_set.filter_by(visited=False).order_by("id").first()


views.validate_room_visitor, views.get_participant_by_label = check_label, find_participant

import uvicorn  # noqa: E402

how = dict(host="127.0.0.1", port=port, log_config=None, access_log=False, ws="websockets-sansio", workers=1)
uvicorn.Server(uvicorn.Config("otree.asgi:app", **how)).run()
