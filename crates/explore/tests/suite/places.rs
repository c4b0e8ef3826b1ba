//! Invariants and marks that depend on the places of processes, explored up to rotation.

use ringleader_erased::MessageInstance;
use ringleader_explore::{Failure, Options, Space};
use ringleader_model::{
    Coin, Event, Invariant, Marks, Network, Outbox, Process, RIGHT, SnapshotOf, Terminating, Variables, Visitor,
};

const SIZE: usize = 4;

/// Every process takes one step of its own.
struct Once;

impl Variables for Once {
    type State = bool;
    fn variables(&self, stepped: &mut bool, v: &mut dyn Visitor) {
        v.bit("stepped", stepped);
    }
}

impl Process for Once {
    type Message = u8;
    fn message_variables(&self, _: &mut u8, _: &mut dyn Visitor) {}
    fn start(&self, _: usize) -> bool {
        false
    }
    fn ready(&self, stepped: &bool, event: &Event<u8>) -> bool {
        matches!(event, Event::Step) && !stepped
    }
    fn on(&self, _: usize, stepped: &mut bool, _: Event<u8>, _: &mut impl Outbox<u8>, _: &mut impl Coin) {
        *stepped = true;
    }
    fn marks(&self, _: usize, stepped: &bool) -> Marks {
        Marks::ACTIVE.when(*stepped)
    }
}

impl Terminating for Once {
    fn network(&self) -> Network {
        Network::Ring(SIZE)
    }

    /// Only the last one holds in all reachable states.
    fn invariants(&self) -> Vec<Invariant<'_, Self>> {
        let alone = |process: usize| {
            move |now: &SnapshotOf<Self>| {
                !(now.states[process] && now.states.iter().filter(|stepped| **stepped).count() == 1)
            }
        };
        let mut all: Vec<_> = (0..SIZE).map(|p| Invariant::new(format!("{p} is not the only one"), alone(p))).collect();
        let not_two = |now: &SnapshotOf<Self>| now.states.iter().filter(|stepped| **stepped).count() != 2;
        all.push(Invariant::new("not two", not_two).alike());
        all.push(Invariant::new("true", |now| now.states.len() == SIZE));
        all
    }
}

#[test]
fn the_same_invariants_fail_with_and_without_rotation() {
    let failing = |rotation: bool| {
        let (once, options) = (MessageInstance::new(Once), Options { rotation, ..Options::default() });
        let space = Space::explore(&once, &options, &mut |_| true).expect("it is small");
        let fails = |invariant: &usize| space.first(|state| !state.holds(*invariant)).is_some();
        (space.stored(), (0..SIZE + 2).filter(fails).collect::<Vec<_>>())
    };
    let ((all, plainly), (kept, by_rotation)) = (failing(false), failing(true));
    assert!(kept < all, "{kept} of {all} states are kept");
    assert_eq!(plainly, [0, 1, 2, 3, 4]);
    assert_eq!(by_rotation, plainly);
}

/// All processes start and behave alike, but only one of them shows the mark of a leader.
struct Chosen;

impl Variables for Chosen {
    type State = bool;

    fn variables(&self, done: &mut bool, v: &mut dyn Visitor) {
        v.bit("done", done);
    }
}

impl Process for Chosen {
    type Message = bool;

    fn message_variables(&self, message: &mut bool, v: &mut dyn Visitor) {
        v.bit("bit", message);
    }

    fn start(&self, _: usize) -> bool {
        false
    }

    fn ready(&self, done: &bool, event: &Event<bool>) -> bool {
        matches!(event, Event::Step) != *done
    }

    fn on(&self, _: usize, done: &mut bool, event: Event<bool>, out: &mut impl Outbox<bool>, _: &mut impl Coin) {
        if let Event::Step = event {
            *done = true;
            out.send(RIGHT, true);
        }
    }

    fn marks(&self, me: usize, done: &bool) -> Marks {
        Marks::LEADER.when(me == 0 && *done)
    }
}

impl Terminating for Chosen {
    fn network(&self) -> Network {
        Network::Ring(3)
    }
}

/// Rotations are not identified if the marks of processes differ.
#[test]
fn marks_that_differ_by_process_forbid_rotations() {
    let chosen = MessageInstance::new(Chosen);
    let space = Space::explore(&chosen, &Options::default(), &mut |_| true).expect("it fits");
    assert_eq!(space.first(|state| state.stopped() && state.leaders() != 1), None);
    let rotated = Options { rotation: true, ..Options::default() };
    let refused = Space::explore(&chosen, &rotated, &mut |_| true).err();
    assert_eq!(refused, Some(Failure::NotSymmetric));
}
