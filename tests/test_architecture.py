"""The architecture page names what is there: every module and name exists, and every package is on the map."""

import re

from conftest import TESTS

ROOT = TESTS.parent
SOURCE = ROOT / "src"
PAGE = (ROOT / "docs" / "architecture.md").read_text()


def names():
    """The dotted names of modules, functions and classes on the page; entry point groups are no modules."""
    found = set(re.findall(r"\bludus(?:_papers)?(?:\.[A-Za-z_]\w*)*", PAGE))
    return sorted(found - {"ludus.papers"})


def exists(name):
    path = SOURCE / name.replace(".", "/")
    if path.with_suffix(".py").is_file() or (path / "__init__.py").is_file():
        return True
    module, _, member = name.rpartition(".")
    home = SOURCE / module.replace(".", "/")
    file = next((one for one in (home.with_suffix(".py"), home / "__init__.py") if one.is_file()), None)
    return file is not None and bool(re.search(rf"^(?:def|class) {member}\b|^{member}\b.* = ", file.read_text(), re.M))


def test_everything_that_the_page_names_exists():
    assert [name for name in names() if not exists(name)] == []


def test_every_package_is_on_the_map():
    packages = {".".join(path.parent.relative_to(SOURCE).parts) for path in SOURCE.rglob("__init__.py")}
    assert sorted(packages - set(names())) == []


def test_every_file_that_the_page_names_exists():
    paths = re.findall(r"`((?:src|tests|bench)/[\w./]*|tests|bench)`", PAGE)
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_arrow_is_that_of_the_import_contract():
    drawn = re.search(r"## The arrow.*?```\n(.*?)```", PAGE, re.DOTALL)[1]
    order = [name for line in drawn.splitlines() for name in re.findall(r"ludus[\w.]*", line.split("  ")[0] or line)]
    contract = (ROOT / "pyproject.toml").read_text()
    layers = re.findall(r'"([^"]+)"', re.search(r"layers = \[(.*?)\]", contract, re.DOTALL)[1])
    level = {name: number for number, layer in enumerate(layers) for name in layer.split(" | ")}
    places = [level[name] for name in order if name in level]
    assert len(places) > 10
    assert places == sorted(places)
