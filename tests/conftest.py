import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from browser import Lab, Notebook, VSCode, chromium

HERE = Path(__file__).parent

# A shell that starts the tests in the background has them ignore Ctrl-C, and every process that they start as well.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def server():
    "Starts mock servers: server('--latency', '0.01') gives the base URL of one."
    running = []

    def start(*arguments):
        process = subprocess.Popen(
            [sys.executable, HERE / "mock_openai.py", *map(str, arguments)], stdout=subprocess.PIPE, text=True
        )
        running.append(process)
        return process.stdout.readline().strip()

    yield start
    for process in running:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture(scope="session")
def chromium_path():
    path = chromium()
    if path is None:
        reason = "no Chromium was found (apt-get install chromium, or set ANTHROKIT_CHROMIUM)"
        if os.environ.get("ANTHROKIT_REQUIRE_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path


@pytest.fixture
def browser(chromium_path):
    "Chromium. It is closed after each test: Playwright keeps an event loop running, other tests start their own."
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def lab(chromium_path, tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab"))
    yield lab
    lab.stop()


@pytest.fixture
def open_notebook(request, lab, browser, tmp_path):
    "open_notebook(cells, width=900, theme='JupyterLab Dark') opens a notebook in JupyterLab or in VS Code and runs it."
    in_vscode = getattr(request, "param", "JupyterLab") == "VS Code"
    if in_vscode and not os.environ.get("ANTHROKIT_VSCODE_WIDGETS"):
        pytest.skip("ANTHROKIT_VSCODE_WIDGETS names no dist/ipywidgets.js (npm pack @vscode/jupyter-ipywidgets8)")
    kind = VSCode if in_vscode else Notebook
    return lambda cells, **options: kind(lab, browser, tmp_path, cells, **options)
