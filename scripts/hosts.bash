# Hosts in network namespaces on one machine, joined by a bridge, each with a
# ringleader node. Sourced by .ci/netns and scripts/measure-node, which set
# `program` first. Needs root. Nothing leaves the namespaces, which are made
# here and removed in the end.

hosts=5
heartbeat_ms=100
prefix=rl$$
folder=$(mktemp -d)
declare -a pid
declare -a down
bad=0

stop_nodes() {
    local id
    for ((id = 0; id < hosts; id++)); do
        if [ -n "${pid[id]:-}" ]; then
            kill -9 "${pid[id]}" 2>/dev/null || true
            wait "${pid[id]}" 2>/dev/null || true
            pid[id]=""
        fi
    done
}

remove_network() {
    local id
    for ((id = 0; id < hosts; id++)); do ip netns del "$prefix-$id" 2>/dev/null || true; done
    ip netns del "$prefix-hub" 2>/dev/null || true
}

cleanup() {
    stop_nodes
    remove_network
    rm -rf "$folder"
}
trap cleanup EXIT

# need PACKAGE=COMMAND..: installs what is missing, where that is possible.
need() {
    local pair missing=()
    for pair in "$@"; do command -v "${pair#*=}" >/dev/null || missing+=("${pair%=*}"); done
    if [ "${#missing[@]}" -eq 0 ]; then return 0; fi
    { apt-get update -qq && apt-get install -qq -y --no-install-recommends "${missing[@]}"; } >/dev/null 2>&1
}

inside() { ip netns exec "$prefix-$1" "${@:2}"; }

# A bridge in a namespace of its own joins the hosts 10.77.0.1, .2, ..
build_network() {
    local id
    ip netns add "$prefix-hub"
    ip -n "$prefix-hub" link add bridge type bridge
    ip -n "$prefix-hub" addr add 10.77.0.254/24 dev bridge
    ip -n "$prefix-hub" link set bridge up
    for ((id = 0; id < hosts; id++)); do
        ip netns add "$prefix-$id"
        ip -n "$prefix-$id" link add wire type veth peer name "wire$id" netns "$prefix-hub"
        ip -n "$prefix-hub" link set "wire$id" master bridge up
        ip -n "$prefix-$id" addr add "10.77.0.$((id + 1))/24" dev wire
        ip -n "$prefix-$id" link set wire up
        ip -n "$prefix-$id" link set lo up
    done
}

unplug() { ip -n "$prefix-hub" link set "wire$1" down; }
plug() { ip -n "$prefix-hub" link set "wire$1" up; }

configure() {
    local id
    if [ ! -f "$folder/key" ]; then "$program" node --new-key "$folder/key" >/dev/null; fi
    {
        echo "heartbeat = \"${heartbeat_ms}ms\""
        echo "key-file = \"$folder/key\""
        echo "log-format = \"json\""
        echo "allow-corruption = true"
        echo "http = \"127.0.0.1:7480\""
        # What else is measured: lines of settings.
        printf '%s' "${settings:-}"
        echo "[peers]"
        for ((id = 0; id < hosts; id++)); do echo "$id = \"10.77.0.$((id + 1)):7400\""; done
    } >"$folder/node.toml"
}

start() {
    down[$1]=""
    # A log line says what the node names from its start on.
    printf '{"timestamp":"%s","message":"leader changed","state":"unsettled","leader":%d,"was":0}\n' \
        "$(date -u +%Y-%m-%dT%H:%M:%S.%NZ)" "$1" >>"$folder/log$1"
    ip netns exec "$prefix-$1" "$program" node --config "$folder/node.toml" --id "$1" 2>>"$folder/log$1" &
    pid[$1]=$!
}

start_all() {
    local id
    configure
    mark
    for ((id = 0; id < hosts; id++)); do start "$id"; done
}

kill_hard() {
    kill -9 "${pid[$1]}"
    wait "${pid[$1]}" 2>/dev/null || true
    pid[$1]=""
    down[$1]=yes
}

# What a node last said: "time leader".
last_change() {
    grep -a '"message":"leader changed"' "$folder/log$1" | tail -n 1 |
        sed -E 's/.*"timestamp":"([^"]*)".*"leader":([0-9]+),.*/\1 \2/'
}

nanos() { date -u -d "$1" +%s%N; }
mark() { fault=$(date -u +%s%N); }

# agree: waits until all that are up name one that is up, the same for a
# second; sets `leader_now`, and `took` to how many ms after `fault` the last of
# them began to.
agree() {
    local id time leader latest agreed before="" calm=0
    local deadline=$((SECONDS + 30))
    while [ "$calm" -lt 10 ]; do
        if [ "$SECONDS" -ge "$deadline" ]; then return 1; fi
        sleep 0.1
        views="" agreed="" latest=$fault
        for ((id = 0; id < hosts; id++)); do
            if [ -n "${down[id]}" ]; then continue; fi
            read -r time leader < <(last_change "$id")
            views+=" $id:$leader"
            if [ -z "$agreed" ]; then agreed=$leader; fi
            if [ "$agreed" != "$leader" ]; then agreed=none; fi
            time=$(nanos "$time")
            if [ "$time" -gt "$latest" ]; then latest=$time; fi
        done
        if [ "$agreed" = none ] || [ -n "${down[agreed]}" ] || [ "$views" != "$before" ]; then calm=0; else calm=$((calm + 1)); fi
        before=$views
    done
    leader_now=$agreed
    took=$(((latest - fault) / 1000000))
}

# How often each node has changed its leader.
changes() {
    local id
    for ((id = 0; id < hosts; id++)); do
        grep -ac '"message":"leader changed"' "$folder/log$id" || true
    done
}

# most BEFORE: how often the node that changed most has changed since `changes` said BEFORE.
most() {
    paste <(changes) <(echo "$1") | awk '$1 - $2 > most { most = $1 - $2 } END { print most + 0 }'
}

# Datagrams that all hosts have sent, as their kernels count them.
datagrams() {
    local id files=()
    for id in "${pid[@]}"; do files+=("/proc/$id/net/snmp"); done
    awk '/^Udp:/ && $5 ~ /^[0-9]/ { total += $5 } END { print total }' "${files[@]}"
}

# lossy PERCENT HOST, lossless HOST: random loss of what a host sends for an election.
lossy() {
    inside "$2" nft add table inet loss
    inside "$2" nft add chain inet loss out '{ type filter hook output priority 0; }'
    inside "$2" nft add rule inet loss out udp dport 7400 numgen random mod 100 \< "$1" drop
    inside "$2" nft add rule inet loss out ip protocol vrrp numgen random mod 100 \< "$1" drop
}
lossless() { inside "$1" nft delete table inet loss; }
