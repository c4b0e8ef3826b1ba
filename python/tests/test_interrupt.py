"""Ctrl-C ends long work soon, with what is known so far; and no panic crosses the border."""

import os
import signal
import threading
import time

import pytest

import ringleader as rl
from ringleader import _engine

# The seconds from the signal to the exception: 100 ms as the wheel is built for users. The engines of a development build are hardly
# optimized: there the tests find work that ignores the signal, and do not measure the time.
SOON = 5 if _engine.DEBUG else 0.1
# The processor seconds after which the engine, too, has ended; not measured in a development build.
QUIET = float("inf") if _engine.DEBUG else 1
# Work that is late is interrupted again: a machine may be busy for a moment. Work that ignores the signal is late each time.
ATTEMPTS = 4


def clock():
    """A clock in seconds. Where more threads than cores are at work, they wait for each other, and only processor time counts."""
    return time.process_time if os.getloadavg()[0] > (os.cpu_count() or 1) else time.monotonic


def interrupted(work, after=0.6, raised=rl.Interrupted):
    """The partial result of work that was interrupted after some seconds, soon enough in one of some attempts."""
    late = []
    for _ in range(ATTEMPTS):
        took, partial = once(work, after, raised)
        if took < SOON:
            return partial
        late.append(f"{took:.3f} s")
        quiet()
    raise AssertionError(f"from the signal to the exception: {', '.join(late)}")


def once(work, after, raised):
    now, sent = clock(), []

    def send():
        sent.append(now())
        os.kill(os.getpid(), signal.SIGINT)

    # A job in the background of a shell script is started with this signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(after, send)
    timer.start()
    try:
        with pytest.raises(raised) as caught:
            work()
        took = now() - sent[0]
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    assert isinstance(caught.value, KeyboardInterrupt)
    return took, getattr(caught.value, "partial", None)


def quiet():
    """Waits until no engine works; returns the processor seconds until then."""
    begun = time.process_time()
    for _ in range(200):
        before = time.process_time()
        time.sleep(0.05)
        if time.process_time() - before < 0.01:
            return before - begun
    return time.process_time() - begun


@pytest.fixture(autouse=True)
def left_alone():
    """After each test, an engine that was left alone ends: the next measurement is not of its time."""
    yield
    quiet()


def test_simulate_keeps_its_runs():
    partial = interrupted(lambda: rl.simulate("yokota-ring", 64, runs=100_000, seed=1, threads=1))
    assert partial.interrupted and 0 < len(partial.runs) < 100_000


def test_simulate_while_its_table_is_built():
    # 3,864 local states: the table of all pairs takes seconds, and has nearly the largest size that is allowed.
    work = rl.Protocol("yokota-ring", bound=160)
    partial = interrupted(lambda: work.simulate(64, runs=10, seed=1, threads=1, kernel="table"), after=0.3)
    assert partial.interrupted and len(partial.runs) == 0


def test_simulate_of_one_long_run():
    partial = interrupted(lambda: rl.simulate("cai-izumi-wada", 4096, runs=1, seed=1, threads=1))
    assert partial.interrupted and len(partial.runs) == 0


def test_simulate_of_messages():
    partial = interrupted(lambda: rl.simulate("franklin", 64, runs=1_000_000, seed=1, threads=1))
    assert partial.interrupted and 0 < len(partial.runs) < 1_000_000


def test_simulate_of_leaders_that_do_not_stay():
    partial = interrupted(lambda: rl.simulate("loosely-stabilizing", 64, runs=10_000, seed=1, threads=1))
    assert isinstance(partial, rl.LooseResult) and partial.interrupted and len(partial.runs) < 10_000


def test_simulate_in_a_network():
    partial = interrupted(lambda: rl.simulate("robust-s1", 12, runs=1_000_000, seed=1, threads=1))
    assert isinstance(partial, rl.NetworkResult) and partial.interrupted and 0 < len(partial.runs) < 1_000_000


def test_check_while_its_table_is_built():
    partial = interrupted(lambda: rl.Protocol("yokota-ring", bound=160).check(2, threads=1), after=0.3)
    assert partial["phase"] == "compiling the rules"


@pytest.mark.parametrize("after", [0.15, 0.6, 1.2])
def test_check_keeps_its_findings(after):
    partial = interrupted(lambda: rl.check("yokota-ring", 4, threads=1, symmetry=False), after=after)
    assert partial["phase"] and "known" in partial


@pytest.mark.parametrize("scheduler", ["locally-fair", "distributed", "unfair"])
def test_check_under_other_daemons(scheduler):
    # 16,777,216 configurations: ten seconds under the quickest of these daemons.
    partial = interrupted(lambda: rl.check("dijkstra-k-state", 8, scheduler=scheduler, threads=1), after=0.3)
    assert partial["phase"]


@pytest.mark.parametrize("after", [0.3, 1.0, 2.0])
def test_check_of_messages(after):
    work = lambda: rl.check("franklin", 5, within=2000, threads=1, memory=4)  # noqa: E731
    partial = interrupted(work, after=after)
    assert isinstance(partial, rl.MessageCheckResult) or partial["phase"]


def test_check_of_a_rule_in_python_while_its_sets_are_built():
    slow = rl.Protocol.population(range(4), lambda a, b: None, goal=lambda c: sum(c) == 3)
    assert interrupted(lambda: slow.check(11), after=0.3, raised=KeyboardInterrupt) is None
    quick = rl.Protocol.population([0, 1], lambda a, b: None, leader=bool, goal=any)
    interrupted(lambda: [quick.check(21 - size) for size in range(3)], after=0.1, raised=KeyboardInterrupt)


def test_a_rule_in_python_while_its_table_is_built():
    work = lambda: rl.Protocol.population(range(3000), lambda a, b: None, leader=bool)  # noqa: E731
    assert interrupted(work, after=0.5, raised=KeyboardInterrupt) is None


def test_explore():
    partial = interrupted(lambda: rl.explore("franklin", 6, rotation=True, threads=1, memory=4))
    assert "depth" in partial["phase"] and partial["done"] > 0
    partial = interrupted(lambda: rl.explore("yokota-ring", 4, threads=1))
    assert partial["phase"]


def test_explore_while_it_minimizes():
    work = lambda: rl.explore("franklin", 5, minimize="branching", rotation=True, threads=1, memory=4)  # noqa: E731
    for after in (0.5, 2.0):
        assert interrupted(work, after=after)["phase"]


def test_chain():
    partial = interrupted(lambda: rl.Protocol("yokota-ring").chain(3, threads=1), after=0.5)
    assert partial["phase"]


@pytest.mark.parametrize("after", [0.05, 0.3, 1.0])
def test_search(after):
    partial = interrupted(lambda: rl.search(4, "ring", [3, 4], threads=1), after=after)
    assert not partial.complete and partial.share < 1
    assert quiet() < QUIET
    # Protocols that were found are kept, and each was confirmed.
    assert _engine.DEBUG or after < 1 or len(partial) > 0
    assert all(set(found.times) == {3, 4} for found in partial)


@pytest.mark.parametrize("after", [0.05, 0.4])
def test_search_whose_protocols_take_long_to_confirm(after):
    work = lambda: rl.search(3, "complete", [2, 3, 4, 12], detector=True, threads=1)  # noqa: E731
    assert not interrupted(work, after=after).complete
    assert quiet() < QUIET


def test_search_while_its_configurations_are_built():
    assert interrupted(lambda: rl.search(3, "ring", [13], threads=1), after=0.2).looked_at == 0
    assert quiet() < QUIET


def test_search_for_the_fastest():
    assert not interrupted(lambda: rl.search(4, "ring", [3, 4, 5], fastest=True, threads=1), after=0.4).complete
    assert quiet() < QUIET


def test_elect():
    partial = interrupted(lambda: rl.elect("cai-izumi-wada", 2000, seed=1))
    assert not partial.reached and partial.ended == "interrupted"


@pytest.mark.parametrize("after", [0.05, 0.2, 0.5, 1.0])
def test_prove(after):
    # The first takes ten seconds, the second has no proof after fifteen.
    for work in (lambda: rl.prove("gouda-haddix"), lambda: rl.prove("angluin-ring", not_multiple_of=3)):
        partial = interrupted(work, after=after)
        assert not partial.proved and partial.phase
        assert quiet() < QUIET


def test_the_next_work_goes_on():
    interrupted(lambda: rl.simulate("yokota-ring", 64, runs=100_000, seed=1, threads=1))
    assert rl.check("fischer-jiang-complete", 3).holds


def test_a_large_graph_that_is_built():
    star = rl.Protocol.population([0, 1], lambda a, b: None, leader=bool, graph="any")
    assert len(interrupted(lambda: star.simulate(2**21, runs=1, graph="star", threads=1), after=0.1).runs) == 0
    interrupted(lambda: star.elect(2**21, graph="star"), after=0.1)
