//! From host names to addresses, again and again: a peer may move.

use std::collections::BTreeMap;
use std::net::{SocketAddr, ToSocketAddrs};
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

/// Says when a list of peers is wrong, before anything is resolved.
pub(crate) fn check(peers: &BTreeMap<usize, String>) -> Result<(), String> {
    for (id, name) in peers {
        let port = name.rsplit_once(':').filter(|(host, _)| !host.is_empty()).and_then(|(_, p)| p.parse::<u16>().ok());
        if port.is_none_or(|port| port == 0) {
            return Err(format!("the address of peer {id} must be HOST:PORT, not {name:?}"));
        }
    }
    Ok(())
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
        assert_eq!(check(&peers(&["a:1", "[::1]:7400"])), Ok(()));
        for wrong in ["a", "a:0", ":7", "a:b", "a:70000"] {
            assert!(check(&peers(&[wrong])).unwrap_err().contains("HOST:PORT"), "{wrong}");
        }
    }
}
