//! Table 1 of the paper, explored by `ringleader-explore`, by stateright and with a plain hash set, in one run.
//!
//! All three get their successors from the same rules, those of `FranklinTables`. Stateright and the hash set are given
//! compact states, eight bytes a process, without pointers; nothing is allocated to make a successor.
//!
//!     cargo run --release                 # n = 5, k = 2: 9,819,065 states

use ringleader_algorithms::message::franklin::{Franklin, Message};
use ringleader_algorithms::message::franklin_tables::{FranklinTables, Mode, Reading, State};
use ringleader_erased::MessageInstance;
use ringleader_explore::{Options, Space};
use ringleader_model::{Coin, Event, LEFT, Network, Outbox, Port, Process, RIGHT, Scalar, Terminating};
use stateright::{Checker, Model, Property};
use std::collections::HashSet;
use std::time::Instant;

const SIZE: usize = 5;
const IDS: u32 = 2;

/// A process in three bytes, then two messages at each port, sorted; 0 for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Ring([[u8; 8]; SIZE]);

/// Who moves, which of its inbox's places it takes a message from (if any), and what the coin shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Move {
    process: u8,
    place: Option<(u8, u8)>,
    draw: u8,
}

fn inbox(port: Port) -> std::ops::Range<usize> {
    3 + 2 * port..5 + 2 * port
}

fn pack(s: &State) -> [u8; 3] {
    let [left, right] = s.heard;
    [
        s.mode.to_word() as u8 | u8::from(s.bit) << 3 | (s.port as u8) << 4,
        (s.id | s.hop << 4) as u8,
        (left | right << 4) as u8,
    ]
}

fn unpack(bytes: &[u8; 8]) -> State {
    State {
        mode: Mode::from_word(u64::from(bytes[0] & 7)),
        bit: bytes[0] >> 3 & 1 == 1,
        port: usize::from(bytes[0] >> 4 & 1),
        id: u32::from(bytes[1] & 15),
        hop: u32::from(bytes[1] >> 4),
        heard: [u32::from(bytes[2] & 15), u32::from(bytes[2] >> 4)],
    }
}

fn pack_message(m: Message) -> u8 {
    1 + (m.id as u8 - 1) + 4 * u8::from(m.bit) + 8 * (m.hop as u8 - 1)
}

fn unpack_message(byte: u8) -> Message {
    let code = u32::from(byte - 1);
    Message { id: code % 4 + 1, bit: code / 4 % 2 == 1, hop: code / 8 + 1 }
}

/// Puts what is sent into the neighbours' inboxes.
struct Post<'r> {
    ring: &'r mut Ring,
    process: usize,
}

impl Outbox<Message> for Post<'_> {
    fn send(&mut self, to: Port, message: Message) {
        let (receiver, port) = Network::Ring(SIZE).arrival(self.process, to);
        let waiting = &mut self.ring.0[receiver][inbox(port)];
        assert_eq!(waiting[0], 0, "by Lemma 1 at most two messages wait");
        waiting[0] = pack_message(message);
        waiting.sort_unstable();
    }
}

/// A coin that shows what it is told to, and remembers whether it was tossed.
struct Told {
    draw: u8,
    sides: u8,
}

impl Coin for Told {
    fn below(&mut self, sides: u32) -> u32 {
        self.sides = sides as u8;
        self.draw.into()
    }
}

struct Table1(FranklinTables);

impl Table1 {
    fn event(ring: &Ring, step: Move) -> Event<Message> {
        match step.place {
            None => Event::Step,
            Some((port, place)) => {
                let from = Port::from(port);
                let byte = ring.0[usize::from(step.process)][inbox(from)][usize::from(place)];
                Event::Message { from, message: unpack_message(byte) }
            }
        }
    }

    fn take(&self, ring: &Ring, step: Move) -> (Ring, u8) {
        let (mut next, process) = (*ring, usize::from(step.process));
        let mut state = unpack(&ring.0[process]);
        if let Some((port, place)) = step.place {
            let waiting = &mut next.0[process][inbox(port.into())];
            waiting[usize::from(place)] = 0;
            waiting.sort_unstable();
        }
        let mut coin = Told { draw: step.draw, sides: 1 };
        self.0.on(process, &mut state, Self::event(ring, step), &mut Post { ring: &mut next, process }, &mut coin);
        next.0[process][..3].copy_from_slice(&pack(&state));
        (next, coin.sides)
    }

    fn moves(&self, ring: &Ring, mut show: impl FnMut(Move)) {
        for process in 0..SIZE as u8 {
            let bytes = &ring.0[usize::from(process)];
            let state = unpack(bytes);
            if self.0.ready(&state, &Event::Step) {
                let draws = if matches!(state.mode, Mode::Start | Mode::Compare) { IDS as u8 } else { 1 };
                (0..draws).for_each(|draw| show(Move { process, place: None, draw }));
            }
            for port in [LEFT, RIGHT] {
                let waiting = &bytes[inbox(port)];
                for place in 0..2 {
                    // Equal messages are one.
                    if waiting[place] == 0 || place == 1 && waiting[0] == waiting[1] {
                        continue;
                    }
                    let step = Move { process, place: Some((port as u8, place as u8)), draw: 0 };
                    if self.0.ready(&state, &Self::event(ring, step)) {
                        show(step);
                    }
                }
            }
        }
    }

    fn start(&self) -> Ring {
        let mut ring = Ring([[0; 8]; SIZE]);
        for (me, bytes) in ring.0.iter_mut().enumerate() {
            bytes[..3].copy_from_slice(&pack(&self.0.start(me)));
        }
        ring
    }
}

impl Model for Table1 {
    type State = Ring;
    type Action = Move;

    fn init_states(&self) -> Vec<Ring> {
        vec![self.start()]
    }

    fn actions(&self, ring: &Ring, actions: &mut Vec<Move>) {
        self.moves(ring, |step| actions.push(step));
    }

    fn next_state(&self, ring: &Ring, step: Move) -> Option<Ring> {
        Some(self.take(ring, step).0)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        // It holds, so that everything is visited.
        vec![Property::always("never two leaders", |_, ring: &Ring| {
            ring.0.iter().filter(|bytes| unpack(bytes).mode == Mode::Leader).count() < 2
        })]
    }
}

/// A plain depth-first search with a hash set, on one thread.
fn plain(model: &Table1) -> (usize, usize) {
    let (mut seen, mut open, mut transitions) = (HashSet::from([model.start()]), vec![model.start()], 0);
    while let Some(ring) = open.pop() {
        model.moves(&ring, |step| {
            let (next, sides) = model.take(&ring, step);
            assert!(step.draw < sides.max(1));
            transitions += 1;
            if seen.insert(next) {
                open.push(next);
            }
        });
    }
    (seen.len(), transitions)
}

/// The processor time of this program so far, in seconds.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
    // User and system time, in hundredths of a second.
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn measure(name: &str, work: impl FnOnce() -> String) {
    let (begun, cpu) = (Instant::now(), cpu_seconds());
    let result = work();
    let (wall, cpu) = (begun.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    println!("{name:<44} {wall:>7.2} s wall {cpu:>7.2} s CPU   {result}");
}

fn main() {
    let algorithm = Franklin { size: SIZE as u32, ids: IDS, keeps_identity: false };
    let tables = FranklinTables { algorithm, reading: Reading::Both };
    assert_eq!(Terminating::network(&tables), Network::Ring(SIZE));
    let instance = MessageInstance::new(tables);
    let explore = |options: Options| {
        let space = Space::explore(&instance, &options, &mut |_| true).expect("it fits");
        let (states, transitions) = (space.states().expect("known"), space.summary().transitions.expect("known"));
        format!("{states} states, {transitions} transitions, {} stored", space.stored())
    };
    println!("Table 1, n = {SIZE}, k = {IDS}");
    measure("ringleader, both cores", || explore(Options::default()));
    measure("ringleader, both cores, rotation", || explore(Options { rotation: true, ..Options::default() }));
    measure("ringleader, one core", || explore(Options { threads: 1, ..Options::default() }));
    measure("hash set of 40-byte states, one core", || {
        let (states, transitions) = plain(&Table1(tables));
        format!("{states} states, {transitions} transitions")
    });
    let threads = Options::default().threads;
    measure(&format!("stateright 0.31, breadth first, {threads} threads"), || {
        let checker = Table1(tables).checker().threads(threads).spawn_bfs().join();
        checker.assert_properties();
        format!("{} states", checker.unique_state_count())
    });
}
