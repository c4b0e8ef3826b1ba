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

MODELS = [
    ("franklin", 2, ["--reading", "both"]),
    ("franklin", 3, ["--reading", "both"]),
    ("franklin-no-bit", 3, ["--ids", "2"]),
]
TOLERANCE = 1e-5
SMALL = 2000
failures = 0
skipped = []


def compare(what, ours, theirs, tolerance=0):
    global failures
    agree = abs(ours - theirs) <= tolerance * max(1, abs(ours))
    failures += not agree
    print(f"  {'ok  ' if agree else 'FAIL'} {what}: {ours} and {theirs}")


def skip(what):
    if what not in skipped:
        skipped.append(what)
    print(f"  skipped {what}")


def ours(binary, verb, name, size, flags):
    command = [binary, verb, name, "--size", str(size), "--json", *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)


def middle(interval):
    return (interval["low"] + interval["high"]) / 2


def check_model(stormpy, model, verdict, explored, what, rewards):
    compare(f"{what}: states", explored["states"], model.nr_states)
    questions = [("Pmin=? [F \"elected\"]", middle(verdict["probability"]["min"]))]
    questions += [("Pmax=? [F \"elected\"]", middle(verdict["probability"]["max"]))]
    for column, kind in [(0, "min"), (2, "max")]:
        questions.append((f"P{kind}=? [F<=40 \"elected\"]", verdict["within"][0]["min_uniform_max"][40][column]))
        if rewards and "expected_steps" in verdict:
            questions.append((f"R{kind}=? [F \"elected\"]", middle(verdict["expected_steps"][kind])))
    for question, answer in questions:
        formula = stormpy.parse_properties(question)[0]
        result = stormpy.model_checking(model, formula, only_initial_states=True)
        compare(f"{what}: {question}", answer, result.get_value(model.initial_states[0]), TOLERANCE)


def storm_explicit(folder):
    """Storm reads the same lines as PRISM, but wants another head and the labels by name."""
    lines = (folder / "m.tra").read_text().splitlines()
    (folder / "storm.tra").write_text("\n".join(["mdp", *lines[1:]]) + "\n")
    head, *rest = (folder / "m.lab").read_text().splitlines()
    names = [pair.split("=")[1].strip('"') for pair in head.split()]
    labels = ["#DECLARATION", " ".join(names), "#END"]
    for line in rest:
        state, numbers = line.split(":")
        labels.append(" ".join([state, *(names[int(n)] for n in numbers.split())]))
    (folder / "storm.lab").write_text("\n".join(labels) + "\n")
    return str(folder / "storm.tra"), str(folder / "storm.lab")


def with_storm(folder, verdict, explored):
    try:
        import stormpy
    except ImportError:
        skip(".drn, .tra and .prism: stormpy is not installed")
        return
    check_model(stormpy, stormpy.build_model_from_drn(str(folder / "m.drn")), verdict, explored, ".drn", True)
    check_model(stormpy, stormpy.build_model_from_explicit(*storm_explicit(folder)), verdict, explored, ".tra", False)
    if explored["states"] > SMALL:
        skip(f".prism: parsing a module of {explored['states']} commands takes minutes")
        return
    program = stormpy.parse_prism_program(str(folder / "m.prism"))
    check_model(stormpy, stormpy.build_model(program), verdict, explored, ".prism", True)


def with_others(folder, explored):
    head = (folder / "m.aut").read_text().split("\n", 1)[0]
    _, transitions, states = head.removeprefix("des (").rstrip(")").split(",")
    compare(".aut: states in its head", explored["states"], int(states))
    compare(".aut: transitions in its head", explored["transitions"], int(transitions))
    if shutil.which("ltsconvert"):
        done = subprocess.run(["ltsconvert", "-ebranching-bisim", str(folder / "m.aut"), "-"], capture_output=True, text=True)
        print(f"  mCRL2's branching quotient: {done.stdout.splitlines()[0] if done.stdout else done.stderr}")
    else:
        skip("mCRL2: ltsconvert is not installed")
    if shutil.which("dot"):
        done = subprocess.run(["dot", "-Tplain", "-Knop", str(folder / "m.dot")], capture_output=True)
        compare(".dot: exit code of Graphviz", 0, done.returncode)
    else:
        skip(".dot: Graphviz is not installed")
    if not shutil.which("prism"):
        skip("PRISM: it is not installed (Storm reads its formats above)")


def main():
    binary = sys.argv[1] if len(sys.argv) > 1 else "target/release/ringleader"
    for name, size, flags in MODELS:
        print(f"{name}, {size} processes, {' '.join(flags)}")
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            exports = [f"--export={folder / 'm'}.{kind}" for kind in ["aut", "drn", "tra", "dot", "prism"]]
            explored = ours(binary, "explore", name, size, flags + exports)
            verdict = ours(binary, "check", name, size, flags + ["--within", "40"])
            with_storm(folder, verdict, explored)
            with_others(folder, explored)
    print("all agree" if not failures else f"{failures} disagree", *skipped, sep="\nskipped ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
