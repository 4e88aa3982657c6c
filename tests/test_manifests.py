"""The manifest of a run: no change goes unnoticed, and every error names its file."""

import json
from contextlib import nullcontext

import pytest
from trained import finished, new_run

from ludus.catalog import make_agent
from ludus.documents import checksum
from ludus.errors import LudusError
from ludus.learning.runs import extend, read_run
from ludus.learning.runs.files import MANIFEST, read_manifest
from ludus.networks import runtime

pytestmark = pytest.mark.usefixtures("plain", "home")


def one_line(error):
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("learner", ["dqn(hidden=8)", "alphazero(width=8, blocks=1, lanes=4)"])
def test_the_manifest_of_a_run_with_a_network_says_how_it_is_computed(tmp_path, learner):
    compute = read_manifest(new_run(tmp_path / "run", learner, "tic-tac-toe").path).compute
    assert compute == {"device": runtime.device(), "threads": str(runtime.threads())}


def test_no_flipped_bit_of_a_manifest_goes_unnoticed(tmp_path):
    path = new_run(tmp_path / "run", opponent=str(finished(tmp_path / "teacher").path)).path / MANIFEST
    whole = path.read_bytes()
    before = json.loads(whole)
    for place in range(0, len(whole), 5):
        content = whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :]
        path.write_bytes(content)
        with pytest.raises(LudusError, match=MANIFEST) if not same(content, before) else nullcontext():
            read_run(path.parent)


def same(content, before):
    try:
        return json.loads(content) == before
    except ValueError:
        return False


@pytest.mark.parametrize("longer", [False, True])
def test_an_edited_manifest_is_refused(tmp_path, longer):
    run = finished(tmp_path / "run", games=6)
    path = (extend(run, 12) if longer else run).path / MANIFEST
    path.write_text(path.read_text().replace('"seed": "0"', '"seed": "1"'))
    with pytest.raises(LudusError) as error:
        read_run(run.path)
    assert one_line(error) == f"{path} is damaged: its checksum is wrong"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"7", b"\xff\xfe", b'{"ludus": 1}', b'{"ludus": 2}'])
def test_a_damaged_manifest_is_named(tmp_path, content):
    run = finished(tmp_path / "run", games=1)
    (run.path / MANIFEST).write_bytes(content)
    with pytest.raises(LudusError) as error:
        make_agent(str(run.path))
    assert str(run.path / MANIFEST) in one_line(error)


def edited(value, *keys):
    def edit(content):
        *outer, last = keys
        for key in outer:
            content = content[key]
        if value is None:
            del content[last]
        else:
            content[last] = value

    return edit


@pytest.mark.parametrize(
    "edit",
    [
        *(edited(None, key) for key in ("ludus", "game", "fingerprint", "learner", "plan", "opponents")),
        edited(1, "ludus"),
        edited("no-such-game", "game"),
        edited("no-such-learner", "learner", "name"),
        edited("2", "learner", "epsilon"),
        edited("x", "plan", "games"),
        edited("1", "plan", "unheard"),
    ],
)
def test_every_error_in_a_manifest_names_its_file(tmp_path, edit):
    run = new_run(tmp_path / "run", games=1)
    content = json.loads((run.path / MANIFEST).read_text())
    edit(content)
    del content["digest"]
    sealed = content | {"digest": checksum(content)}
    (run.path / MANIFEST).write_text(json.dumps(sealed))
    with pytest.raises(LudusError) as error:
        read_run(run.path)
    assert str(run.path / MANIFEST) in one_line(error)
