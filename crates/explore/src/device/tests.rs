//! The kernels on the host: the same source, compiled by the C compiler that links Rust programs, against the search of the CPU.
#![allow(unsafe_code, reason = "the kernels are C")]

use super::kernels::{Job, Kernel, SOURCE, Sums};
use super::search::{Searched, search};
use crate::{Failure, Options, Space};
use ringleader_algorithms::message::franklin::Franklin;
use ringleader_device::{Board, Device as _, Host, HostBoard};
use ringleader_erased::MessageInstance;
use ringleader_model::{
    Channels, Coin, Event, LEFT, Marks, Network, Outbox, Process, RIGHT, Terminating, Variables, Visitor,
};
use std::cell::Cell;

fn host() -> HostBoard {
    Host::default().load(&Kernel::program()).expect("the kernels compile")
}

fn franklin(size: u32, ids: u32) -> MessageInstance {
    MessageInstance::new(Franklin { size, ids, keeps_identity: false })
}

/// Processes with random rules, each of at most `left` steps.
#[derive(Clone, Copy)]
struct Dice {
    seed: u64,
    size: usize,
    alike: bool,
    left: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Shown {
    left: u8,
    face: u8,
}

impl Dice {
    /// A random number that depends on all of this.
    fn roll(&self, me: usize, face: u8, event: &Event<u8>, what: u64) -> u64 {
        let event = match event {
            Event::Step | Event::Tick => 0,
            Event::Message { from, message } => 1 + 4 * *from as u64 + u64::from(*message),
        };
        let me = if self.alike { 0 } else { me as u64 };
        [me, face.into(), event, what].into_iter().fold(self.seed, |hash, word| {
            let hash = (hash ^ word).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
        }) >> 33
    }
}

impl Variables for Dice {
    type State = Shown;

    fn variables(&self, shown: &mut Shown, v: &mut dyn Visitor) {
        v.range("left", 0, self.left.into(), &mut shown.left);
        v.range("face", 0, 2, &mut shown.face);
    }
}

impl Process for Dice {
    type Message = u8;

    fn message_variables(&self, message: &mut u8, v: &mut dyn Visitor) {
        v.range("face", 0, 2, message);
    }

    fn start(&self, _: usize) -> Shown {
        Shown { left: self.left, face: 0 }
    }

    fn ready(&self, shown: &Shown, event: &Event<u8>) -> bool {
        shown.left > 0 && (!self.roll(0, shown.face, event, 1).is_multiple_of(4) || shown.left == self.left)
    }

    fn on(&self, me: usize, shown: &mut Shown, event: Event<u8>, out: &mut impl Outbox<u8>, coin: &mut impl Coin) {
        let before = shown.face;
        let drawn = u64::from(coin.below(1 + self.roll(me, before, &event, 2) as u32 % 2));
        shown.left -= 1;
        shown.face = (self.roll(me, before, &event, 3 + drawn) % 3) as u8;
        for port in [LEFT, RIGHT] {
            let sent = self.roll(me, before, &event, 5 + drawn + 2 * port as u64) % 5;
            if sent < 3 {
                out.send(port, sent as u8);
            }
        }
    }

    fn marks(&self, _: usize, shown: &Shown) -> Marks {
        Marks::LEADER.when(shown.face == 2)
    }
}

impl Terminating for Dice {
    fn network(&self) -> Network {
        Network::Ring(self.size)
    }
}

fn on_host(model: &MessageInstance, options: &Options) -> Result<Searched, Failure> {
    search(&host(), model, options, true, &mut |_| true)
}

/// The device has the counts of the CPU, and its set is closed.
fn agrees(board: &impl Board, model: &MessageInstance, options: &Options) {
    let cpu = Space::explore(model, options, &mut |_| true).expect("it fits").summary();
    let device = search(board, model, options, true, &mut |_| true).expect("it fits");
    let counts = device.summary;
    assert_eq!((counts.states, counts.transitions), (cpu.states, cpu.transitions));
    assert_eq!((counts.deadlocks, counts.invariant), (cpu.deadlocks, cpu.invariant));
    assert_eq!((counts.stored, counts.depth), (cpu.stored, cpu.depth));
    let verified = device.verified.expect("it was verified");
    assert!(verified.is_sound(), "{verified:?}");
    assert_eq!(verified.stored, counts.stored);
    assert!(
        !device.time.is_zero()
            && device.verification.is_some()
            && device.peak_bytes <= options.memory
            && counts.stored_bytes >= 16 * counts.stored
    );
}

/// A board agrees with the CPU on Franklin's algorithm and on random rules.
fn agrees_everywhere(board: &impl Board) {
    for (size, ids) in [(1, 2), (2, 3), (3, 2), (4, 2), (3, 3)] {
        for (rotation, channels) in [(false, Channels::Bag), (true, Channels::Bag), (true, Channels::Fifo)] {
            let options = Options { rotation, channels, seed: size.into(), ..Options::default() };
            agrees(board, &franklin(size, ids), &options);
        }
    }
    for seed in 0..8 {
        let (size, alike) = (2 + seed as usize % 4, seed % 3 > 0);
        let dice = Dice { seed, size, alike, left: if size < 3 { 3 } else { 2 } };
        for (rotation, channels) in [(false, Channels::Bag), (alike, Channels::Bag), (alike, Channels::Fifo)] {
            agrees(board, &MessageInstance::new(dice), &Options { rotation, channels, seed, ..Options::default() });
        }
    }
}

#[test]
fn counts_are_those_of_the_cpu() {
    agrees_everywhere(&host());
}

/// Only on a machine with a GPU.
#[cfg(feature = "cuda")]
#[test]
fn counts_of_a_gpu_are_those_of_the_cpu() {
    match ringleader_device::Gpu::open() {
        Ok(gpu) => agrees_everywhere(&gpu.load(&Kernel::program()).expect("the kernels compile")),
        Err(none) => println!("not tested: {none}"),
    }
}

#[test]
fn a_lost_state_is_noticed() {
    let model = franklin(3, 2);
    for rotation in [false, true] {
        // The first stored state is erased before the second pass.
        let fault = |kernel: usize, job: *const u8| {
            if kernel == Kernel::Verify as usize {
                // Safety: the argument is a job, and the table has this many slots.
                let table = unsafe {
                    let job = &*job.cast::<Job>();
                    std::slice::from_raw_parts(job.table as *const Cell<u64>, 2 * job.slots as usize)
                };
                let slot = table.chunks_exact(2).find(|slot| slot[0].get() != 0).expect("a state is stored");
                slot.iter().for_each(|word| word.set(0));
            }
        };
        let host = Host::with_fault(fault).load(&Kernel::program()).expect("the kernels compile");
        let options = Options { rotation, ..Options::default() };
        let searched = search(&host, &model, &options, true, &mut |_| true).expect("it fits");
        let verified = searched.verified.expect("it was verified");
        assert!(!verified.is_sound() && verified.missing > 0 && verified.lost > 0, "{verified:?}");
    }
}

#[test]
fn limits_are_kept() {
    let model = franklin(4, 2);
    let little = Options { memory: 1 << 20, ..Options::default() };
    match on_host(&model, &little) {
        Err(Failure::Memory { stored, allowed }) => assert!(stored > 1000 && allowed == 1 << 20),
        other => panic!("{other:?}"),
    }
    let ample = Options { rotation: true, ..Options::default() };
    let scarce = on_host(&model, &Options { memory: (3 << 19) - 1, ..ample }).expect("it fits");
    assert!(!(scarce.summary.stored_bytes / 16).is_power_of_two(), "the last table takes the memory that is left");
    assert_eq!(scarce.verified, on_host(&model, &ample).expect("it fits").verified);
    assert!(scarce.verified.is_some_and(|verified| verified.is_sound()));
    let confluence = Options { confluence: true, ..Options::default() };
    assert!(matches!(on_host(&model, &confluence), Err(Failure::NoConfluence)));
    let mut steps = 0;
    let stopped = search(&host(), &model, &Options::default(), true, &mut |_| {
        steps += 1;
        steps < 20
    });
    assert!(matches!(stopped, Err(Failure::Stopped)) && steps == 20);
}

#[test]
fn sums_are_in_the_order_of_the_source() {
    let names =
        "STATES, TRANSITIONS, DEADLOCKS, EDGES, INVARIANT, STORED, LOST, ABSENT, SUMS, FOUND = SUMS, ASIDE, MISSING";
    assert!(SOURCE.contains(names));
    let Sums { states, absent, found, missing, .. } = Sums::new(std::array::from_fn(|i| i as u64));
    assert_eq!((states, absent, found, missing), (0, 7, 8, 10));
}
