//! From host names to addresses, again and again: a peer may move.
//!
//! Every name is resolved by a thread of its own, so that a slow one holds up no other. An address stays until a better one is
//! there. What cannot be resolved is tried again at the pace of heartbeats, then less and less often.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// The address of every identity, where it is known.
pub(crate) type Addresses = Vec<Option<SocketAddr>>;

/// How long `--check` waits for all names together.
const EXAMINATION: Duration = Duration::from_secs(10);

/// The addresses that need no resolving.
pub(crate) fn literal(peers: &BTreeMap<usize, String>, size: usize) -> Addresses {
    (0..size).map(|id| peers.get(&id)?.parse().ok()).collect()
}

/// What a name may mean.
pub(crate) type Lookup = Arc<dyn Fn(&str) -> io::Result<Vec<SocketAddr>> + Send + Sync>;

/// As the system has it.
pub(crate) fn system() -> Lookup {
    Arc::new(|name| name.to_socket_addrs().map(Iterator::collect))
}

/// The first of these addresses that a node can send to which listens there.
fn usable(found: io::Result<Vec<SocketAddr>>, listen: SocketAddr) -> Result<SocketAddr, String> {
    let all = found.map_err(|error| format!("cannot resolve: {error}"))?;
    let family = if listen.is_ipv4() { "IPv4" } else { "IPv6" };
    let fits = |address: &SocketAddr| address.is_ipv4() == listen.is_ipv4();
    all.into_iter().find(fits).ok_or_else(|| format!("has no {family} address, and this node listens on {listen}"))
}

/// Resolves all names now, and says which could not be.
pub(crate) fn try_all(peers: &BTreeMap<usize, String>, listen: SocketAddr) -> Result<(), String> {
    let (sender, receiver) = channel();
    for (&id, name) in peers {
        let (sender, name) = (sender.clone(), name.clone());
        std::thread::spawn(move || sender.send((id, usable(system()(&name), listen))));
    }
    drop(sender);
    let (mut left, end) = (peers.clone(), Instant::now() + EXAMINATION);
    while let Ok((id, found)) = receiver.recv_timeout(end.saturating_duration_since(Instant::now())) {
        let name = left.remove(&id).unwrap_or_default();
        found.map_err(|reason| format!("peer {id}, {name}, {reason}"))?;
    }
    match left.first_key_value() {
        None => Ok(()),
        Some((id, name)) => Err(format!("peer {id}, {name}, cannot be resolved within {EXAMINATION:?}")),
    }
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
        let address: SocketAddr = address;
        if address.is_ipv4() != listen.is_ipv4() {
            return Err(format!(
                "peer {id} at {address} cannot be reached from {listen}: all addresses must be IPv4, or all IPv6"
            ));
        }
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

/// One name that is being resolved.
struct Worker {
    name: String,
    /// Asks for resolving now; the thread ends when this is gone.
    again: Sender<()>,
}

/// How a node resolves.
#[derive(Clone)]
pub(crate) struct Resolver {
    pub(crate) lookup: Lookup,
    pub(crate) listen: SocketAddr,
    /// How soon a name that cannot be resolved is tried again, at first.
    pub(crate) retry: Duration,
    /// How often names are resolved anew.
    pub(crate) every: Duration,
}

impl Resolver {
    /// Resolves now, whenever new peers come, and every so often, and publishes each address by itself; ends with the channel.
    pub(crate) fn run(
        &self,
        mut peers: BTreeMap<usize, String>,
        updates: &Receiver<BTreeMap<usize, String>>,
        publish: impl Fn(usize, SocketAddr) + Clone + Send + 'static,
    ) {
        let mut workers: BTreeMap<usize, Worker> = BTreeMap::new();
        loop {
            workers.retain(|id, worker| peers.get(id) == Some(&worker.name));
            for (&id, name) in &peers {
                match name.parse() {
                    Ok(address) => publish(id, address),
                    Err(_) if workers.get(&id).is_some_and(|worker| worker.again.send(()).is_ok()) => {}
                    Err(_) => {
                        let (again, asked) = channel();
                        let (resolver, publish, name_there) = (self.clone(), publish.clone(), name.clone());
                        let body = move || resolver.work(id, &name_there, &asked, publish);
                        let thread = std::thread::Builder::new().name(format!("resolve-{id}")).stack_size(256 * 1024);
                        match thread.spawn(body) {
                            Ok(_) => drop(workers.insert(id, Worker { name: name.clone(), again })),
                            Err(error) => {
                                tracing::warn!(peer = id, name, %error, "cannot start a thread to resolve with")
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

    /// Resolves one name for as long as it is wanted.
    fn work(&self, id: usize, name: &str, asked: &Receiver<()>, publish: impl Fn(usize, SocketAddr)) {
        let (mut known, mut failures) = (None, 0u32);
        loop {
            let found = usable((self.lookup)(name), self.listen);
            // Nobody wants it any more: it may have taken long.
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
                    // Once when it begins, then less and less often.
                    if failures == 1 || (failures >= 16 && failures.is_power_of_two()) {
                        tracing::warn!(
                            peer = id,
                            name,
                            reason,
                            failures,
                            "cannot be resolved now; what is known stays"
                        );
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
    fn addresses_of_the_right_family_are_taken() {
        let both = || Ok(vec!["[::1]:7".parse().unwrap(), "127.0.0.1:7".parse().unwrap()]);
        let usable = |listen: &str| usable(both(), listen.parse().unwrap()).map(|address| address.to_string());
        assert_eq!(usable("0.0.0.0:7"), Ok("127.0.0.1:7".into()));
        assert_eq!(usable("[::]:7"), Ok("[::1]:7".into()));
        let mixed = check(&peers(&["10.0.0.1:7", "[fe80::1]:7"]), 0, "10.0.0.1:7".parse().unwrap());
        assert!(mixed.unwrap_err().contains("all IPv6"));
    }

    type Updates = Sender<BTreeMap<usize, String>>;

    /// What a resolver publishes, by identity, while `lookup` answers.
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
    fn a_slow_name_holds_up_no_other() {
        let (addresses, _updates) = resolving(&["slow:7", "fast:7"], |name| {
            if name == "slow:7" {
                std::thread::sleep(Duration::from_secs(3600));
            }
            Ok(vec!["10.0.0.2:7".parse().unwrap()])
        });
        assert_eq!(addresses.recv_timeout(SOON), Ok((1, "10.0.0.2:7".parse().unwrap())));
    }

    #[test]
    fn what_cannot_be_resolved_is_tried_again_soon_and_withdraws_nothing() {
        use std::sync::atomic::{AtomicU32, Ordering};
        let tries = AtomicU32::new(0);
        let (addresses, updates) = resolving(&["a:7"], move |_| match tries.fetch_add(1, Ordering::Relaxed) {
            0 | 4 => Ok(vec!["10.0.0.2:7".parse().unwrap()]),
            _ => Err(io::Error::other("an outage")),
        });
        assert_eq!(addresses.recv_timeout(SOON), Ok((0, "10.0.0.2:7".parse().unwrap())));
        // Reloaded in an outage: nothing is published until there is something to publish, three failures later.
        updates.send(peers(&["a:7"])).unwrap();
        assert_eq!(addresses.recv_timeout(SOON), Ok((0, "10.0.0.2:7".parse().unwrap())));
        updates.send(peers(&["10.0.0.3:7"])).unwrap();
        assert_eq!(addresses.recv_timeout(SOON), Ok((0, "10.0.0.3:7".parse().unwrap())));
    }

    #[test]
    fn addresses_need_a_port() {
        let check = |names: &[&str]| check(&peers(names), 0, "127.0.0.1:1".parse().unwrap());
        assert_eq!(check(&["a:1", "127.0.0.2:7400"]), Ok(()));
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
}
