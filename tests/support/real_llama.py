"""llama.cpp's own server, by the wheel of xllamacpp: python real_llama.py MODEL.gguf PORT."""

import signal
import sys

import xllamacpp

asked = xllamacpp.CommonParams()
asked.model.path, asked.port = sys.argv[1], int(sys.argv[2])
asked.n_parallel, asked.n_ctx, asked.cpuparams.n_threads = 4, 8_192, 1
server = xllamacpp.Server(asked)
signal.pause()
