#!/usr/bin/env python3
"""Reads ringleader's exports back with the tools they are for, and compares the numbers.

    python3 -m venv env && env/bin/pip install stormpy
    env/bin/python scripts/read-exports.py target/release/ringleader

Whatever tool is not there is skipped, and said so. Exit code 1 if something disagrees.
"""

import json
import shutil
import subprocess
import sys
import tempfile
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
# Fair coins against a daemon: the path of a text, its size, and the daemons.
RANDOMIZED = Path(__file__).resolve().parent.parent / "docs" / "examples" / "randomized"
DAEMONS = [
    (RANDOMIZED / "colouring.ring", 3, ["unfair", "distributed", "locally-central"]),
    (RANDOMIZED / "independent-set.ring", 4, ["unfair", "distributed", "locally-central"]),
    (RANDOMIZED / "beauquier-gradinariu-johnen.ring", 3, ["unfair"]),
]
# Under their own scheduler, from their own starts: the path of a text and its size.
OWN = [(RANDOMIZED / "colouring.ring", 3), (RANDOMIZED.parent / "starts" / "exact-majority.ring", 4)]
FORMATS = ["aut", "drn", "tra", "dot", "prism"]
TOLERANCE = 1e-5
# Beyond this, parsing a .prism module takes minutes.
SMALL = 2000
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


def models(stormpy, folder, kind, states):
    """The exports that Storm reads, by their endings."""
    yield ".drn", stormpy.build_model_from_drn(str(folder / "m.drn"))
    yield ".tra", stormpy.build_model_from_explicit(*explicit(folder, kind))
    if states > SMALL:
        skip(f".prism: parsing a module of {states} states takes minutes")
        return
    yield ".prism", stormpy.build_model(stormpy.parse_prism_program(str(folder / "m.prism")))


def answer(stormpy, model, question):
    formula = stormpy.parse_properties(question)[0]
    return stormpy.model_checking(model, formula)


def everywhere(stormpy, model, question):
    found = answer(stormpy, model, question)
    return [found.get_value(state) for state in model.states]


def check_messages(stormpy, folder, verdict, explored, reduction):
    for what, model in models(stormpy, folder, "mdp", explored["stored"]):
        compare(f"{what}: states", explored["stored"], model.nr_states)
        start = model.initial_states[0]
        kept = "confluence" not in reduction
        compare(f"{what}: rewards, none where steps are passed over", (2 if kept else 0) if what != ".tra" else 0, len(model.reward_models))
        questions = [(f"P{kind}=? [F \"elected\"]", middle(verdict["probability"][kind])) for kind in ["min", "max"]]
        for column, kind in [(0, "min"), (2, "max")] if kept else []:
            within = verdict["within"][0]["min_uniform_max"][40][column]
            questions.append((f"P{kind}=? [F<=40 \"elected\"]", within))
            for cost in ["steps", "messages"] if what != ".tra" and "expected_steps" in verdict else []:
                expected = middle(verdict[f"expected_{cost}"][kind])
                questions.append((f"R{{\"{cost}\"}}{kind}=? [F \"elected\"]", expected))
        for question, number in questions:
            found = answer(stormpy, model, question).get_value(start)
            compare(f"{what}: {question}", number, found, TOLERANCE)


def check_configurations(stormpy, folder, verdict, explored):
    times, holds = verdict.get("expected_steps") or {}, verdict["verdict"] == "holds"
    for what, model in models(stormpy, folder, "dtmc", explored["stored"]):
        compare(f"{what}: states", explored["stored"], model.nr_states)
        compare(f"{what}: starts", explored["stored"], len(model.initial_states))
        for label in ["correct", "own_safe", "really_safe"] if not explored["rotation"] else []:
            compare(f"{what}: {label}", explored[label], sum(label in state.labels for state in model.states))
        reached = everywhere(stormpy, model, "P=? [F \"really_safe\"]")
        compare(f"{what}: least P [F really_safe]", 1 if holds else 0, min(reached), TOLERANCE)
        if what != ".tra" and holds and times.get("to_really_safe"):
            steps = everywhere(stormpy, model, "R{\"steps\"}=? [F \"really_safe\"]")
            compare(f"{what}: worst R [F really_safe]", middle(times["to_really_safe"]["worst"]), max(steps), TOLERANCE)
            if not explored["rotation"]:
                mean = middle(times["to_really_safe"]["mean"])
                compare(f"{what}: mean R [F really_safe]", mean, sum(steps) / len(steps), TOLERANCE)


def check_daemon(stormpy, folder, verdict, explored):
    for what, model in models(stormpy, folder, "mdp", explored["stored"]):
        compare(f"{what}: states", explored["stored"], model.nr_states)
        compare(f"{what}: least Pmin [F really_safe]", 1, min(everywhere(stormpy, model, "Pmin=? [F \"really_safe\"]")), TOLERANCE)
        if what == ".tra":
            continue
        for kind, times in [("max", "expected_steps"), ("min", "best_expected_steps")]:
            steps = everywhere(stormpy, model, f"R{{\"steps\"}}{kind}=? [F \"really_safe\"]")
            compare(f"{what}: worst R{kind} [F really_safe]", middle(verdict[times]["to_really_safe"]["worst"]), max(steps), TOLERANCE)


def check_own(stormpy, folder, verdict, explored):
    """Storm's numbers from the initial states."""
    chain = (folder / "m.prism").read_text().startswith("dtmc")
    for what, model in models(stormpy, folder, "dtmc" if chain else "mdp", explored["stored"]):
        compare(f"{what}: states", explored["stored"], model.nr_states)
        compare(f"{what}: initial states", explored.get("starts", explored["stored"]), len(model.initial_states))
        if what == ".tra":
            continue
        steps = everywhere(stormpy, model, f"R{{\"steps\"}}{'' if chain else 'max'}=? [F \"really_safe\"]")
        worst = max(steps[state] for state in model.initial_states)
        compare(f"{what}: worst R [F really_safe]", middle(verdict["expected_steps"]["to_really_safe"]["worst"]), worst, TOLERANCE)


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
                    check_configurations(stormpy, folder, verdict, explored)
                with_others(folder, explored["stored"], None, True)
    for name, size, daemons in DAEMONS:
        for daemon in daemons:
            print(f"{name.stem}, {size} processes, --scheduler {daemon}")
            flags = ["--scheduler", daemon]
            verdict = ours(binary, "check", str(name), size, flags)
            with tempfile.TemporaryDirectory() as temporary:
                folder = Path(temporary)
                explored, problem = exported(binary, folder, str(name), size, flags)
                if problem:
                    sys.exit(problem)
                for count in ["configurations", "transitions", "really_safe"]:
                    compare(f"{count}, as check says", verdict[count], explored[count])
                if stormpy:
                    check_daemon(stormpy, folder, verdict, explored)
                with_others(folder, explored["stored"], None, True)
    for name, size in OWN:
        print(f"{name.stem}, {size} processes, own scheduler and starts")
        verdict = ours(binary, "check", str(name), size, ["--no-symmetry"])
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            explored, problem = exported(binary, folder, str(name), size, [])
            if problem:
                sys.exit(problem)
            for count in ["configurations", "transitions", "really_safe"]:
                compare(f"{count}, as check says", verdict[count], explored[count])
            if stormpy:
                check_own(stormpy, folder, verdict, explored)
    print("all agree" if not failures else f"{failures} disagree", *skipped, sep="\nskipped ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
