#!/usr/bin/env python3
"""A researcher's tour: recomputes what the program prints by a brute force of its own.

    python3 scripts/tours/researcher.py target/release/ringleader

The rules are written here a second time, from the papers; states are tuples, sets are Python's, expectations are found by sweeping
until nothing changes. Nothing is shared with the program. Exit code 1 if a number disagrees.
"""

import itertools
import json
import subprocess
import sys
from functools import lru_cache
from math import factorial

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "target/release/ringleader"
failures = 0


def ringleader(command):
    done = subprocess.run([PROGRAM, *command.split(), "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"ringleader {command}: {done.stderr}")
    return json.loads(done.stdout)


def compare(what, ours, theirs, tolerance=0.0):
    global failures
    agree = abs(ours - theirs) <= tolerance * max(1.0, abs(ours))
    failures += not agree
    print(f"{'ok  ' if agree else 'FAIL'} {what}: brute force {ours}, ringleader {theirs}")


def middle(value):
    return (value["low"] + value["high"]) / 2


# All configurations, one agent or pair at a time.


def really_safe(configurations, successors, correct, leaders):
    """The greatest set in which the promise is met, that no step leaves, and in which the leaders stay who they are."""
    safe = {c for c in configurations if correct(c)}
    while True:
        left = {c for c in safe if any(d not in safe or leaders(d) != leaders(c) for d in successors(c))}
        if not left:
            return safe
        safe -= left


def expected_steps(configurations, successors, target):
    """The worst and the mean expected number of steps to a set; every successor is as likely as every other."""
    steps = {c: 0.0 for c in configurations}
    outside = [(c, successors(c)) for c in configurations if c not in target]
    change = 1.0
    while change > 1e-13:
        change = 0.0
        for c, after in outside:
            stay = sum(d == c for d in after)
            new = (len(after) + sum(steps[d] for d in after if d != c)) / (len(after) - stay)
            change = max(change, abs(new - steps[c]) / new)
            steps[c] = new
    return max(steps.values()), sum(steps.values()) / len(steps)


def checked(command, configurations, successors, correct, leaders):
    report = ringleader(command)
    safe = really_safe(configurations, successors, correct, leaders)
    compare(f"{command}: configurations", len(configurations), report["configurations"])
    compare(f"{command}: really safe", len(safe), report["really_safe"])
    worst, mean = expected_steps(configurations, successors, safe)
    time = report["expected_steps"]["to_really_safe"]
    compare(f"{command}: worst expected steps", worst, middle(time["worst"]), 1e-8)
    compare(f"{command}: mean expected steps", mean, middle(time["mean"]), 1e-8)


def fischer_jiang_ring(n):
    """Fischer and Jiang 2006, Algorithm 2: slots bullet, leader, shield; the detector tells the truth."""

    def interact(told, u, v):
        (bullet, leader, shield), (bullet2, leader2, shield2) = u, v
        if not told:
            return (1, 1, 1), v
        if not leader and shield:
            return (bullet, 0, 0), (0, leader2, 1)
        if leader and shield:
            return (1, 1, 0), (0, leader2, 1)
        if leader and not bullet2:
            return (1, 1, 0), v
        if bullet2:
            return (1, 0, 0), (0, leader2, shield2)
        return u, v

    def successors(c):
        told = any(s[1] for s in c)
        after = []
        for i in range(n):
            d, j = list(c), (i + 1) % n
            d[i], d[j] = interact(told, c[i], c[j])
            after.append(tuple(d))
        return after

    leaders = lambda c: tuple(i for i in range(n) if c[i][1])
    states = list(itertools.product((0, 1), repeat=3))
    configurations = list(itertools.product(states, repeat=n))
    command = f"check fischer-jiang-ring --size {n} --scheduler random"
    checked(command, configurations, successors, lambda c: len(leaders(c)) == 1, leaders)


def dijkstra(n, k):
    """Dijkstra 1974, K states: the bottom process differs, a privilege is a token."""

    def privileged(c, i):
        return c[0] == c[n - 1] if i == 0 else c[i] != c[i - 1]

    def successors(c):
        after = []
        for i in range(n):
            d = list(c)
            if privileged(c, i):
                d[i] = (c[0] + 1) % k if i == 0 else c[i - 1]
            after.append(tuple(d))
        return after

    configurations = list(itertools.product(range(k), repeat=n))
    tokens = lambda c: sum(privileged(c, i) for i in range(n))
    command = f"check dijkstra-k-state --size {n} --k {k} --scheduler random"
    checked(command, configurations, successors, lambda c: tokens(c) == 1, lambda c: ())


# Messages: every reachable state, channels as sorted tuples.


def chang_roberts(identities):
    """How many states there are, and the fewest and the most messages until the end, over all schedules."""
    n = len(identities)

    def successors(state):
        modes, channels = state
        for i in range(n):
            events = [None] if modes[i] == "start" else [*dict.fromkeys(channels[i])] if modes[i] != "leader" else []
            for message in events:
                new, bags, sent = list(modes), [list(bag) for bag in channels], None
                if message is None:
                    new[i], sent = "active", identities[i]
                else:
                    bags[i].remove(message)
                    if message > identities[i]:
                        new[i], sent = "passive", message
                    elif message == identities[i]:
                        new[i] = "leader"
                if sent is not None:
                    bags[(i + 1) % n].append(sent)
                yield (tuple(new), tuple(tuple(sorted(bag)) for bag in bags)), sent is not None

    start = (("start",) * n, ((),) * n)
    seen, open_ = {start}, [start]
    while open_:
        for after, _ in successors(open_.pop()):
            if after not in seen:
                seen.add(after)
                open_.append(after)

    @lru_cache(maxsize=None)
    def messages(state):
        ways = [(messages(after), sent) for after, sent in successors(state)]
        if not ways or "leader" in state[0]:
            return (0, 0)
        return min(low + sent for (low, _), sent in ways), max(high + sent for (_, high), sent in ways)

    for state in seen:
        leaders = [identities[i] for i in range(n) if state[0][i] == "leader"]
        assert leaders in ([], [n]), "the largest leads"
    return len(seen), messages(start)


def orders(n):
    command = f"check chang-roberts --size {n}"
    report = ringleader(command)
    found = [chang_roberts((1, *rest)) for rest in itertools.permutations(range(2, n + 1))]
    compare(f"{command}: orders", factorial(n - 1), report["orders"]["taken"])
    for index, which in enumerate((min, max)):
        compare(f"{command}: {which.__name__} states of an order", which(f[0] for f in found), report["orders"]["states"][index])
    messages = report["expected_messages"]
    compare(f"{command}: fewest messages", min(f[1][0] for f in found), middle(messages["min"]), 1e-8)
    compare(f"{command}: most messages", max(f[1][1] for f in found), middle(messages["max"]), 1e-8)
    explored = ringleader(f"explore chang-roberts --size {n}")
    compare(f"explore chang-roberts --size {n}: states", chang_roberts(tuple(range(1, n + 1)))[0], explored["states"])


fischer_jiang_ring(3)
fischer_jiang_ring(4)
dijkstra(3, 3)
dijkstra(4, 4)
orders(3)
orders(4)
orders(5)
print(f"{failures} disagree" if failures else "all agree")
sys.exit(1 if failures else 0)
