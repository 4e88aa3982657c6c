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
def serving(games=(), key=""):
    """A server on a free port of this machine: its address; with `key` only its owner and guests are let in."""
    listener, ready = bound("127.0.0.1", 0), threading.Event()
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

    With `refusals` the server may refuse something, which Chromium reports in the console.
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
    assert not [line for line in wrong if not (refusals and "status of 400" in line)], wrong


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
