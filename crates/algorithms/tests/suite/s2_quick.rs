//! The rules of the quick form of Algorithm 3, one by one, among a few processes with immediate delivery.

use ringleader_algorithms::robust::s2::{Message, Part, RobustS2, State};
use ringleader_algorithms::{Entry, Parameters};
use ringleader_model::{Event, MessageKind, NoCoin, Process, Timed};

/// All processes iterate in turn; a message is taken in the next iteration of its receiver.
struct Room {
    algorithm: RobustS2,
    states: Vec<Option<State>>,
    in_transit: Vec<(usize, usize, Message)>,
    /// Everything sent: sender, receiver, message.
    sent: Vec<(usize, usize, Message)>,
}

impl Room {
    fn new(size: usize, given: &[(&str, &str)]) -> Room {
        let daemon = [("pace", "fast"), ("period", "20"), ("alpha", "95"), ("beta", "105"), ("delta", "500")];
        let parameters =
            daemon.iter().chain(given).fold(Parameters::new(size), |p, (name, value)| p.with(*name, *value));
        let algorithm = RobustS2::build(&parameters).unwrap();
        let states = (0..size).map(|p| Some(algorithm.start(p))).collect();
        Room { algorithm, states, in_transit: vec![], sent: vec![] }
    }

    fn take(&mut self, p: usize, event: Event<Message>) {
        let Some(state) = &mut self.states[p] else { return };
        let mut out = vec![];
        self.algorithm.on(p, state, event, &mut out, &mut NoCoin);
        for (to, message) in out {
            self.sent.push((p, to, message));
            self.in_transit.push((p, to, message));
        }
    }

    /// One iteration of everyone.
    fn tick(&mut self) {
        for (from, to, message) in std::mem::take(&mut self.in_transit) {
            self.take(to, Event::Message { from, message });
        }
        (0..self.states.len()).for_each(|p| self.take(p, Event::Tick));
    }

    fn run(&mut self, ticks: u64) {
        (0..ticks).for_each(|_| self.tick());
    }

    fn state(&self, p: usize) -> &State {
        self.states[p].as_ref().unwrap()
    }

    fn acting(&self) -> Vec<usize> {
        let acts = |p: &usize| self.states[*p].as_ref().is_some_and(|s| s.quick.acts());
        (0..self.states.len()).filter(acts).collect()
    }

    fn sent(&self, kind: MessageKind) -> usize {
        self.sent.iter().filter(|(_, _, said)| said.kind == kind).count()
    }
}

#[test]
fn a_cold_start_has_one_leader_from_the_first_moment() {
    let mut room = Room::new(5, &[]);
    for _ in 0..200 {
        room.tick();
        assert!(room.acting().is_empty() || room.acting() == [0], "{:?}", room.acting());
    }
    assert_eq!(room.acting(), [0]);
    assert_eq!(room.sent(MessageKind::Accusation), 0);
    room.sent.clear();
    room.run(200);
    assert_eq!(room.sent.len(), 40, "four a period, nothing else: {:?}", room.sent);
}

#[test]
fn the_greatest_weight_leads() {
    let mut room = Room::new(4, &[("weights", "1,2,9,2")]);
    room.run(200);
    assert_eq!(room.acting(), [2]);
}

/// A newcomer that goes before the leader waits while that one acts, then takes over from one moment to the next.
#[test]
fn a_newcomer_proves_itself_and_is_handed_the_leadership() {
    let mut room = Room::new(3, &[]);
    room.states[0] = None;
    room.run(200);
    assert_eq!(room.acting(), [1]);
    room.states[0] = Some(room.algorithm.start(0));
    room.sent.clear();
    let (mut without, mut waited) = (0, 0);
    while room.acting() != [0] {
        room.tick();
        without += u64::from(room.acting().is_empty());
        waited += 1;
        assert!(room.acting().len() <= 1 && waited < 1000);
        if !room.acting().is_empty() {
            assert!((0..3).all(|p| room.state(p).leader == room.acting()[0] || p == 0 || room.acting() == [0]));
        }
    }
    assert!(waited > 200, "it proved itself for ten periods, not {waited} iterations");
    assert!(without <= 1, "{without} iterations without a leader");
    assert_eq!((room.sent(MessageKind::Accusation), room.sent(MessageKind::Resign)), (0, 2));
}

/// Up for less than the proof takes, again and again: it never gets to lead, and nobody is without a leader.
#[test]
fn a_crash_looping_process_disturbs_nobody() {
    let mut room = Room::new(3, &[]);
    room.states[0] = None;
    room.run(200);
    for _ in 0..20 {
        room.states[0] = Some(room.algorithm.start(0));
        for _ in 0..80 {
            room.tick();
            assert_eq!(room.acting(), [1]);
        }
        room.states[0] = None;
        for _ in 0..20 {
            room.tick();
            assert_eq!(room.acting(), [1]);
        }
    }
}

/// A leader that hears no candidate leads on while it is heard: the candidate asks for ever, whatever its memory contains, and acts when the
/// leader is silent, or hands over.
#[test]
fn a_candidate_waits_for_a_leader_that_it_hears() {
    for stage in [0, 200, 400, 1 << 40, u64::MAX - 1, u64::MAX] {
        let mut room = Room::new(2, &[]);
        room.states[0] = None;
        room.run(200);
        room.states[0] = Some(room.algorithm.start(0));
        room.run(50);
        room.states[0].as_mut().unwrap().quick.stage = stage;
        for _ in 0..2000 {
            // The leader is deaf to candidates.
            room.in_transit.retain(|(_, _, message)| message.kind != MessageKind::Candidate);
            room.tick();
            assert_eq!(room.acting(), [1], "stage {stage}");
        }
        assert!(Timed::asks_in_vain(&room.algorithm, 0, room.state(0)), "stage {stage}");
        room.sent.clear();
        let mut other = Room { states: room.states.clone(), in_transit: vec![], sent: vec![], ..Room::new(2, &[]) };
        other.states[1] = None;
        other.run(40);
        assert_eq!(other.acting(), [0], "stage {stage}: the leader is silent");
        room.run(25);
        assert_eq!(room.acting(), [0], "stage {stage}: it hears a request, once a period");
        room.run(200);
        assert_eq!((room.acting(), room.sent(MessageKind::Accusation)), (vec![0], 0));
        assert!(!Timed::asks_in_vain(&room.algorithm, 0, room.state(0)));
    }
}

#[test]
fn without_preemption_only_a_lesser_counter_takes_over() {
    let mut room = Room::new(3, &[("preempt", "no")]);
    room.states[0] = None;
    room.run(200);
    room.states[0] = Some(room.algorithm.start(0));
    room.run(2000);
    assert_eq!(room.acting(), [1]);
    room.states[1].as_mut().unwrap().counter[1] += 1;
    room.run(1000);
    assert_eq!(room.acting(), [0]);
}

/// A leader that leaves looks for an heir while it acts; it is silent afterwards, and is not accused.
#[test]
fn one_that_resigns_names_an_heir_which_acts_at_once() {
    let mut room = Room::new(4, &[]);
    room.run(200);
    room.sent.clear();
    room.take(0, Event::Step);
    let mut without = 0;
    for _ in 0..20 {
        room.tick();
        without += usize::from(room.acting().is_empty());
    }
    assert_eq!((room.acting(), without), (vec![1], 1));
    let heirs: Vec<u64> = room
        .sent
        .iter()
        .filter(|(_, _, said)| said.kind == MessageKind::Resign)
        .map(|(_, _, said)| said.counter)
        .collect();
    assert_eq!(heirs, [2, 2, 2], "process 1, counted from 1");
    assert_eq!((room.sent(MessageKind::Accusation), room.sent(MessageKind::Resign)), (0, 3));
    room.run(1000);
    assert_eq!(room.acting(), [1], "it stands behind its heir");
}

/// What the heir does not hear it is told again, until it leads; and not for ever where nobody does.
#[test]
fn a_resignation_that_got_lost_is_repeated() {
    let resigns = |message: &Message| message.kind == MessageKind::Resign;
    let mut room = Room::new(4, &[]);
    room.run(200);
    room.take(0, Event::Step);
    while room.acting() == [0] {
        room.tick();
    }
    room.in_transit.retain(|(_, _, message)| !resigns(message));
    let mut without = 1;
    while room.acting().is_empty() {
        room.tick();
        without += 1;
    }
    assert_eq!((room.acting(), without), (vec![1], 4));
    room.sent.clear();
    room.run(1000);
    assert_eq!((room.acting(), room.sent(MessageKind::Resign), room.sent(MessageKind::Accusation)), (vec![1], 0, 0));

    room.take(1, Event::Step);
    while room.acting() == [1] {
        room.tick();
    }
    room.states[0] = None;
    room.states[2] = None;
    room.states[3] = None;
    room.run(60);
    assert!(room.sent(MessageKind::Resign) <= 3 * 11, "{}: for a period at most", room.sent(MessageKind::Resign));
}

/// While it lets go it does not act, but nobody else does either, until it is done or its time is over.
#[test]
fn a_place_is_held_for_the_heir() {
    for done in [true, false] {
        let mut room = Room::new(3, &[("yields", "100")]);
        room.run(200);
        room.take(0, Event::Step);
        while room.acting() == [0] {
            room.tick();
        }
        for _ in 0..50 {
            room.tick();
            assert_eq!(room.acting(), [], "and nobody leads");
            assert_eq!(room.state(0).quick.part, Part::Yielding);
        }
        if done {
            room.take(0, Event::Step);
            room.run(2);
        } else {
            room.run(60);
        }
        assert_eq!(room.acting(), [1]);
    }
}

/// One that is asked again and again not to lead comes back when that ends, if it goes before the others.
#[test]
fn one_that_was_withdrawn_comes_back() {
    let mut room = Room::new(3, &[]);
    room.run(200);
    for _ in 0..300 {
        room.take(0, Event::Step);
        room.tick();
    }
    assert_eq!(room.acting(), [1]);
    room.run(400);
    assert_eq!(room.acting(), [0]);
}

#[test]
fn a_late_leader_is_asked_and_its_answer_is_as_good_as_a_heartbeat() {
    let mut room = Room::new(2, &[]);
    room.run(200);
    room.sent.clear();
    for _ in 0..400 {
        // Heartbeats get lost, answers do not.
        room.in_transit.retain(|(_, _, message)| message.kind != MessageKind::Alive);
        room.tick();
    }
    assert_eq!(room.acting(), [0]);
    assert_eq!((room.sent(MessageKind::Accusation), room.sent(MessageKind::Candidate)), (0, 0));
    assert!(room.sent(MessageKind::Answer) >= 15, "{}", room.sent(MessageKind::Answer));
}

/// Whoever says that the leader is not there may be a liar: it is asked, not more often than it answers, and followed on.
#[test]
fn a_doubt_only_asks() {
    let mut room = Room::new(3, &[]);
    room.run(200);
    room.sent.clear();
    for _ in 0..200 {
        for other in [0, 2] {
            let (algorithm, mut out) = (room.algorithm.clone(), vec![]);
            algorithm.doubt(1, room.states[1].as_mut().unwrap(), other, &mut out);
            room.in_transit.extend(out.into_iter().map(|(to, message)| (1, to, message)));
        }
        room.tick();
        assert_eq!((room.acting(), room.state(1).leader), (vec![0], 0));
    }
    let answers = room.sent(MessageKind::Answer);
    assert!((20..=200).contains(&answers), "{answers} answers");
    assert_eq!((room.sent(MessageKind::Accusation), room.sent(MessageKind::Candidate)), (0, 0));
}

/// A link that is dead for two periods at a time, again and again: once it was seen on both sides, nobody takes it for a crash; when
/// it is over, a crash is noticed as soon as before.
#[test]
fn outages_that_were_seen_are_borne_and_forgotten() {
    let mut room = Room::new(3, &[]);
    room.run(200);
    let (mut two, mut without) = (vec![], 0);
    for cycle in 0..20 {
        for tick in 0..80 {
            if tick < 40 {
                room.in_transit.retain(|(from, to, _)| *from != 0 && *to != 0);
            }
            room.tick();
            two.extend((room.acting().len() > 1).then_some(cycle));
            without += usize::from(room.acting().is_empty());
        }
    }
    assert!(two.iter().all(|&cycle| cycle < 2), "two acted in cycles {two:?}");
    assert!(without <= 5, "{without} iterations without a leader, in some handovers");
    room.run(180 * 20);
    let &[leader] = &room.acting()[..] else { panic!("{:?}", room.acting()) };
    room.states[leader] = None;
    room.run(30);
    assert_eq!(room.acting().len(), 1, "a period and a half after the crash");
}

/// The leader is silent for two and a half periods. Process 1 has met no stall and would act; process 2 has, and waits: so both do, but not for ever.
#[test]
fn a_candidate_waits_as_long_as_a_process_with_more_patience() {
    for patient in [false, true] {
        let mut room = Room::new(3, &[]);
        room.run(200);
        if patient {
            let algorithm = room.algorithm.clone();
            algorithm.stalled(2, room.states[2].as_mut().unwrap(), 60);
        }
        let mut beside = 0;
        for _ in 0..50 {
            room.in_transit.retain(|(from, to, _)| *from != 0 && *to != 0);
            room.tick();
            beside += usize::from(room.acting() != [0]);
        }
        assert_eq!(beside == 0, patient, "{beside} iterations with another leader");
        room.run(100);
        let &[leader] = &room.acting()[..] else { panic!("{:?}", room.acting()) };
        room.states[leader] = None;
        room.run(4 * 20 + 5);
        assert_eq!(room.acting().len(), 1, "four periods after the crash");
    }
}

/// A candidate for the place of a leader that resigned waits for nobody.
#[test]
fn patience_with_a_leader_that_resigned_is_not_taken_over() {
    let mut room = Room::new(3, &[]);
    room.run(200);
    let algorithm = room.algorithm.clone();
    room.states[1].as_mut().unwrap().quick.silence[0] = u64::MAX;
    let told = Message { counter: 1, number: 80, ..Message::new(MessageKind::Resign) };
    room.take(1, Event::Message { from: 2, message: told });
    assert!(algorithm.patience(1, room.state(1)).unwrap() < 40);
    room.states[1].as_mut().unwrap().quick.silence[0] = 3;
    room.take(1, Event::Message { from: 2, message: told });
    assert_eq!(algorithm.patience(1, room.state(1)), Some(80));
}

/// S2 promises nothing of links to the leader: one that hears no questions is not given up for that.
#[test]
fn a_deaf_leader_leads_on() {
    let mut room = Room::new(3, &[]);
    room.run(200);
    for _ in 0..1000 {
        room.in_transit.retain(|(_, to, _)| *to != 0);
        room.tick();
        assert_eq!(room.acting(), [0]);
    }
}

/// A crash is noticed after a period and a quarter of silence or so, and of the others the first acts, alone.
#[test]
fn a_crash_costs_one_and_a_half_periods_at_most() {
    for phase in 0..20 {
        let mut room = Room::new(5, &[]);
        room.run(200 + phase);
        room.states[0] = None;
        let mut ticks = 0;
        while room.acting().is_empty() {
            room.tick();
            ticks += 1;
        }
        assert!(ticks <= 30, "{ticks} iterations");
        assert_eq!(room.acting(), [1]);
        room.run(100);
        assert_eq!(room.acting(), [1]);
    }
}

/// A link that loses everything also loses accusations: a process that was silent in its present phase is accused again.
#[test]
fn an_accusation_is_repeated_when_the_accused_is_heard_again() {
    let mut room = Room::new(3, &[]);
    room.run(200);
    for _ in 0..60 {
        room.in_transit.retain(|(from, to, _)| *from != 0 && *to != 0);
        room.tick();
    }
    assert_eq!(room.acting(), [0, 1], "cut off, it leads itself");
    room.run(25);
    assert_eq!(room.acting(), [1], "and not the others again");
    assert!(room.state(0).counter[0] >= 1);
}

/// Whoever was cut off itself blames nobody: the leader that all others heard goes on, whatever the identity of who comes back.
#[test]
fn whoever_was_cut_off_does_not_unseat_the_leader() {
    for (size, away) in [(5, vec![4]), (5, vec![3, 4]), (3, vec![2]), (2, vec![1]), (8, vec![4])] {
        let mut room = Room::new(size, &[]);
        room.run(200);
        for _ in 0..100 {
            room.in_transit.retain(|(from, to, _)| away.contains(from) == away.contains(to));
            room.tick();
        }
        assert_eq!(room.acting(), [0, away[0]], "cut off, they have a leader of their own");
        for _ in 0..400 {
            room.tick();
            assert!(room.acting().contains(&0), "{size} {away:?}: {:?}", room.acting());
        }
        assert_eq!(room.acting(), [0]);
        assert_eq!(room.state(0).counter[0], 0);
    }
}

/// Where only the link between the two is cut, the others say that the leader lives: it is to blame, or its link, and one that all hear
/// takes over.
#[test]
fn a_leader_whose_link_to_one_is_dead_is_blamed_when_that_one_hears_it_again() {
    // In a room for eight, three are no majority.
    for size in [3, 5, 8] {
        let mut room = Room::new(size, &[]);
        room.states[5.min(size)..].fill(None);
        room.run(200);
        for _ in 0..100 {
            room.in_transit.retain(|(from, to, _)| (*from, *to) != (0, 1) && (*from, *to) != (1, 0));
            room.tick();
        }
        assert_eq!(room.acting(), [0, 1]);
        room.run(25);
        assert_eq!(room.acting(), [1]);
        assert_eq!(room.state(0).counter[0], 1);
    }
}

/// Two that act and step down for each other at the same moment find out, and are not waited for.
#[test]
fn two_that_step_down_for_each_other_do_not_wait_for_each_other() {
    let mut room = Room::new(3, &[]);
    room.run(200);
    for p in [0, 1] {
        let state = room.states[p].as_mut().unwrap();
        (state.leader, state.quick.part, state.quick.silence[1 - p]) = (p, Part::Acting, 0);
        (state.counter[p], state.counter[1 - p]) = (5, 4);
    }
    room.states[2].as_mut().unwrap().counter[2] = 5;
    room.tick();
    assert_eq!((room.acting(), room.state(0).leader, room.state(1).leader), (vec![], 1, 0), "each follows the other");
    room.run(12);
    assert_eq!(room.acting(), [0]);
    room.run(200);
    assert_eq!(room.acting(), [0]);
}

/// However long all of them were alone, and whatever else they remember, they speak before they act: one does.
#[test]
fn those_that_were_alone_do_not_act_at_once_all_together() {
    let mut room = Room::new(5, &[]);
    room.run(200);
    for state in room.states.iter_mut().flatten() {
        (state.quick.part, state.quick.lonely, state.quick.loss) = (Part::Idle, u64::MAX, 65535);
        state.quick.silence.fill(u64::MAX);
    }
    for _ in 0..200 {
        room.tick();
        assert!(room.acting().len() <= 1, "{:?}", room.acting());
    }
    assert_eq!(room.acting(), [0]);
}

/// A corrupted measure of loss does not make patience longer than three messages that are lost in a row, and some.
#[test]
fn whatever_was_measured_patience_has_a_bound() {
    let mut room = Room::new(3, &[]);
    room.run(200);
    for state in room.states.iter_mut().flatten() {
        (state.quick.loss, state.quick.trip, state.quick.outage) = (65535, u64::MAX, u64::MAX);
    }
    room.states[0] = None;
    room.run(75);
    assert_eq!(room.acting(), [1]);
}

/// One that crashed and comes back is not accused of the silence in between.
#[test]
fn one_that_was_restarted_is_not_accused_again() {
    let mut room = Room::new(3, &[]);
    room.run(200);
    room.states[0] = None;
    room.run(100);
    room.states[0] = Some(room.algorithm.start(0));
    room.sent.clear();
    room.run(400);
    assert_eq!((room.acting(), room.sent(MessageKind::Accusation)), (vec![0], 0));
}
