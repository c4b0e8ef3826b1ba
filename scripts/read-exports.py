#!/usr/bin/env python3
"""Reads ringleader's exports back with the tools they are for, and compares the numbers.

    python3 -m venv env && env/bin/pip install stormpy
    env/bin/python scripts/read-exports.py target/release/ringleader

stormpy is of version 2.0 or later. Storm computes in exact fractions if a model is small, and our intervals must contain them.
For larger models it computes certified floating-point numbers. The systems are those below and the corpus `cases/`.

Whatever tool is not there is skipped, and said so. Exit code 1 if something disagrees.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from fractions import Fraction
from pathlib import Path

# Algorithms that pass messages: a full export each, and one for every reduction.
MODELS = [
    ("franklin", 2, ["--reading", "both"]),
    ("franklin", 3, ["--reading", "both"]),
    ("franklin", 3, ["--reading", "left-first"]),
    ("franklin-no-bit", 3, ["--ids", "2"]),
    ("chang-roberts", 3, ["--identities", "2,1,3"]),
]
REDUCTIONS = ["none", "rotation", "confluence", "rotation,confluence"]
# Configuration graphs: name, size, whether rotations can be identified.
CONFIGURATIONS = [
    ("fischer-jiang-ring", 3, True),
    ("token-circulation", 4, False),
    ("fich-johnen", 3, True),
    ("fischer-jiang-complete", 4, True),
    ("gouda-haddix", 3, False),
]
ROOT = Path(__file__).resolve().parent.parent
RANDOMIZED = ROOT / "docs" / "examples" / "randomized"
STARTS = ROOT / "docs" / "examples" / "starts"
ALL = ["unfair", "distributed", "locally-central", "alternating", "synchronous", "random"]
# Decision processes and chains: an algorithm or the path of a text, sizes, and schedulers. None is the text's own, from its own starts.
SYSTEMS = [
    (RANDOMIZED / "colouring.ring", [3], [None, *ALL]),
    (RANDOMIZED / "independent-set.ring", [3, 4], ALL),
    (RANDOMIZED / "beauquier-gradinariu-johnen.ring", [3], ALL),
    (RANDOMIZED / "beauquier-gradinariu-johnen.ring", [4, 5], ["unfair"]),
    ("israeli-jalfon", [3, 4, 5, 6], ["random-partner", "random", "unfair"]),
    ("herman", [3, 4, 5], ALL),
    ("herman", [7, 9], ["synchronous"]),
    (STARTS / "exact-majority.ring", [4], [None]),
]
# Schedulers that no plain chain or decision process expresses: their exports are refused.
REFUSED = [("herman", 3, "fair"), ("herman", 3, "locally-fair"), ("herman", 3, "globally-fair"), ("israeli-jalfon", 3, "fair-random-partner")]
# The corpus: the flags of its layers. Algorithms that pass messages and those that crash are not taken from it.
LAYERS = {
    "alternator": ["--alternator"],
    "distance": ["--oracle", "distance"],
    "timer": ["--oracle", "timer"],
    "undirected": ["--undirected"],
    "read-write": ["--atomicity", "read-write"],
}
EXPRESSED = [*ALL, "random-partner"]
FORMATS = ["aut", "drn", "tra", "dot", "prism"]
TOLERANCE = 1e-5
# Beyond this, parsing a .prism module takes minutes.
SMALL = 2000
# Up to this number of states, and of characters of the .drn file, Storm computes in exact fractions.
EXACT = 256
EXACT_FILE = 300_000
# Larger systems of the corpus are not compared.
CORPUS = 1000
INFINITE = float("inf")
failures = 0
skipped = []


def compare(what, ours, theirs, tolerance=0):
    global failures
    agree = ours is not None and theirs is not None and abs(ours - theirs) <= tolerance * max(1, abs(ours))
    failures += not agree
    print(f"  {'ok  ' if agree else 'FAIL'} {what}: {ours} and {theirs}")


def skip(what):
    if what not in skipped:
        skipped.append(what)
    print(f"  skipped {what}")


def run(binary, verb, name, size, flags):
    command = [binary, verb, name, "--size", str(size), "--json", *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout:
        return None, f"{' '.join(command)}: {done.stderr.strip()}"
    return json.loads(done.stdout), None


def ours(binary, verb, name, size, flags):
    found, problem = run(binary, verb, name, size, flags)
    return found or sys.exit(problem)


def exported(binary, folder, name, size, flags):
    return run(binary, "explore", name, size, [*flags, *(f"--export={folder / 'm'}.{kind}" for kind in FORMATS)])


def middle(interval):
    return (interval["low"] + interval["high"]) / 2


def contains(what, interval, value):
    """Our number or interval, and Storm's value: a fraction, or a floating-point number with a tolerance."""
    global failures
    low, high = (interval["low"], interval["high"]) if isinstance(interval, dict) else (interval, interval)
    if value == INFINITE:
        agree = False
    elif isinstance(value, Fraction):
        # A number without an interval is a mean that was rounded.
        slack = 0 if isinstance(interval, dict) else Fraction(1, 10**12) * max(1, value)
        agree = Fraction(low) - slack <= value <= Fraction(high) + slack
    else:
        slack = TOLERANCE * max(1, abs(value))
        agree = low - slack <= value <= high + slack
    failures += not agree
    print(f"  {'ok  ' if agree else 'FAIL'} {what}: {low}..{high} and {value}")


def storm():
    try:
        import stormpy
    except ImportError:
        skip(".drn, .tra and .prism: stormpy is not installed")
        return None
    return stormpy


def explicit(folder, kind):
    """Storm reads the same lines as PRISM, but wants another head, no names of actions, and the labels by name."""
    lines = (folder / "m.tra").read_text().splitlines()
    columns = 4 if kind == "mdp" else 3
    rows = [" ".join(line.split()[:columns]) for line in lines[1:]]
    (folder / "storm.tra").write_text("\n".join([kind, *rows]) + "\n")
    head, *rest = (folder / "m.lab").read_text().splitlines()
    names = [pair.split("=")[1].strip('"') for pair in head.split()]
    labels = ["#DECLARATION", " ".join(names), "#END"]
    for line in rest:
        state, numbers = line.split(":")
        labels.append(" ".join([state, *(names[int(n)] for n in numbers.split())]))
    (folder / "storm.lab").write_text("\n".join(labels) + "\n")
    return str(folder / "storm.tra"), str(folder / "storm.lab")


class Model:
    """A model of Storm, with the way in which it computes."""

    def __init__(self, stormpy, built, exact):
        self.stormpy, self.built, self.exact = stormpy, built, exact
        self.environment = stormpy.environments.exact() if exact else stormpy.environments.sound()
        self.starts = list(built.initial_states)

    def states(self, label):
        """The states with a label. A .drn file cannot declare a label that no state has, so Storm does not know it: it is added."""
        if not self.built.labeling.contains_label(label):
            self.built.labeling.add_label(label)
        return list(self.built.labeling.get_states(label))

    def everywhere(self, question):
        formula = self.stormpy.parse_properties(question)[0]
        found = self.stormpy.model_checking(self.built, formula, environment=self.environment)
        values = [found.get_value(state) for state in range(self.built.nr_states)]
        return [INFINITE if str(v) == "inf" else Fraction(str(v)) for v in values] if self.exact else values

    def from_starts(self, question):
        values = self.everywhere(question)
        return [values[state] for state in self.starts]


def models(stormpy, folder, kind, states, exact=False):
    """The exports that Storm reads, by their endings. The probabilities of .tra are decimals."""
    number = stormpy.Rational if exact else float
    yield ".drn", Model(stormpy, stormpy.build_model_from_drn[number](str(folder / "m.drn")), exact)
    yield ".tra", Model(stormpy, stormpy.build_model_from_explicit(*explicit(folder, kind)), False)
    if states > SMALL:
        skip(f".prism: parsing a module of {states} states takes minutes")
        return
    program = stormpy.parse_prism_program(str(folder / "m.prism"))
    yield ".prism", Model(stormpy, stormpy.build_model[number](program), exact)


def check_messages(stormpy, folder, verdict, explored, reduction):
    for what, model in models(stormpy, folder, "mdp", explored["stored"]):
        compare(f"{what}: states", explored["stored"], model.built.nr_states)
        start = model.starts[0]
        kept = "confluence" not in reduction
        compare(f"{what}: rewards, none where steps are passed over", (2 if kept else 0) if what != ".tra" else 0, len(model.built.reward_models))
        questions = [(f"P{kind}=? [F \"elected\"]", middle(verdict["probability"][kind])) for kind in ["min", "max"]]
        for column, kind in [(0, "min"), (2, "max")] if kept else []:
            within = verdict["within"][0]["min_uniform_max"][40][column]
            questions.append((f"P{kind}=? [F<=40 \"elected\"]", within))
            for cost in ["steps", "messages"] if what != ".tra" and "expected_steps" in verdict else []:
                expected = middle(verdict[f"expected_{cost}"][kind])
                questions.append((f"R{{\"{cost}\"}}{kind}=? [F \"elected\"]", expected))
        for question, number in questions:
            compare(f"{what}: {question}", number, model.everywhere(question)[start], TOLERANCE)


def check_rotated(stormpy, folder, verdict, explored):
    """One state of each rotation class: Storm's worst numbers, but not its means."""
    times, holds = verdict.get("expected_steps") or {}, verdict["verdict"] == "holds"
    for what, model in models(stormpy, folder, "dtmc", explored["stored"]):
        compare(f"{what}: states", explored["stored"], model.built.nr_states)
        compare(f"{what}: starts", explored["stored"], len(model.starts))
        model.states("really_safe")
        reached = model.everywhere("P=? [F \"really_safe\"]")
        compare(f"{what}: least P [F really_safe]", 1 if holds else 0, min(reached), TOLERANCE)
        if what != ".tra" and holds and times.get("to_really_safe"):
            steps = model.everywhere("R{\"steps\"}=? [F \"really_safe\"]")
            contains(f"{what}: worst R [F really_safe]", times["to_really_safe"]["worst"], max(steps))


def check_target(what, model, label, numbers, chain, rewards):
    """The numbers about one set: Storm's from all initial states, the worst and the mean. Returns whether Pmin is 1 from all of them."""
    model.states(label)
    least = model.from_starts(f"P{'' if chain else 'min'}=? [F \"{label}\"]")
    greatest = least if chain else model.from_starts(f"Pmax=? [F \"{label}\"]")
    for name, kind, values in [("least_probability", "Pmin", least), ("greatest_probability", "Pmax", greatest)]:
        if numbers.get(name):
            contains(f"{what}: worst {kind} [F {label}]", numbers[name]["worst"], min(values))
            contains(f"{what}: mean {kind} [F {label}]", numbers[name]["mean"], sum(values) / len(values))
    names = [("steps", "max"), ("expected_steps", "max"), ("best_expected_steps", "min")]
    for name, kind in names if rewards else []:
        if numbers.get(name):
            values = model.from_starts(f"R{{\"steps\"}}{'' if chain else kind}=? [F \"{label}\"]")
            contains(f"{what}: worst R{kind} [F {label}]", numbers[name]["worst"], max(values))
            contains(f"{what}: mean R{kind} [F {label}]", numbers[name]["mean"], sum(values) / len(values))
    return min(least) > 1 - TOLERANCE


def check_system(stormpy, folder, verdict, explored):
    """A chain or a decision process: the goal, the own safe set, and the claims."""
    if not explored["transitions"]:
        skip("a system in which nothing can change: Storm refuses rewards that are all zero")
        return
    chain = (folder / "m.prism").read_text().startswith("dtmc")
    exact = explored["stored"] <= EXACT and (folder / "m.drn").stat().st_size <= EXACT_FILE
    alternating = verdict["scheduler"] == "alternating"
    for what, model in models(stormpy, folder, "dtmc" if chain else "mdp", explored["stored"], exact):
        rewards = what != ".tra"
        compare(f"{what}: states", explored["stored"], model.built.nr_states)
        if not alternating:
            compare(f"{what}: initial states", explored.get("starts", explored["stored"]), len(model.starts))
        for label in ["correct", "own_safe", "really_safe"] if not alternating else []:
            if explored[label] is not None:
                compare(f"{what}: {label}", explored[label], len(model.states(label)))
        times = {name: verdict[name] for name in ["steps", "expected_steps", "best_expected_steps"] if verdict.get(name)}
        for key in ["to_really_safe", "to_own_safe"]:
            numbers = {name: both[key] for name, both in times.items() if both.get(key)}
            if key == "to_really_safe":
                numbers |= {name: verdict.get(name) for name in ["least_probability", "greatest_probability"]}
                reached = check_target(what, model, "really_safe", numbers, chain, rewards)
                # A verdict also fails if a set of the proof is not closed. Then times are printed.
                told = bool(verdict["verdict"] == "holds" or numbers.get("steps") or numbers.get("expected_steps"))
                compare(f"{what}: whether Pmin [F really_safe] is 1", told, reached)
            elif numbers:
                check_target(what, model, "own_safe", numbers, chain, rewards)
        for claim in verdict.get("claims") or []:
            if claim["promise"] == "eventually":
                label = "eventually_" + re.sub(r"[^A-Za-z0-9_]", "_", claim["claim"])
                compare(f"{what}: whether Pmin [F {label}] is 1", claim["holds"], check_target(what, model, label, claim, chain, rewards))


def corpus():
    """The systems of the corpus whose schedulers an export expresses: a name, the size, the flags."""
    found = []
    for path in sorted((ROOT / "cases").glob("*.toml")):
        for case in tomllib.loads(path.read_text())["case"]:
            if case.get("scheduler") not in EXPRESSED or case["expect"] not in ["holds", "fails"] or "channels" in case:
                continue
            flags = ["--scheduler", case["scheduler"]]
            for name, value in case.get("parameters", {}).items():
                flags += [f"--{name}", value]
            for layer in case.get("layers", []):
                flags += LAYERS[layer]
            entry = case["algorithm"], case["size"], flags, case.get("graph")
            if entry not in found:
                found.append(entry)
    return found


def system(binary, stormpy, name, size, flags, graph=None, largest=None):
    """One export, compared with the check under the same flags. With `largest`, only if it is not larger."""
    print(f"{name.stem if isinstance(name, Path) else name}, {size} processes, {' '.join([*flags, graph or ''])}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if graph:
            (folder / "graph").write_text(graph.replace(", ", "\n") + "\n")
            flags = [*flags, "--graph", str(folder / "graph")]
        if largest:
            explored, problem = run(binary, "explore", str(name), size, flags)
            if problem:
                skip(f"the corpus: {problem.splitlines()[-1]}")
                return
            if explored["stored"] > largest:
                skip(f"the corpus: systems of more than {largest} states")
                return
        verdict = ours(binary, "check", str(name), size, flags)
        explored, problem = exported(binary, folder, str(name), size, flags)
        if problem:
            sys.exit(problem)
        for count in ["configurations", "transitions", "really_safe"]:
            compare(f"{count}, as check says", verdict[count], explored[count])
        if stormpy:
            check_system(stormpy, folder, verdict, explored)
        if "starts" not in explored and verdict["scheduler"] != "alternating":
            with_others(folder, explored["stored"], None, True)


def with_others(folder, states, transitions, starts):
    head = (folder / "m.aut").read_text().split("\n", 1)[0]
    start, edges, nodes = map(int, head.removeprefix("des (").rstrip(")").split(","))
    compare(".aut: states in its head", states + (1 if starts else 0), nodes)
    compare(".aut: the state it starts in", states if starts else 0, start)
    compare(".aut: lines", edges, len((folder / "m.aut").read_text().splitlines()) - 1)
    if transitions is not None:
        compare(".aut: transitions in its head", transitions + (states if starts else 0), edges)
    values = (folder / "m.sta").read_text().splitlines()
    compare(".sta: states", states, len(values) - 1)
    compare(".sta: values per state", values[0].count(","), values[-1].count(","))
    if shutil.which("ltsconvert"):
        done = subprocess.run(["ltsconvert", "-ebranching-bisim", str(folder / "m.aut"), "-"], capture_output=True, text=True)
        print(f"  mCRL2's branching quotient: {done.stdout.splitlines()[0] if done.stdout else done.stderr}")
    else:
        skip("mCRL2: ltsconvert is not installed")
    if shutil.which("gc"):
        # Graphviz's counter reads the file and lays nothing out: that would take hours for thousands of states.
        done = subprocess.run(["gc", "-n", "-e", str(folder / "m.dot")], capture_output=True, text=True)
        compare(".dot: exit code of Graphviz", 0, done.returncode)
        compare(".dot: states, as Graphviz counts", states, int((done.stdout.split() or [-1])[0]))
    else:
        skip(".dot: Graphviz is not installed")
    if not shutil.which("prism"):
        skip("PRISM: it is not installed (Storm reads its formats above)")


def main():
    binary = sys.argv[1] if len(sys.argv) > 1 else "target/release/ringleader"
    stormpy = storm()
    for name, size, flags in MODELS:
        verdict = ours(binary, "check", name, size, flags + ["--within", "40"])
        for reduction in REDUCTIONS:
            print(f"{name}, {size} processes, {' '.join(flags)} --reduce {reduction}")
            with tempfile.TemporaryDirectory() as temporary:
                folder = Path(temporary)
                explored, problem = exported(binary, folder, name, size, [*flags, "--reduce", reduction])
                if problem:
                    skip(f"{name} --reduce {reduction}: it is refused")
                    continue
                if stormpy:
                    check_messages(stormpy, folder, verdict, explored, reduction)
                transitions = explored["transitions"] if reduction == "none" else None
                with_others(folder, explored["stored"], transitions, False)
    for name, size, turns in CONFIGURATIONS:
        verdict = ours(binary, "check", name, size, ["--scheduler", "random"])
        for reduction in ["none", "rotation"] if turns else ["none"]:
            print(f"{name}, {size} agents, --reduce {reduction}")
            with tempfile.TemporaryDirectory() as temporary:
                folder = Path(temporary)
                flags = ["--scheduler", "random", "--reduce", reduction]
                explored, problem = exported(binary, folder, name, size, flags)
                if problem:
                    sys.exit(problem)
                for count in ["configurations", "transitions", "really_safe", "own_safe"]:
                    compare(f"{count}, as check says", verdict[count], explored[count])
                if stormpy:
                    (check_rotated if explored["rotation"] else check_system)(stormpy, folder, verdict, explored)
                with_others(folder, explored["stored"], None, True)
    for name, sizes, schedulers in SYSTEMS:
        for size in sizes:
            for scheduler in schedulers:
                system(binary, stormpy, name, size, ["--scheduler", scheduler] if scheduler else [])
    for name, size, scheduler in REFUSED:
        print(f"{name}, {size} processes, --scheduler {scheduler}: refused")
        explored, problem = run(binary, "explore", name, size, ["--scheduler", scheduler])
        compare("explore refuses it", True, explored is None)
    for name, size, flags, graph in corpus():
        system(binary, stormpy, name, size, flags, graph, CORPUS)
    print("all agree" if not failures else f"{failures} disagree", *skipped, sep="\nskipped ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
