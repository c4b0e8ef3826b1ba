//! What a runtime drives: a protocol between datagrams, whatever its algorithm.

use crate::core::{Corruption, Now, Withdrawal};
use crate::counters::Counters;
use crate::key::Keys;
use crate::leadership::{Change, Leadership};
use crate::lease::Record;
use crate::trouble::{Notice, Notices};
use crate::wire::Rejection;

/// A datagram to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// To whom.
    pub to: usize,
    /// What.
    pub datagram: Vec<u8>,
}

/// What a process is told from outside.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Order {
    /// Step down on purpose, where the algorithm knows how.
    Resign,
    /// What had to be done before another may lead has been done: a process that holds the place for its heir lets go.
    Release,
    /// Do not lead, from the next iteration on and for this reason; or there is none any more.
    Withdraw(Option<Withdrawal>),
    /// These are the members, by identity.
    Members(Vec<bool>),
    /// What was sent to this peer met a closed port, or somebody says so: that may be forged, and is a reason to ask at most.
    Refused(usize),
    /// These keys authenticate.
    Keys(Keys),
    /// What [`Protocol::take_store`] gave is stored for good.
    Stored(Record),
    /// That could not be stored, so far: it is being tried again.
    NotStored,
    /// Overwrite everything that the process remembers.
    Corrupt(Corruption),
    /// The errand with this number has been run, or has come to its end: the token may move on.
    ErrandDone(u64),
}

/// What a process shows.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// Whom it takes for the leader.
    pub leadership: Leadership,
    /// The counts so far.
    pub counters: &'a Counters,
    /// The troubles seen so far.
    pub notices: &'a Notices,
    /// The one that disagrees and acts with more right, if there is one now.
    pub disputed: Option<Notice>,
    /// Why it is not to lead, if it is not.
    pub withdrawn: Option<Withdrawal>,
    /// The digest of what guarded members must be told alike, if they are guarded.
    pub guard: Option<u64>,
    /// Whether it has stopped acting and waits for [`Order::Release`].
    pub holding: bool,
    /// Where there is a token to hold: whether it holds it.
    pub token: Option<bool>,
    /// Which errand is to be run before the token moves on, if one is: [`Order::ErrandDone`].
    pub errand: Option<u64>,
    /// Its variables as text, where who leads does not say all that it is run for.
    pub variables: Option<String>,
}

/// One process between real datagrams: no sockets, no clock, no threads. Time is an argument.
///
/// A runtime calls [`Protocol::receive`] when a datagram comes and [`Protocol::iterate`] when an iteration is due, and sends what
/// these put into `out`, after it has made known what the process shows now: another may lead as soon as it has read it.
pub trait Protocol: Send {
    /// Takes a datagram, or says why not; either is counted. What is to go back at once to whence it came is in `reply`.
    fn receive(&mut self, now: Now, datagram: &[u8], reply: &mut Option<Vec<u8>>) -> Result<(), Rejection>;

    /// What is to be said at once, after a datagram was taken.
    fn answers(&mut self, now: Now) -> Vec<Transmit>;

    /// One iteration of the loop. Returns how the leadership changed, if it did.
    fn iterate(&mut self, now: Now, out: &mut Vec<Transmit>) -> Option<Change>;

    /// Does as it is told from outside. Returns how the leadership changed, if it did.
    fn obey(&mut self, now: Now, order: Order, out: &mut Vec<Transmit>) -> Option<Change>;

    /// What it shows.
    fn view(&self) -> View<'_>;

    /// The counts, for the runtime to add what only it sees.
    fn counters_mut(&mut self) -> &mut Counters;

    /// The troubles that are to be told now, each once.
    fn take_reports(&mut self) -> Vec<Notice>;

    /// What is to be stored for good, in the order given; [`Order::Stored`] says when it is.
    fn take_store(&mut self) -> Option<Record> {
        None
    }

    /// The variables of the process, as text.
    fn state(&self) -> String;
}
