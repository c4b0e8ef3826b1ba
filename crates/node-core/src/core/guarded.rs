//! A core with the guard: its requests and grants, and its confirmation.

use super::{Core, Message};
use crate::guard::Guard;
use crate::interface::{Command, Now, Withdrawal};
use crate::kind::PayloadKind;
use crate::leadership::{Change, Confirmation, Reason, Role};
use crate::lease::{Lease, Letter, Lists, Members, Record, Stage, Standing};
use crate::trouble::Trouble;
use crate::wire::{Header, Purpose};
use ringleader_model::{MessageKind, Visitor};
use std::time::Duration;

/// The iterations after which a request is repeated while the lease ends soon.
/// A leader stops as many iterations before the end of its lease.
const REPEAT: u32 = 2;
/// The requests without enough grants after which a leader whose lease ends hands over. A leader whose loop stood still has sent fewer.
const UNANSWERED: u32 = 5;

/// The additional state of a core with the guard.
pub(super) struct Guarded {
    pub(super) lease: Lease,
    pub(super) digest: u64,
    guard: Guard,
    /// The members in the settings of this node.
    configured: Vec<bool>,
    /// The list in the settings of the last start or reload: a reload proposes only a list that has changed since.
    known: Members,
    /// The stage of a change of members.
    pub(super) stage: Stage,
    /// The peer whose datagram brought the present lists, and their number.
    origin: Option<(usize, u64)>,
    /// The time of the last inquiry.
    inquired: Duration,
    /// The letter to each peer, which goes with the next datagram or in one of its own.
    letters: Vec<Option<Letter>>,
    /// The last time at which it did not lead, or was confirmed.
    waiting: Duration,
    /// The time until which it gives way.
    yields: Duration,
    /// The end of its lease, and the requests since it was renewed.
    renewed: u64,
    unanswered: u32,
    /// Whether it hands over because it hears nobody.
    pub(super) deaf: bool,
    /// Whether it led until its lease lapsed.
    pub(super) lapsed: bool,
    /// The last time at which it knew a confirmed leader.
    confirmed: Duration,
    /// The record that the runtime is storing.
    storing: Option<Record>,
}

/// The time in the unit of the lease.
fn nanos(now: Now) -> u64 {
    now.elapsed.as_nanos() as u64
}

impl Guarded {
    pub(super) fn new(guard: Guard, me: usize, members: &[bool], boot: u64, now: Now) -> Guarded {
        let fixed = Record { lists: Lists::first(Members::of(members)), ..Record::default() };
        let record = guard.record.unwrap_or(fixed);
        let lease = Lease::new(guard.terms(), me, boot, members.len(), record, nanos(now));
        Guarded {
            stage: lease.stage(nanos(now)),
            lease,
            digest: guard.digest(members),
            guard,
            configured: members.to_vec(),
            known: Members::of(members),
            origin: None,
            inquired: Duration::ZERO,
            letters: vec![None; members.len()],
            waiting: now.elapsed,
            yields: Duration::ZERO,
            renewed: 0,
            unanswered: 0,
            deaf: false,
            lapsed: false,
            confirmed: now.elapsed,
            storing: None,
        }
    }

    /// Puts a letter down for every other member of the lists.
    fn send_to_all(&mut self, me: usize, letter: Letter) {
        let others = self.lease.standing().lists.everyone().without(me);
        for (to, waiting) in self.letters.iter_mut().enumerate() {
            if others.contains(to) {
                *waiting = Some(letter);
            }
        }
    }

    /// The reason why it never leads, if it is a witness or not in the lists.
    pub(super) fn outside(&self, me: usize) -> Option<Withdrawal> {
        match () {
            () if self.guard.witnesses.contains(&me) => Some(Withdrawal::Witness),
            () if !self.lease.standing().lists.known() => Some(Withdrawal::Joining),
            () if !self.lease.is_listed() => Some(Withdrawal::Removed),
            () => None,
        }
    }

    pub(super) fn take_letter(&mut self, to: usize) -> Option<Letter> {
        self.letters.get_mut(to)?.take()
    }

    /// Sends a letter again, unless a later one waits.
    pub(super) fn put_back(&mut self, to: usize, letter: Letter) {
        if let Some(waiting) = self.letters.get_mut(to) {
            waiting.get_or_insert(letter);
        }
    }

    pub(super) fn memory(&mut self, visitor: &mut dyn Visitor) {
        self.lease.memory(visitor);
        for (name, time) in [("waiting", &mut self.waiting), ("yields", &mut self.yields)] {
            let mut nanos = time.as_nanos() as u64;
            visitor.word(name, &mut nanos);
            *time = Duration::from_nanos(nanos);
        }
    }
}

impl Core {
    /// Requests, renews and returns the lease in one iteration, before messages are sent.
    pub(super) fn tend_lease(&mut self, now: Now, messages: &[Message]) {
        // Messages to all other members carry a request along.
        let speaks = messages.len() + 1 >= self.config.members.iter().filter(|&&member| member).count();
        let (shown, heartbeat, iteration) = (self.algorithm.shown(), self.config.heartbeat, self.iteration());
        let delta = Duration::from_micros(self.algorithm.timing().delta);
        let leads = shown.leader == self.config.me && shown.stands == Some(true);
        let holding = self.holding;
        let Some(guarded) = &mut self.guarded else { return };
        guarded.lease.heal(nanos(now));
        if !holding
            && messages.iter().any(|message| message.kind == PayloadKind::Timed(MessageKind::Resign))
            && let Some(letter) = guarded.lease.given_back()
        {
            guarded.send_to_all(self.config.me, letter);
        }
        let confirmed = guarded.lease.confirmed(nanos(now));
        // A lease that lapses answers no request.
        if let Some(until) = confirmed.filter(|until| *until != guarded.renewed) {
            (guarded.renewed, guarded.unanswered) = (until, 0);
        }
        if !leads || confirmed.is_some() || guarded.waiting > now.elapsed {
            guarded.waiting = now.elapsed;
        }
        if now.elapsed - guarded.waiting > guarded.guard.patience(heartbeat) {
            // It may receive nothing: a node that does must get a chance.
            (guarded.waiting, guarded.yields) = (now.elapsed, now.elapsed + delta + 5 * iteration);
            self.algorithm.accuse(&mut self.coin);
        }
        guarded.yields = guarded.yields.min(now.elapsed + delta + 5 * iteration);
        if !(leads || holding) || now.elapsed < guarded.yields {
            return;
        }
        let left = confirmed.map_or(0, |until| until.saturating_sub(nanos(now)));
        let short = u128::from(left) < guarded.guard.length.as_nanos() / 2;
        let pace = match confirmed {
            // The next leader is confirmed as soon as the grants to the last one have ended.
            None => Duration::ZERO,
            Some(_) if short => REPEAT * iteration,
            Some(_) => heartbeat * 3 / 2,
        };
        let due =
            speaks || guarded.lease.asking().is_none_or(|at| nanos(now).saturating_sub(at) >= pace.as_nanos() as u64);
        if due && let Some(letter) = guarded.lease.ask(nanos(now), true) {
            // Without a majority it asks for as long as the node runs.
            guarded.unanswered = guarded.unanswered.saturating_add(1);
            guarded.send_to_all(self.config.me, letter);
        }
    }

    /// A leader whose lease ends, and that hears nobody although it has asked often enough, is deaf: it hands over to a member that granted the
    /// lease, and returns it. If it spoke on, the others would wait for it.
    pub(super) fn leave_in_time(&mut self, now: Now) -> Vec<Message> {
        let end = now.elapsed + self.margin();
        let (role, stands) = (self.shown.state, self.algorithm.shown().stands == Some(true));
        let last = self.others().iter().filter_map(|&q| self.counters.last_heard[q]).max().unwrap_or_default();
        let leads =
            |guarded: &Guarded| stands && (role == Role::Leader || (role == Role::Unconfirmed && guarded.lapsed));
        let Some(guarded) = self.guarded.as_mut().filter(|guarded| leads(guarded)) else { return vec![] };
        // The lease of a leader that stood still, too, may have lapsed.
        let ends = guarded.lease.confirmed(nanos(now)).is_none_or(|until| Duration::from_nanos(until) <= end);
        let deaf = now.elapsed.saturating_sub(last) > guarded.guard.length / 2;
        if !ends || !deaf || guarded.unanswered < UNANSWERED {
            return vec![];
        }
        guarded.deaf = true;
        let heirs = guarded.lease.granters(nanos(now)).iter().filter(|heir| !guarded.guard.witnesses.contains(heir));
        self.algorithm.hand_over(&heirs.collect::<Vec<usize>>())
    }

    /// The time before the end of a lease at which its leader stops: the end must be announced in time.
    pub(super) fn margin(&self) -> Duration {
        REPEAT * self.iteration()
    }

    /// With the guard, a minority cannot make a node leave a confirmed leader: its accusations and its unconfirmed leaders are ignored.
    /// Returns the kind of an ignored message.
    pub(super) fn unheeded(&mut self, now: Now, sender: usize, acting: u32, message: &[u8]) -> Option<MessageKind> {
        self.guarded.as_ref()?;
        let (shown, me) = (self.algorithm.shown(), self.config.me);
        let leads = shown.leader == me && self.holds_lease(now);
        let follows = shown.leader != me && shown.stands == Some(true) && self.peers[shown.leader].present.acting > 0;
        self.algorithm.kind(message).filter(|kind| match kind {
            MessageKind::Accusation => leads,
            MessageKind::Alive | MessageKind::Answer => (leads || follows) && acting == 0 && sender != shown.leader,
            _ => false,
        })
    }

    /// A node that names an unconfirmed leader, possibly itself, and hears a confirmed one was partitioned: it restarts without accusing
    /// anyone.
    pub(super) fn bow(&mut self, now: Now, sender: usize, acting: u32) {
        if self.guarded.is_none() || acting == 0 {
            return;
        }
        let (leader, me) = (self.algorithm.shown().leader, self.config.me);
        if sender == leader {
            return;
        }
        let confirmed = if leader == me { self.holds_lease(now) } else { self.peers[leader].present.acting > 0 };
        if !confirmed {
            // A leader that has not noticed the end of its lease stood still.
            self.algorithm.restart(self.shown.state == Role::Leader);
            self.leave_lease(now, true);
        }
    }

    /// Notes that this node has known no confirmed leader for longer than any failover takes.
    pub(super) fn tell_of_no_majority(&mut self, now: Now) {
        let Some(guarded) = &mut self.guarded else { return };
        let leader = self.shown.leader;
        let confirmed = match self.shown.state {
            Role::Leader => true,
            Role::Follower => self.peers[leader].present.acting > 0,
            _ => false,
        };
        if confirmed || guarded.confirmed > now.elapsed {
            guarded.confirmed = now.elapsed;
        }
        if now.elapsed - guarded.confirmed > guarded.guard.length + 3 * self.config.heartbeat {
            let barred = self.status().withdrawn;
            self.note(now, leader, Trouble::Minority { me: self.shown.state == Role::Unconfirmed, barred });
        }
    }

    /// Whether it gives way to others at the moment.
    pub(super) fn gives_way(&self, now: Now) -> bool {
        self.guarded.as_ref().is_some_and(|guarded| now.elapsed < guarded.yields) || self.is_outside() || self.dropped
    }

    /// Whether it is a witness, or not in the lists.
    pub(super) fn is_outside(&self) -> bool {
        self.guarded.as_ref().is_some_and(|guarded| guarded.outside(self.config.me).is_some())
    }

    /// Stops relying on the lease: returns it if nothing acts on it any more (`in_peace`), otherwise lets it expire.
    pub(super) fn leave_lease(&mut self, now: Now, in_peace: bool) {
        let Some(guarded) = self.guarded.as_mut().filter(|guarded| guarded.lease.asking().is_some()) else { return };
        if !in_peace {
            return guarded.lease.abandon(nanos(now));
        }
        if let Some(letter) = guarded.lease.give_back(nanos(now)) {
            guarded.send_to_all(self.config.me, letter);
        }
    }

    /// All hooks of its leaderships have ended.
    pub(super) fn hooks_ended(&mut self) {
        if let Some(guarded) = &mut self.guarded {
            guarded.lease.nothing_acts();
        }
    }

    /// Its leadership has ended: the next one has another token, even if the same grants last.
    pub(super) fn retire(&mut self) {
        if let Some(guarded) = &mut self.guarded {
            guarded.lease.retire();
        }
    }

    /// A leader that has handed over returns its lease, together with the message that announces it.
    pub(super) fn return_lease(&mut self, now: Now) {
        let shown = self.algorithm.shown();
        // If it stopped in this iteration, the hooks that must end before another node leads still have to run.
        let holds = self.holding || (self.config.holds && self.shown.state == Role::Leader);
        if !holds && shown.leader == self.config.me && shown.stands == Some(false) {
            self.leave_lease(now, true);
        }
    }

    /// Sends the letters that no other datagram has carried, and tells the followers if it is confirmed now.
    pub(super) fn post_letters(&mut self, now: Now, change: Option<Change>) {
        if change.is_some_and(|change| change.reason == Reason::Confirmed) {
            self.others().into_iter().for_each(|to| self.send_letter(now, to));
        }
        for to in 0..self.peers.len() {
            if self.guarded.as_ref().is_some_and(|guarded| guarded.letters[to].is_some()) {
                self.send_letter(now, to);
            }
        }
    }

    /// Sends the letter to a peer, if one waits, and whether this node is confirmed.
    fn send_letter(&mut self, now: Now, to: usize) {
        self.send(now, to, Purpose::Lease, &[]);
        self.counters.sent[to] += 1;
    }

    /// Stores later lists of a peer.
    pub(super) fn learn_lists(&mut self, now: Now, from: usize, standing: Standing) {
        let Some(guarded) = &mut self.guarded else { return };
        let learned = guarded.lease.learn(standing);
        let implausible = !guarded.lease.accepts(standing.token);
        let (theirs, ours) = (standing.lists, guarded.lease.standing().lists);
        if learned {
            guarded.origin = Some((from, theirs.number));
            self.commands.push(Command::Learned { from, before: ours, lists: theirs });
            if !theirs.continues(&ours) && theirs.adopted != ours.adopted {
                self.note(
                    now,
                    from,
                    Trouble::Replaced { number: theirs.number, theirs: theirs.adopted, ours: ours.adopted },
                );
            }
        }
        let contradict = theirs.contradict(&ours);
        self.store();
        if let (Some(theirs), Some(ours)) = (theirs.proposal.filter(|_| theirs.number == ours.number), ours.proposal)
            && theirs != ours
        {
            self.note(now, from, Trouble::Rivals { theirs, ours });
        }
        if contradict {
            self.note(now, from, Trouble::Lists { number: standing.lists.number });
        }
        if implausible {
            self.note(now, from, Trouble::Token { theirs: standing.token });
        }
    }

    /// Whether a node that does not list this one, or that this one does not list, can have precedence. With the guard only a member of the
    /// lists can, or a node with later lists, or with lists of another beginning.
    pub(super) fn may_precede(&self, sender: usize, header: &Header) -> bool {
        let (Some(guarded), Some(guard)) = (&self.guarded, header.guard) else { return true };
        let (ours, theirs) = (guarded.lease.standing().lists, guard.standing.lists);
        let member = ours.number == theirs.number && ours.everyone().contains(sender);
        member || !ours.known() || theirs.supersedes(&ours) || theirs.contradict(&ours)
    }

    /// Uses new members: with state files, a list that has changed, or was refused before, is proposed; otherwise it is fixed. A list without
    /// this node is not: another member proposes it, which is needed after the change.
    pub(super) fn reload_members(&mut self, members: Vec<bool>) {
        let Some(guarded) = &mut self.guarded else {
            self.config.members.clone_from(&members);
            self.compared = self.config.compared();
            self.use_members(members);
            return;
        };
        if guarded.guard.record.is_none() {
            return;
        }
        let list = Members::of(&members);
        guarded.configured.clone_from(&members);
        let changed = std::mem::replace(&mut guarded.known, list) != list || guarded.lease.has_refused(list);
        if changed && list.contains(self.config.me) {
            guarded.lease.wish(list);
        }
        self.config.members = members;
        self.compared = self.config.compared();
        self.know_members();
    }

    /// Hears all nodes that are in its settings or in its lists.
    pub(super) fn know_members(&mut self) {
        let Some(guarded) = &self.guarded else { return };
        let listed = guarded.lease.standing().lists.everyone();
        let known = |(id, &configured): (usize, &bool)| configured || listed.contains(id);
        let members = guarded.configured.iter().enumerate().map(known).collect();
        self.use_members(members);
    }

    /// Whether it exchanges datagrams with a node of this identity.
    pub fn knows(&self, id: usize) -> bool {
        self.config.members.get(id).is_some_and(|&member| member)
    }

    /// Takes the next step of a change of members, and reports where it stands.
    pub(super) fn tend_change(&mut self, now: Now) {
        let heartbeat = self.config.heartbeat;
        let Some(guarded) = &mut self.guarded else { return };
        guarded.lease.advance(nanos(now));
        let due = guarded.inquired > now.elapsed || now.elapsed - guarded.inquired >= heartbeat / 2;
        let inquiry = if due { guarded.lease.inquire(nanos(now)) } else { None };
        if let Some(letter) = inquiry {
            guarded.inquired = now.elapsed;
            for to in self.others() {
                let Some(guarded) = &mut self.guarded else { return };
                let waiting = guarded.letters[to].replace(letter);
                self.send_letter(now, to);
                if let Some(guarded) = &mut self.guarded {
                    guarded.letters[to] = waiting;
                }
            }
        }
        let Some(guarded) = &mut self.guarded else { return };
        let (stage, lists) = (guarded.lease.stage(nanos(now)), guarded.lease.standing().lists);
        let first = self.counters.iterations <= 1 && stage != Stage::None;
        let before = std::mem::replace(&mut guarded.stage, stage);
        let from = guarded.origin.filter(|&(_, number)| number == lists.number).map(|(from, _)| from);
        let changed = (before.name(), before.list()) != (stage.name(), stage.list()) || first;
        let configured = Members::of(&guarded.configured);
        // The line of a host that is being removed is gone before the list has changed.
        let target = if let Stage::Asking { list, .. } = stage { list } else { lists.target() };
        let unlisted = target.minus(configured).without(self.config.me);
        let lineless = lists.target().minus(configured).contains(self.config.me);
        if changed {
            self.commands.push(Command::Changing { lists, stage });
        }
        if stage != Stage::None {
            self.note(now, self.config.me, Trouble::Change { stage, from });
        }
        if lineless {
            self.note(now, self.config.me, Trouble::Lineless);
        }
        if let Some(peer) = unlisted.iter().next() {
            self.note(now, peer, Trouble::Unlisted);
        }
        let unproposed = configured.minus(lists.adopted);
        if let Some(peer) = unproposed.iter().next().filter(|_| stage == Stage::None && !lineless) {
            self.note(now, peer, Trouble::Unproposed);
        }
    }

    /// Receives a letter; the answer is sent back immediately.
    pub(super) fn take_letter(&mut self, now: Now, from: usize, letter: Letter, standing: Standing) {
        // A follower grants the lease only to the leader that it hears.
        let shown = self.algorithm.shown();
        let willing = shown.leader == from || shown.stands != Some(true);
        let Some(guarded) = &mut self.guarded else { return };
        let implausible = !guarded.lease.accepts(letter.token);
        if let Some(answer) = guarded.lease.receive(nanos(now), from, letter, standing, willing) {
            guarded.letters[from] = Some(answer);
            self.reply = Some(self.datagram(now, from, Purpose::Lease, &[]));
            self.counters.sent[from] += 1;
        }
        if implausible {
            self.note(now, from, Trouble::Token { theirs: letter.token });
        }
    }

    /// Asks the runtime, once, to store the next record.
    pub(super) fn store(&mut self) {
        let Some(guarded) = self.guarded.as_mut() else { return };
        if let Some(wanted) = guarded.lease.to_store().filter(|wanted| guarded.storing != Some(*wanted)) {
            guarded.storing = Some(wanted);
            self.commands.push(Command::Store(wanted));
        }
    }

    /// The runtime has stored a record.
    pub(super) fn stored(&mut self, now: Now, record: Record) {
        let Some(guarded) = &mut self.guarded else { return };
        guarded.storing = None;
        if let Some((to, letter)) = guarded.lease.stored(nanos(now), record) {
            guarded.letters[to] = Some(letter);
        }
        self.know_members();
    }

    /// The lease of a node that would act on it, if it lasts for some more iterations.
    pub(super) fn confirmation(&mut self, now: Now) -> Option<Confirmation> {
        let margin = self.margin().as_nanos() as u64;
        // A lease that expired unnoticed counts as lost, even if a late grant prolongs it: observers have seen its end.
        if self.shown.confirmation.is_some_and(|known| known.until <= now.elapsed) {
            return None;
        }
        let guarded = self.guarded.as_mut()?;
        guarded.lease.begin_anew();
        let until = guarded.lease.confirmed(nanos(now)).filter(|until| *until > nanos(now) + margin)?;
        Some(Confirmation { until: Duration::from_nanos(until), token: guarded.lease.token() })
    }

    /// Whether it holds a confirmed lease now.
    pub(super) fn holds_lease(&mut self, now: Now) -> bool {
        self.guarded.as_mut().is_some_and(|guarded| guarded.lease.confirmed(nanos(now)).is_some())
    }

    fn iteration(&self) -> Duration {
        Duration::from_micros(self.algorithm.timing().beta)
    }
}
