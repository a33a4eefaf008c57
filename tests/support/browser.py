"""Notebooks in a real browser: JupyterLab with settings of its own, driven by Playwright with Debian's Chromium.

ANTHROKIT_CHROMIUM names the browser where it isn't found on the path, ANTHROKIT_REQUIRE_BROWSER=1 makes tests fail
instead of being skipped where there is none, ANTHROKIT_SCREENSHOTS names a folder for screenshots, which are taken only then.
ANTHROKIT_VSCODE_WIDGETS names dist/ipywidgets.js of the npm package @vscode/jupyter-ipywidgets8: with it some tests
run in VS Code's widget manager too.
"""

import json
import os
import secrets
import shutil
import subprocess
import sys
import time
import urllib.request
import uuid
from pathlib import Path

import pytest
from gateways import free_port

# jsonschema makes a grammar of international addresses when it is imported, three seconds each time, for none here.
sys.modules["rfc3987_syntax"] = None
import nbformat  # noqa: E402

START = """import runpy, sys; sys.modules["rfc3987_syntax"] = None
del sys.argv[0]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)"""
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},
    "docmanager-extension/plugin": {"autosave": False},
    "apputils-extension/notification": {"checkForUpdates": False, "fetchNews": "false"},
}
IDLE = "Python 3 (ipykernel) | Idle"
TROUBLE = """() => [...document.querySelectorAll(`
  [data-mime-type="application/vnd.jupyter.error"], [data-mime-type="application/vnd.jupyter.stderr"],
  .jupyter-widgets-error-widget`)].map(element => element.innerText)"""
# A drop-down clips what it holds; some versions of Chromium report the width of its longest option all the same.
OVERFLOWING = """selector => [...document.querySelectorAll(`${selector}, ${selector} *`)].filter(element => {
  const scrolls = ['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(element).overflowX);
  const clips = scrolls || element.tagName === 'SELECT';
  const drawn = element.closest('svg');  // what is drawn has no box of its own
  return element.clientWidth && element.scrollWidth > element.clientWidth + 1 && !clips && !drawn;
}).map(element => `${element.tagName} ${element.className}: ${element.scrollWidth} > ${element.clientWidth}`)"""

# Contrast of every text with what lies behind it: all backgrounds from the page inwards are painted onto one pixel, once for
# the texts that have them in common.
CONTRASTS = """() => {
  const context = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const paint = colour => { context.fillStyle = colour; context.fillRect(0, 0, 1, 1); };
  const luminance = () => [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map(value => value / 255)
    .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, place) => sum + value * [0.2126, 0.7152, 0.0722][place], 0);
  const texts = [...document.querySelectorAll('.anthrokit *')].filter(element => element.clientHeight
    && !element.closest('[disabled], style')
    && [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim()));
  const ratios = {};
  const contrast = (colour, around) => {
    paint('white');
    around.forEach(paint);
    const behind = luminance();
    paint(colour);
    const [low, high] = [behind, luminance()].sort((one, other) => one - other);
    return (high + 0.05) / (low + 0.05);
  };
  return texts.map(element => {
    const around = [], colour = getComputedStyle(element).color;
    for (let one = element; one; one = one.parentElement) around.unshift(getComputedStyle(one).backgroundColor);
    return [ratios[[colour, ...around]] ??= contrast(colour, around), element.outerHTML.slice(0, 120)];
  });
}"""
# Open a notebook in place of the one before, whose kernel ends.
OPEN = """async path => {
  if (window.tested) {
    await window.tested.sessionContext.shutdown().catch(() => {});  // disposed at once, it would not be sent
    window.tested.dispose();
  }
  document.querySelectorAll('.jp-Dialog .jp-mod-accept').forEach(button => button.click());  // its kernel was killed
  delete window.__hacked;
  window.tested = await jupyterapp.commands.execute('docmanager:open', {path, factory: 'Notebook'});
  jupyterapp.shell.activateById(window.tested.id);
  await window.tested.context.ready;
  await window.tested.sessionContext.ready;
}"""
FOCUSED = """() => {
  const element = document.activeElement;
  if (!element.closest('.anthrokit')) return null;
  return (element.labels?.[0] ?? element).innerText.trim();
}"""
SLOW = 30_000  # milliseconds that a busy machine may take for an answer
ELEMENTS = "script, iframe, object, embed, form, base, meta, link, math, dialog, video, body, [data-hostile]"
THEIRS = ", ".join(f".anthrokit {one}, .jp-OutputArea-output {one}" for one in ELEMENTS.split(", "))
# What went wrong with texts of strangers: one that ran, and elements that are theirs.
HARM = """selector => [
  ...(window.__hacked === undefined ? [] : ['something ran']),
  ...[...document.querySelectorAll(selector)].map(element => element.outerHTML.slice(0, 200)),
]"""
# From item to item, everything opened, in the page itself: how many looked different, what was wrong or overflowed, if all answered.
WALK = """async ([selector, most, patience, next = '[aria-label=Next]', place = '.ak-place']) => {
  const texts = new Set(), panel = document.querySelector('.ak-panel'), find = one => panel.querySelector(one);
  const overflowing = () => (OVERFLOWING)('.jp-OutputArea-output');
  const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds));
  for (;;) {
    document.querySelectorAll('.anthrokit details').forEach(one => { one.open = true; });
    await pause(0);  // what an element does by itself, it does now
    texts.add(panel.innerText);
    for (let times = 0; times < 50 && overflowing().length; times++) await pause(100);
    const problems = [...(HARM)(selector), ...overflowing()];
    if (problems.length || find(next).disabled || texts.size === most) return [texts.size, problems, true];
    const before = find(place).textContent, late = performance.now() + patience;
    find(next).click();
    while (find(place).textContent === before) {
      if (performance.now() > late) return [texts.size, [], false];
      await pause(5);
    }
  }
}""".replace("HARM", HARM).replace("OVERFLOWING", OVERFLOWING)


def chromium():
    """The path of the browser, or None."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return os.environ.get("ANTHROKIT_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


class Server:
    """A process that serves pages from a folder, and can be asked whether it is up."""

    def __init__(self, folder, *arguments):
        self.folder, self.port = Path(folder), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        environment = os.environ | {"PYTHONWARNINGS": "ignore", "IPYTHONDIR": str(self.folder / "ipython")}
        for name in ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR"):
            environment[f"JUPYTER_{name}"] = str(self.folder / name.lower())
        self.log = open(self.folder / "server.log", "wb")
        self.process = subprocess.Popen(
            [sys.executable, "-c", START, *arguments, f"--port={self.port}"],
            cwd=self.folder,
            env=environment,
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )

    def wait(self, path, seconds=300):
        for _ in range(seconds * 5):
            try:
                with urllib.request.urlopen(self.url + path, timeout=5):
                    return
            except OSError:
                assert self.process.poll() is None, (self.folder / "server.log").read_text()
                time.sleep(0.2)
        raise TimeoutError((self.folder / "server.log").read_text())

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


class Lab(Server):
    """JupyterLab, without news, autosave and windowing, so that what is on the page is all there is."""

    def __init__(self, folder):
        folder = Path(folder)
        for name, values in SETTINGS.items():
            file = folder / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values))
        (folder / "notebooks").mkdir()
        self.token = secrets.token_hex(8)
        super().__init__(
            folder,
            *("jupyterlab", "--no-browser", "--allow-root", "--LabApp.expose_app_in_browser=True"),
            f"--IdentityProvider.token={self.token}",
            f"--ServerApp.root_dir={folder / 'notebooks'}",
            f"--LabApp.user_settings_dir={folder / 'settings'}",
            f"--LabApp.workspaces_dir={folder / 'workspaces'}",
            "--ServerApp.port_retries=0",
            "--LanguageServerManager.autodetect=False",  # npm would look for them
        )
        self.wait(f"/api/status?token={self.token}")

    def new_page(self, browser):
        """JupyterLab in the browser, with an empty notebook."""
        page = browser.new_page(viewport={"width": 1200, "height": 1000})
        page.set_default_timeout(60_000)
        page.goto(f"{self.url}/doc/tree/{self.write([])}?token={self.token}")
        page.get_by_text(IDLE).wait_for()
        page.evaluate("() => { window.tested = jupyterapp.shell.currentWidget; }")
        return page

    def write(self, cells):
        """A notebook with these code cells; its name."""
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3 (ipykernel)"}
        name = f"{uuid.uuid4().hex[:8]}.ipynb"
        nbformat.write(notebook, self.folder / "notebooks" / name)
        return name


class Voila(Server):
    """One notebook as an application, without its code."""

    def __init__(self, folder, cells):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3 (ipykernel)"}
        nbformat.write(notebook, Path(folder) / "application.ipynb")
        super().__init__(folder, "voila", "application.ipynb", "--no-browser", "--Voila.ip=127.0.0.1")
        self.wait("/voila/static/voila.js")


class Notebook:
    """A notebook that is open in the browser and has run.

    All tests share a page: JupyterLab takes five seconds to load and a notebook in it less than one. A second notebook
    of the same test takes the place of the first.
    """

    def __init__(self, lab, page, cells, width=1200, theme="JupyterLab Light"):
        self.watch(page)
        self.width(width)
        page.evaluate(OPEN, lab.write(cells))
        page.get_by_text(IDLE).wait_for()
        self.theme(theme)
        self.run()

    def watch(self, page):
        """Note what the page asks and shows, until the test ends."""
        self.page, self.dialogs, self.requests = page, [], []
        page.set_default_timeout(60_000)
        page.on("dialog", self._dialog)
        page.on("request", self._request)

    def leave(self):
        """Let the page go."""
        self.page.remove_listener("dialog", self._dialog)
        self.page.remove_listener("request", self._request)

    def _request(self, request):
        self.requests.append(request.url)

    def _dialog(self, dialog):
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def command(self, name, **arguments):
        """One of JupyterLab's own commands; returns when it has been done."""
        self.page.evaluate("([name, given]) => jupyterapp.commands.execute(name, given)", [name, arguments])

    def run(self):
        """Run all cells; an error in one of them is raised here."""
        self.command("notebook:run-all-cells")
        self.page.get_by_text(IDLE).wait_for()
        trouble = self.page.evaluate(TROUBLE)
        assert not trouble, "\n".join(trouble)

    def execute(self, code):
        """Give the kernel code beside the cells, without waiting for it."""
        self.page.evaluate("code => { window.tested.sessionContext.session.kernel.requestExecute({code}); }", code)

    def theme(self, name):
        self.command("apputils:change-theme", theme=name)
        light = str("Dark" not in name).lower()
        self.page.locator(f'body[data-jp-theme-light="{light}"]').wait_for(state="attached")
        self.page.locator("#jupyterlab-splash").wait_for(state="detached")  # it fades over what is to be seen

    def width(self, pixels):
        self.page.set_viewport_size({"width": pixels, "height": 1000})

    @property
    def panels(self):
        """The panels on the page."""
        return self.page.locator(".ak-panel, .anthrokit.widget-vbox")

    def screenshot(self, name, locator=None, most=20_000):
        """A picture of a panel, or of its first so many pixels."""
        if "ANTHROKIT_SCREENSHOTS" not in os.environ:
            return
        locator, size = locator or self.panels.first, self.page.viewport_size
        height = int(locator.bounding_box()["height"])
        self.page.set_viewport_size({"width": size["width"], "height": min(height, 20_000) + 400})
        scrolled = self.page.locator(".jp-Notebook .jp-WindowedPanel-outer, .jp-Notebook").last
        scrolled.evaluate("one => one.scrollTo(0, 0)")
        locator.scroll_into_view_if_needed()
        box = locator.bounding_box() | {"height": min(height, most)}
        self.page.mouse.move(0, 0)  # else a button under the pointer looks as if it were chosen
        self.page.screenshot(path=Path(os.environ["ANTHROKIT_SCREENSHOTS"], f"{name}.png"), clip=box)
        self.page.set_viewport_size(size)

    def overflowing(self, inside=".anthrokit"):
        """Elements that are wider than they are let be once the page has settled, unless they scroll by design."""
        for _ in range(50):
            if not (elements := self.page.evaluate(OVERFLOWING, inside)):
                break
            self.page.wait_for_timeout(100)
        return elements

    def contrasts(self):
        """(ratio, element) for every text of the panels."""
        return self.page.evaluate(CONTRASTS)

    def tab_order(self):
        """The names of what Tab reaches, from the first control of the first panel until it leaves the panel."""
        names = []
        self.panels.first.locator("select:enabled, input:enabled, button:enabled").first.focus()
        while (name := self.page.evaluate(FOCUSED)) is not None and len(names) < 500:
            names.append(name)
            self.page.keyboard.press("Tab")
        self.page.keyboard.press("Shift+Tab")
        return names


# What VS Code's renderer of widgets does: its manager, on a kernel, loads widgets of other packages through RequireJS.
IN_VSCODE = """async ([cells, bundle, anywidget]) => {
  const address = source => URL.createObjectURL(new Blob([source], {type: 'text/javascript'}));
  require.config({paths: {anywidget: address(anywidget)}});
  (await import(address(bundle))).activate();
  window.vscIPyWidgets8.load();
  const {kernels} = window.opener.jupyterapp.serviceManager;
  let kernel;
  do {  // a list of kernels that was asked for before the start, and comes after it, would end the kernel
    await kernels.refreshRunning();
    kernel = window.kernel = await kernels.startNew({name: 'python3'});
    await kernels.refreshRunning();
  } while (kernel.isDisposed);
  const loader = {widgetsRegisteredInRequireJs: new Set(['anywidget']), loadWidgetScript: async () => {},
                  successHandler: () => {}, errorHandler: () => {}};
  const manager = new window.vscIPyWidgets.WidgetManager(kernel, document.body, loader, () => {});
  for (const code of cells) {
    const outputs = [], asked = kernel.requestExecute({code});
    asked.onIOPub = message => outputs.push(message);
    await asked.done;
    for (const {header, content} of outputs) {
      if (header.msg_type === 'error') throw new Error(content.traceback.join('\\n'));
      const view = content.data?.['application/vnd.jupyter.widget-view+json'];
      if (!view) continue;
      const node = document.createElement('div');
      node.className = 'cell-output-ipywidget-background';
      document.body.append(node);
      const model = await manager.get_model(view.model_id);
      await manager.display_view(null, await manager.create_view(model), {node});
    }
  }
}"""
VSCODE_COLOURS = """
body { margin: 12px; font-family: sans-serif; font-size: 13px; }
body.vscode-light { --vscode-foreground: #3b3b3b; --vscode-editor-background: #ffffff; }
body.vscode-dark { --vscode-foreground: #cccccc; --vscode-editor-background: #1f1f1f; }
body { color: var(--vscode-foreground); background: var(--vscode-editor-background); }
.cell-output-ipywidget-background { background: white !important; }
"""

# For tests that are to run in both: @everywhere.
everywhere = pytest.mark.parametrize("open_notebook", ["JupyterLab", "VS Code"], indirect=True)


class VSCode(Notebook):
    """The widgets of a notebook as VS Code shows them: its own widget manager, on a page of its colours."""

    def __init__(self, lab, page, cells, width=1200, theme="JupyterLab Light"):
        with page.expect_popup() as opened:
            page.evaluate("() => { window.open('about:blank').document.write('<!doctype html><body>'); }")
        self.watch(opened.value)
        self.width(width)
        self.page.add_style_tag(content=VSCODE_COLOURS)
        self.theme(theme)
        share = Path(sys.prefix) / "share" / "jupyter"
        self.page.add_script_tag(path=share / "voila/templates/base/static/require.min.js")
        anywidget = (share / "nbextensions/anywidget/index.js").read_text()
        bundle = Path(os.environ["ANTHROKIT_VSCODE_WIDGETS"]).read_text()
        self.page.evaluate(IN_VSCODE, [cells, bundle, anywidget])

    def leave(self):
        self.page.evaluate("async () => { await window.kernel?.shutdown(); }")
        self.page.close()

    def theme(self, name):
        self.page.evaluate(
            "name => { document.body.className = name; }", f"vscode-{name.split()[-1].lower()}"
        )

    def screenshot(self, name, locator=None, most=None):
        if "ANTHROKIT_SCREENSHOTS" in os.environ:
            path = Path(os.environ["ANTHROKIT_SCREENSHOTS"], f"{name}_vscode.png")
            (locator or self.panels.first).screenshot(path=path)


def seen(locator):
    """What Playwright expects of a place on the page; it waits for it."""
    from playwright.sync_api import expect

    return expect(locator)


def says(panel, text):
    """Wait until the line of status says so."""
    seen(panel.get_by_role("status")).to_contain_text(text, timeout=SLOW)


def filters(panel):
    """Open the filters, where they are closed."""
    button = panel.locator(".ak-open-filters")
    if button.get_attribute("aria-expanded") == "false":
        button.click()
    return panel.locator(".ak-filters")


def unharmed(page):
    """Nothing ran, nothing of theirs became an element."""
    assert page.evaluate(HARM, THEIRS) == []


def walk(notebook, least=50, most=60, *button):
    """Through the items of a panel, so many at least and at most, with everything opened that can be.

    `button` is what leads on in place of Next, and what says then that it did.
    """
    seen_texts, wrong, answered = notebook.page.evaluate(WALK, [THEIRS, most, SLOW, *button])
    if not answered:
        raise TimeoutError(f"no answer after {seen_texts} items")
    assert wrong == [] and seen_texts >= least, (seen_texts, wrong)
