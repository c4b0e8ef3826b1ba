//! Processes with their inboxes: the local half of the transition relation, computed once per cell.
//!
//! A *cell* is a local state together with the messages that wait at each port. A global state is one cell per process. A
//! transition replaces the cell of the process that steps and the cells of the receivers of its messages. Cells are numbered when
//! they first occur, and tables store their steps. So the algorithm's rules run once per cell, and the search works on small
//! integers.

use super::confluence::{Role, judge};
use super::rules::{Happening, Reaction, Rules, Setback};
use crate::{Action, Failure, Options, Visible};
use ringleader_erased::MessageInstance;
use ringleader_model::{Channels, Interner};
use std::collections::HashMap;

/// A missing entry of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Missing {
    /// The steps of a cell.
    Moves(u32),
    /// The cell after a message has arrived at a port: cell, port, message.
    Arrival(u32, u32, u32),
}

/// A process with its inboxes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cell {
    /// The process; 0 for all processes if the algorithm is anonymous.
    pub(crate) owner: u32,
    /// The number of its local state.
    pub(crate) state: u32,
    /// The numbers of the messages at each port: oldest first, or sorted in a bag.
    pub(crate) inbox: Box<[Box<[u32]>]>,
}

/// A transition of a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arc {
    pub(crate) next: u32,
    pub(crate) sends: (u32, u32),
    pub(crate) action: Action,
}

/// A choice of the scheduler for a cell: a distribution over its arcs.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The event.
    pub(crate) event: Happening,
    /// The arcs with their probabilities.
    pub(crate) outcomes: Vec<(u32, f64)>,
}

/// The event and the draws of an arc.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) event: Happening,
    pub(crate) draws: Vec<u32>,
}

/// The tables. They grow as the search meets new cells.
pub(crate) struct Cells<'a> {
    pub(crate) rules: Rules<'a>,
    /// The memory limit of the tables, in bytes.
    memory: u64,
    pub(crate) cells: Interner<Cell>,
    pub(crate) arcs: Vec<Arc>,
    origins: Vec<Origin>,
    /// By cell, the first of its arcs and the first one after them, if they are known.
    pub(crate) arcs_of: Vec<Option<(u32, u32)>>,
    choices_of: Vec<Vec<Choice>>,
    /// The ports and messages of all arcs.
    pub(crate) sends: Vec<(u32, u32)>,
    /// By cell, port and message: the cell after the arrival, or [`UNKNOWN`].
    pub(crate) arrivals: Vec<u32>,
    /// The number of messages in a row of `arrivals`.
    pub(crate) message_capacity: usize,
    /// The largest number of messages at one port.
    longest: usize,
    leaders: Vec<bool>,
    cut_off: Vec<bool>,
    /// The visible actions, if confluent transitions are reduced.
    confluent_but: Option<Visible>,
    roles: Vec<Role>,
}

/// A missing entry.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// The memory limit of the tables. Finite tables take a small part of the memory; infinite tables should fail early.
fn most_for_tables(memory: u64) -> u64 {
    (memory / 16).max(256 << 20).min(memory)
}

impl<'a> Cells<'a> {
    pub(crate) fn new(algorithm: &'a MessageInstance, options: &Options) -> Self {
        Cells {
            rules: Rules::new(algorithm, options.channels),
            memory: most_for_tables(options.memory),
            cells: Interner::default(),
            arcs: vec![],
            origins: vec![],
            arcs_of: vec![],
            choices_of: vec![],
            sends: vec![],
            arrivals: vec![],
            message_capacity: 8,
            longest: 0,
            leaders: vec![],
            cut_off: vec![],
            confluent_but: options.confluence.then_some(options.visible),
            roles: vec![],
        }
    }

    /// The initial cell of a process.
    pub(crate) fn start(&mut self, me: usize) -> u32 {
        let state = self.rules.start(me);
        let inbox = vec![Box::default(); self.rules.ports].into();
        let owner = if self.rules.anonymous { 0 } else { me as u32 };
        self.cell(Cell { owner, state, inbox })
    }

    /// The number of cells.
    pub(crate) fn len(&self) -> usize {
        self.cells.all().len()
    }

    /// The number of messages in the fullest channel, if there are more than two per process.
    pub(crate) fn crowd(&self) -> Option<usize> {
        Some(self.longest).filter(|longest| *longest > 2 * self.rules.size)
    }

    /// Whether the tables have outgrown the memory set aside for them.
    pub(crate) fn check_memory(&self) -> Result<(), Failure> {
        if self.bytes() > self.memory { Err(self.too_large()) } else { Ok(()) }
    }

    fn too_large(&self) -> Failure {
        Failure::Tables { cells: self.len() as u64, allowed: self.memory }
    }

    /// The approximate memory of the tables, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (self.arrivals.len() * 4 + self.arcs.len() * 100 + self.cells.all().len() * 400) as u64
    }

    /// The distinct transitions of a cell, if they are known.
    #[inline]
    pub(crate) fn arcs(&self, cell: u32) -> Option<&[Arc]> {
        self.arcs_of[cell as usize].map(|(from, to)| &self.arcs[from as usize..to as usize])
    }

    /// The transition with this number.
    pub(crate) fn arc(&self, number: u32) -> &Arc {
        &self.arcs[number as usize]
    }

    /// The scheduler's choices for a cell whose arcs are known.
    pub(crate) fn choices(&self, cell: u32) -> &[Choice] {
        &self.choices_of[cell as usize]
    }

    /// The messages that a transition sends: ports and messages.
    #[inline]
    pub(crate) fn sends(&self, arc: &Arc) -> &[(u32, u32)] {
        &self.sends[arc.sends.0 as usize..arc.sends.1 as usize]
    }

    /// The cell after a message has arrived, if it is known.
    #[inline]
    pub(crate) fn arrival(&self, cell: u32, port: u32, message: u32) -> Option<u32> {
        let next = self.arrivals[self.arrival_slot(cell, port, message)];
        (next != UNKNOWN).then_some(next)
    }

    #[inline]
    fn arrival_slot(&self, cell: u32, port: u32, message: u32) -> usize {
        (cell as usize * self.rules.ports + port as usize) * self.message_capacity + message as usize
    }

    /// Whether the process of a cell is a leader.
    #[inline]
    pub(crate) fn leads(&self, cell: u32) -> bool {
        self.leaders[cell as usize]
    }

    /// Whether the process of a cell was cut off.
    pub(crate) fn cut_off(&self, cell: u32) -> bool {
        self.cut_off[cell as usize]
    }

    /// The origin of one of a cell's arcs.
    pub(crate) fn origin(&self, cell: u32, arc: &Arc) -> &Origin {
        let (from, to) = self.arcs_of[cell as usize].unwrap_or_default();
        let place = self.arcs[from as usize..to as usize].iter().position(|other| std::ptr::eq(other, arc));
        &self.origins[from as usize + place.expect("it is the cell's arc")]
    }

    /// The role of a cell's process.
    #[inline]
    pub(crate) fn role(&self, cell: u32) -> Role {
        self.roles[cell as usize]
    }

    /// Fills gaps of the tables. Fails if an assumption turns out to be wrong.
    pub(crate) fn learn(&mut self, gaps: &[Missing]) -> Result<(), Setback> {
        let messages = self.rules.sent.len();
        for &gap in gaps {
            self.learn_one(gap)?;
        }
        let Some(visible) = self.confluent_but else { return Ok(()) };
        // New messages may change roles. New cells have no role yet.
        let mut judged: HashMap<(u32, u32), Role> = HashMap::new();
        let from = if self.rules.sent.len() > messages { 0 } else { self.roles.len() };
        for number in from..self.cells.all().len() {
            let Cell { owner, state, .. } = *self.cells.get(number as u32);
            let role = match judged.get(&(owner, state)) {
                Some(&role) => role,
                None => judge(&mut self.rules, owner, state, visible)?,
            };
            judged.insert((owner, state), role);
            match self.roles.get(number) {
                None => self.roles.push(role),
                Some(&old) if old == role => {}
                Some(_) => return Err(Setback::NewRoles),
            }
        }
        Ok(())
    }

    /// Forgets all roles. They are judged again with the messages known now.
    pub(crate) fn forget_roles(&mut self) {
        self.roles.clear();
    }

    fn learn_one(&mut self, missing: Missing) -> Result<(), Setback> {
        match missing {
            Missing::Moves(cell) if self.arcs_of[cell as usize].is_none() => self.learn_moves(cell),
            Missing::Arrival(cell, port, message) if self.arrival(cell, port, message).is_none() => {
                let mut target = self.cells.get(cell).clone();
                let inbox = &mut target.inbox[port as usize];
                let mut waiting = inbox.to_vec();
                let place = match self.rules.channels {
                    Channels::Bag => waiting.partition_point(|&m| m <= message),
                    Channels::Fifo => waiting.len(),
                };
                waiting.insert(place, message);
                *inbox = waiting.into();
                let next = self.cell(target);
                let slot = self.arrival_slot(cell, port, message);
                self.arrivals[slot] = next;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn cell(&mut self, cell: Cell) -> u32 {
        let known = self.cells.all().len();
        let (owner, state) = (cell.owner, cell.state);
        let longest = cell.inbox.iter().map(|waiting| waiting.len()).max().unwrap_or_default();
        let number = self.cells.number(cell);
        if self.cells.all().len() > known {
            self.longest = self.longest.max(longest);
            self.leaders.push(self.rules.marks(owner as usize, state).leader());
            self.cut_off.push(self.rules.cut_off(state));
            self.arcs_of.push(None);
            self.choices_of.push(vec![]);
            self.arrivals.resize(self.cells.all().len() * self.rules.ports * self.message_capacity, UNKNOWN);
        }
        number
    }

    /// Adds a message to the tables.
    fn admit(&mut self, message: u32) -> Result<(), Failure> {
        if !self.rules.sent.contains(&message) {
            self.rules.sent.push(message);
        }
        while message as usize >= self.message_capacity {
            // There are as many rows as cells. An algorithm with infinitely many messages is stopped here.
            if 3 * 4 * self.arrivals.len() as u64 > self.memory {
                return Err(self.too_large());
            }
            let old = self.message_capacity;
            self.message_capacity *= 2;
            let mut wider = vec![UNKNOWN; self.cells.all().len() * self.rules.ports * self.message_capacity];
            for (row, values) in self.arrivals.chunks_exact(old).enumerate() {
                wider[row * 2 * old..][..old].copy_from_slice(values);
            }
            self.arrivals = wider;
        }
        Ok(())
    }

    fn learn_moves(&mut self, number: u32) -> Result<(), Setback> {
        let cell = self.cells.get(number).clone();
        self.rules.check_domains(cell.state)?;
        let from = self.arcs.len() as u32;
        let mut events = vec![None];
        for (port, waiting) in cell.inbox.iter().enumerate() {
            let within_reach = match self.rules.channels {
                Channels::Bag => &waiting[..],
                Channels::Fifo => &waiting[..waiting.len().min(1)],
            };
            // Equal messages in a bag are the same choice.
            let distinct = within_reach.iter().enumerate().filter(|&(i, m)| !within_reach[..i].contains(m));
            let mut distinct: Vec<u32> = distinct.map(|(_, &m)| m).collect();
            // The numbers of messages depend on the order of discovery. The order of steps must not.
            distinct.sort_by_key(|&m| self.rules.print_message(m));
            events.extend(distinct.into_iter().map(|m| Some((port, m))));
        }
        let mut choices = vec![];
        for event in events {
            let outcomes = self.rules.outcomes(cell.owner, cell.state, event)?;
            if outcomes.is_empty() {
                continue;
            }
            let mut choice = Choice { event, outcomes: vec![] };
            for outcome in &*outcomes {
                let odds = 1.0 / outcome.odds as f64;
                let arc = self.add_arc(&cell, event, outcome, from)?;
                match choice.outcomes.iter_mut().find(|(a, _)| *a == arc) {
                    Some((_, p)) => *p += odds,
                    None => choice.outcomes.push((arc, odds)),
                }
            }
            choices.push(choice);
        }
        self.arcs_of[number as usize] = Some((from, self.arcs.len() as u32));
        self.choices_of[number as usize] = choices;
        Ok(())
    }

    /// The number of the arc with this effect. It is a new arc unless one of the arcs since `from` has the same effect.
    fn add_arc(&mut self, cell: &Cell, event: Happening, outcome: &Reaction, from: u32) -> Result<u32, Setback> {
        if let Some(&(port, _)) = outcome.sent.iter().find(|(port, _)| *port >= self.rules.ports) {
            return Err(Failure::NoPort { port, ports: self.rules.ports }.into());
        }
        let action = self.rules.action(cell.owner, cell.state, outcome.state);
        let mut next = cell.clone();
        next.state = outcome.state;
        if let Some((port, message)) = event {
            let mut waiting = next.inbox[port].to_vec();
            let place = waiting.iter().position(|&m| m == message).unwrap_or_default();
            waiting.remove(place);
            next.inbox[port] = waiting.into();
        }
        let next = self.cell(next);
        let sent: Vec<(u32, u32)> = outcome.sent.iter().map(|&(port, message)| (port as u32, message)).collect();
        sent.iter().try_for_each(|&(_, message)| self.admit(message))?;
        // Bags lose the order of sending.
        let effect = |sent: &[(u32, u32)]| {
            let mut sent = sent.to_vec();
            if self.rules.channels == Channels::Bag {
                sent.sort_unstable();
            }
            sent
        };
        let wanted = effect(&sent);
        let same = |arc: &Arc| arc.next == next && arc.action == action && effect(self.sends(arc)) == wanted;
        if let Some(place) = self.arcs[from as usize..].iter().position(same) {
            return Ok(from + place as u32);
        }
        let first = self.sends.len() as u32;
        self.sends.extend(sent);
        self.arcs.push(Arc { next, sends: (first, self.sends.len() as u32), action });
        self.origins.push(Origin { event, draws: outcome.draws.clone() });
        Ok(self.arcs.len() as u32 - 1)
    }
}
