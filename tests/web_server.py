"""A server and a browser for tests of the page: anything in the console, and any request elsewhere, is a failure."""

import contextlib
import json
import threading

import pytest
import uvicorn
from playwright.sync_api import sync_playwright

from ludus import catalog
from ludus.web.server import Server, Site, bound, make_app, site_of

CHROMIUM = "/usr/bin/chromium"
_SEEN = json.dumps(dict.fromkeys([*catalog.games(), "pig", "test_export"], True))
_KNOWS_THE_RULES = (  # a blank page has no storage
    f"if (location.href !== 'about:blank') localStorage['ludus-rules-seen'] ??= '{_SEEN}'"
)


@contextlib.contextmanager
def serving(games=(), key="", port=0):
    """A server on this machine, by default on a free port: its address; with `key` it lets in its owner and guests."""
    listener, ready = bound("127.0.0.1", port), threading.Event()
    config = uvicorn.Config(
        make_app(games, Site(key=key)), log_level="warning", access_log=False, timeout_graceful_shutdown=5
    )
    server = Server(config, ready.set)
    thread = threading.Thread(target=server.run, args=[[listener]], daemon=True)
    thread.start()
    try:
        assert ready.wait(20)
        yield site_of(listener, "localhost").here
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()


@contextlib.contextmanager
def plain_home(folders):
    """A folder for what a server keeps; rules run as plain Python, which needs no compiling."""
    with pytest.MonkeyPatch.context() as patch:
        folder = folders.mktemp("home")
        patch.setenv("LUDUS_HOME", str(folder))
        patch.setenv("NUMBA_DISABLE_JIT", "1")
        yield folder


@pytest.fixture(scope="module")
def web_home(tmp_path_factory):
    """A folder of its own for what the server keeps."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("home")
        patch.setenv("LUDUS_HOME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def server(web_home):
    """The address of a server that lasts for a module of tests."""
    with serving() as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium."""
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-background-networking"]
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield chromium
        chromium.close()


@contextlib.contextmanager
def watched_page(browser, *, refusals=False, **options):
    """A page of a visitor who knows the rules; any console message and any request elsewhere fails the test.

    With `refusals` the server may refuse something or not answer, which Chromium reports in the console.
    """
    context = browser.new_context(**({"viewport": {"width": 1280, "height": 860}} | options))
    context.add_init_script(_KNOWS_THE_RULES)
    page, wrong = context.new_page(), []
    page.set_default_timeout(30_000)
    page.on("console", lambda message: wrong.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("request", lambda request: _is_here(request.url) or wrong.append(f"asks {request.url}"))
    yield page
    context.close()
    expected = ("status of 400", "ERR_FAILED") if refusals else ()
    assert not [line for line in wrong if not any(words in line for words in expected)], wrong


def _is_here(url):
    return url.startswith(("http://127.0.0.1:", "data:", "blob:", "file:"))


@pytest.fixture
def page(browser):
    """A page of a desktop's size."""
    with watched_page(browser) as page:
        yield page


@pytest.fixture
def forgiving_page(browser):
    """The same for tests in which the server refuses something."""
    with watched_page(browser, refusals=True) as page:
        yield page


_SMALL = """least => {
  const place = document.querySelector("dialog[open]") ?? document;
  const all = place.querySelectorAll("a, button, select, input, summary");
  const boxes = (one) => [one, ...(["radio", "checkbox"].includes(one.type) ? one.labels : [])]
    .map((each) => each.getBoundingClientRect());
  const isSmall = (one) => {
    const found = boxes(one);
    const width = Math.max(...found.map((box) => box.right)) - Math.min(...found.map((box) => box.left));
    const isShown = found[0].width && !one.matches(".unseen *, .skip, :disabled");
    return isShown && (width < least || Math.max(...found.map(({ height }) => height)) < least);
  };
  return [...all].filter(isSmall).map((one) => `${one.outerHTML.slice(0, 120)} ${JSON.stringify(boxes(one)[0])}`);
}"""
_MISSED = """least => [...document.querySelectorAll(".board .target.legal")].flatMap((target) => {
  target.scrollIntoView({ block: "center" });
  const { x, y, width, height } = target.getBoundingClientRect();
  const [across, down, off] = [x + width / 2, y + height / 2, least / 2 - 1];
  const points = [[across - off, down], [across + off, down], [across, down - off], [across, down + off]];
  const found = ([left, top]) => document.elementFromPoint(left, top);
  const hit = (point) => found(point)?.matches(".reach, .target.legal") ?? point[0] < 0;
  return points.every(hit) ? [] : [target.dataset.target];
})"""
_FINGER = 43.5  # pixels; 44 but for rounding


def too_small(page):
    """What on a phone's page is too small for a finger: links, buttons and fields, and targets of an open board."""
    missed = [] if page.locator("dialog[open]").count() else page.evaluate(_MISSED, _FINGER)
    return page.evaluate(_SMALL, _FINGER) + missed
