//! The addresses of this host, by rtnetlink(7).

use crate::Address;
use crate::message::{Answer, Request, word};
use nix::libc;
use nix::sys::socket::sockopt::ReceiveTimeout;
use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, recv, sendto, setsockopt, socket,
};
use nix::sys::time::{TimeVal, TimeValLike};
use std::net::IpAddr;
use std::os::fd::{AsRawFd, OwnedFd};

/// The origin of our addresses, which Linux stores from 5.18 on; the kernel itself uses 1 to 3.
const ORIGIN: u8 = 114;
/// The attribute with the origin, IFA_PROTO.
const ORIGIN_OF: u16 = 11;
/// The time to wait for an answer of the kernel, which may be busy.
const PATIENCE_SECONDS: i64 = 1;
/// The longest answer: the kernel fills at most 32 KiB at a time.
const LONGEST: usize = 1 << 15;

/// An address that is on this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Present {
    pub(crate) ip: IpAddr,
    pub(crate) prefix: u8,
    pub(crate) index: u32,
    /// The rest of its lifetime in seconds, unless it is permanent.
    pub(crate) left: Option<u32>,
    origin: Option<u8>,
}

impl Present {
    /// Whether this program has put it there. Where the kernel stores no origin, a lifetime of at most `longest` seconds shows it.
    pub(crate) fn is_ours(&self, longest: u32) -> bool {
        self.left.is_some_and(|left| self.origin == Some(ORIGIN) || self.origin.is_none() && left <= longest)
    }

    fn read(answer: &Answer<'_>) -> Option<Present> {
        let (prefix, index) = answer.place()?;
        let (mut local, mut other, mut left, mut origin) = (None, None, None, None);
        for (attribute, value) in answer.attributes() {
            match attribute {
                libc::IFA_LOCAL => local = address(value),
                libc::IFA_ADDRESS => other = address(value),
                // `ifa_cacheinfo` begins with the preferred lifetime, and the valid one follows.
                libc::IFA_CACHEINFO => left = word(value, 4).filter(|left| *left != u32::MAX),
                ORIGIN_OF => origin = value.first().copied(),
                _ => {}
            }
        }
        // Only IPv4 and tunnels have both.
        Some(Present { ip: local.or(other)?, prefix, index, left, origin })
    }
}

fn address(octets: &[u8]) -> Option<IpAddr> {
    let four = |octets: &[u8]| <[u8; 4]>::try_from(octets).map(IpAddr::from);
    four(octets).or_else(|_| <[u8; 16]>::try_from(octets).map(IpAddr::from)).ok()
}

/// A socket to the kernel.
#[derive(Debug)]
pub(crate) struct Netlink {
    socket: OwnedFd,
    /// The number of the last request.
    last: u32,
}

impl Netlink {
    pub(crate) fn open() -> nix::Result<Netlink> {
        let socket = socket(AddressFamily::Netlink, SockType::Raw, SockFlag::SOCK_CLOEXEC, SockProtocol::NetlinkRoute)?;
        setsockopt(&socket, ReceiveTimeout, &TimeVal::seconds(PATIENCE_SECONDS))?;
        Ok(Netlink { socket, last: 0 })
    }

    /// All addresses of this host.
    pub(crate) fn list(&mut self) -> std::io::Result<Vec<Present>> {
        let mut all = vec![];
        let request = self.request(libc::RTM_GETADDR, libc::NLM_F_DUMP);
        self.ask(request, |answer| all.extend(Present::read(answer)))?;
        Ok(all)
    }

    /// Adds an address with this lifetime to an interface, or changes its lifetime.
    pub(crate) fn set(&mut self, address: &Address, index: u32, seconds: u32) -> std::io::Result<()> {
        let flags = libc::NLM_F_ACK | libc::NLM_F_CREATE | libc::NLM_F_REPLACE;
        let mut request = self.request(libc::RTM_NEWADDR, flags).about(address.ip, address.prefix, index);
        let mut preferred = seconds;
        if address.ip.is_ipv6() {
            // It answers at once, the routes of the host do not expire with it, and the host's own connections do not come from it.
            request = request.with(libc::IFA_FLAGS, &(libc::IFA_F_NODAD | libc::IFA_F_NOPREFIXROUTE).to_ne_bytes());
            preferred = 0;
        }
        let lifetimes = [preferred, seconds, 0, 0].map(u32::to_ne_bytes).concat();
        self.ask(request.with(libc::IFA_CACHEINFO, &lifetimes).with(ORIGIN_OF, &[ORIGIN]), |_| {})
    }

    /// Removes an address. One that is not there any more is no error.
    pub(crate) fn remove(&mut self, present: &Present) -> std::io::Result<()> {
        let request = self.request(libc::RTM_DELADDR, libc::NLM_F_ACK);
        match self.ask(request.about(present.ip, present.prefix, present.index), |_| {}) {
            Err(error) if error.kind() == std::io::ErrorKind::AddrNotAvailable => Ok(()),
            done => done,
        }
    }

    /// The beginning of a request.
    fn request(&mut self, kind: u16, flags: i32) -> Request {
        self.last = self.last.wrapping_add(1);
        Request::new(kind, (libc::NLM_F_REQUEST | flags) as u16, self.last)
    }

    /// Sends a request, and reads the answers up to the last one.
    fn ask(&mut self, request: Request, mut answer: impl FnMut(&Answer<'_>)) -> std::io::Result<()> {
        sendto(self.socket.as_raw_fd(), &request.bytes(), &NetlinkAddr::new(0, 0), MsgFlags::empty())?;
        let mut buffer = vec![0; LONGEST];
        loop {
            let length = recv(self.socket.as_raw_fd(), &mut buffer, MsgFlags::empty())?;
            let mut rest = &buffer[..length];
            while !rest.is_empty() {
                let cut = || std::io::Error::other("the answer of the kernel is cut off");
                let (found, others) = Answer::first(rest).ok_or_else(cut)?;
                rest = others;
                // A late answer to an earlier request.
                if found.number != self.last {
                    continue;
                }
                match i32::from(found.kind) {
                    libc::NLMSG_ERROR => return found.error().map_or(Ok(()), Err),
                    libc::NLMSG_DONE => return Ok(()),
                    _ => answer(&found),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_is_there_for_ever_and_not_ours() {
        let all = Netlink::open().unwrap().list().unwrap();
        let loopback = all.iter().find(|present| present.ip.is_loopback()).expect("this host has a loopback");
        assert_eq!(loopback.left, None);
        assert!(!loopback.is_ours(u32::MAX));
    }

    #[test]
    fn our_addresses_are_known_by_their_origin_or_by_their_lifetime() {
        let present = |left, origin| Present { ip: [192, 0, 2, 1].into(), prefix: 32, index: 1, left, origin };
        assert!(present(Some(900), Some(ORIGIN)).is_ours(3));
        assert!(present(Some(3), None).is_ours(3), "a kernel that stores no origin");
        assert!(!present(Some(4), None).is_ours(3), "of a DHCP client");
        assert!(!present(Some(1), Some(2)).is_ours(3));
        assert!(!present(None, Some(ORIGIN)).is_ours(3), "an operator has made it permanent");
    }
}
