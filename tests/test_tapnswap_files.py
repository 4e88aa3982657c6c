"""The TapnSwap paper's files: what is exported can be imported, and each number stands where the paper has it."""

import numpy as np
import pytest

import ludus
from ludus.commands.tables import PaperName, export_run, import_table
from ludus.errors import LudusError
from ludus.games.tapnswap import Position
from ludus.learning.runs import extend, resume, train

NAME = "greedy_0_8_vsRandomvsSelf"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "trained"
    learner = "q-table(epsilon=0.8, tables=mover, win=10, loss=-10)"
    return train(
        "tapnswap",
        learner,
        out=folder,
        games=400,
        eval_every=200,
        opponent="random:200,twin",
        grade="no",
        eval_games=50,
    )


@pytest.fixture(scope="module")
def exported(run, tmp_path_factory):
    return {path.name: path for path in export_run(run, tmp_path_factory.mktemp("files"))}


def test_files_are_called_as_in_the_paper(exported):
    assert sorted(exported) == ["GS_epsilon_0.8_vsRandomvsSelf.txt", f"count_{NAME}.csv", f"{NAME}.csv"]


def test_hands_that_differ_come_first_and_the_opponents_change_fastest(run, exported):
    values = np.loadtxt(exported[f"{NAME}.csv"], delimiter=",")
    assert values.shape == (625, 8)
    for row, hands in ((0, (0, 1, 0, 1)), (24, (0, 1, 4, 4)), (25, (0, 2, 0, 1)), (21 * 25 + 21, (1, 1, 1, 1))):
        pos = Position(*hands, 0)
        known = run.agent().evaluation(run.game, pos)
        assert [values[row, action] for action in known] == list(known.values())


def test_counts_add_up_to_what_was_taught(run, exported):
    counts = np.loadtxt(exported[f"count_{NAME}.csv"], delimiter=",")
    assert counts.sum() == run.agent().entries.visits.sum() > 0


def test_the_curve_holds_games_wins_finished_and_played(run, exported):
    curve = np.loadtxt(exported["GS_epsilon_0.8_vsRandomvsSelf.txt"], dtype=int)
    first = run.metrics()[0]["against"]["random"]
    wins, losses = (first["first"][key] + first["second"][key] for key in ("wins", "losses"))
    assert curve[0].tolist() == [200, wins, wins + losses, 50]
    assert curve[1, 0] == 400


def test_what_was_exported_is_imported_to_the_last_digit(run, exported, tmp_path):
    imported = import_table(exported[f"{NAME}.csv"], tmp_path / "imported")
    for name in ("values", "visits"):
        mine, theirs = (getattr(each.agent().entries, name) for each in (run, imported))
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.slow
def test_training_continues_from_an_imported_table(exported, tmp_path):
    imported = import_table(exported[f"{NAME}.csv"], tmp_path / "imported")
    before = imported.agent().entries.visits.sum()
    resume(extend(imported, 50))
    assert imported.agent().entries.visits.sum() > before


def test_an_imported_table_is_an_agent(exported, tmp_path):
    import_table(exported[f"{NAME}.csv"], tmp_path / "imported")
    agent = ludus.make_agent(str(tmp_path / "imported"))
    assert (
        ludus.play_match(ludus.make_game("tapnswap(distinct=true)"), agent, ludus.make_agent("random"), 200).all.a_wins
        > 100
    )


def test_an_imported_table_chooses_among_the_actions_of_the_program_and_takes_ties_to_the_first(exported, tmp_path):
    imported = import_table(exported[f"{NAME}.csv"], tmp_path / "imported")
    assert ludus.name_of(imported.game) == "tapnswap(distinct=true)"
    assert imported.learner.ties.name == "FIRST"


def test_a_name_as_the_author_wrote_it_is_read():
    assert PaperName.parse("greedy0_2_vsRandomvsSelf") == PaperName("0.2", ("random", "twin"))


def test_a_file_of_the_author_is_imported_by_its_own_name_with_the_counts_where_he_keeps_them(exported, tmp_path):
    (tmp_path / "data").mkdir()
    file = tmp_path / "greedy0_8_vsRandomvsSelf.csv"
    file.write_bytes(exported[f"{NAME}.csv"].read_bytes())
    (tmp_path / "data" / f"count_{file.name}").write_bytes(exported[f"count_{NAME}.csv"].read_bytes())
    beside = import_table(exported[f"{NAME}.csv"], tmp_path / "beside").agent().entries
    imported = import_table(file, tmp_path / "imported").agent().entries
    np.testing.assert_array_equal(imported.values, beside.values)
    np.testing.assert_array_equal(imported.visits, beside.visits)


def test_the_screen_on_the_first_page_lists_four_actions():
    game = ludus.make_game("tapnswap(distinct=true)")
    pos = Position(2, 2, 3, 2, 0)
    listed = [action for action in range(8) if game.legal(pos) >> action & 1]
    names = [game.action_name(pos, action) for action in listed]
    assert names == ["Tap with 2 on 3", "Tap with 2 on 2", "Swap 2-2 for 1-3", "Swap 2-2 for 0-4"]
    assert listed == [0, 1, 4, 5]


@pytest.mark.parametrize(
    ("hands", "listed"),
    [
        ((1, 1, 1, 1), [0, 4]),
        ((2, 1, 1, 1), [0, 2, 6]),  # 3-0 by one finger, not 0-3 by two
        ((1, 2, 4, 4), [0, 2, 4]),
        ((0, 4, 1, 3), [2, 3, 6, 7]),
    ],
)
def test_the_program_lists_the_first_tap_of_a_name_and_the_swap_of_fewest_fingers(hands, listed):
    game = ludus.make_game("tapnswap(distinct=true)")
    mask = game.legal(Position(*hands, 0))
    assert [action for action in range(8) if mask >> action & 1] == listed


@pytest.mark.parametrize("name", ["greedy_0_1_vsRandom", "greedy_1_0_vsSelf", NAME])
def test_names_are_read_and_written(name):
    assert str(PaperName.parse(name)) == name


def test_another_name_is_refused():
    with pytest.raises(LudusError, match=r"greedy_0_1_vsRandomvsSelf\.csv"):
        PaperName.parse("table")


def test_a_table_of_another_size_is_refused(tmp_path):
    path = tmp_path / "greedy_0_1_vsSelf.csv"
    path.write_text("1,2\n3,4\n")
    with pytest.raises(LudusError, match="2 x 2 numbers instead of 625 x 8"):
        import_table(path, tmp_path / "run")


@pytest.mark.parametrize("kind", ["", "count_"])
@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e999"])
def test_a_number_that_is_none_is_refused(tmp_path, number, kind):
    table, wrong = tmp_path / "greedy_0_1_vsSelf.csv", tmp_path / f"{kind}greedy_0_1_vsSelf.csv"
    rows = ["0,0,0,0,0,0,0,0"] * 625
    table.write_text("\n".join(rows))
    rows[2] = f"0,1,{number},0,0,0,0,0"
    wrong.write_text("\n".join(rows))
    with pytest.raises(LudusError) as error:
        import_table(table, tmp_path / "run")
    assert str(error.value) == f"{wrong} has {float(number)} in row 3: write finite numbers"
    assert not (tmp_path / "run").exists()


def test_a_table_that_is_not_seen_by_the_mover_is_not_exported(tmp_path):
    shared = train("tapnswap", "q-table", out=tmp_path / "shared", games=10, grade="no", eval_games=2)
    with pytest.raises(LudusError, match="--tables mover"):
        export_run(shared, tmp_path)
