"""Outside programs as agents: sound ones play, others get one clear line."""

import gc
import os
import shlex
import sys
import time

import pytest
from conftest import EXAMPLES, TESTS

import ludus
from ludus import catalog
from ludus.agents.agent import probabilities
from ludus.agents.program import Program, question
from ludus.agents.simple import Last
from ludus.arena.match import play_match


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


def test_a_request_has_all_documented_keys():
    game = ludus.make_game("tic-tac-toe")
    reported = question(game, game.start())
    documented = (TESTS.parent / "docs" / "programs.md").read_text()
    assert set(reported) == {"game", "position", "fields", "player", "legal", "names"}
    assert all(f"`{key}`" in documented for key in reported)


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
        (answer("json.dumps({'policy': {}})"), "it must give shares of actions in"),
        (answer("json.dumps({'policy': {'0': float('nan')}})"), "it must give shares of actions in"),
        (answer("json.dumps({'policy': {'0': 1, '1': float('inf')}})"), "it must give shares of actions in"),
        (answer("json.dumps({'policy': {'0': 1e308, '1': 1e308}})"), "it must give shares of actions in"),
        (answer("json.dumps({'policy': {'0': 10**400}})"), "it must give shares of actions in"),
        (answer("json.dumps({'policy': {'0': True}})"), "it must give shares of actions in"),
        (answer("json.dumps({'action': True})"), 'answered {"action": true}; the action must be one of'),
        (answer("'[' * 60000"), "answered '[[["),
        (answer("'x' * 100000"), "answered 'xxx"),
        ("sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush()", "write one JSON object a line"),
        ("sys.stderr.buffer.write(b'\\xff!\\n'); sys.exit(1)", "exit status 1: \ufffd!"),
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
    assert bot._run is None


def test_a_match_waits_for_a_program_that_hangs_only_once():
    bot, began = Program("sleep 40", timeout=0.5), time.monotonic()
    with pytest.raises(ludus.LudusError, match="gave no answer"):
        ask(bot)
    for _ in range(20):
        with pytest.raises(ludus.LudusError, match="gave no answer"):
            ask(bot)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "words", ["'x' * 9999", "json.dumps({'action': 'x' * 9999})", "json.dumps({'policy': {'x' * 9999: 1}})"]
)
def test_an_error_quotes_little_of_an_answer(program, words):
    bot = program(answer(words))
    with pytest.raises(ludus.LudusError) as error:
        ask(bot)
    assert len(str(error.value)) < 250 + len(str(bot))
    assert "x" * 81 not in str(error.value)


@pytest.mark.parametrize(
    ("pipe", "script"), [("output", "exec 1>&-"), ("input", """read q; exec 0<&-; echo '{"action": 0}'""")]
)
def test_a_program_that_closes_a_pipe_and_runs_on_is_ended(pipe, script):
    bot = Program(f"sh -c {shlex.quote(script + '; sleep 40; true')}", timeout=3)
    with pytest.raises(ludus.LudusError, match=f"closed its {pipe}"):
        ask_until_it_fails(bot)
    assert bot._run is None


def ask_until_it_fails(bot, pause=0.05):
    """Ask some questions; what a program says too much may come a little late."""
    for _ in range(20):
        ask(bot)
        time.sleep(pause)


def test_children_of_a_program_end_with_it():
    bot, began = Program("sh -c 'sleep 40; true'", timeout=0.5), time.monotonic()
    with pytest.raises(ludus.LudusError, match="gave no answer"):
        ask(bot)
    assert time.monotonic() - began < 5


def test_what_leaves_the_session_of_a_program_ends_with_it(tmp_path):
    pid = tmp_path / "pid"
    bot, began = Program(f"sh -c 'setsid sleep 40 & echo $! > {pid}; wait'", timeout=0.5), time.monotonic()
    with pytest.raises(ludus.LudusError, match="gave no answer"):
        ask(bot)
    assert time.monotonic() - began < 5
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


@pytest.mark.parametrize("command", ["yes '{\"action\": 0}'", "yes ''", "cat /dev/zero", "yes"])
def test_endless_answers_are_refused(command):
    bot = Program(command, timeout=0.5)
    with pytest.raises(ludus.LudusError, match=r"answered"):
        ask_until_it_fails(bot)
    bot.close()


@pytest.mark.parametrize(
    "body",
    [
        'print(\'{"action": 0}\\n{"action": 0}\', flush=True)',
        "print('{\"action\": 0}', flush=True); time.sleep(0.01); print('{\"action\": 1}', flush=True)",
    ],
)
def test_a_program_answers_each_question_once(program, body):
    with pytest.raises(ludus.LudusError, match="answered more than it was asked"):
        ask_until_it_fails(program(body))


def test_a_program_that_never_reads_is_ended():
    bot = Program("sleep 40", timeout=0.5)
    run = bot._start()
    with pytest.raises(Exception, match=r"gave no answer within 0\.5"):
        run.ask(b"x" * (1 << 20), 0.5)
    bot.close()


def test_a_program_that_was_closed_starts_anew(program):
    bot = program("print(json.dumps({'action': 0}), flush=True); print('left over', flush=True)")
    ask_quietly = program(answer("json.dumps({'action': 8})"))
    with pytest.raises(ludus.LudusError):
        ask_until_it_fails(bot)
    bot.close()
    bot.command = ask_quietly.command
    assert ask(bot)[8] == 1
    first = bot._run
    bot.close()
    bot.close()
    assert ask(bot)[8] == 1
    assert bot._run is not first


def test_a_program_does_not_outlive_its_agent(program):
    bot = Program(program(answer("json.dumps({'action': 0})")).command)
    ask(bot)
    supervisor = bot._run._process
    del bot
    gc.collect()
    assert supervisor.returncode == 0  # it has killed all


def test_a_program_does_not_outlive_python(fresh_python):
    pid = fresh_python(
        "from ludus.agents.program import Program\nbot = Program('sleep 40')\nprint(bot._start()._process.pid)"
    )
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


@pytest.mark.parametrize("text", ["cmd:", "cmd:  "])
def test_no_program_at_all(text):
    with pytest.raises(ludus.LudusError, match="names no program"):
        catalog.make_agent(text)


def test_a_command_that_cannot_be_read():
    with pytest.raises(ludus.LudusError, match="cannot be started: No closing quotation"):
        ask(catalog.make_agent("cmd:'bot"))


def test_a_program_that_cannot_be_started():
    with pytest.raises(ludus.LudusError, match=r"cannot be started: .*No such file"):
        ask(catalog.make_agent("cmd:./no-such-bot"))


def test_the_command_line_reports_a_program_that_stops(ludus):
    done = ludus("match", "tic-tac-toe", "cmd:false", "random", "--games", "2")
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1] == "ludus: cmd:false stopped with exit status 1"
