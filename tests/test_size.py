"""The size of the source: few modules, few lines, few parameters. `make size` prints the figures."""

import ast

from conftest import TESTS

SOURCE = TESTS.parent / "src"
MODULES = sorted(SOURCE.rglob("*.py"))
MOST_MODULES, MOST_LINES, MOST_PARAMETERS = 288, 59_000, 8
COMPILED = {"kernel", "helper"}  # they take arrays in named groups, and a few numbers more


def is_command(node):
    """Whether a function is a command, whose parameters are its options."""
    called = [mark.func for mark in node.decorator_list if isinstance(mark, ast.Call)]
    return any(isinstance(one, ast.Attribute) and one.attr == "command" for one in called)


def wide_functions():
    """Every function with too many parameters, compiled ones and commands left out, as file:line name count."""
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                marks = {mark.id for mark in node.decorator_list if isinstance(mark, ast.Name)}
                names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                count = len([name for name in names if name not in ("self", "cls")])
                if count > MOST_PARAMETERS and not marks & COMPILED and not is_command(node):
                    yield f"{path.relative_to(SOURCE)}:{node.lineno} {node.name} {count}"


def figures():
    """Modules, lines of Python, and functions with too many parameters."""
    lines = sum(len(path.read_text().splitlines()) for path in MODULES)
    return {"modules": len(MODULES), "lines": lines, "functions with many parameters": list(wide_functions())}


def test_the_source_keeps_to_its_size():
    found = figures()
    print("", *(f"{name}: {figure}" for name, figure in found.items()), sep="\n")  # noqa: T201
    assert found["modules"] <= MOST_MODULES
    assert found["lines"] <= MOST_LINES
    assert found["functions with many parameters"] == []


def test_a_tabular_learner_is_a_file_of_sixty_lines():
    for name in ("sarsa", "monte_carlo"):
        assert len((SOURCE / "ludus" / "learning" / f"{name}.py").read_text().splitlines()) <= 60
