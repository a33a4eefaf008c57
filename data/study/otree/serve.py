"""Run oTree on this machine's loopback device, as long as whoever started it lives; no address is logged."""

import logging
import os
import sys
import threading

sys.path.insert(0, os.getcwd())
port = int(sys.argv[1])
sys.argv = ["otree", "prodserver", str(port)]


def end_with_parent():
    sys.stdin.buffer.read()
    os._exit(0)


threading.Thread(target=end_with_parent, daemon=True).start()

from otree import main  # noqa: E402

for name in ("uvicorn.access", "uvicorn.error", "websockets.server"):
    logging.getLogger(name).handlers = []
    logging.getLogger(name).setLevel(logging.ERROR)
main.setup()

import uvicorn  # noqa: E402

how = dict(host="127.0.0.1", port=port, log_config=None, access_log=False, ws="websockets", workers=1)
uvicorn.Server(uvicorn.Config("otree.asgi:app", **how)).run()
