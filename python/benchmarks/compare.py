"""Measures what the package costs beside the command line, and a rule in Python beside the same rule in text.

    python compare.py PATH/OF/ringleader [REPETITIONS]

Processor seconds of whole processes for `simulate`, of the call for `check`. The two sides alternate; the medians are compared. The wheel and
the program must be release builds of the same sources.
"""

import os
import statistics
import subprocess
import sys
import time

import ringleader as rl

ALGORITHM, SIZE, RUNS = "yokota-ring", 512, 5000
RANKS = 7
TEXT = f"""
protocol textual
model population on complete
state rank : 0..{RANKS - 1}
show leader when rank = 0
first:
  1: l.rank = r.rank -> r.rank := (r.rank + 1) mod {RANKS}
goal one leader
"""


def of_process(command):
    """The processor seconds of a process."""
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def simulations(program):
    options = f"runs={RUNS}, seed=1, threads=1"
    here = f"import ringleader; ringleader.simulate({ALGORITHM!r}, {SIZE}, {options})"
    there = [program, "simulate", ALGORITHM, "--size", str(SIZE), "--runs", str(RUNS), "--seed", "1", "--threads", "1", "--json"]
    return (lambda: of_process([sys.executable, "-c", here]), lambda: of_process(there))


def checks(**options):
    def rank(a, b):
        """Equal ranks meet, one takes the next."""
        return (a, (b + 1) % RANKS) if a == b else None

    mine = rl.Protocol.population(range(RANKS), rank, leader=lambda r: r == 0)
    textual = rl.Protocol.from_text(TEXT)

    def seconds(protocol):
        begun = time.process_time()
        protocol.check(RANKS, threads=1, **options)
        return time.process_time() - begun

    return (lambda: seconds(mine), lambda: seconds(textual))


def compare(name, pair, repetitions):
    rows = [[measure() for measure in pair] for _ in range(repetitions)]
    ours, theirs = (statistics.median(column) for column in zip(*rows))
    print(f"{name}: {ours:.2f} s beside {theirs:.2f} s, {ours / theirs:.3f} times", flush=True)
    return ours / theirs


def main():
    program = sys.argv[1]
    repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    compare("simulate, package beside command line", simulations(program), repetitions)
    compare("check, every schedule, Python rule beside text", checks(scheduler="globally-fair", symmetry=False), repetitions)
    compare("check, random scheduler, Python rule beside text", checks(), repetitions)


if __name__ == "__main__":
    main()
