//! Streams over TCP and over Unix sockets, for one server.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
#[cfg(unix)]
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;

/// The place at which a server listens.
#[derive(Clone, Debug)]
pub(crate) enum Door {
    Tcp(SocketAddr),
    #[cfg(unix)]
    Unix(std::path::PathBuf),
}

impl Door {
    /// Connects once, which wakes a thread from accepting. Returns whether that succeeded.
    pub(crate) fn knock(&self) -> bool {
        const PATIENCE: Duration = Duration::from_secs(2);
        match self {
            Door::Tcp(address) => {
                let mut address = *address;
                match address.ip() {
                    IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
                    IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
                    _ => {}
                }
                TcpStream::connect_timeout(&address, PATIENCE).is_ok()
            }
            #[cfg(unix)]
            Door::Unix(path) => crate::local_socket::connect(path, PATIENCE).is_ok(),
        }
    }
}

/// A listener of either kind.
#[derive(Debug)]
pub(crate) enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener),
}

impl Listener {
    pub(crate) fn accept(&self) -> io::Result<Stream> {
        match self {
            Listener::Tcp(listener) => Ok(Stream::Tcp(listener.accept()?.0)),
            #[cfg(unix)]
            Listener::Unix(listener) => Ok(Stream::Unix(listener.accept()?.0)),
        }
    }
}

/// A connection of either kind.
#[derive(Debug)]
pub(crate) enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

/// Calls the method of the stream inside.
macro_rules! either {
    ($stream:expr, $inner:ident => $call:expr) => {
        match $stream {
            Stream::Tcp($inner) => $call,
            #[cfg(unix)]
            Stream::Unix($inner) => $call,
        }
    };
}

impl Stream {
    pub(crate) fn try_clone(&self) -> io::Result<Stream> {
        match self {
            Stream::Tcp(stream) => stream.try_clone().map(Stream::Tcp),
            #[cfg(unix)]
            Stream::Unix(stream) => stream.try_clone().map(Stream::Unix),
        }
    }

    pub(crate) fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        either!(self, stream => stream.shutdown(how))
    }

    /// Whether the client of a Unix socket has closed the connection. One that has only ended its own half still waits for the response.
    pub(crate) fn is_abandoned(&self) -> bool {
        #[cfg(unix)]
        if let Stream::Unix(stream) = self {
            use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
            use std::os::fd::AsFd;
            let mut descriptors = [PollFd::new(stream.as_fd(), PollFlags::POLLIN)];
            let _ = poll(&mut descriptors, PollTimeout::ZERO);
            return descriptors[0].revents().is_some_and(|events| events.contains(PollFlags::POLLHUP));
        }
        false
    }

    pub(crate) fn set_read_timeout(&self, timeout: Duration) -> io::Result<()> {
        either!(self, stream => stream.set_read_timeout(Some(timeout)))
    }

    pub(crate) fn set_write_timeout(&self, timeout: Duration) -> io::Result<()> {
        either!(self, stream => stream.set_write_timeout(Some(timeout)))
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        either!(self, stream => stream.read(buffer))
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        either!(self, stream => stream.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        either!(self, stream => stream.flush())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_has_closed_its_socket_does_not_wait() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let stream = Stream::Unix(ours);
        theirs.write_all(b"POST /drain HTTP/1.1\r\n\r\n").unwrap();
        assert!(!stream.is_abandoned());
        theirs.shutdown(Shutdown::Write).unwrap();
        assert!(!stream.is_abandoned(), "it still reads");
        drop(theirs);
        assert!(stream.is_abandoned());
    }
}
