//! The rules of all models in the engines, and the host of their code.

use crate::build::{Built, Problem};
use crate::code::Code;
use crate::code::machine::{Host, Nobody};
use crate::code::residual::Residual;
use crate::code::sweep::Inputs;
use crate::domains::layout::{Layout, State};
use crate::meaning::typed::Link;
use ringleader_model::graph::Neighbours;
use ringleader_model::{Coin, Marks, Outbox, Port, Vicinity};
use std::sync::OnceLock;

/// A message of a protocol in text: its kind, and its fields packed by the layout of the kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Message {
    pub(crate) kind: u8,
    pub(crate) packed: u64,
}

impl Outbox<Message> for Nobody {
    fn send(&mut self, _: Port, _: Message) {}
}

/// The host of rules: a coin, the numbers of the rules, the messages that they send, and the graph around a process.
pub(crate) struct Doing<'a, C, O> {
    pub(crate) coin: &'a mut C,
    pub(crate) out: &'a mut O,
    pub(crate) code: &'a Code,
    pub(crate) messages: &'a [Layout],
    pub(crate) around: Option<(Vicinity<'a, State>, &'a Neighbours)>,
}

impl<C: Coin, O: Outbox<Message>> Host for Doing<'_, C, O> {
    fn below(&mut self, n: u32) -> u32 {
        self.coin.below(n)
    }

    fn choose(&mut self, n: u32) -> u32 {
        self.coin.choose(n)
    }

    fn drew(&mut self, value: i64) {
        self.coin.drew(value.unsigned_abs());
    }

    #[inline]
    fn fired(&mut self, rule: u8) {
        if let Some((Some(number), _)) = self.code.rules.get(rule as usize) {
            self.coin.fired(*number);
        }
    }

    /// Index 0 is the process itself, index `k` the neighbour behind port `k`.
    fn cell(&self, index: i64) -> u64 {
        let Some((view, _)) = &self.around else { return 0 };
        let port = usize::try_from(index - 1).ok();
        port.and_then(|port| view.neighbours.get(port)).unwrap_or(&view.own).0
    }

    fn link(&self, what: Link, process: i64, port: i64) -> i64 {
        self.around.map_or(0, |(_, graph)| what.of(graph, process, port))
    }

    fn send(&mut self, port: u8, message: u8, values: &[i64]) {
        let fields = self.messages[message as usize].fields.iter();
        let packed = fields.zip(values).fold(0, |packed, (field, value)| field.set(packed, *value));
        self.out.send(port as Port, Message { kind: message, packed });
    }

    fn round(&mut self) {
        self.out.round();
    }
}

/// The rules of up to three participants of a step, compiled.
pub(crate) struct Rules {
    code: Code,
    /// The specialised rules, for long runs without an observer.
    residual: OnceLock<Option<Residual>>,
}

impl Rules {
    pub(crate) fn new(built: &Built<'_>, inputs: &Inputs<'_>) -> Result<Rules, Problem> {
        Ok(Rules { code: built.rules(&built.unit.groups, inputs)?, residual: OnceLock::new() })
    }

    /// The new states of the first two participants; no other one is written.
    #[inline]
    pub(crate) fn step(&self, states: [u64; 4], given: [bool; 2], coin: &mut impl Coin) -> [State; 2] {
        let (code, listens) = (&self.code, coin.listens());
        let mut doing = Doing { coin, out: &mut Nobody, code, messages: &[], around: None };
        if !listens && let Some(residual) = self.residual.get_or_init(|| Residual::new(code)) {
            let [first, second] = residual.run(states, given, &mut doing);
            return [State(first), State(second)];
        }
        let [first, second, ..] = code.step(&[], states, [given[0].into(), given[1].into()], &mut doing);
        [State(first), State(second)]
    }
}

/// The marks whose conditions are not 0.
pub(crate) fn marks(all: &[(Marks, Code)], value: impl Fn(&Code) -> i64) -> Marks {
    all.iter().filter(|(_, code)| value(code) != 0).fold(Marks::NONE, |shown, (mark, _)| shown | *mark)
}
