//! From host names to addresses, again and again: a peer may move.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// The address of every identity, where it is known.
pub(crate) type Addresses = Vec<Option<SocketAddr>>;

/// The addresses that need no resolving.
pub(crate) fn literal(peers: &BTreeMap<usize, String>, size: usize) -> Addresses {
    (0..size).map(|id| peers.get(&id)?.parse().ok()).collect()
}

/// The addresses of all peers, of the family that the node listens with; `known` where one cannot be found now.
pub(crate) fn resolve(peers: &BTreeMap<usize, String>, known: &Addresses, listen: SocketAddr) -> Addresses {
    let one = |id: usize| {
        let name = peers.get(&id)?;
        let found = name.to_socket_addrs().map(|mut all| all.find(|a| a.is_ipv4() == listen.is_ipv4()));
        match found {
            Ok(Some(address)) => Some(address),
            Ok(None) => {
                tracing::warn!(peer = id, name, "no address of the family this node listens with");
                known.get(id).copied().flatten()
            }
            Err(error) => {
                tracing::warn!(peer = id, name, %error, "cannot resolve");
                known.get(id).copied().flatten()
            }
        }
    };
    (0..known.len()).map(one).collect()
}

/// Says when a list of peers is wrong for a node that listens there, before anything is resolved.
pub(crate) fn check(peers: &BTreeMap<usize, String>, me: usize, listen: SocketAddr) -> Result<(), String> {
    let mut seen = BTreeMap::new();
    for (id, name) in peers {
        let port = name.rsplit_once(':').filter(|(host, _)| !host.is_empty()).and_then(|(_, p)| p.parse::<u16>().ok());
        if port.is_none_or(|port| port == 0) {
            return Err(format!("the address of peer {id} must be HOST:PORT, not {name:?}"));
        }
        if let Some(other) = seen.insert(spelling(name), id) {
            return Err(format!(
                "peers {other} and {id} have the same address, {name}: each node needs one of its own"
            ));
        }
    }
    let literals = peers.iter().filter(|&(&id, _)| id != me).filter_map(|(id, name)| Some((id, name.parse().ok()?)));
    for (id, address) in literals {
        if is_here(address, listen) {
            return Err(format!(
                "peer {id} has the address {address}, where this node, {me}, listens itself: give the peer's own, or listen \
                 elsewhere"
            ));
        }
        if out_of_reach(address, listen) {
            let any = SocketAddr::new(if address.is_ipv4() { [0; 4].into() } else { [0; 16].into() }, listen.port());
            return Err(format!(
                "from {listen}, a loopback address, peer {id} at {address} can never be reached: listen on all addresses \
                 (--listen {any}) or on this host's own"
            ));
        }
    }
    Ok(())
}

/// The same for all ways to write one address; two names of one host remain two.
fn spelling(name: &str) -> String {
    name.parse::<SocketAddr>().map_or_else(|_| name.to_ascii_lowercase(), |address| address.to_string())
}

fn is_here(peer: SocketAddr, listen: SocketAddr) -> bool {
    let any = listen.ip().is_unspecified() && is_local(peer.ip());
    peer.port() == listen.port() && (any || peer.ip() == listen.ip())
}

/// Whether an address means this host, whichever that is.
fn is_local(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback() || ip.is_unspecified()
}

/// A socket bound to loopback cannot send to other hosts.
fn out_of_reach(peer: SocketAddr, listen: SocketAddr) -> bool {
    listen.ip().to_canonical().is_loopback() && !is_local(peer.ip())
}

/// Whom a socket bound to `listen` has lost with these addresses, compared to those before.
fn newly_out_of_reach(found: &Addresses, before: &Addresses, listen: SocketAddr) -> Vec<(usize, SocketAddr)> {
    let changed = found.iter().zip(before).enumerate().filter(|(_, (now, before))| now != before);
    changed.filter_map(|(id, (now, _))| Some((id, (*now)?))).filter(|&(_, now)| out_of_reach(now, listen)).collect()
}

/// Resolves now, whenever new peers come, and every so often; ends with the channel.
pub(crate) fn keep_resolving(
    mut peers: BTreeMap<usize, String>,
    size: usize,
    listen: SocketAddr,
    every: Duration,
    updates: &Receiver<BTreeMap<usize, String>>,
    publish: impl Fn(Addresses),
) {
    let mut known = literal(&peers, size);
    loop {
        let found = resolve(&peers, &known, listen);
        if found != known {
            // Names cannot be refused before the start, as addresses are: what they mean may change at any time.
            for (peer, address) in newly_out_of_reach(&found, &known, listen) {
                tracing::warn!(peer, %address, %listen, "cannot be reached from a loopback address; listen on 0.0.0.0");
            }
            publish(found.clone());
            known = found;
        }
        match updates.recv_timeout(every) {
            Ok(new) => {
                peers = new;
                known = literal(&peers, size);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peers(names: &[&str]) -> BTreeMap<usize, String> {
        names.iter().map(ToString::to_string).enumerate().collect()
    }

    #[test]
    fn names_of_the_right_family_are_found_and_old_addresses_kept() {
        let known = vec![None, Some("127.0.0.9:9".parse().unwrap())];
        let listen = "127.0.0.1:1".parse().unwrap();
        let found = resolve(&peers(&["127.0.0.1:7", "nowhere.invalid:7"]), &known, listen);
        assert_eq!(found, [Some("127.0.0.1:7".parse().unwrap()), known[1]]);
    }

    #[test]
    fn addresses_need_a_port() {
        let check = |names: &[&str]| check(&peers(names), 0, "127.0.0.1:1".parse().unwrap());
        assert_eq!(check(&["a:1", "[::1]:7400"]), Ok(()));
        for wrong in ["a", "a:0", ":7", "a:b", "a:70000"] {
            assert!(check(&[wrong]).unwrap_err().contains("HOST:PORT"), "{wrong}");
        }
    }

    #[test]
    fn no_two_nodes_at_one_address() {
        let check = |names: &[&str], listen: &str| check(&peers(names), 0, listen.parse().unwrap());
        for twice in [["a:1", "A:1"], ["10.0.0.1:7", "10.0.0.1:07"], ["[::1]:7", "[0::1]:7"]] {
            let refusal = check(&twice, "0.0.0.0:9").unwrap_err();
            assert!(refusal.contains("peers 0 and 1 have the same address"), "{refusal}");
        }
        assert_eq!(check(&["a:1", "a:2"], "0.0.0.0:1"), Ok(()));
        for listen in ["127.0.0.1:7", "0.0.0.0:7"] {
            assert_eq!(check(&["127.0.0.1:7"], listen), Ok(()), "its own");
            let refusal = check(&["a:7", "127.0.0.1:7"], listen).unwrap_err();
            assert!(refusal.contains("peer 1 has the address 127.0.0.1:7, where this node, 0, listens"), "{refusal}");
        }
    }

    #[test]
    fn other_hosts_are_out_of_reach_of_loopback() {
        let check = |peer: &str, listen: &str| check(&peers(&["10.0.0.9:7", peer]), 0, listen.parse().unwrap());
        let refusal = check("10.0.0.1:7", "127.0.0.1:7400").unwrap_err();
        assert!(refusal.contains("peer 1 at 10.0.0.1:7") && refusal.contains("--listen 0.0.0.0:7400"), "{refusal}");
        assert!(check("[fe80::1]:7", "[::1]:7400").unwrap_err().contains("--listen [::]:7400"));
        for (peer, listen) in
            [("a:7", "127.0.0.1:7400"), ("127.0.0.2:7", "127.0.0.1:7400"), ("127.0.0.1:7", "10.0.0.9:7")]
        {
            assert_eq!(check(peer, listen), Ok(()), "{peer} from {listen}");
        }
        assert_eq!(check("10.0.0.1:7", "0.0.0.0:7400"), Ok(()));
    }

    #[test]
    fn names_that_turn_out_to_be_elsewhere_are_reported_once() {
        let address = |text: &str| Some(text.parse().unwrap());
        let before = vec![None, address("10.0.0.1:7"), address("127.0.0.1:7"), None];
        let found = vec![address("10.0.0.9:7"), before[1], address("127.0.0.2:7"), None];
        let lost = |listen: &str| newly_out_of_reach(&found, &before, listen.parse().unwrap());
        assert_eq!(lost("127.0.0.1:7400"), [(0, "10.0.0.9:7".parse().unwrap())]);
        assert_eq!(lost("0.0.0.0:7400"), []);
    }
}
