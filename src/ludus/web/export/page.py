"""The page of an exported game: the modules of the server's page in one plain script, which opens from disk too."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from ludus.web.server import BOARD_STYLE, STATIC

SCRIPTS = STATIC / "assets" / "js"
ENTRY = "exported.js"
_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";$', re.MULTILINE)
_LOADED = re.compile(r'\bimport\("([^"]+)"\)')
_EXPORT = re.compile(r"^export ((?:async )?function|class|const) (\w+)", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_SERVED = '<script type="module" src="assets/js/serve.js"></script>'
_GRAPH = ("game.js", "page.js")
_RULES = ("game.js", "rules.js", "worker.js", "page.js")
_POLICY = "default-src 'none'; script-src 'self'{}; style-src 'self'; img-src 'self' data:{}"
_SERVER_ONLY = re.compile(r'^ *<link rel="(?:modulepreload|manifest|apple-touch-icon)"[^>]*>\n', re.MULTILINE)
_NEEDS_SCRIPT = re.compile(r"<noscript>.*?</noscript>", re.DOTALL)


def page_files(*, has_rules: bool = False) -> dict[str, bytes]:
    """The files of the page, by their paths in the folder; with rules it computes in a worker."""
    assets = STATIC / "assets"
    styles = {f"assets/css/{file.name}": file.read_bytes() for file in sorted((assets / "css").glob("*.css"))}
    return {
        "index.html": _index(has_rules=has_rules).encode(),
        "assets/icon.svg": (assets / "icon.svg").read_bytes(),
        "assets/page.js": bundled(ENTRY).encode(),
        "assets/css/board.css": BOARD_STYLE.encode(),
        **styles,
    }


def _index(*, has_rules: bool) -> str:
    page = _SERVER_ONLY.sub("", (STATIC / "index.html").read_text())
    if _SERVED not in page:
        raise ValueError(f"index.html does not load its script by {_SERVED}")
    rights = _POLICY.format(*(" 'wasm-unsafe-eval'", "; worker-src blob:") if has_rules else ("", ""))
    policy = f'<meta http-equiv="content-security-policy" content="{rights}">\n    '
    files = _RULES if has_rules else _GRAPH
    scripts = "\n    ".join(f'<script defer src="assets/{file}"></script>' for file in files)
    needs = '<noscript><p class="empty">This page needs JavaScript.</p></noscript>'
    return _NEEDS_SCRIPT.sub(needs, page.replace(_SERVED, scripts).replace("<title>", f"{policy}<title>"))


def bundled(entry: str) -> str:
    """A module and its imports as one script without modules, which browsers do not load from disk."""
    modules: dict[str, str] = {}
    wanted = [entry]
    while wanted:
        name = wanted.pop()
        if name not in modules:
            modules[name], imported = as_function(name, (SCRIPTS / name).read_text())
            wanted += imported
    listed = "".join(f'"{name}": () => {{\n{text}}},\n' for name, text in sorted(modules.items()))
    return (
        f'"use strict";\n(() => {{\nconst modules = {{\n{listed}}};\nconst made = {{}};\n'
        f'const use = (name) => (made[name] ??= modules[name]());\nuse("{entry}");\n}})();\n'
    )


def as_function(name: str, text: str) -> tuple[str, list[str]]:
    """The body of a function that returns what a module exports; and the modules it imports."""
    imported: list[str] = []
    folder = SCRIPTS / PurePosixPath(name).parent

    def path(to: str) -> str:
        imported.append((folder / to).resolve().relative_to(SCRIPTS.resolve()).as_posix())
        return imported[-1]

    text = _IMPORT.sub(lambda found: f'const {{{found[1].replace(" as ", ": ")}}} = use("{path(found[2])}");', text)
    text = _LOADED.sub(lambda found: f'Promise.resolve().then(() => use("{path(found[1])}"))', text)
    exported = [found[2] for found in _EXPORT.finditer(text)]
    text = _EXPORT.sub(r"\1 \2", text)
    if left := _LEFT.search(text):
        raise ValueError(f"{name} cannot be bundled: {left[0]}")
    return f"{text}return {{ {', '.join(exported)} }};\n", imported
