"""`ludus serve` as a program: what it prints, how it ends, and that games survive when it is killed."""

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager

import httpx
import pytest

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-c", "from ludus.commands import main; main()", "serve", "--port", "0"]


@contextmanager
def started(home):
    """A server in a process of its own, and its address."""
    environment = os.environ | {"LUDUS_HOME": str(home), "COLUMNS": "120"}
    process = subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        yield process, re.search(r"http://\S+/", process.stdout.readline())[0]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def test_ctrl_c_stops_the_server_cleanly(tmp_path):
    with started(tmp_path) as (process, address):
        assert "Ludus" in httpx.get(address).text
        process.send_signal(signal.SIGINT)
        process.wait(20)
        assert "Traceback" not in process.stderr.read()


def test_a_game_survives_that_the_server_is_killed(tmp_path):
    seats = ["person", "random"]
    with started(tmp_path) as (process, address):
        name = httpx.post(f"{address}api/saved-games", json={"game": "tic-tac-toe", "seats": seats}).json()["id"]
        httpx.put(f"{address}api/saved-games/{name}", json={"actions": [4], "seats": seats}).raise_for_status()
        process.kill()
        process.wait()
    with started(tmp_path) as (_, address):
        assert httpx.get(f"{address}api/saved-games/{name}").json()["actions"] == [4]


def test_a_port_in_use_is_reported_in_one_line(ludus, tmp_path):
    with started(tmp_path) as (_, address):
        port = address.rstrip("/").rpartition(":")[2]
        done = ludus("serve", "--port", port, LUDUS_HOME=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.startswith(f"ludus: cannot listen on 127.0.0.1 port {port}")


@pytest.mark.parametrize("game", ["nowhere.py", "chess"])
def test_a_missing_game_is_reported_in_one_line(ludus, game):
    done = ludus("serve", game)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
