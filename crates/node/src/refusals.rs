//! Closed ports of peers, as their hosts report them to the kernel.
//!
//! Any host on the path can forge such a report. It is a reason to ask the peer, never to give up a leader.

use std::net::{SocketAddr, UdpSocket};

/// The reports that are read at a time: a flood of them must not stop the loop.
#[cfg(target_os = "linux")]
const MOST: usize = 64;

/// Asks the kernel for the reports.
#[cfg(target_os = "linux")]
pub(crate) fn listen(socket: &UdpSocket) {
    use nix::sys::socket::{setsockopt, sockopt};
    let v4 = socket.local_addr().is_ok_and(|address| address.is_ipv4());
    // Without them a crash is noticed later; nothing else changes.
    let _ = if v4 {
        setsockopt(socket, sockopt::Ipv4RecvErr, &true)
    } else {
        setsockopt(socket, sockopt::Ipv6RecvErr, &true)
    };
}

/// The addresses at which datagrams of this socket met a closed port since the last call. Other reports are dropped.
#[cfg(target_os = "linux")]
pub(crate) fn take(socket: &UdpSocket) -> Vec<SocketAddr> {
    use nix::errno::Errno;
    use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg};
    use std::os::fd::AsRawFd;
    let mut refused = vec![];
    for _ in 0..MOST {
        let mut control = nix::cmsg_space!([u8; 256]);
        let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
        let Ok(message) = recvmsg::<SockaddrStorage>(socket.as_raw_fd(), &mut [], Some(&mut control), flags) else {
            break;
        };
        let closed = |code: u32| code == Errno::ECONNREFUSED as u32;
        let is_refusal = message.cmsgs().is_ok_and(|mut all| {
            all.any(|one| match one {
                ControlMessageOwned::Ipv4RecvErr(error, _) => closed(error.ee_errno),
                ControlMessageOwned::Ipv6RecvErr(error, _) => closed(error.ee_errno),
                _ => false,
            })
        });
        refused.extend(message.address.filter(|_| is_refusal).and_then(|to| address(&to)));
    }
    refused
}

#[cfg(target_os = "linux")]
fn address(storage: &nix::sys::socket::SockaddrStorage) -> Option<SocketAddr> {
    let v4 = storage.as_sockaddr_in().map(|v4| SocketAddr::from((v4.ip(), v4.port())));
    v4.or_else(|| storage.as_sockaddr_in6().map(|v6| SocketAddr::from((v6.ip(), v6.port()))))
}

/// Whether an error is about an earlier datagram, not about the present call.
#[cfg(target_os = "linux")]
pub(crate) fn is_of_another(error: &std::io::Error) -> bool {
    use nix::errno::Errno;
    // All errors that the kernel derives from reports of other hosts. EPERM, from a packet filter of this host, is not among them.
    const REPORTED: [Errno; 9] = [
        Errno::ECONNREFUSED,
        Errno::EHOSTUNREACH,
        Errno::ENETUNREACH,
        Errno::EHOSTDOWN,
        Errno::ENONET,
        Errno::ENOPROTOOPT,
        Errno::EOPNOTSUPP,
        Errno::EMSGSIZE,
        Errno::EPROTO,
    ];
    error.raw_os_error().is_some_and(|code| REPORTED.contains(&Errno::from_raw(code)))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn is_of_another(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::ConnectionRefused
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn listen(_: &UdpSocket) {}

#[cfg(not(target_os = "linux"))]
pub(crate) fn take(_: &UdpSocket) -> Vec<SocketAddr> {
    vec![]
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn a_closed_port_is_reported_and_an_open_one_is_not() {
        for host in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(socket) = UdpSocket::bind(host) else { continue };
            let open = UdpSocket::bind(host).unwrap();
            let closed = UdpSocket::bind(host).unwrap().local_addr().unwrap();
            listen(&socket);
            assert_eq!(take(&socket), []);
            socket.send_to(b"a", open.local_addr().unwrap()).unwrap();
            socket.send_to(b"b", closed).unwrap();
            let begun = Instant::now();
            let mut told = vec![];
            while told.is_empty() && begun.elapsed() < Duration::from_secs(20) {
                told = take(&socket);
            }
            assert_eq!(told, [closed]);
        }
    }
}
