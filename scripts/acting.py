#!/usr/bin/env python3
"""Who acted as leader when, from the logs of nodes and what keepalived's notify script wrote.

    acting.py first FOLDER NAME SINCE [HOST..]   ms from SINCE until one of the hosts began to act
    acting.py now FOLDER NAME                    the hosts that act now
    acting.py table FOLDER NAME SINCE UNTIL      promotions, seconds without anyone acting, seconds with two or more

NAME is `log` for ringleader, or the name of a keepalived instance; times are nanoseconds since 1970. A file
`FOLDER/marks` has a line `TIME HOST down` for each host whose daemons were killed.
"""
import datetime
import json
import os
import re
import sys


def nanos(stamp):
    whole, _, rest = stamp.rstrip("Z").partition(".")
    seconds = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc).timestamp()
    return int(seconds) * 10**9 + int((rest + "000000000")[:9])


def events_of(path, keepalived):
    """(time, whether it acts from then on), in order."""
    with open(path, errors="replace") as lines:
        for line in lines:
            if keepalived:
                words = line.split()
                if len(words) == 2:
                    yield int(words[0]), words[1] == "MASTER"
                continue
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if record.get("message") in ("leader changed", "state changed"):
                yield nanos(record["timestamp"]), record.get("state") == "leader"
            elif record.get("message") in ("started", "stopped"):
                yield nanos(record["timestamp"]), False


def timelines(folder, name):
    """For each host, when it began to act and when it stopped."""
    downs = {}
    marks = os.path.join(folder, "marks")
    if os.path.exists(marks):
        for line in open(marks):
            time, host, _ = line.split()
            downs.setdefault(int(host), []).append((int(time), False))
    found = {}
    for file in os.listdir(folder):
        match = re.fullmatch(re.escape(name) + r"(\d+)", file)
        if match:
            host = int(match[1])
            events = list(events_of(os.path.join(folder, file), name != "log")) + downs.get(host, [])
            begin, spans = None, []
            for time, acts in sorted(events):
                if acts and begin is None:
                    begin = time
                elif not acts and begin is not None:
                    spans.append((begin, time))
                    begin = None
            if begin is not None:
                spans.append((begin, None))
            found[host] = spans
    return found


def main():
    what, folder, name = sys.argv[1:4]
    spans = timelines(folder, name)
    if what == "now":
        print(*sorted(host for host, all in spans.items() if all and all[-1][1] is None))
    elif what == "first":
        since, hosts = int(sys.argv[4]), [int(host) for host in sys.argv[5:]]
        begun = [b for host, all in spans.items() if host in hosts for b, _ in all if b > since]
        print((min(begun) - since) // 10**6 if begun else "never")
    else:
        since, until = int(sys.argv[4]), int(sys.argv[5])
        promotions, edges = 0, []
        for all in spans.values():
            for begin, end in all:
                end = until if end is None else min(end, until)
                promotions += since < begin <= until
                if max(begin, since) < end:
                    edges += [(max(begin, since), 1), (end, -1)]
        none, two, count, last = 0, 0, 0, since
        for time, change in sorted(edges) + [(until, 0)]:
            none += (time - last) * (count == 0)
            two += (time - last) * (count >= 2)
            count, last = count + change, time
        print(f"{promotions} {none / 1e9:.2f} {two / 1e9:.2f}")


main()
