//! Heartbeats of the processes.
//!
//! Every process sends every other one a heartbeat twice a second, over a separate connection. A process that closes its connection
//! without a farewell, or is silent for too long, is lost. timely cannot detect this: its threads panic when a connection breaks,
//! and a pulled cable breaks no connection for minutes.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A process that is silent for this long is lost.
pub const SILENCE: Duration = Duration::from_secs(5);

const BEAT: Duration = Duration::from_millis(500);

/// The words of a process: it is alive; it ends normally; it ends because the process whose number follows is lost.
const ALIVE: u8 = 0;
const FAREWELL: u8 = 1;
const BLAME: u8 = 2;

const NOBODY: usize = usize::MAX;

/// The heartbeats from and to the other processes.
pub(crate) struct Pulse {
    streams: Arc<Vec<Option<Mutex<TcpStream>>>>,
    state: Arc<State>,
}

struct State {
    /// The first lost process.
    lost: AtomicUsize,
    /// Whether this process is ending.
    ended: AtomicBool,
}

impl State {
    fn lose(&self, process: usize) {
        let _ = self.lost.compare_exchange(NOBODY, process, Ordering::SeqCst, Ordering::SeqCst);
    }
}

impl Pulse {
    /// Starts sending heartbeats and watching those of the others.
    pub(crate) fn begin(streams: Vec<Option<TcpStream>>) -> io::Result<Pulse> {
        let state = Arc::new(State { lost: AtomicUsize::new(NOBODY), ended: AtomicBool::new(false) });
        for (process, stream) in streams.iter().enumerate() {
            if let Some(stream) = stream {
                let (stream, state) = (stream.try_clone()?, state.clone());
                stream.set_read_timeout(Some(SILENCE))?;
                stream.set_write_timeout(Some(SILENCE))?;
                std::thread::Builder::new()
                    .name(format!("pulse {process}"))
                    .spawn(move || watch(process, stream, &state))?;
            }
        }
        let streams = Arc::new(streams.into_iter().map(|stream| stream.map(Mutex::new)).collect::<Vec<_>>());
        let (all, ours) = (streams.clone(), state.clone());
        std::thread::Builder::new().name("pulse".into()).spawn(move || {
            while !ours.ended.load(Ordering::SeqCst) {
                tell(&all, &[ALIVE]);
                std::thread::sleep(BEAT);
            }
        })?;
        Ok(Pulse { streams, state })
    }

    /// The first lost process, if there is one.
    pub(crate) fn lost(&self) -> Option<usize> {
        Some(self.state.lost.load(Ordering::SeqCst)).filter(|&process| process != NOBODY)
    }

    /// The same, after a failure that may become visible only after a moment.
    pub(crate) fn wait_for_loss(&self) -> Option<usize> {
        let begun = Instant::now();
        while self.lost().is_none() && begun.elapsed() < SILENCE {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.lost()
    }

    /// Tells the others that this process ends because another one is lost.
    pub(crate) fn blame(&self, process: usize) {
        self.end(&[[BLAME].as_slice(), &(process as u32).to_le_bytes()].concat());
    }

    /// Tells the others that this process ends normally.
    pub(crate) fn farewell(&self) {
        self.end(&[FAREWELL]);
    }

    fn end(&self, word: &[u8]) {
        self.state.ended.store(true, Ordering::SeqCst);
        tell(&self.streams, word);
        for stream in self.streams.iter().flatten() {
            if let Ok(stream) = stream.lock() {
                let _ = stream.shutdown(Shutdown::Write);
            }
        }
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        self.state.ended.store(true, Ordering::SeqCst);
    }
}

/// Sends a word to all processes. Failures are ignored: the heartbeats of a lost process stop.
fn tell(streams: &[Option<Mutex<TcpStream>>], word: &[u8]) {
    for stream in streams.iter().flatten() {
        if let Ok(mut stream) = stream.lock() {
            let _ = stream.write_all(word);
        }
    }
}

/// Watches one process until it ends.
fn watch(process: usize, mut stream: TcpStream, state: &State) {
    let mut word = [0];
    loop {
        match stream.read_exact(&mut word).map(|()| word[0]) {
            Ok(ALIVE) => {}
            Ok(FAREWELL) => return,
            Ok(BLAME) => {
                let mut number = [0; 4];
                let blamed = stream.read_exact(&mut number).map(|()| u32::from_le_bytes(number) as usize);
                return state.lose(blamed.unwrap_or(process));
            }
            _ => return state.lose(process),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
        let there = TcpStream::connect(listener.local_addr().expect("an address")).expect("it listens");
        (there, listener.accept().expect("a call").0)
    }

    fn eventually(what: impl Fn() -> bool) -> bool {
        let begun = Instant::now();
        while !what() && begun.elapsed() < 2 * SILENCE {
            std::thread::sleep(Duration::from_millis(10));
        }
        what()
    }

    #[test]
    fn silence_is_a_loss_and_a_farewell_is_not() {
        let (here, there) = pair();
        let pulse = Pulse::begin(vec![None, Some(here)]).expect("threads");
        let other = Pulse::begin(vec![Some(there), None]).expect("threads");
        std::thread::sleep(2 * BEAT);
        assert_eq!((pulse.lost(), other.lost()), (None, None));
        other.farewell();
        drop(other);
        std::thread::sleep(2 * BEAT);
        assert_eq!(pulse.lost(), None);

        let (here, there) = pair();
        let pulse = Pulse::begin(vec![None, Some(here)]).expect("threads");
        drop(there);
        assert!(eventually(|| pulse.lost() == Some(1)), "closed without farewell");

        let (here, there) = pair();
        let pulse = Pulse::begin(vec![None, Some(here)]).expect("threads");
        let begun = Instant::now();
        assert!(eventually(|| pulse.lost() == Some(1)), "silent");
        assert!(begun.elapsed() > SILENCE / 2);
        drop(there);
    }

    #[test]
    fn a_process_that_ends_names_the_lost_one() {
        let (here, there) = pair();
        let pulse = Pulse::begin(vec![None, Some(here), None]).expect("threads");
        Pulse::begin(vec![Some(there), None, None]).expect("threads").blame(2);
        assert!(eventually(|| pulse.lost() == Some(2)));
    }
}
