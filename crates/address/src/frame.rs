//! The frames that tell neighbours where an address is now.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The address of an Ethernet interface.
pub(crate) type Mac = [u8; 6];

const BROADCAST: Mac = [0xff; 6];
/// The Ethernet address of all nodes of IPv6.
const ALL_NODES_MAC: Mac = [0x33, 0x33, 0, 0, 0, 1];
const ALL_NODES: Ipv6Addr = Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, 1);
const ICMPV6: u8 = 58;

/// The frame that announces an address; `router` for IPv6: whether this host forwards packets.
pub(crate) fn announcement(mac: Mac, ip: IpAddr, router: bool) -> Vec<u8> {
    match ip {
        IpAddr::V4(ip) => arp(mac, ip),
        IpAddr::V6(ip) => advertisement(mac, ip, router),
    }
}

/// An ARP announcement of RFC 5227: a request in which sender and target are the same address.
fn arp(mac: Mac, ip: Ipv4Addr) -> Vec<u8> {
    let mut frame = ethernet(BROADCAST, mac, 0x0806);
    // Ethernet and IPv4, the lengths of their addresses, a request.
    frame.extend([0, 1, 8, 0, 6, 4, 0, 1]);
    frame.extend(mac);
    frame.extend(ip.octets());
    frame.extend([0; 6]);
    frame.extend(ip.octets());
    frame
}

/// An unsolicited neighbour advertisement of RFC 4861, section 7.2.6, to all nodes: with the flag that overrides caches.
fn advertisement(mac: Mac, ip: Ipv6Addr, router: bool) -> Vec<u8> {
    let mut message = vec![136, 0, 0, 0, 0x20 | if router { 0x80 } else { 0 }, 0, 0, 0];
    message.extend(ip.octets());
    // The target's address on the link, in units of eight bytes.
    message.extend([2, 1]);
    message.extend(mac);
    let sum = checksum(ip, ALL_NODES, &message);
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    let mut frame = ethernet(ALL_NODES_MAC, mac, 0x86dd);
    frame.extend([0x60, 0, 0, 0, 0, message.len() as u8, ICMPV6, 255]);
    frame.extend(ip.octets());
    frame.extend(ALL_NODES.octets());
    frame.extend(message);
    frame
}

fn ethernet(to: Mac, from: Mac, protocol: u16) -> Vec<u8> {
    [&to[..], &from, &protocol.to_be_bytes()].concat()
}

/// The checksum of an ICMPv6 message, over the pseudo-header too.
fn checksum(from: Ipv6Addr, to: Ipv6Addr, message: &[u8]) -> u16 {
    let pseudo = [&from.octets()[..], &to.octets(), &(message.len() as u32).to_be_bytes(), &[0, 0, 0, ICMPV6]].concat();
    let words = pseudo.chunks(2).chain(message.chunks(2));
    let sum: u32 = words.map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0))).sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    !((folded & 0xffff) + (folded >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAC: Mac = [2, 0, 0, 0, 0, 7];

    #[test]
    fn an_arp_announcement_names_the_address_twice() {
        let frame = announcement(MAC, "192.0.2.10".parse().unwrap(), false);
        let expected = "ffffffffffff020000000007080600010800060400010200000000 07c000020a000000000000c000020a";
        assert_eq!(hex(&frame), expected.replace(' ', ""));
    }

    #[test]
    fn an_advertisement_overrides_caches_and_has_a_valid_checksum() {
        let ip: Ipv6Addr = "2001:db8::10".parse().unwrap();
        for (router, flags) in [(false, 0x20), (true, 0xa0)] {
            let frame = announcement(MAC, ip.into(), router);
            assert_eq!((frame.len(), frame[20], frame[21], frame[54], frame[58]), (86, 58, 255, 136, flags));
            // The sum over a message with its checksum is 0.
            assert_eq!(checksum(ip, ALL_NODES, &frame[54..]), 0);
            assert_eq!((&frame[62..78], &frame[78..]), (&ip.octets()[..], &[2, 1, 2, 0, 0, 0, 0, 7][..]));
        }
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
