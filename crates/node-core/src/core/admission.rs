//! Admission: which datagrams are accepted, and what the rejected ones show about the cluster.

use super::peers::Incarnation;
use super::{Core, Message};
use crate::interface::{Command, Now};
use crate::kind::PayloadKind;
use crate::leadership::Role;
use crate::lease::LetterKind;
use crate::session::{Fresh, Stale};
use crate::tempo::ITERATIONS;
use crate::trouble::{Notice, Trouble};
use crate::wire::{Echo, Header, Opened, Purpose, Rejection, Seal};
use ringleader_model::MessageKind;
use std::time::Duration;

/// The offset of a peer's clock that is worth a notice, in microseconds.
const CLOCK_OFFSET: u64 = 5_000_000;
/// The longest time between two replies to datagrams that are not fresh, in microseconds.
const MOST_PAUSE: u64 = 100_000;
/// The heartbeats for which two leaders lead beside each other before a notice says so: a leader that hears a better one stops within one.
const RIVALS: u32 = 6;

/// The longest time for which a datagram bars this node, in heartbeats.
pub(super) const MOST_DISPUTED: u32 = 10;

impl Core {
    /// Accepts a datagram or rejects it. Returns its sender, and the messages that the algorithm sends immediately.
    pub(super) fn admit(&mut self, now: Now, datagram: &[u8]) -> Result<(usize, Vec<Message>), Rejection> {
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
            // Between two neighbours only the incarnation identifies a reflection of this node's own datagram.
            return Err(Rejection::Misdirected);
        }
        let before = self.peers.get(sender).map_or(Duration::ZERO, |peer| peer.present.last);
        let aging = self.check_fresh(now, sender, &opened)?;
        self.compare(now, sender, &header);
        self.check_agreement(now, sender, &opened)?;
        self.solve_refuted(sender, &header);
        if let Some(guard) = header.guard {
            self.learn_lists(now, sender, guard.standing);
        }
        if !self.listed.get(sender).is_some_and(|&member| member) {
            self.note(now, sender, Trouble::Stranger);
            if header.purpose != Purpose::Stranger {
                self.reply = Some(self.datagram(now, sender, Purpose::Stranger, &[]));
            }
        }
        let letter = header.guard.and_then(|guard| Some((guard.letter?, guard.standing)));
        if !self.config.members.get(sender).is_some_and(|&member| member) {
            // A leader that was removed returns its lease when its hooks have ended.
            if let Some((letter, standing)) = letter.filter(|(letter, _)| letter.kind == LetterKind::Return) {
                self.take_letter(now, sender, letter, standing);
            }
            let rightful = self.may_precede(sender, &header) && self.is_rightful(now, sender, header.acting);
            let rightful = self.yields_to_stranger(now, sender, &header, rightful);
            self.argue(now, sender, Trouble::Stranger, rightful, header.heartbeat);
            return Err(Rejection::UnknownPeer);
        }
        self.note_removal(now, sender, header.purpose == Purpose::Stranger);
        self.note_unheard(now, before, header.acting);
        self.note_double(now, sender, &header);
        self.note_rival(now, sender, header.acting);
        self.bow(now, sender, header.acting);
        if let Some((letter, standing)) = letter {
            self.take_letter(now, sender, letter, standing);
        }
        if header.purpose != Purpose::Message {
            self.counters.last_heard[sender] = Some(now.elapsed);
            self.take_notice(now, sender, &header, message);
        }
        self.answer(now, sender, &opened, aging);
        if header.purpose != Purpose::Message {
            return Ok((sender, vec![]));
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
        *self.counters.messages_received.entry(kind).or_default() += 1;
        Ok((sender, answers))
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
            self.lengthen_hold(now);
        }
    }

    /// Rejects a datagram that may be a copy of an old one, and challenges its sender. Returns whether the session is to be renewed.
    fn check_fresh(&mut self, now: Now, sender: usize, opened: &Opened<'_>) -> Result<bool, Rejection> {
        let (header, limits) = (opened.header, self.limits());
        let link = self.links.entry(sender).or_default();
        let aging = match link.take(self.config.boot, &header, now.micros(), limits) {
            Ok(Fresh::InSession { aging }) => aging,
            Ok(Fresh::Newcomer) => {
                self.receive_newcomer(now, sender, &header)?;
                false
            }
            Err(stale) => {
                let rejection = match stale {
                    Stale::Unproven => Rejection::Unproven,
                    Stale::Replay { .. } => Rejection::Replay,
                    Stale::Late => Rejection::Late,
                };
                if stale != (Stale::Replay { broken: false }) {
                    self.challenge(now, sender, opened);
                }
                if stale == Stale::Unproven {
                    self.note_unanswered(now, sender);
                }
                return Err(rejection);
            }
        };
        self.links.entry(sender).or_default().echo = Echo { boot: header.boot, number: header.challenge };
        self.heard_peer = true;
        let ahead = header.unix.wrapping_sub(now.unix_micros) as i64;
        if let Some(offset) = self.counters.clock_offset.get_mut(sender) {
            *offset = Some(ahead);
            if ahead.unsigned_abs() > CLOCK_OFFSET {
                self.note(now, sender, Trouble::Clock { ahead });
            }
        }
        Ok(aging)
    }

    /// Begins a session with an incarnation that has answered a challenge, unless another node with its identity has precedence.
    fn receive_newcomer(&mut self, now: Now, sender: usize, header: &Header) -> Result<(), Rejection> {
        let (linger, newcomer) = (self.linger(), incarnation(now, header));
        let arrival = self.peers.get_mut(sender).map_or(Ok(()), |peer| peer.arrive(newcomer, linger));
        let link = self.links.entry(sender).or_default();
        match arrival {
            Ok(()) => link.begin(header, now.micros()),
            Err(first) => {
                link.decline();
                self.note(now, sender, Trouble::Doubled);
                let echo = Echo { boot: header.boot, number: header.challenge };
                self.tell_of_double(now, sender, echo, first);
                return Err(Rejection::Doubled);
            }
        }
        Ok(())
    }

    /// Challenges the sender of a datagram that is not fresh: by a reply, and at its own address if replies do not reach it. So a flood of
    /// old datagrams, which uses up the replies, cannot keep this node from a session with the peer.
    fn challenge(&mut self, now: Now, sender: usize, opened: &Opened<'_>) {
        let (header, heartbeat) = (opened.header, self.config.heartbeat.as_micros() as u64);
        let (at, rare) = (now.micros(), heartbeat / 2);
        let link = self.links.entry(sender).or_default();
        let unreached = link.unanswered(at, rare) && link.may_greet(at, rare);
        if link.may_reply(at, (heartbeat / u64::from(ITERATIONS)).min(MOST_PAUSE)) {
            // The stored echo may be out of date on both sides, so the reply takes it from the datagram.
            let echo = Echo { boot: header.boot, number: header.challenge };
            let again = self.resend(now, sender, echo, true, opened);
            let reply = again.unwrap_or_else(|| {
                let rejected = header.time.to_be_bytes();
                let lost = header.purpose == Purpose::Message || header.purpose == Purpose::Lease;
                let message: &[u8] = if lost { &rejected } else { &[] };
                self.datagram_with(now, sender, echo, true, Purpose::Greeting, message)
            });
            self.reply = Some(reply);
        }
        if unreached && self.config.members.get(sender) == Some(&true) {
            self.greet_peer(now, sender);
        }
    }

    /// The last datagram to a peer again, if this greeting says that the peer could not know that it was fresh.
    fn resend(&mut self, now: Now, to: usize, echo: Echo, asks: bool, opened: &Opened<'_>) -> Option<Vec<u8>> {
        let rejected = u64::from_be_bytes(*opened.message.first_chunk::<8>()?);
        let greeting = opened.header.asks && opened.header.purpose == Purpose::Greeting;
        let oldest = now.elapsed.saturating_sub(self.begun.elapsed + self.config.heartbeat).as_micros() as u64;
        let again = self.peers.get(to)?.sent.clone();
        let again = again.filter(|sent| greeting && sent.time == rejected && sent.time >= oldest)?;
        if let (Some(letter), Some(guarded)) = (again.letter, &mut self.guarded) {
            guarded.put_back(to, letter);
        }
        Some(self.datagram_with(now, to, echo, asks, again.purpose, &again.message))
    }

    /// Answers a fresh datagram that asks for it, and renews an aging session.
    fn answer(&mut self, now: Now, sender: usize, opened: &Opened<'_>, aging: bool) {
        if opened.header.asks && self.reply.is_none() {
            let echo = self.links.get(&sender).map_or(Echo::default(), |link| link.echo);
            let again = self.resend(now, sender, echo, aging, opened);
            let reply = again.unwrap_or_else(|| self.datagram_with(now, sender, echo, aging, Purpose::Greeting, &[]));
            self.reply = Some(reply);
            return;
        }
        let rare = self.config.heartbeat.as_micros() as u64 / 2;
        if aging && self.links.get_mut(&sender).is_some_and(|link| link.may_greet(now.micros(), rare)) {
            self.greet_peer(now, sender);
        }
    }

    /// Notes settings that differ without further consequences, whether or not one of the two leads.
    fn compare(&mut self, now: Now, sender: usize, header: &Header) {
        let (ours, theirs) = (self.compared, header.compared);
        if theirs.members != ours.members && theirs.members != 0 && ours.members != 0 {
            self.note(now, sender, Trouble::Members);
        }
        if theirs.handover != ours.handover && theirs.handover != 0 && ours.handover != 0 {
            let [theirs, ours] = [theirs, ours].map(|compared| Duration::from_millis(u64::from(compared.handover)));
            self.note(now, sender, Trouble::Handover { theirs, ours });
        }
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
        if header.asks || header.purpose != Purpose::Greeting {
            // The reply lets the sender find the difference, too.
            self.reply = Some(self.datagram(now, sender, Purpose::Greeting, &[]));
        }
        let rightful = match (self.guarded.is_some(), header.guard.is_some()) {
            // No majority has confirmed it, so it is ignored.
            (true, false) => false,
            // A majority has confirmed it, or may have confirmed another one: this node would be a second leader.
            (false, true) if header.acting > 0 || self.is_outnumbered(now, sender) => true,
            _ => self.is_rightful(now, sender, header.acting),
        };
        self.argue(now, sender, trouble, rightful, header.heartbeat);
        Err(rejection)
    }

    /// Shows no longer the problems of a peer that this datagram, which agrees with this node, refutes. Key, cluster and version are not among
    /// them: anybody can cause those, whatever the peer itself sends.
    fn solve_refuted(&mut self, sender: usize, header: &Header) {
        let (ours, theirs) = (self.compared, header.compared);
        let listed = self.listed.get(sender) == Some(&true);
        let offset = self.counters.clock_offset.get(sender).copied().flatten().unwrap_or_default();
        let guarded = self.guarded.as_ref().zip(header.guard.map(|guard| guard.standing));
        self.notices.solve(sender, |trouble| match trouble {
            Trouble::Size { .. } | Trouble::Algorithm | Trouble::Heartbeat { .. } | Trouble::Guard => true,
            Trouble::Members => ours.members == theirs.members,
            Trouble::Handover { .. } => ours.handover == theirs.handover,
            Trouble::Stranger => listed,
            Trouble::Clock { .. } => offset.unsigned_abs() <= CLOCK_OFFSET,
            Trouble::Rival => header.acting == 0,
            Trouble::Lists { .. } => {
                guarded.is_some_and(|(guarded, theirs)| !theirs.lists.contradict(&guarded.lease.standing().lists))
            }
            Trouble::Rivals { .. } => guarded
                .is_some_and(|(guarded, theirs)| theirs.lists.proposal == guarded.lease.standing().lists.proposal),
            Trouble::Token { .. } => guarded.is_some_and(|(guarded, theirs)| guarded.lease.accepts(theirs.token)),
            _ => false,
        });
    }

    /// Whether most of the other members, this one included, are guarded: only then they can confirm a leader, possibly one that this node
    /// does not hear because it has the same identity. A single guarded host cannot, and must not stop the others.
    fn is_outnumbered(&mut self, now: Now, guarded: usize) -> bool {
        let linger = self.linger();
        if let Some(peer) = self.peers.get_mut(guarded) {
            peer.guarded = Some(now.elapsed);
        }
        let lately = |q: usize| self.peers[q].guarded.is_some_and(|at| now.elapsed.saturating_sub(at) < linger);
        let others = self.others();
        2 * others.iter().filter(|&&q| lately(q)).count() > others.len()
    }

    /// The silence after which an incarnation is forgotten.
    fn linger(&self) -> Duration {
        (self.config.heartbeat * 5).max(Duration::from_secs(2))
    }

    /// Notes two nodes with one identity, and tells the one with precedence.
    fn note_double(&mut self, now: Now, sender: usize, header: &Header) {
        let linger = self.linger();
        if let Some(other) = self.peers[sender].hear(incarnation(now, header), linger) {
            self.note(now, sender, Trouble::Doubled);
            self.tell_of_double(now, sender, Echo { boot: header.boot, number: header.challenge }, other);
        }
    }

    /// Notes a member that leads beside the leader of this node for so long that the heartbeats of one of the two do not reach the other.
    /// Algorithms that need all of their peers may have several leaders for longer, until they converge.
    fn note_rival(&mut self, now: Now, sender: usize, acting: u32) {
        if self.config.silence.is_some() || self.listed.get(sender) != Some(&true) {
            return;
        }
        let long = RIVALS * self.config.heartbeat;
        let theirs = self.peers[sender].acts_for(now.elapsed, acting, long);
        let leader = self.shown.leader;
        let ours = match self.shown.state {
            Role::Leader => self.acting_millis(now),
            Role::Follower if leader != sender => self.peers.get(leader).map_or(0, |peer| peer.present.acting),
            _ => 0,
        };
        if theirs.min(Duration::from_millis(u64::from(ours))) >= long {
            self.note(now, sender, Trouble::Rival);
        }
    }

    /// Tells one of two nodes with one identity of the other one.
    fn tell_of_double(&mut self, now: Now, sender: usize, echo: Echo, other: Incarnation) {
        if self.peers[sender].tell(echo.boot, now.elapsed, self.config.heartbeat) {
            let uptime = other.uptime_at(now.elapsed).to_be_bytes();
            let other = [&uptime[..], &other.acting.to_be_bytes()].concat();
            self.reply = Some(self.datagram_with(now, sender, echo, false, Purpose::Doubled, &other));
        }
    }

    /// Handles a datagram without a message of the algorithm.
    fn take_notice(&mut self, now: Now, sender: usize, header: &Header, message: &[u8]) {
        match header.purpose {
            Purpose::Stranger => {
                self.note(now, sender, Trouble::Unknown);
                let longer = header.acting > self.acting_millis(now);
                let rightful = longer && !self.dropped && self.may_precede(sender, header);
                self.argue(now, sender, Trouble::Unknown, rightful, header.heartbeat);
            }
            Purpose::Doubled => {
                let Some((uptime, acting)) = message.split_first_chunk::<8>() else { return };
                let Some(acting) = acting.first_chunk::<4>().map(|bytes| u32::from_be_bytes(*bytes)) else { return };
                self.note(now, sender, Trouble::Twin);
                let own = now.elapsed.saturating_sub(self.begun.elapsed).as_micros() as u64;
                let first = u64::from_be_bytes(*uptime) > own;
                let rightful = (acting, first).max((header.acting, false)) > (self.acting_millis(now), false);
                self.argue(now, sender, Trouble::Twin, rightful, header.heartbeat);
            }
            Purpose::Led => self.take_report(sender, message),
            Purpose::Greeting | Purpose::Message | Purpose::Lease => {}
        }
    }

    /// Notes that no address of a peer is known: its name was never resolved.
    pub fn note_unresolved(&mut self, now: Now, peer: usize) {
        self.note(now, peer, Trouble::Unresolved);
    }

    pub(super) fn note(&mut self, now: Now, peer: usize, trouble: Trouble) {
        let due = self.notices.note(now.elapsed, peer, trouble, self.config.sides);
        self.commands.extend(due.map(Command::Report));
    }

    /// Whether a peer that has acted for this long has precedence over this node.
    fn is_rightful(&self, now: Now, sender: usize, acting: u32) -> bool {
        acting > 0 && (acting, sender < self.config.me) > (self.acting_millis(now), false)
    }

    /// Starts a dispute if another node acts with precedence: this node hands over and does not act for three heartbeats of the other
    /// node, but at most for ten of its own: one wrong host must not stop it for long. Algorithms that need all of their peers have no
    /// disputes: by their own rules there is one leader eventually.
    fn argue(&mut self, now: Now, peer: usize, trouble: Trouble, rightful: bool, heartbeat: u64) {
        if rightful && self.config.silence.is_none() {
            let own = self.config.heartbeat;
            let lasts = Duration::from_micros(heartbeat.saturating_mul(3)).clamp(3 * own, MOST_DISPUTED * own);
            self.dispute = Some((now.elapsed + lasts, Notice::new(now.elapsed, peer, trouble, self.config.sides)));
        }
    }

    /// Sends a datagram to every peer each heartbeat, if silence would mean a broken ring.
    pub(super) fn reassure(&mut self, now: Now) {
        if self.config.silence.is_none() || !self.counters.iterations.is_multiple_of(u64::from(ITERATIONS)) {
            return;
        }
        for to in self.others() {
            self.send(now, to, Purpose::Greeting, &[]);
        }
    }

    /// Greets every peer after the start, and those without a session again, less and less often. A greeting after a heartbeat lets the
    /// others, which have heard each other by then, tell of a second node with this identity before this one leads.
    pub(super) fn greet(&mut self, now: Now) {
        let (n, heartbeat) = (self.counters.iterations, u64::from(ITERATIONS));
        let again = n == 4 || (n.is_multiple_of(10) && (n / 10).is_power_of_two());
        let all = n == 0 || n == heartbeat + 2;
        for to in self.others() {
            if all || (again && self.links.get(&to).is_none_or(|link| !link.established())) {
                self.greet_peer(now, to);
            }
        }
    }

    /// Sends a challenge to a peer.
    pub(super) fn greet_peer(&mut self, now: Now, to: usize) {
        let echo = self.links.get(&to).map_or(Echo::default(), |link| link.echo);
        let datagram = self.datagram_with(now, to, echo, true, Purpose::Greeting, &[]);
        self.commands.push(Command::Send { to, datagram });
    }
}

/// The sender of a datagram that arrives now.
fn incarnation(now: Now, header: &Header) -> Incarnation {
    Incarnation { boot: header.boot, acting: header.acting, uptime: header.time, last: now.elapsed }
}
