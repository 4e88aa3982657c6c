"""Outside programs as agents: sound ones play, others get one clear line."""

import sys

import pytest
from conftest import TESTS

import ludus
from ludus import catalog
from ludus.agents.agent import probabilities
from ludus.agents.program import Program, question
from ludus.agents.simple import Last
from ludus.arena.match import play_match

EXAMPLES = TESTS.parent / "examples"


@pytest.fixture
def program(tmp_path):
    """A program that answers every question with the outcome of a Python expression of `q`."""
    made = []

    def make(body, **options):
        path = tmp_path / f"bot{len(made)}.py"
        path.write_text(f"import json, sys, time\nfor line in sys.stdin:\n    q = json.loads(line)\n    {body}\n")
        made.append(Program(f"{sys.executable} {path}", **options))
        return made[-1]

    yield make
    for bot in made:
        bot.close()


def answer(words):
    return f"print({words}, flush=True)"


def ask(bot):
    game = ludus.make_game("tic-tac-toe")
    return probabilities(bot, game, game.play(game.start(), 4)).tolist()


def test_the_python_example_plays_a_match():
    bot = catalog.make_agent(f"cmd:{sys.executable} {EXAMPLES / 'bot.py'}")
    result = play_match(ludus.make_game("tic-tac-toe"), bot, Last(), 6)
    bot.close()
    assert result.all.games == 6


def test_the_shell_example_plays_as_last_does():
    game = ludus.make_game("tic-tac-toe")
    bot = catalog.make_agent(f"cmd:sh {EXAMPLES / 'bot.sh'}")
    as_program, as_agent = (play_match(game, agent, Last(), 4)[:5] for agent in (bot, Last()))
    bot.close()
    assert as_program == as_agent


def test_a_program_is_told_all_that_the_documentation_says():
    game = ludus.make_game("tic-tac-toe")
    told = question(game, game.start())
    documented = (TESTS.parent / "docs" / "programs.md").read_text()
    assert set(told) == {"game", "position", "fields", "player", "legal", "names"}
    assert all(f"`{key}`" in documented for key in told)


def test_a_program_may_answer_by_number_name_or_policy(program):
    assert ask(program(answer("json.dumps({'action': q['legal'][1]})")))[1] == 1
    assert ask(program(answer("json.dumps({'action': 'A1'})")))[6] == 1
    assert ask(program(answer("json.dumps({'policy': {'0': 1, '8': 3}})"))) == [0.25, 0, 0, 0, 0, 0, 0, 0, 0.75]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("sys.exit(3)", "stopped with exit status 3"),
        ("raise RuntimeError('out of ideas')", "exit status 1: RuntimeError: out of ideas"),
        (answer("'b2'"), "answered 'b2'; write one JSON object a line"),
        (answer("'[4]'"), "answered '[4]'; write one JSON object a line"),
        (answer("json.dumps({'action': 4})"), 'answered {"action": 4}; the action must be one of'),
        (answer("json.dumps({'action': 1.5})"), "the action must be one of"),
        (answer("json.dumps({'move': 1})"), "the action must be one of"),
        (answer("json.dumps({'action': 'z9'})"), "'z9' is no action here; allowed: a3"),
        (answer("json.dumps({'policy': {'4': 1}})"), "it must give shares of actions in"),
        (answer("json.dumps({'policy': {'0': -1}})"), "it must give shares of actions in"),
        (answer("json.dumps({'policy': [1]})"), "it must give shares of actions in"),
    ],
)
def test_a_program_that_misbehaves_gets_one_clear_line(program, body, words):
    with pytest.raises(ludus.LudusError) as error:
        ask(program(body))
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_program_that_hangs_is_ended(program):
    bot = program("time.sleep(60)", timeout=0.5)
    with pytest.raises(ludus.LudusError, match=r"gave no answer within 0\.5 seconds"):
        ask(bot)
    assert bot._process is None


def test_a_program_that_cannot_be_started():
    with pytest.raises(ludus.LudusError, match=r"cannot be started: .*No such file"):
        ask(catalog.make_agent("cmd:./no-such-bot"))


def test_the_command_line_tells_of_a_program_that_stops(ludus):
    done = ludus("match", "tic-tac-toe", "cmd:false", "random", "--games", "2")
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1] == "ludus: cmd:false stopped with exit status 1"
