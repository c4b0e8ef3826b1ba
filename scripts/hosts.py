"""Hosts in network namespaces of one machine, joined by a bridge, and the daemons that run on them.

The scripts here and in .ci share this module. It needs root, iproute2 and nft. Nothing leaves the namespaces, and `Network`, as a
context, removes them in the end.
"""
import ctypes
import datetime
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time


def need(**packages):
    """Installs the packages of missing commands, where that is possible: need(ip="iproute2"). Returns whether all are there."""
    missing = [package for command, package in packages.items() if not shutil.which(command)]
    if missing and os.getuid() == 0:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(["apt-get", "update", "-qq"], **quiet)
        subprocess.run(["apt-get", "install", "-qq", "-y", "--no-install-recommends", *missing], **quiet)
    return all(map(shutil.which, packages))


def root_only(exit_code):
    """Ends the script where it may not make network namespaces."""
    if os.getuid() != 0:
        print(f"{os.path.basename(sys.argv[0])}: making network namespaces needs root; nothing was run")
        sys.exit(exit_code)
    if not need(ip="iproute2", nft="nftables", curl="curl"):
        sys.exit(f"{os.path.basename(sys.argv[0])}: ip, nft or curl is missing")


def tested():
    """The program and the flag --long of the command line. Without root, ends the script with exit code 0."""
    root_only(0)
    words = [word for word in sys.argv[1:] if word != "--long"]
    return words[0] if words else "target/debug/ringleader", "--long" in sys.argv


class Verdicts:
    """The verdicts on the steps of a script, and the steps that failed."""

    def __init__(self, name=None):
        self.name, self.wrong = name or os.path.basename(sys.argv[0]), []

    def say(self, text):
        print(f"{self.name}: {text}", flush=True)

    def judge(self, what, fine, seen=""):
        self.say(f"{what:46} {seen}".rstrip() + ("" if fine else "   WRONG"))
        if not fine:
            self.wrong.append(what)

    def complain(self, what):
        self.judge(what, False)

    def show_logs(self, nodes, lines=20):
        """The last lines of all nodes, if anything was wrong."""
        for host in range(nodes.hosts) if self.wrong else []:
            print(f"--- {self.name}, node {host}", *open(nodes.log(host), errors="replace").read().splitlines()[-lines:], sep="\n", flush=True)

    def end(self):
        """Ends the script, and repeats the failed steps below the logs."""
        for what in self.wrong:
            self.say(f"FAILED: {what}")
        sys.exit(1 if self.wrong else 0)


def run(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def boottime():
    """The machine's clock that goes on in suspend, by which nodes log confirmations."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def load():
    return f"load {' '.join(open('/proc/loadavg').read().split()[:3])} on {os.cpu_count()} cores"


def spread(numbers, unit="s", places=2):
    """The least, the greatest and the median; a missing number is left out."""
    good = sorted(number for number in numbers if number is not None)
    if not good:
        return "-"
    return f"{good[0]:.{places}f} to {good[-1]:.{places}f} {unit}, median {statistics.median(good):.{places}f} {unit}"


def wait_until(condition, seconds=30.0, pause=0.05):
    """Waits until a condition holds, and returns whether it does."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
    return True


def free_ports(count):
    """Ports of the loopback that no process uses now, for UDP and for TCP."""
    held, ports = [], []
    while len(ports) < count:
        udp, tcp = socket.socket(type=socket.SOCK_DGRAM), socket.socket()
        held += [udp, tcp]
        udp.bind(("127.0.0.1", 0))
        try:
            tcp.bind(udp.getsockname())
        except OSError:
            continue
        ports.append(udp.getsockname()[1])
    for one in held:
        one.close()
    return ports


class Network:
    """A bridge in a namespace of its own joins the hosts 10.77.0.1, .2, .."""

    def __init__(self, hosts=5, number=0):
        self.prefix, self.hosts = f"rl{os.getpid()}-{number}", hosts
        hub = self.name("hub")
        run("ip", "netns", "add", hub)
        run("ip", "-n", hub, "link", "set", "lo", "up")
        run("ip", "-n", hub, "link", "add", "bridge", "type", "bridge")
        run("ip", "-n", hub, "addr", "add", "10.77.0.254/24", "dev", "bridge")
        run("ip", "-n", hub, "link", "set", "bridge", "up")
        for host in range(hosts):
            name = self.name(host)
            run("ip", "netns", "add", name)
            run("ip", "-n", name, "link", "add", "wire", "type", "veth", "peer", "name", f"wire{host}", "netns", hub)
            run("ip", "-n", hub, "link", "set", f"wire{host}", "master", "bridge", "up")
            run("ip", "-n", name, "addr", "add", f"{self.ip(host)}/24", "dev", "wire")
            run("ip", "-n", name, "link", "set", "wire", "up")
            run("ip", "-n", name, "link", "set", "lo", "up")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for host in [*range(self.hosts), "hub"]:
            subprocess.run(["ip", "netns", "del", self.name(host)], stderr=subprocess.DEVNULL)
            shutil.rmtree(f"/etc/netns/{self.name(host)}", ignore_errors=True)

    def name(self, host):
        return f"{self.prefix}-{host}"

    def ip(self, host):
        return f"10.77.0.{host + 1}"

    def address(self, host, port=7400):
        return f"{self.ip(host)}:{port}"

    def inside(self, host, *words):
        """A command line on a host."""
        return ["ip", "netns", "exec", self.name(host), *words]

    def enter(self):
        """This thread is on the bridge from here on."""
        libc = ctypes.CDLL(None, use_errno=True)
        with open(f"/var/run/netns/{self.name('hub')}") as namespace:
            if libc.setns(namespace.fileno(), 0x40000000):
                raise OSError(ctypes.get_errno(), "cannot enter the namespace of the bridge")

    def unplug(self, host, state="down"):
        run("ip", "-n", self.name("hub"), "link", "set", f"wire{host}", state)

    def plug(self, host):
        self.unplug(host, "up")

    def filter(self, host, *rules):
        """Drops the packets that rules describe, instead of those that earlier rules did: "out" or "in" and a condition of nft."""
        nft = lambda *words: run(*self.inside(host, "nft", *words))
        nft("add", "table", "inet", "cut")
        nft("flush", "table", "inet", "cut")
        for chain, hook in [("in", "input"), ("out", "output")]:
            nft("add", "chain", "inet", "cut", chain, f"{{ type filter hook {hook} priority 0; }}")
        for rule in rules:
            nft(f"add rule inet cut {rule} drop")

    def lose(self, host, percent):
        self.filter(host, *[f'out oifname "wire" numgen random mod 100 < {percent}'] * (percent > 0))

    def isolate(self, host, *directions):
        """A deaf host drops everything that is "in", a mute one everything that is "out"."""
        names = {"in": "iifname", "out": "oifname"}
        self.filter(host, *[f'{direction} {names[direction]} "wire"' for direction in directions])

    def split(self, one, other):
        """The hosts of one side hear none of the other side."""
        for host in [*one, *other]:
            self.filter(host, *[f"in ip saddr {self.ip(peer)}" for peer in (other if host in one else one)])

    def heal(self):
        for host in range(self.hosts):
            self.filter(host)

    def packets(self):
        """How many packets the hosts have sent."""
        told = subprocess.check_output(["ip", "-n", self.name("hub"), "-s", "-j", "link", "show"])
        return sum(link["stats64"]["rx"]["packets"] for link in json.loads(told) if link["ifname"].startswith("wire"))


class Loopback:
    """All hosts are this one, at ports that are free."""

    def __init__(self, hosts):
        self.hosts, self.ports = hosts, {}

    def address(self, host, port=7400):
        if (host, port) not in self.ports:
            self.ports.update(((every, port), free) for every, free in enumerate(free_ports(self.hosts)))
        return f"127.0.0.1:{self.ports[host, port]}"

    def inside(self, _, *words):
        return list(words)


class Nodes:
    """A node of ringleader on every host, with one file of settings and a log each."""

    def __init__(self, network, program, heartbeat_ms=100, settings='http = "127.0.0.1:7480"\npreempt = "1s"\n', states=False, members=None, port=7400):
        self.network, self.program, self.heartbeat_ms, self.hosts = network, program, heartbeat_ms, network.hosts
        self.port, self.states, self.guarded, self.process, self.begun = port, states, "guard" in settings, {}, {}
        # Lines of logs that are no records.
        self.strange = []
        self.folder = tempfile.mkdtemp()
        self.config = f"{self.folder}/node.toml"
        run(program, "node", "--new-key", f"{self.folder}/key")
        self.settings = (f'heartbeat = "{heartbeat_ms}ms"\nkey-file = "{self.folder}/key"\nlog-format = "json"\nallow-corruption = true\n'
                         f'{settings}')
        members = range(self.hosts) if members is None else members
        self.list(members)
        for host in members if states else []:
            run(*self.command(host), "--new-state", "--first-start")
        self.clear()

    def list(self, members):
        """Writes the file of settings, with these members."""
        peers = "".join(f'{host} = "{self.network.address(host, self.port)}"\n' for host in members)
        with open(self.config, "w") as file:
            file.write(f"{self.settings}[peers]\n{peers}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder)

    def command(self, host, config=None):
        state = ["--state", f"{self.folder}/state{host}"] if self.states else []
        return self.network.inside(host, self.program, "node", "--config", config or self.config, "--id", str(host), *state)

    def log(self, host):
        return f"{self.folder}/log{host}"

    def start(self, host, config=None, stderr=None, env=None):
        self.begun[host] = time.time()
        with open(self.log(host), "a") as log:
            self.process[host] = subprocess.Popen(self.command(host, config), stderr=log if stderr is None else stderr, env=env)

    def start_all(self):
        for host in range(self.hosts):
            self.start(host)

    def pids(self, host):
        return [self.process[host].pid]

    def send(self, host, what):
        self.process[host].send_signal(what)

    def send_all(self, what):
        for host in range(self.hosts):
            self.send(host, what)

    def end(self, host, how=signal.SIGKILL):
        """Ends a node, by default as a crash does."""
        process = self.process.pop(host)
        process.send_signal(how)
        if how == signal.SIGKILL:
            self.downs.append((host, time.time(), boottime()))
        process.wait()

    crash = end

    def stop(self):
        for host in list(self.process):
            self.end(host)

    def clear(self):
        """Empties the logs, while no node runs."""
        # The crashes, and the parsed records of every log with the place up to which it was read.
        self.downs, self.read = [], {}
        for host in range(self.hosts):
            open(self.log(host), "w").close()

    def again(self):
        """Starts all nodes with empty logs."""
        self.stop()
        self.clear()
        self.start_all()

    def records(self, host, *messages):
        """The entries of a log with one of these messages, each with its time in seconds since 1970. Reads the lines that are new."""
        found, at = self.read.setdefault(host, ([], 0))
        with open(self.log(host), "rb") as log:
            log.seek(at)
            *lines, rest = log.read().split(b"\n")
            self.read[host] = found, log.tell() - len(rest)
        for line in lines:
            try:
                record = json.loads(line)
                found.append((datetime.datetime.fromisoformat(record["timestamp"].replace("Z", "+00:00")).timestamp(), record))
            except ValueError:
                self.strange.append((host, line))
        return [(at, record) for at, record in found if record.get("message") in messages]

    def named(self, host):
        """The leader that a node names, and since when; itself at first."""
        changes = [(at, record["leader"]) for at, record in self.records(host, "leader changed") if at > self.begun[host]]
        return changes[-1] if changes else (self.begun[host], host)

    def changes(self):
        """How often each node has named another leader."""
        return [len(self.records(host, "leader changed")) for host in range(self.hosts)]

    def agree(self, since, without=()):
        """Waits until all nodes, but for some, name the same live one for a second. Gives it, and the ms that passed since then until
        the last of them named it."""
        live, state = [host for host in sorted(self.process) if host not in without], {"views": None, "since": 0.0}

        def agreed():
            views = [self.named(host) for host in live]
            if views != state["views"]:
                state.update(views=views, since=time.monotonic())
            leaders = {leader for _, leader in views}
            return len(leaders) == 1 and leaders <= set(live) and time.monotonic() - state["since"] >= 1

        if not wait_until(agreed):
            raise TimeoutError("no agreement: " + ", ".join(f"{host} names {self.named(host)[1]}" for host in live))
        return state["views"][0][1], max(0, int(1000 * (max(at for at, _ in state["views"]) - since)))

    def datagrams(self):
        """How many datagrams the hosts have sent, as their kernels count them."""
        lines = [line.split() for process in self.process.values() for line in open(f"/proc/{process.pid}/net/snmp")]
        return sum(int(words[4]) for words in lines if words[0] == "Udp:" and words[4].isdigit())

    def page(self, host, path):
        """The status and the text of a page of a node."""
        told = subprocess.run(self.network.inside(host, "curl", "-s", "-m", "2", "-w", "\n%{http_code}", f"http://127.0.0.1:7480{path}"),
                              capture_output=True, text=True)
        text, _, status = told.stdout.rpartition("\n")
        return int(status or 0), text

    def answering(self):
        """The hosts whose page says that they lead now."""
        return [host for host in sorted(self.process) if self.page(host, "/leader/self")[0] == 200]

    def acting(self):
        """The times in which each host acted as leader; those of confirmed leadership, by `boottime`, of guarded nodes."""
        return {host: spans(self.events(host)) for host in range(self.hosts)}

    def events(self, host):
        for down, at, boot in self.downs:
            if down == host:
                yield boot if self.guarded else at, False
        if self.guarded:
            for _, record in self.records(host, "confirmed", "confirmed no longer"):
                yield (record["at"] / 1e6, True) if record["message"] == "confirmed" else (record["until"] / 1e6, False)
        else:
            for at, record in self.records(host, "leader changed", "state changed", "started", "stopped"):
                yield at, record.get("state") == "leader"

    def tokens(self):
        found = [(record["at"], record.get("token", 0)) for host in range(self.hosts) for _, record in self.records(host, "confirmed")]
        return [token for _, token in sorted(found) if token]

    def now(self):
        return boottime() if self.guarded else time.time()


def spans(events):
    """From (time, whether it acts from then on) to (from, until); the last may have no end."""
    found, begun = [], None
    for at, acts in sorted(events):
        if acts and begun is None:
            begun = at
        elif not acts and begun is not None:
            found.append((begun, at))
            begun = None
    return found + [(begun, None)] * (begun is not None)


def acting_now(acting):
    return sorted(host for host, all in acting.items() if all and all[-1][1] is None)


def first(acting, since, hosts):
    """The ms from then until one of the hosts began to act."""
    begun = [begin for host in hosts for begin, _ in acting[host] if begin > since]
    return int(1000 * (min(begun) - since)) if begun else None


def shares(acting, since, until):
    """How often a host began to act, the seconds in which none did, and those in which two or more did."""
    edges, promotions = [], 0
    for begin, end in [span for all in acting.values() for span in all]:
        end = until if end is None else min(end, until)
        promotions += since < begin <= until
        if max(begin, since) < end:
            edges += [(max(begin, since), 1), (end, -1)]
    none, two, count, last = 0.0, 0.0, 0, since
    for at, step in [*sorted(edges), (until, 0)]:
        none += (at - last) * (count == 0)
        two += (at - last) * (count > 1)
        count, last = count + step, at
    return promotions, none, two
