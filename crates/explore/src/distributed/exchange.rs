//! Letters from every process to every other, as a dataflow. A round is a time, letters are exchanged by receiver, and a round
//! is over when its time has passed everywhere. Several rounds may be in transit at once.

use super::JoinError;
use super::words::Packed;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::mem::ManuallyDrop;
use std::net::TcpStream;
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::time::{Duration, Instant};
use timely::WorkerConfig;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::{Hooks, WorkerGuards};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Exchange as ByReceiver;
use timely::dataflow::operators::{Operator, Probe};
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::worker::Worker;

/// All letters of a round, by receiver or by sender.
type Letters = Vec<Vec<u32>>;

/// A part of a letter: receiver, sender, sequence number, payload.
type Piece = (u32, u32, u32, Packed);

/// The number of words of a piece. Pieces are sent while later ones are written.
const WORDS: usize = 1 << 14;

/// The interval between checks for lost processes.
const OFTEN: Duration = Duration::from_millis(50);

/// The longest wait for the end of the dataflow after all letters were sent.
const LAST: Duration = Duration::from_secs(5);

/// The dataflow, in a thread of its own.
pub(crate) struct Exchange {
    me: usize,
    letters: Sender<Letters>,
    answers: Receiver<Letters>,
    /// Dropping the guards would wait for processes that may be lost.
    guards: ManuallyDrop<WorkerGuards<()>>,
    /// The bytes and the number of letters to other processes.
    traffic: (u64, u64),
    /// The time spent waiting for letters.
    waited: Duration,
}

impl Exchange {
    pub(crate) fn begin(sockets: Vec<Option<TcpStream>>, me: usize) -> Result<Exchange, JoinError> {
        for socket in sockets.iter().flatten() {
            socket.set_read_timeout(None).and_then(|()| socket.set_write_timeout(None))?;
        }
        quiet_panics();
        let (letters, to_send) = channel();
        let (received, answers) = channel();
        let builders: Vec<AllocatorBuilder>;
        let others;
        if sockets.len() == 1 {
            (builders, others) = timely::CommunicationConfig::Thread.try_build().map_err(JoinError::Dataflow)?;
        } else {
            let hooks = Hooks::default();
            let threads = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
            let (made, guard) = initialize_networking_from_sockets(threads, sockets, me, 1, hooks)?;
            builders = made.into_iter().map(AllocatorBuilder::Tcp).collect();
            others = Box::new(guard);
        }
        let ends = Mutex::new(Some((to_send, received)));
        let guards = timely::execute::execute_from(builders, others, WorkerConfig::default(), move |worker| {
            let ends = ends.lock().ok().and_then(|mut ends| ends.take());
            if let Some((to_send, received)) = ends {
                serve(worker, &to_send, &received);
            }
        })
        .map_err(JoinError::Dataflow)?;
        Ok(Exchange {
            me,
            letters,
            answers,
            guards: ManuallyDrop::new(guards),
            traffic: (0, 0),
            waited: Duration::ZERO,
        })
    }

    /// Begins a round.
    pub(crate) fn send(&mut self, letters: Letters) -> Result<(), Option<usize>> {
        for letter in letters.iter().enumerate().filter(|(to, _)| *to != self.me).map(|(_, letter)| letter) {
            self.traffic = (self.traffic.0 + 4 * letter.len() as u64, self.traffic.1 + 1);
        }
        self.letters.send(letters).map_err(|_| None)?;
        // The worker may be asleep.
        self.guards.guards().iter().for_each(|worker| worker.thread().unpark());
        Ok(())
    }

    /// The letters of the earliest round that was not received yet. The error is the lost process, if it is known.
    pub(crate) fn receive(&mut self, lost: &dyn Fn() -> Option<usize>) -> Result<Letters, Option<usize>> {
        let begun = Instant::now();
        loop {
            match self.answers.recv_timeout(OFTEN) {
                Ok(answers) => {
                    self.waited += begun.elapsed();
                    return Ok(answers);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(None),
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(process) = lost() {
                        return Err(Some(process));
                    }
                }
            }
        }
    }

    pub(crate) fn traffic(&self) -> (u64, u64) {
        self.traffic
    }

    pub(crate) fn waited(&self) -> Duration {
        self.waited
    }

    /// Waits until all letters have arrived everywhere, for a limited time.
    pub(crate) fn end(self) {
        let Exchange { letters, guards, .. } = self;
        drop(letters);
        guards.guards().iter().for_each(|worker| worker.thread().unpark());
        let (done, ended) = channel();
        std::thread::spawn(move || {
            drop(ManuallyDrop::into_inner(guards));
            let _ = done.send(());
        });
        let _ = ended.recv_timeout(LAST);
    }
}

/// The worker: runs a round for every set of letters that it receives.
fn serve(worker: &mut Worker, letters: &Receiver<Letters>, answers: &Sender<Letters>) {
    let (me, processes) = (worker.index(), worker.peers());
    // By round.
    let inbox: Rc<RefCell<BTreeMap<u64, Vec<Piece>>>> = Rc::default();
    let mut input = InputHandle::<u64, CapacityContainerBuilder<Vec<Piece>>>::new();
    let probe = ProbeHandle::new();
    let arrived = inbox.clone();
    worker.dataflow(|scope| {
        let by_receiver = ByReceiver::new(|piece: &Piece| u64::from(piece.0));
        input
            .to_stream(scope)
            .unary::<CapacityContainerBuilder<Vec<()>>, _, _, _>(by_receiver, "letters", |_, _| {
                move |input, _| {
                    input.for_each_time(|time, batches| {
                        let mut arrived = arrived.borrow_mut();
                        let pieces = arrived.entry(*time.time()).or_default();
                        batches.for_each(|batch| pieces.append(batch));
                    });
                }
            })
            .probe_with(&probe);
    });
    // The letters to this process itself, of the rounds in transit.
    let mut own: VecDeque<Vec<u32>> = VecDeque::new();
    let mut round = 0;
    loop {
        match letters.try_recv() {
            Ok(mut letters) => {
                own.push_back(std::mem::take(&mut letters[me]));
                for (to, letter) in letters.into_iter().enumerate() {
                    for (number, piece) in letter.chunks(WORDS).enumerate() {
                        input.send((to as u32, me as u32, number as u32, Packed::new(piece)));
                        input.flush();
                        worker.step();
                    }
                }
                let next = *input.time() + 1;
                input.advance_to(next);
                input.flush();
                worker.step();
            }
            Err(TryRecvError::Disconnected) => return,
            Err(TryRecvError::Empty) => {
                worker.step_or_park(Some(OFTEN));
            }
        }
        while !own.is_empty() && !probe.less_than(&(round + 1)) {
            let mut received: Letters = vec![vec![]; processes];
            received[me] = own.pop_front().unwrap_or_default();
            let mut pieces = inbox.borrow_mut().remove(&round).unwrap_or_default();
            pieces.sort_unstable_by_key(|&(_, from, number, _)| (from, number));
            pieces.iter().for_each(|(_, from, _, words)| words.append_to(&mut received[*from as usize]));
            if answers.send(received).is_err() {
                return;
            }
            round += 1;
        }
    }
}

/// Holds the threads of timely, which panic when a connection breaks. The heartbeat reports the loss, and a panic could end the
/// whole process.
fn quiet_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let ours = std::thread::current().name().is_some_and(|name| name.starts_with("timely:"));
            if ours {
                loop {
                    std::thread::park();
                }
            }
            usual(panic);
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    /// A thread that panics is held for ever, together with the lock of the panic hook, which the test harness needs at its end.
    #[test]
    #[ignore = "runs in a separate process, which is killed"]
    fn panics() {
        quiet_panics();
        let named = std::thread::Builder::new().name("timely:send-1".into());
        let thread = named.spawn(|| panic!("a connection broke")).expect("a thread");
        std::thread::sleep(4 * OFTEN);
        println!("\nheld: {}", !thread.is_finished());
    }

    #[test]
    fn a_panic_in_a_thread_of_timely_is_held() {
        let mut child = Command::new(std::env::current_exe().expect("a program"))
            .args(["--ignored", "--exact", "distributed::exchange::tests::panics", "--nocapture"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines().map_while(Result::ok);
        let said = lines.filter(|line| line.starts_with("held: ")).take(1).collect::<Vec<_>>();
        child.kill().and_then(|()| child.wait()).expect("it is killed");
        assert_eq!(said, ["held: true"], "the thread unwinds or aborts");
    }
}
