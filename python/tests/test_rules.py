"""Protocols from Python functions, against the same protocols as texts and in Rust."""

import enum
import inspect
import time
import traceback
from dataclasses import dataclass
from fractions import Fraction

import pytest

import ringleader as rl


def ranks(n, **options):
    def rank(a, b):
        """Equal ranks meet, one takes the next."""
        return (a, (b + 1) % n) if a == b else None

    return rl.Protocol.population(range(n), rank, leader=lambda r: r == 0, **options)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_python_rule_checks_like_the_same_algorithm_of_the_catalog(n):
    mine, theirs = ranks(n).check(n), rl.check("cai-izumi-wada", n, scheduler="random")
    for name in ("verdict", "configurations", "transitions", "really_safe", "states"):
        assert getattr(mine, name) == getattr(theirs, name), name
    assert mine.expected_steps.to_really_safe.worst == theirs.expected_steps.to_really_safe.worst


def test_a_python_rule_simulates_like_the_same_algorithm():
    everyone = lambda c: len(set(c)) == len(c)  # noqa: E731
    mine = ranks(4, safe=everyone).simulate(4, runs=50, seed=5)
    theirs = rl.simulate("cai-izumi-wada", 4, runs=50, seed=5)
    assert mine.runs["steps"] == theirs.runs["steps"]


def test_states_may_be_enums_dataclasses_and_tuples():
    class Role(enum.Enum):
        FOLLOWER = 0
        LEADER = 1

    def duel(a, b):
        return (Role.LEADER, Role.FOLLOWER) if a is b is Role.LEADER else None

    enums = rl.Protocol.population(Role, duel, leader=lambda s: s is Role.LEADER)
    assert enums.check(3).counterexample[0] == (Role.FOLLOWER,) * 3

    @dataclass(frozen=True)
    class Agent:
        leads: bool
        hops: int

    def hop(a, b):
        return (a, Agent(False, (b.hops + 1) % 2)) if a.leads and b.leads else None

    agents = [Agent(leads, hops) for leads in (False, True) for hops in range(2)]
    found = rl.Protocol.population(agents, hop, leader=lambda s: s.leads).check(2)
    assert found.configurations == 16 and all(isinstance(s, Agent) for s in found.counterexample[0])

    pairs = rl.product(leads=[False, True], hops=range(3))
    assert pairs[5].leads and pairs[5].hops == 2
    named = rl.Protocol.population(pairs, lambda a, b: None, leader=lambda s: s.leads)
    assert not named.check(2).holds
    assert named.elect(4, seed=1, limit=100).samples[0][1][0] in pairs


def test_coins_are_weighted_outcomes():
    def toss(a, b):
        """Two equal bits: one of them changes with probability 1/3."""
        if a == b:
            return {(a, 1 - b): Fraction(1, 3), (a, b): Fraction(2, 3)}
        return None

    coin = rl.Protocol.population([0, 1], toss, leader=bool)
    # From two equal agents, each step breaks the symmetry with probability 1/3: three steps.
    result = coin.check(2)
    assert result.holds
    assert result.expected_steps.to_really_safe.worst == 3
    floats = rl.Protocol.population([0, 1], lambda a, b: {(a, 1 - b): 1 / 3, (a, b): 2 / 3} if a == b else None, leader=bool)
    assert floats.check(2).expected_steps.to_really_safe.worst == 3


def test_the_rule_is_called_once_per_pair():
    calls = []

    def rule(a, b):
        calls.append((a, b))

    rl.Protocol.population("abc", rule, leader=bool)
    assert len(calls) == 9 == len(set(calls))
    calls.clear()
    told = rl.Protocol.population("ab", lambda a, b, told: calls.append(told), leader=bool, detector=True)
    assert len(calls) == 16 and set(calls) == {(x, y) for x in (False, True) for y in (False, True)}
    assert told.card["oracle"]


def test_a_detector_in_python():
    def rule(a, b, told):
        """Fischer and Jiang on complete graphs: two leaders meet, one resigns; without a leader, one begins."""
        if a and b:
            return (True, False)
        if not a and not b and not told[0]:
            return (True, False)
        return None

    mine = rl.Protocol.population([False, True], rule, leader=bool, detector=True)
    theirs = rl.check("fischer-jiang-complete", 3)
    found = mine.check(3)
    assert found.holds and found.configurations == theirs.configurations


def dijkstra(k):
    return rl.Protocol.ring(
        range(k),
        lambda left, own: left,
        bottom=lambda left, own: (own + 1) % k if left == own else None,
        token="enabled",
        goal="one-token",
    )


@pytest.mark.parametrize(("k", "n"), [(2, 3), (3, 3), (3, 4), (2, 4), (4, 5)])
def test_a_ring_in_python_checks_like_dijkstras(k, n):
    mine, theirs = dijkstra(k).check(n), rl.Protocol("dijkstra-k-state", k=k).check(n)
    assert (mine.verdict, mine.configurations, mine.really_safe) == (theirs.verdict, theirs.configurations, theirs.really_safe)
    if mine.steps is not None:
        assert mine.steps.to_really_safe.worst == theirs.steps.to_really_safe.worst


def test_a_ring_that_reads_both_sides():
    def settle(left, own, right):
        return 1 if left == own == right == 0 else None

    protocol = rl.Protocol.ring([0, 1], settle, reads="both", goal=lambda c: 1 in c, token=lambda left, own, right: own == 1)
    result = protocol.check(4)
    assert result.holds and result.steps.to_really_safe.worst == 1


def test_goals_and_safe_sets_are_functions_of_configurations():
    def at_most_one(configuration):
        """At most one agent leads."""
        return configuration.count(1) <= 1

    protocol = rl.Protocol.population([0, 1], lambda a, b: (1, 0) if a == b == 1 else None, leader=bool, goal=at_most_one)
    result = protocol.check(3)
    assert result.holds and result.really_safe == 4
    with pytest.raises(ValueError, match="functions, which are called for each"):
        protocol.check(40)
    with pytest.raises(ValueError, match="every size"):
        protocol.prove()
    wrong = rl.Protocol.population([0, 1], lambda a, b: (1, 0) if a == b == 1 else None, leader=bool, safe=lambda c: sum(c) == 2)
    assert wrong.check(3).own_safe_closed is False


def test_prove_from_python():
    def rule(a, b):
        return (True, False) if a and b else None

    assert not rl.Protocol.population([False, True], rule, leader=bool).prove().proved


def test_a_rule_that_raises_shows_its_own_traceback():
    def broken(a, b):
        return {"a": 1}["there is no such key"]

    with pytest.raises(KeyError) as caught:
        rl.Protocol.population("ab", broken)
    frames = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert "broken" in frames

    def goal(configuration):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine") as caught:
        rl.Protocol.population("ab", lambda a, b: None, goal=goal).check(2)
    assert "goal" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]


@pytest.mark.parametrize(
    ("make", "raised", "words"),
    [
        (lambda: rl.Protocol.population([], lambda a, b: None), ValueError, "at least one state"),
        (lambda: rl.Protocol.population([0, 0], lambda a, b: None), ValueError, "twice"),
        (lambda: rl.Protocol.population([[0]], lambda a, b: None), TypeError, "hashable"),
        (lambda: rl.Protocol.population([0, 1], lambda a, b: 7), TypeError, "pair of new states"),
        (lambda: rl.Protocol.population([0, 1], lambda a, b: (7, 0)), ValueError, "not one of the 2 states"),
        (lambda: rl.Protocol.population([0, 1], lambda a, b: {(0, 1): -1, (1, 1): 2}), ValueError, "not negative"),
        (lambda: rl.Protocol.population([0, 1], lambda a, b: {(0, 1): "x"}), TypeError, "weight is a number"),
        (lambda: rl.Protocol.population([0, 1], lambda a, b: None, goal="peace"), ValueError, "one-leader"),
        (lambda: rl.Protocol.population([0, 1], lambda a, b: None, leader=bool, graph="star"), ValueError, "star"),
        (lambda: rl.Protocol.ring([0, 1], lambda left, own: 5), ValueError, "not one of the 2 states"),
        (lambda: rl.Protocol.ring([0, 1], lambda left, own: None, reads="all"), ValueError, "left, or both"),
    ],
)
def test_wrong_rules_are_refused_in_plain_words(make, raised, words):
    with pytest.raises(raised, match=words):
        make()


def test_a_python_rule_checks_as_fast_as_the_same_rule_in_text():
    text = inspect.cleandoc(
        """
        protocol textual
        model population on complete
        state rank : 0..5
        show leader when rank = 0
        first:
          1: l.rank = r.rank -> r.rank := (r.rank + 1) mod 6
        goal one leader
        """
    )
    textual, mine = rl.Protocol.from_text(text), ranks(6)

    def seconds(protocol):
        begun = time.process_time()
        protocol.check(6, scheduler="globally-fair", symmetry=False, threads=1)
        return time.process_time() - begun

    rounds = [(seconds(mine), seconds(textual)) for _ in range(5)]
    own, other = (min(column) for column in zip(*rounds))
    assert own < 1.25 * other + 0.05, (own, other)


def test_a_weight_does_not_vanish():
    rare = lambda a, b: {(a, 1 - b): 1e-7, (a, b): 1.0}  # noqa: E731
    with pytest.raises(ValueError, match="would vanish"):
        rl.Protocol.population([0, 1], rare, leader=bool)


def test_none_is_no_state():
    with pytest.raises(ValueError, match="None is no state"):
        rl.Protocol.population([None, 1], lambda a, b: None, leader=bool)


def test_a_text_cannot_bring_markup_into_a_notebook():
    text = rl.Protocol.from_text(
        'protocol mark\nsummary "<script>alert(1)</script>"\nmodel population on complete\nstate leader : bit\nshow leader when leader\n'
        "goal one leader\nfirst:\n  1: l.leader and r.leader -> r.leader := 0\n"
    )
    assert "<script>" not in text._repr_html_() and "&lt;script&gt;" in text._repr_html_()


def test_probabilities_sum_to_one_and_whole_numbers_are_ratios():
    def steps(rule):
        return rl.Protocol.population([0, 1], rule, leader=bool).check(2).expected_steps.to_really_safe.worst

    assert steps(lambda a, b: {(a, 1 - b): 1, (a, b): 2} if a == b else None) == 3
    assert steps(lambda a, b: {(a, 1 - b): 0.25, (a, b): 0.75} if a == b else None) == 4
    for wrong in ({(0, 1): Fraction(1, 3)}, {(0, 1): 0.5, (0, 0): 0.6}, {(0, 1): float("nan")}):
        with pytest.raises(ValueError, match=r"the rule for \(0, 0\)"):
            rl.Protocol.population([0, 1], lambda a, b: wrong if a == b else None, leader=bool)


def test_a_goal_has_its_mark_and_functions_are_functions():
    with pytest.raises(ValueError, match="one-leader needs leader="):
        rl.Protocol.population([0, 1], lambda a, b: None)
    with pytest.raises(ValueError, match="one-token needs token="):
        rl.Protocol.ring([0, 1], lambda left, own: None, goal="one-token")
    with pytest.raises(TypeError, match="leader='L': give a function"):
        rl.Protocol.population(["L", "F"], lambda a, b: None, leader="L")
    with pytest.raises(ValueError, match="at most 2\\^24"):
        rl.Protocol.ring([0, 1], lambda left, own: None, token="enabled", goal="one-token").elect(2**40)


def test_a_counterexample_lists_its_states():
    """A picture has leaders and tokens; a majority has neither."""
    majority = rl.Protocol.population("AB", lambda a, b: (a, a) if a != b else None, goal=lambda c: all(s == "A" for s in c))
    shown = majority.check(3).counterexample
    assert ", ".join(shown.start) in shown._repr_html_() and ", ".join(shown.start) in majority.check(3)._repr_html_()
