//! As much of HTTP as one page on this machine needs: a request, an answer, and the connection is closed.
//!
//! A connection that is silent, slow or long-winded ends by itself; while too many are open, new ones are closed at once.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A request must be here after this long.
const PATIENCE: Duration = Duration::from_secs(3);
/// An answer must be taken within this long.
const TAKING: Duration = Duration::from_secs(20);
/// So many connections at once.
const MOST_OPEN: usize = 256;
/// The longest head of a request.
const LONGEST_HEAD: usize = 16 << 10;
/// The longest body; a protocol has at most a quarter of it.
pub(crate) const LONGEST_BODY: usize = 1 << 20;

/// What somebody asks.
#[derive(Debug, Default)]
pub(crate) struct Request {
    pub method: String,
    /// Without what follows a question mark.
    pub path: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// A header, if it was sent once.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        found.next().filter(|_| found.next().is_none()).map(|(_, value)| value.as_str())
    }

    /// Whether a header was sent at all, or more often than once.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        self.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
    }
}

/// What they are told.
#[derive(Debug)]
pub(crate) struct Answer {
    pub status: u16,
    pub kind: &'static str,
    pub body: Vec<u8>,
}

/// A server that is at work until it is dropped.
pub(crate) struct Listening {
    stop: Arc<AtomicBool>,
    port: u16,
    thread: Option<JoinHandle<()>>,
}

/// Answers whoever connects. `head` is sent with every answer.
pub(crate) fn listen(
    listener: TcpListener,
    head: &'static str,
    answer: impl Fn(Request) -> Answer + Send + Sync + 'static,
) -> io::Result<Listening> {
    let port = listener.local_addr()?.port();
    let stop = Arc::new(AtomicBool::new(false));
    let (stopped, answer, open) = (stop.clone(), Arc::new(answer), Arc::new(AtomicUsize::new(0)));
    let thread = std::thread::spawn(move || {
        for stream in listener.incoming() {
            if stopped.load(SeqCst) {
                return;
            }
            let Ok(stream) = stream else { continue };
            if open.fetch_add(1, SeqCst) >= MOST_OPEN {
                open.fetch_sub(1, SeqCst);
                continue;
            }
            let (answer, counted) = (answer.clone(), Counted(open.clone()));
            // Without a thread the connection is closed.
            let _ = std::thread::Builder::new().spawn(move || {
                let _counted = counted;
                serve(stream, head, &*answer);
            });
        }
    });
    Ok(Listening { stop, port, thread: Some(thread) })
}

/// One of the open connections, until it is dropped.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

impl Listening {
    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.stop.store(true, SeqCst);
        // Somebody must connect for the listener to look up.
        if TcpStream::connect(("127.0.0.1", self.port)).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

fn serve(mut stream: TcpStream, head: &str, answer: &dyn Fn(Request) -> Answer) {
    let answer = match read(&mut stream) {
        Ok(request) => answer(request),
        Err(Wrong::Gone) => return,
        Err(Wrong::Said(status, words)) => {
            Answer { status, kind: "text/plain; charset=utf-8", body: words.as_bytes().to_vec() }
        }
    };
    let reason = match answer.status {
        200 => "OK",
        404 => "Not Found",
        _ => "Refused",
    };
    let begin = format!(
        "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n{head}\r\n",
        answer.status,
        answer.kind,
        answer.body.len()
    );
    let _ = stream.set_write_timeout(Some(TAKING));
    if stream.write_all(begin.as_bytes()).and_then(|()| stream.write_all(&answer.body)).is_ok() {
        let _ = stream.shutdown(Shutdown::Write);
        // What is still being sent is taken, so that the answer is not lost with the connection.
        let mut rest = [0; 4096];
        let end = Instant::now() + PATIENCE;
        let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
        while Instant::now() < end && matches!(stream.read(&mut rest), Ok(1..)) {}
    }
}

/// Why there is no request.
enum Wrong {
    Gone,
    Said(u16, &'static str),
}

impl From<io::Error> for Wrong {
    fn from(_: io::Error) -> Wrong {
        Wrong::Gone
    }
}

/// Reads some more, as long as there is time.
fn more(stream: &mut TcpStream, bytes: &mut Vec<u8>, end: Instant) -> Result<(), Wrong> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(Wrong::Gone);
    }
    stream.set_read_timeout(Some(left))?;
    let mut piece = [0; 16 << 10];
    match stream.read(&mut piece)? {
        0 => Err(Wrong::Gone),
        length => {
            bytes.extend_from_slice(&piece[..length]);
            Ok(())
        }
    }
}

fn read(stream: &mut TcpStream) -> Result<Request, Wrong> {
    let end = Instant::now() + PATIENCE;
    let mut bytes = vec![];
    let (mut request, head) = loop {
        if !bytes.is_empty()
            && let Some(found) = parsed(&bytes)?
        {
            break found;
        }
        if bytes.len() > LONGEST_HEAD {
            return Err(Wrong::Said(431, "The head of the request is too long."));
        }
        more(stream, &mut bytes, end)?;
    };
    if request.mentions("Transfer-Encoding") {
        return Err(Wrong::Said(411, "A request says how long it is."));
    }
    let length = match request.header("Content-Length") {
        None if request.mentions("Content-Length") => return Err(Wrong::Said(400, "The request has two lengths.")),
        None => 0,
        Some(length) => length.parse().map_err(|_| Wrong::Said(400, "The request's length is no number."))?,
    };
    if length > LONGEST_BODY {
        return Err(Wrong::Said(413, "The request is too long."));
    }
    while bytes.len() < head + length {
        more(stream, &mut bytes, end)?;
    }
    request.body = bytes[head..head + length].to_vec();
    Ok(request)
}

/// The head of a request and how long it is, once it is there.
fn parsed(bytes: &[u8]) -> Result<Option<(Request, usize)>, Wrong> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut head = httparse::Request::new(&mut headers);
    let length = match head.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(Wrong::Said(400, "This is no request of a browser.")),
    };
    let path = head.path.unwrap_or_default().split('?').next().unwrap_or_default().to_string();
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    let headers = head.headers.iter().map(|header| (header.name.to_string(), text(header.value))).collect();
    let method = head.method.unwrap_or_default().to_string();
    Ok(Some((Request { method, path, headers, body: vec![] }, length)))
}
