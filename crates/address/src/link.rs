//! Interfaces by name, and frames that are sent on them.

use crate::frame::{Mac, announcement};
use nix::ifaddrs::getifaddrs;
use nix::net::if_::InterfaceFlags;
use nix::sys::socket::{AddressFamily, LinkAddr, MsgFlags, SockFlag, SockType, sendto, socket};
use std::net::IpAddr;
use std::os::fd::{AsRawFd, OwnedFd};

/// ARPHRD_ETHER of netdevice(7).
const ETHERNET: u16 = 1;

/// An interface of this host.
pub(crate) struct Link {
    name: String,
    pub(crate) index: u32,
    mac: Option<Mac>,
    address: LinkAddr,
}

/// The interface with this name, if it is up and has a carrier.
pub(crate) fn find(name: &str) -> Result<Link, String> {
    let mut all = getifaddrs().map_err(|error| format!("cannot list the interfaces: {}", error.desc()))?;
    let is_link = |found: &nix::ifaddrs::InterfaceAddress| {
        found.interface_name == name && found.address.as_ref().is_some_and(|address| address.as_link_addr().is_some())
    };
    let found = all.find(is_link).ok_or_else(|| format!("this host has no interface {name}"))?;
    if !found.flags.contains(InterfaceFlags::IFF_UP | InterfaceFlags::IFF_RUNNING) {
        return Err(format!("the interface {name} is down or has no carrier"));
    }
    let address = found.address.and_then(|address| address.as_link_addr().copied());
    let address = address.ok_or_else(|| format!("the interface {name} has no number"))?;
    let mac = address.addr().filter(|_| address.hatype() == ETHERNET);
    Ok(Link { name: name.into(), index: address.ifindex() as u32, mac, address })
}

/// A socket for frames. It receives none.
pub(crate) fn open() -> nix::Result<OwnedFd> {
    socket(AddressFamily::Packet, SockType::Raw, SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK, None)
}

impl Link {
    /// Tells the neighbours on this link where the address is. Only Ethernet has such neighbours.
    pub(crate) fn announce(&self, socket: &OwnedFd, ip: IpAddr) -> Result<(), String> {
        let Some(mac) = self.mac else { return Ok(()) };
        let frame = announcement(mac, ip, ip.is_ipv6() && self.forwards());
        let sent = sendto(socket.as_raw_fd(), &frame, &self.address, MsgFlags::empty());
        sent.map(drop).map_err(|error| format!("cannot send on {}: {}", self.name, error.desc()))
    }

    /// Whether this host is a router on this link: its advertisements must say so.
    fn forwards(&self) -> bool {
        let setting = format!("/proc/sys/net/ipv6/conf/{}/forwarding", self.name);
        std::fs::read_to_string(setting).is_ok_and(|value| value.trim() != "0")
    }
}
