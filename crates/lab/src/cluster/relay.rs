//! A network that can be broken: every datagram of the cluster passes here, or not.
//!
//! Each node has a door, a socket to which the others send what is for it. What comes through the door goes on to the
//! node unless the link from its sender is cut or happens to lose it.

use ringleader_model::Coin;
use ringleader_simulate::Generator;
use std::collections::VecDeque;
use std::io::Result;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a door looks whether it is to close.
const GLANCE: Duration = Duration::from_millis(100);

/// So many datagrams are remembered.
const REMEMBERED: usize = 512;

/// A datagram that came through a door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Datagram {
    /// Its number, counted from 0.
    pub number: u64,
    /// When, since the cluster began.
    pub at: Duration,
    /// Who sent it.
    pub from: usize,
    /// For whom it is.
    pub to: usize,
    /// Whether it was lost on the way.
    pub lost: bool,
}

/// The last datagrams, and how many there were.
#[derive(Default)]
struct Tap {
    count: u64,
    last: VecDeque<Datagram>,
}

/// The doors of a cluster; dropping it closes them.
pub(crate) struct Relay {
    doors: Vec<SocketAddr>,
    links: Arc<Links>,
    threads: Vec<JoinHandle<()>>,
}

/// What the doors share.
struct Links {
    size: usize,
    /// Where each node really listens.
    nodes: Mutex<Vec<Option<SocketAddr>>>,
    /// By sender and receiver: how many of a hundred datagrams are lost.
    loss: Vec<AtomicU8>,
    /// By sender: how many datagrams came.
    sent: Vec<AtomicU64>,
    closing: AtomicBool,
    begun: Instant,
    tap: Mutex<Tap>,
}

impl Relay {
    /// Doors for this many nodes, on loopback.
    pub(crate) fn new(size: usize, seed: u64) -> Result<Relay> {
        let links = Arc::new(Links {
            size,
            nodes: Mutex::new(vec![None; size]),
            loss: (0..size * size).map(|_| AtomicU8::new(0)).collect(),
            sent: (0..size).map(|_| AtomicU64::new(0)).collect(),
            closing: AtomicBool::new(false),
            begun: Instant::now(),
            tap: Mutex::default(),
        });
        let mut relay = Relay { doors: vec![], links, threads: vec![] };
        for receiver in 0..size {
            let door = UdpSocket::bind("127.0.0.1:0")?;
            door.set_read_timeout(Some(GLANCE))?;
            relay.doors.push(door.local_addr()?);
            let links = Arc::clone(&relay.links);
            let coin = Generator::stream(seed, receiver as u64);
            let thread = std::thread::Builder::new().name(format!("door-{receiver}")).stack_size(256 * 1024);
            relay.threads.push(thread.spawn(move || links.keep(receiver, &door, coin))?);
        }
        Ok(relay)
    }

    /// Where to send what is for a node.
    pub(crate) fn door(&self, node: usize) -> SocketAddr {
        self.doors[node]
    }

    /// Says where a node listens, which is also whence it sends.
    pub(crate) fn connect(&self, node: usize, address: SocketAddr) {
        self.links.nodes.lock().unwrap_or_else(PoisonError::into_inner)[node] = Some(address);
    }

    /// From now on a link loses so many datagrams of a hundred.
    pub(crate) fn set_loss(&self, sender: usize, receiver: usize, percent: u8) {
        self.links.loss[sender * self.links.size + receiver].store(percent, Ordering::Relaxed);
    }

    /// For how long the cluster has been there.
    pub(crate) fn age(&self) -> Duration {
        self.links.begun.elapsed()
    }

    /// The datagrams from a number on that are still remembered.
    pub(crate) fn since(&self, number: u64) -> Vec<Datagram> {
        let tap = self.links.tap.lock().unwrap_or_else(PoisonError::into_inner);
        tap.last.iter().filter(|datagram| datagram.number >= number).copied().collect()
    }

    /// How many datagrams a node has sent.
    pub(crate) fn sent(&self, node: usize) -> u64 {
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
    /// Passes on what comes through one door.
    fn keep(&self, receiver: usize, door: &UdpSocket, mut coin: Generator) {
        let mut buffer = vec![0; 1 << 16];
        while !self.closing.load(Ordering::Relaxed) {
            let Ok((length, from)) = door.recv_from(&mut buffer) else { continue };
            let (sender, target) = {
                let nodes = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
                (nodes.iter().position(|&node| node == Some(from)), nodes[receiver])
            };
            let (Some(sender), Some(target)) = (sender, target) else { continue };
            self.sent[sender].fetch_add(1, Ordering::Relaxed);
            let loss = self.loss[sender * self.size + receiver].load(Ordering::Relaxed);
            let lost = coin.below(100) < u32::from(loss);
            self.note(sender, receiver, lost);
            if !lost {
                // A node that is down does not listen.
                let _ = door.send_to(&buffer[..length], target);
            }
        }
    }
    fn note(&self, from: usize, to: usize, lost: bool) {
        let at = self.begun.elapsed();
        let mut tap = self.tap.lock().unwrap_or_else(PoisonError::into_inner);
        let number = tap.count;
        tap.count += 1;
        tap.last.push_back(Datagram { number, at, from, to, lost });
        if tap.last.len() > REMEMBERED {
            tap.last.pop_front();
        }
    }
}
