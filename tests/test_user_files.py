"""Games, agents and learners in users' files: ordinary classes and functions, and errors with the user's own lines."""

import json
import re
from itertools import pairwise

import pytest
from conftest import TESTS

import ludus
from ludus import catalog
from ludus.agents.agent import is_compiled, probabilities
from ludus.agents.simple import First

TIC_TAC_TOE = ludus.make_game("tic-tac-toe")
NIM = (TESTS / "user_games" / "nim.py").read_text()
LEGAL = "[action for action in range(9) if game.legal(pos) >> action & 1]"

FORMS = {
    "choose": f"class Bot:\n    def choose(self, game, pos):\n        return {LEGAL}[0]\n",
    "a dict": f"class Bot:\n    def policy(self, game, pos):\n        return {{{LEGAL}[0]: 0.5}}\n",
    "a list": "class Bot:\n    def policy(self, game, pos):\n"
    f"        return [float(action == {LEGAL}[0]) for action in range(9)]\n",
    "writing": f"class Bot:\n    def policy(self, game, pos, out):\n        out[{LEGAL}[0]] = 1\n",
    "a function": f"def choose(game, pos):\n    return {LEGAL}[0]\n",
    "a policy function": f"def policy(game, pos):\n    return {{{LEGAL}[0]: 1}}\n",
    "a NamedTuple": "from typing import NamedTuple\nclass Bot(NamedTuple):\n    depth: int = 1\n"
    f"    def choose(self, game, pos):\n        return {LEGAL}[0]\n",
}


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Write a file into the folder in which the command line then runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))

    def write(source, name="bot.py"):
        (tmp_path / name).write_text(source)
        return name

    return write


@pytest.mark.parametrize("form", FORMS)
def test_an_ordinary_class_or_function_in_a_file_is_an_agent(file, form):
    agent = catalog.make_agent(file(FORMS[form]))
    assert not is_compiled(agent)
    pos = TIC_TAC_TOE.play(TIC_TAC_TOE.start(), 0)
    assert probabilities(agent, TIC_TAC_TOE, pos).argmax() == 1
    assert catalog.name_of(agent) == "bot.py"
    match = ludus.play_match(TIC_TAC_TOE, agent, First(), 2)
    assert match.all == ludus.play_match(TIC_TAC_TOE, First(), First(), 2).all


def test_an_object_of_such_a_class_is_graded_like_its_twin():
    class Lowest:
        def choose(self, game, pos):
            return ludus.actions(game.legal(pos))[0]

    assert ludus.grade(Lowest(), TIC_TAC_TOE).all == ludus.grade(First(), TIC_TAC_TOE).all


def test_arguments_of_the_constructor_are_parameters(file):
    name = file(
        "class Bot:\n    def __init__(self, step: int, name='x'):\n        self.step = step\n" + FORMS["choose"][11:]
    )
    agent = catalog.make_agent(f"{name}(step=3)")
    assert agent.step == 3
    assert catalog.name_of(agent) == "bot.py(step=3)"
    with pytest.raises(ludus.LudusError, match=r"bot.py needs a value for step: write bot.py\(step=...\)"):
        catalog.make_agent(name)
    with pytest.raises(ludus.LudusError, match=r"bot\.py has no parameter 'depth'; allowed: step, name"):
        catalog.make_agent(f"{name}(depth=3)")
    with pytest.raises(ludus.LudusError, match="step must be a whole number"):
        catalog.make_agent(f"{name}(step=many)")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "def choose(game, pos):\n    return 0\n",
            "choose(X../.../...) returns 0; legal actions: 1, 2, 3, 4, 5, 6, 7, 8",
        ),
        ("def choose(game, pos):\n    return None\n", "choose(X../.../...) returns None; legal actions: 1, 2,"),
        (
            "def policy(game, pos):\n    return {99: 1}\n",
            "policy returns {99: 1}; it must be a dict {action: probability}",
        ),
        ("def policy(game, pos):\n    return [1, 2]\n", "policy returns [1, 2]; it must be a dict"),
        ("def policy(game, pos):\n    return None\n", "policy returns None; it must be"),
    ],
)
def test_a_wrong_answer_says_what_is_allowed(file, source, message):
    agent = catalog.make_agent(file(source))
    with pytest.raises(ludus.LudusError) as error:
        probabilities(agent, TIC_TAC_TOE, TIC_TAC_TOE.play(TIC_TAC_TOE.start(), 0))
    assert message in str(error.value)


def test_a_file_without_an_agent_says_what_one_is(file):
    with pytest.raises(ludus.LudusError, match="holds no agent: an agent is a class with a method policy or choose"):
        catalog.make_agent(file("x = 1\n"))


def test_the_example_of_the_docs_plays_and_is_graded(file, ludus, plain):
    example = re.search(r"```python\n(.*?)```", (TESTS.parent / "docs" / "agents.md").read_text(), re.DOTALL)[1]
    assert len([line for line in example.splitlines() if line]) <= 6
    name = file(example, "cautious.py")
    match = json.loads(ludus("match", "tic-tac-toe", name, "random", "--games", "10", "--json").stdout)
    assert (match["a"], match["games"]) == ("cautious.py", 10)


# ---- errors, through the command line ----

HELPER = "def helper(x):\n    return x / 0\n"
MATCH = ["match", "tic-tac-toe", "bot.py", "random", "--games", "2"]
GRADE = ["grade", "bot.py", "tic-tac-toe"]


@pytest.mark.parametrize(
    ("source", "command", "lines"),
    [
        (
            "x = 1\ny = x / 0\n",
            MATCH,
            ["bot.py cannot be loaded: ZeroDivisionError:", "bot.py:2, in <module>: y = x / 0"],
        ),
        ("class Bot\n", MATCH, ["bot.py cannot be loaded: SyntaxError: expected ':'", "bot.py:1: class Bot"]),
        (
            "class Bot:\n    def __init__(self):\n        self.x = {}['a']\n"
            "    def choose(self, game, pos):\n        return 0\n",
            GRADE,
            ["bot.py cannot be made: KeyError: 'a'", "bot.py:3, in __init__: self.x = {}['a']"],
        ),
        (
            f"{HELPER}class Bot:\n    def choose(self, game, pos):\n        return helper(1)\n",
            MATCH,
            ["ZeroDivisionError: division by zero", "bot.py:5, in choose: return helper(1)", "bot.py:2, in helper:"],
        ),
        (
            f"{HELPER}def policy(game, pos):\n    return helper(1)\n",
            GRADE,
            ["ZeroDivisionError: division by zero", "bot.py:4, in policy: return helper(1)", "bot.py:2, in helper:"],
        ),
    ],
)
def test_an_error_in_an_agent_shows_the_users_own_lines(file, ludus, plain, source, command, lines):
    file(source)
    check_report(ludus(*command), lines)


def test_a_deep_recursion_is_cut(file, ludus, plain):
    source = "def choose(game, pos):\n    return a(9)\n"
    names = "abcdefghij"
    for one, after in pairwise(names):
        source += f"def {one}(n):\n    return {after}(n)\n"
    file(f"{source}def j(n):\n    return n / 0\n")
    report = check_report(ludus(*MATCH), ["ZeroDivisionError", "bot.py:2, in choose: return a(9)"])
    assert len(report) == 8
    assert report[4] == "  ..."
    assert report[-1] == "  bot.py:22, in j: return n / 0"


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (
            NIM.replace("def player(self, pos):", "def player(self, pos):\n        1 // (pos.a - 3)"),
            ": 1 // (pos.a - 3)",
        ),
        (NIM.replace("return pos.", "return pos.no_field_"), "no_field_"),
    ],
)
def test_an_error_in_a_compiled_game_shows_the_users_own_lines(file, ludus, source, line):
    file(source, "nim.py")
    report = check_report(ludus("solve", "nim.py", NUMBA_DISABLE_JIT="0"), ["Error("])
    assert report[1].startswith("  nim.py:")
    assert line in report[1]


def test_an_error_in_a_compiled_agent_shows_the_users_own_lines(file, ludus):
    file(
        "from typing import NamedTuple\nclass Bot(NamedTuple):\n    depth: int = 1\n"
        "    def policy(self, game, pos, out):\n        out[game.nothing] = 1.0\n"
    )
    check_report(
        ludus(*GRADE, NUMBA_DISABLE_JIT="0"), ["AttributeError: ", "bot.py:5, in policy: out[game.nothing] = 1.0"]
    )


def test_what_cannot_be_compiled_says_what_to_write_instead(file, ludus):
    file(NIM.replace("def player(self, pos):", "def player(self, pos):\n        pos._replace(turn=0)"), "nim.py")
    report = check_report(
        ludus("match", "nim.py", "random", "random", "--games", "1000000"), ["Nim.player calls _replace (line "]
    )
    assert "which cannot be compiled; make a new position with every field" in report[0]


def test_an_error_in_a_learner_shows_the_users_own_lines(file, ludus, plain):
    file(
        "from typing import NamedTuple\nclass Bad(NamedTuple):\n    rate: float = 0.1\n"
        "    def trainer(self, game, *, twin=False):\n        return self.rate / 0\n"
        "    def agent(self, game, arrays):\n        return None\n",
        "bad.py",
    )
    file(NIM, "nim.py")
    check_report(ludus("train", "nim.py", "bad.py", "--games", "4"), ["ZeroDivisionError", "bad.py:5, in trainer:"])


def check_report(done, expected):
    """The lines on stderr: these in this order, at most 8, none of Ludus or Numba, exit status 2."""
    report = done.stderr.splitlines()
    assert done.returncode == 2, done.stderr
    assert len(report) <= 8
    assert report[0].startswith("ludus: ")
    assert all(part in line for part, line in zip(expected, report[: len(expected)], strict=True)), report
    assert not any("/ludus/" in line or "numba" in line for line in report)
    return report
