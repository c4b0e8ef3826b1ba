//! Each rule of each algorithm, as its card states them, one event at a time.

use ringleader_algorithms::message::*;
use ringleader_algorithms::{Entry, Parameters};
use ringleader_model::{Coin, Event, LEFT, Port, Process, RIGHT};

/// Draws the largest number that it can.
struct High;

impl Coin for High {
    fn below(&mut self, n: u32) -> u32 {
        n - 1
    }
}

type After<P> = Option<(<P as ringleader_model::Variables>::State, Vec<(Port, <P as Process>::Message)>)>;

/// What becomes of the state and what is sent, or nothing if the process does not take the event now.
fn after<P: Process>(algorithm: &P, state: &P::State, event: Event<P::Message>) -> After<P> {
    let (mut state, mut sent) = (state.clone(), vec![]);
    if !algorithm.ready(&state, &event) {
        return None;
    }
    algorithm.on(0, &mut state, event, &mut sent, &mut High);
    Some((state, sent))
}

fn takes<P: Process>(algorithm: &P, state: &P::State, from: Port, message: P::Message) -> After<P> {
    after(algorithm, state, Event::Message { from, message })
}

#[test]
fn franklin_as_in_section_2() {
    use franklin::{Franklin, Message, State};
    let a = Franklin { size: 3, ids: 4, keeps_identity: false };
    let m = |id, hop, bit| Message { id, hop, bit };
    let active = |bit, id, heard| State { mode: Mode::Active, bit, id, heard };
    let passive = State { mode: Mode::Passive, ..State::default() };

    let started = after(&a, &a.start(0), Event::Step).unwrap();
    assert_eq!(started, (active(true, 4, [0, 0]), vec![(LEFT, m(4, 1, true)), (RIGHT, m(4, 1, true))]));
    assert_eq!(takes(&a, &passive, LEFT, m(2, 1, false)), Some((passive, vec![(RIGHT, m(2, 2, false))])));
    assert_eq!(takes(&a, &passive, RIGHT, m(2, 1, true)), Some((passive, vec![(LEFT, m(2, 2, true))])));

    let waiting = active(true, 2, [0, 0]);
    assert_eq!(takes(&a, &waiting, LEFT, m(4, 3, true)).unwrap().0.mode, Mode::Leader, "hop = n");
    assert_eq!(takes(&a, &waiting, LEFT, m(4, 3, false)), None, "of the next round");
    let heard = active(true, 2, [2, 0]);
    assert_eq!(takes(&a, &waiting, LEFT, m(2, 2, true)), Some((heard, vec![])));
    assert_eq!(takes(&a, &heard, LEFT, m(1, 1, true)), None, "one from each side");
    assert_eq!(takes(&a, &heard, RIGHT, m(3, 1, true)), Some((passive, vec![])));
    let next = vec![(LEFT, m(4, 1, false)), (RIGHT, m(4, 1, false))];
    assert_eq!(takes(&a, &heard, RIGHT, m(1, 1, true)), Some((active(false, 4, [0, 0]), next)));
}

#[test]
fn franklin_b_draws_only_after_a_clash() {
    use franklin::{Franklin, Message, State};
    let b = Franklin { size: 3, ids: 4, keeps_identity: true };
    let heard = |left| State { mode: Mode::Active, bit: true, id: 2, heard: [left, 0] };
    let id = |left| takes(&b, &heard(left), RIGHT, Message { id: 1, hop: 1, bit: true }).unwrap().0.id;
    assert_eq!((id(1), id(2)), (2, 4));
}

#[test]
fn franklin_without_the_bit() {
    use franklin::{Message, State};
    use franklin_no_bit::FranklinNoBit;
    let a = FranklinNoBit { size: 3, ids: 4, keeps_identity: false };
    let m = |id, hop| Message { id, hop, bit: false };
    let active = |heard| State { mode: Mode::Active, bit: false, id: 2, heard };
    let passive = State { mode: Mode::Passive, ..State::default() };
    assert_eq!(takes(&a, &passive, RIGHT, m(1, 2)), Some((passive, vec![(LEFT, m(1, 3))])));
    assert_eq!(takes(&a, &active([0, 0]), RIGHT, m(1, 3)).unwrap().0.mode, Mode::Leader);
    assert_eq!(takes(&a, &active([0, 0]), RIGHT, m(1, 1)), Some((active([0, 1]), vec![])));
    assert_eq!(takes(&a, &active([0, 1]), LEFT, m(3, 1)), Some((passive, vec![])));
    let next = State { mode: Mode::Active, bit: false, id: 4, heard: [0, 0] };
    assert_eq!(takes(&a, &active([0, 1]), LEFT, m(2, 1)), Some((next, vec![(LEFT, m(4, 1)), (RIGHT, m(4, 1))])));
}

#[test]
fn dolev_klawe_rodeh_with_bits_as_in_section_8() {
    use dolev_klawe_rodeh_bits::{DolevKlaweRodehBits, Leg, Message, State};
    let a = DolevKlaweRodehBits { size: 5, ids: 3 };
    let one = |id, hop, bit| Message { leg: Leg::One, id, hop, bit };
    let two = |id, hop, bit| Message { leg: Leg::Two, id, hop, bit };
    let active = |bit, id, first| State { mode: Mode::Active, bit, id, first };
    let passive = State { mode: Mode::Passive, ..State::default() };

    assert_eq!(after(&a, &a.start(0), Event::Step), Some((active(true, 3, 0), vec![(RIGHT, one(3, 1, true))])));
    assert_eq!(takes(&a, &passive, LEFT, two(1, 2, true)), Some((passive, vec![(RIGHT, two(1, 3, true))])));
    let (fresh, second) = (active(true, 2, 0), active(true, 2, 2));
    assert_eq!(takes(&a, &fresh, LEFT, one(2, 1, true)), Some((second, vec![(RIGHT, two(2, 2, true))])));
    assert_eq!(takes(&a, &fresh, LEFT, one(2, 1, false)), None, "the other bit waits");
    assert_eq!(takes(&a, &fresh, LEFT, two(2, 2, true)), None, "a two only after a one");
    assert_eq!(takes(&a, &second, LEFT, one(2, 1, true)), None, "no second one");
    assert_eq!(takes(&a, &fresh, LEFT, one(2, 5, true)).unwrap().0.mode, Mode::Leader);
    let next = Some((active(false, 3, 0), vec![(RIGHT, one(3, 1, false))]));
    assert_eq!(takes(&a, &second, LEFT, two(2, 2, true)), next, "v1 >= id and v1 >= v2");
    assert_eq!(takes(&a, &second, LEFT, two(3, 2, true)), Some((passive, vec![])), "v1 < v2");
    assert_eq!(takes(&a, &active(true, 3, 2), LEFT, two(1, 2, true)), Some((passive, vec![])), "v1 < id");
}

#[test]
fn itai_rodeh_as_restated_by_fokkink_and_pang() {
    use itai_rodeh::{ItaiRodeh, Message, State};
    let a = ItaiRodeh { size: 4, ids: 3, rounds: Some(7) };
    let m = |id, round, hop, unique| Message { id, round, hop, unique };
    let active = |round, id| State { mode: Mode::Active, round, id };
    let (me, passive) = (active(6, 2), State { mode: Mode::Passive, ..State::default() });

    assert_eq!(after(&a, &a.start(0), Event::Step), Some((active(1, 3), vec![(RIGHT, m(3, 1, 1, true))])));
    assert_eq!(takes(&a, &passive, LEFT, m(1, 1, 2, true)), Some((passive, vec![(RIGHT, m(1, 1, 3, true))])));
    assert_eq!(takes(&a, &me, LEFT, m(2, 6, 1, true)), Some((me, vec![(RIGHT, m(2, 6, 2, false))])));
    assert_eq!(takes(&a, &me, LEFT, m(2, 6, 4, true)).unwrap().0.mode, Mode::Leader);
    assert_eq!(takes(&a, &me, LEFT, m(2, 6, 4, false)), Some((active(7, 3), vec![(RIGHT, m(3, 7, 1, true))])));
    assert_eq!(takes(&a, &me, LEFT, m(3, 6, 1, true)), Some((passive, vec![(RIGHT, m(3, 6, 2, true))])));
    assert_eq!(takes(&a, &me, LEFT, m(1, 7, 1, false)), Some((passive, vec![(RIGHT, m(1, 7, 2, false))])));
    assert_eq!(takes(&a, &me, LEFT, m(1, 6, 1, true)), Some((me, vec![])));
    assert_eq!(takes(&a, &me, LEFT, m(3, 5, 1, true)), Some((me, vec![])));
    let beyond = takes(&a, &active(7, 2), LEFT, m(2, 7, 4, false)).unwrap();
    assert_eq!(beyond, (active(8, 0), vec![]), "at the bound it draws and sends nothing");
    assert_eq!(takes(&a, &beyond.0, LEFT, m(3, 7, 1, true)), None, "and takes nothing more");
}

#[test]
fn fokkink_pang_algorithm_a() {
    use fokkink_pang::{FokkinkPang, Message, State};
    let a = FokkinkPang { size: 4, ids: 3 };
    let m = |id, hop, unique| Message { id, hop, unique };
    let active = |id| State { mode: Mode::Active, id };
    let passive = State { mode: Mode::Passive, id: 0 };

    assert_eq!(after(&a, &a.start(0), Event::Step), Some((active(3), vec![(RIGHT, m(3, 1, true))])));
    assert_eq!(takes(&a, &passive, LEFT, m(1, 2, true)), Some((passive, vec![(RIGHT, m(1, 3, true))])));
    assert_eq!(takes(&a, &active(2), LEFT, m(2, 1, true)), Some((active(2), vec![(RIGHT, m(2, 2, false))])));
    assert_eq!(takes(&a, &active(2), LEFT, m(2, 4, true)).unwrap().0.mode, Mode::Leader);
    assert_eq!(takes(&a, &active(2), LEFT, m(2, 4, false)), Some((active(3), vec![(RIGHT, m(3, 1, true))])));
    assert_eq!(takes(&a, &active(2), LEFT, m(3, 1, false)), Some((passive, vec![(RIGHT, m(3, 2, false))])));
    assert_eq!(takes(&a, &active(2), LEFT, m(1, 3, true)), Some((active(2), vec![])));
}

#[test]
fn chang_roberts() {
    use chang_roberts::{ChangRoberts, Message, State};
    let a = ChangRoberts::build(&Parameters::new(3).with("identities", "2,3,1")).unwrap();
    let state = |mode| State { mode, id: 2 };
    assert_eq!(after(&a, &a.start(0), Event::Step), Some((state(Mode::Active), vec![(RIGHT, Message(2))])));
    assert_eq!(takes(&a, &a.start(0), LEFT, Message(1)), None, "every process begins by itself");
    for mode in [Mode::Active, Mode::Passive] {
        assert_eq!(takes(&a, &state(mode), LEFT, Message(3)), Some((state(Mode::Passive), vec![(RIGHT, Message(3))])));
        assert_eq!(takes(&a, &state(mode), LEFT, Message(1)), Some((state(mode), vec![])));
    }
    assert_eq!(takes(&a, &state(Mode::Active), LEFT, Message(2)), Some((state(Mode::Leader), vec![])));
}

#[test]
fn dolev_klawe_rodeh_algorithm_a() {
    use dolev_klawe_rodeh::{DolevKlaweRodeh, Message::*, State};
    let a = DolevKlaweRodeh::build(&Parameters::new(4).with("identities", "2,4,1,3")).unwrap();
    let active = |max, left| State { mode: Mode::Active, id: 2, max, left };
    let quiet = |mode| State { mode, id: 2, max: 0, left: 0 };

    assert_eq!(after(&a, &a.start(0), Event::Step), Some((active(2, 0), vec![(RIGHT, One(2))])));
    assert_eq!(takes(&a, &active(2, 0), LEFT, One(3)), Some((active(2, 3), vec![(RIGHT, Two(3))])));
    assert_eq!(takes(&a, &active(2, 3), LEFT, Two(1)), Some((active(3, 0), vec![(RIGHT, One(3))])));
    assert_eq!(takes(&a, &active(2, 3), LEFT, Two(4)), Some((quiet(Mode::Passive), vec![])));
    assert_eq!(takes(&a, &active(2, 1), LEFT, Two(4)), Some((quiet(Mode::Passive), vec![])));
    assert_eq!(takes(&a, &active(4, 0), LEFT, One(4)), Some((quiet(Mode::Passive), vec![(RIGHT, Elected(4))])));
    assert_eq!(takes(&a, &active(2, 0), LEFT, One(2)), Some((quiet(Mode::Leader), vec![])));
    let passive = quiet(Mode::Passive);
    assert_eq!(takes(&a, &passive, LEFT, Two(1)), Some((passive, vec![(RIGHT, Two(1))])));
    assert_eq!(takes(&a, &passive, LEFT, Elected(4)), Some((passive, vec![(RIGHT, Elected(4))])));
    assert_eq!(takes(&a, &passive, LEFT, Elected(2)), Some((quiet(Mode::Leader), vec![])));
}

#[test]
fn peterson_basic() {
    use peterson::{Message, Peterson, State};
    let a = Peterson::build(&Parameters::new(4).with("identities", "2,4,1,3")).unwrap();
    let active = |tid, ntid| State { mode: Mode::Active, id: 2, tid, ntid };
    let quiet = |mode| State { mode, id: 2, tid: 0, ntid: 0 };

    assert_eq!(after(&a, &a.start(0), Event::Step), Some((active(2, 0), vec![(RIGHT, Message(2))])));
    assert_eq!(takes(&a, &active(2, 0), LEFT, Message(3)), Some((active(2, 3), vec![(RIGHT, Message(3))])));
    assert_eq!(takes(&a, &active(2, 0), LEFT, Message(1)), Some((active(2, 1), vec![(RIGHT, Message(2))])));
    assert_eq!(takes(&a, &active(2, 3), LEFT, Message(3)), Some((active(3, 0), vec![(RIGHT, Message(3))])));
    assert_eq!(takes(&a, &active(2, 3), LEFT, Message(4)), Some((quiet(Mode::Passive), vec![])));
    assert_eq!(takes(&a, &active(2, 1), LEFT, Message(1)), Some((quiet(Mode::Passive), vec![])));
    for state in [active(2, 0), active(2, 1), quiet(Mode::Passive)] {
        assert_eq!(takes(&a, &state, LEFT, Message(2)), Some((quiet(Mode::Leader), vec![])));
    }
    let passive = quiet(Mode::Passive);
    assert_eq!(takes(&a, &passive, LEFT, Message(3)), Some((passive, vec![(RIGHT, Message(3))])));
}

#[test]
fn franklin_with_identities() {
    use franklin_ids::{FranklinIds, Message, State};
    let a = FranklinIds::build(&Parameters::new(4).with("identities", "2,4,1,3")).unwrap();
    let state = |mode, heard| State { mode, id: 2, heard };
    let passive = state(Mode::Passive, [0, 0]);
    let round = (state(Mode::Active, [0, 0]), vec![(LEFT, Message(2)), (RIGHT, Message(2))]);

    assert_eq!(after(&a, &a.start(0), Event::Step), Some(round.clone()));
    assert_eq!(takes(&a, &round.0, RIGHT, Message(1)), Some((state(Mode::Active, [0, 1]), vec![])));
    assert_eq!(takes(&a, &state(Mode::Active, [0, 1]), RIGHT, Message(1)), None);
    assert_eq!(takes(&a, &state(Mode::Active, [0, 1]), LEFT, Message(3)), Some((passive, vec![])));
    assert_eq!(takes(&a, &state(Mode::Active, [0, 1]), LEFT, Message(1)), Some(round.clone()));
    assert_eq!(takes(&a, &round.0, LEFT, Message(2)), Some((state(Mode::Leader, [0, 0]), vec![])));
    assert_eq!(takes(&a, &passive, RIGHT, Message(4)), Some((passive, vec![(LEFT, Message(4))])));
}
