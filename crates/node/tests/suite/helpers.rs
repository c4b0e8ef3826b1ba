//! Ports and patience.

use std::collections::BTreeMap;
use std::net::UdpSocket;
use std::time::{Duration, Instant};

/// Free ports; another program could take one before the node does, which is unlikely.
pub(crate) fn peers(count: usize) -> BTreeMap<usize, String> {
    let sockets: Vec<UdpSocket> = (0..count).map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
    sockets.iter().enumerate().map(|(id, socket)| (id, socket.local_addr().unwrap().to_string())).collect()
}

/// Waits until something holds, for twenty seconds at most.
pub(crate) fn wait(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
