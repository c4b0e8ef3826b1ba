//! The carrier of the network interface: a leader without one stops immediately, not only when no peer answers.

use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::Duration;

/// The time after which interfaces are checked even without a report of the kernel.
const GLANCE: Duration = Duration::from_secs(1);

/// The addresses of this host from which peers are reached.
fn sources(listen: SocketAddr, peers: &[SocketAddr]) -> Vec<IpAddr> {
    if !listen.ip().is_unspecified() {
        return vec![listen.ip()];
    }
    let source = |peer: &SocketAddr| {
        let any: SocketAddr = if peer.is_ipv4() { ([0; 4], 0).into() } else { ([0u16; 8], 0).into() };
        // Nothing is sent: the kernel only chooses the source address.
        let socket = UdpSocket::bind(any).ok()?;
        socket.connect(peer).ok()?;
        Some(socket.local_addr().ok()?.ip())
    };
    let mut found: Vec<IpAddr> = peers.iter().filter_map(source).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The state of the interface with an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interface {
    Up,
    Down,
    /// No interface has the address.
    Gone,
}

/// Watches the interfaces of one node.
#[derive(Debug)]
struct Carrier {
    listen: SocketAddr,
    /// The addresses that peers were last reached from, which outlive the routes to them.
    sources: Vec<IpAddr>,
}

impl Carrier {
    /// Whether every interface towards a peer is without a carrier.
    fn lost(&mut self, peers: &[SocketAddr], interface: impl Fn(IpAddr) -> Interface) -> bool {
        let now = sources(self.listen, peers);
        let mut lost = !self.sources.is_empty() && self.sources.iter().all(|&ip| interface(ip) != Interface::Up);
        if !lost || now.iter().any(|&ip| interface(ip) == Interface::Up) {
            let standing: Vec<IpAddr> =
                now.into_iter().filter(|&ip| interface(ip) != Interface::Gone && !ip.is_loopback()).collect();
            if !standing.is_empty() || self.sources.is_empty() {
                self.sources = standing;
            }
            lost = !self.sources.is_empty() && self.sources.iter().all(|&ip| interface(ip) != Interface::Up);
        }
        lost
    }
}

/// Reports the loss and the return of the carrier until the receiver is gone; `peers` returns the addresses known at the moment.
#[cfg(target_os = "linux")]
pub(crate) fn watch(listen: SocketAddr, peers: impl Fn() -> Vec<SocketAddr>, say: impl Fn(bool) -> bool) {
    let news = linux::news();
    let mut carrier = Carrier { listen, sources: vec![] };
    let mut lost = false;
    loop {
        let interfaces = linux::interfaces();
        let interface = |ip: IpAddr| match interfaces.iter().find(|(address, _)| *address == ip) {
            Some((_, true)) => Interface::Up,
            Some((_, false)) => Interface::Down,
            None => Interface::Gone,
        };
        let now = !interfaces.is_empty() && carrier.lost(&peers(), interface);
        if now && !lost {
            tracing::warn!("no interface towards the peers has a carrier and an address: this node does not lead");
        } else if lost && !now {
            tracing::info!("the carrier is back");
        }
        lost = now;
        if !say(lost) {
            return;
        }
        linux::wait(news.as_ref(), GLANCE);
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn watch(_: SocketAddr, _: impl Fn() -> Vec<SocketAddr>, _: impl Fn(bool) -> bool) {}

#[cfg(target_os = "linux")]
mod linux {
    use nix::ifaddrs::getifaddrs;
    use nix::net::if_::InterfaceFlags;
    use nix::poll::{PollFd, PollFlags, ppoll};
    use nix::sys::socket::{
        AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, bind, recv, socket,
    };
    use std::net::IpAddr;
    use std::os::fd::{AsFd, AsRawFd, OwnedFd};
    use std::time::Duration;

    /// RTMGRP_LINK, RTMGRP_IPV4_IFADDR and RTMGRP_IPV6_IFADDR of rtnetlink(7).
    const GROUPS: u32 = 0x1 | 0x10 | 0x100;

    /// Every address of this host, and whether its interface is up with a carrier.
    pub(super) fn interfaces() -> Vec<(IpAddr, bool)> {
        let Ok(all) = getifaddrs() else { return vec![] };
        let one = |found: nix::ifaddrs::InterfaceAddress| {
            let address = found.address?;
            let ip = match (address.as_sockaddr_in(), address.as_sockaddr_in6()) {
                (Some(v4), _) => IpAddr::V4(v4.ip()),
                (_, Some(v6)) => IpAddr::V6(v6.ip()),
                _ => return None,
            };
            Some((ip, found.flags.contains(InterfaceFlags::IFF_UP | InterfaceFlags::IFF_RUNNING)))
        };
        all.filter_map(one).collect()
    }

    /// A socket on which the kernel reports changes of interfaces.
    pub(super) fn news() -> Option<OwnedFd> {
        let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
        let news = socket(AddressFamily::Netlink, SockType::Raw, flags, SockProtocol::NetlinkRoute).ok()?;
        bind(news.as_raw_fd(), &NetlinkAddr::new(0, GROUPS)).ok()?;
        Some(news)
    }

    /// Returns after a report, or after `timeout`.
    pub(super) fn wait(news: Option<&OwnedFd>, timeout: Duration) {
        let Some(news) = news else { return std::thread::sleep(timeout.min(Duration::from_millis(100))) };
        let mut descriptors = [PollFd::new(news.as_fd(), PollFlags::POLLIN)];
        let _ = ppoll(&mut descriptors, Some(timeout.into()), None);
        // The contents do not matter: all interfaces are checked again.
        let mut buffer = [0; 8192];
        while recv(news.as_raw_fd(), &mut buffer, MsgFlags::empty()).is_ok_and(|length| length > 0) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_carrier_is_lost_only_if_there_was_one_and_on_all_interfaces() {
        let address = |last: u8| IpAddr::from([10, 0, 0, last]);
        let mut carrier = Carrier { listen: "10.0.0.1:7".parse().unwrap(), sources: vec![] };
        assert!(!carrier.lost(&[], |_| Interface::Gone), "never seen");
        assert!(!carrier.lost(&[], |_| Interface::Up));
        assert!(carrier.lost(&[], |_| Interface::Down));
        assert!(carrier.lost(&[], |_| Interface::Gone), "the address went with the interface");
        assert!(!carrier.lost(&[], |_| Interface::Up));
        let mut two = Carrier { listen: "0.0.0.0:7".parse().unwrap(), sources: vec![address(1), address(2)] };
        assert!(!two.lost(&[], |ip| if ip == address(1) { Interface::Down } else { Interface::Up }));
        assert!(two.lost(&[], |_| Interface::Down));
        let mut loopback = Carrier { listen: "127.0.0.1:7".parse().unwrap(), sources: vec![] };
        assert!(!loopback.lost(&[], |_| Interface::Down), "loopback has no cable");
    }
}
