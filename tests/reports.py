"""Reports of papers under test: made by the real command, parsed, and opened in a browser."""

import csv
import json
import os
import re
import shlex
import subprocess
import sys
from copy import deepcopy
from html.parser import HTMLParser
from itertools import groupby
from xml.etree import ElementTree

import pytest
import typer
from playwright.sync_api import sync_playwright

from ludus.commands import app
from ludus.report.document import VERDICTS
from ludus.report.page import text as as_html
from ludus.study.paper import paper
from ludus.study.paper.running import Kept, noted
from ludus.study.paper.tasks import rounds

CHROMIUM = "/usr/bin/chromium"


def run_again(name, folder):
    """Run a paper again at the tiny scale, by the command line: the document that it prints."""
    command = [sys.executable, "-c", "from ludus.commands import main; main()", "paper", name, "--scale", "tiny"]
    environment = os.environ | {"LUDUS_HOME": str(folder / "home")}
    done = subprocess.run(
        [*command, "--out", str(folder), "--json"], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def judged(claim, lab, answers):
    """What becomes of a claim where `answers` gives the results of the tasks that it asks for."""
    working = rounds(claim(lab))
    tasks = next(working)
    with pytest.raises(StopIteration) as stopped:
        working.send(answers(tasks))
    return stopped.value.value


def asked(name, folder, *parts, change=lambda task, result: result):
    """What parts of a paper at the tiny scale return, with the results that a folder keeps; and their tasks by key."""
    lab, kept, used, answers = paper(name).lab("tiny"), Kept(folder), {}, None
    working = noted([part(lab) for part in parts], used)
    while True:
        try:
            tasks = working.send(answers)
        except StopIteration as stop:
            return stop.value, used
        answers = [change(task, deepcopy(kept.done(task).result)) for task in tasks]


def findings_of(name, folder, **changes):
    """The sentences found in a paper's results, those of tasks changed by functions under the names of the tasks'."""

    def change(task, result):
        changed = changes.get(task.function.__name__)
        return changed(result) if changed else result

    (found,), _ = asked(name, folder, paper(name).findings, change=change)
    return " ".join([*found.sentences, found.next]).replace("`", "")


def results_of(name, folder, function):
    """The results of the tasks of a function that the findings of a paper are made of."""
    _, used = asked(name, folder, paper(name).findings)
    return [Kept(folder).done(task).result for task in used.values() if task.function.__name__ == function]


class Page(HTMLParser):
    """What a page holds: ids, links, and the words and cells of its tables."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.figures, self.tables, self._open = [], [], [], {}, None
        self.feed(re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given[name] for name in ("href", "src") if given.get(name)]
        if tag == "table":
            self._open = self.tables.setdefault(given.get("class", ""), [])
        elif tag == "tr" and self._open is not None:
            self._open.append([])
        elif tag == "td":
            self._open[-1].append("")

    def handle_endtag(self, tag):
        if tag == "table":
            self._open = None

    def handle_data(self, data):
        if self._open and self._open[-1]:
            self._open[-1][-1] += data


def checked(name, folder):
    """Parse the report of a paper in a folder, prove that nothing is missing, and return its page and its summary."""
    text = (folder / f"{name}.html").read_text()
    page = Page(text)
    report = json.loads((folder / name / "report.json").read_text())
    assert len(page.ids) == len(set(page.ids))
    _check_links(page, folder)
    _check_results(report)
    _check_claims(name, page, report)
    _check_figures(name, text, folder)
    _check_commands(folder / name, report)
    _check_findings(name, folder, text, report["findings"])
    assert (folder / name / report["figure"]["file"]).is_file()
    assert all(report["best"][each] for each in ("agent", "cost", "grade", "command"))
    words = re.sub(r"<script.*?</script>|<style.*?</style>|<[^>]*>", " ", text, flags=re.DOTALL)
    assert not re.search(r"\b(nan|inf|None|NaN)\b", words)
    return page, report


def _check_findings(name, folder, text, findings):
    """Two or three sentences on the page, of tasks that the paper does anyway, and a command to do next."""
    sentences = findings["sentences"]
    assert 2 <= len(sentences) <= 3
    assert all(sentence.endswith(".") and re.search(r"\d", sentence) for sentence in sentences)
    assert as_html(" ".join(sentences)) in text
    (command,) = re.findall("`(ludus [^`]+)`", findings["next"])
    for words in _simple_commands(command):
        _takes(words[1:])
    chosen = paper(name)
    works = [work for each in chosen.experiments for work in each.works]
    works += [*(each.judge for each in chosen.claims), chosen.best]
    assert asked(name, folder, chosen.findings)[1].keys() <= asked(name, folder, *works)[1].keys()


def _check_commands(folder, report):
    """Every command line is one that a shell and `ludus` would take."""
    with (folder / "tasks.csv").open() as tasks:
        commands = {row["command"] for row in csv.DictReader(tasks)}
    commands |= {claim["command"] for claim in report["claims"]} | {report["best"]["command"]}
    for words in (words for command in commands for words in _simple_commands(command)):
        if words and words[0] == "ludus":
            _takes(words[1:])


def _simple_commands(command):
    """The words of each of the commands in a line."""
    words = shlex.shlex(command, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    groups = [list(group) for ends, group in groupby(words, lambda word: word in (";", "&&")) if not ends]
    assert not any(set(word) <= set("()<>|&;") for group in groups for word in group if word), command
    return groups


def _takes(words):
    """Let the command line read some words, and do nothing; an error if it cannot."""
    whole = typer.main.get_command(app)
    context = whole.make_context("ludus", list(words))
    name, command, rest = whole.resolve_command(context, list(words))
    command.make_context(name, rest, parent=context)


def _check_links(page, folder):
    for link in page.links:
        if link.startswith("#"):
            assert link[1:] in page.ids, link
        elif not link.startswith("data:"):
            assert (folder / link).is_file(), link


def _check_results(report):
    for experiment in report["experiments"]:
        for result in experiment["results"]:
            assert result["ours"], result
            assert (result["verdict"] in ("agrees", "differs", "unsure", "needs full scale")) == bool(
                result["paper"]
            ), result
            assert bool(result["why"]) == (result["verdict"] in ("differs", "unsure", "needs full scale")), result


def _check_claims(name, page, report):
    assert [claim["claim"] for claim in report["claims"]] == [claim.text for claim in paper(name).claims]
    assert all(claim["verdict"] in VERDICTS and claim["evidence"] and claim["command"] for claim in report["claims"])
    assert len([row for row in page.tables["claims"] if row]) == len(report["claims"])


def _check_figures(name, text, folder):
    plots = re.findall(r'<div id="([^"]+)"><div class="plot"><script type="application/json">(.*?)</script>', text)
    assert plots
    for key, plot in plots:
        drawn = json.loads(plot)
        assert all(trace["x"] and len(trace["x"]) == len(trace["y"]) for trace in drawn["data"]), key
        ElementTree.parse(folder / name / f"{key}.svg")


def opened(path):
    """Open a page in a browser: how many figures it draws; anything in the console, or any request, is a failure."""
    trouble = []
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        page = browser.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda asked: trouble.append(asked.url) if asked.url.startswith("http") else None)
        page.goto(path.as_uri())
        figures = page.locator(".js-plotly-plot").count()
        wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
        page.emulate_media(media="print")
        still = page.locator("img.static").first.is_visible() if figures else True
        browser.close()
    assert trouble == []
    assert not wide
    assert still
    return figures
