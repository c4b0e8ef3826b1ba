//! The connection to another process. In a round every process sends one letter to each, so the letters of a connection are those of the
//! rounds in their order. Threads write and read them, so several rounds may be in transit at once.
//!
//! A process that has nothing to send sends a keep-alive twice a second. A process that closes its connection without a farewell, or is
//! silent for too long, is lost. A pulled cable breaks no connection for minutes.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A process that is silent for this long is lost.
pub const SILENCE: Duration = Duration::from_secs(5);

const BEAT: Duration = Duration::from_millis(500);

/// The interval between checks for lost processes.
const OFTEN: Duration = Duration::from_millis(50);

/// The first lost process, if there is one.
pub(crate) type Lost = Arc<OnceLock<usize>>;

/// What a process says to another one.
#[derive(Clone, Debug)]
pub(crate) enum Word {
    Letter(Vec<u32>),
    /// It ends normally.
    Farewell,
    /// It ends because this process is lost.
    Blame(usize),
}

/// The first bytes of words and of a keep-alive. A number follows: the length of a letter, or the lost process.
const ALIVE: u8 = 0;
const FAREWELL: u8 = 1;
const BLAME: u8 = 2;
const LETTER: u8 = 3;

/// A connection, with a thread for each direction.
pub(crate) struct Line {
    pub(crate) to: Sender<Word>,
    from: Receiver<Vec<u32>>,
}

impl Line {
    /// The connection to a process. The threads hold `running` until they end.
    pub(crate) fn begin(process: usize, socket: TcpStream, lost: &Lost, running: &Sender<()>) -> io::Result<Line> {
        socket.set_read_timeout(Some(SILENCE))?;
        socket.set_write_timeout(None)?;
        let ((to, said), (arrived, from)) = (channel(), channel());
        let (reader, lost, writing, reading) = (socket.try_clone()?, lost.clone(), running.clone(), running.clone());
        std::thread::Builder::new().name(format!("to {process}")).spawn(move || {
            // If the connection breaks, the other thread notices.
            let _ = write(&socket, &said);
            drop(writing);
        })?;
        std::thread::Builder::new().name(format!("from {process}")).spawn(move || {
            if let Some(process) = read(reader, &arrived).unwrap_or(Some(process)) {
                let _ = lost.set(process);
            }
            drop((arrived, reading));
        })?;
        Ok(Line { to, from })
    }

    /// The next letter; `None` if none will come, or if some process is lost.
    pub(crate) fn receive(&self, lost: &Lost) -> Option<Vec<u32>> {
        loop {
            match self.from.recv_timeout(OFTEN) {
                Ok(letter) => return Some(letter),
                Err(RecvTimeoutError::Timeout) if lost.get().is_none() => {}
                Err(_) => return None,
            }
        }
    }
}

/// Writes words until there are no more, and keep-alives meanwhile.
fn write(socket: &TcpStream, words: &Receiver<Word>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, socket);
    loop {
        let word = words.recv_timeout(BEAT);
        let (first, number) = match &word {
            Ok(Word::Letter(letter)) => (LETTER, letter.len()),
            Ok(Word::Farewell) => (FAREWELL, 0),
            Ok(Word::Blame(process)) => (BLAME, *process),
            Err(RecvTimeoutError::Timeout) => (ALIVE, 0),
            Err(RecvTimeoutError::Disconnected) => return socket.shutdown(Shutdown::Write),
        };
        out.write_all(&[first])?;
        out.write_all(&(number as u64).to_le_bytes())?;
        if let Ok(Word::Letter(letter)) = word {
            for word in letter {
                out.write_all(&word.to_le_bytes())?;
            }
        }
        out.flush()?;
    }
}

/// Reads until the other process ends. Returns the lost process, if it ends because of one.
fn read(socket: TcpStream, letters: &Sender<Vec<u32>>) -> io::Result<Option<usize>> {
    let mut input = BufReader::with_capacity(1 << 16, socket);
    loop {
        let (mut first, mut number) = ([0], [0; 8]);
        input.read_exact(&mut first)?;
        input.read_exact(&mut number)?;
        let number = u64::from_le_bytes(number) as usize;
        match first[0] {
            ALIVE => {}
            FAREWELL => return Ok(None),
            BLAME => return Ok(Some(number)),
            LETTER => {
                // Memory grows with the received bytes: the stated length may be wrong.
                let (length, mut bytes) = ((number as u64).saturating_mul(4), vec![]);
                if input.by_ref().take(length).read_to_end(&mut bytes)? as u64 != length {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                let (words, _) = bytes.as_chunks();
                // At the end nobody may want a letter any more.
                let _ = letters.send(words.iter().map(|&word| u32::from_le_bytes(word)).collect());
            }
            _ => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::time::Instant;

    fn sockets() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
        let there = TcpStream::connect(listener.local_addr().expect("an address")).expect("it listens");
        (listener.accept().expect("a call").0, there)
    }

    /// The line to a process 1, and what it finds.
    fn line(socket: TcpStream) -> (Line, Lost) {
        let lost = Lost::default();
        (Line::begin(1, socket, &lost, &channel().0).expect("threads"), lost)
    }

    fn eventually(what: impl Fn() -> bool) -> bool {
        let begun = Instant::now();
        while !what() && begun.elapsed() < 2 * SILENCE {
            std::thread::sleep(Duration::from_millis(10));
        }
        what()
    }

    #[test]
    fn letters_arrive_in_their_order() {
        let (here, there) = sockets();
        let ((one, lost), (other, _)) = (line(here), line(there));
        let letters = [(0..1 << 20).collect(), vec![], vec![7, u32::MAX]];
        letters.iter().for_each(|letter| one.to.send(Word::Letter(letter.clone())).expect("it is there"));
        other.to.send(Word::Letter(vec![1])).expect("it is there");
        assert!(letters.iter().all(|letter| other.receive(&lost).as_ref() == Some(letter)));
        assert_eq!(one.receive(&lost), Some(vec![1]));
        other.to.send(Word::Farewell).expect("it is there");
        assert_eq!((one.receive(&lost), lost.get()), (None, None));
    }

    #[test]
    fn silence_is_a_loss_and_a_farewell_is_not() {
        let (here, there) = sockets();
        let ((one, lost), (other, other_lost)) = (line(here), line(there));
        std::thread::sleep(2 * BEAT);
        assert_eq!((lost.get(), other_lost.get()), (None, None));
        other.to.send(Word::Farewell).expect("it is there");
        drop(other);
        std::thread::sleep(2 * BEAT);
        assert_eq!(lost.get(), None);
        drop(one);

        let (here, there) = sockets();
        let (_one, lost) = line(here);
        drop(there);
        assert!(eventually(|| lost.get() == Some(&1)), "closed without farewell");

        let (here, there) = sockets();
        let (_one, lost) = line(here);
        let begun = Instant::now();
        assert!(eventually(|| lost.get() == Some(&1)), "silent");
        assert!(begun.elapsed() > SILENCE / 2);
        drop(there);
    }

    #[test]
    fn a_process_that_ends_names_the_lost_one() {
        let (here, there) = sockets();
        let ((one, lost), (other, _)) = (line(here), line(there));
        other.to.send(Word::Blame(2)).expect("it is there");
        assert_eq!((one.receive(&lost), lost.get()), (None, Some(&2)));
    }
}
