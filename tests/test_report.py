"""Reports: figures in both forms, tables, pages that need nothing beside themselves, and summaries."""

import csv
import json
from xml.etree import ElementTree

import pytest
from reports import Page, opened

from ludus import face
from ludus.documents import write_document
from ludus.errors import LudusError
from ludus.games.tic_tac_toe import TicTacToe
from ludus.report.document import (
    Bars,
    Best,
    Board,
    Boards,
    Claimed,
    Curves,
    Document,
    Findings,
    Level,
    Listing,
    Made,
    NotCovered,
    Result,
    Results,
    Section,
    Series,
    Table,
    Words,
)
from ludus.report.page import text, write_figures, write_reports
from ludus.report.plotly_figures import plot
from ludus.report.summary import as_markdown, overview, read_figure, read_summaries, summary, verdicts
from ludus.report.svg_figures import Axis, axis_over, draw, written

BOARD = face.draw(TicTacToe(), TicTacToe().start()).svg
RANDOM = Level("random play", 0.1)
CURVES = Curves(
    "curves",
    "Wins & losses",
    "games",
    "won",
    [Series("<b> & co", (10.0, 100.0), (0.2, 0.9), (0.1, 0.8), (0.3, 1.2)), Series("one point", (10.0,), (0.5,))],
    RANDOM,
    [Level("paper", 0.95)],
    "What `ludus` shows.",
)
BARS = Bars("bars", "Results", "games", ["30", "50"], ["won", "lost"], [[18, 26], [12, 23]], percent=False)
DOCUMENT = Document(
    "a-paper",
    "A <paper>",
    "Nobody",
    "About `it`.",
    BOARD,
    [
        Section(
            "1",
            "First",
            "They did it.",
            [
                Words("Some words."),
                CURVES,
                BARS,
                Table("table", "Numbers", ("name", "count"), [("a", 1234), ("b, c", 5)]),
                Boards("boards", "Positions", [Board(BOARD, "the start")]),
                Listing("strategy.txt", "A strategy", "\n".join(map(str, range(50)))),
                Results("results", [Result("won", "95.0%", "fig", "90.0% ± 1.0", 3, "differs", "it | was")]),
            ],
            "figure 1",
        )
    ],
    [Claimed("It works.", "refuted", "it lost 3 of 3", "ludus match", "a proof")],
    Best("perfect", "nothing", "right everywhere", "ludus grade perfect", [Words("Because.")]),
    Made(
        [("scale", "quick"), ("seeds", "1: 0"), ("processor time", "1 s in 1 tasks"), ("machine", "an abacus")],
        Table("tasks", "All", ("task",), [("one",)]),
        ["ludus paper a-paper"],
    ),
    "curves",
    Findings(["It loses 3 of 3.", "Ours < theirs."], "Next: `ludus games`."),
    [NotCovered("a sentence", "no experiment can")],
)


@pytest.fixture
def folder(tmp_path):
    """A folder with a report."""
    write_reports([DOCUMENT], tmp_path, ["a-paper"])
    return tmp_path


# ---- figures ----


@pytest.mark.parametrize(("name", "slanted"), [("30", 0), ("a name that is as long as this", 8)])
def test_names_of_bars_are_slanted_where_they_would_run_into_each_other(name, slanted):
    bars = BARS._replace(groups=[name] * 8, heights=[[1] * 8, [2] * 8])
    assert draw(bars).count("rotate(-45") == slanted


@pytest.mark.parametrize("figure", [CURVES, CURVES._replace(log=True), BARS, BARS._replace(stacked=True)])
def test_a_still_figure_is_xml_with_all_that_it_names(figure):
    drawn = ElementTree.fromstring(draw(figure))
    words = [element.text for element in drawn.iter("{http://www.w3.org/2000/svg}text")]
    series = figure.series if isinstance(figure, Bars) else [each.name for each in figure.series]
    assert set(series) <= set(words)
    assert not {"nan", "inf"} & set(draw(figure).split())


def test_a_band_beyond_all_shares_is_cut_at_the_edge():
    assert max(float(point.split(",")[1]) for point in draw(CURVES).split('points="')[1].split('"')[0].split()) <= 314
    assert min(float(point.split(",")[1]) for point in draw(CURVES).split('points="')[1].split('"')[0].split()) >= 14


def test_bars_upon_each_other_reach_the_sum():
    assert plot(BARS._replace(stacked=True))["layout"]["barmode"] == "stack"
    heights = [float(part.split('"')[0]) for part in draw(BARS._replace(stacked=True)).split('height="')[2:]]
    assert heights[1] + heights[0] < heights[2] + heights[3]


def test_a_live_figure_has_curves_bands_and_levels():
    names = [trace.get("name") for trace in plot(CURVES)["data"]]
    assert names == [None, "<b> & co", "one point", "random play", "paper"]


def test_bars_have_their_intervals():
    figure = BARS._replace(low=[[17, 25], [11, 22]], high=[[20, 28], [13, 24]])
    assert plot(figure)["data"][0]["error_y"]["array"] == [2, 2]
    assert draw(figure).count('class="error"') == 4


@pytest.mark.parametrize(
    ("axis", "marks"),
    [
        (Axis(0, 1), [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (Axis(0, 10), [0, 2, 4, 6, 8, 10]),
        (Axis(0.3, 0.41), [0.3, 0.32, 0.34, 0.36, 0.38, 0.4]),
        (Axis(50, 20_000, log=True), [100, 1000, 10_000]),
        (Axis(50, 2000, log=True), [50, 100, 200, 500, 1000, 2000]),
    ],
)
def test_axes_are_marked_at_round_numbers(axis, marks):
    assert axis.marks() == pytest.approx(marks)


def test_an_axis_over_one_number_has_room():
    assert axis_over([3.0]) == Axis(2.5, 3.5)
    assert axis_over([5.0], log=True) == Axis(5.0, 50.0, log=True)


def test_marks_are_short():
    assert [written(n, percent=False) for n in (0, 2500, 10_000, 2_500_000)] == ["0", "2500", "10 k", "2.5 M"]
    assert written(0.25, percent=True) == "25 %"


# ---- pages ----


def test_words_are_escaped_and_code_is_marked():
    assert text("a < b: `x > y`") == "a &lt; b: <code>x &gt; y</code>"


def test_all_links_of_a_page_lead_somewhere(folder):
    page = Page((folder / "a-paper.html").read_text())
    links = [link for link in page.links if not link.startswith("data:")]
    assert {"a-paper/curves.svg", "a-paper/table.csv", "a-paper/boards-1.svg", "a-paper/strategy.txt"} <= set(links)
    for link in links:
        assert link[1:] in page.ids if link.startswith("#") else (folder / link).is_file(), link


@pytest.mark.slow
def test_every_page_has_its_landmarks(folder, tmp_path):
    write_figures("Wins", [CURVES], tmp_path / "figures.html")
    for path in (folder / "a-paper.html", folder / "index.html", tmp_path / "figures.html"):
        shown = path.read_text()
        order = [shown.index(tag) for tag in ("<body>", "<header", "<h1>", "</header>", "<main>", "</main>", "</body>")]
        assert order == sorted(order)
    assert '</header><nav aria-label="Parts">' in (folder / "a-paper.html").read_text()


def test_a_page_carries_all_it_needs_and_draws_its_figures(folder):
    assert opened(folder / "a-paper.html") == 2
    assert opened(folder / "index.html") == 0


def test_a_long_listing_is_cut_on_the_page_and_whole_in_its_file(folder):
    page = (folder / "a-paper.html").read_text()
    assert "The first 40 of 50 lines" in page
    assert (folder / "a-paper" / "strategy.txt").read_text().splitlines()[-1] == "49"


def test_tables_are_written_as_csv(folder):
    with (folder / "a-paper" / "table.csv").open() as file:
        assert list(csv.reader(file)) == [["name", "count"], ["a", "1234"], ["b, c", "5"]]
    assert "it lost 3 of 3" in (folder / "a-paper" / "claims.csv").read_text()


def test_a_strip_is_shown_wide(tmp_path):
    strip = Board('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 50"></svg>', "a strip")
    section = DOCUMENT.sections[0]._replace(parts=[Boards("boards", "Positions", [strip])])
    write_reports([DOCUMENT._replace(sections=[section])], tmp_path, ["a-paper"])
    assert 'class="boards wide"' in (tmp_path / "a-paper.html").read_text()
    write_reports([DOCUMENT], tmp_path, ["a-paper"])
    assert 'class="boards wide"' not in (tmp_path / "a-paper.html").read_text()


# ---- summaries ----


def test_the_index_has_a_card_for_each_report_of_the_folder(folder):
    write_reports([DOCUMENT._replace(name="b-paper")], folder, ["b-paper", "a-paper", "c-paper"])
    index = (folder / "index.html").read_text()
    assert index.index('href="b-paper.html"') < index.index('href="a-paper.html"')
    assert "c-paper" not in index


def test_a_summary_is_read_back(folder):
    (read,) = read_summaries(folder, ["a-paper"])
    assert read == json.loads(json.dumps(summary(DOCUMENT)))
    assert verdicts(read) == {"differs": 1, "refuted": 1}


def test_a_damaged_summary_is_named(folder):
    (folder / "a-paper" / "report.json").write_text("{")
    with pytest.raises(LudusError, match=r"report\.json is damaged"):
        read_summaries(folder, ["a-paper"])


def test_a_summary_of_another_version_is_left_out_of_the_index(folder):
    path = folder / "a-paper" / "report.json"
    write_document(path, 1, {"paper": "a-paper"})
    write_reports([DOCUMENT._replace(name="b-paper")], folder, ["a-paper", "b-paper"])
    assert 'href="a-paper.html"' not in (folder / "index.html").read_text()
    assert 'href="b-paper.html"' in (folder / "index.html").read_text()


def test_the_figure_of_a_summary_is_read_or_named_where_it_is_gone(folder):
    (read,) = read_summaries(folder, ["a-paper"])
    assert read_figure(folder, read) == draw(CURVES).encode()
    (folder / "a-paper" / "curves.svg").unlink()
    with pytest.raises(LudusError, match=r"curves\.svg cannot be read: No such file"):
        read_figure(folder, read)


def test_a_summary_as_markdown_has_a_figure_results_tables_and_claims():
    text = as_markdown(summary(DOCUMENT))
    assert "| won | 95.0% | 90.0% ± 1.0 | 3 | differs | it \\| was |" in text
    assert "| It works. | refuted | it lost 3 of 3. To settle it: a proof. `ludus match` |" in text
    assert "| a sentence | no experiment can |" in text
    assert "The paper: They did it. Answers: figure 1." in text
    assert "![Wins & losses](a-paper.svg)" in text
    assert "**Numbers**\n\n| name | count |\n| --- | --- |\n| a | 1,234 |" in text
    assert "[A <paper>](a-paper.md)" in overview([summary(DOCUMENT)])


def test_a_report_begins_with_the_finding_one_figure_and_the_claims(folder):
    page, text = (folder / "a-paper.html").read_text(), as_markdown(summary(DOCUMENT))
    on_page = '<p class="found">It loses', 'id="curves"', 'id="claims"', "About <code>it</code>.", "Answers: figure 1."
    in_markdown = "It loses", "a-paper.svg", "## Claims", "Nobody. About", "Answers: figure 1."
    for shown, words in ((page, on_page), (text, in_markdown)):
        order = [
            shown.index(word) for word in (*words, "What would have worked</h2>" if shown is page else "## What w")
        ]
        assert order == sorted(order)
    assert page.count('id="curves"') == 1
    assert "<td>a sentence</td><td>no experiment can</td>" in page
    assert "To settle it: a proof" in page


def test_what_was_found_is_on_the_page_in_the_index_and_in_markdown(folder):
    page, index = ((folder / name).read_text() for name in ("a-paper.html", "index.html"))
    words = '<p class="found">It loses 3 of 3. Ours &lt; theirs.</p>'
    assert words in page
    assert '<p class="found">Next: <code>ludus games</code>.</p>' in page
    assert words in index
    assert as_markdown(summary(DOCUMENT)).startswith(
        "# A <paper>\n\nIt loses 3 of 3. Ours < theirs.\n\nNext: `ludus games`.\n\n**Wins & losses**"
    )
    assert overview([summary(DOCUMENT)]).startswith("**Nobody.** It loses 3 of 3. Ours < theirs.\n\n| paper |")


def test_a_short_training_of_the_best_agent_is_headed_as_one(tmp_path):
    short = DOCUMENT._replace(best=DOCUMENT.best._replace(short=True))
    write_reports([short], tmp_path, ["a-paper"])
    page = (tmp_path / "a-paper.html").read_text()
    assert page.count("What would have worked: a short training of it") == 2
    assert "--scale full" in page
    assert "## What would have worked: a short training of it" in as_markdown(summary(short))
    assert "a short training" not in as_markdown(summary(DOCUMENT))


def test_the_settings_of_the_learner_are_shown(tmp_path):
    config = Table("config", "The learner", ("of", "setting", "value"), [("q-table", "epsilon", "0.1")])
    write_reports([DOCUMENT._replace(made=DOCUMENT.made._replace(config=config))], tmp_path, ["a-paper"])
    assert (tmp_path / "a-paper" / "config.csv").read_text() == "of,setting,value\nq-table,epsilon,0.1\n"
    assert "a-paper/config.csv" in (tmp_path / "a-paper.html").read_text()
