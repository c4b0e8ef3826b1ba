//! Self-stabilizing leader election where timely links connect all live processes, if need be over several hops.
//!
//! C. Delporte-Gallet, S. Devismes, H. Fauconnier: *Robust stabilizing leader election*, SSS 2007, section 4, in prose:
//! every process floods ALIVE hop by hop, and follows the least process that it hears of. That takes of the order of n⁴ messages a
//! period. The aggregated form sends one message per peer and period instead, with the hop counts of all origins.

use crate::robust::{ALPHA, BETA, DELTA, ROBUST, complete_network, horizon, list, others, repeats, timing};
use crate::{Card, Entry, Parameter, ParameterKind, Parameters, Refusal};
use ringleader_model::{Coin, Event, Marks, Outbox, Process, Timed, Timing, Variables, Visitor, Worst};

mod message;

pub use message::Message;

/// The algorithm for `size` processes.
#[derive(Clone, Copy, Debug)]
pub struct RobustS3 {
    /// n.
    pub size: usize,
    /// α, β and δ.
    pub timing: Timing,
    /// One message per peer and period.
    pub aggregated: bool,
}

/// The variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// The leader that the process follows: the least process that is not too old.
    pub leader: usize,
    /// Iterations since it last sent.
    pub send_timer: u64,
    /// Iterations since each process was heard of.
    pub age: Vec<u64>,
    /// The aggregated form: the least hop count of each process while it is passed on; n if there is none.
    pub hops: Vec<usize>,
    /// The aggregated form: the further messages that pass it on.
    pub repeat: Vec<u64>,
}

impl RobustS3 {
    /// The least duration of a sending period.
    fn shortest_period(&self) -> u64 {
        self.timing.send_period() * self.timing.alpha
    }

    /// The greatest age of a process that counts as alive: above the longest gap between two refreshes, which is 2nδ in the
    /// prose. The aggregated form waits for a period at every hop, and possibly for the repetition that is not overwritten.
    pub fn limit(&self) -> u64 {
        let per_hop = if self.aggregated { 3 + self.timing.delta.div_ceil(self.shortest_period()) } else { 2 };
        per_hop * self.size as u64 * self.timing.iterations_per_delta()
    }

    fn receive(&self, p: usize, s: &mut State, q: usize, message: Message, out: &mut impl Outbox<Message>) {
        match message {
            Message::Alive(k, r) => {
                s.age[r] = 0;
                if k + 1 < self.size && !self.aggregated {
                    others(self.size, p).filter(|&x| x != q).for_each(|x| out.send(x, Message::Alive(k + 1, r)));
                }
            }
            Message::Table(hops) if self.aggregated => {
                for (r, &k) in hops.iter().enumerate().filter(|&(r, &k)| r != p && k < self.size) {
                    s.age[r] = 0;
                    if k <= s.hops[r] {
                        s.hops[r] = k;
                        s.repeat[r] = repeats(self.timing);
                    }
                }
            }
            Message::Table(_) => {}
        }
    }

    fn send(&self, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        s.send_timer = s.send_timer.saturating_add(1);
        if s.send_timer < self.timing.send_period() {
            return;
        }
        s.send_timer = 0;
        if !self.aggregated {
            others(self.size, p).for_each(|q| out.send(q, Message::Alive(1, p)));
            return;
        }
        let table: Vec<usize> =
            (0..self.size).map(|r| if r == p { 1 } else { s.hops[r].saturating_add(1).min(self.size) }).collect();
        others(self.size, p).for_each(|q| out.send(q, Message::Table(table.clone())));
        for r in 0..self.size {
            s.repeat[r] = s.repeat[r].min(repeats(self.timing)).saturating_sub(1);
            if s.repeat[r] == 0 {
                s.hops[r] = self.size;
            }
        }
    }
}

impl Variables for RobustS3 {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        let n = self.size;
        v.range("leader", 0, n as u64 - 1, &mut s.leader);
        v.word("send_timer", &mut s.send_timer);
        list(v, "age", n, u64::MAX, &mut s.age);
        if self.aggregated {
            s.hops.resize(n, n);
            s.hops.iter_mut().enumerate().for_each(|(r, hops)| v.range(("hops", r), 1, n as u64, hops));
            list(v, "repeat", n, u64::MAX, &mut s.repeat);
        }
    }
}

impl Process for RobustS3 {
    type Message = Message;

    fn message_variables(&self, m: &mut Message, v: &mut dyn Visitor) {
        let n = self.size;
        if self.aggregated {
            let mut hops = if let Message::Table(hops) = m { std::mem::take(hops) } else { vec![] };
            hops.resize(n, n);
            hops.iter_mut().enumerate().for_each(|(r, k)| v.range(("hops", r), 1, n as u64, k));
            *m = Message::Table(hops);
        } else {
            let (mut k, mut r) = if let Message::Alive(k, r) = *m { (k, r) } else { (1, 0) };
            v.range("hops", 1, n as u64 - 1, &mut k);
            v.range("origin", 0, n as u64 - 1, &mut r);
            *m = Message::Alive(k, r);
        }
    }

    fn start(&self, me: usize) -> State {
        let (n, form) = (self.size, if self.aggregated { self.size } else { 0 });
        let age = vec![self.limit() + 1; n];
        State { leader: me, send_timer: 0, age, hops: vec![n; form], repeat: vec![0; form] }
    }

    fn on(&self, p: usize, s: &mut State, event: Event<Message>, out: &mut impl Outbox<Message>, _: &mut impl Coin) {
        match event {
            Event::Step => {}
            Event::Message { from: q, message } => self.receive(p, s, q, message, out),
            Event::Tick => {
                s.age.iter_mut().for_each(|age| *age = age.saturating_add(1));
                s.leader = (0..self.size).find(|&r| r == p || s.age[r] <= self.limit()).unwrap_or(p);
                self.send(p, s, out);
            }
        }
    }

    fn marks(&self, me: usize, s: &State) -> Marks {
        Marks::LEADER.when(s.leader == me)
    }
}

impl Timed for RobustS3 {
    fn timing(&self) -> Timing {
        self.timing
    }

    fn size(&self) -> usize {
        self.size
    }

    fn timeout(&self) -> u64 {
        self.limit()
    }

    /// One slot per (k, r); one for all tables.
    fn slot(&self, m: &Message) -> usize {
        match *m {
            Message::Alive(k, r) => k * self.size + r,
            Message::Table(_) => 0,
        }
    }

    fn leader(&self, _: usize, s: &State) -> usize {
        s.leader
    }

    /// Whoever is not too old was heard of, if not heard: relayed is as good as said.
    fn stands(&self, me: usize, s: &State) -> Option<bool> {
        (s.leader != me).then(|| s.age[s.leader] <= self.limit())
    }

    fn horizon(&self, worst: Worst) -> u64 {
        horizon::s3(self.size, self.timing, self.limit(), worst)
    }
}

impl Entry for RobustS3 {
    const CARD: Card = Card {
        name: "robust-s3",
        source: include_str!("s3.rs"),
        summary: "crash-prone processes connected by paths of timely links; everyone sends and relays",
        citation: "C. Delporte-Gallet, S. Devismes, H. Fauconnier: Robust stabilizing leader election, SSS 2007, section 4",
        sizes: "2 <= n <= 1000; as in the prose 2 <= n <= 12",
        knowledge: "identities, n, and the bounds α, β (loop) and δ (timely links)",
        assumes: "system S3: the live processes are strongly connected by timely links; other links may lose and delay at will",
        channels: Some("one buffer slot per sender and (k, r); aggregated: per sender"),
        states: "n ages of any width; aggregated: and n hop counts",
        claim: "self-stabilizing: all live processes agree on one live leader, for ever",
        parameters: &[
            ALPHA,
            BETA,
            DELTA,
            Parameter {
                name: "form",
                meaning: "prose, or aggregated: one message per peer and period",
                default: "prose",
                kind: ParameterKind::Choice(&["prose", "aggregated"]),
            },
        ],
        rules: "\
Each iteration of process p:
1. for each (ALIVE, k, r) from q: Age[r] := 0; if k < n - 1 send (ALIVE, k + 1, r) to all but p and q
2. Age + 1 for everyone; Leader := the least of p and all r with Age[r] <= 2n⌈δ/α⌉
3. SendTimer + 1; when >= ⌊δ/β⌋: send (ALIVE, 1, p) to all others; SendTimer := 0
form aggregated: nothing is relayed at once; the message of 3 carries for every r the least hop count heard since it was last
passed on, plus one, if below n; it is repeated while an older or a newer message could overwrite it in a slot.",
        system: Some("s3"),
        ..ROBUST
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        let aggregated = match p.word("form") {
            None | Some("prose") if p.size <= 12 => false,
            None | Some("prose") => {
                return Err(Refusal::new("robust-s3 takes at most 12 processes, or form aggregated"));
            }
            Some("aggregated") => true,
            Some(other) => return Err(Refusal::new(format!("form must be prose or aggregated, not {other:?}"))),
        };
        Ok(RobustS3 { size: complete_network(Self::CARD.name, p.size)?, timing: timing(p)?, aggregated })
    }
}
