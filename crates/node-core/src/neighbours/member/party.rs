//! A member that passes messages, starts clean and ends.

use super::Face;
use crate::core::Message;
use crate::kind::NeighbourKind;
use crate::neighbours::{Channel, Packet};
use ringleader_model::ensemble::Sent;
use ringleader_model::{Channels, Coin, Event, Marks, Port, Terminating, Visitor, text};
use std::collections::VecDeque;

/// One process of a message-passing algorithm whose type has been forgotten; messages are words.
pub trait Player: Send {
    /// Which message of a channel may be received next.
    fn channels(&self) -> Channels;
    /// Takes a step of its own accord, if it would.
    fn step(&mut self, coin: &mut dyn Coin, out: &mut Vec<(Port, Vec<u64>)>) -> bool;
    /// Whether these words are a message.
    fn reads(&self, words: &[u64]) -> bool;
    /// Takes a message, if it would now.
    fn take(&mut self, from: Port, words: &[u64], coin: &mut dyn Coin, out: &mut Vec<(Port, Vec<u64>)>) -> bool;
    /// What it shows.
    fn marks(&self) -> Marks;
    /// Its variables as text.
    fn text(&self) -> String;
}

/// How the messages of an algorithm become words, and back.
#[derive(Debug)]
pub struct Codec<P: Terminating> {
    /// The words of a message.
    pub words: fn(&P, &P::Message) -> Vec<u64>,
    /// The message of these words, if they are one.
    pub message: fn(&P, &[u64]) -> Option<P::Message>,
}

impl<P: Terminating> Clone for Codec<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Terminating> Copy for Codec<P> {}

/// A process, with its type.
struct Shell<P: Terminating> {
    algorithm: P,
    codec: Codec<P>,
    me: usize,
    state: P::State,
}

/// Forgets the type of a process; `me` is its identity.
pub fn player<P: Terminating + 'static>(algorithm: P, codec: Codec<P>, me: usize) -> Box<dyn Player> {
    Box::new(Shell { state: algorithm.start(me), algorithm, codec, me })
}

impl<P: Terminating> Shell<P> {
    fn on(&mut self, event: Event<P::Message>, mut coin: &mut dyn Coin, out: &mut Vec<(Port, Vec<u64>)>) -> bool {
        let ready = self.algorithm.ready(&self.state, &event);
        if ready {
            let mut sent = Sent::default();
            self.algorithm.on(self.me, &mut self.state, event, &mut sent, &mut coin);
            for (port, message) in sent.messages {
                out.push((port, (self.codec.words)(&self.algorithm, &message)));
            }
        }
        ready
    }
}

impl<P: Terminating> Player for Shell<P> {
    fn channels(&self) -> Channels {
        self.algorithm.channels()
    }

    fn step(&mut self, coin: &mut dyn Coin, out: &mut Vec<(Port, Vec<u64>)>) -> bool {
        self.on(Event::Step, coin, out)
    }

    fn reads(&self, words: &[u64]) -> bool {
        (self.codec.message)(&self.algorithm, words).is_some()
    }

    fn take(&mut self, from: Port, words: &[u64], coin: &mut dyn Coin, out: &mut Vec<(Port, Vec<u64>)>) -> bool {
        match (self.codec.message)(&self.algorithm, words) {
            Some(message) => self.on(Event::Message { from, message }, coin, out),
            None => false,
        }
    }

    fn marks(&self) -> Marks {
        self.algorithm.marks(self.me, &self.state)
    }

    fn text(&self) -> String {
        text::print_state(&self.algorithm, &self.state)
    }
}

/// A process between two reliable channels.
pub struct Party {
    player: Box<dyn Player>,
    channels: [Channel<Vec<u64>>; 2],
    /// What has arrived and has not been taken.
    inbox: [VecDeque<Vec<u64>>; 2],
}

impl Party {
    /// A process that has not begun.
    pub fn new(player: Box<dyn Player>, coin: &mut dyn Coin) -> Party {
        let channels = [Channel::new(coin), Channel::new(coin)];
        Party { player, channels, inbox: [VecDeque::new(), VecDeque::new()] }
    }

    fn said(to: Port, packet: Packet<Vec<u64>>) -> Message {
        let bytes =
            packet.encode(|words, bytes| words.iter().for_each(|word| bytes.extend_from_slice(&word.to_be_bytes())));
        Message::between(to, packet.kind(), bytes)
    }

    /// Takes steps and messages until it would take none, and sends.
    fn play(&mut self, coin: &mut dyn Coin) -> Vec<Message> {
        let mut out = vec![];
        while self.player.step(coin, &mut out) || self.take_one(coin, &mut out) {}
        let mut said = vec![];
        for (port, words) in out {
            said.extend(self.channels[port].send(words).map(|packet| Party::said(port, packet)));
        }
        said
    }

    fn take_one(&mut self, coin: &mut dyn Coin, out: &mut Vec<(Port, Vec<u64>)>) -> bool {
        for (port, waiting) in self.inbox.iter_mut().enumerate() {
            let reach = if self.player.channels() == Channels::Fifo { 1 } else { waiting.len() };
            let taken = (0..reach.min(waiting.len())).find(|&i| self.player.take(port, &waiting[i], coin, out));
            if let Some(taken) = taken {
                waiting.remove(taken);
                return true;
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
        repeats.filter_map(|(port, channel)| Some(Party::said(port, channel.repeat()?))).collect()
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
        let words = |bytes: &[u8]| -> Option<Vec<u64>> {
            bytes.chunks(8).map(|word| word.try_into().map(u64::from_be_bytes).ok()).collect()
        };
        let packet = Packet::decode(bytes, words)?;
        let channel = self.channels.get_mut(from)?;
        if let Packet::Offer { body, .. } = &packet
            && !self.player.reads(body)
        {
            return None;
        }
        let kind = packet.kind();
        let delivered = channel.hear(packet, coin);
        let mut said: Vec<_> = delivered.reply.map(|reply| Party::said(from, reply)).into_iter().collect();
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
        self.player.marks()
    }

    // It starts clean and heals from nothing: there is nothing to be shown by overwriting it.
    fn variables(&mut self, _: &mut dyn Visitor) {}

    fn text(&self) -> String {
        self.player.text()
    }
}
