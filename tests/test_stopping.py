"""Ctrl-C ends a command also while machine code runs, and leaves alone what saves its work."""

import subprocess
import sys
import time

import pytest

BUSY = "hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)"  # minutes in machine code, which looks at no signal


def run(code, patience):
    """The exit status, the output and the seconds of a process that runs some code, with this patience."""
    began = time.monotonic()
    script = f"""
import hashlib, os, signal, sys, threading, time
from ludus.commands import stopping
stopping._PATIENCE = {patience}

def interrupt(*moments):
    for moment in moments:
        threading.Timer(moment, os.kill, (os.getpid(), signal.SIGINT)).start()

{code}
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr, time.monotonic() - began


def test_machine_code_that_does_not_return_is_ended():
    assert run(f"with stopping.stoppable():\n    interrupt(0.1)\n    {BUSY}", 0.3)[:2] == (130, "ludus: stopped\n")


def test_a_second_interrupt_ends_machine_code_at_once():
    status, printed, seconds = run(f"with stopping.stoppable():\n    interrupt(0.1, 0.6)\n    {BUSY}", 60)
    assert (status, printed) == (130, "ludus: stopped\n")
    assert seconds < 20


@pytest.mark.parametrize("waiting", ["time.sleep(60)", "threading.Event().wait(60)", "while True: pass"])
def test_python_is_interrupted_as_ever(waiting):
    code = f"""
try:
    with stopping.stoppable():
        interrupt(0.1)
        {waiting}
except KeyboardInterrupt:
    print("interrupted")
"""
    assert run(code, 0.3)[:2] == (0, "interrupted\n")


def test_a_handler_has_all_the_time_that_it_needs():
    code = """
signal.signal(signal.SIGINT, lambda number, frame: (time.sleep(1), print("saved")))
with stopping.stoppable():
    interrupt(0.1)
    time.sleep(0.5)
"""
    assert run(code, 0.3)[:2] == (0, "saved\n")


def test_threads_in_machine_code_do_not_hold_up_the_end():
    status, printed, seconds = run(f"threading.Thread(target=lambda: {BUSY}).start()\nstopping.leave(130)", 60)
    assert (status, printed) == (130, "ludus: stopped\n")
    assert seconds < 20


def test_a_thread_of_its_own_is_left_alone():
    code = """
def work():
    with stopping.stoppable():
        print("done")
threading.Thread(target=work).start()
"""
    assert run(code, 1)[:2] == (0, "done\n")


def test_an_interrupt_that_machine_code_has_dropped_comes_again():
    code = """
import ctypes
asked = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))  # as a compiler asks for its cache
try:
    with stopping.stoppable():
        asked()
        time.sleep(60)
except KeyboardInterrupt:
    print("interrupted")
"""
    assert run(code, 60)[:2] == (0, "interrupted\n")


def test_a_second_interrupt_leaves_the_end_of_a_command_alone():
    code = """
interrupt(0.1)
import atexit
atexit.register(time.sleep, 0.5)
stopping.leave(130)
"""
    assert run(code, 60)[:2] == (130, "ludus: stopped\n")


@pytest.mark.parametrize("moment", ["ludus.commands", "typer"])
def test_ctrl_c_while_the_command_line_is_loaded_ends_it_in_one_line(moment):
    code = f"""
class Finder:
    def find_spec(self, name, path, target=None):
        if name == {moment!r}:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Finder())
for name in [name for name in sys.modules if name.split(".")[0] in ("ludus", "typer")]:
    del sys.modules[name]
from ludus.__main__ import main
main()
"""
    assert run(code, 60)[:2] == (130, "ludus: stopped\n")


@pytest.mark.parametrize(("when", "expected"), [("at the exit", (130, "ludus: stopped\n")), ("in the end", (0, ""))])
def test_ctrl_c_when_a_command_is_done_shows_no_traceback(when, expected):
    code = f"""
import atexit
from ludus import commands
from ludus.__main__ import main

class Interrupting:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)  # when Python takes itself apart

def run():
    if {when!r} == "in the end":
        sys.kept = Interrupting()
    else:
        atexit.register(os.kill, os.getpid(), signal.SIGINT)

commands.main = run
main()
"""
    assert run(code, 60)[:2] == expected


def test_an_interrupt_that_a_library_turns_into_another_error_is_one():
    code = """
from ludus import commands

def app(**settings):
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt as error:
        raise RuntimeError("cannot be loaded") from error

commands.app = app
commands.main()
"""
    assert run(code, 60)[:2] == (130, "ludus: stopped\n")


def test_ctrl_c_waits_until_jax_is_loaded():
    code = """
class Finder:
    def find_spec(self, name, path, target=None):
        if name == "jaxlib":
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Finder())
from ludus.networks.runtime import jax
try:
    jax()
except KeyboardInterrupt:
    print("interrupted", "jax" in sys.modules, hasattr(sys.modules["jax"], "jit"))
"""
    assert run(code, 60)[:2] == (0, "interrupted True True\n")
