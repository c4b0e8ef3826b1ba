//! The least process that is alive leads: everybody sends, everybody listens.
//!
//! The simplest election among processes that know identities and time and may crash, where all links are timely: n(n - 1)
//! messages a period, and nothing to heal but ages. Written here to show how a timed algorithm of one's own is simulated in a
//! hostile network and run on real machines by the same code.

use ringleader::Cli;
use ringleader::erased::{Card, Entry, Kind, Parameter, ParameterKind, Parameters, Refusal, Topology};
use ringleader::model::{Coin, Event, Marks, Outbox, Process, Scheduler, Timed, Timing, Variables, Visitor};
use std::fmt;
use std::process::ExitCode;

/// The algorithm for `size` processes.
struct LeastAlive {
    size: usize,
    timing: Timing,
}

/// How many iterations ago each process was heard, and since the last message was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct State {
    ages: Vec<u64>,
    send_timer: u64,
}

/// "I am alive."
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Alive;

impl fmt::Display for Alive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ALIVE")
    }
}

impl Variables for LeastAlive {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        s.ages.resize(self.size, 0);
        for (q, age) in s.ages.iter_mut().enumerate() {
            v.word(("age", q), age);
        }
        v.word("send_timer", &mut s.send_timer);
    }
}

impl Process for LeastAlive {
    type Message = Alive;

    fn message_variables(&self, _: &mut Alive, _: &mut dyn Visitor) {}

    fn start(&self, _: usize) -> State {
        State { ages: vec![0; self.size], send_timer: 0 }
    }

    fn ready(&self, _: &State, event: &Event<Alive>) -> bool {
        *event != Event::Step
    }

    fn on(&self, p: usize, s: &mut State, event: Event<Alive>, out: &mut impl Outbox<Alive>, _: &mut impl Coin) {
        match event {
            Event::Step => {}
            Event::Message { from, message: Alive } => s.ages[from] = 0,
            Event::Tick => {
                s.ages.iter_mut().for_each(|age| *age = age.saturating_add(1));
                s.send_timer = s.send_timer.saturating_add(1);
                if s.send_timer >= self.timing.send_period() {
                    (0..self.size).filter(|&q| q != p).for_each(|q| out.send(q, Alive));
                    s.send_timer = 0;
                }
            }
        }
    }

    fn marks(&self, me: usize, s: &State) -> Marks {
        Marks::LEADER.when(self.leader(me, s) == me)
    }
}

impl Timed for LeastAlive {
    fn timing(&self) -> Timing {
        self.timing
    }

    fn size(&self) -> usize {
        self.size
    }

    /// Two messages of a process over a timely link are read at most so many iterations apart.
    fn timeout(&self) -> u64 {
        (2 * self.timing.delta + self.timing.beta) / self.timing.alpha + 1
    }

    fn leader(&self, me: usize, s: &State) -> usize {
        let alive = |q: &usize| s.ages.get(*q).is_some_and(|&age| age <= self.timeout());
        (0..me).find(alive).unwrap_or(me)
    }
}

const fn duration(name: &'static str, meaning: &'static str, default: &'static str) -> Parameter {
    Parameter { name, meaning, default, kind: ParameterKind::Number }
}

impl Entry for LeastAlive {
    const CARD: Card = Card {
        name: "least-alive",
        source: include_str!("main.rs"),
        summary: "everybody sends, and follows the least that is heard",
        citation: "folklore",
        kind: Kind::Robust,
        topology: Topology::Complete,
        sizes: "2 to 100 processes",
        knowledge: "identities, the size, α, β and δ",
        scheduler: Scheduler::Timed,
        assumes: "all links timely (S5)",
        states: "n ages of any width",
        claim: "self-stabilizing: all live processes agree on the least live one, for ever",
        default_size: 5,
        parameters: &[
            duration("alpha", "α, the least duration of a loop iteration", "8"),
            duration("beta", "β, the greatest duration of a loop iteration", "10"),
            duration("delta", "δ, the greatest delay of a timely link", "40"),
        ],
        rules: "\
1. ALIVE from q: Age[q] := 0
2. each iteration: Age + 1 for everyone; every ⌊δ/β⌋ of them: ALIVE to all others
3. Leader: the least q with Age[q] at most (2δ + β)/α, or oneself",
        system: Some("s5"),
        ..Card::BLANK
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        let timing = Timing {
            alpha: p.number("alpha")?.unwrap_or(8),
            beta: p.number("beta")?.unwrap_or(10),
            delta: p.number("delta")?.unwrap_or(40),
        };
        timing.validate()?;
        if !(2..=100).contains(&p.size) {
            return Err(Refusal::new(format!("least-alive needs 2 to 100 processes, not {}", p.size)));
        }
        Ok(LeastAlive { size: p.size, timing })
    }
}

fn main() -> ExitCode {
    Cli::new().robust::<LeastAlive>().main()
}
