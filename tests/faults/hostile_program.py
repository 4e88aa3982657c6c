"""A program that plays badly: `python hostile_program.py KIND`; it leaves processes behind wherever it can."""

import json
import os
import signal
import sys
import time

KINDS = {}


def kind(play):
    """Mark a way to misbehave."""
    KINDS[play.__name__.replace("_", "-")] = play
    return play


def answer(first_line=None):
    """Answer every question with the first legal action."""
    for line in [first_line] if first_line else sys.stdin:
        say(json.dumps({"action": json.loads(line)["legal"][0]}))


def say(words):
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def forked(work):
    """Do something in another process, which outlives its parent."""
    if not os.fork():
        work()
        os._exit(0)


def deaf():
    """Ignore every signal that can be ignored, hold no pipe, and wait."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    for number in range(3):
        os.close(number)
    time.sleep(600)


def daemon():
    """A process in a session of its own whose parent is gone."""
    os.setsid()
    forked(deaf)


@kind
def play_on():
    for line in sys.stdin:
        time.sleep(0.2)
        answer(line)


@kind
def hang():
    time.sleep(600)


@kind
def ignore_signals():
    deaf()


@kind
def fork_and_play():
    """Children, grandchildren and daemons behind a sound game."""
    for _ in range(5):
        forked(lambda: (forked(deaf), deaf()))
        forked(daemon)
    play_on()


@kind
def fork_and_hang():
    for _ in range(5):
        forked(daemon)
    hang()


@kind
def fork_and_die():
    for _ in range(5):
        forked(daemon)
    sys.exit(3)


@kind
def hop():
    """A process that is another one all the time."""
    if not os.fork():
        os.setsid()
        end = time.monotonic() + 600
        while time.monotonic() < end:
            if os.fork():
                os._exit(0)
            time.sleep(0.001)
    play_on()


@kind
def signal_its_parent():
    forked(daemon)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        os.kill(supervisor(), number)
        os.killpg(supervisor(), number)
    play_on()


@kind
def kill_its_parent():
    os.kill(supervisor(), signal.SIGKILL)
    hang()


def supervisor():
    """The parent, which must be no other process."""
    with open(f"/proc/{os.getppid()}/cmdline") as line:
        assert "supervisor.py" in line.read()
    return os.getppid()


@kind
def flood_output():
    while True:
        say('{"action": 0}' * 1000)


@kind
def flood_errors():
    forked(lambda: [sys.stderr.write("?" * 100_000 + "\n") for _ in range(10**9)])
    play_on()


@kind
def one_endless_line():
    while True:
        sys.stdout.write("[" * 100_000)


@kind
def die_at_once():
    sys.exit(3)


@kind
def die_by_a_signal():
    os.kill(os.getpid(), signal.SIGSEGV)


@kind
def die_in_the_game():
    answer(sys.stdin.readline())
    sys.stderr.write("no more\n")
    sys.exit(4)


@kind
def close_output():
    forked(daemon)
    os.close(1)
    time.sleep(600)


@kind
def close_input():
    answer(sys.stdin.readline())
    os.close(0)
    time.sleep(600)


@kind
def no_json():
    say("no json")


@kind
def zeros():
    say("\0" * 1000)


@kind
def wrong_action():
    say('{"action": 10000000000000000000000}')


if __name__ == "__main__":
    KINDS[sys.argv[1]]()
