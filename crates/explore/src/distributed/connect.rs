//! How the processes of a search find each other.
//!
//! Every process listens at its own address and calls those with lower numbers, twice each: for data and for the pulse. Who
//! calls says what it is about to do, is answered whether that is the same, and repeats the answer. Callers that say something
//! else altogether are hung up on. Those with higher numbers are looked in on: if the lists differ, two processes may both take
//! themselves for the first, and wait for each other's call. (timely could connect its processes itself, but waits for ever, prints to standard output, and panics
//! when a stranger calls.)

use super::Hosts;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Connections to the other processes, by their numbers.
pub(crate) struct Connections {
    pub(crate) data: Vec<Option<TcpStream>>,
    pub(crate) pulse: Vec<Option<TcpStream>>,
}

/// A caller says this first.
const MAGIC: &[u8; 16] = b"ringleader hosts";
const HELLO: usize = 16 + 4 * 8;

/// Answers.
const WELCOME: u8 = 1;
const OTHER_WORK: u8 = 2;

/// How long a call may take, and how long to wait before calling again.
const CALL: Duration = Duration::from_secs(2);
const AGAIN: Duration = Duration::from_millis(100);

/// How long to wait before looking in on the next process that has not called.
const LOOK: Duration = Duration::from_secs(1);

/// What a caller says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hello {
    digest: u64,
    processes: u64,
    process: u64,
    /// 0 for data, 1 for the pulse, 2 for a look.
    purpose: u64,
}

const LOOKING: u64 = 2;

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

/// Meets all others.
pub(crate) fn meet(
    hosts: &Hosts,
    me: usize,
    digest: u64,
    patience: Duration,
    keep_going: &dyn Fn() -> bool,
) -> Result<Connections, String> {
    let hello = Hello { digest, processes: hosts.len() as u64, process: me as u64, purpose: 0 };
    let until = Instant::now() + patience;
    let listener = listen(hosts.address(me), until, keep_going)?;
    let (taken, calls) = channel();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Calls are taken while others are made: nobody waits for somebody who is waiting himself.
        scope.spawn(|| take_calls(&listener, hello, &taken, &done));
        let met = gather(hosts, hello, &calls, until, keep_going);
        done.store(true, Ordering::SeqCst);
        met
    })
}

type Streams = Vec<Option<TcpStream>>;

/// A call that was taken: what it is for, who called, and the connection.
type Call = (usize, usize, TcpStream);

/// Calls those with lower numbers and waits for the calls of the others.
fn gather(
    hosts: &Hosts,
    hello: Hello,
    calls: &Receiver<Result<Call, String>>,
    until: Instant,
    keep_going: &dyn Fn() -> bool,
) -> Result<Connections, String> {
    let me = hello.process as usize;
    let none = || (0..hosts.len()).map(|_| None).collect::<Streams>();
    let mut met = [none(), none()];
    let (mut look, mut looks) = (Instant::now() + LOOK, me + 1);
    loop {
        for (streams, purpose) in met.iter_mut().zip(0..) {
            for (process, stream) in streams.iter_mut().enumerate().take(me).filter(|(_, stream)| stream.is_none()) {
                *stream = call(hosts, process, Hello { purpose, ..hello })?;
            }
        }
        for call in calls.try_iter() {
            let (purpose, process, stream) = call?;
            met[purpose][process] = Some(stream);
        }
        let missing = |process: &usize| *process != me && met.iter().any(|streams| streams[*process].is_none());
        let absent: Vec<usize> = (0..hosts.len()).filter(missing).collect();
        if absent.is_empty() {
            let [data, pulse] = met;
            return Ok(Connections { data, pulse });
        }
        if Instant::now() > look {
            looks = absent.iter().copied().find(|&process| process >= looks).unwrap_or(me + 1);
            if looks < hosts.len() && absent.contains(&looks) {
                call(hosts, looks, Hello { purpose: LOOKING, ..hello })?;
            }
            (look, looks) = (Instant::now() + LOOK, looks + 1);
        }
        if !keep_going() {
            return Err("interrupted while waiting for the other processes".into());
        }
        if Instant::now() > until {
            let who: Vec<String> = absent.iter().map(|&p| format!("{p} ({})", hosts.address(p))).collect();
            return Err(format!("waited in vain for process {}", who.join(", ")));
        }
        std::thread::sleep(AGAIN);
    }
}

/// Listens at the address of this process. Its name may take a moment to be known.
fn listen(address: &str, until: Instant, keep_going: &dyn Fn() -> bool) -> Result<TcpListener, String> {
    while address.to_socket_addrs().is_err() && Instant::now() < until && keep_going() {
        std::thread::sleep(AGAIN);
    }
    let cannot = |e: io::Error| format!("cannot listen at {address}, the address of this process: {e}");
    let listener = TcpListener::bind(address).map_err(cannot)?;
    listener.set_nonblocking(true).map_err(cannot)?;
    Ok(listener)
}

fn take_calls(listener: &TcpListener, mine: Hello, taken: &Sender<Result<Call, String>>, done: &AtomicBool) {
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

/// Answers a call; nothing if it was none of ours, or the caller has given up.
fn take_call(mut stream: TcpStream, from: &str, mine: Hello) -> Option<Result<Call, String>> {
    prepared(&stream).ok()?;
    let theirs = Hello::read(&mut stream).ok()??;
    if (Hello { process: theirs.process, purpose: theirs.purpose, ..mine }) != theirs {
        let _ = stream.write_all(&[OTHER_WORK]);
        return Some(Err(other_work(&format!("process {} at {from}", theirs.process))));
    }
    let (process, purpose) = (theirs.process, theirs.purpose);
    let caller = if purpose == LOOKING { 0..mine.process } else { mine.process + 1..mine.processes };
    if !caller.contains(&process) || purpose > LOOKING {
        return None;
    }
    let mut answer = [0];
    stream.write_all(&[WELCOME]).and_then(|()| stream.read_exact(&mut answer)).ok()?;
    (answer[0] == WELCOME && purpose != LOOKING).then_some(Ok((purpose as usize, process as usize, stream)))
}

/// Calls a process; nothing if it is not there yet.
fn call(hosts: &Hosts, process: usize, hello: Hello) -> Result<Option<TcpStream>, String> {
    let address = hosts.address(process);
    let mut answer = [0];
    let mut called = || -> io::Result<TcpStream> {
        // A name may appear only when its host has started.
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
        (Ok(_), OTHER_WORK) => Err(other_work(&format!("process {process} at {address}"))),
        (Ok(_), _) => Err(format!("what listens at {address}, the address of process {process}, is something else")),
        (Err(_), _) => Ok(None),
    }
}

fn prepared(stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(CALL))?;
    stream.set_write_timeout(Some(CALL))
}

fn other_work(who: &str) -> String {
    format!("{who} does something else: start all with the same program, arguments and list of hosts")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meet_within(lists: [&str; 2], numbers: [usize; 2], digests: [u64; 2], seconds: u64) -> [Result<(), String>; 2] {
        let join = |i: usize| {
            let hosts: Hosts = lists[i].parse().expect("a list");
            meet(&hosts, numbers[i], digests[i], Duration::from_secs(seconds), &|| true).map(|_| ())
        };
        std::thread::scope(|scope| {
            let first = scope.spawn(|| join(0));
            let second = join(1);
            [first.join().expect("no panic"), second]
        })
    }

    /// Each is the first of its own list: nobody would call.
    #[test]
    fn lists_in_another_order_are_noticed_at_once() {
        let lists = ["127.0.0.1:47131\n127.0.0.1:47132", "127.0.0.1:47132\n127.0.0.1:47131"];
        let begun = Instant::now();
        let ended = meet_within(lists, [0, 0], [1, 2], 60);
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        assert!(ended.iter().any(|end| end.as_ref().is_err_and(|e| e.contains("does something else"))), "{ended:?}");
        assert!(ended.iter().all(Result::is_err));
    }

    #[test]
    fn who_comes_late_is_looked_in_on_and_met() {
        let list = "127.0.0.1:47133\n127.0.0.1:47134";
        let hosts: Hosts = list.parse().expect("a list");
        std::thread::scope(|scope| {
            let first = scope.spawn(|| meet(&hosts, 0, 5, Duration::from_secs(60), &|| true).map(|_| ()));
            std::thread::sleep(LOOK + 4 * AGAIN);
            assert!(meet(&hosts, 1, 5, Duration::from_secs(60), &|| true).is_ok());
            assert_eq!(first.join().expect("no panic"), Ok(()));
        });
    }
}
