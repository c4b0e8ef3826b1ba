//! Which datagrams are taken, and what is learnt from those that are not.

use super::peers::{Life, Voice};
use super::{Core, Now, count};
use crate::protocol::Transmit;
use crate::replay::Stale;
use crate::tempo::ITERATIONS;
use crate::trouble::Trouble;
use crate::wire::{More, Opened, Purpose, Rejection, Seal};
use std::time::Duration;

impl Core {
    /// Takes a datagram into the buffer, or says why not.
    pub(super) fn admit(&mut self, now: Now, datagram: &[u8]) -> Result<(), Rejection> {
        let (me, sides) = (self.config.me, self.config.sides);
        let misdirected = |sender: u16, receiver: u16| match sides {
            true => !matches!((sender, receiver), (0, 1) | (1, 0)),
            false => usize::from(receiver) != me || usize::from(sender) == me,
        };
        let opened = self.seal.open(datagram, |address| match misdirected(address.sender, address.receiver) {
            true => Err(Rejection::Misdirected),
            false => Ok(()),
        });
        let opened = opened.inspect_err(|&rejection| self.suspect(now, datagram, rejection))?;
        let sender = usize::from(opened.address.sender);
        if sides && opened.address.more.is_some_and(|more| more.boot == self.config.boot) {
            // Between sides nothing else tells a reflection: what this process sent itself.
            return Err(Rejection::Misdirected);
        }
        self.check_time(now, sender, &opened)?;
        self.check_agreement(now, sender, &opened)?;
        if !self.config.members.get(sender).is_some_and(|&member| member) {
            self.note(now, sender, Trouble::Stranger);
            if let Some(more) = opened.address.more {
                if more.purpose != Purpose::Stranger {
                    self.reply = Some(self.datagram(now, sender, more.boot, Purpose::Stranger, &[]));
                }
                let rightful = self.is_rightful(now, sender, more.acting);
                self.argue(now, sender, Trouble::Stranger, rightful, Duration::from_micros(more.heartbeat));
            }
            return Err(Rejection::UnknownPeer);
        }
        if let Some(more) = opened.address.more {
            self.check_double(now, sender, more)?;
            self.peers[sender].proven |= more.echo == self.config.boot;
            self.insist(now, sender, more);
            self.bow(now, sender, more.acting);
            if let Some(letter) = more.guard.and_then(|guard| guard.letter) {
                self.take_letter(now, sender, more.boot, letter);
            }
            if more.purpose != Purpose::Message {
                self.counters.last_heard[sender] = Some(now.elapsed);
                self.obey(now, sender, more, &opened.message);
                return Ok(());
            }
        }
        let short = opened.address.more.is_none() && self.config.known == Some(opened.message.len());
        let acting = opened.address.more.map_or(0, |more| more.acting);
        let kind = match self.unheeded(now, sender, acting, &opened.message, short) {
            Some(kind) => kind,
            None => self.algorithm.take(sender, &opened.message, short, &mut self.coin).ok_or(Rejection::Message)?,
        };
        if kind == "ACCUSATION" {
            self.accused = Some(now.elapsed);
        }
        self.counters.received[sender] += 1;
        if kind == "RESIGN" {
            self.released = Some(sender);
        } else if self.released == Some(sender) && kind == "ALIVE" {
            self.released = None;
        }
        self.counters.last_heard[sender] = Some(now.elapsed);
        count(&mut self.counters.messages_received, kind);
        Ok(())
    }

    /// What nobody vouches for is told, and changes nothing.
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

    fn check_time(&mut self, now: Now, sender: usize, opened: &Opened) -> Result<(), Rejection> {
        let ahead = opened.address.time.wrapping_sub(now.unix_micros) as i64;
        let taken = self.replay.take(sender, opened.address.time, now.unix_micros);
        // What was sent while this node stood still waited for it: that says nothing of the sender's clock.
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
        // What was sent before this process began could be played to it again, until the window is over.
        let young = now.elapsed.saturating_sub(self.begun.elapsed) < 2 * self.config.clock_window;
        let (proven, greets) = match opened.address.more {
            Some(more) => (more.echo == self.config.boot, more.purpose == Purpose::Hello),
            None => (opened.address.time >= self.begun.unix_micros, false),
        };
        // Whoever has once proven that it knows of this life has a clock that goes on from there.
        let known = self.peers.get(sender).is_some_and(|peer| peer.proven);
        if young && !proven && !greets && !known {
            if let (Some(more), Some(peer)) = (opened.address.more, self.peers.get_mut(sender)) {
                peer.boot = peer.boot.max(more.boot);
            }
            return Err(Rejection::Unproven);
        }
        Ok(())
    }

    /// Members that are told different things drop each other's datagrams; that is certain, and the one that has
    /// acted for less time says so instead of leading.
    fn check_agreement(&mut self, now: Now, sender: usize, opened: &Opened) -> Result<(), Rejection> {
        let (size, ours) = (self.algorithm.size(), self.config.heartbeat);
        let more = opened.address.more;
        let theirs = more.map(|more| Duration::from_micros(more.heartbeat));
        let digest = self.guarded.as_ref().map(|guarded| guarded.digest);
        let guarded_alike = more.and_then(|more| more.guard).map(|guard| guard.digest) == digest;
        let (trouble, rejection) = match more {
            _ if opened.agrees && theirs.is_none_or(|theirs| theirs == ours) && guarded_alike => return Ok(()),
            Some(more) if usize::from(more.size) != size => {
                (Trouble::Size { theirs: usize::from(more.size), ours: size }, Rejection::Algorithm)
            }
            _ if opened.agrees && theirs.is_none_or(|theirs| theirs == ours) => (Trouble::Guard, Rejection::Guard),
            Some(more) if opened.agrees => {
                (Trouble::Heartbeat { theirs: Duration::from_micros(more.heartbeat), ours }, Rejection::Heartbeat)
            }
            _ => (Trouble::Algorithm, Rejection::Algorithm),
        };
        self.note(now, sender, trouble);
        if let Some(more) = more {
            if let Some(peer) = self.peers.get_mut(sender) {
                peer.boot = peer.boot.max(more.boot);
            }
            if more.purpose != Purpose::Welcome {
                // It may not be among those that hear from this node, and finds the difference by itself.
                self.reply = Some(self.datagram(now, sender, more.boot, Purpose::Welcome, &[]));
            }
            let rightful = self.is_rightful(now, sender, more.acting);
            self.argue(now, sender, trouble, rightful, theirs.unwrap_or(ours));
        }
        Err(rejection)
    }

    fn check_double(&mut self, now: Now, sender: usize, more: More) -> Result<(), Rejection> {
        let linger = (self.config.heartbeat * 5).max(Duration::from_secs(2));
        // A life that has not begun yet by any clock was none: this memory was wrong.
        if self.peers[sender].boot > now.unix_micros.saturating_add(self.config.clock_window.as_micros() as u64) {
            self.peers[sender].boot = 0;
        }
        match self.peers[sender].hear(more.boot, more.acting, now.elapsed, linger) {
            Voice::Only => Ok(()),
            Voice::OneOfTwo(Life { boot, acting, .. }, other_goes_first) => {
                self.note(now, sender, Trouble::Doubled);
                if self.peers[sender].tell(more.boot, now.elapsed, self.config.heartbeat) {
                    let other = [&boot.to_be_bytes()[..], &acting.to_be_bytes()].concat();
                    self.reply = Some(self.datagram(now, sender, more.boot, Purpose::Doubled, &other));
                }
                if other_goes_first { Err(Rejection::Doubled) } else { Ok(()) }
            }
        }
    }

    /// Whoever speaks to another life of this identity hears that this one lives; of two it then knows.
    fn insist(&mut self, now: Now, sender: usize, more: More) {
        let other = more.echo != 0 && more.echo != self.config.boot;
        if other && self.reply.is_none() && self.peers[sender].tell(0, now.elapsed, self.config.heartbeat) {
            self.reply = Some(self.datagram(now, sender, more.boot, Purpose::Hello, &[]));
        }
    }

    /// What a datagram says that carries no message of the algorithm.
    fn obey(&mut self, now: Now, sender: usize, more: More, message: &[u8]) {
        match more.purpose {
            Purpose::Hello => self.reply = Some(self.datagram(now, sender, more.boot, Purpose::Welcome, &[])),
            Purpose::Stranger => {
                self.note(now, sender, Trouble::Unknown);
                let rightful = more.acting > self.acting_millis(now);
                self.argue(now, sender, Trouble::Unknown, rightful, self.config.heartbeat);
            }
            Purpose::Doubled => {
                let Some((boot, acting)) = message.split_first_chunk::<8>() else { return };
                let Some(acting) = acting.first_chunk::<4>().map(|bytes| u32::from_be_bytes(*bytes)) else { return };
                self.note(now, sender, Trouble::Twin);
                let first = u64::from_be_bytes(*boot) < self.config.boot;
                let rightful = (acting, first).max((more.acting, false)) > (self.acting_millis(now), false);
                self.argue(now, sender, Trouble::Twin, rightful, self.config.heartbeat);
            }
            Purpose::Welcome | Purpose::Message | Purpose::Lease => {}
        }
    }

    pub(super) fn note(&mut self, now: Now, peer: usize, trouble: Trouble) {
        self.reports.extend(self.notices.note(now.elapsed, peer, trouble, self.config.sides));
    }

    /// Whether one that has acted for so long has more right to than this node.
    fn is_rightful(&self, now: Now, sender: usize, acting: u32) -> bool {
        acting > 0 && (acting, sender < self.config.me) > (self.acting_millis(now), false)
    }

    /// Another acts with more right: for a few of its heartbeats this one does not. Algorithms that need all of their peers have no
    /// such right: in the end there is one leader by their rules, whoever led before.
    fn argue(&mut self, now: Now, peer: usize, trouble: Trouble, rightful: bool, heartbeat: Duration) {
        if rightful && self.config.silence.is_none() {
            let lasts = 3 * heartbeat.clamp(self.config.heartbeat, Duration::from_secs(60).max(self.config.heartbeat));
            let notice = self.notices.recent(now.elapsed).find(|n| (n.peer, n.trouble) == (peer, trouble)).copied();
            self.dispute = notice.map(|notice| (now.elapsed + lasts, notice));
        }
    }

    /// Whether the one that acts with more right does not know this node, or this node not it: those that know both would have two.
    pub(super) fn is_apart(&self) -> bool {
        self.dispute.is_some_and(|(_, notice)| matches!(notice.trouble, Trouble::Unknown | Trouble::Stranger))
    }

    /// Where silence means a broken ring, nobody is silent who has nothing to say: a word each heartbeat.
    pub(super) fn reassure(&mut self, now: Now, out: &mut Vec<Transmit>) {
        if self.config.silence.is_none() || !self.counters.iterations.is_multiple_of(u64::from(ITERATIONS)) {
            return;
        }
        for to in (0..self.peers.len()).filter(|&to| !self.is_me(to) && self.config.members[to]).collect::<Vec<_>>() {
            let datagram = self.datagram(now, to, self.peers[to].boot, Purpose::Welcome, &[]);
            out.push(Transmit { to, datagram });
        }
    }

    /// Tells those that have begun before when this one did, until they know or the time for playing old datagrams is over.
    pub(super) fn greet(&mut self, now: Now, out: &mut Vec<Transmit>) {
        let n = self.counters.iterations;
        let due = n == 0 || n == 4 || (n.is_multiple_of(10) && (n / 10).is_power_of_two());
        if !due || now.elapsed.saturating_sub(self.begun.elapsed) >= 2 * self.config.clock_window {
            return;
        }
        for to in 0..self.peers.len() {
            if !self.is_me(to) && self.config.members[to] && !self.peers[to].proven {
                let datagram = self.datagram(now, to, self.peers[to].boot, Purpose::Hello, &[]);
                out.push(Transmit { to, datagram });
            }
        }
    }
}
