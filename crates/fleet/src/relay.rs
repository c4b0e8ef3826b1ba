//! The network between the nodes: a relay that forwards every datagram, or loses it.
//!
//! Each node has a proxy, a socket to which its peers send. The proxy forwards a datagram to its node unless the link from the
//! sender is cut or loses it. The datagram then comes from the proxy of its sender, so that a reply finds the way back.

use ringleader_model::{Coin, lock};
use ringleader_simulate::Generator;
use std::collections::VecDeque;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a proxy checks whether it must close.
const POLL: Duration = Duration::from_millis(100);

/// The number of datagrams that are remembered.
const REMEMBERED: usize = 512;

/// A datagram that reached a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Datagram {
    /// Its number, counted from 0.
    pub number: u64,
    /// The time since the fleet started.
    pub at: Duration,
    /// The sender.
    pub from: usize,
    /// The receiver.
    pub to: usize,
    /// Whether the relay lost it.
    pub lost: bool,
}

/// The last datagrams, and the number of all.
#[derive(Default)]
struct Tap {
    count: u64,
    last: VecDeque<Datagram>,
}

/// The proxies of a cluster; dropping the relay closes them.
pub struct Relay {
    proxies: Vec<SocketAddr>,
    links: Arc<Links>,
    threads: Vec<JoinHandle<()>>,
}

/// What the proxies share.
struct Links {
    size: usize,
    /// The address of each node.
    nodes: Mutex<Vec<Option<SocketAddr>>>,
    /// By sender and receiver: the percentage of datagrams that are lost.
    loss: Vec<AtomicU8>,
    /// By sender: the number of datagrams.
    sent: Vec<AtomicU64>,
    closing: AtomicBool,
    begun: Instant,
    tap: Mutex<Tap>,
}

impl Relay {
    /// Proxies for this many nodes, on loopback.
    pub(crate) fn new(size: usize, seed: u64) -> std::io::Result<Relay> {
        let links = Arc::new(Links {
            size,
            nodes: Mutex::new(vec![None; size]),
            loss: (0..size * size).map(|_| AtomicU8::new(0)).collect(),
            sent: (0..size).map(|_| AtomicU64::new(0)).collect(),
            closing: AtomicBool::new(false),
            begun: Instant::now(),
            tap: Mutex::default(),
        });
        let sockets = (0..size).map(|_| {
            let proxy = UdpSocket::bind("127.0.0.1:0")?;
            proxy.set_read_timeout(Some(POLL))?;
            Ok(proxy)
        });
        let sockets: Arc<Vec<UdpSocket>> = Arc::new(sockets.collect::<std::io::Result<_>>()?);
        let proxies = sockets.iter().map(UdpSocket::local_addr).collect::<std::io::Result<_>>()?;
        let mut relay = Relay { proxies, links, threads: vec![] };
        for receiver in 0..size {
            let (links, sockets) = (Arc::clone(&relay.links), Arc::clone(&sockets));
            let coin = Generator::stream(seed, receiver as u64);
            let thread = std::thread::Builder::new().name(format!("proxy-{receiver}")).stack_size(256 * 1024);
            relay.threads.push(thread.spawn(move || links.forward(receiver, &sockets, coin))?);
        }
        Ok(relay)
    }

    /// The address to which the peers of a node send.
    pub(crate) fn proxy(&self, node: usize) -> SocketAddr {
        self.proxies[node]
    }

    /// Sets the address from which a node sends and on which it listens.
    pub(crate) fn connect(&self, node: usize, address: SocketAddr) {
        lock(&self.links.nodes)[node] = Some(address);
    }

    /// Sets the percentage of datagrams that a link loses.
    pub(crate) fn set_loss(&self, sender: usize, receiver: usize, percent: u8) {
        self.links.loss[sender * self.links.size + receiver].store(percent, Ordering::Relaxed);
    }

    /// The time since the relay started.
    #[must_use]
    pub fn age(&self) -> Duration {
        self.links.begun.elapsed()
    }

    /// The datagrams from a number on that are still remembered.
    #[must_use]
    pub fn since(&self, number: u64) -> Vec<Datagram> {
        let tap = lock(&self.links.tap);
        tap.last.iter().filter(|datagram| datagram.number >= number).copied().collect()
    }

    /// The number of datagrams that a node has sent.
    #[must_use]
    pub fn sent(&self, node: usize) -> u64 {
        self.links.sent[node].load(Ordering::Relaxed)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.links.closing.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Links {
    /// Forwards the datagrams of one receiver.
    fn forward(&self, receiver: usize, proxies: &[UdpSocket], mut coin: Generator) {
        let mut buffer = vec![0; 1 << 16];
        while !self.closing.load(Ordering::Relaxed) {
            let Ok((length, from)) = proxies[receiver].recv_from(&mut buffer) else { continue };
            let (sender, target) = {
                let nodes = lock(&self.nodes);
                (nodes.iter().position(|&node| node == Some(from)), nodes[receiver])
            };
            let (Some(sender), Some(target)) = (sender, target) else { continue };
            self.sent[sender].fetch_add(1, Ordering::Relaxed);
            let loss = self.loss[sender * self.size + receiver].load(Ordering::Relaxed);
            let lost = coin.below(100) < u32::from(loss);
            self.note(sender, receiver, lost);
            if !lost {
                // A node that is down does not listen.
                let _ = proxies[sender].send_to(&buffer[..length], target);
            }
        }
    }

    fn note(&self, from: usize, to: usize, lost: bool) {
        let at = self.begun.elapsed();
        let mut tap = lock(&self.tap);
        let number = tap.count;
        tap.count += 1;
        tap.last.push_back(Datagram { number, at, from, to, lost });
        if tap.last.len() > REMEMBERED {
            tap.last.pop_front();
        }
    }
}
