//! A member of a message-passing algorithm that starts clean and terminates.

use super::{Heard, NeighbourProtocol};
use crate::core::Message;
use crate::fields;
use crate::neighbours::{Channel, Packet};
use ringleader_erased::{MessageInstance, Words};
use ringleader_model::{Channels, Coin, Event, Marks, Port, Process as _, Terminating as _, Visitor, text};
use std::collections::VecDeque;

/// A process between two reliable channels.
pub struct MessageMember {
    algorithm: MessageInstance,
    me: usize,
    state: Words,
    channels: [Channel<Words>; 2],
    /// Messages that have arrived and have not been taken.
    inbox: [VecDeque<Words>; 2],
}

impl MessageMember {
    /// The process with identity `me`, before its first step.
    pub fn new(algorithm: MessageInstance, me: usize, coin: &mut dyn Coin) -> MessageMember {
        let channels = [Channel::new(coin), Channel::new(coin)];
        let state = algorithm.start(me);
        MessageMember { algorithm, me, state, channels, inbox: [VecDeque::new(), VecDeque::new()] }
    }

    fn message(&self, to: Port, packet: &Packet<Words>) -> Message {
        let bytes = packet.encode(|message, bytes| fields::encode(&self.algorithm, message, bytes));
        Message::between(to, packet.kind, bytes)
    }

    /// Takes steps and messages until the process is ready for none, and sends.
    fn play(&mut self, coin: &mut dyn Coin) -> Vec<Message> {
        let mut out = vec![];
        while self.take(Event::Step, coin, &mut out) || self.take_one(coin, &mut out) {}
        let mut sent = vec![];
        for (port, message) in out {
            let packet = self.channels[port].send(message);
            sent.extend(packet.map(|packet| self.message(port, &packet)));
        }
        sent
    }

    /// Takes an event if the process is ready for it.
    fn take(&mut self, event: Event<Words>, mut coin: &mut dyn Coin, out: &mut Vec<(Port, Words)>) -> bool {
        let ready = self.algorithm.ready(&self.state, &event);
        if ready {
            self.algorithm.on(self.me, &mut self.state, event, out, &mut coin);
        }
        ready
    }

    /// Takes one of the waiting messages, if the process is ready for any.
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

impl NeighbourProtocol for MessageMember {
    fn begin(&mut self, coin: &mut dyn Coin) -> Vec<Message> {
        self.play(coin)
    }

    fn repeat(&self) -> Vec<Message> {
        let repeats = self.channels.iter().enumerate();
        repeats.filter_map(|(port, channel)| Some(self.message(port, &channel.repeat()?))).collect()
    }

    // A lost message would never be replaced, so it is repeated without limit.
    fn give_up(&mut self) {}

    fn receive(&mut self, from: Port, bytes: &[u8], _: bool, coin: &mut dyn Coin) -> Option<Heard> {
        let packet = Packet::decode(bytes, |message| fields::decode(&self.algorithm, message))?;
        let (kind, channel) = (packet.kind, self.channels.get_mut(from)?);
        let delivered = channel.receive(packet, coin);
        let mut sent: Vec<_> = delivered.reply.map(|reply| self.message(from, &reply)).into_iter().collect();
        if let Some(message) = delivered.message {
            self.inbox[from].push_back(message);
            sent.extend(self.play(coin));
        }
        Some((kind, sent))
    }

    fn token(&self) -> Option<bool> {
        None
    }

    fn marks(&self) -> Marks {
        self.algorithm.marks(self.me, &self.state)
    }

    // The algorithm starts clean and does not stabilize: overwriting its variables would show nothing.
    fn variables(&mut self, _: &mut dyn Visitor) {}

    fn text(&self) -> String {
        text::print_state(&self.algorithm, &self.state)
    }
}
