import asyncio
import contextlib
import gc
import multiprocessing.util
import os
import signal
import tempfile
from pathlib import Path

import certifi
import forks
import pytest
from browser import Lab, Notebook, VSCode, chromium
from documentation import build
from filelock import FileLock
from hypothesis import settings
from kernels import ForkedKernels, Server, address, wait
from servers import mock_server, served

from anthrokit.models.faults import pause_before_next

HERE = Path(__file__).parent

# Hypothesis draws the same examples for the same code. HYPOTHESIS_PROFILE=default draws new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

# Processes and kernels that tests start find tests/support as the tests do.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE / "support"), os.environ.get("PYTHONPATH")]))

# Workers of a Dask cluster are forks as well.
os.environ["DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD"] = "forkserver"

# A shell that starts the tests in the background has them ignore Ctrl-C, and every process that they start as well.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left():
    """Temporary folders of all that is tested, of browsers and killed processes too, lie in one that goes at the end."""
    multiprocessing.util.get_temp_dir()  # this one is needed, and goes, after it
    with (
        tempfile.TemporaryDirectory(prefix="anthrokit-tests-", ignore_cleanup_errors=True) as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        os.chmod(folder, 0o755)  # some tests are other users
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield


@pytest.fixture(scope="session")
def one_authority(tmp_path_factory):
    """A file with one of the authorities that sign certificates; clients of plain servers read all 140 for nothing."""
    first, end, _ = Path(certifi.where()).read_text(encoding="utf-8").partition("-----END CERTIFICATE-----")
    file = tmp_path_factory.mktemp("authorities") / "one.pem"
    file.write_text(first + end + "\n", encoding="utf-8")
    return file


@pytest.fixture
def server(one_authority, monkeypatch):
    """Starts mock servers: server('--latency', '0.01') gives the base URL of one."""
    monkeypatch.setenv("SSL_CERT_FILE", str(one_authority))
    with contextlib.ExitStack() as running:
        yield lambda *arguments: running.enter_context(mock_server(*arguments))


@pytest.fixture
def serve(one_authority, monkeypatch):
    """Serves mock servers in this process, where a test can change them: serve(Server()) gives the base URL of one."""
    monkeypatch.setenv("SSL_CERT_FILE", str(one_authority))
    with contextlib.ExitStack() as running:
        yield lambda server: running.enter_context(served(server))


@pytest.fixture(scope="session")
def public_data():
    """The folder with the public data sets. It is not part of the repository; tests that need it are marked public_data."""
    if not os.environ.get("ANTHROKIT_DATA"):
        pytest.skip("needs the public data sets: set ANTHROKIT_DATA to a folder that holds them")
    return Path(os.environ["ANTHROKIT_DATA"])


@pytest.fixture(scope="session")
def site(shared, tmp_path_factory):
    """Return the folder of the documentation site, built once for all workers."""
    folder = shared / "site"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            build(tmp_path_factory.mktemp("copy")).rename(folder)
    return folder / "_docs"


@pytest.fixture
def quick_retries(monkeypatch):
    """Retry twenty times as fast; nbs/02_models/02_faults tests the pauses."""

    def pause(attempt, retry_after):
        return (retry_after or 0.0) + pause_before_next(attempt, None) / 20

    monkeypatch.setattr("anthrokit.models.llm.pause_before_next", pause)
    monkeypatch.setattr("anthrokit.models.batches.pause_before_next", pause)


@pytest.fixture(scope="session")
def chromium_path():
    path = chromium()
    if path is None:
        reason = "no Chromium was found (apt-get install chromium, or set ANTHROKIT_CHROMIUM)"
        if os.environ.get("ANTHROKIT_REQUIRE_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path


@pytest.fixture(scope="session")
def chrome(chromium_path):
    """Chromium, one for all tests, and the event loop that Playwright keeps running."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=30_000)
    with sync_playwright() as playwright:
        browser, loop = playwright.chromium.launch(executable_path=chromium_path), asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield browser, loop
        asyncio._set_running_loop(loop)
        browser.close()


@pytest.fixture
def browser(chrome):
    """Chromium. Playwright's loop counts as running during tests that use it; others start their own."""
    browser, loop = chrome
    asyncio._set_running_loop(loop)
    before = set(browser.contexts)
    yield browser
    for context in set(browser.contexts) - before - {lab_page.context for lab_page in PAGES}:
        context.close()
    asyncio._set_running_loop(None)


PAGES = []  # the page that notebooks are opened in, for as long as tests pass


def pytest_configure(config):
    """What all workers share goes into one folder, with servers of kernels and forks that have imported nothing by now."""
    if not hasattr(config, "workerinput"):
        config.folder = tempfile.TemporaryDirectory(prefix="anthrokit-kernels-")
        folder = Path(config.folder.name)
        plain = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "JUPYTER_PATH")}
        wheel = ForkedKernels(folder / "wheel", folder / "elsewhere" / "bin" / "python", plain)
        config.servers = [ForkedKernels(folder / "here"), wheel, Server(folder / "forks", forks.__file__)]
        os.environ["TESTS_SHARE"] = str(folder)
    forks.share(address(Path(os.environ["TESTS_SHARE"]) / "forks"))


def pytest_collectstart():
    """No garbage is looked for among what is imported."""
    gc.disable()


def pytest_collection_finish():
    """What has been imported by now stays, and garbage is looked for less often: it takes a twentieth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20)
    gc.enable()


def pytest_unconfigure(config):
    if hasattr(config, "servers"):
        for server in config.servers:
            server.stop()
        config.folder.cleanup()


@pytest.fixture(scope="session")
def shared():
    """The folder that all workers have in common; `FileLock` keeps one from looking at what another makes."""
    return Path(os.environ["TESTS_SHARE"])


@pytest.fixture(scope="session")
def kernels(shared):
    """Kernels start at once, as forks of one process; Jupyter finds them by JUPYTER_PATH."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", wait(shared / "here"))
        yield


@pytest.fixture(scope="session")
def lab(chromium_path, kernels, tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab"))
    yield lab
    lab.stop()


@pytest.fixture
def open_notebook(request, lab, browser):
    """open_notebook(cells, width=900, theme='JupyterLab Dark') opens a notebook in JupyterLab or in VS Code and runs it."""
    in_vscode = getattr(request, "param", "JupyterLab") == "VS Code"
    if in_vscode and not os.environ.get("ANTHROKIT_VSCODE_WIDGETS"):
        pytest.skip(
            "ANTHROKIT_VSCODE_WIDGETS names no dist/ipywidgets.js (npm pack @vscode/jupyter-ipywidgets8)"
        )
    kind, opened = VSCode if in_vscode else Notebook, []

    def open_one(cells, **options):
        if not PAGES:
            PAGES.append(lab.new_page(browser))
        opened.append(kind(lab, PAGES[0], cells, **options))
        return opened[-1]

    open_one.kind = kind
    yield open_one
    if request.node.stash.get(FAILED, False):
        PAGES.pop().context.close()
    else:
        for notebook in opened:
            notebook.leave()


FAILED = pytest.StashKey[bool]()


# What takes a minute is begun first, or one processor would wait for the other at the end.
FIRST = ("[ray]", "test_pages_exist", "test_text_overlap_and_cuts", "test_first_use", "test_demo_resumes", "[quickstart]", "[two_by_two]")


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marker
def pytest_collection_modifyitems(items):
    def rank(item):
        if any(part in item.nodeid for part in FIRST):
            return 0
        return 2 - any(item.iter_markers("slow"))

    items.sort(key=rank)
    for item in items:
        if "public_data" in item.fixturenames:
            item.add_marker(pytest.mark.public_data)
        if item.path.parent.name == "browser":  # time-outs are retried, assertions never
            item.add_marker(pytest.mark.flaky(reruns=2, only_rerun=["TimeoutError"]))
        if item.path.name == "test_notebooks.py":  # another kernel had the port just before
            item.add_marker(pytest.mark.flaky(reruns=2, only_rerun=[r"IDS\|MSG"]))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A test that failed leaves its page to nobody."""
    report = yield
    item.stash[FAILED] = (
        report.failed or report.outcome == "rerun" or (call.when != "setup" and item.stash.get(FAILED, False))
    )
    return report
