"""Certificates: what is proved is true, and the checker accepts nothing else and needs nothing but the game."""

import ast
import gzip
import json
import os
import subprocess
import sys

import pytest
from conftest import EXAMPLES, TESTS

import ludus
from ludus.compiled.masks import actions
from ludus.proving import certificate as certificate_module
from ludus.proving.certificate import CHECKER, document, prove, prove_agent, write, written_for_checker
from ludus.solving.solver import solve

LOOP = TESTS / "loop_game.py"


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """These games are small: plain Python is done with them before anything is compiled."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


@pytest.fixture
def compiled(monkeypatch):
    monkeypatch.delenv("NUMBA_DISABLE_JIT")


def user_game(written):
    return ludus.make_game(str(TESTS / "user_games" / written))


def claims(certificate):
    return [(found.player, found.at_least) for found in certificate.strategies]


def run_checker(path, game):
    return subprocess.run([sys.executable, CHECKER, path, game], capture_output=True, text=True, check=False)


def holds(certificate, path):
    """Whether the checker, in a process of its own, accepts the certificate."""
    write(certificate, path)
    done = run_checker(path, written_for_checker(certificate.game))
    assert done.stdout.startswith("holds: ") == (done.returncode == 0), done.stderr
    return done.returncode == 0


# ---- who wins from here ----


def test_tic_tac_toe_is_a_draw_because_both_can_hold_it(compiled, tmp_path):
    certificate = prove(solve(ludus.make_game("tic-tac-toe")))
    assert claims(certificate) == [(0, 0), (1, 0)]
    assert holds(certificate, tmp_path / "draw.json")


@pytest.mark.parametrize(
    ("name", "player", "at_least"),
    [
        ("tapnswap", 1, 1),
        ("fox-and-hounds(size=4)", 1, 1),
        ("toads-and-frogs(toads=2, gaps=2, frogs=2, first=frogs)", 1, 1),
        ("toads-and-frogs(strip=TT_FF_)", 0, 1),
        ("mancala(holes=2, stones=2)", 0, 2),
    ],
)
def test_the_winner_has_a_strategy(name, player, at_least, tmp_path):
    certificate = prove(solve(ludus.make_game(name)))
    assert claims(certificate) == [(player, at_least)]
    assert holds(certificate, tmp_path / "win.json")


def test_both_strategies_prove_the_exact_margin(tmp_path):
    certificate = prove(solve(ludus.make_game("mancala(holes=2, stones=2)")), players=(0, 1))
    assert claims(certificate) == [(0, 2), (1, -2)]
    assert holds(certificate, tmp_path / "exact.json")


def test_a_later_position_is_proved_with_masks_of_several_words(tmp_path):
    game = user_game("clobber.py")
    pos = type(game.start())(white=0b101 << 24, black=0b1010 << 24, turn=0)  # W B W B in the last row
    certificate = prove(solve(game, pos))
    assert {action for taken in certificate.strategies[0].answers.values() for action in taken} & set(range(63, 120))
    assert holds(certificate, tmp_path / "late.json")


def test_up_to_symmetry_the_same_is_proved(tmp_path):
    game = ludus.make_game("fox-and-hounds(size=4)")
    certificate = prove(solve(game, symmetric=True))
    assert claims(certificate) == [(1, 1)]
    assert holds(certificate, tmp_path / "symmetric.json")


def test_a_strategy_holds_only_positions_that_can_arise():
    certificate = prove(solve(ludus.make_game("tapnswap")))
    game, (found,) = certificate.game, certificate.strategies
    seen, waiting = set(), [certificate.start]
    while waiting:
        pos = waiting.pop()
        if pos not in seen:
            seen.add(pos)
            taken = found.answers[pos] if pos in found.answers else actions(game.legal(pos))
            waiting += [game.play(pos, action) for action in taken]
    assert found.positions == len(seen)
    assert set(found.answers) == {pos for pos in seen if game.player(pos) == 1 and actions(game.legal(pos))}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fox-and-hounds", "chung-toi"])
def test_whole_games_are_proved(name, compiled, tmp_path):
    assert holds(prove(solve(ludus.make_game(name))), tmp_path / "whole.json.gz")


@pytest.mark.slow
def test_a_search_proves_what_a_listing_proves(compiled, tmp_path):
    game = ludus.make_game("mancala(holes=2, stones=2)")
    certificate = prove(solve(game, method="search"))
    assert claims(certificate) == claims(prove(solve(game)))
    assert holds(certificate, tmp_path / "searched.json")


# ---- against all luck ----


def test_a_game_of_chance_too_large_for_the_memory_is_refused(monkeypatch):
    truth = solve(ludus.make_game(f"{EXAMPLES}/pig.py(target=3, faces=2)"))
    monkeypatch.setattr(certificate_module, "budget", lambda: 0)
    with pytest.raises(ludus.LudusError, match="too large to prove"):
        prove(truth)


def test_where_chance_plays_nothing_but_a_loss_may_be_sure(tmp_path):
    certificate = prove(solve(ludus.make_game(f"{EXAMPLES}/pig.py(target=3, faces=2)")))
    assert claims(certificate) == [(0, -1), (1, -1)]
    assert holds(certificate, tmp_path / "pig.json")


def test_a_win_is_sure_where_no_die_can_prevent_it(tmp_path):
    game = ludus.make_game(f"{EXAMPLES}/pig.py(target=3, faces=2)")
    truth = solve(game)
    certificate = prove(truth, type(game.start())(mine=0, theirs=0, pot=3, turn=0, rolling=0), players=[0])
    assert claims(certificate) == [(0, 1)]
    assert holds(certificate, tmp_path / "hold.json")


# ---- the guarantee of an agent ----


def worst(game, agent, player, pos):
    """The least that an agent may score in a game without loops, by trying everything."""
    legal = actions(game.legal(pos))
    if not legal:
        return game.score(pos) * (1, -1)[player]
    if game.player(pos) == player:
        shares = ludus.agents.agent.probabilities(agent, game, pos)
        legal = [action for action in legal if shares[action] > 0]
    return min(worst(game, agent, player, game.play(pos, action)) for action in legal)


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("name", ["first", "last", "random"])
def test_an_agent_is_guaranteed_its_worst_case(name, player, tmp_path):
    game, agent = ludus.make_game("tic-tac-toe"), ludus.make_agent(name)
    pos = game.play(game.start(), 4)
    certificate = prove_agent(game, agent, player, pos)
    assert claims(certificate) == [(player, worst(game, agent, player, pos))]
    assert holds(certificate, tmp_path / "agent.json")


def test_the_perfect_agent_wins_whatever_it_draws(tmp_path):
    certificate = prove_agent(ludus.make_game("tapnswap"), ludus.make_agent("perfect"), 1)
    assert max(len(taken) for taken in certificate.strategies[0].answers.values()) > 1
    assert claims(certificate) == [(1, 1)]
    assert holds(certificate, tmp_path / "perfect.json")


@pytest.mark.parametrize("players", [[], [2], [0, 1, -1]])
def test_only_players_have_strategies(players):
    with pytest.raises(ludus.LudusError, match="players must be 0, 1 or both, not"):
        prove(solve(ludus.make_game(str(LOOP))), players=players)
    with pytest.raises(ludus.LudusError, match="players must be 0, 1 or both, not 2"):
        prove_agent(ludus.make_game(str(LOOP)), ludus.make_agent("last"), 2)


def test_agents_with_memory_are_refused():
    with pytest.raises(ludus.LudusError, match=r"cmd:./bot may remember earlier moves"):
        prove_agent(ludus.make_game("tic-tac-toe"), ludus.make_agent("cmd:./bot"), 0)


# ---- play without end ----


@pytest.mark.parametrize(("agent", "at_least"), [("first", 0), ("random", 0), ("last", 1)])
def test_endless_play_guarantees_only_a_draw(agent, at_least, tmp_path):
    certificate = prove_agent(ludus.make_game(str(LOOP)), ludus.make_agent(agent), 0)
    assert claims(certificate) == [(0, at_least)]
    assert holds(certificate, tmp_path / "loop.json")


def test_a_strategy_that_goes_round_cannot_claim_a_win(tmp_path):
    certificate = prove_agent(ludus.make_game(str(LOOP)), ludus.make_agent("random"), 0)
    better = certificate.strategies[0]._replace(at_least=1)
    write(certificate._replace(strategies=(better,)), tmp_path / "loop.json")
    done = run_checker(tmp_path / "loop.json", f"{LOOP}:Loop")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "fails: play can come back to Place(square=0) for ever, which scores 0\n"


# ---- what the checker refuses ----


@pytest.fixture
def fox():
    """The document of a certificate that the hounds win."""
    return document(prove(solve(ludus.make_game("fox-and-hounds(size=4)"))))


FOX = "ludus.games.fox_and_hounds:FoxAndHounds"


def set_claim(**changed):
    return lambda content: content["claims"][0].update(changed)


def set_top(**changed):
    return lambda content: content.update(changed)


def set_answer(*taken):
    def change(content):
        content["claims"][0]["strategy"][0][1] = list(taken)

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (set_answer(62), "the strategy takes [62], but legal are"),
        (set_answer(), "the strategy takes [], but legal are"),
        (set_claim(strategy=[]), "the strategy takes [], but legal are"),
        (lambda content: content["claims"][0]["strategy"].pop(), "the strategy takes [], but legal are"),
        (set_claim(at_least=2), "ends the game with less than 2 for player 1"),
        (set_claim(player=0), "the strategy takes [], but legal are"),
        (set_claim(player=2), "there is no player 2"),
        (set_claim(at_least=float("nan")), "ValueError"),
        (set_claim(at_least=0.5), "ValueError"),
        (set_claim(at_least="win"), "TypeError"),
        (set_claim(strategy=[[0, 0]]), "TypeError"),
        (set_claim(why="because"), "TypeError"),
        (set_top(claims=[]), "nothing is claimed"),
        (set_top(certificate=2), "nothing is claimed in version 1 of the form"),
        (set_top(start=[1]), "TypeError"),
        (set_top(parameters={"size": 5}), "ValueError: size must be"),
        (set_top(parameters={"colour": 5}), "TypeError"),
        (lambda content: content.pop("start"), "KeyError: 'start'"),
    ],
)
def test_a_certificate_that_was_tampered_with_fails(change, reason, fox, tmp_path):
    change(fox)
    path = tmp_path / "fox.json"
    path.write_text(json.dumps(fox))
    done = run_checker(path, FOX)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("fails: ")
    assert done.stderr.count("\n") == 1
    assert reason in done.stderr


def test_an_action_that_gives_the_win_away_fails(fox, tmp_path):
    game = ludus.make_game("fox-and-hounds(size=4)")
    truth, position = solve(game), type(game.start())
    answer, mistake = next(
        (answer, action)
        for answer in fox["claims"][0]["strategy"]
        for action, value in truth.actions(position(*answer[0])).items()
        if value.outcome(1) == "loss"
    )
    answer[1] = [mistake]
    (tmp_path / "fox.json").write_text(json.dumps(fox))
    assert run_checker(tmp_path / "fox.json", FOX).returncode == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cut.json", b'{"certificate": 1, "par'),
        ("deep.json", b"[" * 100_000),
        ("list.json", b"[]"),
        ("binary.json", bytes(range(256))),
        ("plain.json.gz", b"{}"),
        ("cut.json.gz", gzip.compress(b"{}" * 1000, mtime=0)[:-12]),
    ],
)
def test_a_damaged_file_fails_in_one_line(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    done = run_checker(tmp_path / name, FOX)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("fails: ")
    assert done.stderr.count("\n") == 1


def test_what_unpacks_to_too_much_fails_within_little_memory(tmp_path):
    with gzip.open(tmp_path / "bomb.json.gz", "wb", 1) as file:
        for _ in range(300):
            file.write(b" " * (1 << 20))
    done = run_checker(tmp_path / "bomb.json.gz", FOX)
    assert (done.returncode, done.stderr) == (1, "fails: it has more than 256 MB\n")


def test_a_pipe_in_place_of_a_certificate_fails(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    done = run_checker(tmp_path / "pipe.json", FOX)
    assert (done.returncode, done.stderr) == (1, f"fails: {tmp_path / 'pipe.json'} is no file\n")


@pytest.mark.parametrize(
    "game",
    ["Fox", "no.such.module:Game", "ludus.games.fox_and_hounds:Fox", "no.py:Game", "ludus.games.tic_tac_toe:TicTacToe"],
)
def test_a_game_that_is_not_there_or_another_one_fails_in_one_line(game, fox, tmp_path):
    (tmp_path / "fox.json").write_text(json.dumps(fox))
    done = run_checker(tmp_path / "fox.json", game)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)


# ---- the checker itself ----


def test_the_checker_is_short_and_imports_the_standard_library_alone():
    source = CHECKER.read_text()
    assert len(source.splitlines()) < 120
    imported = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            imported |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(node.module)
    assert {name.partition(".")[0] for name in imported} <= set(sys.stdlib_module_names)


@pytest.mark.parametrize("words", [[], ["--help"]])
def test_the_checker_says_how_it_is_used(words):
    done = subprocess.run([sys.executable, CHECKER, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "usage: python checker.py FILE MODULE:CLASS, or FILE PATH.py:CLASS\n"


def test_checking_loads_nothing_that_solves_or_compiles(fox, tmp_path, fresh_python):
    (tmp_path / "fox.json").write_text(json.dumps(fox))
    code = f"""
import runpy, sys
sys.argv = ["checker.py", {str(tmp_path / "fox.json")!r}, {FOX!r}]
runpy.run_path({str(CHECKER)!r}, run_name="__main__")
print(sorted(name for name in sys.modules if name.startswith(("numpy", "numba", "ludus.solving", "ludus.proving"))))
"""
    assert fresh_python(code).splitlines()[-1] == "[]"


def test_the_verdict_names_parameters_and_a_start_that_is_not_the_games_own(tmp_path):
    game = ludus.make_game("toads-and-frogs(strip=TT_FF_)")
    write(prove(solve(game, game.play(game.start(), 0))), tmp_path / "toads.json")
    said = run_checker(tmp_path / "toads.json", written_for_checker(game)).stdout
    assert "strip=Strip(toads=3, frogs=24, squares=6)) from Position(" in said
    assert said.endswith(": player 0 scores at least 1 (5 positions)\n")
