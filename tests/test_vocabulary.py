"""One language: words that must not come back, in sources, page, docs and examples, with the word to use instead."""

import re

import pytest
from conftest import TESTS

ROOT = TESTS.parent
SUFFIXES = {".py", ".js", ".html", ".md"}
PLACES = ["src", "docs", "examples", "README.md", "CONTRIBUTING.md"]

# The pattern (any case) and what to write instead; docs/glossary.md has the words with their references.
BANNED = {
    r"\b_?told\b|_told\b|\btells?\b|\btelling\b|\b_tell\b": "print, show, report, describe",
    r"\bgo(es|ne|ing)?[ _]on with\b|\bgo_on\b|\bgoes on to\b|\bwent on with\b": "resume, continue",
    r"\bastray\b|\bwanders?\b|\bwander(er|ing)s?\b": "random opening plies, exploration",
    r"\bsure of\b|\bsure_of\b": "guaranteed result, guarantee",
    r"\bbest repl(y|ies)\b": "best response",
    r"\bright (decisions?|moves?|actions?)\b|\bshare_kept\b": "optimal decision, accuracy",
    r"\bopinions?\b|\bthoughts?\b|\bminds?\b": "evaluation, action values, policy, visit counts",
    r"\bworths?\b": "value, score, canonical form",
    r"\bfalls? short\b|\bshortfall\b": "exploitability",
    r"\bfor who moves\b|\bwho is to move\b|(?<!player )\bwho cannot move\b": "side to move; the player who cannot move",
    r"\bslopes?\b": "gradient",
    r"\bmost[ _]hopeful\b|\bplanted\b": "select, new tree",
    r"\bshel(f|ves)\b": "registry",
    r"\blessons?\b": "episode, training state; page of a tutorial",
    r"\bwhither\b|\bthither\b|\bwherein\b|\bthereof\b": "plain modern English",
    r"\bmarbles?\b": "stones",
    r"\bread such words\b": "parse",
    r"\w+student\b|\bstudent(?=[_(])": "trainer",
    r"\bof none of\b|\bby lot\b": "none of this, at random",
}

# Lines on which a word is meant as it stands: part of the path, part of the line, why.
ALLOWED = [
    ("src/ludus/cgt/forms.py", "slope", "the walls of a thermograph have slopes"),
    ("src/ludus/study/paper/verdict.py", "student_t", "Student's t distribution"),
    ("src/ludus/solving/solution_file.py", "_file.tell()", "a file's own method"),
]


def files():
    """Every file that people read: not the data, not what others wrote."""
    for place in PLACES:
        path = ROOT / place
        found = [path] if path.is_file() else sorted(path.rglob("*"))
        yield from (file for file in found if file.suffix in SUFFIXES and "__pycache__" not in file.parts)


def is_allowed(where, line):
    return any(path in where and words in line for path, words, _ in ALLOWED)


@pytest.mark.parametrize(("pattern", "instead"), BANNED.items(), ids=[use.split(",")[0] for use in BANNED.values()])
def test_no_word_of_the_old_dialect_comes_back(pattern, instead):
    banned = re.compile(pattern, re.IGNORECASE)
    found = []
    for file in files():
        where = str(file.relative_to(ROOT))
        for number, line in enumerate(file.read_text().splitlines(), 1):
            match = banned.search(line)
            if match and not is_allowed(where, line):
                found.append(f"{where}:{number}: {match[0]!r}, write {instead}: {line.strip()[:100]}")
    assert found == [], "\n" + "\n".join(found)


def test_every_exception_is_needed():
    lines = [(str(file.relative_to(ROOT)), line) for file in files() for line in file.read_text().splitlines()]
    unused = [one for one in ALLOWED if not any(one[0] in where and one[1] in line for where, line in lines)]
    assert unused == []
