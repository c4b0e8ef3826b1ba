//! Messages of rtnetlink(7) about addresses: a header, an `ifaddrmsg`, and attributes, in the byte order of the host. Headers and attributes
//! begin with their length, and are aligned to four bytes.

use nix::libc;
use std::net::IpAddr;

/// `nlmsghdr` and `ifaddrmsg`.
const HEADER: usize = 16;
const ABOUT: usize = 8;

/// A request to the kernel.
#[derive(Debug)]
pub(crate) struct Request(Vec<u8>);

impl Request {
    pub(crate) fn new(kind: u16, flags: u16, number: u32) -> Request {
        let mut bytes = vec![0; HEADER + ABOUT];
        bytes[4..6].copy_from_slice(&kind.to_ne_bytes());
        bytes[6..8].copy_from_slice(&flags.to_ne_bytes());
        bytes[8..12].copy_from_slice(&number.to_ne_bytes());
        Request(bytes)
    }

    /// The same about an address on an interface.
    pub(crate) fn about(mut self, ip: IpAddr, prefix: u8, index: u32) -> Request {
        let (family, octets) = match ip {
            IpAddr::V4(ip) => (libc::AF_INET, ip.octets().to_vec()),
            IpAddr::V6(ip) => (libc::AF_INET6, ip.octets().to_vec()),
        };
        (self.0[HEADER], self.0[HEADER + 1]) = (family as u8, prefix);
        self.0[HEADER + 4..HEADER + 8].copy_from_slice(&index.to_ne_bytes());
        self.with(libc::IFA_LOCAL, &octets).with(libc::IFA_ADDRESS, &octets)
    }

    /// The same with an attribute.
    pub(crate) fn with(mut self, attribute: u16, value: &[u8]) -> Request {
        self.0.extend((4 + value.len() as u16).to_ne_bytes());
        self.0.extend(attribute.to_ne_bytes());
        self.0.extend(value);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self
    }

    pub(crate) fn bytes(mut self) -> Vec<u8> {
        let length = self.0.len() as u32;
        self.0[..4].copy_from_slice(&length.to_ne_bytes());
        self.0
    }
}

/// A message of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer<'a> {
    pub(crate) kind: u16,
    pub(crate) number: u32,
    body: &'a [u8],
}

impl<'a> Answer<'a> {
    /// The first message of some, and the others. `None` if it is cut off.
    pub(crate) fn first(bytes: &'a [u8]) -> Option<(Answer<'a>, &'a [u8])> {
        let length = word(bytes, 0)? as usize;
        let body = bytes.get(HEADER..length)?;
        let rest = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((Answer { kind: half(bytes, 4)?, number: word(bytes, 8)?, body }, rest))
    }

    /// The error that an answer of the kind `NLMSG_ERROR` tells, if it is no confirmation.
    pub(crate) fn error(&self) -> Option<std::io::Error> {
        let code = word(self.body, 0)? as i32;
        (code != 0).then(|| std::io::Error::from_raw_os_error(code.saturating_neg()))
    }

    /// The length of the address's prefix, and the number of its interface.
    pub(crate) fn place(&self) -> Option<(u8, u32)> {
        Some((*self.body.get(1)?, word(self.body, 4)?))
    }

    /// The attributes with their numbers, up to one that is cut off.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (u16, &'a [u8])> {
        let mut rest = self.body.get(ABOUT..).unwrap_or_default();
        std::iter::from_fn(move || {
            let length = usize::from(half(rest, 0)?);
            let found = (half(rest, 2)?, rest.get(4..length)?);
            rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
            Some(found)
        })
    }
}

/// The numbers of two and of four bytes at a place.
fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(crate) fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The bytes that the crate `netlink-packet-route` 0.33 writes for the same requests.
    #[cfg(target_endian = "little")]
    #[test]
    fn requests_are_those_of_another_program() {
        let get = Request::new(libc::RTM_GETADDR, 0x301, 5).bytes();
        assert_eq!(hex(&get), "180000001600010305000000000000000000000000000000");
        let ip = "192.0.2.10".parse().unwrap();
        let delete = Request::new(libc::RTM_DELADDR, 5, 5).about(ip, 24, 7).bytes();
        let expected = "28000000150005000500000000000000021800000700000008000200c000020a08000100c000020a";
        assert_eq!(hex(&delete), expected);
        let ip = "2001:db8::10".parse().unwrap();
        let delete = Request::new(libc::RTM_DELADDR, 5, 5).about(ip, 128, 7).bytes();
        let address = "20010db8000000000000000000000010";
        let expected = "400000001500050005000000000000000a8000000700000014000200";
        assert_eq!(hex(&delete), format!("{expected}{address}14000100{address}"));
        let odd = Request::new(libc::RTM_NEWADDR, 5, 5).with(11, &[114]).bytes();
        assert!(hex(&odd).ends_with("05000b0072000000"));
    }

    #[test]
    fn answers_are_read_like_requests_and_never_beyond_their_end() {
        let ip = "192.0.2.10".parse().unwrap();
        let one = Request::new(libc::RTM_NEWADDR, 0, 9).about(ip, 24, 7).with(11, &[114]).bytes();
        let two = [one.clone(), one.clone()].concat();
        let (first, rest) = Answer::first(&two).unwrap();
        assert_eq!((first.kind, first.number, first.place()), (libc::RTM_NEWADDR, 9, Some((24, 7))));
        let octets: &[u8] = &[192, 0, 2, 10];
        let attributes = [(libc::IFA_LOCAL, octets), (libc::IFA_ADDRESS, octets), (11, &[114])];
        assert_eq!(first.attributes().collect::<Vec<_>>(), attributes);
        assert_eq!(Answer::first(rest), Some((first, &[][..])));
        for end in 0..one.len() - 3 {
            assert_eq!(Answer::first(&one[..end]), None, "{end} bytes");
        }
        // Any byte may be any other one.
        for (at, value) in (0..one.len()).flat_map(|at| (0..=255).map(move |value| (at, value))) {
            let mut other = one.clone();
            other[at] = value;
            if let Some((answer, rest)) = Answer::first(&other) {
                assert!(answer.attributes().count() <= 3 && rest.len() < other.len());
            }
        }
    }
}
