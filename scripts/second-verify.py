#!/usr/bin/env python3
"""A second checker of ringleader's certificates: scripts/second-verify.py CERTIFICATE.json

Written from docs/proving.md and docs/certificate.schema.json; it shares nothing with ringleader but the format.
Prints "accepted" (exit 0) or "rejected: why" (exit 1); exit 2 if the file is no certificate.
The table of moves is taken as the certificate gives it: that it is the algorithm is not checked here. It gives up on what has too many
readings, and says "rejected: too large": on angluin-ring it does so after some minutes.

Words are read from agent 0 (the bottom) to agent n-1 (the top). A *letter* is (place, states): one state if one word
is read, two if a step is read, before and after. A *machine* is a deterministic automaton over letters: a list of rows,
row[letter] is the next row's number or, for a letter of the top agent, an *outcome* (any string). No entry: not accepted.
"""
import functools, itertools, json, re, sys

BOTTOM, MIDDLE, TOP = PLACES = range(3)
PLACE = {"bottom": BOTTOM, "middle": MIDDLE, "top": TOP}


class Malformed(Exception):
    """Not a certificate at all: exit 2."""


class Rejected(Exception):
    """Exit 1."""


def need(condition, reason):
    if not condition:
        raise Rejected(reason)


# ---------------------------------------------------------------- the format

# A shape is a function that raises Malformed for what does not have it.

def whole(x, most=2**64 - 1):
    if type(x) is not int or not 0 <= x <= most:
        raise Malformed(f"{x!r} is not a whole number up to {most}")


def text(x):
    if not isinstance(x, str):
        raise Malformed(f"{x!r} is not a string")


def state(x):
    whole(x, 255)


def maybe(of):
    return lambda x: None if x is None else of(x)


def many(of, length=None):
    def check(x):
        if not isinstance(x, list) or (length is not None and len(x) != length):
            raise Malformed("expected a list" + ("" if length is None else f" of {length}"))
        for y in x:
            of(y)
    return check


def one_of(*choices):
    def check(x):
        if not any(x is c or (type(x) is type(c) and x == c) for c in choices):
            raise Malformed(f"{x!r} is none of {choices}")
    return check


def fields(required, optional={}):
    def check(x):
        if not isinstance(x, dict) or set(required) - set(x) or set(x) - set(required) - set(optional):
            raise Malformed(f"expected an object with {', '.join(required)}")
        for name, of in [*required.items(), *optional.items()]:
            if name in x:
                of(x[name])
    return check


def span(x):
    many(maybe(whole), 2)(x), whole(x[0])


def goal(x):
    if not isinstance(x, dict) or len(x) != 1:
        raise Malformed("a goal is exactly-one or everywhere")
    (kind, what), = x.items()
    one_of("exactly-one", "everywhere")(kind)
    fields({"of": many(text), "stays": one_of(True, False)} if kind == "exactly-one" else {"formula": text})(what)


# The certificates, as in certificate.schema.json.
PLACED, TRUTH = one_of(*PLACE, None), one_of(True, False, None)
CELL, SIZES = many(state, 2), fields({"from": whole, "modulus": whole, "residues": many(whole)})
AUTOMATON = fields({"start": whole, "accepting": many(whole), "next": many(many(maybe(whole)))})
SCHEDULER = one_of("globally-fair", "unfair", "weakly-fair", "locally-fair", "distributed", "synchronous")
WINDOW = fields({}, {"place": PLACED, "left": maybe(state), "own": maybe(state), "right": maybe(state)})
MOVE = fields({"rule": whole, "own": CELL}, {"place": PLACED, "seen": TRUTH, "left": maybe(CELL), "right": maybe(CELL)})
RULES = fields({"states": many(text), "variables": many(fields({"name": text, "size": state, "values": many(state)})), "rules": many(text),
                "moves": many(MOVE), "possible": fields(dict.fromkeys(PLACE, many(state))), "goal": goal},
               {"marks": many(fields({"name": text, "windows": many(WINDOW)})), "detector": maybe(many(state)),
                "tosses": many(fields({"outcomes": many(whole), "idle": one_of(True, False)})), "given": maybe(text)})
TURN = fields({"move": whole, "within": text, "measures": many(text)})
TEXT, COINS = {"text": maybe(text)}, {"coins": one_of("fair", "adversarial")}
RING = fields({"version": whole, "subject": text, "rules": RULES, "sizes": SIZES, "scheduler": SCHEDULER, "safe": AUTOMATON,
               "measures": many(text)},
              {**TEXT, **COINS, "lasting": maybe(AUTOMATON), "recurring": maybe(fields({"formula": text, "measures": many(text)})),
               "helpful": maybe(text)})
FAILURE = fields({"version": whole, "subject": text, "rules": RULES, "sizes": SIZES, "scheduler": SCHEDULER, "trap": AUTOMATON},
                 {**TEXT, **COINS, "measures": many(text), "turns": many(TURN)})
COMPLETE = fields({"version": whole, "graph": one_of("complete"), "subject": text, "rules": RULES, "from": whole, "scheduler": SCHEDULER,
                   "safe": many(many(span)), "measures": many(text)}, TEXT)
SEES = fields({"place": one_of(*PLACE)}, {"left": TRUTH, "right": TRUTH})
GROWING = fields({"rules": many(text), "moves": many(fields({"rule": whole, "sees": SEES, "takes": one_of("next", "left", "right")})),
                  "token": many(SEES)})
VALUES = fields({"version": whole, "subject": text, "values": GROWING, "from": whole, "fewer": whole, "scheduler": SCHEDULER,
                 "safe": AUTOMATON, "fresh": AUTOMATON, "measures": many(text)}, TEXT)


class Table:
    """The table of moves, and what makes it sensible."""

    def __init__(self, r):
        self.size = len(r["states"])
        need(1 <= self.size <= 255, "the table: 1 to 255 states")
        self.variables, self.marks = {}, {}
        known = lambda s: s is None or s < self.size
        names = [v["name"] for v in r["variables"]] + [m["name"] for m in r.get("marks", [])] + r["rules"]
        for name in names:
            need(re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name) and name not in ("root", "top", "X", "Y")
                 and names.count(name) == 1, f"the table: the name {name!r}")
        for v in r["variables"]:
            need(v["size"] >= 2 and len(v["values"]) == self.size and all(x < v["size"] for x in v["values"]),
                 f"the table: values of {v['name']}")
            self.variables[v["name"]] = v["size"], v["values"]
        for m in r.get("marks", []):
            windows = [(PLACE.get(w.get("place")), w.get("left"), w.get("own"), w.get("right")) for w in m["windows"]]
            need(all(known(s) for w in windows for s in w[1:]), f"the table: windows of {m['name']}")
            self.marks[m["name"]] = windows
        self.given = None if r.get("given") is None else alone(r["given"])
        self.detector = r.get("detector")
        need(self.detector is None or all(map(known, self.detector)), "the table: the detector")
        self.moves, self.asking = [], set()
        for m in r["moves"]:
            cells = [None if m.get(k) is None else tuple(m[k]) for k in ("left", "own", "right")]
            need(m["rule"] < len(r["rules"]) and all(known(s) for c in cells if c for s in c), "the table: a move names what is not there")
            need(any(c and c[0] != c[1] for c in cells), "the table: a move that changes nothing")
            need(self.detector is not None or m.get("seen") is None, "the table: a move asks a detector that is not there")
            self.moves.append((PLACE.get(m.get("place")), m.get("seen"), *cells))
            if m.get("seen") is not None:
                self.asking.add(r["rules"][m["rule"]])
            # a rule's name in a formula: one of its moves can be made here
        self.rules = {name: [(p, *(c and c[0] for c in cells)) for m, (p, _, *cells) in zip(r["moves"], self.moves)
                             if r["rules"][m["rule"]] == name] for name in r["rules"]}
        tossed = [m for toss in r.get("tosses", []) for m in toss["outcomes"]]
        need(all(m < len(self.moves) for m in tossed) and len(set(tossed)) == len(tossed), "the table: the tosses")
        # what the daemon chooses: [outcomes as (left, own, right) cells], whether nothing may change, the window
        self.choices = [([self.moves[m] for m in toss["outcomes"]], toss["idle"]) for toss in r.get("tosses", [])]
        need(all(moves for moves, _ in self.choices), "the table: a toss without outcomes")
        self.choices += [([move], False) for m, move in enumerate(self.moves) if m not in tossed]
        view = lambda move: (*move[:2], *(c and c[0] for c in move[2:]))
        need(all(view(move) == view(moves[0]) for moves, _ in self.choices for move in moves), "the table: outcomes that see different things")
        self.choices = [([move[2:] for move in moves], idle, (moves[0][0], *view(moves[0])[2:])) for moves, idle in self.choices]
        self.possible = [sorted(set(r["possible"][k])) for k in ("bottom", "middle", "top")]
        need(all(p and all(map(known, p)) for p in self.possible), "the table: the possible states")
        self.width = 1 + max([(left is not None) + (right is not None) for _, _, left, _, right in self.moves], default=0)
        (self.goal, goal), = r["goal"].items()
        self.goal_formulas = goal["of"] if self.goal == "exactly-one" else [goal["formula"]]
        self.stays = self.goal == "exactly-one" and goal["stays"]


# ---------------------------------------------------------------- formulas

def parse(source, kind):
    """A measure: (its kind C, L or R, or "safe", [(weight, formula)]); or, of kind None, a formula alone.
    A formula is a tuple: ("1",), ("name", v), ("=", v, k), ("~", v, k), ("!", f), ("S", f, g) and so on."""
    at = 0
    wrong = Rejected(f"cannot read {source!r}")

    def take(pattern):
        """The next token, if the pattern matches here; otherwise None."""
        nonlocal at
        match = re.compile(r"\s*(" + pattern + ")", re.ASCII).match(source, at)
        if match:
            at = match.end()
            return match.group(1)

    def must(pattern):
        token = take(pattern)
        if token is None:
            raise wrong
        return token

    def formula(depth=0):
        if depth >= 200:
            raise wrong
        token = must(r"[A-Za-z0-9_]+|[!(]")
        if token in ("0", "1", "root", "top"):
            return (token,)
        if token in ("!", "X", "Y"):
            return token, formula(depth + 1)
        if token == "(":
            left, operator, right = formula(depth + 1), must("[&|SU]"), formula(depth + 1)
            must(r"\)")
            return operator, left, right
        operator = take("[=~]")
        return (operator, token, int(must("[0-9]+"))) if operator else ("name", token)

    def term(sign):
        weight = take(r"[0-9]+\s*\*") or "1*"
        if not 1 <= int(weight[:-1]) <= 255:
            raise wrong
        return sign * int(weight[:-1]), formula()

    if kind == "measure":
        if source.strip(" \t\r\n\f\v") == "safe":
            return "safe", []
        kind = must("[CLR]")
        must(":")
        terms = [term(-1 if take("-") else 1) if kind == "C" else (1, formula())]
        while kind == "C" and (sign := take("[+-]")):
            terms.append(term(1 if sign == "+" else -1))
        need(len(terms) <= 64, f"too large: {source!r}")
    else:
        terms = [(1, formula())]
    if source[at:].strip(" \t\r\n\f\v"):
        raise wrong
    return kind, terms


def alone(source):
    """A formula that is no measure."""
    return parse(source, None)[1][0][1]


class Reader:
    """Reads one word and says at each agent which formulas hold there.

    A *link* is what two neighbours agree on: (what the right one sees of the left one's state, what the left one sees of the
    right one's, the values of Y's operand and of S at the left one, those of X's operand and of U at the right one).
    """

    def __init__(self, table, formulas, own_only=False):
        self.table, self.nodes, self.number = table, [], {}
        self.own_only = own_only
        self.back, self.ahead = [], []  # the nodes Y and S, the nodes X and U
        self.roots = [self.add(f) for f in formulas]
        need(len(self.back) + len(self.ahead) <= 16, "too large: X, Y, S and U in a measure")
        atoms = [n for n in self.nodes if n[0] == "local"]
        states = range(table.size)
        looks = lambda atom, side: states if atom[2 + side] else [None]

        def classes(side):  # states that look alike from the agent to the right (side 0) or to the left (side 1)
            seen = {}
            def signature(s):
                return tuple(atom[1](p, *((s, own, t) if side == 0 else (t, own, s)))
                             for atom in atoms if atom[2 + side] for p in PLACES for own in states for t in looks(atom, 1 - side))
            return [seen.setdefault(signature(s), s) for s in states]  # a class is named by its least state
        self.as_left, self.as_right = classes(0), classes(1)
        self.memo = {}

    def add(self, f):
        operator, *arguments = f
        t = self.table
        if operator in ("name", "=", "~"):
            name = arguments[0]
            if operator != "name" or name in t.variables:
                need(name in t.variables, f"no variable {name!r}")
                size, values = t.variables[name]
                k = arguments[1] if operator != "name" else 1
                need(k < size, f"{name!r} takes values below {size}")
                need(operator != "name" or size == 2, f"{name!r} is not Boolean")
                if operator == "~":
                    node = "local", lambda p, l, o, r: (values[o] - values[l]) % size == k, True, False
                else:
                    node = "local", lambda p, l, o, r: values[o] == k, False, False
            else:
                need(name in t.marks or name in t.rules, f"nothing is called {name!r}")
                need(name not in t.asking, f"rule {name!r} asks the detector")
                windows = t.marks[name] if name in t.marks else t.rules[name]
                def holds(p, l, o, r):
                    return any((wp is None or wp == p) and (wl is None or wl == l) and (wo is None or wo == o)
                               and (wr is None or wr == r) for wp, wl, wo, wr in windows)
                node = "local", holds, any(w[1] is not None for w in windows), any(w[3] is not None for w in windows)
                need(not self.own_only or all(w[0] is None for w in windows), f"{name!r} asks for a place")
            need(not self.own_only or not (node[2] or node[3]), f"{name!r} is not about an agent's own state")
        elif operator in ("1", "0", "root", "top"):
            need(not self.own_only or operator in "10", f"{operator!r} is not about an agent's own state")
            node = operator,
        else:
            need(not self.own_only or operator in "!&|", f"{operator!r} is not about an agent's own state")
            node = operator, *(self.add(g) for g in arguments)
        key = f if node[0] == "local" else node
        if key not in self.number:
            self.number[key] = len(self.nodes)
            self.nodes.append(node)
            if operator in "YS":
                self.back.append(self.number[key])
            if operator in "XU":
                self.ahead.append(self.number[key])
        return self.number[key]

    def evaluate(self, place, left, own, right, back, ahead):
        """The value of every node at an agent."""
        values = []
        for i, node in enumerate(self.nodes):
            op = node[0]
            if op == "local":
                v = node[1](place, left, own, right)
            elif op in ("1", "0"):
                v = op == "1"
            elif op in ("root", "top"):
                v = place == (BOTTOM if op == "root" else TOP)
            elif op == "!":
                v = not values[node[1]]
            elif op == "&":
                v = values[node[1]] and values[node[2]]
            elif op == "|":
                v = values[node[1]] or values[node[2]]
            elif op in ("Y", "X"):
                v = back[self.back.index(i)] if op == "Y" else ahead[self.ahead.index(i)]
            else:
                before = back[self.back.index(i)] if op == "S" else ahead[self.ahead.index(i)]
                v = values[node[2]] or (values[node[1]] and before)
            values.append(v)
        return values

    def readings(self, place, own):
        """All (left link, right link, values of the formulas, claims that need a reason, reasons found here)."""
        if (place, own) not in self.memo:
            t, found = self.table, []
            lefts = {BOTTOM: [TOP], MIDDLE: [BOTTOM, MIDDLE], TOP: [BOTTOM, MIDDLE]}[place]
            rights = {BOTTOM: [MIDDLE, TOP], MIDDLE: [MIDDLE, TOP], TOP: [BOTTOM]}[place]
            lefts = sorted({self.as_left[s] for p in lefts for s in t.possible[p]})
            rights = sorted({self.as_right[s] for p in rights for s in t.possible[p]})
            bits = lambda nodes: itertools.product((False, True), repeat=len(nodes))
            eventual = [i for i in self.back + self.ahead if self.nodes[i][0] in "SU"]
            for l, r, back, ahead in itertools.product(lefts, rights, bits(self.back), bits(self.ahead)):
                values = self.evaluate(place, l, own, r, back, ahead)
                tell = lambda nodes: tuple(values[self.nodes[i][1] if self.nodes[i][0] in "XY" else i] for i in nodes)
                reasons = sum(1 << k for k, i in enumerate(eventual) if values[self.nodes[i][2]])
                claims = sum(1 << k for k, i in enumerate(eventual) if values[i])
                found.append(((l, self.as_right[own], back, tell(self.ahead)), (self.as_left[own], r, tell(self.back), ahead),
                              tuple(values[i] for i in self.roots), claims, reasons))
            self.memo[place, own] = found
        return self.memo[place, own]


# ---------------------------------------------------------------- machines

def explore(start, row):
    """The machine of all states reachable from start; row(state) yields (letter, next state); outcomes are strings."""
    number, states, rows = {start: 0}, [start], []
    for state in states:
        entries = {}
        for letter, then in row(state):
            if not isinstance(then, str):
                if then not in number:
                    number[then] = len(states)
                    states.append(then)
                then = number[then]
            entries[letter] = then
        rows.append(entries)
    return least(rows)


def least(rows):
    """The least machine that says the same; row 0 is the start."""
    before = [[] for _ in rows]
    useful, todo = set(), []
    for i, row in enumerate(rows):
        for then in row.values():
            if isinstance(then, str):
                todo.append(i)
            else:
                before[then].append(i)
    while todo:
        i = todo.pop()
        if i not in useful:
            useful.add(i)
            todo += before[i]
    if 0 not in useful:
        return [{}]
    rows = [{a: t for a, t in row.items() if isinstance(t, str) or t in useful} if i in useful else None for i, row in enumerate(rows)]
    keys = [None if row is None else tuple(sorted(row)) for row in rows]
    classes, block, count = {}, [], 0
    block = [0 if row is None else classes.setdefault(key, len(classes)) for row, key in zip(rows, keys)]
    while len(classes) != count:
        count, classes = len(classes), {}
        block = [0 if row is None else classes.setdefault(
            (b, tuple([t if isinstance(t, str) else block[t] for t in map(row.__getitem__, key)])), len(classes))
            for row, key, b in zip(rows, keys, block)]
    order, result = {block[0]: 0}, []
    representatives = [0]
    for i in representatives:
        entries = {}
        for letter, then in rows[i].items():
            if not isinstance(then, str):
                if block[then] not in order:
                    order[block[then]] = len(representatives)
                    representatives.append(then)
                then = order[block[then]]
            entries[letter] = then
        result.append(entries)
    return result


def witness(machine, bad):
    """A shortest word with an outcome in bad, or None."""
    words, todo = {0: ()}, [0]
    for i in todo:
        for letter, then in machine[i].items():
            if isinstance(then, str):
                if then in bad:
                    return words[i] + (letter,)
            elif then not in words:
                words[then] = words[i] + (letter,)
                todo.append(then)
    return None


def refine(machine, reader, value, add, verdict, target):
    """Every word with the outcome `target` gets a new one: the values at its agents are added up, and the sum judged.
    Each word of the letters (two, for a step) has exactly one reading: a state of the new machine is a state of the old, and all
    readings so far: (left link of agent 0, link now, claims without a reason, sum). verdict(sum) None drops the word."""
    hopeful = {i for i, row in enumerate(machine) if target in row.values()}  # target can still come
    while True:
        more = {i for i, row in enumerate(machine) if i not in hopeful and any(t in hopeful for t in row.values())}
        if not more:
            break
        hopeful |= more
    letters = {letter for row in machine for letter in row}
    following = {p: {tuple(reader.as_right[s] for s in states) for q, states in letters if q in after}
                 for p, after in ((BOTTOM, (MIDDLE, TOP)), (MIDDLE, (MIDDLE, TOP)), (TOP, (BOTTOM,)))}
    preceding = {tuple(reader.as_left[s] for s in states) for p, states in letters if p == TOP}
    numbers, links, width, work = {}, [], 32, 0

    def number(link):
        if link not in numbers:
            numbers[link] = len(links)
            links.append(link)
        return numbers[link]

    @functools.cache
    def by_left(place, state):
        found = {}
        for reading in reader.readings(place, state):
            found.setdefault(reading[0], []).append(reading)
        return found

    @functools.cache
    def options(letter, link):
        """(left link, right link) -> (value, claims, reasons), for one or two words at once; link None: the seam is guessed"""
        place, states = letter
        found = {}
        tracks = [reader.readings(place, s) for s in states] if link is None else [
            by_left(place, s).get(part, ()) for s, part in zip(states, links[link])]
        for combined in itertools.product(*tracks):
            lefts, rights, values, claims, reasons = zip(*combined)
            if place == BOTTOM and tuple(l[0] for l in lefts) not in preceding:
                continue
            if tuple(r[1] for r in rights) not in following[place]:
                continue
            join = lambda masks: sum(m << (width * k) for k, m in enumerate(masks))
            found[number(lefts), number(rights)] = value(*values), join(claims), join(reasons)
        return found

    def row(state):
        nonlocal work
        old, readings = state
        for letter, then in machine[old].items():
            place = letter[0]
            if isinstance(then, str):
                if then != target:
                    yield letter, then
                    continue
                sums = set()
                for seam, link, claims, total in readings:
                    last = options(letter, link).get((link, seam))
                    if last and not claims & ~last[2]:
                        sums.add(add(total, last[0]))
                assert len(sums) == 1, "a word has exactly one reading"
                outcome = verdict(sums.pop())
                if outcome is not None:
                    yield letter, outcome
            elif then not in hopeful:
                yield letter, (then, frozenset())
            elif place == BOTTOM:
                yield letter, (then, frozenset(
                    (left, right, claims & ~reasons, add(0, v))
                    for (left, right), (v, claims, reasons) in options(letter, None).items()))
            else:
                new = set()
                for seam, link, claims, total in readings:
                    for (_, right), (v, _, reasons) in options(letter, link).items():
                        new.add((seam, right, claims & ~reasons, add(total, v)))
                work += len(new)
                need(work < 10**7, "too large to be followed")
                yield letter, (then, frozenset(new))

    return explore((0, frozenset()), row)


def marked(machine, reader, value, target, some=None, none=None):
    """Every word with the outcome `target` gets `some` if a value at some agent is true, and otherwise `none`; None drops the word."""
    return refine(machine, reader, value, lambda total, v: total or v, lambda found: some if found else none, target)


# ---------------------------------------------------------------- rings

class Sizes:
    """Counts agents: n itself as long as it is small, then modulo the modulus."""

    def __init__(self, sizes, width):
        self.least, self.modulus, self.residues = sizes["from"], sizes["modulus"], sizes["residues"]
        need(max(2, width) <= self.least <= 64, f"sizes from {self.least} on cannot be spoken of")
        need(1 <= self.modulus <= 64 and self.residues and all(r < self.modulus for r in self.residues)
             and sorted(set(self.residues)) == self.residues, "modulus and residues")

    def next(self, n):
        return n + 1 if n + 1 < self.least + self.modulus else self.least

    def accepts(self, n):
        return n >= self.least and n % self.modulus in self.residues


class Words:
    """A regular set of words; its states are numbers, and None, from where nothing is accepted."""

    def __init__(self, automaton, table):
        self.start, self.accepting, self.rows = automaton["start"], set(automaton["accepting"]), automaton["next"]
        known = lambda q: q is None or q < len(self.rows)
        need(known(self.start) and all(map(known, self.accepting)) and all(
            len(row) == table.size and all(map(known, row)) for row in self.rows), "a set's automaton is none")

    def next(self, q, s):
        return None if q is None else self.rows[q][s]


def step_machine(table, start, track, outcome, lying=False):
    """All steps from a configuration; track(t, place, before, after) follows what outcome(t) asks at the end.
    A reading is (left link of agent 0, link now, detector's answer, has somebody acted, was a leader seen). A link is None,
    ("<", cell) if the left agent is that cell of a move of the right one, (">", cell) the other way round."""
    changes = {(s, s) for s in range(table.size)} | {c for m in table.moves for c in m[2:] if c}
    letters = [(p, c) for p in PLACES for c in sorted(changes) if c[0] in table.possible[p]]
    moves = {}
    for place, seen, left, own, right in table.moves:
        for p in PLACES if place is None else [place]:
            moves.setdefault((p, own), set()).add((seen, left and ("<", left), right and (">", right)))

    def readings(letter):  # (left link, right link, what must have been seen, acts)
        place, change = letter
        if change[0] == change[1]:
            yield None, None, None, 0
        yield None, ("<", change), None, 0
        yield (">", change), None, None, 0
        for seen, left, right in moves.get(letter, ()):
            yield left, right, None if lying else seen, 1
    options = {letter: list(readings(letter)) for letter in letters}
    answers = [None] if table.detector is None or lying else [True, False]

    @functools.cache
    def read(now, letter):
        leads = table.detector is not None and not lying and letter[1][0] in table.detector
        new = set()
        for left, right, seen, acts in options[letter]:
            for seam, link, answer, acted, leader in [(left, left, a, 0, False) for a in answers] if now is None else now:
                if left == link and acts + acted <= 1 and seen in (None, answer) and not (leads and answer is False):
                    new.add((seam, right, answer, acts + acted, leader or leads))
        if letter[0] == TOP:  # the ring closes, somebody acted, and that there is a leader has a reason
            return any(seam == link and acted and leader == bool(answer) for seam, link, answer, acted, leader in new)
        return frozenset(new)

    def row(state):
        now, t = state
        for letter in letters:
            place, change = letter
            if (place == BOTTOM) == (now is None):
                new = read(now, letter)
                if new:
                    after = track(t, place, *change)
                    then = outcome(after) if place == TOP else (new, after)
                    if then is not None:
                        yield letter, then
    return explore((None, start), row)


def show(word):
    texts = [" ".join(str(states[k]) for _, states in word) for k in range(len(word[0][1]))]
    return " -> ".join(f"[{t}]" for t in texts)


def absent(word, reason, said=": states "):
    if word is not None:
        raise Rejected(reason + said + show(word))


def must_not(machine, bad, reason):
    absent(witness(machine, bad), reason)


def uncovered(configurations, machine, outcome):
    """One of the configurations (a machine) from which no step has the outcome, or None. Follows sets of the machine's states;
    of two sets after which the same is to come, only the smaller matters."""
    steps = [{} for _ in machine]
    for row, entries in zip(steps, machine):
        for (place, (before, _)), then in entries.items():
            if then == outcome or not isinstance(then, str):
                row.setdefault((place, (before,)), set()).add(then)
    smallest, words = {}, [((), 0, frozenset([0]))]
    for word, at, now in words:
        if not any(now is kept for kept in smallest.get(at, [now])):
            continue  # a smaller one came later
        for letter, key in configurations[at].items():
            new = frozenset().union(*(steps[i].get(letter, ()) for i in now))
            if isinstance(key, str):
                if outcome not in new:
                    return word + (letter,)
            else:
                new = frozenset(i for i in new if not isinstance(i, str))
                kept = smallest.setdefault(key, [])
                if not any(other <= new for other in kept):
                    smallest[key] = [other for other in kept if not new <= other] + [new]
                    words.append((word + (letter,), key, new))
    return None


def sums(kind, terms):
    """How differences are added up along a step, for a measure."""
    if kind == "C":
        bound = 4 * max(abs(w) for w, _ in terms)
        infinite = bound + 1  # too high: counts as risen, for ever

        def value(before, after):
            return sum(w * (b - a) for (w, _), a, b in zip(terms, before, after))

        def add(total, v):  # rounded up: an upper bound of the truth
            return infinite if total == infinite or total + v > bound else max(total + v, -bound)
    else:
        def value(before, after):
            return after[0] - before[0]

        def add(total, v):  # L: the first difference decides, R: the last
            return (total or v) if kind == "L" else (v or total)
    return value, add


FROM_TO = ["inin", "inout", "outin", "outout"]  # of a step: whether it begins and ends in Safe


def from_to(words, before, after):
    return ("in" if before in words.accepting else "out") + ("in" if after in words.accepting else "out")


def assumed(machine, table, outcomes):
    """The words with these outcomes that meet the assumption; of steps, those from such words."""
    for target in outcomes if table.given is not None else []:
        machine = marked(machine, Reader(table, [table.given]), lambda before, *after: not before[0], target, none=target)
    return machine


def keep_assumption(machine, table, outcomes):
    """Steps from words that meet the assumption lead to such words."""
    if table.given is not None:
        steps = explore(0, lambda i: [(l, "step" if t in outcomes else t) for l, t in machine[i].items()])
        must_not(refine(steps, Reader(table, [table.given]), lambda before, after: (not before[0], not after[0]),
                        lambda total, v: (total[0] or v[0], total[1] or v[1]) if total else v,
                        lambda broken: "bad" if broken == (False, True) else None, "step"), ["bad"], "a step breaks the assumption")


def keep_safe(steps, table):
    """No step leaves Safe, or moves a leader."""
    must_not(steps, ["inout"], "a step leaves Safe")
    if table.stays:
        inside = only(steps, {"inin": "inin"})
        must_not(marked(inside, goal_reader(table), lambda a, b: a != b, "inin", "bad"), ["bad"], "a step moves what should stay")


def keep_possible(table, sizes, lying=False):
    """Steps lead to configurations."""
    must_not(step_machine(table, (0, True), lambda t, p, a, b: (sizes.next(t[0]), t[1] and b in table.possible[p]),
                          lambda t: "bad" if sizes.accepts(t[0]) and not t[1] else None, lying), ["bad"], "a step leads to an impossible state")


def steps_of(table, sizes, words):
    """All steps, with the outcome of both words."""
    return step_machine(table, (0, words.start, words.start),
                        lambda t, p, a, b: (sizes.next(t[0]), words.next(t[1], a), words.next(t[2], b)),
                        lambda t: from_to(words, *t[1:]) if sizes.accepts(t[0]) else None)


def check_ring(c):
    table = Table(c["rules"])
    sizes = Sizes(c["sizes"], table.width)
    safe = Words(c["safe"], table)
    goal = goal_reader(table)
    measures = read_measures(table, c["measures"])
    lasting = None
    if c.get("lasting") is not None:
        need(table.detector is not None, "a set in which leaders last, and no detector")
        lasting = Words(c["lasting"], table)

    keep_possible(table, sizes, lying=lasting is not None)
    keep_assumption(step_machine(table, 0, lambda t, p, a, b: sizes.next(t), lambda t: "step" if sizes.accepts(t) else None,
                                 lying=lasting is not None), table, ["step"])
    everything = Words({"start": 0, "accepting": [0], "next": [[0] * table.size]}, table)
    need(witness(assumed(word_machine(table, sizes, everything), table, ["word"]), ["word"]), "no configuration meets the assumption")
    # 1. The promise holds in Safe.
    value, add, kept = promise_kept(table)
    must_not(refine(assumed(word_machine(table, sizes, safe), table, ["word"]), goal, value, add, lambda total: None if kept(total) else "bad", "word"),
             ["bad"], "the promise is not kept")
    together = c["scheduler"] in ("distributed", "synchronous")
    fair = c["scheduler"] in ("weakly-fair", "locally-fair")
    if together or (c.get("coins") == "fair" and not fair):
        need(c.get("helpful") is None, "helpful agents are for weakly fair schedules")
        check_daemon(c, table, sizes, safe)
    if together:
        return
    steps = assumed(steps_of(table, sizes, safe), table, FROM_TO)
    keep_safe(steps, table)
    # 2. The measures.
    if fair:
        return check_fairness(c, table, sizes, safe)
    if c.get("coins") == "fair":
        return
    need(c.get("helpful") is None, "helpful agents are for weakly fair schedules")
    outside = {"outin": "into", "outout": "open"}
    steps = explore(0, lambda i: [(l, outside.get(t, t)) for l, t in steps[i].items() if t != "inin"])
    descend(assumed(word_machine(table, sizes, safe, False), table, ["word"]), steps, measures, c["scheduler"], "outside Safe")
    # 3. Leaders that last.
    if lasting:
        check_lasting(table, sizes, lasting)
    # 4. What recurs.
    if c.get("recurring") is not None:
        check_recurring(c, table)


def read_measures(table, sources):
    parsed = [(source, *parse(source, "measure")) for source in sources]
    return [(source, kind, terms, Reader(table, [f for _, f in terms])) for source, kind, terms in parsed]


def descend(words, steps, measures, scheduler, where):
    """From every one of the words the measures fall, on some step or (unfair) on every one; `steps` has the steps from them: "into" what
    is to be reached, and "open" ones."""
    unfair = scheduler == "unfair"
    if unfair:
        absent(uncovered(words, any_step(steps), "any"), f"no step {where}")
    steps = lowered(steps, measures, unfair)
    if unfair:
        must_not(steps, ["open", "into"], "the measures do not fall")
    else:
        absent(uncovered(words, steps, "fall"), f"no step {where} lowers the measures")


def lowered(steps, measures, none_rises):
    """The steps after all measures: those on which they fall, and those on which they stay equal. If none may rise, only the latter."""
    # a step into what is to be reached is as open as others, until the measure "safe" comes
    for source, kind, terms, reader in measures:
        if kind == "safe":
            steps = explore(0, lambda i: [(l, "fall" if t == "into" else t) for l, t in steps[i].items()
                                          if not (none_rises and t == "into")])
            continue
        value, add = sums(kind, terms)
        for target in ("open", "into"):
            steps = refine(steps, reader, value, add,
                           lambda total: "fall" if total < 0 else target if total == 0 else "lost", target)
        if none_rises:
            must_not(steps, ["lost"], f"{source} rises")
        steps = explore(0, lambda i: [(l, t) for l, t in steps[i].items() if t != "lost" and not (none_rises and t == "fall")])
    return steps


def any_step(steps):
    return explore(0, lambda i: [(l, "any" if isinstance(t, str) else t) for l, t in steps[i].items()])


# ---------------------------------------------------------------- coins, and agents that act at once

def labelled_words(c, table, sizes, safe):
    """An agent that acts has a label, the number of the daemon's choice for it; its state s then has the number s * copies + label. After
    a step all labels are 0. The choices, as machines, with the outcome "in" or "out" of Safe; their steps, with the outcome of
    both words; and the number of copies."""
    central = c["scheduler"] in ("unfair", "weakly-fair")
    need(c["scheduler"] != "globally-fair", "fair coins are for daemons that choose")
    need(table.detector is None, "fair coins and agents at once: no detector")
    need(central or all(side is None or side[0] == side[1] for moves, _, _ in table.choices for m in moves for side in (m[0], m[2])),
         "agents act at once, and one writes its neighbour's state")
    # Choices whose windows can match at the same time have different labels.
    labels = []
    for _, _, window in table.choices:
        clash = {l for l, (_, _, other) in zip(labels, table.choices) if all(a is None or b is None or a == b for a, b in zip(window, other))}
        labels.append(next(l for l in itertools.count(1) if l not in clash))
    copies = max(labels, default=0) + 1
    need(table.size * forms(table) <= 255, "too many states with the daemon's choices")
    choices = {}  # by label and own state
    for label, choice in zip(labels, table.choices):
        choices.setdefault((label, choice[2][2]), []).append(choice)
    plain, label_of = (lambda number: number // copies), (lambda number: number % copies)
    reads = [any(choice[2][side] is not None for choice in table.choices) for side in (1, 3)]

    def matching(label, place, left, own, right):
        for choice in choices.get((label, own), ()):
            p, l, _, r = choice[2]
            if p in (None, place) and l in (None, left) and r in (None, right):
                return choice

    def lawful(left, letter, right, two):
        """Whether an agent may be labelled, and change, like this; neighbours as far as they are known, or None where nobody looks."""
        place, states = letter
        own, label = plain(states[0]), label_of(states[0])
        sides = [None if s is None else plain(s[0]) for s in (left, right)]
        if label == 0:
            if c["scheduler"] == "synchronous" and any(matching(l, place, sides[0], own, sides[1]) for l in range(1, copies)):
                return False
            near = central and any(s is not None and label_of(s[0]) for s in (left, right))
            return len(states) == 1 or near or plain(states[1]) == own
        choice = matching(label, place, sides[0], own, sides[1])
        if choice is None or len(states) == 1:
            return choice is not None
        after = plain(states[1])
        if not central:
            return any(m[1][1] == after for m in choice[0]) or (choice[1] and after == own)
        changes = [(plain(left[0]), plain(left[1])), (own, after), (plain(right[0]), plain(right[1]))]
        still = [choice[2][1] is not None, True, choice[2][3] is not None]
        outcomes = list(choice[0]) + ([[(w, w) if w is not None else None for w in choice[2][1:]]] if choice[1] else [])
        # a side that the choice does not look at stays as it is, unless it is the agent on the other side, too
        return any(all(m[k] == changes[k] if still[k] else (two and still[2 - k]) or changes[k][0] == changes[k][1] for k in (0, 1, 2))
                   for m in outcomes)

    def acting(letters, start, track, outcome):
        """The words of letters in which agents are labelled and change as the daemon and the coins may have it."""
        keep = (lambda s, read: s) if central else (lambda s, read: (s[0] // copies * copies,) if read else None)

        def row(state):
            for letter in letters:
                place, states = letter
                if (place == BOTTOM) != (state is None):
                    continue
                acted = (state[4] if state else 0) + (label_of(states[0]) > 0)
                if central and acted > 1:
                    continue
                t = track(state[5] if state else start, place, states)
                if state is None:
                    yield letter, (letter, None, None, letter, acted, t)
                    continue
                first, second, before, last, _, _ = state
                if second is None:
                    second, before, two = (keep(states, reads[1]),), keep(first[1], reads[0]), True
                else:
                    if not lawful(before, last, states, False):
                        continue
                    before, two = keep(last[1], reads[0]), False
                if place != TOP:
                    yield letter, (first, second, before, letter, min(acted, 1), t)
                    continue
                if acted and lawful(before, letter, first[1], two) and lawful(states, first, second[0], two):
                    then = outcome(t)
                    if then is not None:
                        yield letter, then
        return explore(None, row)

    def afters(s, label):
        if label:
            return {m[1][1] for choice in choices.get((label, s), ()) for m in choice[0]} | {s for choice in choices.get((label, s), ()) if choice[1]}
        written = {m[k][1] for moves, _, _ in table.choices for m in moves for k in (0, 2) if m[k] and m[k][0] == s}
        return {s} | (written if central else set())

    befores = [(p, s, label) for p in PLACES for s in table.possible[p] for label in range(copies)]
    words = acting([(p, (s * copies + label,)) for p, s, label in befores], (0, safe.start),
                   lambda t, p, states: (sizes.next(t[0]), safe.next(t[1], plain(states[0]))),
                   lambda t: None if not sizes.accepts(t[0]) else "in" if t[1] in safe.accepting else "out")
    steps = acting([(p, (s * copies + label, t * copies)) for p, s, label in befores for t in sorted(afters(s, label))],
                   (0, safe.start, safe.start),
                   lambda t, p, states: (sizes.next(t[0]), safe.next(t[1], plain(states[0])), safe.next(t[2], plain(states[1]))),
                   lambda t: from_to(safe, *t[1:]) if sizes.accepts(t[0]) else None)
    return words, steps, copies


def only(machine, kept):
    """The words with some outcomes, which are renamed."""
    return explore(0, lambda i: [(l, kept.get(t, t)) for l, t in machine[i].items() if not isinstance(t, str) or t in kept])


def check_daemon(c, table, sizes, safe):
    need(c.get("lasting") is None and c.get("recurring") is None, "fair coins and agents at once: no recurring condition")
    words, steps, copies = labelled_words(c, table, sizes, safe)
    labelled = Table(labelled_rules(c["rules"], copies))
    words, steps = assumed(words, labelled, ["in", "out"]), assumed(steps, labelled, FROM_TO)
    if c["scheduler"] != "unfair":
        keep_assumption(steps, labelled, FROM_TO)
        keep_safe(steps, labelled)
    # Outside Safe some agent can act.
    some = step_machine(table, 0, lambda t, p, a, b: sizes.next(t), lambda t: "any" if sizes.accepts(t) else None)
    absent(uncovered(assumed(word_machine(table, sizes, safe, False), table, ["word"]), some, "any"), "no step outside Safe")
    measures = read_measures(labelled, c["measures"])
    descend(only(words, {"out": "word"}), only(steps, {"outin": "into", "outout": "open"}), measures,
            "globally-fair" if c.get("coins") == "fair" else "unfair", "after the daemon's choice")


def forms(table):
    """How many labels the reference format allows for: one for each form of a window, and each repetition of a window; and none."""
    seen, kinds = [], set()
    for _, _, window in table.choices:
        p, l, _, r = window
        kinds.add((p is not None, l is not None, r is not None, seen.count(window)))
        seen.append(window)
    return len(kinds) + 1


def marks_and_rules(r):
    """The marks of the table, and one for each rule: one of its moves can be made here."""
    return r.get("marks", []) + [{"name": name, "windows": [
        {"place": m.get("place"), **{k: m[k][0] for k in ("left", "own", "right") if m.get(k) is not None}}
        for m in r["moves"] if m["rule"] == number]} for number, name in enumerate(r["rules"])]


def labelled_rules(r, copies):
    """The table with labels that formulas do not see; what rules could do is only a mark there."""
    every = lambda s: [None] if s is None else [s * copies + label for label in range(copies)]
    def wide(windows):
        return [{**w, "left": a, "own": o, "right": b} for w in windows
                for a in every(w.get("left")) for o in every(w.get("own")) for b in every(w.get("right"))]
    return {**r, "states": [s for s in r["states"] for _ in range(copies)],
            "variables": [{**v, "values": [x for x in v["values"] for _ in range(copies)]} for v in r["variables"]],
            "marks": [{**m, "windows": wide(m["windows"])} for m in marks_and_rules(r)],
            "rules": [], "moves": [], "tosses": [],
            "possible": {place: [t for s in states for t in every(s)] for place, states in r["possible"].items()}}


# ---------------------------------------------------------------- failures

def without(words, others, letter_of):
    """Those of the words, as a machine, that no word of another machine becomes, letter by letter."""
    steps = [{} for _ in others]
    for row, entries in zip(steps, others):
        for letter, then in entries.items():
            row.setdefault(letter_of(letter), set()).add(then)

    def row(state):
        at, now = state
        for letter, then in words[at].items():
            new = frozenset().union(*(steps[i].get(letter, ()) for i in now))
            if not isinstance(then, str):
                yield letter, (then, frozenset(i for i in new if not isinstance(i, str)))
            elif not any(isinstance(i, str) for i in new):
                yield letter, then
    return explore((0, frozenset([0])), row)


FROM_IN = {"inin": "inin", "inout": "inout"}


def check_failure(c):
    """The daemon can stay in the trap, and at least every other configuration there breaks the promise."""
    coins_of_table = c["rules"].get("tosses")
    if c.get("coins") != "fair":  # the daemon chooses among all moves
        c = {**c, "rules": {**c["rules"], "tosses": []}}
    table = Table(c["rules"])
    locally = c["scheduler"] == "locally-fair"
    weakly = c["scheduler"] == "weakly-fair"
    fair = weakly or locally
    need(weakly or not c.get("measures"), "measures of a trap are for weakly fair schedules")
    need(not fair or not coins_of_table, "a trap for fair schedules: without coins")
    need(locally or not c.get("turns"), "turns are for locally fair schedules")
    need(not locally or table.detector is None and all(left is None and right is not None for _, _, left, _, right in table.moves),
         "a trap for locally fair schedules: each agent is the arc to its right neighbour, without a detector")
    need(table.given is None, "a failure is shown without an assumption about all agents together")
    sizes = Sizes(c["sizes"], table.width)
    trap = Words(c["trap"], table)
    keep_possible(table, sizes)
    inside = word_machine(table, sizes, trap)
    # A configuration of every size: states of the trap's automaton after all agents but the last, and the number of agents.
    now, n, met = {trap.next(trap.start, s) for s in table.possible[BOTTOM]}, 1, set()
    while (frozenset(now), n) not in met:
        met.add((frozenset(now), n))
        ends = {trap.next(q, s) for q in now for s in table.possible[TOP]}
        need(len(met) < 2**12, "too large to be followed")
        need(not sizes.accepts(sizes.next(n)) or ends & trap.accepting, f"the trap has no configuration of some size, such as {n + 1}")
        now, n = {trap.next(q, s) for q in now for s in table.possible[MIDDLE]}, sizes.next(n)
    before = lambda letter: (letter[0], letter[1][:1])
    steps = only(steps_of(table, sizes, trap), FROM_IN)
    if c["scheduler"] == "globally-fair":
        need(c.get("coins") != "fair", "fair coins are for daemons that choose")
        must_not(steps, ["inout"], "a step leaves the trap")
    single = fair or c["scheduler"] in ("globally-fair", "unfair") and c.get("coins") != "fair"
    if single:
        sure, shown = only(kept_broken(table, steps), {"fine": "fine"}), before
    else:
        words, acts, copies = labelled_words(c, table, sizes, trap)
        acts = kept_broken(Table(labelled_rules(c["rules"], copies)), only(acts, FROM_IN))
        sure = without(only(words, {"in": "in"}), only(acts, {"inout": "no", "twice": "no"}), before)
        shown = lambda letter: (letter[0], (letter[1][0] // copies,))
    # where nothing is enabled, and the promise is broken, the execution stays
    value, add, verdict = promise_kept(table)
    broken = refine(inside, goal_reader(table), value, add, lambda total: None if verdict(total) else "word", "word")
    left = without(without(inside, sure, shown), without(broken, steps, before), lambda letter: letter)
    must_not(left, ["word"], "the daemon has no choice that stays in the trap and breaks the promise")
    if locally:
        check_turns(c)
    elif fair:
        check_rounds(c)


class Watched:
    """A set of words in which one agent is watched; its states also count the watched agents, up to 2."""

    def __init__(self, words, accepting):
        self.words, self.start, self.accepting = words, (words.start, 0), {(q, 1) for q in accepting}

    def next(self, t, s):
        return self.words.next(t[0], s // 2), min(2, t[1] + s % 2)


def watched_trap(c):
    """The table in which the watched agent has state 2 * s + 1, the words of the trap with one such agent, and the steps from them of
    such a table."""
    twin = Table(twice(c["rules"]))
    sizes, trap = Sizes(c["sizes"], twin.width), Words(c["trap"], Table(c["rules"]))
    watched = Watched(trap, trap.accepting)
    return twin, word_machine(twin, sizes, watched), lambda table: only(steps_of(table, sizes, watched), FROM_IN)


def check_rounds(c):
    """From every word of the trap in which the watched agent is enabled, some step stays in the trap, and that agent acts, or is disabled
    then, or the measures fall."""
    twin, inside, steps_from = watched_trap(c)
    measures = read_measures(twin, c.get("measures", []))
    own_table = Table(twice(c["rules"]))
    own_table.moves = [m for m in own_table.moves if m[3][0] % 2]
    own = steps_from(own_table)
    before, after = (lambda letter: (letter[0], letter[1][:1])), (lambda letter: (letter[0], letter[1][1:]))
    disabled = without(inside, any_step(own), before)
    waiting = without(inside, disabled, lambda letter: letter)
    kept = only(kept_broken(twin, steps_from(twin)), {"fine": "fine"})

    def row(state):  # the kept steps: "fall" if the watched agent acts, or is disabled then
        at, acts, idle = state
        for letter, then in kept[at].items():
            mine = own[acts].get(letter) if acts is not None else None
            rest = disabled[idle].get(after(letter)) if idle is not None else None
            if isinstance(then, str):
                yield letter, "fall" if mine is not None or rest is not None else "open"
            else:
                yield letter, (then, mine, rest)
    absent(uncovered(waiting, lowered(explore((0, 0, 0), row), measures, False), "fall"),
           "an agent waits for ever in the trap (states 2s, or 2s + 1 at this agent)", ": ")


def check_turns(c):
    """For each move: from every word of the trap in which it is possible on the watched arc, or the formula of its turn holds there, it
    stays in the trap, or some step does that leads to where it stays, or to another such word and lowers the measures of its turn."""
    twin, inside, steps_from = watched_trap(c)
    same, before, after = (lambda letter: letter), (lambda letter: (letter[0], letter[1][:1])), (lambda letter: (letter[0], letter[1][1:]))
    kept = only(kept_broken(twin, steps_from(twin)), {"fine": "fine"})
    turns = {turn["move"]: turn for turn in c.get("turns", [])}
    need(len(turns) == len(c.get("turns", [])) and all(of < len(c["rules"]["moves"]) for of in turns), "each turn is of another move")
    for number, move in enumerate(c["rules"]["moves"]):
        turn = turns.get(number, {"within": "0", "measures": []})
        measures, within = read_measures(twin, turn["measures"]), alone(turn["within"])
        own_table = Table(twice(c["rules"]))
        own_table.moves = [m for m in Table(twice({**c["rules"], "moves": [move], "tosses": []})).moves if m[3][0] % 2]
        made = steps_from(own_table)
        unready = without(inside, only(kept_broken(own_table, made), {"fine": "fine"}), before)
        impossible = without(inside, any_step(made), before)
        held = marked(inside, Reader(twin, [("&", ("name", "here"), within)]), lambda v: v[0], "word", "word")
        tracked = without(inside, without(impossible, held, same), same)
        ready = without(inside, unready, same)

        def row(state):  # the kept steps: "fall" if the move stays then
            at, track, end = state
            for letter, then in kept[at].items():
                among = tracked[track].get(after(letter))
                there = ready[end].get(after(letter)) if end is not None else None
                if among is not None:
                    yield letter, (then, among, there) if not isinstance(then, str) else "fall" if there is not None else "open"
        absent(uncovered(without(tracked, ready, same), lowered(explore((0, 0, 0), row), measures, False), "fall"),
               f"move {number} waits for ever in the trap (states 2s, or 2s + 1 at its agent)", ": ")


def goal_reader(table):
    return Reader(table, [alone(f) for f in table.goal_formulas])


def promise_kept(table):
    """What is added up along a word, and whether the sum means that the promise is kept."""
    return {"exactly-one": (sum, lambda total, v: min(2, total + v), lambda total: total == 1),
            "everywhere": (lambda v: not v[0], lambda total, v: total or v, lambda total: not total)}[table.goal]


def kept_broken(table, steps):
    """The steps within a trap get the outcome "twice" if the promise is kept before and after, and otherwise "fine"."""
    value, add, kept = promise_kept(table)
    return refine(steps, goal_reader(table), lambda v, w: (value(v), value(w)),
                  lambda total, v: (add(total[0], v[0]), add(total[1], v[1])) if total else v,
                  lambda total: "twice" if kept(total[0]) and kept(total[1]) else "fine", "inin")


def check_lasting(table, sizes, lasting):
    leads = lambda s: s in table.detector
    must_not(assumed(explore((0, lasting.start, False), lambda t: (
        ((p, (s,)), (new if p != TOP else "bad")) for p in ([BOTTOM] if t[0] == 0 else [MIDDLE, TOP]) for s in table.possible[p]
        for new in [(sizes.next(t[0]), lasting.next(t[1], s), t[2] or leads(s))]
        if p != TOP or (sizes.accepts(new[0]) and new[1] in lasting.accepting and not new[2]))), table, ["bad"]),
        ["bad"], "Lasting without a leader")
    must_not(assumed(step_machine(
        table, (0, lasting.start, lasting.start, False, False),
        lambda t, p, a, b: (sizes.next(t[0]), lasting.next(t[1], a), lasting.next(t[2], b), t[3] or leads(a), t[4] or leads(b)),
        lambda t: "bad" if sizes.accepts(t[0]) and t[2] not in lasting.accepting and
        (t[1] in lasting.accepting or (t[4] and not t[3])) else None, lying=True), table, ["bad"]), ["bad"], "leaders do not last")


def word_machine(table, sizes, words, inside=True):
    """The configurations in a regular set, or those outside."""
    return explore((0, words.start), lambda t: (
        ((p, (s,)), (new if p != TOP else "word")) for p in ([BOTTOM] if t[0] == 0 else [MIDDLE, TOP]) for s in table.possible[p]
        for new in [(sizes.next(t[0]), words.next(t[1], s))]
        if p != TOP or (sizes.accepts(new[0]) and (new[1] in words.accepting) == inside)))


def check_recurring(c, table):
    """Some agent is watched: its state is (s, True) instead of (s, False), which a number 2 * s + 1 or 2 * s stands for."""
    formula = alone(c["recurring"]["formula"])
    Reader(table, [formula])  # it is about the algorithm, and does not know which agent is watched
    twin = Table(twice(c["rules"]))
    sizes = Sizes(c["sizes"], twin.width)
    safe = Words(c["safe"], table)
    watched = Watched(safe, safe.accepting)
    measures = read_measures(twin, c["recurring"]["measures"])
    held = Reader(twin, [("&", ("name", "here"), formula)])
    waiting = marked(word_machine(twin, sizes, watched), held, lambda v: v[0], "word", none="word")
    steps = step_machine(twin, (0, watched.start),
                         lambda t, p, a, b: (sizes.next(t[0]), watched.next(t[1], a)),
                         lambda t: "step" if sizes.accepts(t[0]) and t[1] in watched.accepting else None)
    steps = refine(steps, held, lambda v, w: (v[0], w[0]), lambda total, v: (total[0] or v[0], total[1] or v[1]) if total else v,
                   lambda held: None if held[0] else "into" if held[1] else "open", "step")
    waiting, steps = assumed(waiting, twin, ["word"]), assumed(steps, twin, ["into", "open"])
    descend(waiting, steps, measures, c["scheduler"], "while an agent waits")


def twice(r):
    """The table with agents that are watched or not."""
    both = lambda s: [2 * s, 2 * s + 1]
    need(len(r["states"]) <= 127, "too many states for a recurring condition, or weak fairness: at most 127")
    def versions(thing, of):  # every choice of watched agents among those that are looked at
        sides = [k for k in ("left", "own", "right") if thing.get(k) is not None]
        return [{**thing, **dict(zip(sides, states))} for states in itertools.product(*(of(thing[k]) for k in sides))]
    cells = lambda cell: [[2 * cell[0] + k, 2 * cell[1] + k] for k in (0, 1)]
    variables = [{**v, "values": [x for x in v["values"] for _ in range(2)]} for v in r["variables"]]
    return {**r, "states": [s for s in r["states"] for _ in range(2)],
            "variables": variables + [{"name": "here", "size": 2, "values": [0, 1] * len(r["states"])}],
            "marks": [{**m, "windows": [v for w in m["windows"] for v in versions(w, both)]} for m in r.get("marks", [])],
            "moves": [v for m in r["moves"] for v in versions(m, cells)],
            "possible": {place: [t for s in states for t in both(s)] for place, states in r["possible"].items()},
            "detector": None if r.get("detector") is None else [t for s in r["detector"] for t in both(s)]}


# ---------------------------------------------------------------- weakly fair schedules

def check_fairness(c, table, sizes, safe):
    """One agent acts: its state is 2 * s + 1, and that of every other one 2 * s. No formula says which agent that is, except here."""
    need(c.get("lasting") is None and c.get("recurring") is None, "weakly fair schedules: without what recurs, and without leaders that last")
    coins = c.get("coins") == "fair"
    need(coins or not c["rules"].get("tosses"), "weakly fair schedules: without coins of an adversary")
    need(c["scheduler"] == "weakly-fair" or not coins and all(left is None and right is not None for _, _, left, _, right in table.moves),
         "locally fair schedules: without coins, and each agent is the arc to its right neighbour")
    need(c.get("helpful") is not None, "weakly fair schedules need helpful agents")
    helpful = alone(c["helpful"])
    words = assumed(word_machine(table, sizes, safe, False), table, ["word"])
    must_not(marked(words, Reader(table, [helpful]), lambda v: v[0], "word", none="bad"), ["bad"], "outside Safe nobody is helpful")
    twin = Table(acting_rules(c["rules"]))
    acts = "name", "(acts)"
    twin.marks[acts[1]] = [(None, None, s, None) for s in range(1, twin.size, 2)]
    acting = Watched(safe, [q for q in [None, *range(len(safe.rows))] if q not in safe.accepting])
    helps = Reader(twin, [("&", acts, helpful)])
    helping = marked(assumed(word_machine(twin, sizes, acting), twin, ["word"]), helps, lambda v: v[0], "word", "word")
    steps = step_machine(twin, (0, acting.start, safe.start),
                         lambda t, p, a, b: (sizes.next(t[0]), acting.next(t[1], a), safe.next(t[2], b // 2)),
                         lambda t: None if not sizes.accepts(t[0]) or t[1] not in acting.accepting else
                         "into" if t[2] in safe.accepting else "open")
    steps = assumed(steps, twin, ["into", "open"])
    absent(uncovered(helping, any_step(steps), "any"), "a helpful agent is not enabled (states 2s, or 2s + 1 at this agent)", ": ")
    if coins:
        words, steps, copies = labelled_words(c, table, sizes, safe)
        twin = Table(labelled_rules(c["rules"], copies))
        twin.marks[acts[1]] = [(None, None, s, None) for s in range(twin.size) if s % copies]
        helps = Reader(twin, [("&", acts, helpful)])
        words, steps = assumed(words, twin, ["out"]), assumed(steps, twin, FROM_TO)
        steps = without_hope(only(words, {"out": "word"}), only(steps, {"outin": "into", "outout": "open"}), read_measures(twin, c["measures"]))
        must_not(steps, ["lost"], "no outcome of a choice lowers the measures, and this one may raise them")
    else:
        steps = lowered(steps, read_measures(twin, c["measures"]), True)
    for target in ("open", "into"):
        steps = marked(steps, helps, lambda v, w: v[0], target, "bad", target)
    must_not(steps, ["bad"], "the step of a helpful agent does not lower the measures")
    for target in ("open", "into"):
        steps = marked(steps, Reader(twin, [helpful]), lambda v, w: v[0] and not w[0], target, "bad", target)
    must_not(steps, ["bad"], "an agent stops being helpful, and the measures do not fall")


def without_hope(choices, steps, measures):
    """The outcomes of those choices of which no outcome lowers the measures: "lost", or still "open" or "into"."""
    for source, kind, terms, reader in measures:
        if kind == "safe":
            steps = only(steps, {"into": "fall", "open": "open", "fall": "fall", "lost": "lost"})
            continue
        value, add = sums(kind, terms)
        for target in ("open", "into"):
            steps = refine(steps, reader, value, add, lambda total: "fall" if total < 0 else target if total == 0 else "lost", target)
    before = lambda letter: (letter[0], letter[1][:1])
    hopeless = without(choices, only(steps, {"fall": "fall"}), before)

    def row(state):
        at, choice = state
        for letter, then in steps[at].items():
            after = hopeless[choice].get(before(letter))
            if after is not None and then != "fall":
                yield letter, then if isinstance(then, str) else (then, after)
    return explore((0, 0), row)


def acting_rules(r):
    """The table with an agent that acts, by its state; what rules can do is only a mark there."""
    table = twice({**r, "marks": marks_and_rules(r)})
    others = lambda cell: None if cell is None else [2 * cell[0], 2 * cell[1]]
    moves = [{**m, "left": others(m.get("left")), "own": [2 * m["own"][0] + 1, 2 * m["own"][1] + 1], "right": others(m.get("right"))}
             for m in r["moves"]]
    fresh = "a" * (1 + max(len(thing["name"]) for thing in table["variables"] + table["marks"]))
    return {**table, "variables": table["variables"][:-1], "rules": [fresh], "moves": [{**m, "rule": 0} for m in moves]}


# ---------------------------------------------------------------- complete graphs

def check_complete(c):
    """A configuration is how many agents have each state. Counts from `many` on are not told apart: no range of Safe
    tells them apart, even after a step has taken two agents away."""
    table = Table(c["rules"])
    need(table.given is None, "on a complete graph there is no assumption about all agents together")
    need(2 <= c["from"] <= 64, f"sizes from {c['from']} on cannot be spoken of")
    need(all(p is None and left is None and right is not None for p, _, left, _, right in table.moves),
         "a move on a complete graph has own and right, and nothing else")
    need(all(len(p) == table.size for p in table.possible), "on a complete graph every state is possible for every agent")
    need(all(len(part) == table.size for part in c["safe"]), "Safe: a range for each state")

    def holds(reader, s):
        return [bool(reader.evaluate(MIDDLE, None, s, None, (), ())[i]) for i in reader.roots]
    goal = Reader(table, [alone(f) for f in table.goal_formulas], own_only=True)
    promised = [holds(goal, s) for s in range(table.size)]
    measures = []  # None for "safe", or a weight for each state
    for source in c["measures"]:
        kind, terms = parse(source, "measure")
        need(kind in ("C", "safe"), f"{source!r} is not for complete graphs")
        reader = Reader(table, [f for _, f in terms], own_only=True)
        measures.append(None if kind == "safe" else [sum(w for (w, _), v in zip(terms, holds(reader, s)) if v) for s in range(table.size)])
    many = 2 + max([0] + [x for part in c["safe"] for least, most in part for x in (least, 0 if most is None else most + 1)])
    need((many + 1) ** table.size <= 10**6, "too large for this checker")

    def is_safe(counts):
        return any(all(least <= n and (most is None or n <= most) for n, (least, most) in zip(counts, part)) for part in c["safe"])

    for counts in itertools.product(range(many + 1), repeat=table.size):
        if sum(counts) < c["from"] and many not in counts:
            continue
        inside = is_safe(counts)
        if inside and table.goal == "exactly-one":
            need(sum(n * sum(p) for n, p in zip(counts, promised)) == 1, f"the promise is not kept: {counts}")
        elif inside:
            need(all(p[0] or not n for n, p in zip(counts, promised)), f"the promise is not kept: {counts}")
        leader = table.detector is not None and any(counts[s] for s in table.detector)
        falls = []
        for _, seen, _, (p, p2), (q, q2) in table.moves:
            if counts[p] < 1 or counts[q] < 1 + (p == q) or seen not in (None, leader):
                continue
            after = list(counts)
            for s, d in ((p, -1), (q, -1), (p2, 1), (q2, 1)):
                after[s] += d
            if inside:
                need(is_safe(after), f"a step leaves Safe: {counts} -> {after}")
                need(not table.stays or (promised[p] == promised[p2] and promised[q] == promised[q2]), f"a step moves what should stay: {counts}")
            else:
                change = [is_safe(after) * -1 if w is None else w[p2] + w[q2] - w[p] - w[q] for w in measures]
                falls.append(next((d < 0 for d in change if d), False))
        need(inside or any(falls), f"no step outside Safe lowers the measures: {counts}")
        need(inside or c["scheduler"] != "unfair" or all(falls), f"a step outside Safe does not lower the measures: {counts}")


# ---------------------------------------------------------------- values that grow with the ring

ROOTS, LEFTS, ANOTHER = range(3)  # letters of agents 1 to n-1: the root's value, the left neighbour's, another one


def check_values(c):
    """Values are 0, the root's before a step; 1, its next one; and others, which have numbers as long as one of two neighbours has them.
    An agent is a pair of values, before and after."""
    v, least_size = c["values"], c["from"]
    need(2 <= least_size <= 64, "sizes: from 2 to 64")
    need(c["fewer"] in (0, 1), "K >= n or K >= n - 1")
    need(c["scheduler"] in ("unfair", "distributed"), "unfair or distributed")
    for m in v["moves"]:
        side = m["sees"].get(m["takes"])
        copies = m["sees"]["place"] != "bottom" and m["takes"] != "next" and side is False
        counts = m["sees"]["place"] == "bottom" and m["takes"] == "next" and True in (m["sees"].get("left"), m["sees"].get("right"))
        need(m["rule"] < len(v["rules"]) and (copies or counts), "a move that neither copies nor, at the root, takes the next value")
    sets = [c["safe"], c["fresh"]]
    for a in sets:
        known = lambda q: q is None or q < len(a["next"])
        need(all(map(known, [a["start"], *a["accepting"]])) and all(len(row) == 3 and all(map(known, row)) for row in a["next"]), "a set's automaton")
    rights = any(m["takes"] == "right" for m in v["moves"])

    def fits(window, place, left, own, right):
        return PLACE[window["place"]] == place and window.get("left") in (None, left == own) and window.get("right") in (None, right == own)

    def can_act(place, left, own, right, time):
        return any(fits(m["sees"], place, left[time], own[time], right[time]) for m in v["moves"])

    def lawful(place, left, own, right):
        new = {"next": 1, "left": left[0], "right": right[0]}
        return own[0] == own[1] or any(fits(m["sees"], place, left[0], own[0], right[0]) and new[m["takes"]] == own[1] for m in v["moves"])

    def letter(root, left, own, time):
        return ROOTS if own[time] == root[time] else LEFTS if own[time] == left[time] else ANOTHER

    def read(t, place, root, left, own, right, stepping):
        """The facts with one agent more: (size, states of the sets before, after, tokens, somebody can act, movers, nobody else has the
        root's value, witnesses of equal values after); None if the agent cannot change like this."""
        if not lawful(place, left, own, right):
            return None
        size, before, after, tokens, active, movers, alone, equal = t
        if place != BOTTOM:
            one, two = letter(root, left, own, 0), letter(root, left, own, 1)
            before = tuple(None if q is None else a["next"][q][one] for q, a in zip(before, sets))
            after = tuple(None if q is None else a["next"][q][two] for q, a in zip(after, sets))
            alone = alone and one != ROOTS
            equal = min(2, equal + (1, 2, 0)[two])
        if not stepping:  # of steps these are not asked
            tokens = min(2, tokens + any(fits(w, place, left[0], own[0], right[0]) for w in v["token"]))
            active = active or can_act(place, left, own, right, 0)
        return min(size + 1, max(3, least_size)), before, after, tokens, active, min(2, movers + (own[0] != own[1])), alone, equal

    def rings(root, stepping):
        """All facts of rings with this root: (facts, whether the root can act before, after, a ring). If not stepping, nobody acts."""
        start = 0, (c["safe"]["start"], c["fresh"]["start"]), (c["safe"]["start"], c["fresh"]["start"]), 0, False, 0, True, 0
        short = lambda column: tuple(min(value, 2) for value in column)

        def following(left, own):
            seen = sorted({0, 1, *left, *own})
            for before in seen + [seen[-1] + 1]:
                yield before, before
                if stepping:
                    possible = sorted({*seen, before}) if rights else [own[0]]
                    for after in possible + ([max(possible) + 1] if rights else []):
                        if after != before:
                            yield before, after

        def renamed(left, own):
            names = {0: 0, 1: 1}
            left = tuple(names.setdefault(value, len(names)) for value in left)
            return left, tuple(names.setdefault(value, len(names)) for value in own)

        todo = {(short(own), *renamed(root, own), start): (root, own) for own in following(root, root)}
        known = dict(todo)
        while todo:
            (first, left, own, t), word = todo.popitem()
            end = read(t, TOP, root, left, own, root, stepping)
            end = end and read(end, BOTTOM, root, own, root, first, stepping)
            if end:
                yield end, can_act(BOTTOM, own, root, first, 0), can_act(BOTTOM, own, root, first, 1), word
            for right in following(left, own):
                new = read(t, MIDDLE, root, left, own, right, stepping)
                if new:
                    key = first, *renamed(own, right), new
                    if key not in known:
                        shown = {0: 0, 1: 1, **dict(zip(left + own, word[-2] + word[-1]))}  # without the renaming
                        unused = max(2, 1 + max(max(column) for column in word))
                        known[key] = todo[key] = word + (tuple(shown.setdefault(value, unused + (value != right[0])) for value in right),)

    accepts = lambda k, q: q[k] in sets[k]["accepting"]

    def spell(word):
        return " -> ".join(str([column[time] for column in word]) for time in (0, 1))

    for (size, before, _, tokens, active, _, alone, _), root_acts, _, word in rings((0, 0), False):
        if size >= least_size:
            safe, fresh = accepts(0, before), accepts(1, before)
            need(not safe or tokens == 1, f"the promise is not kept: {spell(word)}")
            need(safe or active, f"no step outside Safe: {spell(word)}")
            need(not alone or fresh, f"the fresh set lacks {spell(word)}")
            need(safe or not fresh or not root_acts, f"the root acts in the fresh set: {spell(word)}")
    for root in ((0, 0), (0, 1)):
        for (size, before, after, _, _, movers, _, equal), _, root_acts, word in rings(root, True):
            if size >= least_size and (movers == 1 or movers and c["scheduler"] == "distributed"):
                safe, still_safe = accepts(0, before), accepts(0, after)
                need(not safe or still_safe, f"a step leaves Safe: {spell(word)}")
                if root == (0, 0):
                    need(safe or still_safe or not accepts(1, before) or accepts(1, after), f"a step leaves the fresh set: {spell(word)}")
                if c["fewer"] and size >= 3:
                    need(safe or still_safe or not root_acts or equal == 2, f"all but the root have different values: {spell(word)}")
    check_ring(others_stop(c))


def others_stop(c):
    """The certificate that agents other than the root stop if it does not act: the root has colour 0, and five colours suffice."""
    colours, v = range(5), c["values"]
    copies = [m for m in v["moves"] if m["takes"] != "next"]
    names = [name for number, name in enumerate(v["rules"]) if any(m["rule"] == number for m in copies)]
    is_so = lambda wanted, value, own: wanted is None or wanted == (value == own)
    moves = []
    for m, own, left, right in itertools.product(copies, colours, colours, colours):
        sees = m["sees"]
        unread = (sees.get("left") is None and left) or (sees.get("right") is None and right)
        if not unread and is_so(sees.get("left"), left, own) and is_so(sees.get("right"), right, own):
            cells = {side: [value, value] for side, value in (("left", left), ("right", right)) if sees.get(side) is not None}
            moves.append({"rule": names.index(v["rules"][m["rule"]]), "place": sees["place"],
                          "own": [own, left if m["takes"] == "left" else right], **cells})

    def quiet(place, left, own, right):
        return not any(m["sees"]["place"] == place and is_so(m["sees"].get("left"), left, own) and is_so(m["sees"].get("right"), right, own)
                       for m in copies)
    pair = lambda left, own: 2 + 5 * left + own
    rows = [[1] + [None] * 4, [pair(0, own) for own in colours]]
    rows += [[pair(own, right) if quiet("middle", left, own, right) else None for right in colours] for left in colours for own in colours]
    ends = [pair(left, own) for left in colours for own in colours if quiet("top", left, own, 0)]
    enabled = functools.reduce(lambda one, two: f"({one} | {two})", names) if names else "0"
    everything = list(colours)
    return {"version": 1, "subject": c["subject"], "sizes": {"from": c["from"], "modulus": 1, "residues": [0]}, "scheduler": c["scheduler"],
            "safe": {"start": 0, "accepting": ends, "next": rows}, "measures": c["measures"],
            "rules": {"states": list("01234"), "variables": [], "rules": names, "moves": moves,
                      "marks": [{"name": "same", "windows": [{"left": s, "own": s} for s in colours]}],
                      "possible": {"bottom": [0], "middle": everything, "top": everything},
                      "goal": {"everywhere": {"formula": f"!{enabled}"}}}}


KINDS = {"values": (VALUES, check_values), "graph": (COMPLETE, check_complete), "trap": (FAILURE, check_failure)}


def check(c):
    shape, checked = next((KINDS[kind] for kind in KINDS if isinstance(c, dict) and kind in c), (RING, check_ring))
    shape(c)
    need(c["version"] == 1, "only version 1 is known")
    need("graph" not in c or c["scheduler"] in ("globally-fair", "unfair"), "on complete graphs agents meet one pair after the other")
    checked(c)


def no_twins(pairs):
    if len(dict(pairs)) != len(pairs):
        raise Malformed("a field is there twice")
    return dict(pairs)


def main():
    if sys.argv[1:] in (["--help"], ["-h"]):
        print(__doc__.strip())
        return 0
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__.splitlines()[0], "(--help explains)", file=sys.stderr)
        return 2
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            certificate = json.load(file, object_pairs_hook=no_twins)
        check(certificate)
    except Rejected as reason:
        print(f"rejected: {reason}")
        return 1
    except (Malformed, OSError, ValueError, RecursionError) as reason:
        print(f"rejected: not a certificate: {reason}")
        return 2
    print("accepted")
    algorithm = "the text of the protocol in the certificate" if certificate.get("text") else "the algorithm"
    print(f"note: the table of moves was not compared with {algorithm}; `ringleader verify` compares them", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
