//! Admission: which datagrams are accepted, and what the rejected ones show about the cluster.

use super::peers::{Incarnation, Speakers};
use super::{Core, Message};
use crate::counters::Counters;
use crate::interface::{Command, Now};
use crate::kind::PayloadKind;
use crate::replay::Stale;
use crate::tempo::ITERATIONS;
use crate::trouble::Trouble;
use crate::wire::{Header, Opened, Purpose, Rejection, Seal};
use ringleader_model::MessageKind;
use std::time::Duration;

impl Core {
    /// Accepts a datagram or rejects it. Returns the messages that the algorithm sends immediately.
    pub(super) fn admit(&mut self, now: Now, datagram: &[u8]) -> Result<Vec<Message>, Rejection> {
        let (me, sides) = (self.config.me, self.config.sides);
        let misdirected = |header: &Header| match sides {
            true => !matches!((header.sender, header.receiver), (0, 1) | (1, 0)),
            false => usize::from(header.receiver) != me || usize::from(header.sender) == me,
        };
        let expected = |header: &Header| if misdirected(header) { Err(Rejection::Misdirected) } else { Ok(()) };
        let opened = self.seal.open(datagram, expected);
        let opened = opened.inspect_err(|&rejection| self.suspect(now, datagram, rejection))?;
        let Opened { header, message, .. } = opened;
        let sender = usize::from(header.sender);
        if sides && header.boot == self.config.boot {
            // Between two neighbours only the boot time identifies a reflection of this node's own datagram.
            return Err(Rejection::Misdirected);
        }
        self.check_time(now, sender, &header)?;
        self.check_agreement(now, sender, &opened)?;
        if !self.config.members.get(sender).is_some_and(|&member| member) {
            self.note(now, sender, Trouble::Stranger);
            if header.purpose != Purpose::Stranger {
                self.reply = Some(self.datagram(now, sender, header.boot, Purpose::Stranger, &[]));
            }
            let rightful = self.is_rightful(now, sender, header.acting);
            self.argue(now, sender, Trouble::Stranger, rightful, Duration::from_micros(header.heartbeat));
            return Err(Rejection::UnknownPeer);
        }
        self.check_double(now, sender, &header)?;
        self.peers[sender].proven |= header.echo == self.config.boot;
        self.insist(now, sender, &header);
        self.bow(now, sender, header.acting);
        if let Some(letter) = header.guard.and_then(|guard| guard.letter) {
            self.take_letter(now, sender, header.boot, letter);
        }
        if header.purpose != Purpose::Message {
            self.counters.last_heard[sender] = Some(now.elapsed);
            self.take_notice(now, sender, &header, message);
            return Ok(vec![]);
        }
        let mut answers = vec![];
        let kind = match self.unheeded(now, sender, header.acting, message) {
            Some(kind) => PayloadKind::Timed(kind),
            None => {
                let taken = self.algorithm.take(sender, message, &mut self.coin, &mut answers);
                taken.ok_or(Rejection::Message)?
            }
        };
        match kind {
            PayloadKind::Timed(MessageKind::Accusation) => self.accused = Some(now.elapsed),
            PayloadKind::Timed(MessageKind::Resign) => self.released = Some(sender),
            PayloadKind::Timed(MessageKind::Alive) if self.released == Some(sender) => self.released = None,
            _ => {}
        }
        self.counters.received[sender] += 1;
        self.counters.last_heard[sender] = Some(now.elapsed);
        Counters::count(&mut self.counters.messages_received, kind);
        Ok(answers)
    }

    /// Notes the problem that an unauthenticated datagram shows; it changes nothing else.
    fn suspect(&mut self, now: Now, datagram: &[u8], rejection: Rejection) {
        let trouble = match rejection {
            Rejection::Mac => Trouble::Key,
            Rejection::Cluster => Trouble::Cluster,
            Rejection::Version => Trouble::Version,
            _ => return,
        };
        let claimed = Seal::claimed(datagram).filter(|&sender| self.config.members.get(sender) == Some(&true));
        if let Some(sender) = claimed.filter(|&sender| !self.is_me(sender)) {
            self.note(now, sender, trouble);
        }
    }

    fn check_time(&mut self, now: Now, sender: usize, header: &Header) -> Result<(), Rejection> {
        let ahead = header.time.wrapping_sub(now.unix_micros) as i64;
        let taken = self.replay.take(sender, header.time, now.unix_micros);
        // A datagram that waited while this node stood still says nothing about the sender's clock.
        let waited = ahead < 0 && self.was_away(now);
        if taken != Err(Stale::Replay)
            && !waited
            && let Some(offset) = self.counters.clock_offset.get_mut(sender)
        {
            *offset = Some(ahead);
        }
        match taken {
            Err(Stale::Clock) => {
                if !waited {
                    self.note(now, sender, Trouble::Clock { ahead });
                }
                return Err(Rejection::Clock);
            }
            Err(Stale::Replay) => return Err(Rejection::Replay),
            Ok(()) => {}
        }
        // A datagram that was sent before this process started could be replayed to it until the window is over.
        let young = now.elapsed.saturating_sub(self.begun.elapsed) < 2 * self.config.clock_window;
        let expected = header.echo == self.config.boot || header.purpose == Purpose::Hello;
        // A peer that has echoed this boot time once sends only later times from then on.
        let known = self.peers.get(sender).is_some_and(|peer| peer.proven);
        if young && !expected && !known {
            if let Some(peer) = self.peers.get_mut(sender) {
                peer.boot = peer.boot.max(header.boot);
            }
            return Err(Rejection::Unproven);
        }
        Ok(())
    }

    /// Members with different settings reject each other's datagrams. The settings certainly differ, so the one that has acted for less
    /// time reports the dispute and does not lead.
    fn check_agreement(&mut self, now: Now, sender: usize, opened: &Opened<'_>) -> Result<(), Rejection> {
        let header = opened.header;
        let (size, ours) = (self.algorithm.size(), self.config.heartbeat);
        let (theirs, their_size) = (Duration::from_micros(header.heartbeat), usize::from(header.size));
        let digest = self.guarded.as_ref().map(|guarded| guarded.digest);
        let (trouble, rejection) = match () {
            () if their_size != size => (Trouble::Size { theirs: their_size, ours: size }, Rejection::Algorithm),
            () if !opened.agrees => (Trouble::Algorithm, Rejection::Algorithm),
            () if theirs != ours => (Trouble::Heartbeat { theirs, ours }, Rejection::Heartbeat),
            () if header.guard.map(|guard| guard.digest) != digest => (Trouble::Guard, Rejection::Guard),
            () => return Ok(()),
        };
        self.note(now, sender, trouble);
        if let Some(peer) = self.peers.get_mut(sender) {
            peer.boot = peer.boot.max(header.boot);
        }
        if header.purpose != Purpose::Welcome {
            // The reply lets the sender find the difference, too.
            self.reply = Some(self.datagram(now, sender, header.boot, Purpose::Welcome, &[]));
        }
        let rightful = self.is_rightful(now, sender, header.acting);
        self.argue(now, sender, trouble, rightful, theirs);
        Err(rejection)
    }

    fn check_double(&mut self, now: Now, sender: usize, header: &Header) -> Result<(), Rejection> {
        let linger = (self.config.heartbeat * 5).max(Duration::from_secs(2));
        // A boot time in the future is the result of corrupted memory.
        if self.peers[sender].boot > now.unix_micros.saturating_add(self.config.clock_window.as_micros() as u64) {
            self.peers[sender].boot = 0;
        }
        match self.peers[sender].hear(header.boot, header.acting, now.elapsed, linger) {
            Speakers::Only => Ok(()),
            Speakers::OneOfTwo(Incarnation { boot, acting, .. }, other_goes_first) => {
                self.note(now, sender, Trouble::Doubled);
                if self.peers[sender].tell(header.boot, now.elapsed, self.config.heartbeat) {
                    let other = [&boot.to_be_bytes()[..], &acting.to_be_bytes()].concat();
                    self.reply = Some(self.datagram(now, sender, header.boot, Purpose::Doubled, &other));
                }
                if other_goes_first { Err(Rejection::Doubled) } else { Ok(()) }
            }
        }
    }

    /// Greets a sender that addresses another incarnation of this identity, so that it finds out about two.
    fn insist(&mut self, now: Now, sender: usize, header: &Header) {
        let other = header.echo != 0 && header.echo != self.config.boot;
        if other && self.reply.is_none() && self.peers[sender].tell(0, now.elapsed, self.config.heartbeat) {
            self.reply = Some(self.datagram(now, sender, header.boot, Purpose::Hello, &[]));
        }
    }

    /// Handles a datagram without a message of the algorithm.
    fn take_notice(&mut self, now: Now, sender: usize, header: &Header, message: &[u8]) {
        match header.purpose {
            Purpose::Hello => self.reply = Some(self.datagram(now, sender, header.boot, Purpose::Welcome, &[])),
            Purpose::Stranger => {
                self.note(now, sender, Trouble::Unknown);
                let rightful = header.acting > self.acting_millis(now);
                self.argue(now, sender, Trouble::Unknown, rightful, self.config.heartbeat);
            }
            Purpose::Doubled => {
                let Some((boot, acting)) = message.split_first_chunk::<8>() else { return };
                let Some(acting) = acting.first_chunk::<4>().map(|bytes| u32::from_be_bytes(*bytes)) else { return };
                self.note(now, sender, Trouble::Twin);
                let first = u64::from_be_bytes(*boot) < self.config.boot;
                let rightful = (acting, first).max((header.acting, false)) > (self.acting_millis(now), false);
                self.argue(now, sender, Trouble::Twin, rightful, self.config.heartbeat);
            }
            Purpose::Welcome | Purpose::Message | Purpose::Lease => {}
        }
    }

    pub(super) fn note(&mut self, now: Now, peer: usize, trouble: Trouble) {
        let due = self.notices.note(now.elapsed, peer, trouble, self.config.sides);
        self.commands.extend(due.map(Command::Report));
    }

    /// Whether a peer that has acted for this long has precedence over this node.
    fn is_rightful(&self, now: Now, sender: usize, acting: u32) -> bool {
        acting > 0 && (acting, sender < self.config.me) > (self.acting_millis(now), false)
    }

    /// Starts a dispute if another node acts with precedence: this node does not act for a few heartbeats. Algorithms that need all of
    /// their peers have no disputes: by their own rules there is one leader eventually.
    fn argue(&mut self, now: Now, peer: usize, trouble: Trouble, rightful: bool, heartbeat: Duration) {
        if rightful && self.config.silence.is_none() {
            let lasts = 3 * heartbeat.clamp(self.config.heartbeat, Duration::from_secs(60).max(self.config.heartbeat));
            let notice = self.notices.recent(now.elapsed).find(|n| (n.peer, n.trouble) == (peer, trouble)).copied();
            self.dispute = notice.map(|notice| (now.elapsed + lasts, notice));
        }
    }

    /// Whether one of the two disputing nodes does not list the other as a peer: nodes that list both would see two leaders.
    pub(super) fn is_apart(&self) -> bool {
        self.dispute.is_some_and(|(_, notice)| matches!(notice.trouble, Trouble::Unknown | Trouble::Stranger))
    }

    /// Sends a datagram to every peer each heartbeat, if silence would mean a broken ring.
    pub(super) fn reassure(&mut self, now: Now) {
        if self.config.silence.is_none() || !self.counters.iterations.is_multiple_of(u64::from(ITERATIONS)) {
            return;
        }
        for to in self.others() {
            self.send(now, to, Purpose::Welcome);
        }
    }

    /// Announces this node's boot time until every peer has acknowledged it, or old datagrams are out of the window.
    pub(super) fn greet(&mut self, now: Now) {
        let n = self.counters.iterations;
        let due = n == 0 || n == 4 || (n.is_multiple_of(10) && (n / 10).is_power_of_two());
        if !due || now.elapsed.saturating_sub(self.begun.elapsed) >= 2 * self.config.clock_window {
            return;
        }
        for to in self.others() {
            if !self.peers[to].proven {
                self.send(now, to, Purpose::Hello);
            }
        }
    }
}
