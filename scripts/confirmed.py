#!/usr/bin/env python3
"""When each node was confirmed, from its log: confirmed.py FOLDER HOSTS SINCE UNTIL

Times are seconds on the machine's clock that goes on in suspend, which all nodes of one machine share. FOLDER has a file logN for each
node, in JSON, and perhaps a file kills with lines "SECONDS N": when a node was killed, and could not say so. Prints how
often somebody was confirmed, for how many seconds nobody and for how many two were; ends with 1 if ever two were at once. With --now
instead of times: who is confirmed now.
"""
import json
import sys


def intervals(folder, host, kills, end):
    """The times in which a node was confirmed: (from, until, token)."""
    begun = None
    for line in open(f"{folder}/log{host}", errors="replace"):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        message = entry.get("message")
        if message == "confirmed":
            begun = (entry["at"] / 1e6, entry.get("token", 0))
        elif message == "confirmed no longer" and begun:
            yield begun[0], entry["until"] / 1e6, begun[1]
            begun = None
        elif message == "started" and begun:
            yield begun[0], min(at for at, who in kills if who == host and at >= begun[0]), begun[1]
            begun = None
    if begun:
        later = [at for at, who in kills if who == host and at >= begun[0]]
        yield begun[0], min(later, default=end), begun[1]


def main():
    folder, hosts = sys.argv[1], int(sys.argv[2])
    if sys.argv[3] == "--now":
        return print(*[host for host in range(hosts) if any(end is None for _, end, _ in intervals(folder, host, [], None))])
    since, until = float(sys.argv[3]), float(sys.argv[4])
    try:
        kills = [(float(at), int(who)) for at, who in map(str.split, open(f"{folder}/kills"))]
    except FileNotFoundError:
        kills = []
    spans = [(*span, host) for host in range(hosts) for span in intervals(folder, host, kills, until)]
    edges = sorted([(begin, 1) for begin, *_ in spans] + [(end, -1) for _, end, *_ in spans])
    count, last, nobody, two, ever = 0, since, 0.0, 0.0, 0.0
    for at, step in edges + [(until, 0)]:
        overlap = min(at, until) - max(last, since)
        if count > 1:
            ever += max(0.0, at - last)
        if overlap > 0:
            nobody += overlap if count == 0 else 0
            two += overlap if count > 1 else 0
            last = at
        elif at > last:
            last = at
        count += step
    promotions = sum(since < begin <= until for begin, *_ in spans)
    tokens = [token for begin, _, token, _ in sorted(spans) if token]
    if any(b <= a for a, b in zip(tokens, tokens[1:])):
        sys.exit(f"tokens do not grow: {tokens}")
    print(f"{promotions}, {nobody:.1f} s, {two:.1f} s")
    sys.exit(1 if ever > 0 else 0)


main()
