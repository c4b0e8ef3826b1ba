//! The resolution of host names, repeated, since a peer may move.
//!
//! Every name has its own thread, so that a slow name delays no other. An address stays in use until another one is resolved. A name
//! that cannot be resolved is tried again after a heartbeat, then after increasing times.

use crate::error::NodeError;
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// The address of every identity, if it is known.
pub(crate) type Addresses = Vec<Option<SocketAddr>>;

/// The time that `--check` waits for all names together.
const EXAMINATION: Duration = Duration::from_secs(10);

/// The addresses that are given as numbers.
pub(crate) fn literal(peers: &BTreeMap<usize, String>, size: usize) -> Addresses {
    (0..size).map(|id| peers.get(&id)?.parse().ok()).collect()
}

/// A function that resolves a name.
pub(crate) type HostLookup = Arc<dyn Fn(&str) -> io::Result<Vec<SocketAddr>> + Send + Sync>;

/// The resolver of the system.
pub(crate) fn system() -> HostLookup {
    Arc::new(|name| name.to_socket_addrs().map(Iterator::collect))
}

/// The reason why a name has no usable address.
#[derive(Debug, thiserror::Error)]
enum Unresolved {
    #[error("cannot resolve: {0}")]
    Lookup(#[from] io::Error),
    #[error("has no {family} address, and this node listens on {listen}", family = if listen.is_ipv4() { "IPv4" } else { "IPv6" })]
    Family { listen: SocketAddr },
}

/// The first of these addresses to which a node that listens on `listen` can send.
fn usable(found: io::Result<Vec<SocketAddr>>, listen: SocketAddr) -> Result<SocketAddr, Unresolved> {
    let fits = |address: &SocketAddr| address.is_ipv4() == listen.is_ipv4();
    found?.into_iter().find(fits).ok_or(Unresolved::Family { listen })
}

/// The addresses of a node's peers by number, and the names of these numbers in messages.
pub(crate) struct Peers<'a> {
    pub(crate) addresses: BTreeMap<usize, String>,
    /// The number of the node itself.
    pub(crate) me: usize,
    pub(crate) name: &'a dyn Fn(usize) -> String,
}

/// Resolves all names now. Returns a warning for each name that cannot be resolved: a running node tries again. A name with addresses of
/// the wrong family only is refused.
pub(crate) fn try_all(peers: &Peers<'_>, listen: SocketAddr) -> Result<Vec<String>, NodeError> {
    let (sender, receiver) = channel();
    for (&id, name) in &peers.addresses {
        let (sender, name) = (sender.clone(), name.clone());
        std::thread::spawn(move || sender.send((id, usable(system()(&name), listen))));
    }
    drop(sender);
    let (mut left, end) = (peers.addresses.clone(), Instant::now() + EXAMINATION);
    let mut warnings = vec![];
    while let Ok((id, found)) = receiver.recv_timeout(end.saturating_duration_since(Instant::now())) {
        let name = left.remove(&id).unwrap_or_default();
        match found {
            Ok(_) => {}
            Err(reason @ Unresolved::Lookup(_)) => warnings.push(format!("{}, {name}: {reason}", (peers.name)(id))),
            Err(reason) => return Err(NodeError::new(format!("{}, {name}, {reason}", (peers.name)(id)))),
        }
    }
    let slow = |(&id, name)| format!("{}, {name}: not resolved within {EXAMINATION:?}", (peers.name)(id));
    warnings.extend(left.iter().map(slow));
    Ok(warnings)
}

/// Refuses a list of peers that is wrong for a node that listens on `listen`, without resolving names.
pub(crate) fn check(peers: &Peers<'_>, listen: SocketAddr) -> Result<(), NodeError> {
    let Peers { addresses, me, name: peer } = peers;
    let mut seen = BTreeMap::new();
    for (&id, name) in addresses {
        let port = name.rsplit_once(':').filter(|(host, _)| !host.is_empty()).and_then(|(_, p)| p.parse::<u16>().ok());
        let (one, no_port) = (peer(id), port.is_none_or(|port| port == 0));
        NodeError::refuse_if(no_port, format!("the address of {one} must be HOST:PORT, not {name:?}"))?;
        let host = name.rsplit_once(':').map_or("", |(host, _)| host);
        let numeric = host.chars().all(|c| c.is_ascii_digit() || c == '.');
        // The system resolves fewer numbers: 10.1 is 10.0.0.1.
        let wrong = numeric && host.split('.').count() >= 4 && host.parse::<Ipv4Addr>().is_err();
        NodeError::refuse_if(wrong, format!("the address of {one}, {name}, is no IPv4 address, and no name"))?;
        if let Some(other) = seen.insert(spelling(name), id) {
            let reason = format!("{} and {one} have the same address, {name}: each node needs its own", peer(other));
            return Err(NodeError::new(reason));
        }
    }
    let others = addresses.iter().filter(|(id, _)| *id != me);
    for (&id, address) in others.filter_map(|(id, name)| Some((id, name.parse::<SocketAddr>().ok()?))) {
        let peer = peer(id);
        let reason =
            format!("{peer} at {address} cannot be reached from {listen}: all addresses must be IPv4, or all IPv6");
        NodeError::refuse_if(address.is_ipv4() != listen.is_ipv4(), reason)?;
        let reason = format!(
            "{peer} has the address {address}, on which this node listens itself: give the peer's own address, or listen on another one"
        );
        NodeError::refuse_if(is_here(address, listen), reason)?;
        let any = SocketAddr::new(if address.is_ipv4() { [0; 4].into() } else { [0; 16].into() }, listen.port());
        let reason = format!(
            "{peer} at {address} cannot be reached from the loopback address {listen}: listen on all addresses (--listen {any}) or on an \
             address of this host's network"
        );
        NodeError::refuse_if(out_of_reach(address, listen), reason)?;
    }
    Ok(())
}

/// One spelling for all ways to write an address; two names of one host stay different.
fn spelling(name: &str) -> String {
    name.parse::<SocketAddr>().map_or_else(|_| name.to_ascii_lowercase(), |address| address.to_string())
}

fn is_here(peer: SocketAddr, listen: SocketAddr) -> bool {
    let any = listen.ip().is_unspecified() && is_local(peer.ip());
    peer.port() == listen.port() && (any || peer.ip() == listen.ip())
}

/// Whether an address means this host on every host.
fn is_local(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback() || ip.is_unspecified()
}

/// A socket bound to loopback cannot send to other hosts.
fn out_of_reach(peer: SocketAddr, listen: SocketAddr) -> bool {
    listen.ip().to_canonical().is_loopback() && !is_local(peer.ip())
}

/// The thread that resolves one name.
struct Worker {
    id: usize,
    name: String,
    /// Makes the thread resolve now; the thread ends when this sender is dropped.
    again: Sender<()>,
}

/// The settings of name resolution.
#[derive(Clone)]
pub(crate) struct Resolver {
    pub(crate) lookup: HostLookup,
    pub(crate) listen: SocketAddr,
    /// The time after which an unresolved name is tried again the first time.
    pub(crate) retry: Duration,
    /// The time after which a resolved name is resolved again.
    pub(crate) every: Duration,
}

impl Resolver {
    /// Resolves now, on new peers, and periodically, and publishes each address separately; ends with the channel.
    pub(crate) fn run(
        &self,
        mut peers: BTreeMap<usize, String>,
        updates: &Receiver<BTreeMap<usize, String>>,
        publish: impl Fn(usize, SocketAddr) + Clone + Send + 'static,
    ) {
        let mut workers: Vec<Worker> = vec![];
        loop {
            workers.retain(|worker| peers.get(&worker.id) == Some(&worker.name));
            for (&id, name) in &peers {
                match name.parse() {
                    Ok(address) => publish(id, address),
                    Err(_) if workers.iter().any(|worker| worker.id == id && worker.again.send(()).is_ok()) => {}
                    Err(_) => {
                        let (again, asked) = channel();
                        let (resolver, publish, name_there) = (self.clone(), publish.clone(), name.clone());
                        let body = move || resolver.work(id, &name_there, &asked, publish);
                        let thread = std::thread::Builder::new().name(format!("resolve-{id}")).stack_size(256 * 1024);
                        match thread.spawn(body) {
                            Ok(_) => workers.push(Worker { id, name: name.clone(), again }),
                            Err(error) => {
                                tracing::warn!(peer = id, name, %error, "cannot start a thread to resolve this name")
                            }
                        }
                    }
                }
            }
            match updates.recv() {
                Ok(new) => peers = new,
                Err(_) => return,
            }
        }
    }

    /// Resolves one name as long as it is needed.
    fn work(&self, id: usize, name: &str, asked: &Receiver<()>, publish: impl Fn(usize, SocketAddr)) {
        let (mut known, mut failures) = (None, 0u32);
        loop {
            let found = usable((self.lookup)(name), self.listen);
            // The lookup may have taken long, and the name may not be needed any more.
            if asked.try_iter().count() == 0
                && matches!(asked.try_recv(), Err(std::sync::mpsc::TryRecvError::Disconnected))
            {
                return;
            }
            let wait = match found {
                Ok(address) => {
                    if failures > 0 || known != Some(address) {
                        tracing::info!(peer = id, name, %address, "resolved");
                    }
                    if out_of_reach(address, self.listen) && known != Some(address) {
                        let listen = self.listen;
                        tracing::warn!(peer = id, %address, %listen, "cannot be reached from a loopback address; listen on 0.0.0.0");
                    }
                    (known, failures) = (Some(address), 0);
                    publish(id, address);
                    self.every
                }
                Err(reason) => {
                    failures = failures.saturating_add(1);
                    // At the first failure, then at increasing intervals.
                    if failures == 1 || (failures >= 16 && failures.is_power_of_two()) {
                        let message = match known {
                            Some(_) => "cannot be resolved now; the known address stays in use",
                            None => {
                                "cannot be resolved yet; until then this node sends to the source of this peer's datagrams"
                            }
                        };
                        tracing::warn!(peer = id, name, %reason, failures, "{message}");
                    }
                    self.retry.saturating_mul(1 << (failures - 1).min(20)).min(self.every)
                }
            };
            match asked.recv_timeout(wait) {
                Ok(()) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
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
    fn addresses_of_the_right_family_are_used() {
        let both = || Ok(vec!["[::1]:7".parse().unwrap(), "127.0.0.1:7".parse().unwrap()]);
        let usable = |listen: &str| usable(both(), listen.parse().unwrap()).unwrap().to_string();
        assert_eq!(usable("0.0.0.0:7"), "127.0.0.1:7");
        assert_eq!(usable("[::]:7"), "[::1]:7");
        assert!(refusal(&["10.0.0.1:7", "[fe80::1]:7"], "10.0.0.1:7").contains("all IPv6"));
    }

    /// The refusal of these addresses for node 0; empty if there is none.
    fn refusal(names: &[&str], listen: &str) -> String {
        let peers = Peers { addresses: peers(names), me: 0, name: &|id| format!("peer {id}") };
        check(&peers, listen.parse().unwrap()).err().map(|error| error.to_string()).unwrap_or_default()
    }

    type Updates = Sender<BTreeMap<usize, String>>;

    /// The addresses that a resolver with this `lookup` publishes.
    fn resolving(
        names: &[&str],
        lookup: impl Fn(&str) -> io::Result<Vec<SocketAddr>> + Send + Sync + 'static,
    ) -> (Receiver<(usize, SocketAddr)>, Updates) {
        let (published, addresses) = channel();
        let (updates, inbox) = channel();
        let resolver = Resolver {
            lookup: Arc::new(lookup),
            listen: "0.0.0.0:7".parse().unwrap(),
            retry: Duration::from_millis(1),
            every: Duration::from_secs(3600),
        };
        let names = peers(names);
        std::thread::spawn(move || {
            resolver.run(names, &inbox, move |id, address| {
                let _ = published.send((id, address));
            });
        });
        (addresses, updates)
    }

    const SOON: Duration = Duration::from_secs(20);

    #[test]
    fn a_slow_name_delays_no_other() {
        let (addresses, _updates) = resolving(&["slow:7", "fast:7"], |name| {
            if name == "slow:7" {
                std::thread::sleep(Duration::from_secs(3600));
            }
            Ok(vec!["10.0.0.2:7".parse().unwrap()])
        });
        assert_eq!(addresses.recv_timeout(SOON), Ok((1, "10.0.0.2:7".parse().unwrap())));
    }

    #[test]
    fn an_unresolved_name_is_tried_again_and_its_address_stays() {
        use std::sync::atomic::{AtomicU32, Ordering};
        let tries = AtomicU32::new(0);
        let (addresses, updates) = resolving(&["a:7"], move |_| match tries.fetch_add(1, Ordering::Relaxed) {
            0 | 4 => Ok(vec!["10.0.0.2:7".parse().unwrap()]),
            _ => Err(io::Error::other("an outage")),
        });
        assert_eq!(addresses.recv_timeout(SOON), Ok((0, "10.0.0.2:7".parse().unwrap())));
        // Reloaded during an outage: the address is published after three failures.
        updates.send(peers(&["a:7"])).unwrap();
        assert_eq!(addresses.recv_timeout(SOON), Ok((0, "10.0.0.2:7".parse().unwrap())));
        updates.send(peers(&["10.0.0.3:7"])).unwrap();
        assert_eq!(addresses.recv_timeout(SOON), Ok((0, "10.0.0.3:7".parse().unwrap())));
    }

    #[test]
    fn addresses_need_a_port() {
        assert_eq!(refusal(&["a:1", "127.0.0.2:7400"], "127.0.0.1:1"), "");
        for wrong in ["a", "a:0", ":7", "a:b", "a:70000"] {
            assert!(refusal(&[wrong], "127.0.0.1:1").contains("HOST:PORT"), "{wrong}");
        }
        for wrong in ["10.77.0.999:7", "010.0.0.1:7", "10.0.0.0.1:7"] {
            assert!(refusal(&[wrong], "127.0.0.1:1").contains("is no IPv4 address, and no name"), "{wrong}");
        }
    }

    #[test]
    fn no_two_nodes_at_one_address() {
        for twice in [["a:1", "A:1"], ["10.0.0.1:7", "10.0.0.1:07"], ["[::1]:7", "[0::1]:7"]] {
            let refusal = refusal(&twice, "0.0.0.0:9");
            assert!(refusal.contains("peer 0 and peer 1 have the same address"), "{refusal}");
        }
        assert_eq!(refusal(&["a:1", "a:2"], "0.0.0.0:1"), "");
        for listen in ["127.0.0.1:7", "0.0.0.0:7"] {
            assert_eq!(refusal(&["127.0.0.1:7"], listen), "", "its own");
            let refusal = refusal(&["a:7", "127.0.0.1:7"], listen);
            assert!(refusal.contains("peer 1 has the address 127.0.0.1:7, on which this node listens"), "{refusal}");
        }
    }

    #[test]
    fn other_hosts_are_out_of_reach_of_loopback() {
        let refusal = |peer: &str, listen: &str| refusal(&["10.0.0.9:7", peer], listen);
        let refused = refusal("10.0.0.1:7", "127.0.0.1:7400");
        assert!(refused.contains("peer 1 at 10.0.0.1:7") && refused.contains("--listen 0.0.0.0:7400"), "{refused}");
        assert!(refusal("[fe80::1]:7", "[::1]:7400").contains("--listen [::]:7400"));
        for (peer, listen) in
            [("a:7", "127.0.0.1:7400"), ("127.0.0.2:7", "127.0.0.1:7400"), ("127.0.0.1:7", "10.0.0.9:7")]
        {
            assert_eq!(refusal(peer, listen), "", "{peer} from {listen}");
        }
        assert_eq!(refusal("10.0.0.1:7", "0.0.0.0:7400"), "");
    }
}
