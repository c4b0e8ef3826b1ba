"""Every verb, on algorithms by name and by text, against numbers that the papers and the command line give."""

import inspect
import threading
import time
from fractions import Fraction

import pytest

import ringleader as rl


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


def test_check_of_messages():
    result = rl.check("franklin", 3, reading="both", within=80)
    assert isinstance(result, rl.MessageCheckResult) and result.holds
    low, high = result.expected_steps["uniform"]
    assert low <= high < low * 1.001
    assert len(result.within) == 81 and result.within["max"][-1] > 0.5
    flawed = rl.Protocol("franklin-no-bit", ids=3).check(3)
    assert not flawed.holds and flawed.trace and flawed.svg.startswith("<svg")


def test_explore():
    result = rl.explore("franklin", 3)
    assert result.states == 15_445  # Table 1 of the paper
    assert result.json["reading"] == "both"
    ring = rl.explore("fischer-jiang-ring", 3)
    assert ring.configurations == ring.json["configurations"] and ring.really_safe > 0


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
        (lambda: rl.check("robust-s5", 3), ValueError, "elect"),
        (lambda: rl.simulate("yokota-ring", [8, 8]), ValueError, "twice"),
        (lambda: rl.simulate("yokota-ring", 8, runs=0), ValueError, "runs"),
        (lambda: rl.simulate("yokota-ring", 8, start="asleep"), ValueError, "asleep"),
        (lambda: rl.elect("fich-johnen", 4), ValueError, "prime"),
        (lambda: rl.Protocol.from_text("protocol x\nmodel nothing"), ValueError, "model"),
        (lambda: rl.Protocol.load("not-there.ring"), FileNotFoundError, "not-there"),
        (lambda: rl.search(2, "star", [3]), ValueError, "ring or complete"),
        (lambda: rl.check("franklin", 3, scheduler="random"), ValueError, "every scheduler"),
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


def test_results_have_reprs():
    for result in (rl.check("fischer-jiang-complete", 3), rl.elect("yokota-ring", 8, seed=1), rl.Protocol("yokota-ring")):
        assert repr(result) and "<" in result._repr_html_()
