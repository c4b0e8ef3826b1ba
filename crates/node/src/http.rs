//! A few read-only pages over HTTP/1.1, for load balancers, probes and Prometheus.
//!
//! No more than it takes: one request per connection, GET and HEAD only, a bound on everything a stranger can send or
//! keep open.

use crate::metrics::{leadership_json, prometheus};
use crate::observer::Observer;
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The longest request head.
const MAX_HEAD: usize = 4096;
/// The most connections at once. One more ends the one that has been asking for longest: who is slow makes room.
const MAX_CONNECTIONS: usize = 32;
/// How long a connection may take.
const DEADLINE: Duration = Duration::from_secs(2);
/// How long, after a refusal, the rest of a request is read, so that the refusal is not lost with the connection.
const FAREWELL: Duration = Duration::from_millis(200);

/// A status line, a content type and a body.
struct Response {
    status: &'static str,
    content: &'static str,
    body: String,
}

impl Response {
    fn text(status: &'static str, body: impl Into<String>) -> Response {
        Response { status, content: "text/plain; charset=utf-8", body: body.into() }
    }
}

/// A running server; dropping it ends it.
#[derive(Debug)]
pub struct HttpServer {
    address: SocketAddr,
    ending: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl HttpServer {
    /// Serves what the observer sees.
    pub fn start(listen: SocketAddr, observer: Observer) -> std::io::Result<HttpServer> {
        let listener = TcpListener::bind(listen)?;
        let address = listener.local_addr()?;
        let ending = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&ending);
        let thread =
            std::thread::Builder::new().name("http".into()).spawn(move || accept(&listener, &observer, &flag))?;
        Ok(HttpServer { address, ending, thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.ending.store(true, Ordering::Relaxed);
        // A connection of our own wakes the thread from accepting.
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(if address.is_ipv4() {
                [127, 0, 0, 1].into()
            } else {
                std::net::Ipv6Addr::LOCALHOST.into()
            });
        }
        if TcpStream::connect_timeout(&address, DEADLINE).is_ok() {
            let _ = self.thread.take().map(JoinHandle::join);
        }
    }
}

/// The connections that are open, oldest first.
#[derive(Debug, Default)]
struct Open {
    streams: Mutex<VecDeque<(u64, TcpStream)>>,
}

impl Open {
    fn lock(&self) -> MutexGuard<'_, VecDeque<(u64, TcpStream)>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one, and ends the oldest if there are too many.
    fn add(&self, number: u64, stream: &TcpStream) -> std::io::Result<()> {
        let copy = stream.try_clone()?;
        let mut streams = self.lock();
        streams.push_back((number, copy));
        if streams.len() > MAX_CONNECTIONS
            && let Some((_, oldest)) = streams.pop_front()
        {
            // Its thread notices that nothing more will come.
            let _ = oldest.shutdown(Shutdown::Both);
        }
        Ok(())
    }

    fn remove(&self, number: u64) {
        self.lock().retain(|(other, _)| *other != number);
    }
}

fn accept(listener: &TcpListener, observer: &Observer, ending: &AtomicBool) {
    let open = Arc::new(Open::default());
    let mut number = 0;
    while let connection = listener.accept()
        && !ending.load(Ordering::Relaxed)
    {
        let Ok((stream, _)) = connection else {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        number += 1;
        if open.add(number, &stream).is_err() {
            continue;
        }
        let (observer, all) = (observer.clone(), Arc::clone(&open));
        let serve = move || {
            // Whoever hung up does not wait for an answer.
            let _ = converse(stream, &observer);
            all.remove(number);
        };
        if std::thread::Builder::new().name("http-request".into()).stack_size(256 * 1024).spawn(serve).is_err() {
            open.remove(number);
        }
    }
}

fn converse(mut stream: TcpStream, observer: &Observer) -> std::io::Result<()> {
    let end = Instant::now() + DEADLINE;
    stream.set_write_timeout(Some(DEADLINE))?;
    let mut head = vec![];
    let mut chunk = [0; 1024];
    let whole = |head: &[u8]| head.windows(4).any(|four| four == b"\r\n\r\n");
    while !whole(&head) && head.len() <= MAX_HEAD {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut chunk)? {
            0 => return Ok(()),
            length => head.extend_from_slice(&chunk[..length]),
        }
    }
    let (response, with_body) = answer(&head, observer);
    let Response { status, content, body } = response;
    let length = body.len();
    let head_only = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content}\r\nContent-Length: {length}\r\nCache-Control: no-store\r\nConnection: \
         close\r\n\r\n"
    );
    stream.write_all(head_only.as_bytes())?;
    stream.write_all(if with_body { body.as_bytes() } else { b"" })?;
    stream.flush()?;
    if !whole(&head) {
        stream.shutdown(Shutdown::Write)?;
        let end = Instant::now() + FAREWELL;
        stream.set_read_timeout(Some(FAREWELL))?;
        while Instant::now() < end && stream.read(&mut chunk)? > 0 {}
    }
    Ok(())
}

/// The response, and whether its body is wanted.
fn answer(head: &[u8], observer: &Observer) -> (Response, bool) {
    if !head.windows(4).any(|four| four == b"\r\n\r\n") {
        return (Response::text("431 Request Header Fields Too Large", "too long\n"), true);
    }
    let line = String::from_utf8_lossy(head.split(|&byte| byte == b'\r').next().unwrap_or_default()).into_owned();
    let mut words = line.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    match method {
        "GET" | "HEAD" if target.starts_with('/') => (page(target, observer), method == "GET"),
        "GET" | "HEAD" => (Response::text("400 Bad Request", "not a path\n"), true),
        _ => (Response::text("405 Method Not Allowed", "GET only\n"), true),
    }
}

fn page(target: &str, observer: &Observer) -> Response {
    let path = target.split('?').next().unwrap_or_default();
    match path {
        "/leader" => Response { status: "200 OK", content: "application/json", body: leadership_json(observer) },
        "/leader/self" if observer.leads() => Response::text("200 OK", "leader\n"),
        "/leader/self" => Response::text("503 Service Unavailable", "not the leader\n"),
        "/healthz" if observer.healthy() => Response::text("200 OK", "ok\n"),
        "/healthz" => Response::text("503 Service Unavailable", "the loop stands still\n"),
        "/metrics" => Response { status: "200 OK", content: "text/plain; version=0.0.4", body: prometheus(observer) },
        _ => Response::text("404 Not Found", "there are /leader, /leader/self, /healthz and /metrics\n"),
    }
}
