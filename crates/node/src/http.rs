//! A small HTTP/1.1 server: one request per connection, and a limit on everything that a client can send or keep open.
//!
//! The pages of a node and the lab are served by it.

use crate::transport::{Door, Listener, Stream};
use ringleader_model::lock;
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The limits of a server, and the headers of all its responses.
#[derive(Clone, Copy, Debug)]
pub struct ServerSettings {
    /// The longest request head, in bytes.
    pub head: usize,
    /// The longest request body, in bytes.
    pub body: usize,
    /// The most connections at once. One more closes the oldest: slow clients make room.
    pub connections: usize,
    /// The time that a client has to send its request.
    pub read_timeout: Duration,
    /// The time that a client has to take a piece of the response.
    pub write_timeout: Duration,
    /// The stack of a thread that answers a request, in bytes.
    pub stack: usize,
    /// Lines that are sent with every response, each ended by `\r\n`.
    pub headers: &'static str,
}

/// A request, read completely.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `GET`, `POST` and so on.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// The bytes after the head.
    pub body: Vec<u8>,
}

/// A response.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status code and its reason: `200 OK`.
    pub status: &'static str,
    /// The type of the body.
    pub content_type: &'static str,
    /// The bytes after the head; a response to `HEAD` leaves them out.
    pub body: Vec<u8>,
}

/// Headers that a request may have only once. Two of them would let the reader choose.
const SINGLE: [&str; 5] = ["Host", "Origin", "Sec-Fetch-Site", "Content-Type", "Content-Length"];
/// The time for which the rest of a refused request is read, so that closing the connection does not lose the response.
const DRAIN: Duration = Duration::from_secs(1);

impl Request {
    /// The value of a header; its name is compared without regard to case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

impl Response {
    /// A response of this type.
    pub fn new(status: &'static str, content_type: &'static str, body: impl Into<Vec<u8>>) -> Response {
        Response { status, content_type, body: body.into() }
    }

    /// A response of plain text.
    pub fn text(status: &'static str, body: impl Into<Vec<u8>>) -> Response {
        Response::new(status, "text/plain; charset=utf-8", body)
    }
}

/// A running server; dropping it ends it.
#[derive(Debug)]
pub struct HttpServer {
    address: SocketAddr,
    _acceptor: Acceptor,
}

impl HttpServer {
    /// Answers every request that comes to the listener.
    ///
    /// ```
    /// use ringleader_node::http::{HttpServer, Response, ServerSettings};
    /// use std::io::{Read, Write};
    /// use std::net::{TcpListener, TcpStream};
    /// use std::time::Duration;
    ///
    /// let second = Duration::from_secs(1);
    /// let settings = ServerSettings {
    ///     head: 4096, body: 0, connections: 8, read_timeout: second, write_timeout: second, stack: 1 << 18, headers: "",
    /// };
    /// let listener = TcpListener::bind("127.0.0.1:0")?;
    /// let server = HttpServer::start(listener, settings, |request| Response::text("200 OK", request.path.clone()))?;
    /// let mut client = TcpStream::connect(server.address())?;
    /// client.write_all(b"GET /status?verbose HTTP/1.1\r\n\r\n")?;
    /// let mut response = String::new();
    /// client.read_to_string(&mut response)?;
    /// assert!(response.starts_with("HTTP/1.1 200 OK\r\n") && response.ends_with("\r\n\r\n/status"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn start(
        listener: TcpListener,
        settings: ServerSettings,
        answer: impl Fn(&Request) -> Response + Send + Sync + 'static,
    ) -> std::io::Result<HttpServer> {
        let address = listener.local_addr()?;
        let _acceptor = Acceptor::start(Listener::Tcp(listener), Door::Tcp(address), settings, answer)?;
        Ok(HttpServer { address, _acceptor })
    }

    /// The address on which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// The thread that accepts connections; dropping it ends it.
#[derive(Debug)]
pub(crate) struct Acceptor {
    door: Door,
    ending: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Acceptor {
    /// Answers every request that comes to the listener, which listens at `door`.
    pub(crate) fn start(
        listener: Listener,
        door: Door,
        settings: ServerSettings,
        answer: impl Fn(&Request) -> Response + Send + Sync + 'static,
    ) -> std::io::Result<Acceptor> {
        let ending = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&ending);
        let accept = move || accept(&listener, settings, &Arc::new(answer), &flag);
        let thread = std::thread::Builder::new().name("http".into()).spawn(accept)?;
        Ok(Acceptor { door, ending, thread: Some(thread) })
    }
}

impl Drop for Acceptor {
    fn drop(&mut self) {
        self.ending.store(true, Ordering::Relaxed);
        // A connection of our own wakes the thread from accepting.
        if self.door.knock() {
            let _ = self.thread.take().map(JoinHandle::join);
        }
    }
}

/// The open connections, oldest first.
type Open = Mutex<VecDeque<(u64, Stream)>>;

/// One of the open connections; dropping it removes it from them.
struct Connection {
    number: u64,
    open: Arc<Open>,
}

impl Connection {
    /// Adds a connection, and closes the oldest if there are too many.
    fn open(number: u64, stream: &Stream, most: usize, open: &Arc<Open>) -> std::io::Result<Connection> {
        let copy = stream.try_clone()?;
        let mut streams = lock(open);
        streams.push_back((number, copy));
        if streams.len() > most
            && let Some((_, oldest)) = streams.pop_front()
        {
            // The thread of that connection reads the end of its stream.
            let _ = oldest.shutdown(Shutdown::Both);
        }
        Ok(Connection { number, open: Arc::clone(open) })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        lock(&self.open).retain(|(number, _)| *number != self.number);
    }
}

fn accept<A>(listener: &Listener, settings: ServerSettings, answer: &Arc<A>, ending: &AtomicBool)
where
    A: Fn(&Request) -> Response + Send + Sync + 'static,
{
    let open = Arc::new(Open::default());
    let mut number = 0;
    while let connection = listener.accept()
        && !ending.load(Ordering::Relaxed)
    {
        let Ok(stream) = connection else {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        number += 1;
        let Ok(connection) = Connection::open(number, &stream, settings.connections, &open) else { continue };
        let answer = Arc::clone(answer);
        let serve = move || {
            let _connection = connection;
            // A client that hung up does not wait for a response.
            let _ = serve(stream, &settings, &*answer);
        };
        // Without a thread the connection is closed.
        let _ = std::thread::Builder::new().name("http-request".into()).stack_size(settings.stack).spawn(serve);
    }
}

fn serve(mut stream: Stream, settings: &ServerSettings, answer: &dyn Fn(&Request) -> Response) -> std::io::Result<()> {
    let read = read(&mut stream, settings);
    let (response, with_body) = match &read {
        // An order that waited in the queue of a stopped daemon is not carried out for a client that has given up.
        Ok(_) if stream.is_abandoned() => return Ok(()),
        Ok(request) => (answer(request), request.method != "HEAD"),
        Err(Unreadable::Gone) => return Ok(()),
        Err(Unreadable::Refused(status, reason)) => (Response::text(status, *reason), true),
    };
    let Response { status, content_type, body } = response;
    let (length, headers) = (body.len(), settings.headers);
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n{headers}Connection: close\r\n\r\n"
    );
    stream.set_write_timeout(settings.write_timeout)?;
    stream.write_all(head.as_bytes())?;
    stream.write_all(if with_body { &body } else { b"" })?;
    if read.is_err() {
        stream.shutdown(Shutdown::Write)?;
        let (end, mut rest) = (Instant::now() + DRAIN, [0; 4096]);
        stream.set_read_timeout(Duration::from_millis(200))?;
        while Instant::now() < end && stream.read(&mut rest)? > 0 {}
    }
    Ok(())
}

/// Why there is no request.
enum Unreadable {
    /// The client hung up or ran out of time.
    Gone,
    /// The status and the reason.
    Refused(&'static str, &'static str),
}

impl From<std::io::Error> for Unreadable {
    fn from(_: std::io::Error) -> Unreadable {
        Unreadable::Gone
    }
}

fn read(stream: &mut Stream, settings: &ServerSettings) -> Result<Request, Unreadable> {
    let end = Instant::now() + settings.read_timeout;
    let (mut bytes, mut piece) = (vec![], [0; 4096]);
    let mut more = |bytes: &mut Vec<u8>| {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Unreadable::Gone);
        }
        stream.set_read_timeout(left)?;
        match stream.read(&mut piece)? {
            0 => Err(Unreadable::Gone),
            length => {
                bytes.extend_from_slice(&piece[..length]);
                Ok(())
            }
        }
    };
    let (mut request, head) = loop {
        more(&mut bytes)?;
        match parse(&bytes)? {
            Some(parsed) => break parsed,
            None if bytes.len() > settings.head => {
                return Err(Unreadable::Refused(
                    "431 Request Header Fields Too Large",
                    "the request head is too long\n",
                ));
            }
            None => {}
        }
    };
    let length = match request.header("Content-Length").map(str::parse) {
        _ if request.header("Transfer-Encoding").is_some() => {
            return Err(Unreadable::Refused("411 Length Required", "a request states its length\n"));
        }
        None => 0,
        Some(Ok(length)) if length <= settings.body => length,
        Some(Ok(_)) => return Err(Unreadable::Refused("413 Content Too Large", "the request body is too long\n")),
        Some(Err(_)) => return Err(Unreadable::Refused("400 Bad Request", "the length is not a number\n")),
    };
    while bytes.len() < head + length {
        more(&mut bytes)?;
    }
    request.body = bytes[head..head + length].to_vec();
    Ok(request)
}

/// The head of a request and its length, once it is complete.
fn parse(bytes: &[u8]) -> Result<Option<(Request, usize)>, Unreadable> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut head = httparse::Request::new(&mut headers);
    let length = match head.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(Unreadable::Refused("400 Bad Request", "this is not an HTTP/1.1 request\n")),
    };
    let sent = |name: &str| head.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name)).count();
    if SINGLE.iter().any(|name| sent(name) > 1) {
        return Err(Unreadable::Refused("400 Bad Request", "a header is repeated\n"));
    }
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    let headers = head.headers.iter().map(|header| (header.name.to_string(), text(header.value))).collect();
    let path = head.path.unwrap_or_default().split('?').next().unwrap_or_default().to_string();
    Ok(Some((Request { method: head.method.unwrap_or_default().to_string(), path, headers, body: vec![] }, length)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpStream;

    /// What a server with tight limits responds to these bytes.
    fn respond(request: &[u8]) -> String {
        let second = Duration::from_secs(1);
        let (read_timeout, write_timeout) = (Duration::from_millis(200), second);
        let settings = ServerSettings {
            head: 200,
            body: 10,
            connections: 4,
            read_timeout,
            write_timeout,
            stack: 1 << 18,
            headers: "",
        };
        let echo =
            |request: &Request| Response::text("200 OK", [request.path.as_bytes(), b" ", &request.body].concat());
        let server = HttpServer::start(TcpListener::bind("127.0.0.1:0").unwrap(), settings, echo).unwrap();
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.write_all(request).unwrap();
        let mut response = String::new();
        let _ = stream.read_to_string(&mut response);
        response
    }

    #[test]
    fn a_body_is_read_and_a_query_is_not_part_of_the_path() {
        let response = respond(b"POST /a?b=/c HTTP/1.1\r\nContent-Length: 3\r\n\r\nxyzrest");
        assert!(response.starts_with("HTTP/1.1 200 OK\r\n") && response.ends_with("\r\n\r\n/a xyz"), "{response}");
        assert!(respond(b"HEAD /a HTTP/1.0\r\n\r\n").ends_with("\r\n\r\n"));
    }

    #[test]
    fn malformed_and_oversized_requests_are_refused() {
        let long = format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(300));
        let refused: [(&[u8], &str); 9] = [
            (b"\x16\x03\x01\x02\x00\x01", "400"),
            (b"GET / HTTP/9\r\n\r\n", "400"),
            (b"POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n", "413"),
            (b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n", "400"),
            (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "400"),
            (b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "400"),
            (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"),
            (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "411"),
            (long.as_bytes(), "431"),
        ];
        for (request, status) in refused {
            let response = respond(request);
            let shown = String::from_utf8_lossy(request);
            assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{shown}: {response}");
        }
    }

    #[test]
    fn a_request_that_never_ends_is_given_up() {
        assert_eq!(respond(b"GET / HTTP/1.1\r\nHost"), "");
        assert_eq!(respond(b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nx"), "");
    }
}
