//! The rules of the robust algorithms, line by line.

use ringleader_algorithms::robust::rounds::Rounds;
use ringleader_algorithms::robust::{repeats, s1, s2, s3, s4, s5};
use ringleader_algorithms::{Entry, Parameters};
use ringleader_model::{Event, NoCoin, Port, Process, Timed};

fn build<A: Entry>(size: usize, given: &[(&str, &str)]) -> A {
    let parameters = given.iter().fold(Parameters::new(size), |p, (name, value)| p.with(*name, *value));
    A::build(&parameters).unwrap()
}

fn take<A: Timed>(a: &A, p: usize, s: &mut A::State, event: Event<A::Message>) -> Vec<(Port, A::Message)> {
    let mut out = vec![];
    a.on(p, s, event, &mut out, &mut NoCoin);
    out
}

fn heard<M>(from: Port, message: M) -> Event<M> {
    Event::Message { from, message }
}

#[test]
fn algorithm_1_follows_the_latest_but_a_leader_only_a_smaller_one() {
    let a: s5::RobustS5 = build(4, &[]);
    let mut s = s5::State { leader: 2, send_timer: 0, receive_timer: 7 };
    take(&a, 2, &mut s, heard(3, s5::Alive));
    assert_eq!((s.leader, s.receive_timer), (2, 0), "a larger leader feeds the timer but is not followed");
    take(&a, 2, &mut s, heard(1, s5::Alive));
    take(&a, 2, &mut s, heard(3, s5::Alive));
    assert_eq!(s.leader, 3, "a follower follows whom it heard last");
}

#[test]
fn algorithm_2_answers_a_stale_message_and_does_not_let_it_feed_the_timer() {
    let a: s4::RobustS4 = build(3, &[]);
    let start = |round| s4::Message { start: true, round };
    let mut s = s4::State { leader: 0, round: 7, send_timer: 1, receive_timer: 9 };
    let out = take(&a, 0, &mut s, heard(2, s4::Message { start: false, round: 6 }));
    assert_eq!((out, s.receive_timer, s.round), (vec![(2, start(7))], 9, 7));
    take(&a, 0, &mut s, heard(2, start(7)));
    assert_eq!((s.receive_timer, s.round), (0, 7));
    s.receive_timer = 9;
    let out = take(&a, 0, &mut s, heard(2, start(8)));
    assert_eq!(out, [(2, start(8))], "the leader of round 8 is told, even if it said so itself");
    assert_eq!((s.receive_timer, s.round, s.send_timer), (0, 8, a.timing.send_period()));
}

#[test]
fn algorithm_2_gives_up_a_silent_round_unless_it_leads_it() {
    let a: s4::RobustS4 = build(3, &[]);
    let mut s = s4::State { leader: 1, round: 4, send_timer: 0, receive_timer: a.timeout };
    let out = take(&a, 0, &mut s, Event::Tick);
    assert_eq!((s.round, s.leader, s.receive_timer), (5, 2, 0));
    assert_eq!(out, [(2, s4::Message { start: true, round: 5 })]);
    let mut s = s4::State { leader: 1, round: 4, send_timer: 9, receive_timer: a.timeout };
    let out = take(&a, 1, &mut s, Event::Tick);
    assert_eq!((s.round, s.leader, s.receive_timer), (4, 1, 0));
    let alive = s4::Message { start: false, round: 4 };
    assert_eq!(out, [(0, alive), (2, alive)]);
}

#[test]
fn rounds_end_as_printed_and_start_again_otherwise() {
    let printed: s4::RobustS4 = build(4, &[("as-printed", "yes")]);
    let mut s = s4::State { leader: 0, round: u64::MAX, send_timer: 0, receive_timer: u64::MAX };
    take(&printed, 1, &mut s, Event::Tick);
    assert_eq!(s.round, u64::MAX);
    take(&printed, 1, &mut s, heard(0, s4::Message { start: false, round: 0 }));
    assert_eq!(s.round, u64::MAX);

    let a: s4::RobustS4 = build(4, &[]);
    take(&a, 1, &mut s, Event::Tick);
    assert!(s.round < 4, "an implausible round becomes one of the first");
    s = s4::State { round: Rounds::WORD.end - 1, receive_timer: u64::MAX, ..s };
    take(&a, 1, &mut s, Event::Tick);
    assert_eq!(s.round, 0);
}

#[test]
fn healing_rounds_are_ordered_as_in_the_paper_but_around_the_corner() {
    let last = Rounds::WORD.end - 1;
    let compare = |k, r| Rounds::WORD.compare(k, r);
    for (k, r) in
        [(5, 4), (last, last - 1), (Rounds::WORD.corner, 0), (last, Rounds::WORD.corner), (0, last), (7, last)]
    {
        assert!(compare(k, r).is_gt() && compare(r, k).is_lt() && compare(k, k).is_eq(), "{k} {r}");
    }
    assert!(compare(Rounds::WORD.end, 3).is_lt());
}

fn s2_state(n: usize, leader: usize) -> s2::State {
    s2::State { leader, counter: vec![0; n], phase: vec![0; n], collect: vec![false; n], ..s2::State::default() }
}

#[test]
fn algorithm_3_counts_accusations_of_its_own_phase_only() {
    let a: s2::RobustS2 = build(3, &[]);
    let mut s = s2_state(3, 1);
    s.phase[1] = 5;
    take(&a, 1, &mut s, heard(0, s2::Message::accusation(4)));
    assert_eq!(s.counter[1], 0);
    take(&a, 1, &mut s, heard(0, s2::Message::accusation(5)));
    assert_eq!(s.counter[1], 1);
}

#[test]
fn algorithm_3_at_the_end_of_a_window() {
    let a: s2::RobustS2 = build(3, &[]);
    let mut s = s2_state(3, 2);
    s.receive_timer = u64::MAX;
    (s.phase[2], s.counter) = (8, vec![3, 3, 0]);
    s.collect[1] = true;
    let out = take(&a, 0, &mut s, Event::Tick);
    assert_eq!(out, [(2, s2::Message::accusation(8))], "the leader was silent");
    assert_eq!((s.leader, &s.collect[..], s.receive_timer), (0, &[false; 3][..], 0), "the least (counter, identity)");
    (s.receive_timer, s.phase[0], s.counter[1], s.collect[1]) = (u64::MAX, 4, 2, true);
    let out = take(&a, 0, &mut s, Event::Tick);
    assert_eq!((out.len(), s.leader, s.phase[0]), (0, 1, 5), "giving up the leadership begins a phase");
}

#[test]
fn algorithm_3_sends_its_counter_and_phase_only_while_it_leads() {
    let a: s2::RobustS2 = build(2, &[]);
    let mut s = s2_state(2, 1);
    (s.send_timer, s.counter[1], s.phase[1]) = (99, 6, 7);
    assert_eq!(take(&a, 1, &mut s, Event::Tick), [(0, s2::Message::alive(6, 7))]);
    assert_eq!(s.send_timer, 0);
    (s.send_timer, s.leader) = (99, 0);
    assert_eq!(take(&a, 1, &mut s, Event::Tick), []);
}

#[test]
fn counters_come_down_to_what_is_heard_unless_as_printed() {
    for (printed, after) in [("yes", 1000), ("no", 10 + s2::GAP)] {
        let a: s2::RobustS2 = build(2, &[("as-printed", printed)]);
        let mut s = s2_state(2, 1);
        s.counter[1] = 1000;
        take(&a, 1, &mut s, heard(0, s2::Message::alive(10, 3)));
        assert_eq!((s.counter[0], s.phase[0], s.counter[1]), (10, 3, after));
    }
    let a: s2::RobustS2 = build(2, &[]);
    let mut s = s2_state(2, 1);
    s.counter[1] = u64::MAX;
    take(&a, 1, &mut s, Event::Tick);
    assert_eq!(s.counter[1], 0);
}

#[test]
fn the_overlay_relays_to_all_but_the_sender_up_to_n_minus_1_hops() {
    let a: s3::RobustS3 = build(4, &[]);
    let mut s = a.start(3);
    let out = take(&a, 3, &mut s, heard(1, s3::Message::Alive(2, 0)));
    assert_eq!(out, [(0, s3::Message::Alive(3, 0)), (2, s3::Message::Alive(3, 0))]);
    assert_eq!(take(&a, 3, &mut s, heard(1, s3::Message::Alive(3, 0))), []);
    assert_eq!(s.age[0], 0);
    take(&a, 3, &mut s, Event::Tick);
    assert_eq!(s.leader, 0);
    s.age[0] = a.limit();
    take(&a, 3, &mut s, Event::Tick);
    assert_eq!(s.leader, 3, "too old, and nobody else is alive");
}

#[test]
fn a_table_carries_the_least_hop_count_of_every_origin() {
    let a: s3::RobustS3 = build(4, &[("form", "aggregated")]);
    let mut s = a.start(3);
    take(&a, 3, &mut s, heard(1, s3::Message::Table(vec![3, 1, 4, 2])));
    take(&a, 3, &mut s, heard(2, s3::Message::Table(vec![2, 3, 1, 2])));
    s.send_timer = 99;
    let table = s3::Message::Table(vec![3, 2, 2, 1]);
    assert_eq!(take(&a, 3, &mut s, Event::Tick), [0, 1, 2].map(|q| (q, table.clone())));
    for _ in 1..repeats(a.timing) {
        s.send_timer = 99;
        assert_eq!(take(&a, 3, &mut s, Event::Tick)[0].1, table);
    }
    s.send_timer = 99;
    assert_eq!(take(&a, 3, &mut s, Event::Tick)[0].1, s3::Message::Table(vec![4, 4, 4, 1]), "all said often enough");
}

#[test]
fn s1_leaves_a_round_whose_leader_is_accused_or_silent() {
    let a: s1::RobustS1 = build(4, &[]);
    let mut s = a.start(3);
    take(&a, 3, &mut s, heard(1, s1::Message::Alive(6, vec![true, false, false, false])));
    assert_eq!((s.round, &s.heard[..]), (6, &[0, 6, 0, 0][..]));
    take(&a, 3, &mut s, heard(2, s1::Message::Alive(5, vec![false, false, true, false])));
    assert_eq!((s.round, &s.heard[..], &s.bad[..]), (7, &[0, 6, 5, 0][..], &[true, false, true, false][..]));
    s.round = 8;
    s.receive_timer = vec![99, 99, 0, 99];
    take(&a, 3, &mut s, Event::Tick);
    assert_eq!(s.round, 10, "0 and 1 are silent, and led rounds 8 and 9");
}

#[test]
fn s1_follows_the_round_of_the_first_good_process() {
    let a: s1::RobustS1 = build(4, &[]);
    let mut s = a.start(3);
    (s.round, s.heard) = (10, vec![4, 5, 6, 7]);
    for (bad, local, leader) in [
        ([false, true, true, true], 0, 0),
        ([true, false, false, false], 1, 1),
        ([true, true, true, false], 3, 2),
        ([true, true, true, true], 0, 0),
    ] {
        s.bad = bad.to_vec();
        take(&a, 3, &mut s, Event::Tick);
        assert_eq!((s.local, s.leader), (local, leader), "{bad:?}");
    }
    assert_eq!(s.bad, [false; 4], "all bad, all forgiven");
}

#[test]
fn s1_accuses_the_silent_until_they_are_heard_and_a_few_messages_more() {
    let a: s1::RobustS1 = build(3, &[]);
    let mut s = a.start(0);
    s.receive_timer = vec![0, a.timeout(), 0];
    let accusing = |s: &mut s1::State| {
        s.send_timer = 99;
        take(&a, 0, s, Event::Tick) == [1, 2].map(|q| (q, s1::Message::Alive(0, vec![false, true, false])))
    };
    assert!((0..20).all(|_| accusing(&mut s)) && s.bad == [false, true, false]);
    take(&a, 0, &mut s, heard(1, s1::Message::Alive(0, vec![false; 3])));
    assert!((1..repeats(a.timing)).all(|_| accusing(&mut s)) && !accusing(&mut s));
}

#[test]
fn s1_as_printed_follows_its_favourites_favourite() {
    let a: s1::RobustS1 = build(4, &[("as-printed", "yes")]);
    let mut s = a.start(3);
    s.counter = vec![2, 1, 1, 3];
    let message = s1::Counters { counter: vec![0, 2, 0, 0], local: 1, opinion: vec![3, 3, 3, 4] };
    take(&a, 3, &mut s, heard(2, s1::Message::Counters(message)));
    assert_eq!((&s.counter[..], &s.opinion[..3]), (&[2, 2, 1, 3][..], &[3, 3, 1][..]));
    take(&a, 3, &mut s, Event::Tick);
    assert_eq!((s.local, s.leader, s.opinion[3]), (2, 1, 2));
}

#[test]
fn s1_as_printed_counts_silences_and_reports_only_whom_it_heard() {
    let a: s1::RobustS1 = build(3, &[("as-printed", "yes")]);
    let mut s = a.start(0);
    s.receive_timer = vec![0, a.timeout(), 0];
    s.fresh[2] = true;
    s.send_timer = 99;
    let out = take(&a, 0, &mut s, Event::Tick);
    assert_eq!((&s.counter[..], s.receive_timer[1]), (&[0, 1, 0][..], 0));
    let report = s1::Counters { counter: vec![0, 1, 0], local: 0, opinion: vec![3, 3, 0] };
    assert_eq!(out[0], (1, s1::Message::Counters(report)));
    assert_eq!(s.fresh, [false; 3]);
}
