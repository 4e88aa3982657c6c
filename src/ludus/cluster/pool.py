"""Jobs in processes on this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess
from typing import Any

from ludus.cluster import Job, Outcome, ended
from ludus.errors import LudusError
from ludus.interrupts import held_interrupts, interrupt_again
from ludus.networks import runtime

_PATIENCE = 30.0  # seconds that a process has to save its work when all is stopped
_TRIES = 3  # that may end with a lost process, and nothing done, before the jobs are given up
_STOPPED = Outcome(None, "stopped")


def run_in_pool(jobs: Sequence[Job], workers: int, end: Callable[[int, Outcome], None], threads: int) -> None:
    """Run jobs in `workers` processes; the jobs of a lost process run again."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        sys.exit(1)  # a worker that runs its parent's script again, which explains why there
    waiting = dict(enumerate(jobs))
    lost = 0

    def over(number: int, outcome: Outcome) -> None:
        nonlocal lost
        end(number, outcome)
        del waiting[number]
        lost = 0

    while waiting:
        try:
            _run_until_lost(dict(waiting), workers, over, threads)
        except BrokenProcessPool:
            lost += 1
            if lost == _TRIES:
                first = next(iter(waiting.values())).name
                raise LudusError(
                    f"processes were lost {_TRIES} times, last at {first}: killed, out of memory, or begun by a"
                    ' script outside of `if __name__ == "__main__":`'
                ) from None


def _run_until_lost(jobs: dict[int, Job], workers: int, over: Callable[[int, Outcome], None], threads: int) -> None:
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _prepare, (threads,))
    try:
        with held_interrupts(), _blocked_interrupts():
            futures: dict[Future[Outcome], int] = {pool.submit(_work, job): number for number, job in jobs.items()}
        for future in as_completed(futures):
            number = futures.pop(future)
            over(number, _outcome(future, jobs[number]))
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        _stop(set(multiprocessing.active_children()) - others)
        raise
    pool.shutdown()


@contextmanager
def _blocked_interrupts() -> Iterator[None]:
    """Let processes that start here get no Ctrl-C before they are prepared for it; it waits until then."""
    resource_tracker.ensure_running()  # which would let it through again
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _outcome(future: Future[Outcome], job: Job) -> Outcome:
    try:
        return future.result()
    except BrokenProcessPool:
        raise
    except Exception as error:  # what does not travel from process to process
        return Outcome(None, f"{job.name} failed: {type(error).__name__}: {' '.join(str(error).split())}")


_stopping = threading.Event()  # set in a worker that is to do nothing more


def _prepare(threads: int) -> None:
    """Let this process get Ctrl-C only from its parent, and end with it."""
    os.setsid()
    sys.unraisablehook = interrupt_again
    signal.signal(signal.SIGINT, _note)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    runtime.pin_threads(threads)


def _note(number: int, frame: Any) -> None:
    _stopping.set()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)


def _work(job: Job) -> Outcome:
    if _stopping.is_set():
        return _STOPPED
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return ended(job)
    except KeyboardInterrupt:  # whatever was under way has been saved
        _stopping.set()
        return _STOPPED
    finally:
        signal.signal(signal.SIGINT, _note)


def _stop(processes: Collection[BaseProcess]) -> None:
    """Let processes save their work, then end them; Ctrl-C ends them at once."""
    try:
        for process in processes:
            with suppress(ProcessLookupError):
                if process.pid and process.is_alive():
                    os.kill(process.pid, signal.SIGINT)
        for process in processes:
            process.join(_PATIENCE)
    finally:
        for process in processes:
            process.kill()
