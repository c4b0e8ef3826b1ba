//! One HTTP request with a deadline and a limit on the answer, to the pages or the control socket of a node.

use crate::transport::Stream;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// The longest answer, in bytes.
const LONGEST: usize = 1 << 20;

/// The server of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Server {
    /// The pages of a node.
    Address(SocketAddr),
    /// The control socket of a node on this host.
    #[cfg(unix)]
    Socket(std::path::PathBuf),
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status code, such as 200.
    pub status: u16,
    /// The text after the head.
    pub body: String,
}

/// Sends a request without a body, and reads the answer, both within `patience`.
///
/// ```
/// use ringleader_node::http_client::{Server, request};
/// use std::time::Duration;
///
/// // Nothing answers on the port of another protocol.
/// let closed = Server::Address("127.0.0.1:9".parse().unwrap());
/// assert!(request(&closed, "GET", "/status", Duration::from_secs(1)).is_err());
/// ```
pub fn request(server: &Server, method: &str, path: &str, patience: Duration) -> io::Result<Answer> {
    let end = Instant::now() + patience;
    let left = || match end.saturating_duration_since(Instant::now()) {
        Duration::ZERO => Err(io::Error::new(io::ErrorKind::TimedOut, format!("no answer within {patience:?}"))),
        left => Ok(left),
    };
    let (mut stream, host) = match server {
        // An address is a name that every node accepts.
        Server::Address(address) => {
            let stream = TcpStream::connect_timeout(address, left()?).map_err(|error| match error.kind() {
                io::ErrorKind::ConnectionRefused => {
                    let reason =
                        format!("no program listens on {address}: start the daemon there, or compare its setting http");
                    io::Error::new(error.kind(), reason)
                }
                _ => error,
            })?;
            (Stream::Tcp(stream), address.to_string())
        }
        #[cfg(unix)]
        Server::Socket(path) => (Stream::Unix(crate::local_socket::connect(path, left()?)?), "localhost".into()),
    };
    stream.set_write_timeout(left()?)?;
    stream.write_all(format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes())?;
    let (mut bytes, mut piece) = (vec![], [0; 4096]);
    loop {
        if let Some(answer) = parse(&bytes, false)? {
            return Ok(answer);
        }
        stream.set_read_timeout(left()?)?;
        match stream.read(&mut piece) {
            Ok(0) => return parse(&bytes, true)?.ok_or_else(|| wrong("the answer was cut off")),
            Ok(length) => bytes.extend_from_slice(&piece[..length]),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => drop(left()?),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if bytes.len() > LONGEST {
            return Err(wrong("the answer is too long"));
        }
    }
}

fn wrong(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

/// The answer in these bytes, once it is complete; without a stated length it ends with the connection.
fn parse(bytes: &[u8], ended: bool) -> io::Result<Option<Answer>> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut head = httparse::Response::new(&mut headers);
    let length = match head.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(wrong("the answer is not HTTP: is this the address of the pages of a node?")),
    };
    let stated = head.headers.iter().find(|header| header.name.eq_ignore_ascii_case("Content-Length"));
    let stated = stated.map(|header| std::str::from_utf8(header.value).ok().and_then(|text| text.trim().parse().ok()));
    let body = match stated {
        Some(None) => return Err(wrong("the length of the answer is not a number")),
        Some(Some(size)) => match bytes.get(length..).and_then(|rest| rest.get(..size)) {
            Some(body) => body,
            None => return Ok(None),
        },
        None if ended => &bytes[length..],
        None => return Ok(None),
    };
    let body = String::from_utf8(body.to_vec()).map_err(|_| wrong("the answer is not text"))?;
    Ok(Some(Answer { status: head.code.unwrap_or_default(), body }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// The outcome of a request to a server that sends these pieces, with a pause before each, and then hangs up or waits.
    fn served(pieces: Vec<Vec<u8>>, pause: Duration, hangs_up: bool, patience: Duration) -> Result<Answer, String> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Server::Address(listener.local_addr().unwrap());
        let thread = std::thread::spawn(move || {
            let mut stream = listener.accept().unwrap().0;
            // A connection that is closed with unread bytes is reset.
            assert!(stream.read(&mut [0; 1024]).unwrap() > 0);
            for piece in pieces {
                std::thread::sleep(pause);
                if stream.write_all(&piece).is_err() {
                    break;
                }
            }
            (!hangs_up).then_some(stream)
        });
        let outcome = request(&server, "GET", "/status", patience).map_err(|error| error.to_string());
        drop(thread.join());
        outcome
    }

    #[test]
    fn an_answer_is_read_to_its_stated_length_or_to_the_end() {
        let (now, long) = (Duration::ZERO, Duration::from_secs(20));
        let stated = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 3\r\n\r\nabcrest".to_vec();
        let expected = Answer { status: 503, body: "abc".into() };
        assert_eq!(served(stated.chunks(5).map(<[u8]>::to_vec).collect(), now, false, long), Ok(expected));
        let unstated = vec![b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), b"{}".to_vec()];
        assert_eq!(served(unstated, now, true, long), Ok(Answer { status: 200, body: "{}".into() }));
    }

    #[test]
    fn a_hostile_server_is_given_up() {
        let (now, long, short) = (Duration::ZERO, Duration::from_secs(20), Duration::from_millis(300));
        let fails = |pieces: &[&[u8]], hangs_up, patience| {
            served(pieces.iter().map(|piece| piece.to_vec()).collect(), now, hangs_up, patience).unwrap_err()
        };
        assert!(fails(&[b"\x15\x03\x01\x00\x02\x02"], true, long).contains("not HTTP"));
        assert!(fails(&[b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"], true, long).contains("cut off"));
        assert!(fails(&[b"HTTP/1.1 200 OK\r\nContent-Length: -9\r\n\r\nx"], true, long).contains("not a number"));
        assert!(fails(&[b"HTTP/1.1 200 OK\r\n\r\n\xff\xfe"], true, long).contains("not text"));
        assert!(fails(&[], true, long).contains("cut off"));
        assert!(fails(&[], false, short).contains("no answer within 300ms"));
        let endless = vec![[b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), &[b'x'; 100_000]].concat(); 20];
        assert!(served(endless, now, false, long).unwrap_err().contains("too long"));
        // One byte at a time keeps each read short, and the request still ends.
        let begun = Instant::now();
        let drips = vec![b"H".to_vec(), b"T".to_vec(), b"T".to_vec(), b"P".to_vec(), b"/".to_vec(), b"1".to_vec()];
        assert!(served(drips, Duration::from_millis(100), false, short).unwrap_err().contains("no answer within"));
        assert!(begun.elapsed() < long);
    }
}
