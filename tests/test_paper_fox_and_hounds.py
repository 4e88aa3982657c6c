"""The Fox and Hounds paper, run again at a tiny scale by the real command."""

from statistics import fmean

import numpy as np
import pytest
from reports import checked, findings_of, judged, opened, results_of, run_again

import ludus
from ludus import face
from ludus.commands.paper import write_summary
from ludus.study.paper import paper
from ludus_papers.fox_and_hounds.claims import earlier_by_millions, hounds_reliably_learn, unexplored_states_lose
from ludus_papers.fox_and_hounds.cycles import Course, chance, play_cycles, settings, training_command
from ludus_papers.fox_and_hounds.tables import Exploring, game, lost_games, positions_met, repeated_games, solution

GRAPHS = {"1": 1, "2": 2, "3": 2, "4": 4, "5": 5}  # of the paper

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("later", "verdict"),
    [((20, 30), "supported"), ((12, 13), "refuted"), ((-20, -30), "refuted"), ((-30, 40), "open")],
    ids=["millions", "about a million", "later", "either"],
)
def test_a_couple_of_million_plies_rounds_to_two_million_on_average(later, verdict):
    slow = [{"plies": range(50 + each), "hounds": [[0.0]]} for each in later * 4]
    quick = [{"plies": range(50), "hounds": [[0.0]]}] * 8
    lab = paper("fox-and-hounds").lab("full", 2)
    assert judged(earlier_by_millions, lab, lambda tasks: slow + quick).verdict == verdict


@pytest.mark.parametrize(("certain", "verdict"), [(2, "refuted"), (18, "supported"), (11, "open")])
def test_hounds_reliably_learn_if_more_tables_than_not_win_against_every_fox(certain, verdict):
    tables = [{"own": [9, 8, 1.0 if number < certain else -1.0]} for number in range(20)]
    lab = paper("fox-and-hounds").lab("full", 5)
    assert judged(hounds_reliably_learn, lab, lambda tasks: tables).verdict == verdict


@pytest.mark.parametrize(
    ("kind", "verdict"), [("misjudged", "refuted"), ("new", "supported"), ("untried", "supported")]
)
def test_unexplored_states_lose_if_most_games_are_lost_where_no_winning_action_was_tried(kind, verdict):
    nothing = {"new": 0, "untried": 0, "misjudged": 0}
    lost = [{"lost": nothing | {kind: 3 + number % 2}} for number in range(39)] + [{"lost": nothing}]
    lab = paper("fox-and-hounds").lab("full", 5)
    assert judged(unexplored_states_lose, lab, lambda tasks: lost).verdict == verdict


def test_a_training_ends_once_the_hounds_win_enough():
    chosen = settings(0.1, 0.1)
    whole = play_cycles(chosen, 0, Course(4, ((0.1, None),), plies=1000))
    ended = play_cycles(chosen, 0, Course(4, ((0.1, None),), plies=1000, enough=(0.0, 2), counts=1))
    assert ended["hounds"] == whole["hounds"][:2]
    assert len(ended["plies"]) == len(ended["hounds"]) == 2
    assert whole["fox"] == whole["met"] == []
    assert [point[0] for point in ended["met"]] == ended["plies"][-1:]


def test_cycles_do_not_count_the_choice_of_the_fox_and_end_within_a_few_games():
    found = play_cycles(settings(0.1, 0.1), 0, Course(3, ((0.1, 0.1),), plies=2000))
    assert [plies // 2000 for plies in found["plies"]] == [1, 2, 3]


def visits_of(games):
    """Counts of taught actions, [players, positions, actions], by these games, listed one after another."""
    visits = np.zeros((2, game().num_seat_positions(0), game().num_actions), np.uint32)
    for actions in games:
        pos = game().start()
        for action in actions:
            visits[game().player(pos), game().seat_index(pos), action] += 1
            pos = game().play(pos, action)
    return visits


def random_games(number):
    """Games of random play."""
    found = []
    random = ludus.make_agent("random")
    ludus.play_match(game(), random, random, number, seats=ludus.Seats.FIRST, record=found.append)
    return [one.actions for one in found]


def test_positions_met_are_those_of_each_side_and_the_final_ones_of_both():
    games = random_games(300)
    met = ({0: set(), 1: set()}, set())
    for actions in games:
        pos = game().start()
        for action in actions:
            met[0][game().player(pos)].add(pos)
            pos = game().play(pos, action)
        met[1].add(pos)
    assert positions_met(game(), visits_of(games)) == [len(met[0][0]), len(met[0][1]), len(met[1])]


def test_a_lost_game_counts_by_what_the_hounds_knew_where_they_gave_the_win_away():
    random, visits = ludus.make_agent("random"), visits_of(random_games(2000))
    nothing, everything = np.zeros_like(visits), np.ones_like(visits)
    some, known, all_known = (lost_games(random, each, 1.0, 50) for each in (visits, nothing, everything))
    lost = [sum(one[kind] for kind in ("new", "untried", "misjudged")) for one in (some, known, all_known)]
    assert lost == [one["lost"] for one in (some, known, all_known)]
    assert lost[0] == lost[1] == lost[2] > 40
    assert (known["new"], all_known["misjudged"]) == (lost[0], lost[0])
    assert list(all_known["examples"]) == ["misjudged"]


def test_the_mistake_shown_gives_a_win_away_that_another_action_keeps():
    (position, played, winning) = lost_games(ludus.make_agent("random"), visits_of([]), 1.0, 5)["examples"]["new"]
    pos = face.parse_position(game(), position)
    named = {face.action_name(game(), pos, action): action for action in ludus.actions(game().legal(pos))}
    assert solution().value(game().play(pos, named[played])).score > 0
    assert all(solution().value(game().play(pos, named[name])).score < 0 for name in winning.split(" or "))


def test_greedy_games_without_ties_are_all_the_same():
    assert repeated_games(ludus.make_agent("first")) == [1, 100]
    assert repeated_games(ludus.make_agent("random"))[0] > 90


def test_an_exploring_agent_mixes_its_policy_with_a_uniform_one():
    shares = np.zeros(8)
    Exploring(ludus.make_agent("first"), 0.2).policy(game(), game().start(), shares)
    assert shares.tolist() == pytest.approx([0.85, 0.05, 0.05, 0.05, 0, 0, 0, 0])


def test_commands_have_switches_and_the_seat_that_is_tested():
    command = training_command({"alpha": "0.3", "backward": "true"}, 5, 1, out="RUN")
    assert command == "ludus train fox-and-hounds q-table --alpha 0.3 --backward --games 5 --seed 1 --out RUN"
    assert "--seats first" in chance(paper("fox-and-hounds").lab("tiny", 1), 0).command


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the report."""
    made = tmp_path_factory.mktemp("papers")
    run_again("fox-and-hounds", made)
    return made


def test_the_report_has_all_graphs_of_the_paper_and_nothing_is_missing(folder):
    page, report = checked("fox-and-hounds", folder)
    wanted = [f"exp-{key}-graph-{graph}" for key, count in GRAPHS.items() for graph in range(1, count + 1)]
    assert [graph for graph in wanted if graph not in page.ids] == []
    assert [each["key"] for each in report["experiments"]] == ["1", "2", "rates", "3", "4", "5", "losses", "later"]


def test_the_pages_open_without_errors_or_requests(folder):
    assert opened(folder / "fox-and-hounds.html") == sum(GRAPHS.values()) + 9
    assert opened(folder / "index.html") == 0


def test_what_was_done_is_not_done_again(folder):
    before = {path: path.stat().st_mtime_ns for path in (folder / "done").iterdir()}
    run_again("fox-and-hounds", folder)
    assert {path: path.stat().st_mtime_ns for path in (folder / "done").iterdir()} == before


def test_the_derived_strategy_answers_every_position_in_a_line(folder):
    lines = (folder / "fox-and-hounds" / "strategy.txt").read_text().splitlines()
    assert lines
    assert all("  " in line for line in lines)


def test_every_number_of_the_findings_is_that_of_a_task(folder):
    words = findings_of("fox-and-hounds", folder)
    (truth,), (strategy,) = (results_of("fox-and-hounds", folder, name) for name in ("solved", "derive"))
    best, *tables = sorted(results_of("fox-and-hounds", folder, "play_cycles"), key=lambda one: -len(one["hounds"][0]))
    assert f"all {truth['counts']['positions']:,} positions are solved" in words
    assert f"in {truth['plies']} plies" in words
    assert f"of the {len(tables)} tables" in words
    assert f"{fmean(one['own'][0] - one['own'][1] for one in tables):,.0f} of their decisions" in words
    assert f"after {best['games']:,} games" in words
    assert strategy["at_least"] < 0
    assert "Nor does a table" in words


def test_the_findings_change_with_the_results(folder):
    def perfect(one):
        return one | {"own": [9, 9, 1.0], "hounds": [[1.0, 1.0] for _ in one["hounds"]]}

    words = findings_of(
        "fox-and-hounds",
        folder,
        play_cycles=perfect,
        derive=lambda one: {"at_least": 1, "answers": dict.fromkeys(range(1234))},
        solved=lambda truth: truth | {"plies": 99, "score": 1},
    )
    assert "says: refuted, as all" in words
    assert "in 99 plies" in words
    assert "win 100.0% of their tests, and all 8 tables hold a strategy" in words
    assert ": it needs to know 1,234 positions" in words


def test_the_summary_in_markdown_leads_to_a_page_with_all_claims(folder, tmp_path):
    write_summary(folder, tmp_path)
    assert "(fox-and-hounds.md)" in (tmp_path / "results.md").read_text()
    page = (tmp_path / "fox-and-hounds.md").read_text()
    assert [claim.text for claim in paper("fox-and-hounds").claims if claim.text not in page] == []
