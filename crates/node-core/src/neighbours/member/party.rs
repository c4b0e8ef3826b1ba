//! A member that passes messages, starts clean and ends.

use super::Face;
use crate::core::Message;
use crate::fields;
use crate::kind::NeighbourKind;
use crate::neighbours::{Channel, Packet};
use ringleader_erased::{MessageInstance, Words};
use ringleader_model::{Channels, Coin, Event, Marks, Port, Process as _, Terminating as _, Visitor, text};
use std::collections::VecDeque;

/// A process between two reliable channels.
pub struct Party {
    algorithm: MessageInstance,
    me: usize,
    state: Words,
    channels: [Channel<Words>; 2],
    /// Messages that have arrived and have not been taken.
    inbox: [VecDeque<Words>; 2],
}

impl Party {
    /// A process that has not begun; `me` is its identity.
    pub fn new(algorithm: MessageInstance, me: usize, coin: &mut dyn Coin) -> Party {
        let channels = [Channel::new(coin), Channel::new(coin)];
        let state = algorithm.start(me);
        Party { algorithm, me, state, channels, inbox: [VecDeque::new(), VecDeque::new()] }
    }

    fn said(&self, to: Port, packet: &Packet<Words>) -> Message {
        let bytes = packet.encode(|message, bytes| fields::encode(&self.algorithm, message, bytes));
        Message::between(to, packet.kind(), bytes)
    }

    /// Takes steps and messages until it would take none, and sends.
    fn play(&mut self, coin: &mut dyn Coin) -> Vec<Message> {
        let mut out = vec![];
        while self.take(Event::Step, coin, &mut out) || self.take_one(coin, &mut out) {}
        let mut said = vec![];
        for (port, message) in out {
            let packet = self.channels[port].send(message);
            said.extend(packet.map(|packet| self.said(port, &packet)));
        }
        said
    }

    /// Takes an event, if it would now.
    fn take(&mut self, event: Event<Words>, mut coin: &mut dyn Coin, out: &mut Vec<(Port, Words)>) -> bool {
        let ready = self.algorithm.ready(&self.state, &event);
        if ready {
            self.algorithm.on(self.me, &mut self.state, event, out, &mut coin);
        }
        ready
    }

    /// Takes one of the messages that wait, if it would take any.
    fn take_one(&mut self, coin: &mut dyn Coin, out: &mut Vec<(Port, Words)>) -> bool {
        for port in 0..self.inbox.len() {
            let waiting = self.inbox[port].len();
            let reach = if self.algorithm.channels() == Channels::Fifo { waiting.min(1) } else { waiting };
            for index in 0..reach {
                let message = self.inbox[port][index].clone();
                if self.take(Event::Message { from: port, message }, coin, out) {
                    self.inbox[port].remove(index);
                    return true;
                }
            }
        }
        false
    }
}

impl Face for Party {
    fn begin(&mut self, coin: &mut dyn Coin) -> Vec<Message> {
        self.play(coin)
    }

    fn repeat(&self) -> Vec<Message> {
        let repeats = self.channels.iter().enumerate();
        repeats.filter_map(|(port, channel)| Some(self.said(port, &channel.repeat()?))).collect()
    }

    // What is lost is lost for good: a message waits for as long as it takes.
    fn give_up(&mut self) {}

    fn hear(
        &mut self,
        from: Port,
        bytes: &[u8],
        _: bool,
        coin: &mut dyn Coin,
    ) -> Option<(NeighbourKind, Vec<Message>)> {
        let packet = Packet::decode(bytes, |message| fields::decode(&self.algorithm, message))?;
        let channel = self.channels.get_mut(from)?;
        let kind = packet.kind();
        let delivered = channel.hear(packet, coin);
        let mut said: Vec<_> = delivered.reply.map(|reply| self.said(from, &reply)).into_iter().collect();
        if let Some(message) = delivered.message {
            self.inbox[from].push_back(message);
            said.extend(self.play(coin));
        }
        Some((kind, said))
    }

    fn token(&self) -> Option<bool> {
        None
    }

    fn marks(&self) -> Marks {
        self.algorithm.marks(self.me, &self.state)
    }

    // It starts clean and heals from nothing: there is nothing to be shown by overwriting it.
    fn variables(&mut self, _: &mut dyn Visitor) {}

    fn text(&self) -> String {
        text::print_state(&self.algorithm, &self.state)
    }
}
