//! The hosts of compiled code in the engines.

use crate::code::Code;
use crate::code::machine::Host;
use crate::domains::layout::Layout;
use ringleader_model::{Coin, Outbox, Port};

/// A message of a protocol in text: its kind, and its fields packed by the layout of the kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Message {
    pub(crate) kind: u8,
    pub(crate) packed: u64,
}

/// The host of an expression over one agent: the registers are its only input.
pub(crate) struct Nobody;

impl Host for Nobody {}

impl Outbox<Message> for Nobody {
    fn send(&mut self, _: Port, _: Message) {}
}

/// The host of rules: a coin, the numbers of the rules, and the messages that they send.
pub(crate) struct Doing<'a, C, O> {
    pub(crate) coin: &'a mut C,
    pub(crate) out: &'a mut O,
    pub(crate) code: &'a Code,
    pub(crate) messages: &'a [Layout],
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

    fn send(&mut self, port: u8, message: u8, values: &[i64]) {
        let fields = self.messages[message as usize].fields.iter();
        let packed = fields.zip(values).fold(0, |packed, (field, value)| field.set(packed, *value));
        self.out.send(port as Port, Message { kind: message, packed });
    }

    fn round(&mut self) {
        self.out.round();
    }
}
