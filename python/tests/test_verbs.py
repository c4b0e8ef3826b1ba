"""Every verb, on algorithms by name and by text, against numbers that the papers and the command line give."""

import collections
import importlib.util
import inspect
import random
import re
import threading
import time
import warnings
from fractions import Fraction
from pathlib import Path

import pytest

import ringleader as rl

EXAMPLES = Path(__file__).parents[2] / "docs/examples"


def test_names_and_cards():
    assert len(rl.algorithms()) >= 36
    card = rl.Protocol("yokota-ring").card
    assert card["kind"] == "population" and "Yokota" in card["citation"]
    assert {p["name"] for p in card["parameters"]} >= {"bound"}


def test_check_holds_with_exact_fractions():
    result = rl.check("fischer-jiang-complete", 3)
    assert result.holds and bool(result) and result.configurations == 8
    worst = result.expected_steps.to_really_safe.worst
    assert isinstance(worst, Fraction)
    low, high = rl.bounds(worst)
    assert low <= worst <= high
    assert result.json["verdict"] == "holds" and "from every configuration" in result.text


def test_check_fails_with_a_counterexample():
    result = rl.check("fich-johnen", 4)
    assert not result and result.verdict == "fails"
    run = result.counterexample
    assert len(run.configurations) == len(run) == 1 + len(run.prefix) + len(run.cycle)
    assert run.cycle, "it repeats for ever"
    assert len(run[0]) == 4 and run[0][0].startswith("tag=")
    assert run.trace.startswith("ringleader trace")
    assert run.svg.startswith("<svg") and "repeats for ever" in run.svg
    assert run.tikz.startswith("\\begin{tikzpicture}")
    # A step changes only the process that takes it.
    for before, step in zip(run.configurations, run.prefix + run.cycle):
        changed = [i for i, (a, b) in enumerate(zip(before, step.configuration)) if a != b]
        assert set(changed) <= {step.process}


def test_claims_of_the_user():
    result = rl.check("yokota-ring", 3, invariants=["one i : leader[i]"])
    assert len(result.claims) == 1 and not result.claims[0].holds
    assert result.claims[0].counterexample is not None


def test_claims_about_executions():
    result = rl.check("gouda-haddix", 3, scheduler="fair", recurring=["token[i]"])
    (claim,) = result.claims
    assert claim.promise == "recurring" and claim.holds and claim.service.worst == 11 and claim.service.process == 0
    assert len(claim.service.start) == 3
    (claim,) = rl.check("dijkstra-k-state", 3, response=["x[i] = 0 leads to x[i] = 1"]).claims
    assert claim.promise == "response" and claim.holds and claim.service.worst > 0
    (claim,) = rl.check("dijkstra-k-state", 3, eventually=["all i : x[i] = 0"]).claims
    assert claim.promise == "eventually" and claim.holds
    (claim,) = rl.check("dijkstra-k-state", 3, recurring=["all i : x[i] = 2 and x[i] = 1"]).claims
    assert not claim.holds and claim.counterexample.cycle
    assert "recurring" in result._repr_html_()
    with pytest.raises(TypeError, match=r"recurring is a list: write recurring=\['token\[i\]'\]"):
        rl.check("gouda-haddix", 3, recurring="token[i]")
    with pytest.raises(ValueError, match="perfect oracle"):
        rl.Protocol("fischer-jiang-ring", oracle="eventually-correct").check(3, recurring=["leader[i]"])


def test_rounds():
    result = rl.check("dijkstra-k-state", 4, count_rounds=True)
    assert result.rounds.worst == 5 and len(result.rounds.worst_start) == 4
    assert rl.check("dijkstra-k-state", 4).rounds is None
    with pytest.raises(ValueError, match="rounds"):
        rl.check("fischer-jiang-ring", 3, count_rounds=True)


def test_expected_steps_from_given_configurations():
    worst = rl.check("fischer-jiang-ring", 3).expected_steps.to_really_safe
    result = rl.check("fischer-jiang-ring", 3, starts=["clean", worst.worst_start])
    assert result.starts[1] == worst.worst_start
    assert result.expected_steps.to_really_safe.from_starts == (Fraction(1), worst.worst)
    # States of a rule in Python are its own objects.
    ranks = rl.Protocol.population(range(3), lambda a, b: (a, (b + 1) % 3) if a == b else None, leader=lambda r: r == 0)
    time = ranks.check(3, starts=[(0, 0, 0), (0, 1, 2)]).expected_steps.to_really_safe
    assert 0 < time.from_starts[0] <= time.worst and time.from_starts[1] == 0
    with pytest.raises(ValueError, match="7 is no state"):
        ranks.check(3, starts=[(0, 0, 7)])
    with pytest.raises(ValueError, match="4 agents"):
        rl.check("fischer-jiang-ring", 3, starts=[worst.worst_start + worst.worst_start[:1]])
    run = rl.elect("fischer-jiang-ring", 3, seed=1, start=worst.worst_start)
    assert run.samples[0][:2] == (0, worst.worst_start)
    assert rl.simulate("fischer-jiang-ring", 3, runs=5, seed=1, start=worst.worst_start).reached


def test_states_are_merged_and_the_goal_checked_alone():
    merged, apart = rl.check("yokota-ring", 2, goal_only=True), rl.check("yokota-ring", 2, merge=False)
    assert merged.state_classes < merged.states and apart.state_classes is None
    assert merged.own_safe is None and apart.own_safe > 0
    low, high = rl.bounds(apart.expected_steps.to_really_safe.worst)
    assert low <= merged.expected_steps.to_really_safe.worst <= high
    with pytest.raises(ValueError, match="goal_only is not for franklin"):
        rl.check("franklin", 3, goal_only=True)


def test_fair_coins_against_a_daemon():
    result = rl.check("herman", 3, scheduler="unfair")
    assert not result and result.coins == "fair" and result.least_probability.worst == (0, 0)
    assert result.greatest_probability.worst == (0, 0)
    assert {len(at.configuration) for at in result.counterexample.strategy} == {3}
    assert rl.check("herman", 3, scheduler="unfair", coins="adversarial").coins == "adversarial"


def test_check_of_messages():
    result = rl.check("franklin", 3, reading="both", within=80)
    assert isinstance(result, rl.MessageCheckResult) and result.holds
    low, high = result.expected_steps["uniform"]
    assert low <= high < low * 1.001
    assert len(result.within) == 81 and result.within["max"][-1] > 0.5
    flawed = rl.Protocol("franklin-no-bit", ids=3).check(3)
    assert not flawed.holds and flawed.trace and flawed.svg.startswith("<svg")


def test_probabilities_in_time():
    result = rl.check("herman", 3, within=10, quantile=0.99)
    assert result.within.columns == ["t", "worst", "mean"] and len(result.within) > 10
    # Three tokens of three processes: all coins agree with probability 1/4, and then nothing changes.
    assert [round(p, 9) for p in result.within["worst"][:3]] == [0, 0.75, 0.9375]
    assert result.quantile.worst == (4, 4) and result.svg.startswith("<svg")
    daemon = rl.check("herman", 3, scheduler="unfair", coins="fair", within=3)
    assert daemon.within.columns == ["t", "worst", "mean", "worst max", "mean max"]
    with pytest.raises(ValueError, match="leave the claims out"):
        rl.check("herman", 3, within=3, recurring=["token[i]"])


def test_moves_and_rounds():
    result = rl.check("dijkstra-k-state", 3, scheduler="distributed", count_moves=True, count_rounds=True)
    assert result.moves.to_really_safe.worst >= result.steps.to_really_safe.worst and result.rounds.worst >= 1
    assert rl.check("herman", 3, count_rounds=True).rounds.expected


def test_given_starts():
    def cancel(a, b):
        """Opposite opinions cancel; a decided agent tells the others."""
        return {("A", "B"): ("a", "b"), ("B", "A"): ("b", "a"), ("A", "b"): ("A", "a"), ("B", "a"): ("B", "b")}.get((a, b))

    majority = rl.Protocol.population("ABab", cancel, goal=lambda c: all(s in "Aa" for s in c))
    result = majority.check(5, start={"A": 3, "B": 2})
    assert result.holds and result.from_starts["count"] == 10
    assert not majority.check(5, start={"A": 2, "B": 3}).holds
    assert not majority.check(5).holds
    duel = rl.Protocol.from_text(
        "protocol duel\nmodel population on complete\nstate lead : bit\nshow leader when lead = 1\nstart = all i : lead[i] = 1\n"
        "first:\n  1: l.lead = 1 and r.lead = 1 -> r.lead := 0\ngoal one leader\n"
    )
    assert duel.check(3).holds and not duel.check(3, start="arbitrary").holds
    assert duel.check(3, start={"lead=1": 2, "lead=0": 1}).holds
    with pytest.raises(ValueError, match="5 agents, and the size is 4"):
        majority.check(4, start={"A": 3, "B": 2})


def test_parameters_are_options_of_the_functions():
    assert rl.check("franklin", 3, ids=2).parameters == {"ids": "2"}
    with pytest.raises(TypeError, match="schedular"):
        rl.check("fischer-jiang-ring", 3, schedular="random")


def test_a_chain_by_name_and_from_a_copy_of_a_result():
    import pickle

    pytest.importorskip("numpy")
    assert rl.chain("fischer-jiang-ring", 3).states == 512
    assert pickle.loads(pickle.dumps(rl.explore("fischer-jiang-ring", 3))).chain().states == 512


def test_results_and_protocols_travel_between_processes():
    import copy
    import pickle

    result = rl.simulate("yokota-ring", [4, 8], runs=2, seed=1)
    assert pickle.loads(pickle.dumps(result)) == result
    assert copy.deepcopy(rl.Protocol("yokota-ring", bound=8)).parameters == {"bound": "8"}
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(rl.Protocol.population("ab", lambda a, b: None, leader=lambda s: s == "a"))


def test_columns_do_not_depend_on_the_runs():
    cut = rl.simulate("yokota-ring", [4, 8], runs=2, seed=1, limit=0)
    assert cut.sizes["mean_steps"] == [None, None] and "last_output_change" in cut.runs


def test_explore():
    result = rl.explore("franklin", 3)
    assert result.states == 15_445  # Table 1 of the paper
    assert result.json["reading"] == "both"
    ring = rl.explore("fischer-jiang-ring", 3)
    assert ring.configurations == ring.json["configurations"] and ring.really_safe > 0


def greys(svg):
    """The greys of agents without a mark: the darker, the greater the value of the variable that shades them."""
    colours = {tuple(int(c[i : i + 2], 16) for i in (0, 2, 4)) for c in re.findall('fill="#([0-9a-f]{6})"', svg)}
    return {red for red, green, blue in colours if red == green == blue - 6}


def test_pictures_are_shaded():
    # The distance from the leader shades the agents of yokota-ring; fischer-jiang-ring has no such variable.
    assert len(greys(rl.elect("yokota-ring", 12, seed=1).svg)) > 5
    assert greys(rl.elect("fischer-jiang-ring", 12, seed=1).svg) == {246}
    # The processes of this counterexample have v = 1 and v = 2, which is the greatest value and the darkest grey.
    assert greys(rl.check("fich-johnen", 4).counterexample.svg) == {226, 206}


def test_simulate_is_reproducible_and_tabular():
    protocol = rl.Protocol("yokota-ring")
    one = protocol.simulate([8, 16, 32], runs=20, seed=7, threads=1)
    two = protocol.simulate([8, 16, 32], runs=20, seed=7, threads=2)
    assert one.runs["steps"] == two.runs["steps"] and len(one.runs) == 60
    assert one.sizes["size"] == [8, 16, 32] and one.reached
    assert 1.0 < one.exponent["value"] < 4.0
    mean = sum(one.runs["steps"][:20]) / 20
    assert mean == pytest.approx(one.sizes["mean_steps"][0])
    assert one.svg.startswith("<svg") and "<table>" in one._repr_html_()


def test_simulate_faults_and_parameters():
    protocol = rl.Protocol("yokota-ring")
    healed = protocol.simulate(16, runs=5, seed=1, corrupt=[1, 4], repeat=3)
    assert healed.axis == "corrupt" and len(healed.recoveries) == 2 * 5 * 3
    varied = protocol.simulate(8, runs=5, seed=1, vary=("bound", [8, 16]))
    assert varied.axis == "bound" and varied.runs["bound"] == [8] * 5 + [16] * 5
    with pytest.raises(ValueError, match="takes a list"):
        protocol.simulate([8, 16], corrupt=[1, 2])


def test_simulate_messages():
    result = rl.simulate("chang-roberts", 16, runs=10, seed=3)
    assert result.reached and min(result.runs["messages"]) >= 31


def test_simulate_loosely_stabilizing_algorithms():
    result = rl.Protocol("loosely-stabilizing", timer=8).simulate([4, 8], runs=6, seed=1, limit=20_000, threads=2)
    assert isinstance(result, rl.LooseResult) and result.watched == 20_000
    assert result.json["sizes"][0]["runs"] == 6 and result.sizes["size"] == [4, 8]
    runs = result.runs
    assert runs["run"] == [0, 1, 2, 3, 4, 5] * 2 and sum(runs["lost"][:6]) == result.sizes["lost"][0]
    again = rl.Protocol("loosely-stabilizing", timer=8).simulate([4, 8], runs=6, seed=1, limit=20_000, threads=1)
    assert again.runs["held"] == runs["held"]
    assert "safe for long" in result.text
    # The numbers of `ringleader simulate loosely-stabilizing --size 4,8 --timer 8 --runs 6 --seed 1 --limit 20000`.
    assert [round(mean, 1) for mean in result.sizes["mean_steps"]] == [9.3, 44.0]
    assert [int(held) for held in result.sizes["steps_held_per_loss"]] == [10_542, 5_829]


def test_simulate_robust_algorithms_in_hostile_networks():
    result = rl.simulate("robust-s5", [4, 6], runs=5, seed=1, crash=1, restart=1, eventually=True, links_over_time=True)
    assert isinstance(result, rl.NetworkResult) and result.reached
    assert result.sizes["size"] == [4, 6] and all(mean > 0 for mean in result.sizes["settling_deltas_mean"])
    assert len(result.runs) == 10 and result.svg.startswith("<svg") and "settling time" in result.text
    # One size alone has the given seed.
    alone = rl.simulate("robust-s5", 4, runs=5, seed=1)
    assert alone.json["seed"] == 1 and alone.json["digest"]
    # Theorem 4: an adversary that waits for a leader takes it away from a communication-efficient algorithm.
    struck = rl.simulate("robust-s2", 4, runs=3, seed=1, adversary="theorem-4")
    assert (struck.json["runs"], struck.json["leader_lost"]) == (3, 3)


def test_claims_about_messages():
    result = rl.check("franklin", 3, invariants=["some i : leader[i]"], eventually=["some i : leader[i]"])
    holds = {p.name: p.holds for p in result.properties}
    assert holds["`some i : leader[i]` in every reachable state"] is False
    assert holds["every execution reaches `some i : leader[i]`"] is True
    assert not result.holds and result.trace


def test_every_order_of_the_identities_is_checked():
    result = rl.check("chang-roberts", 4)
    assert result.holds and result.json["orders"]
    one = rl.Protocol("chang-roberts", identities="descending").check(4)
    assert one.holds and "orders" not in one.json and one.stored < result.stored


def test_no_runs_reach_nothing():
    assert not rl.simulate("robust-s2", 4, runs=2, seed=1, adversary="theorem-4").reached


def test_sizes_of_numpy():
    numpy = pytest.importorskip("numpy")
    assert rl.check("yokota-ring", numpy.int64(3)).verdict == "holds"
    assert rl.simulate("yokota-ring", numpy.int64(8), runs=2, seed=1).runs["size"] == [8, 8]


def test_two_curves():
    result = rl.check("franklin", 3, within=20, against=("variant", "b"))
    assert len(result.within) == len(result.against) == 21


def test_hints_are_checked_instead_of_searched():
    ring = rl.Protocol("fischer-jiang-ring")
    measures = ring.prove().measures
    assert ring.prove(hints="\n".join(measures)).proved
    assert not ring.prove(hints=measures[0]).proved


def test_a_flawed_algorithm_warns():
    with pytest.warns(UserWarning, match="known to be flawed"):
        rl.Protocol("franklin-no-bit", ids=3).elect(3, seed=1, limit=1000)


def test_elect_shows_itself():
    result = rl.elect("yokota-ring", 12, seed=3, corrupt=3)
    assert result.reached and len(result.leaders) == 1 and len(result.recoveries) == 1
    assert result.samples[0][0] == 0 and len(result.samples[0][1]) == 12
    assert result._repr_svg_().startswith("<svg") and "\\fill" in result.tikz
    again = rl.elect("yokota-ring", 12, seed=3, corrupt=3)
    assert again.json == result.json and again.samples == result.samples
    assert rl.elect("robust-s5", 4, seed=1).basis == "settled"


def test_prove_and_refute(tmp_path):
    proof = rl.Protocol("fischer-jiang-ring").prove(from_size=3)
    assert proof.proved and proof.from_size == 3 and proof.measures
    proof.save_certificate(tmp_path / "ring.json")
    assert (tmp_path / "ring.json").stat().st_size > 1000
    assert rl.Protocol("fischer-jiang-complete").prove().proved


@pytest.mark.parametrize("file, scheduler", [("randomized/israeli-jalfon", "random-partner"), ("fair/broadcast", "fair"), ("fair/slow-tokens", "locally-fair")])
def test_daemons_of_proofs(file, scheduler):
    proof = rl.Protocol.from_text((EXAMPLES / f"{file}.ring").read_text()).prove(scheduler=scheduler)
    assert proof.json["scheduler"] == scheduler and proof.outcome == ("refuted" if "slow" in file else "proved")
    with pytest.raises(ValueError, match="the schedulers of proofs are"):
        rl.Protocol("fischer-jiang-ring").prove(scheduler="alternating")
    with pytest.raises(ValueError, match="is for complete graphs"):
        rl.Protocol("fischer-jiang-complete").prove(scheduler=scheduler)


def test_search():
    result = rl.search(2, "complete", [2, 3, 4], detector=True)
    assert result.complete and len(result) == min(10, result.protocols)
    first = result[0]
    checked = rl.Protocol.from_text(first.text).check(3)
    assert checked.holds
    assert checked.expected_steps.to_really_safe.worst == first.times[3]


def test_layers_and_oracles():
    assert rl.Protocol("fischer-jiang-ring", layers="distance", bound=3).check(3).holds
    assert rl.Protocol("fischer-jiang-ring", oracle="eventually-correct").check(3).oracle == "eventually-correct"
    with pytest.raises(ValueError, match="needs no oracle"):
        rl.Protocol("yokota-ring", oracle="perfect").check(3)


def test_graphs():
    text = inspect.cleandoc(
        """
        protocol one
        model population on graph
        state lead : bit
        show leader when lead = 1
        first:
          1: l.lead = 1 and r.lead = 1 -> r.lead := 0
        goal one leader
        """
    )
    one = rl.Protocol.from_text(text)
    line = one.check(3, graph=[(0, 1), (1, 0), (1, 2), (2, 1)])
    assert not line.holds
    networkx = pytest.importorskip("networkx")
    assert one.check(3, graph=networkx.path_graph(3)).configurations == line.configurations
    assert one.check(3, graph="line").configurations == line.configurations
    assert one.simulate(9, runs=5, seed=1, graph="grid:3x3", start="all-leaders", limit=10**5).runs["size"] == [9] * 5
    with pytest.raises(ValueError, match="numbered in order"):
        rl.check("yokota-ring", 3, graph="complete")
    with pytest.raises(ValueError, match="random-tree"):
        one.check(3, graph="tree")


def test_processes_of_a_graph():
    assert rl.check("tree-leader", 4).graph == "line"
    assert rl.check("best-offer", 3, graph="star").holds
    with pytest.raises(ValueError, match="is for trees, and the graph has the cycle 0-1-2-0"):
        rl.check("tree-leader", 3, graph="complete")
    found = rl.explore("independent-set", 4, graph="star")
    assert (found.configurations, found.really_safe) == (16, 2)
    result = rl.simulate("independent-set", 400, runs=3, seed=1, graph="grid", scheduler="alternating")
    assert result.runs["size"] == [400] * 3 and result.reached
    assert rl.elect("hsu-huang", 4, graph=[(0, 1), (1, 2), (2, 3)], seed=1).reached


def test_all_graphs():
    result = rl.check("hsu-huang", 4, graph="all")
    assert result.holds and result.graphs == rl.AllGraphs("all", 6, 0, ())
    assert result.steps.to_really_safe.worst == 10 and result.graph.startswith("graph with the edges")
    assert result.text.startswith("6 connected graphs of 4 processes, up to isomorphism: holds on all of them.")
    failing = rl.check("hsu-huang", 4, graph="all", scheduler="distributed")
    assert not failing.holds and failing.graphs.failing == 4 and failing.counterexample is not None
    assert rl.check("tree-centre", 5, graph="trees").steps.to_really_safe.worst == 15
    assert rl.check("huang-chen", 4, graph="all").graphs == rl.AllGraphs("all", 11, 0, ("root",))
    one = rl.Protocol.population([0, 1], lambda a, b: (1, 0) if a and b else None, leader=bool, graph="any")
    assert one.check(3, graph="all", scheduler="random").graphs.count == 2
    assert rl.check("independent-set", 4, graph="star").graphs is None
    with pytest.raises(ValueError, match='give graph="trees"'):
        rl.check("tree-leader", 3, graph="all")
    with pytest.raises(ValueError, match="not for all graphs"):
        rl.check("yokota-ring", 3, graph="all")
    with pytest.raises(ValueError, match="no family of graphs"):
        rl.simulate("independent-set", 4, runs=1, graph="all")


@pytest.mark.parametrize(
    ("wrong", "raised", "words"),
    [
        (lambda: rl.Protocol("yokota-rong"), ValueError, "did you mean yokota-ring"),
        (lambda: rl.Protocol("yokota-ring", speed=3).check(3), TypeError, "no parameter"),
        (lambda: rl.Protocol(3), TypeError, "is a text"),
        (lambda: rl.check("yokota-ring", "3"), TypeError, "integer"),
        (lambda: rl.check("yokota-ring", 0), ValueError, "at least one"),
        (lambda: rl.check("yokota-ring", 3, scheduler="lazy"), ValueError, "lazy"),
        (lambda: rl.check("fischer-jiang-ring", 40), ValueError, "configurations"),
        (lambda: rl.check("yokota-ring", 4, memory=0.001), MemoryError, "GiB"),
        (lambda: rl.check("yokota-ring", 3, memory=-1), ValueError, "positive"),
        (lambda: rl.check("yokota-ring", 3, memory="2"), TypeError, "number of GiB"),
        (lambda: rl.simulate("yokota-ring", 8, runs=2.5), TypeError, "runs: 'float'"),
        (lambda: rl.simulate("yokota-ring", 8.0), TypeError, "size=8.0: give an integer"),
        (lambda: rl.simulate("yokota-ring", "8"), TypeError, "size='8': give an integer"),
        (lambda: rl.check("yokota-ring", 3, width=float("nan")), ValueError, "width=nan"),
        (lambda: rl.simulate("yokota-ring", 8, limit=-1), ValueError, "limit=-1"),
        (lambda: rl.simulate("yokota-ring", 8, corrupt=-1), ValueError, "corrupt=-1"),
        (lambda: rl.simulate("yokota-ring", 8, seed=2**70), ValueError, "seed="),
        (lambda: rl.simulate("yokota-ring", 8, seed="a"), TypeError, "seed='a'"),
        (lambda: rl.elect("yokota-ring", 4, rows=10**18), ValueError, "at most 1,000,000 rows"),
        (lambda: rl.check("robust-s5", 3), ValueError, "elect"),
        (lambda: rl.simulate("yokota-ring", [8, 8]), ValueError, "twice"),
        (lambda: rl.simulate("yokota-ring", 8, runs=0), ValueError, "runs"),
        (lambda: rl.simulate("yokota-ring", 8, start="asleep"), ValueError, "asleep"),
        (lambda: rl.elect("fich-johnen", 4), ValueError, "prime"),
        (lambda: rl.Protocol.from_text("protocol x\nmodel nothing"), ValueError, "model"),
        (lambda: rl.Protocol.load("not-there.ring"), FileNotFoundError, "not-there"),
        (lambda: rl.search(2, "star", [3]), ValueError, "ring or complete"),
        (lambda: rl.check("franklin", 3, scheduler="random"), ValueError, "every scheduler"),
        (lambda: rl.simulate("yokota-ring", []), ValueError, "at least one size"),
        (lambda: rl.simulate("fischer-jiang-complete", 2**62, limit=10), ValueError, "at most 2\\^30"),
        (lambda: rl.check("fischer-jiang-complete", 3, graph=[(0, -1)]), TypeError, "a list of arcs"),
        (lambda: rl.check("fischer-jiang-complete", 3, graph=7), TypeError, "a list of arcs"),
        (lambda: rl.check("fischer-jiang-complete", 3, starts=5), TypeError, "starts is a list"),
        (lambda: rl.elect("fischer-jiang-complete", 3, start=7), TypeError, "a tuple of states"),
        (lambda: rl.check("fischer-jiang-complete", 3, progress="foo"), TypeError, "progress='foo'"),
        (lambda: rl.check("herman", 3, quantile=1.5), ValueError, "greater than 0 and at most 1"),
        (lambda: rl.check("chang-roberts", 3, within=5), ValueError, "one order of the identities"),
        (lambda: rl.simulate("yokota-ring", 8, crash=1), ValueError, "only robust algorithms"),
        (lambda: rl.simulate("robust-s5", 4, crash=4), ValueError, "must survive"),
        (lambda: rl.simulate("robust-s5", 4, crash=1, restart=2), ValueError, "only 1 processes crash"),
        (lambda: rl.simulate("robust-s5", 2, adversary="mute"), ValueError, "at least 3 processes"),
        (lambda: rl.simulate("robust-s5", 4, start="clean"), ValueError, "contents is its start"),
        (lambda: rl.simulate("loosely-stabilizing", 8, corrupt=1), ValueError, "loosely stabilizing"),
        (lambda: rl.Protocol("fischer-jiang-ring").prove(hints="safe ("), ValueError, "expected a formula"),
    ],
)
def test_wrong_arguments_raise_what_a_programmer_expects(wrong, raised, words):
    with pytest.raises(raised, match=words):
        wrong()


def test_other_threads_run_while_an_engine_works():
    counted = [0]
    done = threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    begun = time.monotonic()
    rl.simulate("yokota-ring", 64, runs=40, seed=1, threads=1)
    took = time.monotonic() - begun
    done.set()
    other.join()
    assert counted[0] > 20 * took, "the interpreter lock is held"


def test_progress_is_called_and_its_exception_comes_out():
    seen = []
    rl.simulate("yokota-ring", 96, runs=60, seed=1, threads=1, progress=lambda *told: seen.append(told))
    assert all(total == 60 for _, _, total in seen)

    class Enough(Exception):
        pass

    def stop(*_):
        raise Enough

    with pytest.raises(Enough):
        rl.simulate("yokota-ring", 512, runs=10_000, seed=1, progress=stop)


def test_every_object_shows_itself():
    failing = rl.check("fich-johnen", 4)
    found = rl.search(2, "complete", [2, 3], detector=True)
    shown = [
        rl.Protocol("yokota-ring"),
        failing,
        failing.counterexample,
        rl.check("franklin", 3, within=5),
        rl.explore("fischer-jiang-ring", 3),
        rl.simulate("yokota-ring", [8, 16], runs=5, seed=1),
        rl.simulate("loosely-stabilizing", 4, runs=2, seed=1, limit=1000),
        rl.simulate("robust-s5", 4, runs=2, seed=1),
        rl.elect("yokota-ring", 8, seed=1),
        rl.prove("fischer-jiang-complete"),
        found,
        found[0],
        rl.Table({"<a>": ["<b>"]}),
    ]
    for one in shown:
        page = one._repr_html_()
        assert repr(one) and page.startswith("<") and page.count("<table") == page.count("</table>"), type(one)
    assert "&lt;a&gt;" in page and "&lt;b&gt;" in page, "texts are escaped"
    pictures = [failing, failing.counterexample, *shown[3:4], *shown[5:6], *shown[7:9]]
    assert all(one._repr_svg_().startswith("<svg") for one in pictures)


def test_functions_say_what_they_take():
    signature = lambda verb: str(inspect.signature(verb)).split(" ->")[0]
    assert signature(rl.check) == "(protocol: 'Named', size: 'int', **options: 'Any')"
    assert signature(rl.simulate) == "(protocol: 'Named', size: 'Optional[Sizes]' = None, **options: 'Any')"
    assert signature(rl.prove) == "(protocol: 'Named', **options: 'Any')"
    with pytest.raises(TypeError, match="size"):
        rl.check("herman")


def test_no_panic_crosses_the_border():
    """Random arguments, many of them wrong: each call returns, or raises an exception that a programmer expects."""
    dice = random.Random(1)
    odd = [None, True, -1, 0, 1, 2, 3, 5, 7, 2.5, 2**31, 2**63, 2**64, 10**30, float("nan"), "", "x", "3", "unfair", "clean", "é", [], [1, -2],
           [(0, 0)], [(0, 9)], [(0, 1), (1, 2)], ("bound", [2, "x"]), {"a": 1}, b"x", object()]  # fmt: skip
    names = ["yokota-ring", "fischer-jiang-complete", "dijkstra-k-state", "franklin", "chang-roberts", "robust-s5", "loosely-stabilizing"]
    # The matrices of a chain are arrays of numpy.
    verbs = ["check", "explore", "simulate", "elect", "prove"] + ["chain"] * bool(importlib.util.find_spec("numpy"))
    ended = collections.Counter()

    def stop(*_):
        raise TimeoutError

    for _ in range(600):
        verb = dice.choice(verbs)
        options = list(inspect.signature(getattr(rl.Protocol, verb)).parameters)[1:]
        given = {name: dice.choice(odd) for name in dice.sample(options, dice.randint(0, 2)) if name not in ("progress", "threads")}
        if verb not in ("prove", "simulate", "elect"):
            given.setdefault("size", dice.choice([2, 3]))
        if verb in ("simulate", "elect"):
            # More agents than fit into memory end any program.
            given["size"] = dice.choice([2, 3, 8, -1, None, "x", 2.5, [3, 4], [3, "x"]])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                getattr(rl.Protocol(dice.choice(names)), verb)(**given, progress=stop)
            ended["returned"] += 1
        except (TypeError, ValueError, MemoryError, OverflowError, TimeoutError) as raised:
            assert "bug" not in str(raised), (verb, given)
            ended[type(raised).__name__] += 1
    assert ended["returned"] > 30 and ended["TypeError"] > 50 and ended["ValueError"] > 50, ended
