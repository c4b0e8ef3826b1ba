//! Algorithm 2 with rounds that heal, every state of small instances: convergence whatever the adversary does.
//!
//! A tick is an iteration of everyone; a message takes one. The bi-source's links, to and from it, deliver everything; of what is
//! sent on the others the adversary delivers any. The start is any round, plausible or not, and any timer in every process;
//! with two processes also anything on the links. One process may be dead. The rules are those of `robust-s4` itself.

use ringleader_algorithms::robust::rounds::Rounds;
use ringleader_algorithms::robust::s4::{Message, RobustS4, State};
use ringleader_model::{Event, NoCoin, Process, Timing};
use ringleader_testkit::cycles::fair;
use ringleader_testkit::reachable::{Graph, graph};

/// ⌊δ/β⌋ = 1: whoever may send does so in every iteration, and no send timer is left over.
const TIMING: Timing = Timing { alpha: 2, beta: 2, delta: 3 };

/// Rounds and receive timers, and the messages under way: the newest of each link and type, ordered.
type Moment = (Vec<(u64, u64)>, Vec<(usize, usize, Message)>);

/// Tampers with a process after it took a message: its state before, its state after, the message.
type Spoil = fn(&State, &mut State, Message);

struct Instance {
    algorithm: RobustS4,
    dead: Option<usize>,
    bisource: usize,
    spoil: Spoil,
}

impl Instance {
    fn rounds(&self) -> Rounds {
        self.algorithm.rounds.unwrap()
    }

    fn successors(&self, (locals, under_way): &Moment) -> Vec<(Moment, (u32, u32))> {
        let sure = |&(p, q, _): &(usize, usize, Message)| p == self.bisource || q == self.bisource;
        let free: Vec<_> = under_way.iter().filter(|m| !sure(m)).collect();
        let choices = 0..1u32 << free.len();
        choices
            .map(|chosen| {
                let lost: Vec<_> = (0..free.len()).filter(|i| chosen >> i & 1 == 1).map(|i| free[i]).collect();
                // No message must be treated fairly: what the adversary may lose, it may lose for ever.
                (self.tick(locals, under_way.iter().filter(|m| !lost.contains(m))), (0, 0))
            })
            .collect()
    }

    fn tick<'a>(&self, locals: &[(u64, u64)], arrived: impl Iterator<Item = &'a (usize, usize, Message)>) -> Moment {
        let arrived: Vec<_> = arrived.collect();
        let (mut next, mut sent) = (vec![], vec![]);
        for (p, &(round, receive_timer)) in locals.iter().enumerate() {
            if self.dead == Some(p) {
                next.push((0, 0));
                continue;
            }
            let (mut s, mut out) = (State { round, receive_timer, ..State::default() }, vec![]);
            for &&(from, _, message) in arrived.iter().filter(|(_, to, _)| *to == p) {
                let before = s;
                self.algorithm.on(p, &mut s, Event::Message { from, message }, &mut out, &mut NoCoin);
                (self.spoil)(&before, &mut s, message);
            }
            self.algorithm.on(p, &mut s, Event::Tick, &mut out, &mut NoCoin);
            assert_eq!((s.send_timer, s.leader), (0, self.algorithm.led_by(s.round)));
            next.push((s.round, s.receive_timer));
            for (q, message) in out.into_iter().filter(|(q, _)| self.dead != Some(*q)) {
                sent.retain(|(from, to, m): &(usize, usize, Message)| (*from, *to, m.start) != (p, q, message.start));
                sent.push((p, q, message));
            }
        }
        sent.sort_unstable();
        (next, sent)
    }

    /// Any round and timer in every process, nothing on the links.
    fn every_state(&self) -> Vec<Vec<(u64, u64)>> {
        (0..self.algorithm.size).fold(vec![vec![]], |states, p| {
            let timers = if self.dead == Some(p) { 0..=0 } else { 0..=self.algorithm.timeout };
            let rounds = if self.dead == Some(p) { 0..=0 } else { 0..=self.rounds().end };
            let locals: Vec<_> = rounds.flat_map(|r| timers.clone().map(move |t| (r, t))).collect();
            states.iter().flat_map(|state| locals.iter().map(|l| [&state[..], &[*l]].concat())).collect()
        })
    }

    /// Everything that can be on the links of two processes.
    fn every_message(&self) -> Vec<Vec<(usize, usize, Message)>> {
        let slots = [(0, 1, false), (0, 1, true), (1, 0, false), (1, 0, true)];
        slots.iter().fold(vec![vec![]], |all, &(p, q, start)| {
            all.iter()
                .flat_map(|messages: &Vec<_>| {
                    let more = (0..=self.rounds().end)
                        .map(move |round| [&messages[..], &[(p, q, Message { start, round })]].concat());
                    more.chain([messages.clone()])
                })
                .collect()
        })
    }

    /// How many moments can be, and whether all runs end with everyone in rounds of one live leader.
    fn check(&self, starts: impl Iterator<Item = Moment>) -> (usize, bool) {
        let Graph { states: moments, mut edges } = graph(starts, |moment| self.successors(moment));
        let everyone: Vec<u32> = (0..moments.len() as u32).collect();
        let settled = |component: &Vec<u32>| {
            let named = |&m: &u32| {
                let live = moments[m as usize].0.iter().enumerate().filter(|(p, _)| self.dead != Some(*p));
                live.map(|(_, (round, _))| self.algorithm.led_by(*round)).collect::<Vec<_>>()
            };
            let leader = named(&component[0])[0];
            self.dead != Some(leader) && component.iter().all(|m| named(m).iter().all(|&l| l == leader))
        };
        (moments.len(), fair(&everyone, &mut edges).iter().all(settled))
    }
}

const AS_IT_IS: Spoil = |_, _, _| {};

fn instance(size: usize, rounds: Rounds, dead: Option<usize>, spoil: Spoil) -> Instance {
    let algorithm = RobustS4 { size, timing: TIMING, rounds: Some(rounds), timeout: 3 };
    Instance { algorithm, dead, bisource: size - 1, spoil }
}

/// Three processes, from every state whose rounds are among these.
fn three(dead: Option<usize>, spoil: Spoil, among: impl Fn(u64) -> bool) -> (usize, bool) {
    let instance = instance(3, Rounds { end: 7, corner: 2 }, dead, spoil);
    let starts = instance.every_state().into_iter().filter(|s| s.iter().all(|(round, _)| among(*round)));
    instance.check(starts.map(|s| (s, vec![])))
}

#[test]
fn two_processes_converge_from_every_state_and_every_message() {
    let instance = instance(2, Rounds { end: 4, corner: 1 }, None, AS_IT_IS);
    let (states, messages) = (instance.every_state(), instance.every_message());
    let starts = states.iter().flat_map(|s| messages.iter().map(move |m| (s.clone(), m.clone())));
    assert_eq!(instance.check(starts), (518_400, true));
}

#[test]
fn three_processes_converge_from_every_state_outside_the_last_corner() {
    let outside = |round| round < 5 || round == 7;
    assert_eq!(three(None, AS_IT_IS, outside), (23_695, true));
    assert!(three(Some(0), AS_IT_IS, outside).1 && three(Some(1), AS_IT_IS, outside).1);
    assert!(three(None, AS_IT_IS, |round| round >= 5).1, "from the last corner alone they leave around it");
}

#[test]
fn between_the_middle_and_the_last_corner_processes_can_be_driven_around() {
    assert!(!three(None, AS_IT_IS, |_| true).1, "ahead is not transitive there");
}

#[test]
fn a_stale_message_that_feeds_the_timer_does_not_converge() {
    let feeds: Spoil = |_, after, _| after.receive_timer = 0;
    assert!(!three(None, feeds, |round| round < 5).1);
}
