//! The connections between the processes of a search.
//!
//! Every process listens at its own address and calls the processes with lower numbers. The caller sends a digest of its work, the
//! callee answers whether its own work is the same, and the caller repeats the answer. Other callers are disconnected. A process also
//! probes those with higher numbers: if the lists differ, two processes may both be the first of their lists and wait for each other's
//! call.

use super::{Hosts, JoinError};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Connections to the other processes, by their numbers.
type Streams = Vec<Option<TcpStream>>;

/// The first bytes of a call.
const MAGIC: &[u8; 16] = b"ringleader hosts";
const HELLO: usize = 16 + 4 * 8;

/// The answers to a call.
const WELCOME: u8 = 1;
const OTHER_WORK: u8 = 2;

/// The longest duration of a call, and the pause before the next call.
const CALL: Duration = Duration::from_secs(2);
const AGAIN: Duration = Duration::from_millis(100);

/// The pause before the next process that has not called is probed.
const LOOK: Duration = Duration::from_secs(1);

/// The caller's description of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hello {
    digest: u64,
    processes: u64,
    process: u64,
    /// 0 for a connection that stays, 1 for a probe.
    purpose: u64,
}

const PROBE: u64 = 1;

impl Hello {
    fn bytes(self) -> Vec<u8> {
        let Hello { digest, processes, process, purpose } = self;
        let numbers = [digest, processes, process, purpose].map(u64::to_le_bytes);
        MAGIC.iter().chain(numbers.as_flattened()).copied().collect()
    }

    fn read(stream: &mut TcpStream) -> io::Result<Option<Hello>> {
        let mut bytes = [0; HELLO];
        stream.read_exact(&mut bytes)?;
        let number = |place: usize| bytes[16 + 8 * place..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let hello = Hello { digest: number(0), processes: number(1), process: number(2), purpose: number(3) };
        Ok((bytes.starts_with(MAGIC)).then_some(hello))
    }
}

/// Connects to all others.
pub(crate) fn connect(
    hosts: &Hosts,
    me: usize,
    digest: u64,
    patience: Duration,
    keep_going: &dyn Fn() -> bool,
) -> Result<Streams, JoinError> {
    let hello = Hello { digest, processes: hosts.len() as u64, process: me as u64, purpose: 0 };
    let until = Instant::now() + patience;
    let listener = listen(hosts.address(me), until, keep_going)?;
    let (taken, calls) = channel();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Calls are accepted while others are made, so that two waiting processes do not block each other.
        scope.spawn(|| take_calls(&listener, hello, &taken, &done));
        let met = gather(hosts, hello, &calls, until, keep_going);
        done.store(true, Ordering::SeqCst);
        met
    })
}

/// An accepted call: the caller and the connection.
type Call = (usize, TcpStream);

/// Calls the processes with lower numbers and waits for the calls of the others.
fn gather(
    hosts: &Hosts,
    hello: Hello,
    calls: &Receiver<Result<Call, JoinError>>,
    until: Instant,
    keep_going: &dyn Fn() -> bool,
) -> Result<Streams, JoinError> {
    let me = hello.process as usize;
    let mut met: Streams = (0..hosts.len()).map(|_| None).collect();
    let (mut look, mut looks) = (Instant::now() + LOOK, me + 1);
    loop {
        for (process, stream) in met.iter_mut().enumerate().take(me).filter(|(_, stream)| stream.is_none()) {
            *stream = call(hosts, process, hello)?;
        }
        for call in calls.try_iter() {
            let (process, stream) = call?;
            met[process] = Some(stream);
        }
        let missing = |process: &usize| *process != me && met[*process].is_none();
        let absent: Vec<usize> = (0..hosts.len()).filter(missing).collect();
        if absent.is_empty() {
            return Ok(met);
        }
        if Instant::now() > look {
            looks = absent.iter().copied().find(|&process| process >= looks).unwrap_or(me + 1);
            if looks < hosts.len() && absent.contains(&looks) {
                call(hosts, looks, Hello { purpose: PROBE, ..hello })?;
            }
            (look, looks) = (Instant::now() + LOOK, looks + 1);
        }
        if !keep_going() {
            return Err(JoinError::Interrupted);
        }
        if Instant::now() > until {
            let absent = absent.iter().map(|&p| format!("{p} ({})", hosts.address(p))).collect();
            return Err(JoinError::Absent { absent });
        }
        std::thread::sleep(AGAIN);
    }
}

/// Listens at the address of this process. Its name may become known only after a moment.
fn listen(address: &str, until: Instant, keep_going: &dyn Fn() -> bool) -> Result<TcpListener, JoinError> {
    while address.to_socket_addrs().is_err() && Instant::now() < until && keep_going() {
        std::thread::sleep(AGAIN);
    }
    let cannot = |error: io::Error| JoinError::Listen { address: address.into(), error };
    let listener = TcpListener::bind(address).map_err(cannot)?;
    listener.set_nonblocking(true).map_err(cannot)?;
    Ok(listener)
}

fn take_calls(listener: &TcpListener, mine: Hello, taken: &Sender<Result<Call, JoinError>>, done: &AtomicBool) {
    while !done.load(Ordering::SeqCst) {
        let Ok((stream, from)) = listener.accept() else {
            std::thread::sleep(AGAIN);
            continue;
        };
        if let Some(call) = take_call(stream, &from.to_string(), mine) {
            let _ = taken.send(call);
        }
    }
}

/// Answers a call; `None` if the caller is another program or has given up.
fn take_call(mut stream: TcpStream, from: &str, mine: Hello) -> Option<Result<Call, JoinError>> {
    prepared(&stream).ok()?;
    let theirs = Hello::read(&mut stream).ok()??;
    if (Hello { process: theirs.process, purpose: theirs.purpose, ..mine }) != theirs {
        let _ = stream.write_all(&[OTHER_WORK]);
        return Some(Err(JoinError::OtherWork { process: theirs.process, address: from.into() }));
    }
    let (process, purpose) = (theirs.process, theirs.purpose);
    let caller = if purpose == PROBE { 0..mine.process } else { mine.process + 1..mine.processes };
    if !caller.contains(&process) || purpose > PROBE {
        return None;
    }
    let mut answer = [0];
    stream.write_all(&[WELCOME]).and_then(|()| stream.read_exact(&mut answer)).ok()?;
    (answer[0] == WELCOME && purpose != PROBE).then_some(Ok((process as usize, stream)))
}

/// Calls a process; `None` if it has not started yet.
fn call(hosts: &Hosts, process: usize, hello: Hello) -> Result<Option<TcpStream>, JoinError> {
    let address = hosts.address(process);
    let mut answer = [0];
    let mut called = || -> io::Result<TcpStream> {
        // A name may become known only when its host has started.
        let to = address.to_socket_addrs()?.next().ok_or(io::ErrorKind::NotFound)?;
        let mut stream = TcpStream::connect_timeout(&to, CALL)?;
        prepared(&stream)?;
        stream.write_all(&hello.bytes())?;
        stream.read_exact(&mut answer)?;
        stream.write_all(&answer)?;
        Ok(stream)
    };
    match (called(), answer[0]) {
        (Ok(stream), WELCOME) => Ok(Some(stream)),
        (Ok(_), OTHER_WORK) => Err(JoinError::OtherWork { process: process as u64, address: address.into() }),
        (Ok(_), _) => Err(JoinError::OtherProgram { process, address: address.into() }),
        (Err(_), _) => Ok(None),
    }
}

fn prepared(stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(CALL))?;
    stream.set_write_timeout(Some(CALL))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connect_within(
        lists: [&str; 2],
        numbers: [usize; 2],
        digests: [u64; 2],
        seconds: u64,
    ) -> [Result<(), JoinError>; 2] {
        let join = |i: usize| {
            let hosts: Hosts = lists[i].parse().expect("a list");
            connect(&hosts, numbers[i], digests[i], Duration::from_secs(seconds), &|| true).map(|_| ())
        };
        std::thread::scope(|scope| {
            let first = scope.spawn(|| join(0));
            let second = join(1);
            [first.join().expect("no panic"), second]
        })
    }

    /// Each process is the first of its own list, so neither would call.
    #[test]
    fn different_lists_are_noticed_quickly() {
        let lists = ["127.0.0.1:47131\n127.0.0.1:47132", "127.0.0.1:47132\n127.0.0.1:47131"];
        let begun = Instant::now();
        let ended = connect_within(lists, [0, 0], [1, 2], 60);
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        assert!(ended.iter().any(|end| matches!(end, Err(JoinError::OtherWork { .. }))), "{ended:?}");
        assert!(ended.iter().all(Result::is_err));
    }

    #[test]
    fn a_late_process_is_connected() {
        let list = "127.0.0.1:47133\n127.0.0.1:47134";
        let hosts: Hosts = list.parse().expect("a list");
        std::thread::scope(|scope| {
            let first = scope.spawn(|| connect(&hosts, 0, 5, Duration::from_secs(60), &|| true).map(|_| ()));
            std::thread::sleep(LOOK + 4 * AGAIN);
            assert!(connect(&hosts, 1, 5, Duration::from_secs(60), &|| true).is_ok());
            assert!(first.join().expect("no panic").is_ok());
        });
    }
}
