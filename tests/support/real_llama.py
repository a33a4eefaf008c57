"""llama.cpp's own server, by the wheel of xllamacpp: python real_llama.py MODEL.gguf PORT."""

import signal
import sys

import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path, parameters.port = sys.argv[1], int(sys.argv[2])
parameters.n_parallel, parameters.n_ctx, parameters.cpuparams.n_threads = 4, 8_192, 1
server = xllamacpp.Server(parameters)
signal.pause()
