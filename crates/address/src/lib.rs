//! Virtual addresses that only the leader of a cluster holds, on Linux.
//!
//! Each address has a lifetime in the kernel, so that it disappears with a daemon that is killed or stopped. [`VirtualAddresses`] implements
//! [`ringleader_node::Addresses`], which [`ringleader_node::keep_addresses`] calls.
//!
//! ```
//! use ringleader_address::Address;
//!
//! let address = Address::new("192.0.2.10", "eth0")?;
//! assert_eq!(address.to_string(), "192.0.2.10/32 on eth0");
//! assert!(Address::new("127.0.0.1", "eth0").is_err());
//! # Ok::<(), ringleader_address::AddressError>(())
//! ```
#![cfg(target_os = "linux")]

mod frame;
mod held;
mod lifetime;
mod link;
mod message;
mod netlink;
pub mod rights;

pub use held::{VirtualAddresses, examine};

use std::fmt;
use std::net::IpAddr;

/// The longest name of an interface.
const LONGEST_NAME: usize = 15;

/// A virtual address and its interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The address.
    pub ip: IpAddr,
    /// The length of its prefix.
    pub prefix: u8,
    /// The name of its interface.
    pub interface: String,
}

/// The reason why an address is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is not an address.
    #[error("{0:?} is not an address: give one such as 192.0.2.10, 192.0.2.10/24 or 2001:db8::10")]
    NoAddress(String),
    /// The length of the prefix is too great.
    #[error("{0} has a prefix of {1} bits: give at most {2}")]
    Prefix(IpAddr, u8, u8),
    /// It cannot move from host to host.
    #[error("{0} is {1}: give an address that clients reach from other hosts")]
    Unsuitable(IpAddr, &'static str),
    /// The name of an interface is not valid.
    #[error("{0:?} is not the name of an interface: `ip link` lists the names")]
    Interface(String),
}

impl Address {
    /// An address such as `192.0.2.10` or `2001:db8::10/64`, and the name of an interface. Without a length the prefix is the whole address.
    pub fn new(address: &str, interface: &str) -> Result<Address, AddressError> {
        let wrong = || AddressError::NoAddress(address.into());
        let (ip, prefix) = match address.split_once('/') {
            Some((ip, prefix)) => (ip, Some(prefix.parse().map_err(|_| wrong())?)),
            None => (address, None),
        };
        let ip: IpAddr = ip.parse().map_err(|_| wrong())?;
        let whole = if ip.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.unwrap_or(whole);
        if prefix > whole {
            return Err(AddressError::Prefix(ip, prefix, whole));
        }
        let kind = match ip {
            _ if ip.is_unspecified() => Some("the unspecified address"),
            _ if ip.is_loopback() => Some("a loopback address"),
            _ if ip.is_multicast() => Some("a multicast address"),
            IpAddr::V4(ip) if ip.is_broadcast() => Some("the broadcast address"),
            IpAddr::V6(ip) if ip.to_ipv4_mapped().is_some() => Some("an IPv4 address in the form of IPv6"),
            _ => None,
        };
        if let Some(kind) = kind {
            return Err(AddressError::Unsuitable(ip, kind));
        }
        let named = |letter: u8| letter.is_ascii_graphic() && !b"/\"\\".contains(&letter);
        if interface.is_empty() || interface.len() > LONGEST_NAME || !interface.bytes().all(named) {
            return Err(AddressError::Interface(interface.into()));
        }
        Ok(Address { ip, prefix, interface: interface.into() })
    }
}

// By hand: the words between the fields.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} on {}", self.ip, self.prefix, self.interface)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_unsuitable_ones_refused() {
        let read = |text: &str| Address::new(text, "eth0").map(|address| address.to_string());
        assert_eq!(read("192.0.2.10").unwrap(), "192.0.2.10/32 on eth0");
        assert_eq!(read("192.0.2.10/24").unwrap(), "192.0.2.10/24 on eth0");
        assert_eq!(read("2001:db8::10").unwrap(), "2001:db8::10/128 on eth0");
        for wrong in ["", "eth0", "192.0.2.10/", "192.0.2.10/x", "192.0.2/24", "192.0.2.10:80"] {
            assert_eq!(read(wrong), Err(AddressError::NoAddress(wrong.into())));
        }
        assert!(matches!(read("192.0.2.10/33"), Err(AddressError::Prefix(_, 33, 32))));
        assert!(matches!(read("2001:db8::/129"), Err(AddressError::Prefix(_, 129, 128))));
        for wrong in
            ["0.0.0.0", "::", "127.0.0.1", "::1", "224.0.0.1", "ff02::1", "255.255.255.255", "::ffff:192.0.2.1"]
        {
            assert!(matches!(read(wrong), Err(AddressError::Unsuitable(..))), "{wrong}");
        }
        for wrong in ["", "a name", "a/b", "0123456789abcdef", "ö"] {
            assert_eq!(Address::new("192.0.2.1", wrong), Err(AddressError::Interface(wrong.into())));
        }
    }
}
