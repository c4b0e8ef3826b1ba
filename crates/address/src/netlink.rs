//! The addresses of this host, by rtnetlink(7).

use crate::Address;
use netlink_packet_core::{
    DecodeError, Emitable, NLM_F_ACK, NLM_F_CREATE, NLM_F_DUMP, NLM_F_REPLACE, NLM_F_REQUEST, NetlinkDeserializable,
    NetlinkHeader, NetlinkMessage, NetlinkPayload, NetlinkSerializable, Parseable,
};
use netlink_packet_route::AddressFamily;
use netlink_packet_route::address::{AddressAttribute, AddressFlags, AddressMessage, AddressProtocol, CacheInfo};
use nix::sys::socket::sockopt::ReceiveTimeout;
use nix::sys::socket::{
    AddressFamily as Family, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, recv, sendto, setsockopt, socket,
};
use nix::sys::time::{TimeVal, TimeValLike};
use std::net::IpAddr;
use std::os::fd::{AsRawFd, OwnedFd};

/// The origin of our addresses, which Linux stores from 5.18 on (IFA_PROTO); the kernel itself uses 1 to 3.
const ORIGIN: AddressProtocol = AddressProtocol::Other(114);
/// RTM_NEWADDR, RTM_DELADDR and RTM_GETADDR of rtnetlink(7).
const NEW: u16 = 20;
const DELETE: u16 = 21;
const GET: u16 = 22;
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
    origin: Option<AddressProtocol>,
}

impl Present {
    /// Whether this program has put it there. Where the kernel stores no origin, a lifetime of at most `longest` seconds shows it.
    pub(crate) fn is_ours(&self, longest: u32) -> bool {
        self.left.is_some_and(|left| self.origin == Some(ORIGIN) || self.origin.is_none() && left <= longest)
    }

    fn read(message: &AddressMessage) -> Option<Present> {
        let mut present = Present {
            ip: [0; 4].into(),
            prefix: message.header.prefix_len,
            index: message.header.index,
            left: None,
            origin: None,
        };
        let (mut local, mut other) = (None, None);
        for attribute in &message.attributes {
            match attribute {
                AddressAttribute::Local(ip) => local = Some(*ip),
                AddressAttribute::Address(ip) => other = Some(*ip),
                AddressAttribute::CacheInfo(info) if info.ifa_valid != u32::MAX => present.left = Some(info.ifa_valid),
                AddressAttribute::Protocol(origin) => present.origin = Some(*origin),
                _ => {}
            }
        }
        // Only IPv4 and tunnels have both.
        present.ip = local.or(other)?;
        Some(present)
    }
}

/// A message about an address, with its type.
#[derive(Clone, Debug)]
struct Packet(u16, AddressMessage);

impl NetlinkSerializable for Packet {
    fn message_type(&self) -> u16 {
        self.0
    }
    fn buffer_len(&self) -> usize {
        self.1.buffer_len()
    }
    fn serialize(&self, buffer: &mut [u8]) {
        self.1.emit(buffer);
    }
}

impl NetlinkDeserializable for Packet {
    type Error = DecodeError;
    fn deserialize(header: &NetlinkHeader, payload: &[u8]) -> Result<Packet, DecodeError> {
        Ok(Packet(header.message_type, AddressMessage::parse(payload)?))
    }
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
        let socket = socket(Family::Netlink, SockType::Raw, SockFlag::SOCK_CLOEXEC, SockProtocol::NetlinkRoute)?;
        setsockopt(&socket, ReceiveTimeout, &TimeVal::seconds(PATIENCE_SECONDS))?;
        Ok(Netlink { socket, last: 0 })
    }

    /// All addresses of this host.
    pub(crate) fn list(&mut self) -> std::io::Result<Vec<Present>> {
        let mut all = vec![];
        self.ask(Packet(GET, AddressMessage::default()), NLM_F_DUMP, |Packet(_, message)| {
            all.extend(Present::read(&message));
        })?;
        Ok(all)
    }

    /// Adds an address with this lifetime to an interface, or changes its lifetime.
    pub(crate) fn set(&mut self, address: &Address, index: u32, seconds: u32) -> std::io::Result<()> {
        let mut message = message(address.ip, address.prefix, index);
        let mut info = CacheInfo::default();
        (info.ifa_valid, info.ifa_preferred) = (seconds, seconds);
        if address.ip.is_ipv6() {
            // It answers at once, the routes of the host do not expire with it, and the host's own connections do not come from it.
            let flags = AddressFlags::Nodad | AddressFlags::Noprefixroute;
            message.attributes.push(AddressAttribute::Flags(flags));
            info.ifa_preferred = 0;
        }
        message.attributes.extend([AddressAttribute::CacheInfo(info), AddressAttribute::Protocol(ORIGIN)]);
        self.ask(Packet(NEW, message), NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE, |_| {})
    }

    /// Removes an address. One that is not there any more is no error.
    pub(crate) fn remove(&mut self, present: &Present) -> std::io::Result<()> {
        let packet = Packet(DELETE, message(present.ip, present.prefix, present.index));
        match self.ask(packet, NLM_F_ACK, |_| {}) {
            Err(error) if error.kind() == std::io::ErrorKind::AddrNotAvailable => Ok(()),
            done => done,
        }
    }

    /// Sends a request, and reads the answers up to the last one.
    fn ask(&mut self, packet: Packet, flags: u16, mut answer: impl FnMut(Packet)) -> std::io::Result<()> {
        self.last = self.last.wrapping_add(1);
        let mut header = NetlinkHeader::default();
        (header.flags, header.sequence_number) = (NLM_F_REQUEST | flags, self.last);
        let mut request = NetlinkMessage::new(header, NetlinkPayload::InnerMessage(packet));
        request.finalize();
        let mut buffer = vec![0; request.buffer_len()];
        request.serialize(&mut buffer);
        sendto(self.socket.as_raw_fd(), &buffer, &NetlinkAddr::new(0, 0), MsgFlags::empty())?;
        let mut buffer = vec![0; LONGEST];
        loop {
            let length = recv(self.socket.as_raw_fd(), &mut buffer, MsgFlags::empty())?;
            let mut rest = &buffer[..length];
            while !rest.is_empty() {
                let message = NetlinkMessage::<Packet>::deserialize(rest).map_err(std::io::Error::other)?;
                // Messages are aligned to four bytes.
                let length = (message.header.length as usize).next_multiple_of(4).max(4);
                rest = rest.get(length..).unwrap_or_default();
                // A late answer to an earlier request.
                if message.header.sequence_number != self.last {
                    continue;
                }
                match message.payload {
                    NetlinkPayload::InnerMessage(packet) => answer(packet),
                    NetlinkPayload::Error(error) if error.code.is_some() => return Err(error.to_io()),
                    NetlinkPayload::Error(_) | NetlinkPayload::Done(_) => return Ok(()),
                    _ => {}
                }
            }
        }
    }
}

fn message(ip: IpAddr, prefix: u8, index: u32) -> AddressMessage {
    let mut message = AddressMessage::default();
    message.header.family = if ip.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
    (message.header.prefix_len, message.header.index) = (prefix, index);
    message.attributes = vec![AddressAttribute::Local(ip), AddressAttribute::Address(ip)];
    message
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
        assert!(!present(Some(1), Some(AddressProtocol::RouterAnnouncement)).is_ours(3));
        assert!(!present(None, Some(ORIGIN)).is_ours(3), "an operator has made it permanent");
    }
}
